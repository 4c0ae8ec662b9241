"""The operators of a program, and what became of their runs together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gdsl.api.program import Program
from gdsl.backends.interface import Build, TraceRecord
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan


def operators_of(program: Program, build: Build, trace: Sequence[TraceRecord]) -> list[dict[str, Any]]:
    """Each operator in the order of the text: what it is, where it stands, and sums over its runs.

    `lines` are the first and last line of its call, `functor` those of its functor, each in the file `file` (empty for
    the program's own). `inside`: the site of the operator in whose sweep it runs, whose time has its own.
    """
    rules, inside = ({}, {}) if build.plan is None else (_rules(build.plan), _inside(build.plan))
    found = []
    for step in all_steps(program.ir.schedule):
        if not isinstance(step, ir.Operator):
            continue
        records = [record for record in trace if record.site == step.site]
        functor = _functor(program.ir, step)
        found.append(
            {
                "site": step.site,
                "operator": step.label,
                "does": step.word,
                "call": program.text.excerpt(step.span.written),
                "file": step.span.file,
                "lines": [step.span.line, step.span.end_line],
                "functor": functor,
                "inside": inside.get(step.site),
                "rule": rules.get(step.site, []),
                "runs": len(records),
                "time_ms": _sum(record.time_ms for record in records),
                "before_ms": _sum(record.before_ms for record in records),
                "waiting_ms": _sum(record.waiting_ms for record in records),
                "frontier": sum(record.frontier_size for record in records),
                "edges": sum(record.edges for record in records),
            }
        )
    return found


def _sum(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 6) if known else None


def _functor(program: ir.Program, step: ir.Operator) -> dict[str, Any] | None:
    """The lines of what an operator runs, where these are the program's own."""
    name = getattr(step, "functor", None)
    functors: tuple[ir.EdgeFunctor | ir.VertexFunctor, ...] = (*program.edge_functors, *program.vertex_functors)
    spans = [
        node.span.written
        for functor in functors
        if functor.name == name
        for node in (functor, *walk(functor))
        if node.span.line > 0
    ]
    if not spans:
        return None
    file = spans[0].file
    own = [span for span in spans if span.file == file]
    return {"file": file, "lines": [min(span.line for span in own), max(span.end_line for span in own)]}


def _rules(plan: Plan) -> dict[int, list[str]]:
    """What the plan says of each operator, by its site."""
    from gdsl.plan.printer_sweeps import print_operation
    from gdsl.plan.walking import operations

    return {each.step.site: print_operation(each, plan) for each in operations(plan)}


def _inside(plan: Plan) -> dict[int, int]:
    """The operators that run in the sweep of another one, and its site."""
    from gdsl.plan.walking import operations

    return {ahead.step.site: each.step.site for each in operations(plan) for ahead in each.ahead}
