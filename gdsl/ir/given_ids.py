"""Ids as numbers: a program that reads them from an input, in which each vertex has the id that its caller knows.

Where an id becomes a number, or two are compared by their order, it matters which ids they are. Of a vertex that is
there for certain (a functor's own, an end of its edge, one of a list, the element of an initial value) the given id can
be looked up: `with_given_ids` puts `ids[v]` in the place of v there. On the given graph `ids[v]` is v, so that it is
the same program; on other ids it does with these numbers what it would have done with the given ids. What `gdsl.rules`
and the grades have found holds of it as well, call by call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from gdsl.extents import VERTICES
from gdsl.ir import nodes
from gdsl.ir.ties import without_ties
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import BinaryOperation, Domain
from gdsl.types import Type

NAME = "ids as given"
"""No text can call anything of its own so."""
_ORDERED = (
    BinaryOperation.LESS,
    BinaryOperation.LESS_EQUAL,
    BinaryOperation.GREATER,
    BinaryOperation.GREATER_EQUAL,
)


def with_given_ids(program: nodes.Program) -> nodes.Program:
    """`program` with that input, where it makes numbers of ids; else `program` itself."""
    data: tuple[nodes.Array | nodes.Scalar | nodes.Param, ...] = (*program.arrays, *program.scalars, *program.params)
    code = (program.arrays, program.scalars, program.functions, program.vertex_functors, program.edge_functors)
    if any(each.name == NAME for each in data) or not any(map(_looks_up, walk((code, program.vote_functors)))):
        return program
    parts: dict[str, Any] = {
        name: tuple(rewrite(part, _with_given) for part in getattr(program, name))
        for name in ("arrays", "scalars", "functions", "vertex_functors", "edge_functors", "vote_functors")
    }
    # What is tested before the run is about what the caller gave.
    parts["arrays"] = tuple(
        dataclasses.replace(new, where=old.where) for new, old in zip(parts["arrays"], program.arrays, strict=True)
    )
    made = dataclasses.replace(program, **parts)
    if not any(is_given(node) for node in walk(made)):
        return program
    ids = nodes.Array(program.span, NAME, Domain.VERTEX, VERTICES, Type.VERTEX, None, True, False, None)
    return dataclasses.replace(made, arrays=(*made.arrays, ids))


def looks_up(program: nodes.Program) -> bool:
    """Whether `program` needs that input on other ids."""
    if with_given_ids(program) is program:
        return False
    apart = without_ties(program)
    return with_given_ids(apart) is not apart


def is_given(node: object) -> bool:
    """Whether this is an id as the caller knows it."""
    return isinstance(node, nodes.Element) and node.array == NAME


def looked_up_in_walks(program: nodes.Program) -> bool:
    """Whether a functor of edges looks one up for every edge: not just behind another condition."""
    return any(is_given(node) for functor in program.edge_functors for node in _always(functor))


def _always(part: object) -> Iterator[object]:
    """What is evaluated whenever `part` is."""
    yield part
    if isinstance(part, tuple):
        for each in part:
            yield from _always(each)
    elif isinstance(part, nodes.Chain) and part.type is Type.BOOL:
        yield from _always(part.first)
    elif isinstance(part, nodes.Binary) and part.operation.is_logical:
        yield from _always(part.left)
    elif isinstance(part, nodes.Node):
        for field in dataclasses.fields(part):
            value = getattr(part, field.name)
            if isinstance(value, nodes.Node | tuple):
                yield from _always(value)


def _looks_up(node: nodes.Node) -> bool:
    return _with_given(node) is not node


def _with_given(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Convert) and not node.type.is_id and _is_there(node.operand):
        return dataclasses.replace(node, operand=_given(node.operand))
    if isinstance(node, nodes.Binary) and node.operation in _ORDERED and _is_there(node.left) and _is_there(node.right):
        return dataclasses.replace(node, left=_given(node.left), right=_given(node.right))
    return node


def _is_there(node: nodes.Expression) -> bool:
    """Whether this is a vertex, and never none."""
    return node.type is Type.VERTEX and isinstance(node, nodes.Parameter | nodes.OwnId | nodes.ListVariable)


def _given(vertex: nodes.Expression) -> nodes.Element:
    return nodes.Element(vertex.span, Type.VERTEX, NAME, Domain.VERTEX, vertex, False)
