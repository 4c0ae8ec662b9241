"""Decides for which frontiers the edges of the members are counted while the frontier is made.

An advance that may pull asks how many edges its frontier has. What makes that frontier then counts them on the way,
so that no pass over the frontier is needed. Frontiers that are copied from one another count alike.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, AllVertices, CopyFrontier, DefineFrontier, Filter, Node, Program
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import Direction, Over


def run(program: Program) -> Program:
    """Fill `counts` of what makes frontiers. An advance whose frontier already counts other edges pushes."""
    group = _groups(program)
    counted: dict[str, Over] = {}

    def settle(node: Node) -> Node:
        if not isinstance(node, Advance) or node.direction is Direction.PUSH or isinstance(node.frontier, AllVertices):
            return node
        if counted.setdefault(group[node.frontier.name], node.over) is node.over:
            return node
        return dataclasses.replace(node, direction=Direction.PUSH)

    def fill(node: Node) -> Node:
        if isinstance(node, (Advance, Filter)) and node.result is not None:
            return dataclasses.replace(node, counts=counted.get(group[node.result]))
        if isinstance(node, DefineFrontier):
            return dataclasses.replace(node, counts=counted.get(group[node.name]))
        return node

    settled = tuple(rewrite(step, settle) for step in program.schedule)
    return dataclasses.replace(program, schedule=tuple(rewrite(step, fill) for step in settled))


def _groups(program: Program) -> dict[str, str]:
    """For each frontier variable the one that stands for all that are copied from or to it."""
    leader = {name: name for name in program.frontiers}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for node in walk(program.schedule):
        if isinstance(node, CopyFrontier):
            leader[find(node.other)] = find(node.name)
    return {name: find(name) for name in program.frontiers}
