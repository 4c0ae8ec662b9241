"""Values inside one call of a functor, as terms: what a name, a local or an expression stands for.

A term denotes a value at the moment it was computed, so locals are replaced by what they hold. Reads of arrays that the
operator writes carry a number each, because two of them may see different values; all other reads of the same element
give the same value and are equal terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.frontend.syntax import SymbolKind
from gdsl.operations import Degree
from gdsl.types import ScalarType


@dataclass(frozen=True, slots=True)
class Term:
    """A value of one type (None: unknown to the checker)."""

    type: ScalarType | None


@dataclass(frozen=True, slots=True)
class Constant(Term):
    """A literal; `value` None is `none`."""

    value: bool | int | float | None


@dataclass(frozen=True, slots=True)
class Uniform(Term):
    """What is the same for all calls of an operator: a param, `iteration`, `num_vertices`, `num_edges`."""

    name: str
    is_param: bool = False


@dataclass(frozen=True, slots=True)
class End(Term):
    """The vertex or edge that the call was made for, or an end of the edge: `role` is a functor parameter's kind."""

    role: SymbolKind


@dataclass(frozen=True, slots=True)
class Place(Term):
    """`place`, which the edge decides."""


@dataclass(frozen=True, slots=True)
class Element(Term):
    """`array[index]`. `read` is 0 where the operator does not write the array, else the number of the read."""

    array: str
    index: Term
    now: bool
    read: int


@dataclass(frozen=True, slots=True)
class ScalarRead(Term):
    """A scalar; `read` as in `Element`."""

    name: str
    now: bool
    read: int


@dataclass(frozen=True, slots=True)
class DegreeOf(Term):
    """`out_degree(vertex)`, `in_degree(vertex)`."""

    degree: Degree
    vertex: Term


@dataclass(frozen=True, slots=True)
class Apply(Term):
    """A pure operation: `operation` is its spelling (`convert`, `?:`, a built-in or a function's name too)."""

    operation: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Unknown(Term):
    """A value that is known by its origin only: the result of an update, a loop variable, a local changed in a loop.

    `number` names it within one operator; `Calls.sources` has what it was made from. `after_loop`: what a local holds
    once its loop has ended, as opposed to the changing value inside.
    """

    name: str
    number: int
    after_loop: bool = False


UNIT = Constant(None, 0)
"""The index of a scalar: there is one element."""

PLACEHOLDER = Constant(None, None)
"""Stands for the index when the stores of two calls are compared."""


def parts(term: Term) -> tuple[Term, ...]:
    """The terms directly inside `term`."""
    if isinstance(term, Element):
        return (term.index,)
    if isinstance(term, DegreeOf):
        return (term.vertex,)
    if isinstance(term, Apply):
        return term.arguments
    return ()


def inside(term: Term) -> Iterator[Term]:
    """`term` and all terms in it."""
    stack = [term]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(parts(current))


def size(term: Term, limit: int) -> int:
    """How many terms `term` is made of, counted up to `limit`."""
    count = 0
    for _ in inside(term):
        count += 1
        if count >= limit:
            break
    return count


def replace(term: Term, old: Term, new: Term) -> Term:
    """`term` with `new` in place of every `old`."""
    if term == old:
        return new
    if isinstance(term, Element):
        return Element(term.type, term.array, replace(term.index, old, new), term.now, term.read)
    if isinstance(term, DegreeOf):
        return DegreeOf(term.type, term.degree, replace(term.vertex, old, new))
    if isinstance(term, Apply):
        return Apply(term.type, term.operation, tuple(replace(part, old, new) for part in term.arguments))
    return term


def replace_element(term: Term, array: str, index: Term, new: Term) -> Term:
    """`term` with `new` in place of every read of `array[index]`, or of the scalar `array` where `index` is UNIT."""
    if isinstance(term, Element):
        if term.array == array and term.index == index:
            return new
        return Element(term.type, term.array, replace_element(term.index, array, index, new), term.now, term.read)
    if isinstance(term, ScalarRead):
        return new if term.name == array and index == UNIT else term
    if isinstance(term, DegreeOf):
        return DegreeOf(term.type, term.degree, replace_element(term.vertex, array, index, new))
    if isinstance(term, Apply):
        changed = tuple(replace_element(part, array, index, new) for part in term.arguments)
        return Apply(term.type, term.operation, changed)
    return term
