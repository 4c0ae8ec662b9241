"""The operators of the IR: what they share, and what each has beside that."""

from __future__ import annotations

from gdsl.ir.expressions import Expression, Node, Role
from gdsl.operations import Domain, NeighborOperation, Over
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Closing(Node):
    """That a functor closes: conjunct `condition[conjunct]` reads `array[far]` (`near` for `end` NEAR) and the store at
    `body[statement]`, when that is a statement of the body itself and not None, makes it false."""

    end: Role
    array: str
    conjunct: int
    statement: int | None


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A statement of the schedule."""


@dataclass(frozen=True, slots=True)
class Elements(Node):
    """What an operator runs on: a frontier variable, which keeps its value, or (None) everything of the domain."""

    domain: Domain
    frontier: str | None

    @property
    def everything(self) -> bool:
        """Whether these are all vertices, or all edges."""
        return self.frontier is None


@dataclass(frozen=True, slots=True)
class Operator(Step):
    """A bulk operation. `label` names it for tuning and traces: the `@label`, else the functor's name; `site` numbers
    the operators of the program from 0 in the order of the text.

    `functor` is None where it runs none, `result` is the frontier that it makes, None where it makes none. `result` may
    be the name in `frontier`: the input is read first, then replaced.
    """

    site: int
    label: str
    frontier: Elements
    functor: str | None
    result: str | None

    @property
    def word(self) -> str:
        """What the language calls it."""
        raise NotImplementedError

    @property
    def visits(self) -> Over | None:
        """The edges of its members that the functor is called for; None: it is called for the members themselves."""
        return None

    @property
    def called_for(self) -> Domain:
        """What the functor is called for."""
        return self.frontier.domain if self.visits is None else Domain.EDGE

    @property
    def gives(self) -> Domain:
        """What its result is a set of."""
        return self.frontier.domain

    @property
    def stores(self) -> str | None:
        """The array that the operator itself gives new values, beside what its functor writes."""
        return None

    @property
    def looks_at(self) -> str | None:
        """An array that the operator itself reads, beside what its functors read."""
        return None

    @property
    def adds_to(self) -> str | None:
        """The int64 scalar to which the operator itself adds a total."""
        return None


@dataclass(frozen=True, slots=True)
class Advance(Operator):
    """Visits the edges of `frontier`; the accepted far ends, or (`to` EDGE) edges, become `result` (None: `to=none`, or
    not used)."""

    functor: str
    over: Over
    closing: Closing | None
    to: Domain = Domain.VERTEX

    @property
    def gives(self) -> Domain:
        """The far ends, or the edges themselves."""
        return self.to

    @property
    def word(self) -> str:
        """What the language calls it."""
        return "advance"

    @property
    def visits(self) -> Over | None:
        """The edges that it is told to go over."""
        return self.over


@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """The elements of `frontier` that pass `cond` and are accepted become `result`."""

    functor: str
    result: str

    @property
    def word(self) -> str:
        """What the language calls it."""
        return "where" if self.frontier.everything else "filter"


@dataclass(frozen=True, slots=True)
class Compute(Operator):
    """Runs a vertex functor on each vertex of a set, or an edge functor on each edge of one."""

    functor: str
    closing: Closing | None

    @property
    def word(self) -> str:
        """What the language calls it."""
        return "compute"


@dataclass(frozen=True, slots=True)
class OwnOperation(Node):
    """A reduction of the program's own: `function` makes one value of two, and `identity`, a literal, changes nothing.

    `exact`: whether the order makes no difference at all, not even in the last digits; found by `gdsl.rules`.
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
    def word(self) -> str:
        """What the language calls it."""
        return "neighbor_reduce"

    @property
    def combines_by(self) -> str:
        """What the program calls the reduction."""
        return self.operation.value if self.operation is not None else self.own.function if self.own is not None else ""

    @property
    def visits(self) -> Over | None:
        """The edges that it is told to go over."""
        return self.over

    @property
    def stores(self) -> str | None:
        """The array of the results."""
        return self.array


@dataclass(frozen=True, slots=True)
class NeighborVote(Operator):
    """`array[v]` = the key, among those that the ballots of v's edges give, with the largest sum of weights, or the
    largest `score`; as if all were computed before any is stored.

    Of equal ones the key in `keep` at v wins, if it is among them, else the smallest. A NaN is the smallest score.
    Without ballots `array[v]` stays what it is.
    """

    functor: str
    score: str | None
    over: Over
    array: str
    array_type: Type
    keep: str | None

    @property
    def word(self) -> str:
        """What the language calls it."""
        return "neighbor_vote"

    @property
    def visits(self) -> Over | None:
        """The edges that it is told to go over."""
        return self.over

    @property
    def stores(self) -> str | None:
        """The array of the results."""
        return self.array

    @property
    def looks_at(self) -> str | None:
        """The array of the keys that win a tie."""
        return self.keep


@dataclass(frozen=True, slots=True)
class Intersect(Operator):
    """The vertices to which out-edges lead from both ends of an edge of `frontier`: all of them become `result`, and
    how many there are for each edge, the lists of its ends taken as sets, is added to the scalar `count`; where it runs
    a functor, for an edge and each of these, those that are accepted.

    With `partners`, an array of vertices, the same for pairs of vertices instead: each vertex of `frontier` and its
    element there; where that is `none` there is no pair. Without `result` or `count` the one is not asked for.
    """

    count: str | None
    partners: str | None = None

    @property
    def word(self) -> str:
        """What the language calls it."""
        return "intersect"

    @property
    def gives(self) -> Domain:
        """The common neighbours."""
        return Domain.VERTEX

    @property
    def adds_to(self) -> str | None:
        """The scalar of the total."""
        return self.count

    @property
    def looks_at(self) -> str | None:
        """The array of the partners."""
        return self.partners

    @property
    def called_for(self) -> Domain:
        """An edge, with a common neighbour of its ends."""
        return Domain.EDGE
