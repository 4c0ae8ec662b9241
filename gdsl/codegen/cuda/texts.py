"""What the templates of the CUDA backend lay out: the plan in words. Strings are C++ text."""

from __future__ import annotations

from typing import ClassVar

from gdsl.codegen.functors import Ballot, EarlyCalls, TotalsText
from gdsl.codegen.operators import CommonText
from gdsl.codegen.switches import SwitchText
from gdsl.plan.nodes import Phase
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class ResultText:
    """What becomes of accepted elements: the statements before a sweep, those with which each thread ends it, and from
    the barrier on. `collects`: there is a variable ``out`` to give them to."""

    begin: tuple[str, ...]
    flush: tuple[str, ...]
    end: tuple[str, ...]
    collects: bool


@dataclass(frozen=True, slots=True)
class Visit:
    """What is done with an edge or a vertex: `test`, and where that holds `apply`. Empty where there is nothing."""

    parameters: str
    """``vertex near, vertex far, edge at`` or ``vertex v``."""
    test: str
    apply: str
    says: bool
    """Whether `apply` says if the element is accepted; if not, all that pass `test` are."""
    far: str = ""
    """The parameter that is collected."""
    mark: str = ""
    """The test that keeps an element from being collected twice."""
    key: str = ""
    """The type of the value that it was accepted with, where its rank is collected, too."""
    early: EarlyCalls | None = None
    """What is called ahead for several at a time."""
    fetches: tuple[str, ...] = ()
    """What is fetched for those beside it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two ways along the edges of a vertex."""

    name: str
    lists: str
    visit: Visit
    first_of_two: bool
    begin: str
    """The first chunk of long lists that is this side's."""
    more: str = ""
    """What the function that shares the edges out is told beside, with a comma before it."""
    balance: str = ""
    """The runtime's function that shares the edges out, and that for what it leaves."""
    hubs: str = ""


@dataclass(frozen=True, slots=True)
class Push:
    """An advance from the members."""

    sides: tuple[Side, ...]
    between: tuple[str, ...]
    """What must be done after the first of two sides."""
    mapped: bool
    """Whether the members must be there as a bitmap."""
    hubs: bool
    """Whether that function leaves long lists for later."""
    counts_visited: bool
    """Whether it has to count the edges of what it runs on itself."""
    edges: str
    """The edges of what it runs on."""
    result: ResultText
    entries: bool = False
    """Whether the members are entries of a worklist with an order."""
    visited: str = ""
    """What knows the values that members were visited with, where some are passed over."""
    bounds: str = ""
    """What knows bounds of values, where these are asked."""
    asks_few: bool = False
    """Whether a visit asks if the members are few."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A push of few members, which lie in a list of their own."""

    fits: str
    """The test that they are few."""
    queues: str
    """What makes a queue of members that are no list yet; empty where they are one always."""
    lists: str
    visit: Visit
    order: str
    """What says which members count, and which are kept."""
    fetch: tuple[str, ...]
    """The statements of the function that is called for each that is found."""
    end: tuple[str, ...]
    """What is done with the number of `edges` behind it."""
    unlist: str
    """What makes a queue of a list again."""


@dataclass(frozen=True, slots=True)
class ReduceSide:
    """The same for a reduction: `value` is what an edge gives."""

    name: str
    lists: str
    parameters: str
    value: str
    begin: str
    more: str
    assign: str
    """What is done with the result `reduced` for the vertex `near`."""


@dataclass(frozen=True, slots=True)
class Pull:
    """An advance from the far ends."""

    lists: str
    closes: bool
    selected: str
    alone: Visit
    """Where one thread does all the work of a far end."""
    shared: Visit
    """Where several warps do."""
    edges: str
    """The edges of what it runs on."""
    queued: bool
    """Whether the result must be there as a queue."""
    result: ResultText


@dataclass(frozen=True, slots=True)
class Beside:
    """An operator that runs in the sweep of another one, with what is noted of it in the trace."""

    comment: str
    site: int
    edges: str
    visit: Visit
    totals: TotalsText | None
    totals_name: str
    """The variable of these."""


@dataclass(frozen=True, slots=True)
class OperatorText(CommonText):
    """What every operator has. `linkage`: how it comes to where it is called."""

    linkage: ClassVar[str] = "__forceinline__"
    direction: str
    """The variable of the persistent kernel that remembers this operator's direction."""
    arguments: tuple[str, ...]
    """What it is called with beside ``run, d``; `input` and `result` stand for frontiers."""
    directed: bool
    """Whether it remembers a direction from pass to pass."""
    totals: TotalsText | None
    body: tuple[Phase, ...]
    """Its phases."""
    beside: tuple[Beside, ...]
    """What runs in its sweep: of a reduction behind its result, of all else before its own work on a member."""


@dataclass(frozen=True, slots=True)
class AdvanceText(OperatorText):
    """`advance`; it pushes, pulls, or chooses where both are given."""

    kind: ClassVar[str] = "advance"
    push: Push | None
    pull: Pull | None
    choice: SwitchText | None
    """The tests that say whether to pull, where it is chosen."""
    listed: Listed | None = None
    """How it pushes while members are few."""


@dataclass(frozen=True, slots=True)
class ElementsText(OperatorText):
    """What runs a functor on the members themselves, vertices or edges. `each` is the beginning of the call that does
    so, `edges` the edges that are noted in the trace."""

    queued: bool
    """Whether the members may not be there as a queue yet."""
    each: str
    edges: str
    visit: Visit
    result: ResultText
    rows: tuple[str, ...] = ()
    """What makes the function that fetches for the members that come next."""


@dataclass(frozen=True, slots=True)
class FilterText(ElementsText):
    """`filter` and `where`."""

    kind: ClassVar[str] = "filter"


@dataclass(frozen=True, slots=True)
class ComputeText(ElementsText):
    """`compute`."""

    kind: ClassVar[str] = "compute"


@dataclass(frozen=True, slots=True)
class IntersectText(OperatorText):
    """`intersect`. `total`: the variable or member of the totals that counts what is found, which is added to `count`
    where it is a variable; empty where nobody asks. `visit` is what is run, None where nothing is; `edge_at` and
    `edge_found` are the ids of the edges at both places, empty where nobody asks. `ends` makes what says the two
    vertices of a member; `untabled` makes what says that of the members that no table serves, empty where none is
    made; `queued`: the members may not be there as a queue yet."""

    kind: ClassVar[str] = "intersect"
    total: str
    count: str
    visit: Visit | None
    edge_at: str
    edge_found: str
    result: ResultText
    ends: str
    untabled: str
    queued: bool


@dataclass(frozen=True, slots=True)
class ReduceText(OperatorText):
    """`neighbor_reduce`. The result is stored in `target` and goes from there to `copied`, if anywhere; `reduce`
    combines `reduced` with what stands there. `captured` is what the function that combines has from around it."""

    kind: ClassVar[str] = "neighbor_reduce"
    type: str
    begins: str
    """The value that changes nothing, and behind it the one that nothing changes, where there is one to stop at."""
    final: str
    """What stands there for `near`, to be compared with the latter; else empty."""
    combine: str
    captured: str
    reduce: str
    sides: tuple[ReduceSide, ...]
    balance: str
    adds: bool
    """Whether `balance` combines parts with what stands there."""
    side_by_side: int
    """Edges of a list that a thread looks at without waiting for one of them."""
    target: str
    copied: str
    keeps: str
    """What makes the array of which each block keeps the first values, where one does."""
    known: str
    """The lists that have been found before, as the first of what `balance` takes behind the run; else empty."""
    history: str
    """The members of the history whose next level is looked at while others are waited for; else empty."""
    fetched: tuple[str, ...]
    """The arrays that are fetched at these members."""
    walked: str
    """The members, with what is fetched for the next ones."""
    rows: tuple[str, ...]
    """As in `ElementsText`."""


@dataclass(frozen=True, slots=True)
class BallotSide:
    """The ballots of one of the lists of a vertex."""

    name: str
    lists: str
    parameters: str
    ballot: Ballot


@dataclass(frozen=True, slots=True)
class VoteText(OperatorText):
    """`neighbor_vote`. `score` is an expression of ``near``, ``key`` and ``total``, `kept` one of ``near``, empty
    without such keys; `target` and `copied` as in `ReduceText`."""

    kind: ClassVar[str] = "neighbor_vote"
    linkage: ClassVar[str] = "OUTLINED"
    """It asks for all registers that there are."""
    key: str
    total: str
    score_type: str
    score: str
    kept: str
    keys: str
    totals_at: str
    """The tables."""
    sides: tuple[BallotSide, ...]
    target: str
    array: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target` = `value`."""

    target: str
    value: str


@dataclass(frozen=True, slots=True)
class InitialLoop:
    """The initial values of all arrays over vertices, or over edges, or of one of `values_each` values an element."""

    count: str
    id_type: str
    uses_id: bool
    values: tuple[Assignment, ...]
    values_each: str | None = None
    uses_part: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the generated text."""

    type: str
    name: str
    value: int
    comment: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel, with the lines of its body."""

    name: str
    comment: str
    parameters: str
    bounds: str
    """What the compiler is told of its blocks."""
    functions: tuple[str, ...]
    """What it alone calls."""
    lines: tuple[str, ...]
