"""`gdslc run --each`: one program for many values of its params."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import numpy as np

from gdsl.api.summary import summarize
from gdsl.backends.interface import parts_of
from gdsl.cli.params import array_of, given_params
from gdsl.cli.report import figures_of, parts, tell_types
from gdsl.cli.results import plain_number
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
class Many:
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
    for name in given_params(each, EACH):
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
    for name in given_params(each, EACH):
        if name not in varied:  # inputs, and sets of vertices
            raise click.UsageError(f"{EACH} {name}: it is the same in all runs; give it by -p {name}=…")


def values_of_each(each: Sequence[str], graph: Graph, program: Program) -> dict[str, Any]:
    """The lists of values in the words of --each."""
    shared = given_params(each, EACH)
    for param in program.ir.params:
        if shared.get(param.name) == "all" and param.type is not Type.VERTEX:
            raise click.UsageError(
                f"{EACH} {param.name}=all: all is every vertex, and {param.name} is of type {param.type.name}; list "
                f"its values: {EACH} {param.name}=…,…"
            )
    return {name: _values(name, text, graph) for name, text in shared.items()}


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
) -> Many:
    """Run with all values; `names` of the program's file and the graph's."""
    started = time.perf_counter()
    program = program.instance(graph, values, varied=[name for name in values if not isinstance(values[name], str)])
    try:
        batch = program.map(graph, values, **options)
    except (TypeError, ValueError) as error:  # lists of different lengths
        raise click.UsageError(f"--each: {error}") from None
    return Many(program, names[0], graph, names[1], batch, load_ms, (time.perf_counter() - started) * 1e3)


def print_runs(many: Many, as_json: bool) -> None:
    """Print the results."""
    if as_json:
        click.echo(json.dumps(_document(many), indent=2, allow_nan=False))
    else:
        _report(many)


def write(file: BinaryIO, many: Many) -> None:
    """Write a .npz file: an array of all runs for each result, and the values of the params, `each.NAME`."""
    values = {f"each.{name}": np.asarray(shared) for name, shared in _given(many).items()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, values_ in {**many.batch.host_arrays(), **values, "iterations": many.batch.iterations}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(values_), allow_pickle=False)


def _document(many: Many) -> dict[str, Any]:
    batch, graph = many.batch, many.graph
    declared, stacks = parts(many.program.ir), parts_of({name: batch[name] for name in batch.grade})
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
        "program": many.program.name,
        "file": many.file,
        **({"types": many.program.types} if many.program.types else {}),
        "backend": batch.backend,
        "how": batch.how,
        "graph": {"name": many.graph_name, "vertices": graph.num_vertices, "edges": graph.num_edges},
        "runs": len(batch),
        "time_ms": {
            "load": round(many.load_ms, 3),
            "compile": round(batch.compile_ms, 3),
            "run": round(batch.time_ms, 4),
            "all": round(many.wall_ms, 3),
        },
        "values": {name: list(map(plain_number, values_)) for name, values_ in _given(many).items()},
        "iterations": batch.iterations.tolist(),
        "results": results,
    }


def _given(many: Many) -> dict[str, list[Any]]:
    """The values by name; words are converted to numbers, bools, or names of vertices."""
    params = {param.name: param for param in many.program.ir.params}
    shared = many.batch.values.items()
    return {name: [_meant(value, params[name], many.graph) for value in values] for name, values in shared}


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


def _report(many: Many) -> None:
    batch, graph = many.batch, many.graph
    click.echo(
        f"{many.program.name} on {printable(many.graph_name)}: {graph.num_vertices:,} vertices, "
        f"{graph.num_edges:,} edges"
    )
    tell_types(many.program.ir)
    for name, values_ in batch.values.items():
        words = ", ".join(printable(str(value)) for value in list(values_[:_SHOWN]))
        figures_line = f": {words}{', …' if len(batch) > _SHOWN else ''}" if words else ""
        click.echo(f"{len(batch):,} values of {name}{figures_line}")
    declared, stacks = parts(many.program.ir), parts_of({name: batch[name] for name in batch.grade})
    for name, values in stacks.items():
        summary = summarize(declared[name], values)
        click.echo()
        click.echo(f"{name}: {declared[name].type.name} [{', '.join(f'{length:,}' for length in values.shape)}]")
        if figures := figures_of(declared[name], summary):
            click.echo(f"  {figures}")
    click.echo()
    passes = batch.iterations
    figures_line = "no iterations"
    if len(batch):
        least, most = passes.min(), passes.max()
        alike = f"{most:,} iteration{'' if most == 1 else 's'} each"
        figures_line = alike if least == most else f"{least:,} to {most:,} iterations"
    rate = f", {len(batch) / batch.time_ms * 1e3:,.0f} runs a second" if batch.time_ms else ""
    click.echo(f"{figures_line} on {batch.backend} in {batch.time_ms:.3f} ms{rate}")
    click.echo(f"{batch.how} (load {many.load_ms:.1f} ms, compile {batch.compile_ms:.1f} ms)")
    if batch.backend_line:
        message(batch.backend_line)
