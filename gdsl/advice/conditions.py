"""W05: a `cond` that is the same for every call."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic
from gdsl.effects import ProgramEffects
from gdsl.ir import nodes
from gdsl.source import Source, Span
from gdsl.uniqueness.data import Data


def decided_conditions(effects: ProgramEffects, data: Data, source: Source) -> Iterator[Diagnostic]:
    """The conditions, and the parts between `&&`, that all operators which call the functor are sure of."""
    verdicts: dict[Span, set[bool | None]] = {}
    for site in effects.sites.values():
        for node, term in zip(site.functor.condition, site.conjuncts, strict=True):
            if not isinstance(node, nodes.Literal) or _after_cond(node.span, source):
                verdicts.setdefault(node.span, set()).add(data.proof.decide(term))
    for span, found in verdicts.items():
        words = source.excerpt(span)
        if len(found) == 1 and None not in found and words:
            words = f"cond {words}" if _after_cond(span, source) else words
            yield _message(span, words, found.pop() is True)


def _after_cond(span: Span, source: Source) -> bool:
    """Whether the condition stands in a `cond`; else it is that of a functor without a name, which says `true` where it
    takes everything."""
    return "cond" in source.of(span).line(span.line)[: span.column - 1]


def _message(span: Span, words: str, always: bool) -> Diagnostic:
    if always:
        return Diagnostic("W05", f"`{words}` is true for every call", span, fix="leave it out")
    message = f"`{words}` is false for every call: the functor does nothing"
    return Diagnostic("W05", message, span, fix="look at the values that it compares: nothing makes it true")
