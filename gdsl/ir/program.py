"""The declarations and the schedule of the IR, and the whole program."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.ir.expressions import Expression, Node, Role
from gdsl.ir.statements import ElementTarget, Statement
from gdsl.operations import Balance, Direction, Domain, Grade, NeighborOperation, Over
from gdsl.types import ScalarType


@dataclass(frozen=True, slots=True)
class Param(Node):
    """A scalar from the caller; `default` None: it must be given."""

    name: str
    type: ScalarType
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Doubt(Node):
    """Why a result is not unique: what the statement at `span` leaves to the order, in words."""

    reason: str


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
    grade: Grade = Grade.EXACT
    """What the values may differ in from run to run; found by `gdsl.uniqueness`."""
    doubt: Doubt | None = None

    @property
    def unique(self) -> bool:
        """Whether every run gives the same values, up to the rounding of float sums."""
        return self.grade is not Grade.NOT_UNIQUE


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """One value on the device."""

    name: str
    type: ScalarType
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
    alpha: int = 15
    """An auto direction pulls once alpha × the frontier's edges exceed those not yet visited."""
    beta: int = 20
    """An auto direction pushes again once beta × the frontier's size is below the number of vertices."""
    tuned: bool = True
    """Whether the program or the caller chose `direction`; else `gdsl.annotate` does."""


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
    monotone: bool = False
    """Whether any order of the visits ends in the same values (*Order of work* of the language); found by
    `gdsl.uniqueness.order`."""


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
