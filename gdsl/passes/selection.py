"""Finds the conjuncts of an advance's condition that speak of the far end alone: they select the vertices to pull."""

from __future__ import annotations

import dataclasses

from gdsl.ir.nodes import Advance, EdgeFunctor, Expression, Node, Parameter, Place, Program, Role
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import Over
from gdsl.passes.writers import far_roles


def run(program: Program) -> Program:
    """Fill `Advance.select`."""
    functors = {functor.name: functor for functor in program.edge_functors}

    found: dict[tuple[str, Over], tuple[int, ...]] = {}

    def change(node: Node) -> Node:
        if not isinstance(node, Advance):
            return node
        key = (node.functor, node.over)
        if key not in found:
            found[key] = _far_conjuncts(functors[node.functor], far_roles(node.over))
        return dataclasses.replace(node, select=found[key])

    return dataclasses.replace(program, schedule=tuple(rewrite(step, change) for step in program.schedule))


def _far_conjuncts(functor: EdgeFunctor, roles: frozenset[Role]) -> tuple[int, ...]:
    return tuple(i for i, conjunct in enumerate(functor.condition) if _speaks_only_of(conjunct, roles))


def _speaks_only_of(conjunct: Expression, roles: frozenset[Role]) -> bool:
    nodes = list(walk(conjunct))
    parameters = [node for node in nodes if isinstance(node, Parameter)]
    return (
        bool(parameters)
        and all(parameter.role in roles for parameter in parameters)
        and not any(isinstance(node, Place) for node in nodes)
    )
