"""What the templates of the CUDA backend lay out: the plan in words. Strings are C++ text."""

from __future__ import annotations

from typing import ClassVar

from gdsl.codegen.functors import Ballot, EarlyCalls, TotalsText
from gdsl.codegen.operators import CommonText
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
    walked: str
    """The members, with what is fetched for the next ones."""
    rows: tuple[str, ...]
    """What makes the function that fetches for the members that come next."""


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
