"""Whether arrays that members are numbered in can hold the numbers."""

from __future__ import annotations

from gdsl.arithmetic.constants import integer_range
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir.nodes import NumberMembers, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.source import Source


def check_numbers(program: Program, graph: Graph, source: Source | None) -> None:
    """Raise E0613 where `number` might give more than the type of its array can hold."""
    counts = {Domain.VERTEX: graph.num_vertices, Domain.EDGE: graph.num_edges}
    for step in walk(program.schedule):
        if isinstance(step, NumberMembers) and counts[step.members.domain] - 1 > integer_range(step.array_type)[1]:
            of = "vertices" if step.members.domain is Domain.VERTEX else "edges"
            message = f"`{step.array}` is {step.array_type.name}, and the graph has {counts[step.members.domain]} {of}"
            fix = f"declare `{step.array} : int64`"
            raise GdslError.single("E0613", message, step.span, source, fix=fix)
