"""Steps between sets and data that run no functor, such as those of a history.

What one needs to remember lies in arrays and scalars of the program that only these steps and the lowering name. Each
says itself what it asks for and what it changes, so that whoever places barriers, shares storage or follows grades need
not know the kinds.
"""

from __future__ import annotations

from gdsl.ir.expressions import Node
from gdsl.ir.operators import Elements, Step
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class SetStep(Step):
    """A step that takes members out of a frontier into data, or out of data into a frontier."""

    @property
    def asks(self) -> tuple[str, ...]:
        """The frontiers whose members it asks for."""
        return ()

    @property
    def makes(self) -> str | None:
        """The frontier that it gives new members."""
        return None

    @property
    def reads(self) -> tuple[str, ...]:
        """The arrays and scalars that it reads, beside those of its expressions."""
        return ()

    @property
    def writes(self) -> tuple[str, ...]:
        """The arrays and scalars that it writes."""
        return ()

    @property
    def of_leader(self) -> tuple[str, ...]:
        """Those of them that one thread writes, always the same."""
        return ()


@dataclass(frozen=True, slots=True)
class History(Node):
    """Where the levels of the history `name` lie: one behind the other in the array `members`.

    `ends` has for each level the place behind its last member, the scalar `levels` how many there are. A level has a
    member or more, and all of them together no more than the graph has vertices.
    """

    name: str
    members: str
    ends: str
    levels: str

    @property
    def data(self) -> tuple[str, ...]:
        """All three."""
        return self.members, self.ends, self.levels


@dataclass(frozen=True, slots=True)
class PushLevel(SetStep):
    """`h.push(f)`: the members of `frontier`, if there are any, become one more level. More members than vertices in
    all stop the run."""

    history: History
    frontier: str

    @property
    def asks(self) -> tuple[str, ...]:
        """The new level."""
        return (self.frontier,)

    @property
    def writes(self) -> tuple[str, ...]:
        """All of the history; where its last level ends is known without a look."""
        return self.history.data

    @property
    def of_leader(self) -> tuple[str, ...]:
        """Where the level ends, and how many there are."""
        return self.history.ends, self.history.levels


@dataclass(frozen=True, slots=True)
class TakeLevel(SetStep):
    """`name` becomes a level of a history, one in each pass of a `Repeat` that has a pass for every level: in the first
    pass the first one, or, `backward`, the last. Nothing in that loop adds levels."""

    name: str
    history: History
    backward: bool

    @property
    def makes(self) -> str | None:
        """The frontier."""
        return self.name

    @property
    def reads(self) -> tuple[str, ...]:
        """All of the history."""
        return self.history.data


@dataclass(frozen=True, slots=True)
class Buckets(Node):
    """Buckets of vertices, ordered by the values of `array`. The vertices of all buckets are in the frontier `waiting`.

    `automatic`: the run chooses how many vertices a pop takes; no result may depend on which these are.
    """

    name: str
    array: str
    waiting: str
    automatic: bool


@dataclass(frozen=True, slots=True)
class PushBuckets(Step):
    """`b.push(members)`. `body` has the steps that this stands for."""

    buckets: Buckets
    members: Elements
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class PopBuckets(Step):
    """`result` becomes the nearest vertices of `buckets`, which no longer wait then: at least one where any wait.
    `body` has the steps that this stands for."""

    buckets: Buckets
    result: str
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CheckWidth(SetStep):
    """The run stops where the width of a level of the buckets `name` is not above 0; it is in the scalar `width`."""

    name: str
    width: str
    type: Type

    @property
    def reads(self) -> tuple[str, ...]:
        """The width."""
        return (self.width,)


@dataclass(frozen=True, slots=True)
class ChooseBound(SetStep):
    """The scalar `bound` becomes any number, but none below `nearest`: up to there the next set is taken out of
    `waiting`, whose members have the values `nearest` to `farthest` (NaN and infinity apart). All are float64.

    `buckets` are those that it is for. What is chosen is open, so that no result may hang on it.
    """

    buckets: str
    waiting: str
    nearest: str
    farthest: str
    bound: str

    @property
    def asks(self) -> tuple[str, ...]:
        """The set, for its size."""
        return (self.waiting,)

    @property
    def reads(self) -> tuple[str, ...]:
        """How far the values reach."""
        return self.nearest, self.farthest

    @property
    def writes(self) -> tuple[str, ...]:
        """The bound."""
        return (self.bound,)


@dataclass(frozen=True, slots=True)
class CheckPairs(SetStep):
    """The run stops where one of two sets that are taken as pairs has members more than the other: so many more the
    first, below 0 the second, as the scalar `more` says."""

    more: str

    @property
    def reads(self) -> tuple[str, ...]:
        """The difference."""
        return (self.more,)


@dataclass(frozen=True, slots=True)
class NumberMembers(SetStep):
    """`array = number(f)`: the element of each member of `members` becomes how many members have a smaller id; all
    others keep their value. The array is over what the members are of, and of integers."""

    array: str
    array_type: Type
    members: Elements

    @property
    def asks(self) -> tuple[str, ...]:
        """The set, where it is not everything."""
        return () if self.members.frontier is None else (self.members.frontier,)

    @property
    def writes(self) -> tuple[str, ...]:
        """The array."""
        return (self.array,)
