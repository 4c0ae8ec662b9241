"""The statements of the syntax tree: those of functors and functions, and those of the schedule."""

from __future__ import annotations

from gdsl.frontend.syntax.base import Node, Symbol
from gdsl.frontend.syntax.expressions import Expression, Index, Name
from gdsl.operations import BinaryOperation, Domain, ReduceOperation
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
    """`target op= value` with an operation that is no reduction: `/ // % << >>`."""

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
    """`while (condition) { … }`."""

    condition: Expression
    body: tuple[Statement, ...]


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
