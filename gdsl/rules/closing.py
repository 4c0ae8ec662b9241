"""Closing conditions: which operators close, and what their functors may then do.

Among the calls that share the closing element (`key` is its index, usually the far end), the first that writes it ends
the run of the others. How many ran before is unknown: any number of those that pass `cond`, but at least one. An effect
is *steady* where that makes no difference: where each call that runs has the same effect, once or often.

A write is proved to make `cond` false for the value that one call writes and the condition that another tests: whatever
the index does not determine is a different value in the other call (`_of_another_call`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdsl.effects.proof import Proof
from gdsl.effects.summary import Effects, Guard, Write, WriteKind, each
from gdsl.effects.terms import (
    DEEPEST_PROOF,
    Choice,
    ElementTerm,
    End,
    OfData,
    OfEnd,
    OfPass,
    OfPlace,
    Operation,
    Origin,
    PlaceTerm,
    ScalarTerm,
    Term,
    inside,
    parts,
)
from gdsl.ir import nodes
from gdsl.operations import IDEMPOTENT, BinaryOperation
from gdsl.rules.report import Report, accept_in_closing, in_closing_functor
from gdsl.rules.same_value import differing_pair
from gdsl.rules.writers import Writers
from gdsl.rules.writes import shared_winners, won
from gdsl.source import Span

_CLOSING_KINDS = (WriteKind.STORE, WriteKind.ANY, WriteKind.CAS)
_OPPOSITES = {
    BinaryOperation.EQUAL: BinaryOperation.NOT_EQUAL,
    BinaryOperation.NOT_EQUAL: BinaryOperation.EQUAL,
    BinaryOperation.LESS: BinaryOperation.GREATER_EQUAL,
    BinaryOperation.GREATER_EQUAL: BinaryOperation.LESS,
    BinaryOperation.GREATER: BinaryOperation.LESS_EQUAL,
    BinaryOperation.LESS_EQUAL: BinaryOperation.GREATER,
}


@dataclass(frozen=True, slots=True)
class Closes:
    """An array (or scalar) whose write closes the functor; `key` is the index at which `cond` reads and `apply` writes
    it."""

    name: str
    key: Term
    conjunct: int | None
    """The conjunct that every write makes false; None where different writes make different conjuncts false."""


def closings(effects: Effects, writers: Writers) -> list[Closes]:
    """The ways in which the operator closes."""
    closings = []
    tested = [read for read in effects.reads.values() if read.in_condition and not read.now]
    for name in dict.fromkeys(read.name for read in tested if not writers.sees_own(read)):
        key = _key_of(effects, name)
        if key is None:
            continue
        outcomes = [_made_false(effects, name, key, write) for write in effects.written(name)]
        if all(outcomes):
            together = set.intersection(*outcomes)
            closings.append(Closes(name, key, min(together) if together else None))
    return closings


def _key_of(effects: Effects, name: str) -> Term | None:
    """The one index at which `cond` reads and all writes write `name`; None if there is no such, or if it may name one
    element in `cond` and another in `apply`."""
    writes = effects.written(name)
    tested = [read for read in effects.reads.values() if read.in_condition and read.name == name]
    indices = {read.index for read in tested if not read.now} | {write.index for write in writes}
    if len(indices) != 1 or any(read.now and read.index in indices for read in tested):
        return None
    if any(write.kind not in _CLOSING_KINDS for write in writes):
        return None
    key = indices.pop()
    steady = (OfEnd, OfPlace, OfData, OfPass)
    return key if all(isinstance(atom, steady) for atom in effects.terms.atoms.members(key.depends)) else None


def _made_false(effects: Effects, name: str, key: Term, write: Write) -> set[int]:
    """The conjuncts that are false for every call at `key` once `write` has happened."""
    value = _of_another_call(effects, write.value, key)

    def change(term: Term) -> Term | None:
        of_name = (isinstance(term, ElementTerm) and term.array == name) or (
            isinstance(term, ScalarTerm) and term.name == name
        )
        return value if of_name else None

    names = set()
    for place, conjunct in enumerate(effects.conjuncts):
        tests = any(_reads(part, name) for part in inside(conjunct))
        if tests and (
            Proof().decide(effects.terms.replace_terms(conjunct, change)) is False
            or _ruled_out(effects, name, key, conjunct, write)
        ):
            names.add(place)
    return names


def _ruled_out(effects: Effects, name: str, key: Term, conjunct: Term, write: Write) -> bool:
    """Whether the writing call knows that its value makes `conjunct` false: its `cond`, or a test around the write,
    implies the opposite for that value."""
    if not isinstance(conjunct, Operation) or conjunct.operation not in _OPPOSITES or len(conjunct.arguments) != 2:
        return False
    left, right = conjunct.arguments
    if not (_reads(left, name) and getattr(left, "index", key) is key and effects.determined(right, key)):
        return False
    return knows(effects, write, _OPPOSITES[conjunct.operation], right)


def knows(effects: Effects, write: Write, comparison: BinaryOperation, other: Term) -> bool:
    """Whether `cond`, or a test around a write, says that the value which is written compares so with `other`."""
    facts = [*effects.conjuncts, *(guard.term for guard in each(write.guard) if guard.expected)]
    return any(
        isinstance(fact, Operation)
        and fact.operation is comparison
        and fact.arguments[0] is write.value
        and fact.arguments[1] is other
        for fact in facts
    )


def _reads(term: Term, name: str) -> bool:
    return (isinstance(term, ElementTerm) and term.array == name) or (
        isinstance(term, ScalarTerm) and term.name == name
    )


def _of_another_call(effects: Effects, value: Term, key: Term) -> Term:
    """`value` as another call at the same `key` sees it: what the key does not decide is another call's."""
    terms = effects.terms

    def change(term: Term) -> Term | None:
        if effects.determined(term, key):
            return term
        if isinstance(term, End):
            return terms.end(term.role, other=True)
        if isinstance(term, PlaceTerm):
            return terms.place(other=True)
        read = isinstance(term, ElementTerm | ScalarTerm) and term.read
        return None if parts(term) and not read else terms.unknown(term.type, Origin.OTHERS, "…", term.depends)

    return terms.replace_terms(value, change)


def closing_node(effects: Effects, proofs: list[Closes]) -> nodes.Closing | None:
    """The closing that generated code may use to stop early: at an end of the edge, by one conjunct."""
    if not effects.on_edges:
        return None
    for closes in proofs:
        if closes.conjunct is not None and closes.key in (effects.far, effects.near):
            end = nodes.Role.FAR if closes.key is effects.far else nodes.Role.NEAR
            writes = effects.written(closes.name)
            plain = len(writes) == 1 and writes[0].kind is not WriteKind.CAS
            statement = writes[0].statement if plain else None
            return nodes.Closing(effects.operator.span, end, closes.name, closes.conjunct, statement)
    return None


# ---------------------------------------------------------------- what is steady


def shifting(effects: Effects, closes: Closes, write: Write) -> str | None:
    """Why the effect of `write` depends on how many calls still run, in words; None where it is steady."""
    if write.name == closes.name:
        return None
    under_cas = _under_steady_cas(effects, closes, each(write.guard))
    if write.kind is WriteKind.REDUCE and not under_cas:
        once = write.operation in IDEMPOTENT and write.result is None and effects.determined(write.value, closes.key)
        if not once and write.operation in IDEMPOTENT and write.result is None:
            return f"which values `{write.name} {write.form} …` gets depends on the order"
        if not once:
            does = f"join({write.name}, …)" if effects.joins(write.name) else f"{write.name} {write.form} …"
            return f"how often `{does}` runs depends on the order"
    if not effects.determined(write.index, closes.key):
        return f"which elements of `{write.name}` are written depends on the order"
    values_vary = write.kind in (WriteKind.STORE, WriteKind.ANY) and differing_pair(effects, [write]) is not None
    if values_vary and not under_cas:
        return f"which value of `{write.name}` is written depends on the order"
    if not _steady_guards(effects, closes, write.guard, write.name):
        return f"whether `{write.name}` is written depends on the order"
    return None


def _under_steady_cas(effects: Effects, closes: Closes, guards: Iterable[Guard]) -> bool:
    """Whether a statement is under a `cas` at the closing index that has a single winner there."""
    return any(
        (cas := won(effects, guard)) is not None
        and cas.index is closes.key
        and shared_winners(effects, cas) is None
        and not _own_guards(effects, closes, cas)
        for guard in guards
    )


def _own_guards(effects: Effects, closes: Closes, cas: Write) -> list[Guard]:
    """The guards of a `cas` that the closing index does not determine: which calls try it then depends on which run."""
    return [guard for guard in each(cas.guard) if not effects.determined(guard.term, closes.key)]


def _open_guards(effects: Effects, closes: Closes, guard: Guard | None) -> set[tuple[Term, bool]]:
    """The guards that the closing index does not determine, without those of a steady `cas`."""
    return {
        (comparison.term, comparison.expected)
        for comparison in each(guard)
        if not effects.determined(comparison.term, closes.key) and not _under_steady_cas(effects, closes, (comparison,))
    }


def _steady_guards(effects: Effects, closes: Closes, guard: Guard | None, name: str | None) -> bool:
    """Whether a statement under `guard` runs in the same cases, however many calls run: its conditions are determined
    by the key, or are those of every write that closes (then the call that closes does it, too)."""
    left = _open_guards(effects, closes, guard)
    return not left or all(
        _open_guards(effects, closes, write.guard) == left
        for write in effects.written(closes.name)
        if write.name != name
    )


def steady_accept(
    effects: Effects, closes: Closes, term: Term, collected: End, known: dict[Term, bool] | None = None
) -> bool:
    """Whether the accepted elements (`collected` of each call) are the same however many calls run; `known` keeps the
    answers about the parts of `term`."""
    known = {} if known is None else known
    if term is effects.terms.false:
        return True
    if closes.key is not collected:
        return False
    if term not in known:
        known[term] = term.depth <= DEEPEST_PROOF and _steady_accept(effects, closes, term, known)
    return known[term] or effects.determined(term, closes.key)


def _steady_accept(effects: Effects, closes: Closes, term: Term, known: dict[Term, bool]) -> bool:
    """The same where the closing index is that of the element."""

    def steady(part: Term) -> bool:
        assert isinstance(closes.key, End)
        return steady_accept(effects, closes, part, closes.key, known)

    if effects.determined(term, closes.key):
        return True
    write = effects.write_of(term)
    if write is not None:
        return write.kind is WriteKind.CAS and write.index is closes.key and _steady_cas(effects, closes, write)
    if isinstance(term, Operation) and term.operation in (BinaryOperation.AND, BinaryOperation.OR):
        left, right = term.arguments
        one_decided = effects.determined(left, closes.key) or effects.determined(right, closes.key)
        return steady(left) and steady(right) and (term.operation is BinaryOperation.OR or one_decided)
    if not isinstance(term, Choice):
        return False
    if effects.determined(term.condition, closes.key):
        return steady(term.yes) and steady(term.no)
    if term.no is not effects.terms.false or not effects.determined(term.yes, closes.key):
        return False
    guard = Guard(term.condition, True, None, term.condition.depends)
    return _under_steady_cas(effects, closes, (guard,)) or _steady_guards(effects, closes, guard, None)


def _steady_cas(effects: Effects, closes: Closes, cas: Write) -> bool:
    return shared_winners(effects, cas) is None and not _own_guards(effects, closes, cas)


# ---------------------------------------------------------------- the check


def _why_shifting(effects: Effects, closes: Closes, write: Write) -> str | None:
    """The same for all writes: `any=` and statements under `cas` explicitly leave the result to the order."""
    free = write.kind in (WriteKind.ANY, WriteKind.CAS) or any(won(effects, guard) for guard in each(write.guard))
    return None if free else shifting(effects, closes, write)


def check_closing(effects: Effects, proofs: Iterable[Closes], report: Report) -> None:
    """Report what a closing functor may not do: everything that is not steady, except `any=` and statements under
    `cas`."""
    for closes in proofs:
        reasons = [(write, _why_shifting(effects, closes, write)) for write in effects.writes]
        moving = [write for write, reason in reasons if reason is not None]
        for write, reason in reasons:
            if reason is not None:
                in_closing_functor(report, effects, closes, moving, write, reason)
        accept = effects.accept
        if accept is not None and not any(
            steady_accept(effects, closes, accept, end) for end in (effects.far, effects.collected)
        ):
            accept_in_closing(report, effects, _accept_span(effects), closes, _accept_reason(effects, closes))


def _accept_span(effects: Effects) -> Span:
    return effects.accepts[-1] if effects.accepts else effects.operator.span


def _accept_reason(effects: Effects, closes: Closes) -> str:
    if closes.key is not effects.far or isinstance(effects.operator, nodes.Filter):
        return "which elements the calls before it accepted depends on the order"
    return "whether the vertex is accepted depends on which of them ran"
