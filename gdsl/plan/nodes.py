"""The kernel plan: frozen, typed, verified, and printed by `gdslc compile --emit plan`. This page has all of its nodes;
here are the operation, the steps that hold steps, and the plan itself, and the others in the files `*_nodes.py`.

Three conventions:

- `Operation` holds what all variants of one operator share (function, site, frontiers); a `Choice` is inside it;
- a `Sweep` has `walks`, one or two for both lists of a vertex; each has a `Variant`, and one for lists that are shared;
- a condition that the host evaluates is a `Launch` of its own, held by the `Loop` or `Branch` that it decides."""

# ruff: noqa: F403, F405 (whoever imports this page finds all nodes in it)

from __future__ import annotations

from gdsl.ir.nodes import Expression, Operator, Program
from gdsl.operations import Domain, Over
from gdsl.plan.buffer_nodes import Buffer, Struct
from gdsl.plan.exchange_nodes import *
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.instance_nodes import BitParallel
from gdsl.plan.phase_nodes import *
from gdsl.plan.result_nodes import *
from gdsl.plan.step_nodes import *
from gdsl.plan.sweep_nodes import *
from gdsl.plan.target import Sizes, Target
from gdsl.records import dataclass
from gdsl.types import Type


def _ends_waiting(body: tuple[Phase, ...]) -> bool:
    ends = [each for each in body if isinstance(each, (Work, Barrier)) and each != Work(Part.MARKS)]
    if not ends or not isinstance(ends[-1], Barrier):
        return not ends
    return ends[-1].when is When.ALWAYS or ends[-1].within is Within.RESULT_OF_CHUNKS


@dataclass(frozen=True, slots=True)
class Operation:
    """One operator of the program."""

    step: Operator
    name: str
    """What its function is called, as far as the name is free."""
    call: str
    """The call as the program has it, for people."""
    does: Sweep | Choice
    fused: tuple[Operation, ...] = ()
    """What is done in the same sweep, with each member before its own work on it; see `fusion`."""
    body: tuple[Phase, ...] = ()
    """On a grid, its phases with the barriers between them; see `phases`."""

    turns: Turns | None = None
    """For several workers: how they run it one after the other; None: at the same time."""

    @property
    def waits(self) -> bool:
        """Whether it ends with a barrier of its own, in either direction if it switches."""
        first = self.body[0] if self.body else None
        bodies = (first.pull, first.push) if isinstance(first, Directions) else (self.body,)
        return all(map(_ends_waiting, bodies))

    @property
    def meets_barrier(self) -> bool:
        """Whether all threads wait for each other at its end, or before they copy what was stored aside. The barrier
        between two walks is left out: it is there in any case, and one at the end does more."""
        return self.waits or Work(Part.STAGED) in self.body


@dataclass(frozen=True, slots=True)
class MakeOnce:
    """Steps that make a graph of nothing but the given graph's structure, which is then kept with that: a run that
    finds it there skips them. The last of them is the `MakeGraph`; see `hoisted_graphs`."""

    number: int
    key: str
    """The text of what selects its edges: graphs of the same text are the same."""
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class On:
    """Steps with another graph around: what `graph` is when they begin. `depth`: the number of surrounding ones.
    `enter`: the launch that notes that graph; None: the device records it."""

    graph: str
    depth: int
    enter: Launch | None
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop. `condition` is tested before each pass, or, where `counted`, evaluated once and then the
    number of passes. `ask`: the launch by which the host has it evaluated; None: the device does so itself."""

    number: int
    condition: Expression
    counted: bool
    ask: Launch | None
    outermost: bool
    """Its passes are counted as iterations of the run."""
    body: tuple[Step, ...]
    order: NearFar | None = None
    """How the worklist of the condition is worked off; None: as the body leaves it."""
    solo: Solo | None = None
    """How one of several GPUs runs small passes alone; None: all GPUs run all of them."""
    gives_up: str | None = None
    """The set that ends the loop, too, where many passes in a row leave it as large as it was; see `in_place`."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One of two blocks; `ask` as in `Loop`."""

    condition: Expression
    ask: Launch | None
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel. `answer` is evaluated for the host at its end.

    `reads` are the frontiers whose state it takes over from the launch before, `writes` those whose state it also hands
    on, `directions` the sites whose switch it does so with; all empty where one launch does everything.
    """

    name: str
    comment: str
    steps: tuple[Step, ...]
    answer: Expression | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    directions: tuple[int, ...] = ()
    around: int = 0
    """The number of surrounding `On`."""


Step = (
    Initialize
    | Operation
    | Barrier
    | Leader
    | Rotate
    | Privatize
    | StorePrivate
    | WriteBack
    | Fill
    | Swap
    | Define
    | Copy
    | Combine
    | FarEnds
    | MakeGraph
    | MakeOnce
    | EnterGraph
    | On
    | OnSets
    | Loop
    | Branch
    | Launch
    | Snapshot
    | Exchange
)


@dataclass(frozen=True, slots=True)
class Renumbering:
    """How the program may run on other ids of the vertices; see `renumbering`."""

    always: bool
    """Whether it does so on every graph, and not just on those for which it is worth it."""
    looks_up: bool
    """Whether it is a program of its own that does so, which looks up the ids that were given
    (`gdsl.ir.ids`)."""
    keeps: bool
    """Whether it is one whose blocks keep the first values in their own memory (`block_cache`)."""
    searches: bool
    """Whether it goes from frontier to frontier."""
    ids: tuple[str, ...]
    """The data at the border whose values are ids."""
    arrays: tuple[str, ...]
    """The arrays of vertices at the border, which are put into the other order."""
    of_edges: tuple[str, ...]
    """The inputs of edges, which are put into it where they are the graph's own, or where `always` is said."""
    buffers: tuple[Buffer, ...]
    """What it holds beside the buffers of a run."""

    @property
    def apart(self) -> bool:
        """Whether it is a program of its own."""
        return self.looks_up or self.keeps


@dataclass(frozen=True, slots=True)
class Frontier:
    """A frontier variable; its storage is the queue (and, of vertices, the bitmap) number `slot` of its domain to begin
    with. Frontiers that are never needed at the same time may have one slot."""

    name: str
    domain: Domain
    slot: int
    counts: Over | None
    """The edges of members that are counted whenever the frontier is filled, for a choice that needs them."""


@dataclass(frozen=True, slots=True)
class Teams:
    """The buffers that the host allocates, by group and name, without those of traces."""

    rows: tuple[tuple[str, str], ...]
    """Each value has a row in an array of all."""
    records: tuple[tuple[str, str], ...]
    """Each value has them in its record, of zeros at first."""
    zeros: tuple[tuple[str, str], ...]
    """A team has them, of zeros at first and after each value."""
    scratch: tuple[tuple[str, str], ...]
    """A team has them, of any content."""
    barrier: Barrier | None
    """Before arrays that have changed places are moved back; None: none have."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a backend decides about a program, which is kept for its types, expressions and functors."""

    program: Program
    target: Target
    sizes: Sizes
    frontiers: tuple[Frontier, ...]
    """Those of vertices first, in the order of the program. In every target each domain that has any has one slot more,
    into which each result goes before it changes places with what it replaces."""
    switches: tuple[int, ...]
    """The sites of operations that remember what they chose."""
    swapped: tuple[str, ...]
    """The arrays and scalars that may be stored elsewhere at the end."""
    rotations: tuple[Initial, ...]
    """The scalars that have several places, with the value that the next place holds; see `scalar_copies`."""
    private_scalars: tuple[str, ...]
    """The scalars of which every thread has its own copy; see `scalar_copies`."""
    buffers: tuple[Buffer, ...]
    saved: Struct | None
    """What one launch hands on to the next; None where there is only one."""
    graphs: tuple[str, ...]
    """The variables that hold graphs."""
    graph_slots: int
    """Of how many graphs there is room for the arrays at once: of those in variables and around, and one more; 0 where
    all are kept with the given graph."""
    schedule: tuple[Step, ...]
    """A single launch in the fused form; else what the host walks."""
    graph: GraphClass = GENERAL
    """The graphs that it is built for; it is correct on all others, too."""
    layout: Renumbering | None = None
    teams: Teams | None = None
    bits: BitParallel | None = None
    """How instances with other params run together; None: they do not."""
    outlined: bool = False
    """Whether operators call what they share, where short programs have copies; see `occupancy`."""
    resident_threads: int | None = None
    """How many threads of a multiprocessor the kernels leave registers for; None: as the compiler sees fit. See
    `occupancy`."""
    distribution: Distribution | None = None
    """What each of several workers holds; None: there is one."""
    replicas: tuple[Replica, ...] = ()
    """The arrays that each of several GPUs has whole."""
    narrow: tuple[tuple[str, Type], ...] = ()
    """Arrays that are stored in fewer bits than their values have, and as what; see `narrow_arrays`."""
    own_queues: tuple[OwnQueue, ...] = ()
    """The frontiers that each of several GPUs keeps in a queue of its own."""
    waiting_thread: int = 0
    """Which thread of a block waits for the other blocks and keeps the trace; see `occupancy`."""

    def slots(self, domain: Domain) -> int:
        """How many frontiers of a domain have storage of their own, the spare one with them."""
        return max((frontier.slot + 2 for frontier in self.frontiers if frontier.domain is domain), default=0)

    def owners(self) -> dict[str, str]:
        """By frontier the first one that has its slot; often it is itself that one."""
        first: dict[tuple[Domain, int], str] = {}
        return {each.name: first.setdefault((each.domain, each.slot), each.name) for each in self.frontiers}
