"""What holds of the forms that read the graph inside functors; checked by the verifier."""

from __future__ import annotations

from gdsl.ir.nodes import DegreeOf, Expression, GraphRead
from gdsl.operations import GraphQuery
from gdsl.types import Type


def fits(node: DegreeOf | GraphRead) -> bool:
    """Whether the arguments and the result are what the question takes and gives."""
    if isinstance(node, DegreeOf):
        return node.vertex.type is Type.VERTEX
    query, first, others = node.query, node.arguments[:1], node.arguments[1:]
    own = Type.EDGE if query.of_edge else Type.VERTEX
    if node.type is not query.result or [part.type for part in first] != [own]:
        return False
    if len(others) != (0 if query.of_edge else 1):
        return False
    return all(_second(query, other) for other in others)


def _second(query: GraphQuery, argument: Expression) -> bool:
    return argument.type.is_integer if query.in_list else argument.type is Type.VERTEX
