"""Programs that run on renumbered vertices: where it matters which ids they are, and how to look up the given ones.

Where an id becomes a number, or two ids are compared by their order, it matters which ids they are. For a vertex that
certainly exists (a functor's own, an end of its edge, one of a list, the element of an initial value) the given id can
be looked up: `with_given_ids` puts `ids[v]` in place of v there, where the input `ids` has the id by which the caller
knows each vertex. On the given graph `ids[v]` is v, so it is the same program; on other ids it does with these numbers
what it would have done with the given ids. What `gdsl.rules` and the grades have found holds of it as well, call by
call.

No lookup is needed for comparisons of ids that only decide between vertices of equal degree: these give the same result
where vertices are numbered by degree, and those of equal degree in the order of their given ids. `without_ties` finds
them. The degree must be that by which the vertices are numbered: of all edges of the graph that the run was given. Out-
and in-degree are equal on symmetric graphs, so either is fine there; inside `on`, degrees are those of another graph.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from typing import Any, TypeVar

from gdsl.extents import VERTICES
from gdsl.ir import nodes
from gdsl.ir.traversal import conjuncts, contains, rewrite, walk
from gdsl.operations import BinaryOperation, Degree, Domain
from gdsl.types import Type

NAME = "ids as given"
"""Not a name that a program can declare."""
_ORDERED = (
    BinaryOperation.LESS,
    BinaryOperation.LESS_EQUAL,
    BinaryOperation.GREATER,
    BinaryOperation.GREATER_EQUAL,
)


def with_given_ids(program: nodes.Program) -> nodes.Program:
    """`program` with the input `ids` if it turns ids into numbers or orders them; else `program` itself."""
    data: tuple[nodes.Array | nodes.Scalar | nodes.Param, ...] = (*program.arrays, *program.scalars, *program.params)
    code = (program.arrays, program.scalars, program.functions, program.vertex_functors, program.edge_functors)
    if any(each.name == NAME for each in data) or not any(map(_looks_up, walk((code, program.vote_functors)))):
        return program
    parts: dict[str, Any] = {
        name: rewrite(getattr(program, name), _with_lookup)
        for name in ("arrays", "scalars", "functions", "vertex_functors", "edge_functors", "vote_functors")
    }
    # Tests before the run are about the caller's values.
    parts["arrays"] = tuple(
        dataclasses.replace(new, where=old.where) for new, old in zip(parts["arrays"], program.arrays, strict=True)
    )
    changed = dataclasses.replace(program, **parts)
    if not any(is_lookup(node) for node in walk(changed)):
        return program
    ids = nodes.Array(program.span, NAME, Domain.VERTEX, VERTICES, Type.VERTEX, None, True, False, None)
    return dataclasses.replace(changed, arrays=(*changed.arrays, ids))


def looks_up(program: nodes.Program) -> bool:
    """Whether `program` needs the input `ids` on renumbered vertices."""
    if with_given_ids(program) is program:
        return False
    apart = without_ties(program)
    return with_given_ids(apart) is not apart


def is_lookup(node: object) -> bool:
    """Whether this looks up a given id."""
    return isinstance(node, nodes.Element) and node.array == NAME


def looked_up_in_walks(program: nodes.Program) -> bool:
    """Whether an edge functor looks one up for every edge, not only after another condition."""
    return any(is_lookup(node) for functor in program.edge_functors for node in _always(functor))


def _always(part: object) -> Iterator[object]:
    """The parts that are evaluated whenever `part` is."""
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
    return _with_lookup(node) is not node


def _with_lookup(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Convert) and not node.type.is_id and _certainly_exists(node.operand):
        return dataclasses.replace(node, operand=_lookup(node.operand))
    if (
        isinstance(node, nodes.Binary)
        and node.operation in _ORDERED
        and _certainly_exists(node.left)
        and _certainly_exists(node.right)
    ):
        return dataclasses.replace(node, left=_lookup(node.left), right=_lookup(node.right))
    return node


def _certainly_exists(node: nodes.Expression) -> bool:
    """Whether this is a vertex that certainly exists."""
    return node.type is Type.VERTEX and isinstance(node, nodes.Parameter | nodes.OwnId | nodes.ListVariable)


def _lookup(vertex: nodes.Expression) -> nodes.Element:
    return nodes.Element(vertex.span, Type.VERTEX, NAME, Domain.VERTEX, vertex, False)


_Name = tuple[type, str]
_Functor = TypeVar("_Functor", nodes.VertexFunctor, nodes.EdgeFunctor)


def without_ties(program: nodes.Program) -> nodes.Program:
    """`program` with `true` for every comparison of ids in its functors that only breaks ties."""
    if not program.requires.symmetric:
        return program
    elsewhere = _run_elsewhere(program)
    if not contains((program.vertex_functors, program.edge_functors), nodes.DegreeOf):
        return program
    return dataclasses.replace(
        program,
        vertex_functors=tuple(_in_functor(each, elsewhere) for each in program.vertex_functors),
        edge_functors=tuple(_in_functor(each, elsewhere) for each in program.edge_functors),
    )


def _run_elsewhere(program: nodes.Program) -> set[str]:
    """The functors that run on graphs built by the schedule."""
    around = [node for node in walk(program.schedule) if isinstance(node, nodes.On)]
    inside = [node for step in around for node in walk(step.body) if isinstance(node, nodes.Operator)]
    return {name for node in inside for name in (node.functor, getattr(node, "score", None)) if name is not None}


def _in_functor(functor: _Functor, elsewhere: Collection[str]) -> _Functor:
    if functor.name in elsewhere:
        return functor
    functor = rewrite(functor, _without_tie)
    condition = functor.condition  # all must hold, in any order
    return dataclasses.replace(functor, condition=tuple(_after(condition, each) for each in condition))


def _without_tie(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.Binary) and node.operation is BinaryOperation.AND:
        return dataclasses.replace(node, right=_after(conjuncts(node.left), node.right))
    if isinstance(node, nodes.Binary) and node.operation.is_comparison:
        return _true(node) if _is_pair(node.left) and _is_pair(node.right) else node
    if not isinstance(node, nodes.Chain) or any(operation is not BinaryOperation.AND for operation, _ in node.links):
        return node
    before, links = [*conjuncts(node.first)], []
    for operation, operand in node.links:
        links.append((operation, _after(before, operand)))
        before += conjuncts(operand)
    return dataclasses.replace(node, links=tuple(links))


def _after(before: Collection[nodes.Expression], expression: nodes.Expression) -> nodes.Expression:
    """`expression` where all of `before` hold: a comparison of two vertices breaks a tie if one of those says that
    their degrees are equal."""
    if isinstance(expression, nodes.Binary) and expression.operation is BinaryOperation.AND:
        left, right = (_after(before, each) for each in (expression.left, expression.right))
        return dataclasses.replace(expression, left=left, right=right)
    if isinstance(expression, nodes.Binary) and expression.operation.is_comparison:
        ends = {_name(expression.left), _name(expression.right)}
        if None not in ends and any(ends == _of_equal_degree(each) for each in before):
            return _true(expression)
    return expression


def _true(node: nodes.Expression) -> nodes.Literal:
    return nodes.Literal(node.span, Type.BOOL, True)


def _is_pair(node: nodes.Expression) -> bool:
    """`(out_degree(v), v)`."""
    if not isinstance(node, nodes.MakePair):
        return False
    name = _name(node.second)
    return name is not None and _degree(node.first) == (Degree.OUT, name)


def _of_equal_degree(node: nodes.Expression) -> set[_Name]:
    """The two vertices whose degrees a condition says are equal; none for other conditions."""
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


def _name(node: nodes.Expression) -> _Name | None:
    """The name of a vertex that is the same throughout an expression."""
    if node.type is Type.VERTEX and isinstance(node, nodes.Parameter | nodes.Local | nodes.ListVariable):
        return type(node), node.name
    return None
