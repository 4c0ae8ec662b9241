"""Integer literals that stand for ids: each must name a vertex or an edge of the graph that a program is run on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.source import Source
from gdsl.types import Type


def check_literals(program: ir.Program, graph: Graph, source: Source | None) -> None:
    """Raise E0612 for all literals of `program` that are ids and that `graph` does not have."""
    problems = [
        _problem(literal, count)
        for literal in id_literals(program)
        if literal.value >= (count := graph.num_edges if literal.type is Type.EDGE else graph.num_vertices)
    ]
    if problems:
        raise GdslError(problems, source)


def id_literals(part: object) -> Iterator[ir.Literal]:
    """The literals in `part` that are ids, in the order of the text.

    Without those that are compared, where any number may stand; indices, which are checked where they are used; and the
    defaults of params, for which the caller may give another value.
    """
    if isinstance(part, tuple):
        for item in part:
            yield from id_literals(item)
    elif isinstance(part, ir.Literal):
        if part.type.is_id:
            yield part
    elif isinstance(part, ir.Binary) and part.operation.is_comparison:
        yield from _but_for_literals(part.left, part.right)
    elif isinstance(part, ir.Element | ir.ElementTarget):
        yield from _but_for_literals(ir.element_index(part.index))
        if isinstance(part.index, ir.Slot):
            yield from id_literals(part.index.place)
    elif isinstance(part, ir.Node) and not isinstance(part, ir.Param):
        for field in dataclasses.fields(part):
            yield from id_literals(getattr(part, field.name))


def _but_for_literals(*parts: ir.Expression) -> Iterator[ir.Literal]:
    for part in parts:
        if isinstance(part, ir.MakePair):
            yield from _but_for_literals(part.first, part.second)
        elif not isinstance(part, ir.Literal):
            yield from id_literals(part)


def _problem(literal: ir.Literal, count: int) -> Diagnostic:
    kind = literal.type.name
    plural = "vertices" if literal.type is Type.VERTEX else "edges"
    have = f"{plural} 0 to {count - 1}" if count else f"it has no {plural}"
    message = f"{literal.value} is no {kind} of the graph ({have})"
    fix = f"`{kind}({literal.value})` is `none` where there is no such {kind}"
    return Diagnostic("E0612", message, literal.span, fix=fix)
