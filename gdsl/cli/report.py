"""The report of `gdslc run`: a few lines for people, or one JSON document."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from gdsl.api.description import GRADES, Data, doubt_of, parts_of_data, results_of
from gdsl.api.result import Result
from gdsl.api.summary import Summary, begins_with_inf, on_host
from gdsl.backends.interface import TraceRecord, parts_of
from gdsl.cli.results import plain_number, shown_vertex
from gdsl.diagnostics import printable
from gdsl.graph import Graph
from gdsl.graph.vertices import Names
from gdsl.ir import nodes as ir
from gdsl.operations import Domain, Grade
from gdsl.records import dataclass
from gdsl.types import Type
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.clusters.session import DistributedGraph

_SHOWN = 10
"""How many values of an array the text shows."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run with everything that the report mentions; times in milliseconds."""

    program: ir.Program
    file: str
    graph: Graph | DistributedGraph
    graph_name: str
    result: Result
    load_ms: float
    compile_ms: float
    names: Names | None = None
    """How vertices are shown, if names were requested and the graph has any."""
    tune: tuple[str, ...] = ()
    """The words of --tune, which take precedence over those of a tune file."""
    parts: str | None = None
    """The folder in which workers have written the arrays of the result, which are shown without their values."""


def as_document(run: Run) -> dict[str, Any]:
    """The report as `--json` prints it."""
    result = run.result
    data = parts(run.program)
    return {
        "gdsl": __version__,
        "program": run.program.name,
        "file": run.file,
        **({"types": {each.name: each.type.name for each in run.program.types}} if run.program.types else {}),
        "backend": result.backend,
        "backend_reason": result.backend_line or None,
        "graph": graph_document(run.graph_name, run.graph),
        "time_ms": {
            "load": round(run.load_ms, 3),
            "compile": round(run.compile_ms, 3),
            "run": round(result.time_ms, 4),
            "layout": None if result.layout_ms is None else round(result.layout_ms, 3),
        },
        "iterations": result.iterations,
        "memory": result.memory_line or None,
        "order": result.order_line or None,
        "form": result.form_line or None,
        "tuned": None if result.tuned is None else {**result.tuned._asdict(), "used": result.tuned.used},
        "trace": [_record(record) for record in result.trace],
        "results": {summary.name: _figures(data[summary.name], summary, result) for summary in result.summary()},
        **({} if run.parts is None else {"parts": run.parts}),
    }


def graph_document(name: str, graph: Graph | DistributedGraph) -> dict[str, Any]:
    """A graph in a document for JSON."""
    return {
        "name": name,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
    }


def parts(program: ir.Program) -> dict[str, Data]:
    """The results by name; pairs as their parts."""
    return {part.name: part for declared in results_of(program) for part in parts_of_data(declared)}


def _figures(declared: Data, summary: Summary, result: Result) -> dict[str, Any]:
    numbers = result.numbers()
    apart = {"infinite": summary.infinite, "lowest": summary.lowest, "nan": summary.nans, "none": summary.nones}
    doubt = declared.doubt if declared.grade is Grade.NOT_UNIQUE else None
    return {
        "type": declared.type.name,
        "size": summary.size,
        "minimum": plain_number(summary.minimum),
        "maximum": plain_number(summary.maximum),
        "sum": plain_number(summary.sum),
        "unique": summary.unique,
        "grade": summary.grade,
        **({"reason": doubt.reason, "line": doubt.span.line} if doubt is not None else {}),
        **({"value": plain_number(numbers[summary.name])} if summary.name in numbers else {}),
        **({"apart": {name: count for name, count in apart.items() if count}} if any(apart.values()) else {}),
    }


def _record(record: TraceRecord) -> dict[str, Any]:
    return {
        "iteration": record.iteration,
        "operator": record.label,
        "site": record.site,
        "frontier": record.frontier_size,
        "edges": record.edges,
        "direction": record.direction.value if record.direction else None,
        "balance": record.balance.value if record.balance else None,
        "order": record.order.value if record.order else None,
        "time_ms": None if record.time_ms is None else round(record.time_ms, 6),
    }


def tell_types(program: ir.Program) -> None:
    """A line for the types that are not the program's defaults."""
    types = [f"{each.name} = {each.type.name}" for each in program.types if each.type is not each.default]
    if types:
        click.echo(f"types: {', '.join(types)}")


def print_report(run: Run, profile: bool) -> None:
    """Print the report for people, with a line for each operator that ran if `profile`."""
    result, graph = run.result, run.graph
    kind = "directed" if graph.directed else "undirected, each edge stored both ways"
    click.echo(
        f"{run.program.name} on {printable(run.graph_name)}: {_count(graph.num_vertices, 'vertex', 'vertices')}, "
        f"{_count(graph.num_edges, 'edge', 'edges')} ({kind})"
    )
    tell_types(run.program)
    data = parts(run.program)
    for summary in result.summary():
        click.echo()
        _print_result(data[summary.name], summary, run)
    if run.parts is not None:
        click.echo()
        click.echo(f"each worker has written its part of the results to {printable(run.parts)}")
    click.echo()
    click.echo(
        f"{_count(result.iterations, 'iteration', 'iterations')} on {result.backend} in {result.time_ms:.3f} ms "
        f"(load {run.load_ms:.1f} ms, compile {run.compile_ms:.1f} ms{_layout(result)})"
    )
    if result.tuned is not None and result.tuned.used:
        none = "none besides those of --tune" if run.tune else "none, nothing better was found"
        knobs = ", ".join(result.tuned.knobs) or none
        click.echo(f"knobs of {printable(result.tuned.file)}: {knobs}")
    if profile:
        _print_trace(result.trace)
        print_bars(result.trace)


def _layout(result: Result) -> str:
    return "" if result.layout_ms is None else f", vertices by degree {result.layout_ms:.1f} ms"


def _print_result(declared: Data, summary: Summary, run: Run) -> None:
    result = run.result
    note = GRADES[summary.grade]
    said = f"  ({note})" if note else ""
    quiet = click.style(said, dim=True) if summary.unique else said
    numbers = result.numbers()
    if summary.name in numbers:
        value = _value(declared, numbers[summary.name], run)
        click.echo(f"{summary.name}: {declared.type.name} = {value}{quiet}")
        _print_doubt(declared)
        return
    click.echo(f"{summary.name}: {declared.type.name}{quiet}")
    _print_doubt(declared)
    if run.parts is None:
        click.echo(f"  {_first_values(declared, run)}{' …' if summary.size > _SHOWN else ''}")
    figures = figures_of(declared, summary)
    if figures:
        click.echo(f"  {figures}")


def _first_values(declared: Data, run: Run) -> str:
    """The first values of an array; with names, each with its vertex."""
    values = on_host(parts_of(run.result.arrays)[declared.name][:_SHOWN])
    words = [_values(declared, value, run) for value in values]
    if run.names is None or not isinstance(declared, ir.Array) or declared.domain is not Domain.VERTEX:
        return " ".join(words)
    return ", ".join(f"{printable(shown_vertex(place, run.names))}: {word}" for place, word in enumerate(words))


def _values(declared: Data, values: Any, run: Run) -> str:
    """The value of an element, or the first of several."""
    if not isinstance(values, np.ndarray):
        return _value(declared, values, run)
    words = [_value(declared, value, run) for value in values[:_SHOWN]]
    return f"({', '.join(words)}{', …' if len(values) > _SHOWN else ''})"


def _value(declared: Data, value: Any, run: Run) -> str:
    return printable(shown_vertex(int(value), run.names)) if declared.type is Type.VERTEX else str(value)


def _print_doubt(declared: Data) -> None:
    """Why a result is not unique, and the line that causes it."""
    if declared.grade is Grade.NOT_UNIQUE and doubt_of(declared):
        click.echo(f"  because {doubt_of(declared)}")


def figures_of(declared: Data, summary: Summary) -> str:
    """Statistics of an array on one line: ``min 0, max 7, mean 2.3, 5 unreached (inf)``."""
    if declared.type is Type.BOOL:
        return f"{summary.sum:,} of {_count(summary.size, 'value', 'values')} true" if summary.size else ""
    words = []
    if summary.minimum is not None and summary.maximum is not None:
        words += [f"min {_short(declared, summary.minimum)}", f"max {_short(declared, summary.maximum)}"]
        if summary.mean is not None and not declared.type.is_id:
            words.append(f"mean {_mean(summary.mean)}")
    if summary.infinite:
        words.append(
            f"{summary.infinite:,} unreached (inf)" if begins_with_inf(declared) else f"{summary.infinite:,} inf"
        )
    for count, name in ((summary.lowest, "-inf"), (summary.nans, "nan"), (summary.nones, "none")):
        words += [f"{count:,} {name}"] if count else []
    return ", ".join(words)


def _short(declared: Data, value: int | float) -> str:
    return str(np.float32(value) if declared.type is Type.FLOAT32 else value).removesuffix(".0")


def _mean(value: float) -> str:
    """With three digits, or one decimal for a large number."""
    return f"{value:.1f}" if 1000 <= abs(value) < 1e15 else f"{value:.3g}"


def _print_trace(trace: tuple[TraceRecord, ...]) -> None:
    from gdsl.profiling.table import aligned

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
    click.echo("\n".join(["", *aligned(head, rows, [], 0, left=(1, 4, 5))]))


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def print_bars(trace: Sequence[TraceRecord]) -> None:
    """Print a bar for each operator: its time, or without times the edges that it walked; nothing if standard output is
    not a terminal, or if there is nothing to compare."""
    spent = by_operator(trace)
    if not sys.stdout.isatty() or not any(amount for _, amount in spent.values()):
        return
    from gdsl.profiling.table import aligned

    timed = _is_timed(trace)
    total = sum(amount for _, amount in spent.values())
    ordered = sorted(spent.items(), key=lambda entry: -entry[1][1])
    largest = ordered[0][1][1]
    rows = [
        (label, f"{runs:,}", f"{amount:,.3f}" if timed else f"{amount:,.0f}", f"{amount / total:.0%}")
        for label, (runs, amount) in ordered
    ]
    shares = [amount / largest for _, (_, amount) in ordered]
    head = ("operator", "runs", "ms" if timed else "edges", "")
    lines = aligned(head, rows, shares, shutil.get_terminal_size().columns, left=(0,))
    click.echo("\n".join(["", *lines]))


def by_operator(trace: Sequence[TraceRecord]) -> dict[str, tuple[int, float]]:
    """How often each operator ran, and its total milliseconds, or without times its edges."""
    timed = _is_timed(trace)
    totals: dict[str, tuple[int, float]] = {}
    for record in trace:
        runs, amount = totals.get(record.label, (0, 0.0))
        totals[record.label] = runs + 1, amount + ((record.time_ms or 0.0) if timed else record.edges)
    return totals


def _is_timed(trace: Sequence[TraceRecord]) -> bool:
    return any(record.time_ms is not None for record in trace)
