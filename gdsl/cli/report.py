"""What `gdslc run` says of a run: a few lines for people, or one JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from gdsl.api.result import Result, Summary
from gdsl.backends.interface import TraceRecord, part_names, parts_of
from gdsl.binding import problem_data
from gdsl.cli.results import plain_number
from gdsl.diagnostics import printable
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.version import __version__

_NOTES = {
    "rounding": "  (rounding: the last digits may differ from run to run)",
    "converged": "  (converged: another run may make one pass more or less)",
    "not unique": "  (not unique: another run may give other values)",
}
"""What is said behind a result that is not exact."""
_SHOWN = 10
"""How many values of an array the text shows."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run with everything that the report speaks of; times in milliseconds."""

    program: ir.Program
    file: str
    graph: Graph
    graph_name: str
    result: Result
    load_ms: float
    compile_ms: float


def as_document(run: Run) -> dict[str, Any]:
    """The report as what `--json` prints."""
    result = run.result
    types, numbers = _types(run.program), result.numbers()
    return {
        "gdsl": __version__,
        "program": run.program.name,
        "file": run.file,
        "backend": result.backend,
        "backend_reason": result.backend_line or None,
        "graph": {
            "name": run.graph_name,
            "vertices": run.graph.num_vertices,
            "edges": run.graph.num_edges,
            "directed": run.graph.directed,
        },
        "time_ms": {
            "load": round(run.load_ms, 3),
            "compile": round(run.compile_ms, 3),
            "run": round(result.time_ms, 4),
        },
        "iterations": result.iterations,
        "trace": [_record(record) for record in result.trace],
        "results": {
            summary.name: {
                "type": types[summary.name],
                "size": summary.size,
                "minimum": plain_number(summary.minimum),
                "maximum": plain_number(summary.maximum),
                "sum": plain_number(summary.sum),
                "unique": summary.unique,
                "grade": summary.grade,
                **({"value": plain_number(numbers[summary.name])} if summary.name in numbers else {}),
            }
            for summary in result.summary()
        },
    }


def _types(program: ir.Program) -> dict[str, str]:
    """The type of every result, and of both parts of pairs."""
    found = {}
    for declared in problem_data(program):
        found[declared.name] = declared.type.name
        if declared.type.is_pair:
            parts = zip(part_names(declared.name), declared.type.parts, strict=True)
            found.update((name, part.name) for name, part in parts)
    return found


def _record(record: TraceRecord) -> dict[str, Any]:
    return {
        "iteration": record.iteration,
        "operator": record.label,
        "site": record.site,
        "frontier": record.frontier_size,
        "edges": record.edges,
        "direction": record.direction.value if record.direction else None,
        "balance": record.balance.value if record.balance else None,
    }


def print_report(run: Run, profile: bool) -> None:
    """Print the report for people, with a line for each operator that ran if `profile`."""
    result, graph = run.result, run.graph
    kind = "directed" if graph.directed else "undirected, each edge stored both ways"
    click.echo(
        f"{run.program.name} on {printable(run.graph_name)}: {_count(graph.num_vertices, 'vertex', 'vertices')}, "
        f"{_count(graph.num_edges, 'edge', 'edges')} ({kind})"
    )
    types = _types(run.program)
    for summary in result.summary():
        click.echo()
        _print_result(summary, types[summary.name], result)
    click.echo()
    click.echo(
        f"{_count(result.iterations, 'iteration', 'iterations')} on {result.backend} in {result.time_ms:.3f} ms "
        f"(load {run.load_ms:.1f} ms, compile {run.compile_ms:.1f} ms)"
    )
    if profile:
        _print_trace(result.trace)


def _print_result(summary: Summary, type_name: str, result: Result) -> None:
    note = _NOTES.get(summary.grade, "")
    numbers = result.numbers()
    if summary.name in numbers:
        click.echo(f"{summary.name}: {type_name} = {numbers[summary.name]}{note}")
        return
    click.echo(f"{summary.name}: {type_name}{note}")
    values = parts_of(result.arrays)[summary.name][:_SHOWN]
    shown = " ".join(str(value) for value in (values.get() if hasattr(values, "get") else values))
    click.echo(f"  {shown}{' …' if summary.size > _SHOWN else ''}")
    if summary.minimum is not None:
        click.echo(f"  minimum {summary.minimum}, maximum {summary.maximum}, sum {summary.sum}")


def _print_trace(trace: tuple[TraceRecord, ...]) -> None:
    rows = [
        (
            str(record.iteration),
            record.label,
            f"{record.frontier_size:,}",
            f"{record.edges:,}",
            record.direction.value if record.direction else "",
            record.balance.value if record.balance else "",
        )
        for record in trace
    ]
    head = ("iteration", "operator", "frontier", "edges", "direction", "balance")
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    left = (1, 4, 5)
    click.echo()
    for row in [head, *rows]:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
