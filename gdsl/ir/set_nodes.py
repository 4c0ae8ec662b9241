"""Nodes of the IR between frontiers and data that run no functor: histories, buckets and checks."""

from __future__ import annotations

from typing import NamedTuple

from gdsl.ir.expression_nodes import Node
from gdsl.ir.schedule_nodes import Elements, Step
from gdsl.records import dataclass
from gdsl.types import Type


class SetUse(NamedTuple):
    """What a step uses apart from its expressions."""

    frontiers: tuple[str, ...] = ()
    """The frontiers whose members it reads."""
    result: str | None = None
    """The frontier that gets new members."""
    reads: tuple[str, ...] = ()
    """The arrays and scalars that it reads."""
    writes: tuple[str, ...] = ()
    """The arrays and scalars that it writes."""
    by_leader: tuple[str, ...] = ()
    """Those of them that one thread writes, which is always the same."""


@dataclass(frozen=True, slots=True)
class SetStep(Step):
    """A step between frontiers and data that runs no functor. Its data is in arrays and scalars that only such steps
    and the lowering name."""

    @property
    def use(self) -> SetUse:
        """What it uses, so that later stages need not know the kinds of steps."""
        match self:
            case PushLevel(history=history):  # where its last level ends is known without a read
                return SetUse((self.frontier,), writes=history.data, by_leader=(history.ends, history.levels))
            case TakeLevel(history=history):
                return SetUse(result=self.name, reads=history.data)
            case CheckWidth():
                return SetUse(reads=(self.width,))
            case ChooseBound():
                return SetUse((self.waiting,), reads=(self.nearest, self.farthest), writes=(self.bound,))
            case CheckPairs():
                return SetUse(reads=(self.more,))
            case NumberMembers(members=members):
                return SetUse(() if members.frontier is None else (members.frontier,), writes=(self.array,))
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True, slots=True)
class History(Node):
    """The levels of the history `name`, stored one after the other in the array `members`.

    `ends` has the position after the last member of each level, and the scalar `levels` the number of levels. Each
    level has at least one member, and all levels together have at most as many members as the graph has vertices.
    """

    name: str
    members: str
    ends: str
    levels: str

    @property
    def data(self) -> tuple[str, ...]:
        """The names of what a history is stored in: two arrays and a scalar."""
        return self.members, self.ends, self.levels


@dataclass(frozen=True, slots=True)
class PushLevel(SetStep):
    """`h.push(f)`: the members of `frontier`, if there are any, become one more level. More members in total than the
    graph has vertices stop the run."""

    history: History
    frontier: str


@dataclass(frozen=True, slots=True)
class TakeLevel(SetStep):
    """`name` becomes a level of a history, one in each pass of a `Repeat` that has a pass for every level: in the first
    pass the first one, or, `backward`, the last. Nothing in that loop adds levels."""

    name: str
    history: History
    backward: bool


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
    """The run stops unless the width of a level of the buckets `name`, in the scalar `width`, is above 0."""

    name: str
    width: str
    type: Type


@dataclass(frozen=True, slots=True)
class ChooseBound(SetStep):
    """The scalar `bound` becomes any number that is not below `nearest`: the next pop of `buckets` takes those up to
    there out of `waiting`, whose members have the values `nearest` to `farthest` (NaN and infinity apart). All are
    float64. The choice is open, so no result may depend on it.
    """

    buckets: str
    waiting: str
    nearest: str
    farthest: str
    bound: str


@dataclass(frozen=True, slots=True)
class CheckPairs(SetStep):
    """The run stops where two sets that are taken as pairs differ in size. The scalar `more` has the size of the first
    minus that of the second."""

    more: str


@dataclass(frozen=True, slots=True)
class NumberMembers(SetStep):
    """`array = number(f)`: the element of each member of `members` becomes the number of members with smaller ids; all
    others keep their values. The array has the domain of the members and an integer type."""

    array: str
    array_type: Type
    members: Elements
