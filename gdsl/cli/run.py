"""`gdslc run`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli import completing, options
from gdsl.cli.changes import ChangeWords, change_options
from gdsl.cli.execution import Request, execute, execute_on_workers, run_each
from gdsl.cli.output import check_plot, plot_option, write_plot
from gdsl.cli.params import TakesParams, param_values, parse_params
from gdsl.cli.report import graph_document
from gdsl.cli.streams import message
from gdsl.cli.workers import WorkerWords, worker_options
from gdsl.deadline import interrupting, limited
from gdsl.diagnostics import printable
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.api.dry_run import DryRun
    from gdsl.api.program import Program
    from gdsl.cli.report import Run
    from gdsl.graph import Graph


@click.command(name="run", cls=TakesParams, short_help="Run a program on a graph.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@click.argument("graph_file", metavar="GRAPH", shell_complete=completing.graphs)
@options.param_option(
    "Set a param; for an input array NAME=@FILE reads a .npy, .npz (FILE.npz:ARRAY) or text file. May be repeated."
)
@options.round_option
@click.option(
    "--each", metavar="NAME=VALUES", multiple=True, shell_complete=completing.params,
    help="Run once for each value of a param: NAME=0,1,2, NAME=@FILE, or NAME=all for every vertex. May be repeated.",
)  # fmt: skip
@click.option(
    "--batch", callback=options.checked_limit, metavar="N", help="With --each: the largest number of runs at a time."
)
@options.backend_option("auto chooses cuda if a GPU answers, cpu if a compiler is found, otherwise reference.")
@options.gpus_option
@options.output_option(
    "Write the results to FILE, which ends in .npz, .csv, .json, .parquet, .feather or .arrow. Tables of results over "
    "vertices and over edges are two files, as FILE.vertices.csv and FILE.edges.csv."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("--names", "by_name", is_flag=True, help="Show vertices by their names, in text and in tables.")
@click.option("--profile", is_flag=True, help="Show frontier, edges, direction and balance of every operator that ran.")
@options.limit_options("Stop if reading, compiling and running take longer.")
@click.option("--dry-run", is_flag=True, help="Check everything, report what a run would allocate, and run nothing.")
@options.memory_option
@plot_option("Draw each result, on a small graph as its colors, and the frontier into FILE: .png, .svg or .pdf.")
@options.type_option
@options.tune_file_options
@options.tuning_options
@options.graph_options
@change_options
@worker_options
def command(
    program_file: str,
    graph_file: str,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    each: tuple[str, ...],
    batch: int | None,
    backend: str,
    gpus: int | str | list[int] | None,
    output: Path | None,
    as_json: bool,
    by_name: bool,
    profile: bool,
    timeout: float | None,
    max_iterations: int | None,
    dry_run: bool,
    memory: str | None,
    plot: Path | None,
    types: dict[str, str] | None,
    tune_file: str | bool,
    tune: tuple[str, ...],
    words: options.GraphWords,
    changes: ChangeWords,
    on: WorkerWords,
) -> None:
    """Run PROGRAM on GRAPH and print its results.

    PROGRAM is a .gdsl file, a bare name (NAME if there is such a file, else NAME.gdsl here, else the sample; gdslc
    samples lists them), PACKAGE:PROGRAM of an installed package (gdslc export --wheel), or - for standard input.

    GRAPH is a file (Matrix Market .mtx .mm, DIMACS .gr, SciPy .npz, METIS .graph .metis, an edge list
    .csv .tsv .txt .el .e .wel .edges .edgelist, a table .parquet .feather .arrow, .graphml, .gml, Pajek .net, and what
    NetworkX reads: .gexf .json .dot .adjlist .g6 .s6; those of text also as .gz, .bz2, .xz), a generated graph such as
    rmat:16, grid:300 or uniform:1000:5000, or one that comes with gdsl: karate or lesmis.

    \b
    Examples:
      gdslc run bfs karate -p source=0
      gdslc run bfs friends.csv -p source=Ann --names
      gdslc run sssp rmat:16 --weights random:1 -p source=0 -o distances.npz
      gdslc run bfs karate --each source=all -o distances.npz
      gdslc run pagerank rmat:20 --workers 3
      gdslc run sssp roads.csv -p source=0 --insert new_roads.csv
    """
    from gdsl.cli.output import require_apart

    _check_together(each, batch, dry_run, plot)
    own_file = tune_file if isinstance(tune_file, str) else None
    on.check(
        {
            "--each": bool(each),
            "--plot": plot is not None,
            "--dry-run": dry_run,
            "--memory": memory is not None,
            "--gpus": gpus is not None,
            "--tune-file": own_file is not None,
            "--backend reference": backend == "reference",
            **changes.options,
        }
    )
    changes.check({"-p": bool(assignments), "--round": bool(rounded), "--each": bool(each), "--dry-run": dry_run})
    on.check_parts({"-o": output is not None, "--names": by_name})  # fmt: skip
    assigned = parse_params(assignments)
    limits: dict[str, Any] = {"timeout": timeout, "max_iterations": max_iterations, "round": rounded, "memory": memory}
    request = Request(
        program_file, graph_file, assigned, backend, output, limits, tune, tune_file, types, words, by_name, changes
    )
    for path in (output, plot):
        require_apart(path, *request.files)
    if on.trace is not None and not on.requested:
        _check_trace(gpus, {"--each": bool(each), "--dry-run": dry_run})
    if gpus is not None and not dry_run:
        with interrupting():
            request = replace(request, backend=_backend_on(backend, gpus, on.trace is not None))
    if each:
        from gdsl.cli.each import check_options

        alone = {"--dry-run": dry_run, "--profile": profile, "--names": by_name, "--plot": plot is not None}
        check_options(each, assigned, output, alone)
        with limited(timeout):
            run_each(request, each, batch, as_json)
        return
    if plot is not None:
        check_plot(plot)
    if dry_run:
        with limited(timeout), interrupting():
            program, (graph, _) = request.program(), request.graph()
            values = param_values(assigned, graph)
            program = program.instance(graph, values)
            requirements = program.dry_run(graph, values, backend=backend, memory=memory, gpus=gpus, round=rounded)
        print_dry_run(requirements, program, graph, program_file, graph_file, as_json)
        return
    if on.requested:
        with limited(timeout), interrupting():
            run = execute_on_workers(request, on)
        _report(run, as_json, profile)
        return
    with limited(timeout):
        run = execute(request, on.trace)
    if plot is not None:
        from gdsl.api.result import all_pictures

        write_plot(plot, all_pictures(run.result))
    _report(run, as_json, profile)


def _check_trace(gpus: object, refused: Mapping[str, bool]) -> None:
    """Refuse --trace for runs without lanes, and those with options that are `refused`."""
    if gpus is None or gpus == 1:
        raise click.UsageError("--trace is for runs with --workers, --cluster, --mpi or --gpus, of two GPUs or more")
    for option, is_set in refused.items():
        if is_set:
            raise click.UsageError(f"--trace is not available with {option}")


def _backend_on(backend: str, gpus: int | str | list[int], has_lanes: bool) -> str:
    """The backend on these GPUs, each of which writes a lane of the trace if the run `has_lanes`."""
    from gdsl.backends import registry
    from gdsl.backends.gpus import with_lanes

    name = registry.on_gpus(backend, gpus)
    if has_lanes and with_lanes(name) == name:
        raise click.UsageError("--trace with --gpus needs two GPUs or more")
    return with_lanes(name) if has_lanes else name


def _report(run: Run, as_json: bool, profile: bool) -> None:
    from gdsl.cli.report import as_document, print_report

    if as_json:
        click.echo(json.dumps(as_document(run), indent=2, allow_nan=False))
    else:
        print_report(run, profile)


def _check_together(each: Sequence[str], batch: int | None, dry_run: bool, plot: Path | None) -> None:
    """Refuse options that cannot be combined."""
    if batch is not None and not each:
        raise click.UsageError("--batch is for --each: it says how many runs there are at a time")
    if plot is not None and dry_run and not each:
        raise click.UsageError("--plot draws the results of a run, and --dry-run runs nothing")


# What `gdslc run --dry-run` prints: what a run would allocate.


def print_dry_run(
    dry_run: DryRun, program: Program, graph: Graph, program_file: str, graph_file: str, as_json: bool
) -> None:
    """Print it, and exit with status 1 if a run would not have enough memory."""
    if dry_run.backend_line:
        message(dry_run.backend_line)
    if as_json:
        document = {
            "gdsl": __version__,
            "program": program.name,
            "file": program_file,
            "backend": dry_run.backend,
            "backend_reason": dry_run.backend_line or None,
            "graph": graph_document(graph_file, graph),
            "memory": dry_run.as_document(),
        }
        click.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        _print_needs(dry_run, program, graph, graph_file)
    if dry_run.fits is False:
        raise click.exceptions.Exit(1)


def _print_needs(dry_run: DryRun, program: Program, graph: Graph, graph_file: str) -> None:
    sizes = f"V = {graph.num_vertices:,}, E = {graph.num_edges:,}"
    click.echo(
        f"{program.name} on {printable(graph_file)}: {sizes}; {dry_run.backend}, {dry_run.widths}; nothing was run"
    )
    click.echo()
    for row in _table(dry_run):
        click.echo(row)
    click.echo()
    if dry_run.memory_line:
        click.echo(dry_run.memory_line)
    for each in dry_run.gpus:
        free = "" if each.free is None else f" of {each.free:,} free bytes"
        click.echo(f"GPU {each.gpu}: {each.needed:,}{free}")
    click.echo(_verdict(dry_run))


def _table(dry_run: DryRun) -> list[str]:
    """A line for each buffer; with a column for the memory of the host if anything is there."""
    rows = [("buffer", "for", "elements", "bytes", "in the host's memory")]
    rows += [
        (need.name, need.what, need.elements, need.there or f"{need.nbytes:,}", f"{need.host_bytes:,}")
        for need in dry_run.needs
    ]
    rows.append(("together", "", "", f"{dry_run.needed:,}", f"{dry_run.needed_of_host:,}"))
    shown = 5 if dry_run.needed_of_host else 4
    from gdsl.profiling.table import aligned

    head, *others = (row[:shown] for row in rows)
    return aligned(head, others, [], 0, left=(0, 1, 2))


def _verdict(dry_run: DryRun) -> str:
    if dry_run.free is None:
        return f"{dry_run.device} does not say how much memory is free"
    total = f" of {dry_run.total:,}" if dry_run.total is not None and dry_run.total != dry_run.free else ""
    free = f"{dry_run.device}: {dry_run.free:,} bytes{total} are free"
    left = dry_run.free - (sum(each.needed for each in dry_run.gpus) or dry_run.needed)
    if dry_run.gpus and dry_run.fits is False:
        return f"{free}, too few on one of the GPUs: it would not run"
    return f"{free}, {left:,} more than needed" if left >= 0 else f"{free}, {-left:,} too few: it would not run"
