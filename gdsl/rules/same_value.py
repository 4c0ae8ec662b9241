"""Rule 2 of *Writes*: whether all stores put the same value into an element.

A store becomes a function of the index: a value, under the conditions that the index determines. Two stores agree where
their functions do; a condition that the index does not determine may hold for any call and is omitted. Whichever calls
store, in whichever order, an element ends with one value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from gdsl.effects.summary import Effects, Write, each
from gdsl.effects.terms import DEEPEST_PROOF, Constant, Operation, Term, split
from gdsl.operations import BinaryOperation
from gdsl.types import Type

_MOST_DECISIONS = 64
"""A function of the index that decides more often is not followed."""


@dataclass(frozen=True, slots=True)
class _Decision:
    """What is stored depends on a condition that the index decides."""

    condition: Term
    yes: Stored
    no: Stored


Stored: TypeAlias = Term | _Decision | None
"""What is stored, as a function of the index: a value, a decision, or nothing."""


class _Differ(Exception):  # noqa: N818 - not an error
    """Two stores may put different values into one element."""


def differing_pair(effects: Effects, stores: Iterable[Write]) -> tuple[Write, Write] | None:
    """Two stores (or one twice) that may put different values into one element; None where rule 2 holds."""
    stored: Stored = None
    seen: list[Write] = []
    for store in stores:
        if not effects.determined(store.value, store.index):
            return store, store
        try:
            stored = _merged(stored, _stored_value(effects, store), 0)
        except _Differ:
            return seen[0], store
        seen.append(store)
    return None


def _stored_value(effects: Effects, store: Write) -> Stored:
    """The value of `store`, under those of its conditions that the index determines."""
    stored: Stored = _of_index(effects, store.value, store.index)
    for guard in each(store.guard):
        if effects.determined(guard.term, store.index):
            term, expected = _in_one_form(effects, guard.term, guard.expected)
            condition = _of_index(effects, term, store.index)
            stored = _Decision(condition, stored, None) if expected else _otherwise(condition, stored)
    return stored


def _otherwise(condition: Term, stored: Stored) -> Stored:
    """`stored` where `condition` does not hold."""
    excluded = isinstance(stored, _Decision) and stored.no is None and _exclude(condition, stored.condition)
    return stored if excluded else _Decision(condition, None, stored)


def _in_one_form(effects: Effects, term: Term, expected: bool) -> tuple[Term, bool]:
    """A comparison as `==` or `<`, and what it must be then: `b <= 0` is that `0 < b` does not hold (but for NaN)."""
    if not isinstance(term, Operation) or len(term.arguments) != 2:
        return term, expected
    left, right = term.arguments
    if term.operation is BinaryOperation.NOT_EQUAL:
        return effects.terms.operation(Type.BOOL, BinaryOperation.EQUAL, left, right), not expected
    if term.operation is BinaryOperation.GREATER:
        return effects.terms.operation(Type.BOOL, BinaryOperation.LESS, right, left), expected
    if left.type.holds_float:
        return term, expected
    if term.operation is BinaryOperation.GREATER_EQUAL:
        return effects.terms.operation(Type.BOOL, BinaryOperation.LESS, left, right), not expected
    if term.operation is BinaryOperation.LESS_EQUAL:
        return effects.terms.operation(Type.BOOL, BinaryOperation.LESS, right, left), not expected
    return term, expected


def _of_index(effects: Effects, term: Term, index: Term) -> Term:
    """`term` with a placeholder for the index, so that it can be compared with that of a store at another index. A term
    that is nested too deeply is not changed, so it only equals itself."""
    if term.depth > DEEPEST_PROOF:
        return term
    element, *place = split(index)
    term = effects.terms.replace(term, index, effects.terms.placeholder)
    if not place:
        return term
    # A place that is the same for all calls stays, so that stores at two of them can be compared.
    term = effects.terms.replace(term, element, effects.terms.placeholder_of_element)
    return term if effects.uniform(place[0]) else effects.terms.replace(term, place[0], effects.terms.placeholder)


def _merged(one: Stored, other: Stored, depth: int) -> Stored:
    """What both store, where they never store different values at one index."""
    if one is None or one is other:
        return other
    if other is None:
        return one
    if isinstance(one, _Decision) and isinstance(other, _Decision) and depth < _MOST_DECISIONS:
        if one.condition is other.condition:
            yes, no = _merged(one.yes, other.yes, depth + 1), _merged(one.no, other.no, depth + 1)
            return _Decision(one.condition, yes, no)
        if other.no is None and _exclude(one.condition, other.condition):
            return _Decision(one.condition, one.yes, _merged(one.no, other, depth + 1))
    only = _only(one)
    if only is None or only is not _only(other):
        raise _Differ
    return only


def _exclude(one: Term, other: Term) -> bool:
    """Whether two conditions never hold together: they ask one value for different constants."""
    if not (isinstance(one, Operation) and isinstance(other, Operation)):
        return False
    if one.operation is not BinaryOperation.EQUAL or other.operation is not BinaryOperation.EQUAL:
        return False
    (value, constant), (other_value, other_constant) = one.arguments, other.arguments
    if value is not other_value or not (isinstance(constant, Constant) and isinstance(other_constant, Constant)):
        return False
    return constant.value != other_constant.value


def _only(stored: Stored) -> Term | None:
    """The one value that is stored wherever something is; None where there are several."""
    waiting, terms = [stored], set[Term]()
    while waiting:
        part = waiting.pop()
        if isinstance(part, _Decision):
            waiting.extend((part.yes, part.no))
        elif part is not None:
            terms.add(part)
    return terms.pop() if len(terms) == 1 else None
