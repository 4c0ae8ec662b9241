"""`gdslc run --each`: one program for many values of its params."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import numpy as np

from gdsl.api.summary import summarize
from gdsl.backends.interface import parts_of
from gdsl.cli.params import array_of, parse_params
from gdsl.cli.report import figures_of, parts, tell_types
from gdsl.cli.results import plain_number, write_npz
from gdsl.cli.streams import message
from gdsl.diagnostics import printable
from gdsl.numerals import is_whole, real_number
from gdsl.records import dataclass
from gdsl.types import Type
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.api.batch import Batch
    from gdsl.api.program import Program
    from gdsl.graph import Graph
    from gdsl.ir.nodes import Param

EACH = "--each"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BatchRun:
    """The results of all values, and what the report needs; times in milliseconds."""

    program: Program
    file: str
    graph: Graph
    graph_name: str
    batch: Batch
    load_ms: float
    wall_ms: float


def check_options(
    each: Sequence[str], shared: Mapping[str, str], output: Path | None, others: Mapping[str, bool]
) -> None:
    """Raise a usage error for options that cannot be combined with --each."""
    for name in parse_params(each, EACH):
        if name in shared:
            raise click.UsageError(f"{name} is given by -p and by --each: one value for all, or many")
    for option, is_set in others.items():
        if is_set:
            raise click.UsageError(f"{option} is of one run, and --each makes many")
    if output is not None and output.suffix.lower() != ".npz":
        raise click.UsageError(
            f"-o: '{output.name}' must end in .npz, which holds an array of all runs for each result"
        )


def check_params(each: Sequence[str], program: Program) -> None:
    """Raise a usage error for a param that must be the same in all runs."""
    varied = {param.name for param in program.ir.params}
    for name in parse_params(each, EACH):
        if name not in varied:  # inputs, and sets of vertices
            raise click.UsageError(f"{EACH} {name}: it is the same in all runs; give it by -p {name}=…")


def values_of_each(each: Sequence[str], graph: Graph, program: Program) -> dict[str, Any]:
    """The lists of values in the words of --each."""
    texts = parse_params(each, EACH)
    for param in program.ir.params:
        if texts.get(param.name) == "all" and param.type is not Type.VERTEX:
            raise click.UsageError(
                f"{EACH} {param.name}=all: all is every vertex, and {param.name} is of type {param.type.name}; list "
                f"its values: {EACH} {param.name}=…,…"
            )
    return {name: _values(name, text, graph) for name, text in texts.items()}


def _values(name: str, text: str, graph: Graph) -> Any:
    from gdsl.binding import Text

    if text == "all":
        has_numbers = graph.names is not None and any(is_whole(name) for name in graph.names)
        return list(graph.names or ()) if has_numbers else range(graph.num_vertices)  # where numbers are names
    if text.startswith("@"):
        return _listed(name, array_of(name, text, graph, EACH))
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise click.UsageError(f"--each {name}={text}: separate values by commas: --each {name}=0,1,2")
    return [Text(word) for word in words]


def _listed(name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values of a file as a list; a single number is a list of one value."""
    if values.ndim > 1:
        raise click.UsageError(f"{EACH} {name}: the file has the shape {values.shape}, and values are one list")
    return values.reshape(-1)


def run_all(
    program: Program, graph: Graph, values: dict[str, Any], names: tuple[str, str], load_ms: float, **options: Any
) -> BatchRun:
    """Run with all values; `names` of the program's file and the graph's."""
    started = time.perf_counter()
    program = program.instance(graph, values, varied=[name for name in values if not isinstance(values[name], str)])
    try:
        batch = program.map(graph, values, **options)
    except (TypeError, ValueError) as error:  # lists of different lengths
        raise click.UsageError(f"--each: {error}") from None
    return BatchRun(program, names[0], graph, names[1], batch, load_ms, (time.perf_counter() - started) * 1e3)


def print_runs(run: BatchRun, as_json: bool) -> None:
    """Print the results."""
    if as_json:
        click.echo(json.dumps(_document(run), indent=2, allow_nan=False))
    else:
        _report(run)


def write(file: BinaryIO, run: BatchRun) -> None:
    """Write a .npz file: an array of all runs for each result, and the values of the params, `each.NAME`."""
    params = {f"each.{name}": np.asarray(values) for name, values in _arguments(run).items()}
    write_npz(file, {**run.batch.host_arrays(), **params, "iterations": run.batch.iterations})


def _document(run: BatchRun) -> dict[str, Any]:
    batch, graph = run.batch, run.graph
    declared, stacks = parts(run.program.ir), parts_of({name: batch[name] for name in batch.grade})
    results = {}
    for name, values in stacks.items():
        summary = summarize(declared[name], values)
        results[name] = {
            "type": declared[name].type.name,
            "shape": list(values.shape),
            "minimum": plain_number(summary.minimum),
            "maximum": plain_number(summary.maximum),
            "sum": plain_number(summary.sum),
            "grade": summary.grade,
        }
    return {
        "gdsl": __version__,
        "program": run.program.name,
        "file": run.file,
        **({"types": run.program.types} if run.program.types else {}),
        "backend": batch.backend,
        "how": batch.how,
        "graph": {"name": run.graph_name, "vertices": graph.num_vertices, "edges": graph.num_edges},
        "runs": len(batch),
        "time_ms": {
            "load": round(run.load_ms, 3),
            "compile": round(batch.compile_ms, 3),
            "run": round(batch.time_ms, 4),
            "all": round(run.wall_ms, 3),
        },
        "values": {name: list(map(plain_number, values)) for name, values in _arguments(run).items()},
        "iterations": batch.iterations.tolist(),
        "results": results,
    }


def _arguments(run: BatchRun) -> dict[str, list[Any]]:
    """The values by name; words are converted to numbers, bools, or names of vertices."""
    params = {param.name: param for param in run.program.ir.params}
    return {
        name: [_meant(value, params[name], run.graph) for value in values] for name, values in run.batch.values.items()
    }


def _meant(value: Any, param: Param, graph: Graph) -> Any:
    from gdsl.binding import Text, scalar_value, vertex_by_name

    if not isinstance(value, Text):
        return value.item() if isinstance(value, np.generic) else _as_shown(value)
    if param.type.is_float:
        return real_number(value.strip())  # as written, whatever its type makes of it
    count = graph.num_edges if param.type is Type.EDGE else graph.num_vertices
    number = scalar_value(param, vertex_by_name(param, value, graph, None), count, None)
    names = graph.names if param.type is Type.VERTEX else None
    return number if names is None else _as_shown(names[int(number)])


def _as_shown(name: Any) -> Any:
    return name if isinstance(name, bool | int | float) else str(name)


def _report(run: BatchRun) -> None:
    batch, graph = run.batch, run.graph
    click.echo(
        f"{run.program.name} on {printable(run.graph_name)}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges"
    )
    tell_types(run.program.ir)
    for name, values in batch.values.items():
        words = ", ".join(printable(str(value)) for value in list(values[:_SHOWN]))
        first = f": {words}{', …' if len(batch) > _SHOWN else ''}" if words else ""
        click.echo(f"{len(batch):,} value{'s' * (len(batch) != 1)} of {name}{first}")
    declared, stacks = parts(run.program.ir), parts_of({name: batch[name] for name in batch.grade})
    for name, values in stacks.items():
        summary = summarize(declared[name], values)
        click.echo()
        click.echo(f"{name}: {declared[name].type.name} [{', '.join(f'{length:,}' for length in values.shape)}]")
        if figures := figures_of(declared[name], summary):
            click.echo(f"  {figures}")
    click.echo()
    passes = batch.iterations
    passes_line = "no iterations"
    if len(batch):
        least, most = passes.min(), passes.max()
        alike = f"{most:,} iteration{'' if most == 1 else 's'} each"
        passes_line = alike if least == most else f"{least:,} to {most:,} iterations"
    rate = f", {len(batch) / batch.time_ms * 1e3:,.0f} runs a second" if batch.time_ms else ""
    click.echo(f"{passes_line} on {batch.backend} in {batch.time_ms:.3f} ms{rate}")
    click.echo(f"{batch.how} (load {run.load_ms:.1f} ms, compile {batch.compile_ms:.1f} ms)")
    if batch.backend_line:
        message(batch.backend_line)
