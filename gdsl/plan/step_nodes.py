"""Steps of a plan that hold no other steps and are no operators: what happens to data, sets, graphs and scalars."""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import CombineFrontiers, CopyFrontier, DefineFrontier, Expression, StoreElement, StoreScalar
from gdsl.plan.phase_nodes import Barrier
from gdsl.plan.sweep_nodes import Members, Variant
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Initial:
    """The initial value of an array or scalar (None: zero, `none` or false)."""

    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Initialize:
    """The problem data before the schedule begins: arrays an element a thread, scalars by the leader."""

    vertex_arrays: tuple[Initial, ...]
    edge_arrays: tuple[Initial, ...]
    scalars: tuple[Initial, ...]
    barrier: Barrier | None
    """That at its end; None: there is one thread."""


@dataclass(frozen=True, slots=True)
class Leader:
    """What one thread does."""

    step: StoreScalar | StoreElement


@dataclass(frozen=True, slots=True)
class Fill:
    """Every element of an array is set to one value, an element a thread."""

    step: ir.Fill


@dataclass(frozen=True, slots=True)
class Swap:
    """Two arrays or scalars change places: their storage changes names, and nothing is moved."""

    step: ir.Swap


@dataclass(frozen=True, slots=True)
class Define:
    """A frontier becomes the set of some members, or everything; it ends with a barrier of its own."""

    step: DefineFrontier
    asks_lists: bool
    """Whether each member is looked for in the list of its source, since the graph around may have left it out: of
    sets of edges where there are subgraphs."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A frontier becomes the same set as another; it ends with a barrier of its own."""

    step: CopyFrontier
    recounts: bool = False
    """Whether the edges of its members are counted, since those counted for the other frontier are other ones."""


@dataclass(frozen=True, slots=True)
class FarEnds:
    """A frontier becomes the ends of the edges in another, each once by a mark; it ends with a barrier of its own."""

    step: ir.FarEnds


@dataclass(frozen=True, slots=True)
class OnSets:
    """A step between sets and data, as a grid or its threads together. What it asks for it takes from queues, which it
    makes where a set has none."""

    step: ir.SetStep
    waits: bool
    """Whether it ends with a barrier; see `synchronization`. A level of a history that does not is no copy: the
    frontier has its members where the history stores them."""


@dataclass(frozen=True, slots=True)
class Combine:
    """A frontier becomes what an operation makes of two others; it ends with a barrier of its own.

    The queue of `walked` is walked, and each member is kept if it is (of a union or a difference: is not) in `asked`,
    whose own members a union has too. Where `walked` has a queue in an intersection only the other way round, the two
    change places.
    """

    step: CombineFrontiers
    walked: Members
    asked: Members
    grows: bool
    """Of a union with itself: whether `walked` takes up in place what it does not have, if its bitmap is worth it
    (without marks: always)."""
    few: bool
    """Of what grows: whether queues of few members become one in a single sweep, where neither has a bitmap."""
    marks: bool
    """Whether `asked` is marked where it has no bitmap and is small; if not, its bitmap is made."""
    words: bool
    """Whether the bitmaps are combined, into a bitmap, where there are no queues to walk."""
    waits: bool
    """Whether all wait once more for the marks to be taken out, since the storage of `asked` may be written next."""
    test: Variant | None = None
    """Of a difference: the test of the filter right before it, which has made `asked` of `walked`. It is asked once
    more, and not whether a member is there. None: `asked` is something else."""


@dataclass(frozen=True, slots=True)
class MakeGraph:
    """A variable is given another graph, in arrays that no graph has; it ends with a barrier of its own, unless it is
    the graph around.

    `hoisted`: the number of the arrays, which stay with the given graph for later runs (`MakeOnce`); None: they are the
    run's, in one of its slots. `numbers_edges`: the edges of a subgraph are numbered again, by their places in lists.
    `marked`: its edges come as marks (`Form.MARKS`), not as a queue.
    """

    step: ir.GraphStep
    hoisted: int | None = None
    numbers_edges: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class EnterGraph:
    """The graph around the launches of an `On` is noted, as the one that `graph` is."""

    graph: str
    depth: int


@dataclass(frozen=True, slots=True)
class Rotate:
    """A rotating scalar moves to the next of its places, which holds the value that is stored; the leader stores it in
    the place after that. See `scalar_copies`."""

    step: StoreScalar


@dataclass(frozen=True, slots=True)
class Privatize:
    """Every thread has its own copy of these scalars from now on; all copies change alike. See `scalar_copies`."""

    scalars: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StorePrivate:
    """A store in such a scalar: every thread stores in its own copy."""

    step: StoreScalar


@dataclass(frozen=True, slots=True)
class Solo:
    """How the first of several GPUs runs small passes of a loop alone; see `solo_rounds`. All but the first two is what
    it hands on to the others when they take part again."""

    worklist: str
    counted: bool
    """Whether the edges of the worklist's members are known; if not, a mean number is assumed."""
    frontiers: tuple[str, ...]
    """All that the loop reads or makes: it may change their form, too."""
    directions: tuple[int, ...]
    """The sites that remember in which direction they walked."""
    private: tuple[str, ...]
    """The scalars of which each thread stores its own copy."""
    rotating: tuple[str, ...]
    """The scalars that move to other places."""


@dataclass(frozen=True, slots=True)
class WriteBack:
    """The leader stores the last values of rotating and of private scalars where the host reads them."""

    rotating: tuple[str, ...]
    private: tuple[str, ...]
