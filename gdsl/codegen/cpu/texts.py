"""What the templates of the cpu backend lay out: the plan in words. Strings are C++ text."""

from __future__ import annotations

from typing import ClassVar

from gdsl.codegen.functors import TotalsText
from gdsl.codegen.operators import CommonText
from gdsl.codegen.switches import SwitchText
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Visit:
    """What is done with an edge or a vertex: a lambda's parameters and the lines of its body."""

    parameters: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResultText:
    """What becomes of accepted elements: the variable to which each thread gives them, and the statements behind the
    region of threads; `by_one`: the variable of a thread that does everything alone."""

    collector: str
    finish: tuple[str, ...]
    by_one: str = ""


@dataclass(frozen=True, slots=True)
class WalkText:
    """A way along the edges of each vertex, and what is done with an edge (in a reduction: its value)."""

    lists: str
    visit: Visit
    assign: Visit | None = None
    """What a reduction does with a vertex and its result."""
    by_one: Visit | None = None
    """What one thread does with an edge where it does all of a push; None where it is never alone."""


@dataclass(frozen=True, slots=True)
class Push:
    """An advance from the members."""

    walks: tuple[WalkText, ...]
    share: str
    """The runtime's function that shares the edges out."""
    much: str
    """Whether to share the work: an expression, of `edges` too where these are known."""
    edges: str
    """The edges of what it runs on; empty where they are counted on the way."""
    result: ResultText | None
    ahead: Visit | None = None
    """What is fetched of a member before its turn."""
    contended: bool = False
    """Whether one thread does it where two would get into each other's way, and keeps what it has changed."""


@dataclass(frozen=True, slots=True)
class Pull:
    """An advance from the far ends."""

    lists: str
    closes: bool
    select: Visit
    visit: Visit
    edges: str
    """The edges of what it runs on."""
    result: ResultText


@dataclass(frozen=True, slots=True)
class OperatorText(CommonText):
    """What every operator has."""

    arguments: str
    """What the schedule calls it with."""
    totals: str
    """The struct of the scalars that it sums up; empty without any."""


@dataclass(frozen=True, slots=True)
class AdvanceText(OperatorText):
    """`advance`; it pushes, pulls, or chooses where it can do both."""

    kind: ClassVar[str] = "advance"
    push: Push | None
    pull: Pull | None
    choice: SwitchText | None
    """The tests that say whether to pull, where it is chosen."""


@dataclass(frozen=True, slots=True)
class ElementsText(OperatorText):
    """`filter`, `where` and `compute`: a functor on the members themselves, vertices or edges."""

    kind: ClassVar[str] = "elements"
    queued: bool
    """Whether the members may not be there as a queue yet."""
    each: str
    """The beginning of the call that visits them."""
    edges: str
    """The edges that are noted in the trace."""
    visit: Visit
    result: ResultText | None
    by_one: Visit | None = None
    """What one thread does with a member where it does everything; None where it is never alone."""
    test: Visit | None = None
    """Where nothing is done but test a vertex and collect it: the test."""
    little: str = ""
    """Up to how many members one thread does everything, where it may."""
    own: tuple[str, ...] = ()
    """What a thread begins with: its own copy ``d`` of the data, which are ``given`` outside."""


@dataclass(frozen=True, slots=True)
class IntersectText(OperatorText):
    """`intersect`: `each` begins the call that goes over its edges, whose parameters are `edge`; `visit` is what is
    done with a common neighbour. `count`: the scalar to which the variable ``counted`` is added, empty without.
    `with_edges`: it takes the edges to that one. `queued`: the members may not be there as a queue yet."""

    kind: ClassVar[str] = "intersect"
    each: str
    edge: str
    visit: Visit
    with_edges: bool
    count: str
    result: ResultText | None
    queued: bool


@dataclass(frozen=True, slots=True)
class ReduceText(OperatorText):
    """`neighbor_reduce`; `stored` are lines that store what was computed aside, for one `near`. `captured` is what the
    function that combines has from around it."""

    kind: ClassVar[str] = "reduce"
    type: str
    begins: str
    """The value that changes nothing, and behind it the one that nothing changes, where there is one to stop at."""
    combine: str
    captured: str
    share: str
    """The runtime's function that shares the edges out."""
    share_by_one: str
    """That of a thread that does everything alone."""
    walks: tuple[WalkText, ...]
    stored: Visit | None
    ahead: Visit | None
    """As in `Push`."""


@dataclass(frozen=True, slots=True)
class VoteText(OperatorText):
    """`neighbor_vote`. `keys` is the bound of most keys, 0 where nobody knows. Each of `walks` counts ballots in
    ``votes``; `degrees` are the lists by which room is made for them. `score` is an expression of ``near``, ``key`` and
    ``total``, `kept` one of ``near``, empty without such keys; `elect` takes a result, `stored` as in `ReduceText`."""

    kind: ClassVar[str] = "vote"
    key: str
    total: str
    keys: str
    score_type: str
    score: str
    kept: str
    degrees: str
    walks: tuple[WalkText, ...]
    elect: Visit
    stored: Visit | None
    ahead: Visit | None
    """As in `Push`."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of `data_slice`, and how the host's slot `place` of `slots` becomes it."""

    type: str
    name: str
    is_pointer: bool
    slots: str
    place: int


@dataclass(frozen=True, slots=True)
class Temporary:
    """An array that the program makes for itself: member `name`, whose `count` elements lie in `values`."""

    type: str
    name: str
    values: str
    count: str


@dataclass(frozen=True, slots=True)
class InitialArray:
    """What each element of an array is at first."""

    name: str
    value: str
    uses_id: bool
    uses_part: bool


@dataclass(frozen=True, slots=True)
class InitialLoop:
    """The initial values of all arrays over vertices, or over edges, or of one of `values_each` values an element."""

    count: str
    id_type: str
    bytes: int
    """Of all of these arrays, an element."""
    arrays: tuple[InitialArray, ...]
    values_each: str | None = None


@dataclass(frozen=True, slots=True)
class ProgramText:
    """Everything that one generated file holds."""

    head: tuple[str, ...]
    vertex_type: str
    edge_type: str
    constants: tuple[tuple[str, int, str], ...]
    totals: tuple[TotalsText, ...]
    functions: tuple[str, ...]
    operators: tuple[OperatorText, ...]
    initial_loops: tuple[InitialLoop, ...]
    initial_scalars: tuple[str, ...]
    schedule: tuple[str, ...]
    members: tuple[Member, ...]
    temporaries: tuple[Temporary, ...]
    swapped: tuple[tuple[int, str], ...]
    """(place, member) of the data that may change places."""
    listed: bool
    """Whether the program makes graphs."""
    linkage: str
    """What stands before the functions that the host calls."""
