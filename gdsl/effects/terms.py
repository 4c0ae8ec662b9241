"""Terms stand for the values inside one call of a functor, and atoms for where values come from.

A term denotes a value at the moment it was computed, so locals are replaced by what they hold. Terms are shared:
`term_factory.Terms` creates each one once, so equal terms are the same object, comparing them costs nothing, and a
program's terms are hardly larger than its text. Two terms that are not the same object may still have the same value.

Reads of data that the operator writes carry a number each, because two of them may see different values; all other
reads of one element give one value and are one term.

Every term carries the set of atoms that it may have been computed from, by data or by control. A set is the bits of one
int, so that unions are cheap however long the program is. A value of unknown origin is an atom of its own, so a set
may have too many atoms but never lacks one.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

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
    """The vertex or edge that the call is for, or an end of the edge. `other`: of another call at the same element."""

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

    @property
    def data(self) -> str:
        """The name of what is read."""
        return self.array


@dataclass(frozen=True, slots=True, eq=False)
class ScalarTerm(Term):
    """A scalar; `read` as in `ElementTerm`."""

    name: str
    read: int

    @property
    def data(self) -> str:
        """The name of what is read."""
        return self.name


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
    """The result of a function that is not expanded: the same for the same arguments."""

    function: str
    arguments: tuple[Term, ...]


SLOT = "[]"
"""The function that computes the index of one of several values from an element and a place; not a name of any
program."""


def split(index: Term) -> tuple[Term, ...]:
    """The element that an index names, followed by the place where it has several values."""
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
    """A value about which only `depends` is known. `name` is what the program calls it."""

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
    """All terms inside `roots`, each once, outer terms before inner ones."""
    seen = set(roots)
    unique = list(dict.fromkeys(roots))
    for term in unique:
        for part in parts(term):
            if part not in seen:
                seen.add(part)
                unique.append(part)
    return unique


DEEPEST_PROOF = 120
"""Proofs look into terms that are nested no deeper; of a deeper one nothing is shown."""


@dataclass(frozen=True, slots=True)
class OfEnd:
    """The vertex or edge that the call is for, or an end of the edge. `other`: of another call."""

    role: Role
    other: bool


@dataclass(frozen=True, slots=True)
class OfPlace:
    """`place`, which the edge decides. `other`: of another call."""

    other: bool


@dataclass(frozen=True, slots=True)
class OfPass:
    """`iteration`: one value for all calls of an operator, another in the next pass."""


@dataclass(frozen=True, slots=True)
class OfData:
    """The elements of an array, or a scalar, that the operator does not write."""

    name: str


@dataclass(frozen=True, slots=True)
class OfRoots:
    """The roots to which the labels in an array lead that the operator does not write."""

    name: str


@dataclass(frozen=True, slots=True)
class OfFrontier:
    """The size of a frontier, or whether it has any members (`emptiness`); in the schedule only."""

    name: str
    emptiness: bool


@dataclass(frozen=True, slots=True)
class OfRead:
    """Read number `number` of something that the operator writes: each may see another value."""

    number: int


@dataclass(frozen=True, slots=True)
class OfResult:
    """What the update or `cas` that is write number `number` gave."""

    number: int


@dataclass(frozen=True, slots=True)
class OfRound:
    """How often the body of loop number `number` of the functor has run: loop variables, and what it carries on."""

    number: int


@dataclass(frozen=True, slots=True)
class OfCarried:
    """The value of a local when an iteration of a loop begins, or whether the loop has been left: a placeholder for
    other atoms, which are known once the whole loop has been analyzed."""

    number: int


@dataclass(frozen=True, slots=True)
class OfArgument:
    """A parameter of a function during the analysis of that function."""

    position: int


@dataclass(frozen=True, slots=True)
class OfUnseen:
    """A form of the IR that this room does not know: it may be anything, each time."""

    number: int


Atom: TypeAlias = (
    OfEnd
    | OfPlace
    | OfPass
    | OfData
    | OfRoots
    | OfFrontier
    | OfRead
    | OfResult
    | OfRound
    | OfCarried
    | OfArgument
    | OfUnseen
)


class Atoms:
    """The atoms of one operator, each with its bit."""

    def __init__(self) -> None:
        self._bits: dict[Atom, int] = {}
        self._atoms: list[Atom] = []
        self._stands_for: dict[int, int] = {}
        self._carried = 0
        self._closures: dict[int, int] = {}

    def bit(self, atom: Atom) -> int:
        """The set of this one atom."""
        bit = self._bits.get(atom)
        if bit is None:
            bit = self._bits[atom] = 1 << len(self._atoms)
            self._atoms.append(atom)
        return bit

    def carried(self, number: int) -> int:
        """A new atom whose meaning `settle` defines later."""
        bit = self.bit(OfCarried(number))
        self._carried |= bit
        return bit

    def settle(self, meanings: dict[int, int]) -> None:
        """Define carried atoms. The sets may contain each other (the atoms of one loop do)."""
        sets = {bit: self.closure(meaning) for bit, meaning in meanings.items()}
        own = 0
        for bit in sets:
            own |= bit
        changed = True
        while changed:
            changed = False
            for bit, truths in sets.items():
                grown = truths
                rest = truths & own
                while rest:
                    lowest = rest & -rest
                    grown |= sets[lowest]
                    rest ^= lowest
                changed |= grown != truths
                sets[bit] = grown
        for bit, truths in sets.items():
            self._stands_for[bit] = truths & ~own
        self._closures.clear()

    def closure(self, atoms: int) -> int:
        """`atoms` with carried ones replaced by their definitions (those not settled yet stay)."""
        rest = atoms & self._carried
        if not rest:
            return atoms
        closure = self._closures.get(atoms)
        if closure is not None:
            return closure
        closed, seen = atoms, 0
        while rest := closed & self._carried & ~seen:
            lowest = rest & -rest
            seen |= lowest
            if lowest in self._stands_for:
                closed = (closed & ~lowest) | self._stands_for[lowest]
        self._closures[atoms] = closed
        return closed

    def members(self, atoms: int) -> list[Atom]:
        """The atoms of a set."""
        rest = self.closure(atoms)
        members = []
        while rest:
            lowest = rest & -rest
            members.append(self._atoms[lowest.bit_length() - 1])
            rest ^= lowest
        return members

    def __len__(self) -> int:
        return len(self._atoms)

    def all(self) -> list[tuple[Atom, int]]:
        """Every atom with its bit."""
        return [(atom, 1 << place) for place, atom in enumerate(self._atoms)]
