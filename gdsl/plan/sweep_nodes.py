"""The nodes of the kernel plan that say what one operator does: sweeps, and choices between them.

Which warps take the members of a sweep where these are few; see `small_frontiers`.

The nodes of the kernel plan that say what the device counts, and asks of that.

What sweeps fetch before it is asked for; see `sectors` and `rows_ahead`.
"""

from __future__ import annotations

from enum import Enum

from gdsl.ir.nodes import Expression, History, Node, OwnOperation
from gdsl.operations import Balance, Domain, NeighborOperation, Over, ReduceOperation
from gdsl.records import dataclass
from gdsl.types import Type

# Hints, and what a switch asks


class Warps(Enum):
    """Which of the grid's warps have work where there is little, before the others have any."""

    ALL = "all"
    """Each takes as few members as there can be."""
    FIRST = "the first half"
    LAST = "the last half"


class Measure(Enum):
    """What the device counts."""

    SIZE = "members"
    EDGES = "edges of the members"
    UNVISITED = "edges not yet visited"
    VERTICES = "V"


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


@dataclass(frozen=True, slots=True)
class Beside:
    """What lies beside elements of `arrays`, and beside these `lists`, or where they begin."""

    lists: tuple[Over, ...]
    arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """What a thread fetches for the vertex that it takes next: its `lists`, where its lists `begins` begin, and its
    elements of `arrays`."""

    lists: tuple[Over, ...]
    begins: tuple[Over, ...]
    arrays: tuple[str, ...]


# What a sweep does with an element


class Mode(Enum):
    """How a functor's write is done."""

    PLAIN = "plain"
    """Nobody else looks at the element meanwhile."""
    SHARED = "shared"
    """Others may: reductions are atomic, stores are whole."""
    TOTAL = "total"
    """Summed up a thread at a time and combined with the scalar at the end of the sweep."""


@dataclass(frozen=True, slots=True)
class Write:
    """An array or scalar that a variant writes, and how."""

    name: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class Claim:
    """The test of conjunct `conjunct` and the store of statement `statement` done by one compare-and-swap on `array`,
    which a single call for each far end wins; the array holds `expected` where nobody has yet."""

    array: str
    conjunct: int
    statement: int
    expected: Expression
    blind: bool = False
    """Whether it is tried without a look first while the members are few."""


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
    masked: bool = False
    """Whether `body` is run where the tests fail too, and its updates add nothing then; see `cpu_threads`."""
    at_once: bool = False
    """Whether all tests are made in any case, and no branch asks for their outcome; see `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class EarlyRead:
    """A value that is read ahead, and the places in the functor that it stands for."""

    value: Expression
    places: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Early:
    """What is read for several elements side by side before one of them is worked on, level by level: values of one
    level ask for nothing but those of the levels before; see `early`."""

    before: tuple[tuple[EarlyRead, ...], ...]
    """Before the tests of the variant."""
    behind: tuple[tuple[EarlyRead, ...], ...]
    """Behind them, where they hold."""
    side_by_side: int
    """How many elements."""
    own: EarlyRead | None = None
    """Where members are passed over: the value of the near end, which is the one that is noted; see `looks`."""
    seen: Expression | None = None
    """The value of the far end that is looked at before it is changed, the last that is read."""
    bounds: ReduceOperation | None = None
    """By what that value changes, where a bound in the block's own memory may stand for the look; see `hub_bounds`."""


# Where a sweep goes, and what it leaves


class Form(Enum):
    """How a frontier's members are stored."""

    QUEUE = "queue"
    BITMAP = "bitmap"


@dataclass(frozen=True, slots=True)
class Members:
    """What a sweep runs on: a frontier in one form, or, without one, everything of the domain.

    `whole`: as a queue it is not read where the frontier has all vertices."""

    domain: Domain
    frontier: str | None
    form: Form | None
    whole: bool = False


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
    """Whether anything asks for the edge's id (or its place)."""
    by_one: Variant | None = None
    """How it is run where one thread does all of the sweep. None: that makes no difference to it, or never is so."""
    early: Early | None = None
    """What is read ahead for several edges of a list; None: one edge after the other."""
    beside: Beside | None = None
    """What visits fetch beside elements of the edges, and beside the lists; see `sectors`."""


@dataclass(frozen=True, slots=True)
class Selection:
    """In a pull: which vertices look for edges at all; `closes`: they stop once the test no longer holds."""

    test: Variant
    closes: bool


class Dedup(Enum):
    """What keeps an element from being collected twice."""

    NONE = "none"
    CLAIM = "claim"
    MARK = "mark"
    LATE = "late"
    """Nothing while the queue has room for all vertices beside, marks from then on; see `duplicates`."""
    RANK = "rank"
    """By the value that it was given: an entry is passed over once the vertex has another; see `work_order`."""


@dataclass(frozen=True, slots=True)
class Collect:
    """The accepted elements become a frontier."""

    frontier: str
    domain: Domain
    form: Form
    dedup: Dedup
    beside: Beside | None = None
    """What is fetched beside elements of the members, and where their lists begin; see `sectors`."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """How two values become one, and the value that changes nothing; `combine` SUBTRACT sums up below zero."""

    combine: ReduceOperation
    type: Type

    @property
    def identity(self) -> Identity:
        """What a reduction begins with."""
        return _IDENTITIES[self.combine]


class Identity(Enum):
    """The value of a type that changes nothing under a reduction."""

    ZERO = "0"
    ONE = "1"
    LARGEST = "the largest value"
    SMALLEST = "the smallest value"
    ALL_ONES = "all bits"
    NAN = "NaN"


_IDENTITIES = {
    ReduceOperation.MIN: Identity.LARGEST,
    ReduceOperation.MAX: Identity.SMALLEST,
    ReduceOperation.ADD: Identity.ZERO,
    ReduceOperation.SUBTRACT: Identity.ZERO,
    ReduceOperation.MULTIPLY: Identity.ONE,
    ReduceOperation.BIT_AND: Identity.ALL_ONES,
    ReduceOperation.BIT_OR: Identity.ZERO,
    ReduceOperation.BIT_XOR: Identity.ZERO,
}


@dataclass(frozen=True, slots=True)
class Total:
    """A scalar into which the sweep reduces."""

    scalar: str
    reduction: Reduction

    @property
    def identity(self) -> Identity:
        """What a thread begins with: NaN for `min=` and `max=` of floats, since an infinity would win where the scalar
        and all that is reduced into it are NaN."""
        least_or_most = self.reduction.combine in (ReduceOperation.MIN, ReduceOperation.MAX)
        return Identity.NAN if self.reduction.type.holds_float and least_or_most else self.reduction.identity


@dataclass(frozen=True, slots=True)
class Segment:
    """A result for each member: the reduction of what its edges give, stored in `array`."""

    operation: NeighborOperation | None
    """None where the program has one of its own."""
    array: str
    type: Type
    """Of the array."""
    reduction: Reduction | OwnOperation
    stops_at: bool | None
    """A result that no further edge changes: who has it looks at no more of them. None: all are looked at."""
    aside: str | None
    """The buffer that holds the results until all are computed; None: they can be stored at once."""
    side_by_side: int
    """Edges of a list that a thread looks at without waiting for one of them."""
    value_first: bool = False
    """Whether an edge's tests are asked for where its value would change the result so far, and not otherwise."""
    kept: str | None = None
    """The array of which each block keeps the first values in its own memory meanwhile; see `first_values`."""
    both_sides: bool = False
    """Whether both sides of the choices in a value are read before one is taken; see `cpu_threads`."""
    upcoming: History | None = None
    """The members are a level of it: the lists of the next one are found while all wait; see `upcoming`."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The buffers in which the votes of long lists are counted: a key and a total at each place. A member has one place
    more than two for each place in its lists, from twice the places before its lists and its own number on."""

    keys: str
    totals: str


@dataclass(frozen=True, slots=True)
class Vote:
    """A winner for each member: the key of its ballots with the largest total, or the largest score of these."""

    array: str
    key: Type
    """Of keys and of the array."""
    total: Type
    score: str | None
    """The vote functor; None: the total itself is the score."""
    score_type: Type
    keep: str | None
    """The array of the keys that win a tie."""
    tables: Tables | None
    """None: each thread that counts has its own."""
    aside: str | None
    """As in `Segment`."""


@dataclass(frozen=True, slots=True)
class Intersection:
    """For each member, an edge, these lists of its source and its destination are walked side by side; what is done is
    done with each vertex that stands in both, once however often it stands there."""

    source: Over
    destination: Over
    run: Variant | None = None
    """What is run on an edge and each of these vertices; those that it accepts are collected and counted."""
    edge_ids: bool = False
    """Whether that asks for the ids of edges."""
    partners: str | None = None
    """Where the members are vertices, the array that has the destination of each; None as one of a member: skip it."""
    tables: bool = False
    """Whether members of one source stand together, so that many lists are looked up in its list as a table."""


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
    short_lists: bool = False
    """Whether a thread takes a member where the graph has short lists alone; see `load_balance`."""
    intersection: Intersection | None = None
    """The lists whose common vertices are collected and counted; with it there is no other walk."""
    vote: Vote | None = None
    """What becomes of the ballots that the edges give."""
    order: NearFar | None = None
    """The order of the worklist that it works off and adds to; None: all of a set at a time."""
    own_by_one: Variant | None = None
    """As `Walk.by_one`, of `own`."""
    own_scalars: tuple[str, ...] = ()
    """Of `own`: the scalars of which each thread has a copy; see `cpu_threads`."""
    fetched: tuple[str, ...] | None = None
    """The arrays of edges that are fetched with a member's list before its turn; None: no list is. See
    `fetched_lists`."""
    contended: bool = False
    """Whether threads side by side would change the same few elements, so that two are hardly faster than one."""
    early: Early | None = None
    """What `own` reads ahead; None: one element after the other."""
    skips: Skips | None = None
    """Which members of a worklist it passes over; None: none."""
    warps: Warps = Warps.ALL
    """Which of them take the members where these are few; see `small_frontiers`."""
    rows: Rows | None = None
    """What is fetched for the vertices that come next; see `rows_ahead`."""
    listed: bool = False
    """Whether few members lie in a list of their own, with their lists; see `small_frontiers`."""


# Choices on the device


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two sweeps, chosen by all threads alike each time that the operator runs."""

    test: Switch
    yes: Sweep
    no: Sweep
