"""Nodes of the syntax tree for statements, of functors and of the schedule, and for expressions that write."""

from __future__ import annotations

from gdsl.frontend.syntax_expressions import Argument, Expression, Index, Name
from gdsl.frontend.syntax_symbols import Node, Symbol
from gdsl.operations import BinaryOperation, Domain, Forest, NeighborOperation, Outcome, ReduceOperation
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A statement of a functor, a function or the schedule."""


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """A type as written; the checker looks it up. `parts` are those of a pair."""

    name: str
    parts: tuple[TypeName, ...] = ()


@dataclass(frozen=True, slots=True)
class Let(Statement):
    """`let name [: type] = value;`, or `var` (`mutable`). `type` is None until the checker has settled it."""

    name: str
    name_span: Span
    declared: TypeName | None
    value: Expression
    mutable: bool
    type: Type | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`target = value;` or `target any= value;`.

    In the typed schedule the value may be `OperatorCall`, `SetLiteral` or `SetChain` (target a frontier), a frontier's
    `Name`, or a NEIGHBOR_REDUCE (target an array's `Name` without index).
    """

    target: Name | Index
    value: Expression
    any_winner: bool = False


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """`target op= value`; a statement, or the argument of `changed` and `fetch`."""

    target: Name | Index
    operation: ReduceOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class ShortAssign(Statement):
    """`target op= value` with an operation that is not a reduction: `/ // % << >>`."""

    target: Name | Index
    operation: BinaryOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class ExpressionStatement(Statement):
    """An expression as a statement: `cas(…)`, `changed(…)`, `fetch(…)`; in the schedule operators, `swap`, `fill`.

    Of the typed schedule also `s = intersect(…);` and `s += intersect(…);`, whose call has the scalar as its `count`.
    """

    value: Expression


@dataclass(frozen=True, slots=True)
class Accept(Statement):
    """`accept value;`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class If(Statement):
    """`if (condition) { … } else { … }`."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """`for name in first..last { … }`; `type` is that of the loop variable, filled by the checker."""

    name: str
    name_span: Span
    first: Expression
    last: Expression
    body: tuple[Statement, ...]
    type: Type | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class LoopName(Node):
    """A variable of a `ForIn`, as written."""

    name: str


@dataclass(frozen=True, slots=True)
class ForIn(Statement):
    """`for name in value { … }`, `for name, other in value { … }`; `symbols` are those of the names, filled by the
    checker."""

    names: tuple[LoopName, ...]
    value: Expression
    body: tuple[Statement, ...]
    symbols: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class While(Statement):
    """`while (condition) { … }`. `forest`: it was written as `join(…)` or `root(…)`."""

    condition: Expression
    body: tuple[Statement, ...]
    forest: Forest | None = None


@dataclass(frozen=True, slots=True)
class Repeat(Statement):
    """`repeat (count) { … }`; schedule only."""

    count: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """`break;`."""


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """`return value;`; functions only."""

    value: Expression


@dataclass(frozen=True, slots=True)
class FrontierDeclaration(Statement):
    """`frontier name = value;`, `edge frontier name = value;`; without a value the empty set. Schedule only."""

    name: str
    name_span: Span
    value: Expression | None
    symbol: Symbol | None = None
    domain: Domain = Domain.VERTEX


# ---------------------------------------------------------------- graphs built by the schedule


@dataclass(frozen=True, slots=True)
class GraphDeclaration(Statement):
    """`graph name = value;`; without a value the graph around. Of the typed schedule `Subgraph`, `Contract` or
    `SameGraph` states what it becomes."""

    name: str
    name_span: Span
    value: Expression | None


@dataclass(frozen=True, slots=True)
class SameGraph(Statement):
    """`symbol` becomes the graph around, in the typed schedule."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Subgraph(Statement):
    """`symbol` becomes the graph of `edges` alone, a set; in the typed schedule."""

    symbol: Symbol
    edges: Expression


@dataclass(frozen=True, slots=True)
class Contract(Statement):
    """`symbol` becomes the graph in which vertices of one label are one; in the typed schedule."""

    symbol: Symbol
    label: Name
    weight: Name | None
    operation: NeighborOperation = NeighborOperation.SUM


@dataclass(frozen=True, slots=True)
class On(Statement):
    """`on name { … }`; schedule only."""

    name: str
    name_span: Span
    body: tuple[Statement, ...]
    symbol: Symbol | None = None


# ---------------------------------------------------------------- histories and buckets


@dataclass(frozen=True, slots=True)
class HistoryDeclaration(Statement):
    """`history name;`. Schedule only."""

    name: str
    name_span: Span
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class BucketsDeclaration(Statement):
    """`buckets name(arguments) = value;`. Schedule only. In the typed schedule `array` and `width` instead of
    `arguments`, the width of the array's type; None where it is `auto`."""

    name: str
    name_span: Span
    arguments: tuple[Argument, ...]
    value: Expression | None
    symbol: Symbol | None = None
    array: Name | None = None
    width: Expression | None = None


@dataclass(frozen=True, slots=True)
class LevelLoop(Statement):
    """`for name in backward(h) { … }`; built by the checker from a `ForIn`. `over` loops over the levels of
    `history`, `symbol` the frontier `name`."""

    name: str
    name_span: Span
    over: Expression
    body: tuple[Statement, ...]
    symbol: Symbol
    history: Symbol
    backward: bool


@dataclass(frozen=True, slots=True)
class UpdateValue(Expression):
    """`changed(x op= y)` or `fetch(x op= y)`."""

    outcome: Outcome
    update: Update


@dataclass(frozen=True, slots=True)
class CompareAndSwap(Expression):
    """`cas(target, old, new)`."""

    target: Name | Index
    old: Expression
    new: Expression
