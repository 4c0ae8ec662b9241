"""Graphs that the schedule makes, and what runs on them."""

from __future__ import annotations

from gdsl.frontend.syntax.base import Symbol
from gdsl.frontend.syntax.expressions import Expression, Name
from gdsl.frontend.syntax.statements import Statement
from gdsl.operations import NeighborOperation
from gdsl.records import dataclass
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class GraphDeclaration(Statement):
    """`graph name = value;`; without a value the graph around. Of the typed schedule `Subgraph`, `Contract` or
    `SameGraph` says what it becomes."""

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
