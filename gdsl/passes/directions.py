"""Settles the direction of every advance that the program left open or asked the impossible of.

An auto direction chooses on the frontier's edges, so where the frontier is all vertices, or visits both lists of a
vertex, there is nothing to choose: it pushes.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, AllVertices, Node, Program
from gdsl.ir.traversal import rewrite
from gdsl.operations import Direction, Over


def run(program: Program) -> Program:
    """Set `Advance.direction` to what can be done."""
    return dataclasses.replace(program, schedule=tuple(rewrite(step, _settle) for step in program.schedule))


def _settle(node: Node) -> Node:
    if not isinstance(node, Advance):
        return node
    everything = isinstance(node.frontier, AllVertices)
    if node.over is Over.ALL_EDGES or (everything and node.direction is Direction.AUTO):
        return dataclasses.replace(node, direction=Direction.PUSH)
    return node
