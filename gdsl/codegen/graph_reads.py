"""What functors ask of the graph, in C++ and CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdsl.codegen.checks import CheckSite
from gdsl.codegen.precedence import Text, call
from gdsl.ir.nodes import Expression, GraphRead
from gdsl.operations import Domain, GraphQuery

if TYPE_CHECKING:
    from gdsl.codegen.expressions import ExpressionPrinter

_OF_EDGE = {
    GraphQuery.SOURCE: "source_of",
    GraphQuery.DESTINATION: "destination_of",
    GraphQuery.REVERSE: "reverse_of",
}


def graph_read(printer: ExpressionPrinter, node: GraphRead) -> Text:
    """One question, with the checks of what it is asked of."""
    query, first, others = node.query, node.arguments[0], node.arguments[1:]
    if query is GraphQuery.HAS_EDGE:
        return call("has_edge", "d.graph", *(printer.print(argument) for argument in node.arguments))
    domain = Domain.EDGE if query.of_edge else Domain.VERTEX
    index = printer.index(query.value, first, node.checked, domain)
    if query.of_edge:
        return call(_OF_EDGE[query], "d.graph", index)
    at = _edge_at(printer, query.value, index, others[0])
    return at if query is GraphQuery.OUT_EDGE else call("destination_of", "d.graph", at.text)


def _edge_at(printer: ExpressionPrinter, subject: str, vertex: str, place: Expression) -> Text:
    """The edge at a place of a list."""
    text = printer.print(place)
    if not printer.checks.enabled:
        return call("edge_at", "d.graph", vertex, text)
    number = printer.checks.number(CheckSite(subject, None, place.type, place.span))
    return call("checked_edge_at", "d", vertex, text, str(number))
