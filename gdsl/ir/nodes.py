"""The operator IR: what a program means once names, types and conversions are resolved. All of its nodes are here.

Every node is a frozen dataclass with the span of the text that it came from. Names of data, functors, frontiers and
locals are the program's own and unique within their kind, so a name identifies its declaration. Expressions are typed,
every conversion is explicit, and the operands of a `Binary` have one type. `gdsl.ir.verifier` checks this, and
`gdsl.ir.printer` prints it.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from gdsl.extents import Extent
from gdsl.operations import (
    Balance,
    BinaryOperation,
    Builtin,
    Degree,
    Direction,
    Domain,
    Duplicates,
    FrontierForm,
    Grade,
    GraphQuery,
    Layout,
    NeighborOperation,
    Order,
    Outcome,
    Over,
    ReduceOperation,
    SetOperation,
    StoreRule,
    UnaryOperation,
)
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a program, with its place in the text."""

    span: Span


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """Something with a value of one type."""

    type: Type


# ---------------------------------------------------------------- leaves


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A constant. Integers are in the range of `type`; `inf` of an integer type is that type's largest value."""

    value: bool | int | float


@dataclass(frozen=True, slots=True)
class NoneId(Expression):
    """`none`: no vertex, no edge; it orders after every id."""


class Role(Enum):
    """The meaning of a functor's own parameter."""

    VERTEX = "vertex"
    """The element of a vertex functor."""
    SOURCE = "source"
    DESTINATION = "destination"
    EDGE = "edge"
    NEAR = "near"
    """The end of the edge that is in the frontier (`compute(edges, …)`: the source)."""
    FAR = "far"
    """The other end (`compute(edges, …)`: the destination)."""
    COMMON = "common"
    """The common neighbor of both ends of an edge."""
    SOURCE_EDGE = "source_edge"
    """The first edge from the source to the common neighbor."""
    DESTINATION_EDGE = "destination_edge"
    """The first edge from the destination to it."""

    @property
    def is_edge(self) -> bool:
        """Whether it is the id of an edge, not of a vertex."""
        return self in (Role.EDGE, Role.SOURCE_EDGE, Role.DESTINATION_EDGE)


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """The vertex, the edge or an end of the edge that a functor was called for; `name` is what the program calls it."""

    role: Role
    name: str


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """A `let`, `var`, loop variable or function parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class ListVariable(Expression):
    """The vertex or edge of the current pass of a loop over a list, which is always in range."""

    name: str


@dataclass(frozen=True, slots=True)
class ParamValue(Expression):
    """A `param` of the program."""

    name: str


@dataclass(frozen=True, slots=True)
class ScalarValue(Expression):
    """The value of a `scalar`. `now`: any value from before the operator or written during it."""

    name: str
    now: bool = False


@dataclass(frozen=True, slots=True)
class Element(Expression):
    """`array[index]`. `checked`: the index was computed and must be tested against the array's length."""

    array: str
    domain: Domain
    index: Expression
    checked: bool
    now: bool = False


@dataclass(frozen=True, slots=True)
class Slot(Expression):
    """The index (int64) of value number `place` of `element` in an array with `count` values per element, which are
    stored side by side. It occurs only as the index of an element or a target.

    `checked` is about the element, as in `Element`, `place_checked` about the place; `count` is a literal or a param.
    """

    element: Expression
    checked: bool
    place: Expression
    place_checked: bool
    count: Expression


def element_index(index: Expression) -> Expression:
    """The vertex or edge that an index refers to."""
    return index.element if isinstance(index, Slot) else index


@dataclass(frozen=True, slots=True)
class OwnId(Expression):
    """`id` in an array's initial value: the element's own vertex or edge id."""


@dataclass(frozen=True, slots=True)
class OwnPart(Expression):
    """`part` in an initial value: which of the values of its element is computed (int32)."""


@dataclass(frozen=True, slots=True)
class Iteration(Expression):
    """Finished passes of the innermost loop around the call site (int32), 0 outside loops."""


@dataclass(frozen=True, slots=True)
class Place(Expression):
    """`place`: how many edges come before this one in its source's list (int32)."""


@dataclass(frozen=True, slots=True)
class Count(Expression):
    """`num_vertices` or `num_edges` (int64)."""

    domain: Domain


@dataclass(frozen=True, slots=True)
class DegreeOf(Expression):
    """`out_degree(v)` or `in_degree(v)` (int32). `checked` as in `Element`."""

    degree: Degree
    vertex: Expression
    checked: bool


@dataclass(frozen=True, slots=True)
class GraphRead(Expression):
    """What the graph knows about an edge or a vertex, the first of `arguments`, to which `checked` applies (as in
    `Element`). The second is a place in the vertex's list, which is always checked, or another vertex."""

    query: GraphQuery
    arguments: tuple[Expression, ...]
    checked: bool


@dataclass(frozen=True, slots=True)
class FrontierSize(Expression):
    """`size(f)` (int64), in the schedule only."""

    frontier: str


@dataclass(frozen=True, slots=True)
class FrontierNotEmpty(Expression):
    """A frontier used as a condition, in the schedule only."""

    frontier: str


# ---------------------------------------------------------------- operations


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """An operation on one operand of the same type."""

    operation: UnaryOperation
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """An operation on two operands of one type; comparisons and logic give bool."""

    operation: BinaryOperation
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Chain(Expression):
    """A long run of operators with their right operands, applied from left to right to `first`: nested `Binary`s in a
    flat form, so that walks do not recurse as deep as a program is long. All operands and results have the chain's
    type, except for the counts of shifts, which may be of any integer type."""

    first: Expression
    links: tuple[tuple[BinaryOperation, Expression], ...]


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """`condition ? yes : no`, of which only one side is evaluated."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A change of type, written or implied. `none` becomes -1 (the largest value of an unsigned type), a float out of
    range the nearest integer in range (NaN: 0), an integer that is not an id of the graph `none`, and a bool 0 or 1.
    A conversion to bool is `!= 0`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class BuiltinCall(Expression):
    """A call of a function that the language provides."""

    function: Builtin
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    """A call of one of the program's own functions."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MakePair(Expression):
    """`(first, second)`: the pair of two values, whose types are the parts of `type`."""

    first: Expression
    second: Expression


@dataclass(frozen=True, slots=True)
class PairPart(Expression):
    """`pair.0` or `pair.1`, depending on `place`."""

    pair: Expression
    place: int


# ---------------------------------------------------------------- writes
#
# `UpdateValue` and `CompareAndSwap` are expressions with an effect. The checker allows them only where the order of
# effects is obvious: as the whole value of a `let`, `var`, assignment, expression statement, `accept` or condition, or
# as an operand of `&& || !` there.


@dataclass(frozen=True, slots=True)
class ElementTarget(Node):
    """An array element that is written."""

    array: str
    domain: Domain
    type: Type
    index: Expression
    checked: bool


@dataclass(frozen=True, slots=True)
class ScalarTarget(Node):
    """A scalar that is written."""

    scalar: str
    type: Type


Target = ElementTarget | ScalarTarget


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A statement of a functor or function."""


@dataclass(frozen=True, slots=True)
class Store(Statement):
    """`x = y` or `x any= y`."""

    target: Target
    value: Expression
    rule: StoreRule


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """`x op= y`, atomic where several calls may write the same element."""

    target: Target
    operation: ReduceOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class UpdateValue(Expression):
    """`changed(x op= y)` (bool) or `fetch(x op= y)` (the former value)."""

    outcome: Outcome
    update: Update


@dataclass(frozen=True, slots=True)
class CompareAndSwap(Expression):
    """`cas(x, old, new)`: true for the single call that changed `target` from `old` to `new`."""

    target: Target
    old: Expression
    new: Expression


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """A `cas` used as a statement."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Accept(Statement):
    """Decides membership of the outgoing frontier; the last one executed counts, and without any it is true."""

    value: Expression


# ---------------------------------------------------------------- locals and control flow of functors


@dataclass(frozen=True, slots=True)
class Let(Statement):
    """A new local, constant (`let`) or not (`var`)."""

    name: str
    type: Type
    value: Expression
    mutable: bool


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """A new value for a `var`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Branch(Statement):
    """`if … else …` in a functor."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForRange(Statement):
    """`for i in first..last`, `last` excluded; both ends are evaluated once."""

    name: str
    type: Type
    first: Expression
    last: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForNeighbors(Statement):
    """`for name, edge in neighbors(vertex)`: the out-edges of `vertex`, which is evaluated once, in the order of its
    list. `checked` as in `Element`; `edge` is None where the program does not name it."""

    name: str
    edge: str | None
    vertex: Expression
    checked: bool
    body: tuple[Statement, ...]

    @property
    def variables(self) -> tuple[tuple[str, Type], ...]:
        """The variables of the loop, with their types."""
        neighbor = (self.name, Type.VERTEX)
        return (neighbor,) if self.edge is None else (neighbor, (self.edge, Type.EDGE))


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """`while (condition)` in a functor; polls the stop flag."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """Leaves the innermost loop of the functor."""


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """The value of a function."""

    value: Expression


# ---------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True)
class Param(Node):
    """A scalar from the caller, which may be left out where there is a `default`. `where` holds of its value."""

    name: str
    type: Type
    default: Expression | None
    is_count: bool = False
    """Whether the compiler added it: how many values an element of an array has, which `default` computes, possibly
    from other params. The caller does not pass it."""
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class Doubt(Node):
    """Why a result is not exact: what the statement at `span` leaves to the order, in words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Array(Node):
    """Values over vertices or edges, `extent` in total. An input is from the graph or the caller, and read-only if no
    statement writes it.

    Only inputs have no `initial`. `where` holds of every element of an input, which reads as `Element` of this array at
    `OwnId`.
    """

    name: str
    domain: Domain
    extent: Extent
    type: Type
    initial: Expression | None
    is_input: bool
    is_local: bool
    where: Expression | None
    grade: Grade = Grade.EXACT
    """How the values may differ from run to run, as `gdsl.uniqueness` finds."""
    doubt: Doubt | None = None
    count: Expression | None = None
    """How many values an element has, a literal or a param; None: one, without a place of its own. `initial` may use
    `OwnPart` then."""
    is_set: bool = False
    """Whether the caller passes it as a set of vertices: a param, which the host turns into an input of flags. `where`
    holds of each member then, which reads as `OwnId`."""
    least: int = 0
    """The minimum size of a set."""

    @property
    def unique(self) -> bool:
        """Whether every run gives the same values, up to the rounding of float sums."""
        return self.grade is not Grade.NOT_UNIQUE


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """One value on the device; the fields are those of `Array`."""

    name: str
    type: Type
    initial: Expression | None
    is_input: bool
    is_local: bool
    where: Expression | None
    grade: Grade = Grade.EXACT
    doubt: Doubt | None = None

    @property
    def unique(self) -> bool:
        """Whether every run gives the same value, up to the rounding of float sums."""
        return self.grade is not Grade.NOT_UNIQUE


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A pure function; `parameters` are (name, type)."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class VertexFunctor(Node):
    """Runs on vertices. `condition` is a list of conjuncts, all of which must hold for `body` to run."""

    name: str
    vertex: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CommonNames(Node):
    """The program's names for the common neighbor and the edges that lead to it from both ends. `has_edges`: it also
    names these edges and the edge itself."""

    vertex: str
    source_edge: str
    destination_edge: str
    has_edges: bool


@dataclass(frozen=True, slots=True)
class EdgeFunctor(Node):
    """Runs on edges. A functor with a `value` is for `neighbor_reduce` and writes nothing. With a `key` as well, it is
    for `neighbor_vote`, and the value is the weight. A functor with `common` is for `intersect`: it runs on an edge and
    each common neighbor of its ends."""

    name: str
    source: str
    destination: str
    edge: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]
    value: Expression | None
    key: Expression | None = None
    common: CommonNames | None = None


@dataclass(frozen=True, slots=True)
class VoteFunctor(Node):
    """Scores the votes for a key at a vertex, for `neighbor_vote`; `key` and `total`, the sum of their weights, are
    locals of `value`."""

    name: str
    vertex: str
    key: str
    key_type: Type
    total: str
    total_type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class Frontier(Node):
    """A frontier variable: a set of vertices or of edges."""

    name: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class Requirements(Node):
    """`requires symmetric, simple;`: what the graph must be."""

    symmetric: bool
    simple: bool


@dataclass(frozen=True, slots=True)
class TypeParameter(Node):
    """A type that the caller chooses. The program is one instance of its text, in which `type`, or a type derived from
    it, has replaced the parameter.

    `class_name` is the key of `gdsl.types.TYPE_CLASSES`. `users` are the params and the data of this type; the params
    and inputs among them determine it in a call.
    """

    name: str
    class_name: str
    default: Type
    type: Type
    users: tuple[str, ...]


# ---------------------------------------------------------------- schedule


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A statement of the schedule."""


@dataclass(frozen=True, slots=True)
class While(Step):
    """`while (condition)`; `loop` numbers the loops of the program from 0 in the order of the text."""

    loop: int
    condition: Expression
    body: tuple[Step, ...]
    monotone: bool = False
    """Whether any order of the visits ends in the same values (*Order of work* of the language), as
    `gdsl.uniqueness.order` finds."""


@dataclass(frozen=True, slots=True)
class Repeat(Step):
    """`repeat (count)`: the count is evaluated once; negative is 0."""

    loop: int
    count: Expression
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class If(Step):
    """`if … else …` in the schedule."""

    condition: Expression
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StoreElement(Step):
    """`a[x] = y` in the schedule."""

    target: ElementTarget
    value: Expression


@dataclass(frozen=True, slots=True)
class StoreScalar(Step):
    """`s = y` in the schedule; `s op= y` is lowered to this, with the operation in `value`."""

    scalar: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Fill(Step):
    """`fill(a, x)`."""

    array: str
    domain: Domain
    type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class Swap(Step):
    """`swap(a, b)`: two arrays, or two scalars, of the same type and kind change places."""

    first: str
    second: str
    of_scalars: bool


# ---------------------------------------------------------------- frontiers


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
class DefineFrontier(Step):
    """`name` becomes the set of `members` (vertices or edges, duplicates allowed; all of them where `everything`)."""

    name: str
    members: tuple[Expression, ...]
    everything: bool
    domain: Domain = Domain.VERTEX


@dataclass(frozen=True, slots=True)
class CopyFrontier(Step):
    """`name = other`, by value."""

    name: str
    other: str


@dataclass(frozen=True, slots=True)
class FarEnds(Step):
    """`name` becomes the set of the sources or destinations (`end`) of the edges in `other`."""

    name: str
    other: str
    end: Role


@dataclass(frozen=True, slots=True)
class CombineFrontiers(Step):
    """`name = first operation second`, by value; `name` may be that of an operand.

    The operands are two frontiers of the domain of `name`; only `first` of a difference may be all elements.
    """

    name: str
    operation: SetOperation
    first: Elements
    second: Elements


# ---------------------------------------------------------------- graphs
#
# `vertices`, `edges`, lists, degrees and counts always refer to the current graph: that of the innermost `On`, as it
# was when the `On` began, or else the graph that the program was given.


@dataclass(frozen=True, slots=True)
class On(Step):
    """`on graph { … }`."""

    graph: str
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class SameGraph(Step):
    """`name` becomes the current graph."""

    name: str


@dataclass(frozen=True, slots=True)
class Subgraph(Step):
    """`name` becomes the current graph with only the edges in the frontier `edges`; all ids stay the same."""

    name: str
    edges: str


@dataclass(frozen=True, slots=True)
class Weights(Node):
    """The array whose values `operation` combines where edges are merged into one; it begins with the identity."""

    array: str
    type: Type
    operation: NeighborOperation


@dataclass(frozen=True, slots=True)
class Contract(Step):
    """`name` becomes the current graph with all vertices of one `label` merged into one vertex.

    The new ids are ordered by ascending label (`none` last), and `label` of each old vertex becomes its new id. Of all
    edges between two new vertices one is left, numbered by source, then by destination. Its element in `weights`
    becomes the combination of theirs; sums of integers wrap. Other elements keep their values.
    """

    name: str
    label: str
    label_type: Type
    weights: Weights | None

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that get new values."""
        return (self.label,) if self.weights is None else (self.label, self.weights.array)


GraphStep = SameGraph | Subgraph | Contract
"""The steps that assign a graph to a variable."""


# ---------------------------------------------------------------- operators


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
    Without ballots `array[v]` keeps its value.
    """

    functor: str
    score: str | None
    over: Over
    array: str
    array_type: Type
    keep: str | None


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


# ---------------------------------------------------------------- between frontiers and data


class SetUse(NamedTuple):
    """What a step uses apart from its expressions."""

    frontiers: tuple[str, ...] = ()
    """The frontiers whose members it reads."""
    result: str | None = None
    """The frontier that gets new members."""
    reads: tuple[str, ...] = ()
    """The arrays and scalars that it reads."""
    writes: tuple[str, ...] = ()
    """The arrays and scalars that it writes."""
    by_leader: tuple[str, ...] = ()
    """Those of them that one thread writes, which is always the same."""


@dataclass(frozen=True, slots=True)
class SetStep(Step):
    """A step between frontiers and data that runs no functor. Its data is in arrays and scalars that only such steps
    and the lowering name."""

    @property
    def use(self) -> SetUse:
        """What it uses, so that later stages need not know the kinds of steps."""
        match self:
            case PushLevel(history=history):  # where its last level ends is known without a read
                return SetUse((self.frontier,), writes=history.data, by_leader=(history.ends, history.levels))
            case TakeLevel(history=history):
                return SetUse(result=self.name, reads=history.data)
            case CheckWidth():
                return SetUse(reads=(self.width,))
            case ChooseBound():
                return SetUse((self.waiting,), reads=(self.nearest, self.farthest), writes=(self.bound,))
            case CheckPairs():
                return SetUse(reads=(self.more,))
            case NumberMembers(members=members):
                return SetUse(() if members.frontier is None else (members.frontier,), writes=(self.array,))
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True, slots=True)
class History(Node):
    """The levels of the history `name`, stored one after the other in the array `members`.

    `ends` has the position after the last member of each level, and the scalar `levels` the number of levels. Each
    level has at least one member, and all levels together have at most as many members as the graph has vertices.
    """

    name: str
    members: str
    ends: str
    levels: str

    @property
    def data(self) -> tuple[str, ...]:
        """All three."""
        return self.members, self.ends, self.levels


@dataclass(frozen=True, slots=True)
class PushLevel(SetStep):
    """`h.push(f)`: the members of `frontier`, if there are any, become one more level. More members in total than the
    graph has vertices stop the run."""

    history: History
    frontier: str


@dataclass(frozen=True, slots=True)
class TakeLevel(SetStep):
    """`name` becomes a level of a history, one in each pass of a `Repeat` that has a pass for every level: in the first
    pass the first one, or, `backward`, the last. Nothing in that loop adds levels."""

    name: str
    history: History
    backward: bool


@dataclass(frozen=True, slots=True)
class Buckets(Node):
    """Buckets of vertices, ordered by the values of `array`. The vertices of all buckets are in the frontier `waiting`.

    `automatic`: the run chooses how many vertices a pop takes; no result may depend on which these are.
    """

    name: str
    array: str
    waiting: str
    automatic: bool


@dataclass(frozen=True, slots=True)
class PushBuckets(Step):
    """`b.push(members)`. `body` has the steps that this stands for."""

    buckets: Buckets
    members: Elements
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class PopBuckets(Step):
    """`result` becomes the nearest vertices of `buckets`, which no longer wait then: at least one where any wait.
    `body` has the steps that this stands for."""

    buckets: Buckets
    result: str
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CheckWidth(SetStep):
    """The run stops unless the width of a level of the buckets `name`, in the scalar `width`, is above 0."""

    name: str
    width: str
    type: Type


@dataclass(frozen=True, slots=True)
class ChooseBound(SetStep):
    """The scalar `bound` becomes any number that is not below `nearest`: the next pop of `buckets` takes those up to
    there out of `waiting`, whose members have the values `nearest` to `farthest` (NaN and infinity apart). All are
    float64. The choice is open, so no result may depend on it.
    """

    buckets: str
    waiting: str
    nearest: str
    farthest: str
    bound: str


@dataclass(frozen=True, slots=True)
class CheckPairs(SetStep):
    """The run stops where two sets that are taken as pairs differ in size. The scalar `more` has the size of the first
    minus that of the second."""

    more: str


@dataclass(frozen=True, slots=True)
class NumberMembers(SetStep):
    """`array = number(f)`: the element of each member of `members` becomes the number of members with smaller ids; all
    others keep their values. The array has the domain of the members and an integer type."""

    array: str
    array_type: Type
    members: Elements


# ---------------------------------------------------------------- the program


@dataclass(frozen=True, slots=True)
class OperatorKnobs(Node):
    """The knobs of one operator; those that it does not have are as the table of knobs has them."""

    direction: Direction | None
    """None: no choice was made, and it is not known yet whether the functor closes; `gdsl.annotate` derives it."""
    alpha: int
    beta: int
    balance: Balance
    frontier: FrontierForm = FrontierForm.AUTO
    dedup: Duplicates = Duplicates.AUTO


@dataclass(frozen=True, slots=True)
class Tuning(Node):
    """All knobs of a program: its own, and by site number those of its operators."""

    sites: tuple[OperatorKnobs, ...] = ()
    fuse: bool = True
    block: int | None = None
    """Threads per block; None: the backend's choice."""
    ids: int | None = None
    """Bits of a vertex or edge id, 32 or 64; None: 32 while they fit."""
    bounds: bool = True
    order: Order = Order.AUTO
    layout: Layout = Layout.AUTO
    without: tuple[str, ...] = ()
    """Not a knob: the passes of the plan that are left out (`gdsl.plan.passes`), which changes no result."""


class _WithDigest(Node):
    """Room for a cached digest of the whole program, which is not part of its value: neither equality nor a copy knows
    it."""

    __slots__ = ("digest",)
    digest: str


@dataclass(frozen=True, slots=True)
class Program(_WithDigest):
    """A whole program. Frontier variables, named and temporary, are listed in `frontiers` in order of appearance."""

    name: str
    doc: str
    source_name: str
    requires: Requirements
    params: tuple[Param, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    functions: tuple[Function, ...]
    vertex_functors: tuple[VertexFunctor, ...]
    edge_functors: tuple[EdgeFunctor, ...]
    frontiers: tuple[Frontier, ...]
    schedule: tuple[Step, ...]
    tuning: Tuning
    vote_functors: tuple[VoteFunctor, ...] = ()
    graphs: tuple[str, ...] = ()
    """The variables that hold graphs, at first the one that the program was given, in order of appearance. No frontier
    has one of their names."""
    any_ids: bool = False
    """Whether other ids, by descending degree and in the given order where degrees are equal, change no result except
    the ids in it, as `gdsl.uniqueness.layout` finds."""
    types: tuple[TypeParameter, ...] = ()
    """The type parameters, in the order of the text."""
