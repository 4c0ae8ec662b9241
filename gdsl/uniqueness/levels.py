"""Levels: the grade of a name at one place of the schedule, with the reason where it is the worst."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gdsl.ir.nodes import Doubt
from gdsl.operations import Grade
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class Level:
    """A grade; `doubt` says why it is not EXACT. `by_rounding`: only because of decisions on float sums. `by_choice`:
    because of a free choice of the run, the worst of all reasons, since no result may depend on it."""

    grade: Grade
    doubt: Doubt | None = field(default=None, compare=False)
    by_rounding: bool = False
    by_choice: bool = False

    @property
    def exact(self) -> bool:
        """Whether all runs agree."""
        return self.grade is Grade.EXACT

    @property
    def severity(self) -> tuple[int, bool, bool]:
        """The order of levels, from best to worst."""
        return self.grade.rank, not self.by_rounding, self.by_choice


EXACT = Level(Grade.EXACT)


def rounding(span: Span) -> Level:
    """The level of a sum of floats that is computed at `span`."""
    return Level(Grade.ROUNDING, Doubt(span, "floats are added in any order"))


def not_unique(span: Span, reason: str) -> Level:
    """The worst level: results may differ between runs, for the `reason` at `span`."""
    return Level(Grade.NOT_UNIQUE, Doubt(span, reason))


def free_choice(span: Span, reason: str) -> Level:
    """The level of a free choice of the run."""
    return Level(Grade.NOT_UNIQUE, Doubt(span, reason), by_choice=True)


def worst(levels: Iterable[Level]) -> Level:
    """The worst of `levels`, the first one among equals; EXACT without any."""
    worst = EXACT
    for level in levels:
        if level.severity > worst.severity:
            worst = level
    return worst


def decision_level(level: Level, span: Span, reason: str = "a decision depends on a float sum") -> Level:
    """The level of a decision on a value of `level`: a rounding error may change it, for `reason`."""
    if level.grade in (Grade.EXACT, Grade.NOT_UNIQUE):
        return level
    return Level(Grade.NOT_UNIQUE, Doubt(span, reason), by_rounding=True)


def of_passes(level: Level, span: Span) -> Level:
    """The level of what a loop changes if its end, at `span`, is decided on a value of `level`: float sums only add or
    save a pass."""
    if level.grade is not Grade.ROUNDING and not level.by_rounding:
        return level
    return Level(Grade.CONVERGED, Doubt(span, "a float sum decides when a loop ends"))


def _keep(levels: dict[str, Level], name: str, level: Level) -> None:
    """Set a level. EXACT ones are not stored, so that a loop does not pay for the data that it leaves alone."""
    if level.exact:
        levels.pop(name, None)
    else:
        levels[name] = level


@dataclass
class State:
    """The level of all data and frontiers at one place of the schedule; names that are missing are EXACT.

    `marks` has the level of whether an element still is the array's initial constant: which vertices have a parent may
    be certain where the parents are not. `far_ends` has the level of the set of far ends of an edge frontier, and of
    whether it is empty: which vertices were reached may be certain where the edges are not. `certain` has the scalars
    that are certainly true (false), and `compressed` the label arrays in which every label is certainly a root (see
    `labels`). `partitions` has the level of the sets that labels form, which `join` decides: labels that differ from
    run to run may lead to the same roots. Of other arrays the level of these is that of the values.
    """

    values: dict[str, Level] = field(default_factory=dict)
    marks: dict[str, Level] = field(default_factory=dict)
    frontiers: dict[str, Level] = field(default_factory=dict)
    far_ends: dict[str, Level] = field(default_factory=dict)
    certain: frozenset[tuple[str, bool]] = frozenset()
    compressed: frozenset[str] = frozenset()
    partitions: dict[str, Level] = field(default_factory=dict)

    def copy(self) -> State:
        """An independent copy."""
        values, marks = dict(self.values), dict(self.marks)
        frontiers, far_ends = dict(self.frontiers), dict(self.far_ends)
        return State(values, marks, frontiers, far_ends, self.certain, self.compressed, dict(self.partitions))

    def value(self, name: str) -> Level:
        """The level of a name's values."""
        return self.values.get(name, EXACT)

    def roots(self, name: str) -> Level:
        """The level of the roots to which labels lead."""
        return self.partitions.get(name, self.value(name))

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
        """Set the levels of a frontier; for one of vertices both are the same."""
        _keep(self.frontiers, name, members)
        _keep(self.far_ends, name, EXACT if members.exact else far_ends)

    def worsen_frontier(self, name: str, level: Level) -> None:
        """Raise the levels of a frontier to at least this one."""
        self.define(name, worst((self.frontier(name), level)), worst((self.reached(name), level)))

    def set(self, name: str, value: Level, mark: Level) -> None:
        """Set the levels of data."""
        _keep(self.values, name, value)
        _keep(self.marks, name, mark)

    def write(self, name: str, value: Level, span: Span) -> None:
        """Set the levels of data that is written at `span`; being the initial constant is a decision on the value."""
        self.forget(name)
        self.set(name, value, decision_level(value, span))

    def raise_to(self, name: str, value: Level, mark: Level) -> bool:
        """Raise the levels of data to at least these; returns whether that changed something."""
        before = self.value(name), self.mark(name)
        self.set(name, worst((before[0], value)), worst((before[1], mark)))
        return before != (self.value(name), self.mark(name))

    def forget(self, name: str) -> None:
        """Forget what is certain about data that has been written."""
        self.certain -= {(name, True), (name, False)}
        self.compressed -= {name}
        self.partitions.pop(name, None)

    def join(self, other: State) -> None:
        """Take the worse level of both states for every name."""
        joined = self.partitions.keys() | other.partitions.keys()
        self.partitions = {name: worst((self.roots(name), other.roots(name))) for name in joined}
        for name in other.values.keys() | self.values.keys() | other.marks.keys() | self.marks.keys():
            self.raise_to(name, other.value(name), other.mark(name))
        far_ends = other.far_ends.keys() | self.far_ends.keys()
        for name in other.frontiers.keys() | self.frontiers.keys() | far_ends:
            reached = worst((self.reached(name), other.reached(name)))
            self.define(name, worst((self.frontier(name), other.frontier(name))), reached)
        self.certain &= other.certain
        self.compressed &= other.compressed

    def key(self) -> object:
        """A key that is equal for equal states."""
        groups = (self.values, self.marks, self.frontiers, self.far_ends)
        return (
            *(
                frozenset((name, level.severity) for name, level in group.items() if not level.exact)
                for group in groups
            ),
            self.certain,
            self.compressed,
            frozenset((name, level.severity) for name, level in self.partitions.items()),
        )
