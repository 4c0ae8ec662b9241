"""Values inside one call of a functor, as terms: what a local or an expression stands for.

A term denotes a value at the moment it was computed, so locals are replaced by what they hold. Terms are shared:
`making.Terms` makes each one once, so that equal terms are the same object, comparing them costs nothing, and a
program's terms are hardly more than its text. Two terms that are not the same object may still have the same value.

Reads of data that the operator writes carry a number each, because two of them may see different values; all other
reads of one element give one value and are one term.
"""

from __future__ import annotations

from enum import Enum

from gdsl.ir.nodes import Role
from gdsl.operations import BinaryOperation, Builtin, Degree, Domain, UnaryOperation
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A value of one type. `depends` is the set of atoms it may come from; `depth` how deeply it is nested."""

    type: Type
    depends: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Term):
    """A literal; `value` None is `none`."""

    value: bool | int | float | None


@dataclass(frozen=True, slots=True, eq=False)
class ParamTerm(Term):
    """A param of the program."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class PassTerm(Term):
    """`iteration`."""


@dataclass(frozen=True, slots=True, eq=False)
class CountTerm(Term):
    """`num_vertices`, `num_edges`."""

    domain: Domain


@dataclass(frozen=True, slots=True, eq=False)
class End(Term):
    """The vertex or edge that the call was made for, or an end of the edge. `other`: of another call at the same
    element."""

    role: Role
    other: bool


@dataclass(frozen=True, slots=True, eq=False)
class PlaceTerm(Term):
    """`place`."""

    other: bool


@dataclass(frozen=True, slots=True, eq=False)
class ElementTerm(Term):
    """`array[index]`. `read` is 0 where the operator does not write the array, else the number of the read."""

    array: str
    index: Term
    read: int


@dataclass(frozen=True, slots=True, eq=False)
class ScalarTerm(Term):
    """A scalar; `read` as in `ElementTerm`."""

    name: str
    read: int


@dataclass(frozen=True, slots=True, eq=False)
class DegreeTerm(Term):
    """`out_degree(vertex)`, `in_degree(vertex)`."""

    degree: Degree
    vertex: Term


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Term):
    """A pure operation of the language on one value or more."""

    operation: UnaryOperation | BinaryOperation | Builtin
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Term):
    """`condition ? yes : no`."""

    condition: Term
    yes: Term
    no: Term


@dataclass(frozen=True, slots=True, eq=False)
class Conversion(Term):
    """A change of type."""

    operand: Term


@dataclass(frozen=True, slots=True, eq=False)
class PairTerm(Term):
    """`(first, second)`."""

    first: Term
    second: Term


@dataclass(frozen=True, slots=True, eq=False)
class PartTerm(Term):
    """`pair.0` or `pair.1`, as `place` says, of a pair that is not known by its parts."""

    pair: Term
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTerm(Term):
    """What a function that is not looked into gives for these arguments: the same for the same arguments."""

    function: str
    arguments: tuple[Term, ...]


SLOT = "[]"
"""The function that makes of an element and a place the index of one of several values; no program has such a name."""


def split(index: Term) -> tuple[Term, ...]:
    """The element that an index names, and behind it which of its values where it has several."""
    return index.arguments if isinstance(index, FunctionTerm) and index.function == SLOT else (index,)


class Origin(Enum):
    """What is known of an unknown."""

    RESULT = "the result of an update"
    LOOP_VARIABLE = "a loop variable"
    CARRIED = "a local when a round of a loop begins"
    LEFT = "a local when a loop has ended"
    RUNNING = "whether a loop has been left by `break`"
    ARGUMENT = "a parameter of a function"
    OTHERS = "a value of another call"
    UNSEEN = "a form of the IR that this room does not know"


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Term):
    """A value of which only `depends` is known. `name` is what the program calls it."""

    origin: Origin
    name: str
    number: int


def parts(term: Term) -> tuple[Term, ...]:
    """The terms directly inside `term`."""
    if isinstance(term, Operation | FunctionTerm):
        return term.arguments
    if isinstance(term, Choice):
        return (term.condition, term.yes, term.no)
    if isinstance(term, Conversion):
        return (term.operand,)
    if isinstance(term, PairTerm):
        return (term.first, term.second)
    if isinstance(term, PartTerm):
        return (term.pair,)
    if isinstance(term, ElementTerm):
        return (term.index,)
    return (term.vertex,) if isinstance(term, DegreeTerm) else ()


def inside(*roots: Term) -> list[Term]:
    """All terms that `roots` are made of, each once, the outer before the inner."""
    seen = set(roots)
    found = list(dict.fromkeys(roots))
    for term in found:
        for part in parts(term):
            if part not in seen:
                seen.add(part)
                found.append(part)
    return found


DEEPEST_PROOF = 120
"""Proofs look into terms that are nested no deeper; of a deeper one nothing is shown."""
