"""Closing conditions: which operators close, and what their functors may then do.

Between the calls that share the closing element (`key` is its index, mostly the far end) the first that writes it ends
the run of the others, and nobody knows how many ran before. An effect is *steady* where that makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from gdsl.frontend.races.calls import Calls, Guard, Write, WriteKind
from gdsl.frontend.races.facts import ClosingFact, End
from gdsl.frontend.races.proof import decide
from gdsl.frontend.races.report import Report, accept_in_closing, in_closing_functor
from gdsl.frontend.races.terms import Apply, Constant, Element, ScalarRead, Term, Unknown, inside, replace_element
from gdsl.frontend.races.writes import differing_pair, won
from gdsl.frontend.syntax import OperatorKind
from gdsl.source import Span

_CLOSING_KINDS = (WriteKind.STORE, WriteKind.ANY, WriteKind.CAS)


class ConditionUse(Enum):
    """What the writes of an operator do to a `cond` that reads the written element."""

    CLOSES = "closes"
    """They make it false."""
    STAYS = "stays"
    """They leave it true, so its tests never change."""


@dataclass(frozen=True, slots=True)
class Closing:
    """An array (or scalar) whose write closes the functor; `key` is where `cond` reads and `apply` writes it."""

    name: str
    key: Term
    conjunct: int | None
    """The conjunct that every write makes false; None where different writes end different conjuncts."""


def condition_uses(calls: Calls) -> dict[str, ConditionUse]:
    """For each name that `cond` reads and other calls write, where the reads are allowed: what the writes do to it."""
    uses: dict[str, ConditionUse] = {}
    for name in _tested(calls):
        if _key_of(calls, name) is None:
            continue
        outcomes = [_after(calls, name, write) for write in calls.written(name)]
        if all(False in outcome.values() for outcome in outcomes):
            uses[name] = ConditionUse.CLOSES
        elif all(set(outcome.values()) == {True} for outcome in outcomes):
            uses[name] = ConditionUse.STAYS
    return uses


def closings(calls: Calls, uses: dict[str, ConditionUse]) -> list[Closing]:
    """The ways in which the operator closes."""
    found = []
    for name, use in uses.items():
        key = _key_of(calls, name)
        if use is ConditionUse.CLOSES and key is not None:
            outcomes = [_after(calls, name, write) for write in calls.written(name)]
            conjunct = next((place for place in outcomes[0] if all(o[place] is False for o in outcomes)), None)
            found.append(Closing(name, key, conjunct))
    return found


def _tested(calls: Calls) -> list[str]:
    reads = [read for read in calls.reads if read.in_condition and not read.term.now]
    return [name for name in dict.fromkeys(read.name for read in reads) if not calls.single_writer(name)]


def _key_of(calls: Calls, name: str) -> Term | None:
    """The one index at which `cond` reads and the writes that can close write `name`; None if there is no such."""
    writes = calls.written(name)
    indices = {read.index for read in calls.reads if read.in_condition and read.name == name and not read.term.now}
    indices |= {write.index for write in writes}
    if len(indices) != 1 or any(write.kind not in _CLOSING_KINDS for write in writes):
        return None
    key = indices.pop()
    return None if _unstable(key) else key


def _unstable(key: Term) -> bool:
    """Whether the index may name one element in `cond` and another in `apply`."""
    return any(isinstance(part, Unknown) or getattr(part, "read", 0) for part in inside(key))


def _after(calls: Calls, name: str, write: Write) -> dict[int, bool | None]:
    """What each conjunct that reads `name` is once `write` has happened."""
    outcomes = {}
    for place, conjunct in enumerate(calls.conjuncts):
        if any(_reads(part, name) for part in calls.origins(conjunct)):
            outcomes[place] = decide(replace_element(conjunct, name, write.index, write.value))
    return outcomes


def _reads(part: Term, name: str) -> bool:
    return (isinstance(part, Element) and part.array == name) or (isinstance(part, ScalarRead) and part.name == name)


def closing_fact(calls: Calls, found: list[Closing]) -> ClosingFact | None:
    """The closing that generated code may use to stop early: at an end of the edge, by one conjunct."""
    if not calls.on_edges:
        return None
    for closing in found:
        if closing.conjunct is not None and closing.key in (calls.far, calls.near):
            end = End.FAR if closing.key == calls.far else End.NEAR
            writes = calls.written(closing.name)
            plain = len(writes) == 1 and writes[0].kind is not WriteKind.CAS
            return ClosingFact(end, closing.name, closing.conjunct, writes[0].statement if plain else None)
    return None


# ---------------------------------------------------------------- what is steady


def shifting(calls: Calls, closing: Closing, write: Write) -> str | None:
    """Why the effect of `write` depends on how many calls still run, in words; None where it is steady."""
    if write.name == closing.name:
        return None
    if write.kind is WriteKind.REDUCE and not _under_steady_cas(calls, closing, write.guards):
        return f"how often `{write.name} {write.form} …` runs depends on the order"
    if not calls.determined(write.index, closing.key):
        return f"which elements of `{write.name}` are written depends on the order"
    values_vary = write.kind is not WriteKind.CAS and differing_pair(calls, [write]) is not None
    if values_vary and not _under_steady_cas(calls, closing, write.guards):
        return f"which value of `{write.name}` is written depends on the order"
    if not _steady_guards(calls, closing, write.guards, write.name):
        return f"whether `{write.name}` is written depends on the order"
    return None


def _under_steady_cas(calls: Calls, closing: Closing, guards: tuple[Guard, ...]) -> bool:
    """Whether a statement stands under a `cas` at the closing index."""
    return any((cas := won(calls, guard)) is not None and cas.index == closing.key for guard in guards)


def _open_guards(calls: Calls, closing: Closing, guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
    """The guards that the closing index does not decide, without those of a steady `cas`."""
    return tuple(
        guard
        for guard in guards
        if not calls.determined(guard.term, closing.key) and not _under_steady_cas(calls, closing, (guard,))
    )


def _steady_guards(calls: Calls, closing: Closing, guards: tuple[Guard, ...], name: str | None) -> bool:
    """Whether what stands under `guards` happens in the same cases, however many calls run."""
    left = _open_guards(calls, closing, guards)
    return not left or all(
        _open_guards(calls, closing, write.guards) == left
        for write in calls.written(closing.name)
        if write.name != name
    )


def steady_accept(calls: Calls, closing: Closing, term: Term) -> bool:
    """Whether the accepted elements are the same however many calls run."""
    if isinstance(term, Constant) and term.value is False:
        return True
    if closing.key != calls.far:
        return False
    if calls.determined(term, closing.key):
        return True
    if isinstance(term, Unknown):
        write = calls.write_of(term)
        return write is not None and write.kind is WriteKind.CAS and write.index == closing.key
    if isinstance(term, Apply) and term.operation in ("&&", "||"):
        left, right = term.arguments
        steady = steady_accept(calls, closing, left) and steady_accept(calls, closing, right)
        one_decided = calls.determined(left, closing.key) or calls.determined(right, closing.key)
        return steady and (term.operation == "||" or one_decided)
    return isinstance(term, Apply) and term.operation == "?:" and _steady_choice(calls, closing, *term.arguments)


def _steady_choice(calls: Calls, closing: Closing, condition: Term, yes: Term, no: Term) -> bool:
    if calls.determined(condition, closing.key):
        return steady_accept(calls, closing, yes) and steady_accept(calls, closing, no)
    if not (isinstance(no, Constant) and no.value is False and calls.determined(yes, closing.key)):
        return False
    guards = (Guard(condition, True),)
    return _under_steady_cas(calls, closing, guards) or _steady_guards(calls, closing, guards, None)


# ---------------------------------------------------------------- the check


def check_closing(calls: Calls, found: Iterable[Closing], report: Report) -> None:
    """Report what a closing functor may not do: all that is not steady, but `any=` and what stands under `cas`."""
    for closing in found:
        for write in calls.writes:
            free = write.kind in (WriteKind.ANY, WriteKind.CAS) or any(won(calls, guard) for guard in write.guards)
            reason = None if free else shifting(calls, closing, write)
            if reason is not None:
                in_closing_functor(report, calls, write, closing.name, closing.key, reason)
        if calls.call.gives_frontier and calls.accept is not None and not steady_accept(calls, closing, calls.accept):
            reason = _accept_reason(calls, closing)
            accept_in_closing(report, calls, _accept_span(calls), closing.name, closing.key, reason)


def _accept_span(calls: Calls) -> Span:
    return calls.accepts[-1][0] if calls.accepts else calls.call.span


def _accept_reason(calls: Calls, closing: Closing) -> str:
    if closing.key != calls.far or calls.call.kind in (OperatorKind.FILTER, OperatorKind.WHERE):
        return "which elements the calls before it accepted depends on the order"
    return "whether the vertex is accepted depends on which of them ran"
