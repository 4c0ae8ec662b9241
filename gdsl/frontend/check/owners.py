"""Which sets belong to the graph around; `graphs` says what blocks and families are."""

from __future__ import annotations

from gdsl.diagnostics import Label
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.source import Span


def graph_of(environment: Environment, domain: Domain) -> str:
    """What a frontier that is declared here belongs to."""
    block, family = environment.around[-1]
    return family if domain is Domain.VERTEX else block


def belongs(symbol: Symbol, span: Span, environment: Environment) -> bool:
    """Whether a frontier is one of the graph around; says so where it is not."""
    domain = symbol.domain or Domain.VERTEX
    if symbol.graph == graph_of(environment, domain):
        return True
    others = "vertices" if domain is Domain.VERTEX else "edges"
    words = {SymbolKind.HISTORY: "has levels", SymbolKind.BUCKETS: "holds vertices"}
    what = words.get(symbol.kind, f"is a set of {others}")
    message = f"`{symbol.name}` {what} of another graph than the one around"
    labels = (Label(symbol.span, "declared here"),)
    fix = "declare a frontier inside this `on { … }`"
    note = "a subgraph has the vertices of the graph that it was made of, and edges of its own"
    environment.report("E0421", message, span, labels=labels, notes=(note,), fix=fix)
    return False
