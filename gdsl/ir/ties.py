"""Comparisons of ids that decide between vertices of equal degree alone: they are the same where vertices are numbered
by degree, those of equal degree in the order of their given ids.

The degree must be the one by which they are numbered, of all edges of the graph that the run was given. Out- and
in-degree are equal on symmetric graphs, so that either will do there; inside `on`, degrees are those of another graph.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import TypeVar

from gdsl.ir import nodes
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import BinaryOperation, Degree
from gdsl.types import Type

_Name = tuple[type, str]
_Functor = TypeVar("_Functor", nodes.VertexFunctor, nodes.EdgeFunctor)


def without_ties(program: nodes.Program) -> nodes.Program:
    """`program` with `true` for every comparison of ids that its functors make so."""
    if not program.requires.symmetric:
        return program
    elsewhere = _run_elsewhere(program)
    if not any(isinstance(node, nodes.DegreeOf) for node in walk((program.vertex_functors, program.edge_functors))):
        return program
    return dataclasses.replace(
        program,
        vertex_functors=tuple(_in_functor(each, elsewhere) for each in program.vertex_functors),
        edge_functors=tuple(_in_functor(each, elsewhere) for each in program.edge_functors),
    )


def _run_elsewhere(program: nodes.Program) -> set[str]:
    """The functors that run on graphs which the schedule makes."""
    around = [node for node in walk(program.schedule) if isinstance(node, nodes.On)]
    inside = [node for step in around for node in walk(step.body) if isinstance(node, nodes.Operator)]
    return {name for node in inside for name in (node.functor, getattr(node, "score", None)) if name is not None}


def _in_functor(functor: _Functor, elsewhere: Collection[str]) -> _Functor:
    if functor.name in elsewhere:
        return functor
    functor = rewrite(functor, _without_tie)
    condition = functor.condition  # of which all must hold, whichever comes first
    return dataclasses.replace(functor, condition=tuple(_behind(condition, each) for each in condition))


def _without_tie(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Binary) and node.operation is BinaryOperation.AND:
        return dataclasses.replace(node, right=_behind(_conjuncts(node.left), node.right))
    if isinstance(node, nodes.Binary) and node.operation.is_comparison:
        return _true(node) if _is_pair(node.left) and _is_pair(node.right) else node
    if not isinstance(node, nodes.Chain) or any(operation is not BinaryOperation.AND for operation, _ in node.links):
        return node
    before, links = [*_conjuncts(node.first)], []
    for operation, operand in node.links:
        links.append((operation, _behind(before, operand)))
        before += _conjuncts(operand)
    return dataclasses.replace(node, links=tuple(links))


def _behind(before: Collection[nodes.Expression], found: nodes.Expression) -> nodes.Expression:
    """`found` where all `before` it hold: a comparison of two vertices is a tie if one of those says that their degrees
    are equal."""
    if isinstance(found, nodes.Binary) and found.operation is BinaryOperation.AND:
        left, right = (_behind(before, each) for each in (found.left, found.right))
        return dataclasses.replace(found, left=left, right=right)
    if isinstance(found, nodes.Binary) and found.operation.is_comparison:
        ends = {_name(found.left), _name(found.right)}
        if None not in ends and any(ends == _of_equal_degree(each) for each in before):
            return _true(found)
    return found


def _true(node: nodes.Expression) -> nodes.Literal:
    return nodes.Literal(node.span, Type.BOOL, True)


def _is_pair(node: nodes.Expression) -> bool:
    """`(out_degree(v), v)`."""
    if not isinstance(node, nodes.MakePair):
        return False
    name = _name(node.second)
    return name is not None and _degree(node.first) == (Degree.OUT, name)


def _of_equal_degree(node: nodes.Expression) -> set[_Name]:
    """The two vertices of which a condition says so; nothing where it says something else."""
    if isinstance(node, nodes.Binary) and node.operation is BinaryOperation.EQUAL:
        one, other = _degree(node.left), _degree(node.right)
        if one is not None and other is not None and one[0] is other[0]:
            return {one[1], other[1]}
    return set()


def _degree(node: nodes.Expression) -> tuple[Degree, _Name] | None:
    if isinstance(node, nodes.DegreeOf):
        name = _name(node.vertex)
        return None if name is None else (node.degree, name)
    return None


def _conjuncts(node: nodes.Expression) -> list[nodes.Expression]:
    """What must hold for `node` to hold."""
    if isinstance(node, nodes.Binary) and node.operation is BinaryOperation.AND:
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    if isinstance(node, nodes.Chain) and all(operation is BinaryOperation.AND for operation, _ in node.links):
        return [part for each in (node.first, *(operand for _, operand in node.links)) for part in _conjuncts(each)]
    return [node]


def _name(node: nodes.Expression) -> _Name | None:
    """What stands for one vertex, the same throughout an expression."""
    if node.type is Type.VERTEX and isinstance(node, nodes.Parameter | nodes.Local | nodes.ListVariable):
        return type(node), node.name
    return None
