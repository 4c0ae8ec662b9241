"""The operator IR: what a program means once names, types and conversions are settled.

Everything is a frozen dataclass that carries the span of the text it came from. Names of problem data, functors,
frontiers and locals are the program's own; each is unique within its kind, so a name identifies its declaration.
Expressions are typed and every conversion is explicit; the two operands of a `Binary` have one type.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gdsl.operations import (
    Balance,
    BinaryOperation,
    Builtin,
    Degree,
    Direction,
    Domain,
    NeighborOperation,
    Outcome,
    Over,
    ReduceOperation,
    UnaryOperation,
)
from gdsl.source import Span
from gdsl.types import ScalarType


@dataclass(frozen=True, slots=True)
class Node:
    """What every part of a program has: the place in the text it came from."""

    span: Span


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """Something with a value of one type."""

    type: ScalarType


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A constant. Integers are in the range of `type`; `inf` of an integer type is that type's largest value."""

    value: bool | int | float


@dataclass(frozen=True, slots=True)
class NoneId(Expression):
    """`none`: no vertex, no edge; orders after every id."""


class Role(Enum):
    """What a functor's own parameter stands for."""

    VERTEX = "vertex"
    """The element of a vertex functor."""
    SOURCE = "source"
    DESTINATION = "destination"
    EDGE = "edge"
    NEAR = "near"
    """The end of the edge that lies in the frontier (`compute(edges, …)`: the source)."""
    FAR = "far"
    """The other end (`compute(edges, …)`: the destination)."""


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
class OwnId(Expression):
    """`id` in an array's initial value: the element's own vertex or edge id."""


@dataclass(frozen=True, slots=True)
class Iteration(Expression):
    """Finished passes of the innermost loop around the call site (int32), 0 outside loops."""


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
class Place(Expression):
    """`place`: how many edges come before this one in its source's list (int32)."""


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
class Select(Expression):
    """`condition ? yes : no`, of which only one side is evaluated."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A change of type, written or implied. `none` becomes -1 (the largest value where unsigned), a float that does
    not fit the nearest integer that does (NaN: 0), an integer that is no id `none`, a bool 0 or 1; to bool: `!= 0`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class BuiltinCall(Expression):
    """A call of a function that the language provides; all arguments have the type of the result."""

    function: Builtin
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    """A call of one of the program's own functions."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FrontierSize(Expression):
    """`size(f)` (int64); schedule only."""

    frontier: str


@dataclass(frozen=True, slots=True)
class FrontierNotEmpty(Expression):
    """A frontier used as a condition; schedule only."""

    frontier: str


# Expressions with an effect. The checker lets them stand only where the order of effects is plain: as the whole value
# of a `let`, `var`, assignment, expression statement, `accept` or condition, or as an operand of `&& || !` there.


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


# ---------------------------------------------------------------- writes


@dataclass(frozen=True, slots=True)
class ElementTarget(Node):
    """An array element that is written."""

    array: str
    domain: Domain
    type: ScalarType
    index: Expression
    checked: bool


@dataclass(frozen=True, slots=True)
class ScalarTarget(Node):
    """A scalar that is written."""

    scalar: str
    type: ScalarType


Target = ElementTarget | ScalarTarget


class StoreRule(Enum):
    """Why a plain store is allowed (the rules of *Writes* in the language reference)."""

    SINGLE_WRITER = 1
    SAME_VALUE = 2
    UNDER_CAS = 3
    ANY_WINNER = 4
    """Written `any=`: one of the writers wins."""


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A statement of a functor or function."""


@dataclass(frozen=True, slots=True)
class Let(Statement):
    """A new local, constant (`let`) or not (`var`)."""

    name: str
    type: ScalarType
    value: Expression
    mutable: bool


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """A new value for a `var`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Store(Statement):
    """`x = y` or `x any= y`."""

    target: Target
    value: Expression
    rule: StoreRule


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """`x op= y`: atomic where several calls may meet."""

    target: Target
    operation: ReduceOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """A `cas` used as a statement."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Accept(Statement):
    """Decides membership of the outgoing frontier; the last one executed counts, true if none is."""

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
    type: ScalarType
    first: Expression
    last: Expression
    body: tuple[Statement, ...]


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
    """A scalar from the caller; `default` None: it must be given."""

    name: str
    type: ScalarType
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Array(Node):
    """Values over vertices or edges. `input`: from the graph or the caller, read-only if no statement writes it.

    `initial` is None for inputs only. `where` holds of every element of an input (the element reads as `Element` of
    this array at `OwnId`).
    """

    name: str
    domain: Domain
    type: ScalarType
    initial: Expression | None
    is_input: bool
    is_local: bool
    where: Expression | None
    unique: bool
    """Whether every run gives the same values (False after `any=`, `now`, or decisions on unordered float sums)."""


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """One value on the device."""

    name: str
    type: ScalarType
    initial: Expression | None
    is_input: bool
    is_local: bool
    where: Expression | None
    unique: bool


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A pure function; `parameters` are (name, type)."""

    name: str
    parameters: tuple[tuple[str, ScalarType], ...]
    result: ScalarType
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class VertexFunctor(Node):
    """Runs on vertices. `condition` is a list of conjuncts, all of which must hold for `body` to run."""

    name: str
    vertex: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Closing(Node):
    """That a functor closes: conjunct `condition[conjunct]` reads `array[far]` (`near` for `end` NEAR) and the store at
    `body[statement]`, when that is a statement of the body itself and not None, makes it false."""

    end: Role
    array: str
    conjunct: int
    statement: int | None


@dataclass(frozen=True, slots=True)
class EdgeFunctor(Node):
    """Runs on edges. A functor with a `value` is for `neighbor_reduce` and writes nothing."""

    name: str
    source: str
    destination: str
    edge: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]
    value: Expression | None


# ---------------------------------------------------------------- schedule


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A statement of the schedule."""


@dataclass(frozen=True, slots=True)
class AllVertices(Node):
    """`vertices` as the input of an operator."""


@dataclass(frozen=True, slots=True)
class AllEdges(Node):
    """`edges` as the input of `compute`."""


@dataclass(frozen=True, slots=True)
class FrontierRef(Node):
    """A frontier variable as the input of an operator; it keeps its value."""

    name: str


VertexSet = AllVertices | FrontierRef


@dataclass(frozen=True, slots=True)
class DefineFrontier(Step):
    """`name` becomes the set of `members` (vertices, duplicates allowed; all vertices where `everything`)."""

    name: str
    members: tuple[Expression, ...]
    everything: bool


@dataclass(frozen=True, slots=True)
class CopyFrontier(Step):
    """`name = other`: by value."""

    name: str
    other: str


@dataclass(frozen=True, slots=True)
class Operator(Step):
    """A bulk operation. `label` names it for tuning and traces: the `@label`, else the functor's name; `site` numbers
    the operators of the program from 0 in the order of the text."""

    site: int
    label: str


@dataclass(frozen=True, slots=True)
class Advance(Operator):
    """Visits the edges of `frontier`; the accepted far ends become `result` (None: `to=none`, or not used).

    `result` may be the name in `frontier`: the input is read first, then replaced.
    """

    frontier: VertexSet
    functor: str
    over: Over
    result: str | None
    closing: Closing | None
    direction: Direction
    balance: Balance


@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """The elements of `frontier` that pass `cond` and are accepted become `result`."""

    frontier: VertexSet
    functor: str
    result: str


@dataclass(frozen=True, slots=True)
class Compute(Operator):
    """Runs a vertex functor on each vertex of a set, or an edge functor on every edge."""

    frontier: VertexSet | AllEdges
    functor: str
    closing: Closing | None


@dataclass(frozen=True, slots=True)
class NeighborReduce(Operator):
    """`array[v]` = the reduction over v's edges for each v of `frontier`, as if all were computed before any is stored.

    `type` is the functor's result type; for COUNT the functor's value is a bool and the array holds integers.
    """

    frontier: VertexSet
    functor: str
    operation: NeighborOperation
    over: Over
    array: str
    array_type: ScalarType
    balance: Balance


@dataclass(frozen=True, slots=True)
class StoreElement(Step):
    """`a[x] = y` in the schedule."""

    target: ElementTarget
    value: Expression


@dataclass(frozen=True, slots=True)
class StoreScalar(Step):
    """`s = y` in the schedule; `s op= y` is lowered to this with the operation spelled out in `value`."""

    scalar: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Fill(Step):
    """`fill(a, x)`."""

    array: str
    domain: Domain
    type: ScalarType
    value: Expression


@dataclass(frozen=True, slots=True)
class Swap(Step):
    """`swap(a, b)`: two arrays, or two scalars, of the same type and kind change places."""

    first: str
    second: str
    of_scalars: bool


@dataclass(frozen=True, slots=True)
class While(Step):
    """`while (condition)`; `loop` numbers the loops of the program from 0 in the order of the text."""

    loop: int
    condition: Expression
    body: tuple[Step, ...]


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


# ---------------------------------------------------------------- the program


@dataclass(frozen=True, slots=True)
class Requirements(Node):
    """`requires symmetric, simple;`: what the graph must be."""

    symmetric: bool
    simple: bool


@dataclass(frozen=True, slots=True)
class Tuning(Node):
    """The knobs that belong to the whole program; those of one operator are in its node."""

    fuse: bool = True
    block: int | None = None
    """Threads a block; None: the backend's choice."""
    ids: int | None = None
    """Bits of a vertex or edge id, 32 or 64; None: 32 while they fit."""
    bounds: bool = True


@dataclass(frozen=True, slots=True)
class Program(Node):
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
    frontiers: tuple[str, ...]
    schedule: tuple[Step, ...]
    tuning: Tuning
