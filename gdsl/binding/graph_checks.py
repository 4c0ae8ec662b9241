"""What a program requires of the graph it runs on: symmetry, literals that are ids, and memory for its arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from gdsl.arithmetic.constants import integer_range
from gdsl.binding.params import id_kind
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.extents import MOST_VALUES, of_domain, of_graph
from gdsl.graph import Graph
from gdsl.graph.memory import require_memory
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import NumberMembers, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import Type, Widths

_AS_IN_A_FLOW = (
    "where an opposite has the value 0, as in a flow with capacities, --reverse-arcs adds it (reverse_arcs=True)"
)


def check_requirements(program: ir.Program, graph: Graph, source: Source | None) -> None:
    """Raise E0609 where the graph is not symmetric or simple, as the program requires."""
    span = program.requires.span
    if program.requires.symmetric:
        edge = graph.first_asymmetric_edge()
        if edge is not None:
            first, second = graph.ends(edge)
            raise GdslError.single(
                "E0609",
                f"the program requires a symmetric graph, but the edge {first} -> {second} has no edge "
                f"{second} -> {first}",
                span,
                source,
                notes=[_AS_IN_A_FLOW] if graph.directed and graph.attributes else [],
                fix="--undirected stores every edge both ways (undirected=True)",
            )
    if program.requires.simple:
        edge = graph.first_duplicate_or_loop()
        if edge is not None:
            first, second = graph.ends(edge)
            what = "a self-loop" if first == second else "a parallel edge"
            raise GdslError.single(
                "E0609",
                f"the program requires a simple graph, but the edge {first} -> {second} is {what}",
                span,
                source,
                notes=[]
                if first == second
                else ["parallel edges, such as those of a multigraph, stay edges of their own"],
                fix=f"{' '.join(_simplifying(graph))} (from Python: {_in_python(graph)})",
            )


def _simplifying(graph: Graph) -> list[str]:
    """The options that make a graph simple."""
    loops, parallels = graph.has_loops(), graph.has_parallel_edges()
    return ["--no-loops"] * loops + ["--dedup first|sum|min|max"] * parallels


def _in_python(graph: Graph) -> str:
    words = ["loops=False"] * graph.has_loops() + ["dedup='first'"] * graph.has_parallel_edges()
    return f"graph.changed({', '.join(words)})"


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

    Except for compared literals, where any number is allowed; indices, which are checked where they are used; and
    defaults of params, which the caller may replace.
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
    message = f"{literal.value} is not {id_kind(literal.type)} of the graph ({have})"
    fix = f"`{kind}({literal.value})` is `none` where there is no such {kind}"
    return Diagnostic("E0612", message, literal.span, fix=fix)


def check_numbers(program: Program, graph: Graph, source: Source | None) -> None:
    """Raise E0613 where `number` might exceed the type of its array."""
    counts = {Domain.VERTEX: graph.num_vertices, Domain.EDGE: graph.num_edges}
    for step in walk(program.schedule):
        if isinstance(step, NumberMembers) and counts[step.members.domain] - 1 > integer_range(step.array_type)[1]:
            count = f"{counts[step.members.domain]} {step.members.domain.plural}"
            message = f"`{step.array}` is {step.array_type.name}, and the graph has {count}"
            fix = f"declare `{step.array} : int64`"
            raise GdslError.single("E0613", message, step.span, source, fix=fix)


def values_of(array: ir.Array, params: Mapping[str, object]) -> int | None:
    """How many values an element of `array` has in a run; None: one, without a dimension of its own."""
    if isinstance(array.count, ir.Literal):
        return int(array.count.value)
    count = params[array.count.name] if isinstance(array.count, ir.ParamValue) else None
    return count if isinstance(count, int) else None


def check_counts(program: ir.Program, params: Mapping[str, object], source: Source | None) -> None:
    """Raise E0614 for the first array whose elements would have no values, or more than any may have."""
    for array in program.arrays:
        count = values_of(array, params)
        if count is not None and not 1 <= count <= MOST_VALUES:
            raise GdslError.single(
                "E0614",
                f"an element of `{array.name}` would have {count:,} values",
                array.span,
                source,
                fix=f"give params that make it an integer of 1 to {MOST_VALUES:,}",
            )


def check_room(program: ir.Program, graph: Graph, params: Mapping[str, object], widths: Widths) -> None:
    """Raise E0708 where the arrays of several values do not fit in the available memory."""
    sizes = of_graph(graph.num_vertices, graph.num_edges, params)
    needed, described = 0, []
    for array in program.arrays:
        count = values_of(array, params)
        if count is not None and not array.is_input:
            needed += array.extent.value(sizes) * max(widths.of(array.type) // 8, 1)
            elements = of_domain(array.domain).value(sizes)
            described.append(f"`{array.name}`, of {count:,} values for each of {elements:,} {array.domain.plural}")
    if described:
        require_memory(needed, " and ".join(described))


def flat(array: ir.Array, values: Any, count: int, graph: Graph, source: Source | None) -> Any:
    """An input of shape [V, count] or [E, count] as one row of values. Raises E0606 for another shape."""
    length = graph.num_vertices if array.domain is Domain.VERTEX else graph.num_edges
    if values.shape == (length, count):
        return values.reshape(-1)
    has = f"{len(values):,} values" if values.ndim == 1 else f"the shape {values.shape}"
    raise GdslError.single(
        "E0606",
        f"input `{array.name}` has {has}, but {length:,} {array.domain.plural} have {count:,} values each",
        array.span,
        source,
        fix=f"give an array of shape ({length}, {count})",
    )
