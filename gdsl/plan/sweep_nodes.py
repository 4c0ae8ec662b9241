"""The nodes of the kernel plan that say what one operator does: sweeps, and choices between them by what the device
counts."""

from __future__ import annotations

import dataclasses
from enum import Enum

from gdsl.ir.nodes import Expression
from gdsl.operations import Balance, Domain, Over, ReduceOperation
from gdsl.plan.hints import H, Hint
from gdsl.plan.result_nodes import Reduction, Segment, Total, Vote
from gdsl.records import dataclass
from gdsl.types import Type

# What a switch asks


class Measure(Enum):
    """What the device counts."""

    SIZE = "members"
    EDGES = "edges of the members"
    UNVISITED = "edges not yet visited"
    VERTICES = "V"
    THREADS = "threads"
    """Of all blocks."""
    LOOKS = "looks of a pull"
    """An estimate: it looks at each vertex, and of those not yet visited at the edges until one leads to a member."""


@dataclass(frozen=True, slots=True)
class Compare:
    """`factor` × `left` is more than (or, not `strict`, at least) `right`."""

    left: Measure
    factor: int
    right: Measure
    strict: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """A test with a memory: it turns true where all of `enter` hold and stays so while all of `stay` do."""

    enter: tuple[Compare, ...]
    stay: tuple[Compare, ...]


# What a sweep does with an element


class Mode(Enum):
    """How a functor's write is done."""

    PLAIN = "plain"
    """No other call reads the element meanwhile, or (cpu) one that may find its former value."""
    SHARED = "shared"
    """Others may: reductions are atomic, stores are whole."""
    OWN = "own"
    """No other call writes the element, and any of its values will do for one that reads it: the call keeps it in a
    register, and stores are whole."""
    TOTAL = "total"
    """Summed up a thread at a time and combined with the scalar at the end of the sweep."""
    EVERYWHERE = "everywhere"
    """As SHARED, in the copies of all GPUs; see `replicas`."""


@dataclass(frozen=True, slots=True)
class Write:
    """An array or scalar that a variant writes, and how."""

    name: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class Claim:
    """The test of conjunct `conjunct` and the store of statement `statement` done by one compare-and-swap on `array`,
    which a single call for each far end wins; the array holds `expected` until then."""

    array: str
    conjunct: int
    statement: int
    expected: Expression


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run a functor: the conjuncts of `tests` in this order, then `claim`, then `body`."""

    functor: str
    tests: tuple[int, ...]
    claim: Claim | None
    body: tuple[int, ...]
    """The statements of the functor's body that are run, in order."""
    writes: tuple[Write, ...]
    """What `body` writes."""
    accepts: bool
    """Whether `body` itself says if the element is accepted; if not, all are that come so far."""


# Where a sweep goes, and what it leaves


class Form(Enum):
    """How a frontier's members are stored."""

    QUEUE = "queue"
    BITMAP = "bitmap"
    MARKS = "row of marks"
    """Of edges: a bit for each of all edges, in the room of a queue. Only making a graph reads them."""


@dataclass(frozen=True, slots=True)
class Members:
    """What a sweep runs on: a frontier in one form, or, without one, everything of the domain."""

    domain: Domain
    frontier: str | None
    form: Form | None


@dataclass(frozen=True, slots=True)
class Walk:
    """A way along the edges of each member.

    `over`: which edges the operator visits, as seen from the near end. `lists`: the lists that are walked for it, the
    same in a push, those of the far end in a pull.
    """

    over: Over
    lists: Over
    variant: Variant
    shared: Variant | None
    """Where lists too long for one thread or warp are cut into chunks: how these are run. None: no list is cut."""
    first_places: Expression | None
    """Only the edges before this place in their source's list are walked."""
    edge_ids: bool
    """Whether anything uses the edge's id (or its place)."""
    by_one: Variant | None = None
    """How it is run where one thread does all of the sweep. None: that makes no difference to it, or never is so."""
    repeats: bool = False
    """Left out where in-lists are out-lists: its calls are those of the walk before, with the ends exchanged."""


@dataclass(frozen=True, slots=True)
class Selection:
    """In a pull: which vertices look for edges at all; `closes`: they stop once the test no longer holds."""

    test: Variant
    closes: bool


class Dedup(Enum):
    """What keeps an element from being collected twice."""

    NONE = "none"
    CLAIM = "claim"
    TICKET = "ticket"
    """By a value that `fetch` gives to one call alone; see `tickets`."""
    MARK = "mark"
    LATE = "late"
    """Nothing while the queue has room for all vertices beside, marks from then on; see `deduplication`."""
    RANK = "rank"
    """By the value that it was given: an entry is passed over once the vertex has another; see `work_order`."""


@dataclass(frozen=True, slots=True)
class Collect:
    """The accepted elements become a frontier."""

    frontier: str
    domain: Domain
    form: Form
    dedup: Dedup


@dataclass(frozen=True, slots=True)
class Intersection:
    """For each member, an edge, these lists of its source and its destination are walked side by side; what is done is
    done with each vertex that is in both, once however often it occurs."""

    source: Over
    destination: Over
    run: Variant | None = None
    """What is run on an edge and each of these vertices; those that it accepts are collected and counted."""
    edge_ids: bool = False
    """Whether that uses the ids of edges."""
    partners: str | None = None
    """Where the members are vertices, the array that has the destination of each; None as one of a member: skip it."""


class EdgeCount(Enum):
    """How the edges of what an operator ran on are known, for traces."""

    NONE = "not asked for"
    ALL = "all edges"
    BOTH_LISTS = "all edges twice"
    CARRIED = "counted with the frontier"
    WALKED = "counted on the way"
    MEMBERS = "the members"


@dataclass(frozen=True, slots=True)
class NearFar:
    """A worklist in the order of the values of an array, `min=` the smallest first; see `work_order`."""

    array: str
    type: Type
    """Of the values."""
    operation: ReduceOperation
    """MIN or MAX, by which they change."""


@dataclass(frozen=True, slots=True)
class Skips:
    """Members that were visited with the value that they have are passed over; see `work_order`."""

    array: str
    type: Type
    """Of the values."""
    operation: ReduceOperation
    """MIN or MAX, by which they change."""
    most_visits: int | None = None
    """Visits of each edge beyond which the run may be stopped, to begin again from near to far; None: it never is."""


@dataclass(frozen=True, slots=True)
class LocalRounds:
    """Each block goes on with the vertices that it accepts, as far as it has room for them; see `local_rounds`."""

    array: str
    """That of the counters or claims by which vertices are accepted."""
    runs: tuple[Sweep, ...]
    """What is run on such a vertex first: the computations of the loop on its worklist."""


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """A loop over neighbors that the lanes of a warp share, an edge each; see `lane_loops`."""

    carried: tuple[str, ...]
    """The locals whose values depend on the edges before."""
    rows: int
    """Rows of 32 edges that are read at a time."""


@dataclass(frozen=True, slots=True)
class Mirrors:
    """What each of several GPUs has a copy of while it runs a sweep: these `arrays`, and the bitmap of its `members`;
    see `mirrors`."""

    arrays: tuple[str, ...]
    members: bool


@dataclass(frozen=True, slots=True)
class Merge:
    """What each of several GPUs changes in a copy of its own, which are merged when all is done; see `merges`."""

    array: str
    reduction: Reduction
    copy: int
    """The number of the copy among all that a GPU has."""
    marks: int
    """The same of the bitmaps of what has changed."""
    stays: bool = False
    """The copy is a replica: nothing is filled, nor stored elsewhere."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Where all of `many` hold, each of several GPUs first notes an edge for each far end; see `proposals`."""

    copy: int
    """The number of what is noted among all that a GPU has."""
    marks: int
    """The same of the bitmap of the far ends for which something is."""
    many: tuple[Compare, ...]
    maps: bool
    """The result gets its bitmap besides its queue: words of it are known where proposals are settled."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that each of several GPUs lowers in a copy of its own; see `label_copies`."""

    array: str
    copy: int
    """The number of the copy among all that a GPU has."""
    packed: int | None = None
    """Of a copy that is a replica: the number of the copy in which labels are packed for the other GPUs; see
    `replicas`. None: labels are filled into the copy first, and joined where all GPUs read them."""

    @property
    def stays(self) -> bool:
        """Whether the copy is a replica: it has the labels already, and those of all GPUs are equal afterwards."""
        return self.packed is not None


@dataclass(frozen=True, slots=True)
class Replica:
    """An array of which each of several GPUs has a copy throughout the schedule; see `replicas`."""

    array: str
    copy: int
    """The number of the copy among all that a GPU has."""


@dataclass(frozen=True, slots=True)
class OwnQueue:
    """A frontier of which each of several GPUs keeps what it has found in a queue of its own; see `own_queues`."""

    frontier: str
    copy: int
    """The number of the queue among all copies that a GPU has."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One walk over vertices or edges of the graph."""

    members: Members
    own: Variant | None
    """What is run on the members themselves; None: `walks` say what is run on their edges."""
    walks: tuple[Walk, ...]
    selection: Selection | None
    """In a pull: the walks begin at the vertices that it selects and look for members."""
    collect: Collect | None
    totals: tuple[Total, ...]
    segment: Segment | None
    balance: Balance
    edges: EdgeCount
    intersection: Intersection | None = None
    """The lists whose common vertices are collected and counted; with it there is no other walk."""
    vote: Vote | None = None
    """How the ballots of the edges are counted."""
    order: NearFar | None = None
    """The order of the worklist that it works off and adds to; None: all of a set at a time."""
    own_by_one: Variant | None = None
    """As `Walk.by_one`, of `own`."""
    skips: Skips | None = None
    """Which members of a worklist it passes over; None: none."""
    rounds: LocalRounds | None = None
    """How blocks work off what they accept; None: all that is accepted is the next pass's."""
    mirrors: Mirrors | None = None
    """None: it reads no copies."""
    merge: Merge | None = None
    """None: what it changes is changed for all at once."""
    proposals: Proposals | None = None
    """None: each edge is visited where it is found."""
    labels: Labels | None = None
    """None: labels are lowered for all at once."""
    lanes: tuple[LaneLoop, ...] = ()
    """Where a member's list is long, the lanes of a warp share these loops over neighbors, in the order of the text.
    Empty: each member is one thread's."""
    published: tuple[str, ...] = ()
    """The replicas in which calls write the elements of their own members: each call stores those in all copies."""
    hints: tuple[Hint, ...] = ()
    """See `hints`."""

    @property
    def is_plain(self) -> bool:
        """Whether its members, and the edges of their lists, are visited once and in any order: it does not pull,
        reduce, count votes or intersect, and has no order and no rounds of blocks."""
        others = (self.selection, self.segment, self.vote, self.intersection, self.order, self.rounds)
        return all(each is None for each in others)

    @property
    def staging(self) -> str | None:
        """The buffer that holds its results until all are computed, if there is one."""
        return next((each.staging for each in (self.segment, self.vote) if each is not None), None)

    @property
    def walks_in_order(self) -> bool:
        """Whether the lists that it walks follow each other in memory: those of all vertices, to their ends."""
        whole = self.members.frontier is None and self.members.domain is Domain.VERTEX
        return whole and all(walk.first_places is None for walk in self.walks)

    @property
    def sums_degrees(self) -> bool:
        """Whether edges are found in a running sum of degrees; where lists are walked in order, offsets are that."""
        return self.balance is Balance.MERGE and not self.walks_in_order

    def hint(self, kind: type[H], over: Over | None = None) -> H | None:
        """The hint of that kind, of the walk `over` these edges or of the whole sweep; None without one."""
        return next((each for each in self.hints if isinstance(each, kind) and each.over is over), None)

    def with_hints(self, *hints: Hint) -> Sweep:
        """This sweep with more hints."""
        return dataclasses.replace(self, hints=(*self.hints, *hints)) if hints else self


# Choices on the device


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two sweeps, chosen by all threads alike each time that the operator runs."""

    test: Switch
    yes: Sweep
    no: Sweep
