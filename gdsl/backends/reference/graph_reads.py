"""What functors read of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gdsl.backends.reference.indices import index_error, place_error
from gdsl.backends.reference.values import Value, none_id
from gdsl.ir import nodes as ir
from gdsl.operations import Domain, GraphQuery

if TYPE_CHECKING:
    from gdsl.backends.reference.expressions import Environment, GraphFacts

Round = tuple[tuple[str, int], ...]
"""The variables of a loop in one round, each with its value."""


def graph_question(node: ir.GraphRead, environment: Environment) -> Callable[[list[Value]], Value]:
    """What `node` asks as a function of its arguments' values, which tests them where it must."""
    graph, query, name = environment.graph, node.query, node.query.value
    count = graph.bound(Domain.EDGE if query.of_edge else Domain.VERTEX)

    def ask(arguments: list[Value]) -> Value:
        first = int(arguments[0])
        if query is GraphQuery.HAS_EDGE:
            return 0 <= first < count and any(far == arguments[1] for far, _ in graph.out_list(first))
        if not 0 <= first < count:
            raise index_error(environment, node.arguments[0], name, first, count)
        if query is GraphQuery.REVERSE:
            found = graph.reverse(first)
            return none_id(environment.id_bits) if found is None else found
        if query.of_edge:
            return graph.ends_of(first)[0 if query is GraphQuery.SOURCE else 1]
        listed, place = graph.out_list(first), int(arguments[1])
        if not 0 <= place < len(listed):
            raise place_error(environment, node.arguments[1], name, place)
        return listed[place][0 if query is GraphQuery.NEIGHBOR else 1]

    return ask


def rounds_of(node: ir.ForNeighbors, graph: GraphFacts, vertex: int) -> Iterator[Round]:
    """The rounds of a loop over the list of `vertex`."""
    names = [name for name, _ in node.variables]
    return (tuple(zip(names, both, strict=False)) for both in graph.out_list(vertex))
