"""Levels: the grade of a name at one place of the schedule, with the reason where it is the worst."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gdsl.ir.nodes import Doubt
from gdsl.operations import Grade
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class Level:
    """A grade; `doubt` says why it is NOT_UNIQUE, `rounded` that this is for decisions on float sums alone, `chosen`
    that it is for what a run may choose freely, the worst of all reasons: no result may hang on that."""

    grade: Grade
    doubt: Doubt | None = field(default=None, compare=False)
    rounded: bool = False
    chosen: bool = False

    @property
    def exact(self) -> bool:
        """Whether all runs agree."""
        return self.grade is Grade.EXACT

    @property
    def badness(self) -> tuple[int, bool, bool]:
        """What makes one level worse than another."""
        return self.grade.rank, not self.rounded, self.chosen


EXACT = Level(Grade.EXACT)
ROUNDING = Level(Grade.ROUNDING)
CONVERGED = Level(Grade.CONVERGED)


def not_unique(span: Span, reason: str) -> Level:
    """The worst level."""
    return Level(Grade.NOT_UNIQUE, Doubt(span, reason))


def chosen(span: Span, reason: str) -> Level:
    """The level of what a run may choose freely."""
    return Level(Grade.NOT_UNIQUE, Doubt(span, reason), chosen=True)


def worst(levels: Iterable[Level]) -> Level:
    """The worst of `levels`, the first of several; EXACT of none."""
    found = EXACT
    for level in levels:
        if level.badness > found.badness:
            found = level
    return found


def decided(level: Level, span: Span, reason: str = "a decision depends on a float sum") -> Level:
    """The level of a decision made on a value: a rounding error may turn it, of which `reason` tells."""
    if level.grade in (Grade.EXACT, Grade.NOT_UNIQUE):
        return level
    return Level(Grade.NOT_UNIQUE, Doubt(span, reason), rounded=True)


def of_passes(level: Level) -> Level:
    """The level of what a loop changes whose end is decided on a value of `level`: float sums may only make it a pass
    longer or shorter."""
    return CONVERGED if level.grade is Grade.ROUNDING or level.rounded else level


def _keep(levels: dict[str, Level], name: str, level: Level) -> None:
    """Give `name` a level; EXACT ones are not named, so that a loop costs no more for all the data it leaves alone."""
    if level.exact:
        levels.pop(name, None)
    else:
        levels[name] = level


@dataclass
class State:
    """The level of all data and frontiers at one place of the schedule; what is not named is EXACT.

    `marks` has that of the question whether an element still is the array's initial constant: which vertices have a
    parent may be certain where the parents are not. `far_ends` has that of the set of far ends of an edge frontier,
    which also says whether it is empty: which vertices were reached may be certain where the edges are not. `certain`
    are the scalars that are true (false) for certain, `compressed` the label arrays in which every label is a root for
    certain (see `labels`).
    """

    values: dict[str, Level] = field(default_factory=dict)
    marks: dict[str, Level] = field(default_factory=dict)
    frontiers: dict[str, Level] = field(default_factory=dict)
    far_ends: dict[str, Level] = field(default_factory=dict)
    certain: frozenset[tuple[str, bool]] = frozenset()
    compressed: frozenset[str] = frozenset()

    def copy(self) -> State:
        """An independent copy."""
        values, marks = dict(self.values), dict(self.marks)
        frontiers, far_ends = dict(self.frontiers), dict(self.far_ends)
        return State(values, marks, frontiers, far_ends, self.certain, self.compressed)

    def value(self, name: str) -> Level:
        """The level of a name's values."""
        return self.values.get(name, EXACT)

    def mark(self, name: str) -> Level:
        """The level of being the initial constant."""
        return self.marks.get(name, EXACT)

    def frontier(self, name: str) -> Level:
        """The level of a frontier's members."""
        return self.frontiers.get(name, EXACT)

    def reached(self, name: str) -> Level:
        """The level of the far ends of an edge frontier, and of whether a frontier is empty."""
        return self.far_ends.get(name, EXACT)

    def define(self, name: str, members: Level, far_ends: Level) -> None:
        """Give a frontier another level; one of vertices has the same for both."""
        _keep(self.frontiers, name, members)
        _keep(self.far_ends, name, EXACT if members.exact else far_ends)

    def spoil(self, name: str, level: Level) -> None:
        """Give a frontier at least this level."""
        self.define(name, worst((self.frontier(name), level)), worst((self.reached(name), level)))

    def set(self, name: str, value: Level, mark: Level) -> None:
        """Give data another level."""
        _keep(self.values, name, value)
        _keep(self.marks, name, mark)

    def raise_to(self, name: str, value: Level, mark: Level) -> bool:
        """Give data at least these levels; whether that changed something."""
        before = self.value(name), self.mark(name)
        self.set(name, worst((before[0], value)), worst((before[1], mark)))
        return before != (self.value(name), self.mark(name))

    def forget(self, name: str) -> None:
        """Data has been written: what was certain about it is not any more."""
        self.certain -= {(name, True), (name, False)}
        self.compressed -= {name}

    def join(self, other: State) -> None:
        """Take the worse level of both states for every name."""
        for name in other.values.keys() | self.values.keys() | other.marks.keys() | self.marks.keys():
            self.raise_to(name, other.value(name), other.mark(name))
        far_ends = other.far_ends.keys() | self.far_ends.keys()
        for name in other.frontiers.keys() | self.frontiers.keys() | far_ends:
            reached = worst((self.reached(name), other.reached(name)))
            self.define(name, worst((self.frontier(name), other.frontier(name))), reached)
        self.certain &= other.certain
        self.compressed &= other.compressed

    def key(self) -> object:
        """Equal for states that say the same."""
        groups = (self.values, self.marks, self.frontiers, self.far_ends)
        return (
            *(frozenset((name, level.badness) for name, level in group.items() if not level.exact) for group in groups),
            self.certain,
            self.compressed,
        )
