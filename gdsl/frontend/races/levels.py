"""How far the values of names may differ from run to run, and how that passes through expressions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from gdsl.frontend.races.terms import Apply, Constant
from gdsl.types import ScalarType

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_JUMPING = ("floor", "ceil", "%", "//")


class Level(IntEnum):
    """What all runs of a program agree on."""

    SAME = 0
    """The very value."""
    ROUNDED = 1
    """The value within the tolerance of float sums in another order."""
    DIFFERS = 2
    """Nothing: the result is not unique."""


def decided(level: Level) -> Level:
    """The level of a decision made on a value: a rounding error may turn it."""
    return Level.SAME if level is Level.SAME else Level.DIFFERS


def worst(levels: Iterable[Level]) -> Level:
    """The highest of `levels`; SAME of none."""
    return max(levels, default=Level.SAME)


def of_operation(operation: str, kind: ScalarType | None, arguments: list[Level]) -> Level:
    """The level of an operation's result of type `kind`."""
    highest = worst(arguments)
    if operation == "?:":
        return max(decided(arguments[0]), worst(arguments[1:]))
    if operation in _JUMPING or kind is None or not kind.is_float:
        return decided(highest)
    return highest


@dataclass
class State:
    """The level of every array, scalar and frontier at one place of the schedule.

    `marks` has that of the question whether an element still is the array's initial constant: which vertices have a
    parent may be certain where the parents are not.
    """

    values: dict[str, Level] = field(default_factory=dict)
    marks: dict[str, Level] = field(default_factory=dict)

    def copy(self) -> State:
        """An independent copy."""
        return State(dict(self.values), dict(self.marks))

    def value(self, name: str) -> Level:
        """The level of a name's values."""
        return self.values.get(name, Level.SAME)

    def mark(self, name: str) -> Level:
        """The level of being the initial constant."""
        return self.marks.get(name, Level.SAME)

    def set(self, name: str, value: Level, mark: Level | None = None) -> None:
        """Give a name another level; its mark's is that of its value if not given."""
        self.values[name] = value
        self.marks[name] = decided(value) if mark is None else mark

    def raise_to(self, name: str, value: Level, mark: Level) -> None:
        """Give a name at least these levels."""
        self.set(name, max(self.value(name), value), max(self.mark(name), mark))

    def join(self, other: State) -> None:
        """Take the higher level of both states for every name."""
        for name in other.values.keys() | self.values.keys():
            self.raise_to(name, other.value(name), other.mark(name))


def test_of_constant(term: Apply) -> Constant | None:
    """The constant that a term compares its first or second operand with for equality."""
    if term.operation not in ("==", "!="):
        return None
    return next((part for part in reversed(term.arguments) if isinstance(part, Constant)), None)
