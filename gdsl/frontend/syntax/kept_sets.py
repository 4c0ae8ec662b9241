"""The syntax of what keeps sets beyond one frontier: histories, methods of named things, and loops over levels."""

from __future__ import annotations

from dataclasses import dataclass, field

from gdsl.frontend.syntax.base import Symbol
from gdsl.frontend.syntax.expressions import Argument, Expression
from gdsl.frontend.syntax.statements import Statement
from gdsl.operations import Domain
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class HistoryDeclaration(Statement):
    """`history name;`. Schedule only."""

    name: str
    name_span: Span
    symbol: Symbol | None = None


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
