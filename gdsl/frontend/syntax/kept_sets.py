"""The syntax of what keeps sets beyond one frontier: histories, methods of named things, and loops over levels."""

from __future__ import annotations

from dataclasses import field

from gdsl.frontend.syntax.base import Symbol
from gdsl.frontend.syntax.expressions import Argument, Expression, Name
from gdsl.frontend.syntax.statements import Statement
from gdsl.operations import Domain
from gdsl.records import dataclass
from gdsl.source import Span


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
    """`for name in backward(h) { … }`; made by the checker of a `ForIn`. `over` is what goes through the levels of
    `history`, `symbol` the frontier `name`."""

    name: str
    name_span: Span
    over: Expression
    body: tuple[Statement, ...]
    symbol: Symbol
    history: Symbol
    backward: bool


@dataclass(frozen=True, slots=True)
class Numbering(Expression):
    """`number(f)` as the value of an array; made by the checker. `input` is a set of
    `domain` in the forms that the input of an `OperatorCall` has."""

    input: Expression
    domain: Domain = Domain.VERTEX


@dataclass(frozen=True, slots=True)
class Method(Expression):
    """`owner.name(arguments)`; `symbol` is what `owner` names. In the typed schedule `h.push(f)` as a statement, whose
    one argument is a set."""

    owner: Expression
    name: str
    name_span: Span
    arguments: tuple[Argument, ...]
    symbol: Symbol | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """`owner.name`: in the typed schedule `b.level`, and `symbol` are those buckets."""

    owner: Expression
    name: str
    symbol: Symbol | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Popped(Expression):
    """`b.pop()` as a set of vertices; made by the checker. `buckets` is what they are taken out of."""

    buckets: Symbol
