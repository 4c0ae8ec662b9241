"""Atoms: where values come from.

Every term carries the set of atoms that it may have been computed from, by data or by control. A set is the bits of one
int, so that uniting two is cheap however long the program is. What is not known to be made of other things is an atom
of its own; so nothing can be left out of a set, only too much be in it.
"""

from __future__ import annotations

from typing import TypeAlias

from gdsl.ir.nodes import Role
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class OfEnd:
    """The vertex or edge that the call was made for, or an end of the edge. `other`: of another call."""

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
    """What a local holds when a round of a loop begins, or whether the loop has been left: stands for other atoms,
    which are known once the whole loop has been seen."""

    number: int


@dataclass(frozen=True, slots=True)
class OfArgument:
    """A parameter of a function, while the function is looked at by itself."""

    position: int


@dataclass(frozen=True, slots=True)
class OfUnseen:
    """A form of the IR that this room does not know: it may be anything, each time."""

    number: int


Atom: TypeAlias = (
    OfEnd | OfPlace | OfPass | OfData | OfFrontier | OfRead | OfResult | OfRound | OfCarried | OfArgument | OfUnseen
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
        found = self._bits.get(atom)
        if found is None:
            found = self._bits[atom] = 1 << len(self._atoms)
            self._atoms.append(atom)
        return found

    def carried(self, number: int) -> int:
        """A new atom whose meaning `settle` gives later."""
        made = self.bit(OfCarried(number))
        self._carried |= made
        return made

    def settle(self, meanings: dict[int, int]) -> None:
        """Say what carried atoms stand for: the sets may name each other (the atoms of one loop do)."""
        sets = {bit: self.closure(meaning) for bit, meaning in meanings.items()}
        own = 0
        for bit in sets:
            own |= bit
        changed = True
        while changed:
            changed = False
            for bit, found in sets.items():
                grown = found
                rest = found & own
                while rest:
                    lowest = rest & -rest
                    grown |= sets[lowest]
                    rest ^= lowest
                changed |= grown != found
                sets[bit] = grown
        for bit, found in sets.items():
            self._stands_for[bit] = found & ~own
        self._closures.clear()

    def closure(self, atoms: int) -> int:
        """`atoms` with what the carried ones among them stand for in their place (those not settled yet stay)."""
        rest = atoms & self._carried
        if not rest:
            return atoms
        known = self._closures.get(atoms)
        if known is not None:
            return known
        found, seen = atoms, 0
        while rest := found & self._carried & ~seen:
            lowest = rest & -rest
            seen |= lowest
            if lowest in self._stands_for:
                found = (found & ~lowest) | self._stands_for[lowest]
        self._closures[atoms] = found
        return found

    def members(self, atoms: int) -> list[Atom]:
        """The atoms of a set."""
        rest = self.closure(atoms)
        found = []
        while rest:
            lowest = rest & -rest
            found.append(self._atoms[lowest.bit_length() - 1])
            rest ^= lowest
        return found

    def __len__(self) -> int:
        return len(self._atoms)

    def all(self) -> list[tuple[Atom, int]]:
        """Every atom with its bit."""
        return [(atom, 1 << place) for place, atom in enumerate(self._atoms)]
