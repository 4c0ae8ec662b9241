"""Lowers the statements that make graphs and run on them."""

from __future__ import annotations

from collections.abc import Callable

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import impossible

GraphStatement = syntax.SameGraph | syntax.Subgraph | syntax.Contract | syntax.On
NameEdges = Callable[[syntax.Expression, list[nodes.Step]], str]
"""A set of edges as a frontier of its own."""
Block = Callable[[tuple[syntax.Statement, ...]], tuple[nodes.Step, ...]]


class GraphLowering:
    """Lowers one schedule's graphs; `graphs` lists its variables in order of appearance."""

    def __init__(self, name_edges: NameEdges, block: Block) -> None:
        self.name_edges, self.block = name_edges, block
        self.graphs: list[str] = []

    def statement(self, node: GraphStatement, steps: list[nodes.Step]) -> None:
        """One statement."""
        span = node.span
        if isinstance(node, syntax.On):
            if node.symbol is None:
                impossible(node)
            steps.append(nodes.On(span, node.symbol.unique, self.block(node.body)))
            return
        name = node.symbol.unique
        if name not in self.graphs:
            self.graphs.append(name)
        if isinstance(node, syntax.SameGraph):
            steps.append(nodes.SameGraph(span, name))
        elif isinstance(node, syntax.Subgraph):
            edges = self.name_edges(node.edges, steps)
            steps.append(nodes.Subgraph(span, name, edges))
        else:
            if node.label.type is None:
                impossible(node)
            weights = None
            if node.weight is not None and node.weight.type is not None:
                weights = nodes.Weights(node.weight.span, node.weight.name, node.weight.type, node.operation)
            steps.append(nodes.Contract(span, name, node.label.name, node.label.type, weights))
