"""Nodes of the IR that run functors: the operators."""

from __future__ import annotations

from gdsl.ir.expression_nodes import Expression, Node, Role
from gdsl.ir.schedule_nodes import Elements, Step
from gdsl.operations import Domain, NeighborOperation, Over
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Operator(Step):
    """A bulk operation. `label` names it for tuning and traces: the `@label`, else the functor's name; `site` numbers
    the operators of the program from 0 in the order of the text.

    `functor` is None where it runs none, and `result` is the frontier that it creates, if any. `result` may be the name
    in `frontier`: the input is read first, then replaced.
    """

    site: int
    label: str
    frontier: Elements
    functor: str | None
    result: str | None

    @property
    def word(self) -> str:
        """The operator's name in the language."""
        if isinstance(self, Filter):
            return "where" if self.frontier.everything else "filter"
        return _WORDS[type(self)]

    @property
    def visits(self) -> Over | None:
        """The edges of its members that the functor is called for; None: it is called for the members themselves."""
        return self.over if isinstance(self, Advance | NeighborReduce | NeighborVote) else None

    @property
    def functor_domain(self) -> Domain:
        """What the functor is called for."""
        of_members = self.visits is None and not isinstance(self, Intersect)
        return self.frontier.domain if of_members else Domain.EDGE

    @property
    def result_domain(self) -> Domain:
        """The domain of its result."""
        if isinstance(self, Advance):
            return self.to
        return Domain.VERTEX if isinstance(self, Intersect) else self.frontier.domain

    @property
    def stores(self) -> str | None:
        """The array that the operator itself writes, in addition to the writes of its functor."""
        return self.array if isinstance(self, NeighborReduce | NeighborVote) else None

    @property
    def array_read(self) -> str | None:
        """An array that the operator itself reads, in addition to the reads of its functors."""
        if isinstance(self, NeighborVote):
            return self.keep
        return self.partners if isinstance(self, Intersect) else None

    @property
    def adds_to(self) -> str | None:
        """The int64 scalar to which the operator itself adds a total."""
        return self.count if isinstance(self, Intersect) else None


@dataclass(frozen=True, slots=True)
class Closing(Node):
    """A proof that a functor closes: conjunct `condition[conjunct]` reads `array[far]` (`near` for `end` NEAR), and a
    store makes it false: `body[statement]`, or None if that is not a statement of the body itself."""

    end: Role
    array: str
    conjunct: int
    statement: int | None


@dataclass(frozen=True, slots=True)
class Advance(Operator):
    """Visits the edges of `frontier`. The accepted far ends, or (`to` EDGE) edges, become `result`, which is None for
    `to=none` and where nothing uses it."""

    functor: str
    over: Over
    closing: Closing | None
    to: Domain = Domain.VERTEX
    loose: bool = False
    """It writes labels alone, and no result depends on which ones: see `gdsl.uniqueness.whole_components`."""
    sends: bool = False
    """It is the sending half of a reduction, which runs where few edges have something to give: see
    `gdsl.plan.sending`."""


@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """The elements of `frontier` that pass `cond` and are accepted become `result`."""

    functor: str
    result: str


@dataclass(frozen=True, slots=True)
class Compute(Operator):
    """Runs a vertex functor on each vertex of a set, or an edge functor on each edge of one."""

    functor: str
    closing: Closing | None


@dataclass(frozen=True, slots=True)
class OwnOperation(Node):
    """A reduction by the program's own `function`, which combines two values; `identity`, a literal, changes nothing.

    `exact`: whether the order makes no difference at all, not even in the last digits, as `gdsl.rules` finds.
    """

    function: str
    identity: Expression
    exact: bool


@dataclass(frozen=True, slots=True)
class NeighborReduce(Operator):
    """`array[v]` = the reduction over v's edges for each v of `frontier`, as if all were computed before any is stored.

    The functor gives values of `array_type`; for COUNT it gives bools, and the array holds integers. Without an
    `operation` it combines by `own`, one of the program.
    """

    functor: str
    operation: NeighborOperation | None
    over: Over
    array: str
    array_type: Type
    own: OwnOperation | None = None

    @property
    def combines_by(self) -> str:
        """The program's name for the reduction."""
        return self.operation.value if self.operation is not None else self.own.function if self.own is not None else ""


@dataclass(frozen=True, slots=True)
class NeighborVote(Operator):
    """`array[v]` = the key, among those that the ballots of v's edges give, with the largest sum of weights, or the
    largest `score`; as if all were computed before any is stored.

    Among equal keys, the one in `keep` at v wins if it is among them, else the smallest. A NaN is the smallest score.
    Where there is a `score`, the key in `keep` at v is among the keys without ballots, too, with a total of 0. Without
    any key `array[v]` keeps its value.
    """

    functor: str
    score: str | None
    over: Over
    array: str
    array_type: Type
    keep: str | None

    @property
    def keeps_candidate(self) -> bool:
        """Whether the key in `keep` needs no ballot."""
        return self.keep is not None and self.score is not None


@dataclass(frozen=True, slots=True)
class Intersect(Operator):
    """The vertices to which out-edges lead from both ends of an edge of `frontier`. All of them become `result`, and
    their number for each edge, with the lists of its ends taken as sets, is added to the scalar `count`. With a
    functor, which runs on an edge and each of these, only those that are accepted.

    With `partners`, an array of vertices, the same for pairs of vertices: each vertex of `frontier` and its element
    there, unless that is `none`. `result` or `count` is None where it is not needed.
    """

    count: str | None
    partners: str | None = None


_WORDS: dict[type[Operator], str] = {
    Advance: "advance",
    Compute: "compute",
    NeighborReduce: "neighbor_reduce",
    NeighborVote: "neighbor_vote",
    Intersect: "intersect",
}
