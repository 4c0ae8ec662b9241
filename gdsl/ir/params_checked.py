"""Params as indices where graphs are contracted: that an id is one of the given graph, which is tested before the run,
says nothing about a graph with fewer vertices."""

from __future__ import annotations

import dataclasses
from typing import Any

from gdsl.ir import nodes
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import GraphQuery


def contracts(program: nodes.Program) -> bool:
    """Whether a program makes graphs with fewer vertices."""
    return any(isinstance(node, nodes.Contract) for node in walk(program.schedule))


def is_unchecked(node: nodes.Node) -> bool:
    """Whether `node` takes a param for an index without a test."""
    match node:
        case nodes.Element() | nodes.ElementTarget():
            index = node.index
        case nodes.Slot():
            index = node.element
        case nodes.DegreeOf() | nodes.ForNeighbors():
            index = node.vertex
        case nodes.GraphRead() if node.query is not GraphQuery.HAS_EDGE:
            index = node.arguments[0]
        case _:
            return False
    return isinstance(index, nodes.ParamValue) and not node.checked


def with_checked_params(program: nodes.Program) -> nodes.Program:
    """`program` with such tests in functors and the schedule, if it contracts graphs."""
    if not contracts(program):
        return program

    def change(node: Any) -> Any:
        return dataclasses.replace(node, checked=True) if is_unchecked(node) else node

    return dataclasses.replace(
        program,
        vertex_functors=tuple(rewrite(functor, change) for functor in program.vertex_functors),
        edge_functors=tuple(rewrite(functor, change) for functor in program.edge_functors),
        vote_functors=tuple(rewrite(functor, change) for functor in program.vote_functors),
        schedule=tuple(rewrite(step, change) for step in program.schedule),
    )
