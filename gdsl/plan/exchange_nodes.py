"""The nodes of the kernel plan that say what the workers of one run send each other; see `distribution`."""

from __future__ import annotations

from enum import Enum

from gdsl.operations import Over, ReduceOperation
from gdsl.records import dataclass


class How(Enum):
    """How the values that workers have written are combined."""

    PUBLISH = "publish"
    """One worker wrote each element that changed: everyone takes its value."""
    MERGE = "merge"
    """Several may have: their values are combined in the order of their ranks, and everyone takes the result."""
    ADOPT = "adopt"
    """Everyone takes what one worker has."""


class Reach(Enum):
    """Where the elements are that a worker may have changed."""

    OWN = "its own elements"
    ENDS = "the ends of the edges that it walks"
    ANYWHERE = "any elements"


class Held(Enum):
    """What a worker has of an array or of a part of the graph."""

    MIRROR = "mirrored"
    """All of it."""
    OWN = "in parts"
    """The elements of its own edges, or the lists of its own vertices."""
    FAR = "in parts, with the lists of neighbors"
    """Of a part of the graph: also the lists of the far ends of its own edges."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """An array or scalar whose elements workers exchange. `operation` is how the values of a merge are combined; None:
    one of them is taken, the same one everywhere."""

    name: str
    how: How
    reach: Reach
    operation: ReduceOperation | None = None
    scalar: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Each worker notes what the data of the exchange `number` hold, so that changes can be found later: all of it, or,
    of arrays of vertices, where the step writes nothing but the members of `frontier` and the far ends of their lists
    `over`, those elements if they are few. A step that chooses its direction writes any of the worker's own vertices
    where it pulls, which it does not if the members have no more edges than there are vertices, and `pulled_from` times
    the members are fewer than these; None: it does not pull."""

    number: int
    data: tuple[Exchanged, ...]
    frontier: str | None = None
    over: tuple[Over, ...] = ()
    pulled_from: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """All workers meet here, and afterwards have the same values of `data`, and the same members of `frontier`: those
    that any of them had. `counts_edges`: the edges that they walked are added up for the trace."""

    number: int
    reason: str
    data: tuple[Exchanged, ...]
    frontier: str | None = None
    counts_edges: bool = False


@dataclass(frozen=True, slots=True)
class Turns:
    """An operator that workers run one after the other, each with what those before it have written: `reason` says
    why, in words, `line` where. `exchange` comes after each of them."""

    exchange: Exchange
    reason: str
    line: str


@dataclass(frozen=True, slots=True)
class Placement:
    """What a worker holds of an array, or of a part of the graph; `reason`: why it is all of it."""

    name: str
    held: Held
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Distribution:
    """How a program's data are spread over workers."""

    arrays: tuple[Placement, ...]
    graph: tuple[Placement, ...]
    own_sets: tuple[str, ...] = ()
    """On a grid: the frontiers that have a worker's own members alone, and differ from those of other workers."""
    walked: tuple[int, ...] = ()
    """The sites of operators after which workers need not meet: the edges that they walked are added up for the trace
    when the run has ended."""

    def of_array(self, name: str) -> Held:
        """What a worker has of an array of the program."""
        return next(each.held for each in self.arrays if each.name == name)

    def of_part(self, name: str) -> Held:
        """What a worker has of a part of the graph."""
        return next(each.held for each in self.graph if each.name == name)
