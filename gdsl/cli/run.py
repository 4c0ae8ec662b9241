"""`gdslc run`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli import completing
from gdsl.cli.changes import ChangeWords, change_options
from gdsl.cli.options import (
    GraphWords,
    backend_option,
    checked_limit,
    gpus_option,
    graph_options,
    limit_options,
    memory_option,
    output_option,
    param_option,
    round_option,
    tune_file_options,
    tuning_options,
    type_option,
)
from gdsl.cli.output import check_plot, plot_option, write_plot
from gdsl.cli.params import TakesParams, given_params, param_values
from gdsl.cli.streams import message, tell_warnings
from gdsl.cli.workers import WorkerWords, worker_options
from gdsl.deadline import doing, interrupting, limited
from gdsl.diagnostics import printable
from gdsl.records import dataclass
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.api.program import DryRun, Program
    from gdsl.cli.report import Run
    from gdsl.graph import Graph


@click.command(name="run", cls=TakesParams, short_help="Run a program on a graph.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@click.argument("graph_file", metavar="GRAPH", shell_complete=completing.graphs)
@param_option(
    "Set a param; for an input array NAME=@FILE reads a .npy, .npz (FILE.npz:ARRAY) or text file. May be repeated."
)
@round_option
@click.option(
    "--each", metavar="NAME=VALUES", multiple=True, shell_complete=completing.params,
    help="Run once for each value of a param: NAME=0,1,2, NAME=@FILE, or NAME=all for every vertex. May be repeated.",
)  # fmt: skip
@click.option("--batch", callback=checked_limit, metavar="N", help="With --each: the largest number of runs at a time.")
@backend_option("auto chooses cuda if a GPU answers, cpu if a compiler is found, otherwise reference.")
@gpus_option
@output_option(
    "Write the results to FILE, which ends in .npz, .csv, .json, .parquet, .feather or .arrow. Tables of results over "
    "vertices and over edges are two files, as FILE.vertices.csv and FILE.edges.csv."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("--names", "by_name", is_flag=True, help="Show vertices by their names, in text and in tables.")
@click.option("--profile", is_flag=True, help="Show frontier, edges, direction and balance of every operator that ran.")
@limit_options("Stop if reading, compiling and running take longer.")
@click.option("--dry-run", is_flag=True, help="Check everything, report what a run would allocate, and run nothing.")
@memory_option
@plot_option("Draw each result, on a small graph as its colors, and the frontier into FILE: .png, .svg or .pdf.")
@type_option
@tune_file_options
@tuning_options
@graph_options
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
    words: GraphWords,
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
    for path in (output, plot):
        require_apart(path, *_read(program_file, graph_file, given_params(assignments)), *changes.files)
    limits: dict[str, Any] = {"timeout": timeout, "max_iterations": max_iterations, "round": rounded, "memory": memory}
    tuning = _Tuning(tune, tune_file, types)
    if gpus is not None and not dry_run:
        from gdsl.backends import registry

        with interrupting():
            backend = registry.on_gpus(backend, gpus)
    assigned = given_params(assignments)
    if each:
        from gdsl.cli.each import check_options

        alone = {"--dry-run": dry_run, "--profile": profile, "--names": by_name, "--plot": plot is not None}
        check_options(each, assigned, output, alone)
        with limited(timeout):
            options = {**limits, "batch": batch}
            opened = partial(_opened, graph_file, words, False, changes)
            _run_each(program_file, graph_file, assigned, each, backend, output, options, tuning, opened, as_json)
        return
    if plot is not None:
        check_plot(plot)
    if dry_run:
        with limited(timeout), interrupting():
            program = _compiled(program_file, graph_file, tuning, assigned, output)
            graph, _ = _opened(graph_file, words, by_name, changes)
            values = param_values(assigned, graph)
            program = program.instance(graph, values)
            requirements = program.dry_run(graph, values, backend=backend, memory=memory, gpus=gpus, round=rounded)
        _print_dry_run(requirements, program, graph, program_file, graph_file, as_json)
        return
    if on.requested:
        with limited(timeout), interrupting():
            run = _execute_on_workers(
                on, program_file, graph_file, assigned, backend, output, limits, tuning, words, by_name
            )
        _report(run, as_json, profile)
        return
    with limited(timeout):
        run = _execute(program_file, graph_file, assigned, backend, output, limits, tuning, words, by_name, changes)
    if plot is not None:
        from gdsl.api.result import all_pictures

        write_plot(plot, all_pictures(run.result))
    _report(run, as_json, profile)


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


@dataclass(frozen=True, slots=True)
class _Tuning:
    """The words of --tune, the tune file (its name, or whether to use the one next to the program), and the types of
    -t."""

    words: tuple[str, ...]
    file: str | bool
    types: dict[str, str] | None


def _read(program_file: str, graph_file: str, assigned: dict[str, str]) -> list[str]:
    """The files that a run may read."""
    from gdsl.program_files import meant_by

    return [meant_by(program_file), graph_file, *(text.removeprefix("@") for text in assigned.values())]


def _compiled(
    program_file: str,
    graph_file: str,
    tuning: _Tuning,
    assigned: dict[str, str],
    output: Path | None,
    changes: ChangeWords | None = None,
) -> Program:
    """The program, whose arguments and output file have been checked by name; with --from-result, whether it may go
    on from one."""
    from gdsl.api.compiling import compile_file
    from gdsl.binding import check_names
    from gdsl.cli.results import check_result_path

    with doing(f"compiling {program_file}"):
        program = compile_file(program_file, tuning.words, tuning.file, tuning.types)
        tell_warnings(program)
    if output is not None:
        check_result_path(output, program.ir, *_read(program_file, graph_file, assigned))
    if changes is not None and changes.earlier is not None:
        program._resumed_programs()
    else:
        check_names(program.ir, assigned, program.text)
    return program


def _opened(graph_file: str, words: GraphWords, by_name: bool, changes: ChangeWords) -> tuple[Graph, float]:
    """The graph with its changes, and the milliseconds to load it."""
    started = time.perf_counter()
    graph = changes.apply(words.open(graph_file), words)
    if by_name and graph.names is None:
        raise click.UsageError(f"--names: the vertices of '{graph_file}' have no names, only ids")
    return graph, (time.perf_counter() - started) * 1000


def _run_each(
    program_file: str,
    graph_file: str,
    assigned: dict[str, str],
    each: tuple[str, ...],
    backend: str,
    output: Path | None,
    options: dict[str, Any],
    tuning: _Tuning,
    opened: Callable[[], tuple[Graph, float]],
    as_json: bool,
) -> None:
    """Run with many values, write `output` and print the results."""
    from gdsl.cli.each import EACH, check_params, print_runs, run_all, values_of_each, write
    from gdsl.cli.output import write_output
    from gdsl.progress import working

    with interrupting():
        program = _compiled(program_file, graph_file, tuning, {**assigned, **given_params(each, EACH)}, output)
        check_params(each, program)
        graph, load_ms = opened()
        values = {**param_values(assigned, graph), **values_of_each(each, graph, program)}
    many = run_all(program, graph, values, (program_file, graph_file), load_ms, backend=backend, **options)
    if output is not None:
        with working(f"writing {output}"):
            write_output(output, lambda file: write(file, many))
    print_runs(many, as_json)


def _execute(
    program_file: str,
    graph_file: str,
    assigned: dict[str, str],
    backend: str,
    output: Path | None,
    limits: dict[str, Any],
    tuning: _Tuning,
    words: GraphWords,
    by_name: bool,
    changes: ChangeWords,
) -> Run:
    """Run, with quick checks before slow ones; writes `output` too."""
    from gdsl.api.saved_results import comment_of, read_result
    from gdsl.backends import registry
    from gdsl.cli.report import Run
    from gdsl.cli.results import write_result
    from gdsl.progress import working

    with interrupting():
        program = _compiled(program_file, graph_file, tuning, assigned, output, changes)
        choice = registry.choose(backend)
        if choice.line:
            message(choice.line)
        base, load_ms = _opened(graph_file, words, by_name, ChangeWords())
        graph = changes.apply(base, words)
        values = param_values(assigned, graph)
        instance = program.instance(graph, values)
    compile_ms = program.compile_ms + (instance.compile_ms if instance is not program else 0)
    program = instance
    names = graph.names if by_name else None
    with working(f"running {program.name} on {choice.backend.name}"):
        if changes.earlier is None:
            result = program.run(graph, values, backend=backend, **limits)
        else:
            own = {name: value for name, value in limits.items() if name != "round"}
            result = program.resume(read_result(changes.earlier, program, base), graph, backend=backend, **own)
    if result.backend_line != choice.line:  # the chosen backend could not compile the program
        message(result.backend_line)
    for line in (result.memory_line, result.order_line):
        if line:
            message(line)
    if result.tuned is not None and not result.tuned.used and not result.tuned.stale:
        message(f"note: {printable(result.tuned.file)} is not used: {result.tuned.reason}")
    if output is not None:
        with working(f"writing {output}"):
            comment = comment_of(program, result, graph) if output.suffix.lower() == ".npz" else b""
            write_result(output, program.ir, result, names, comment)
    compile_ms += result.compile_ms
    return Run(program.ir, program_file, graph, graph_file, result, load_ms, compile_ms, names, tuning.words)


def _execute_on_workers(
    on: WorkerWords,
    program_file: str,
    graph_file: str,
    assigned: dict[str, str],
    backend: str,
    output: Path | None,
    limits: dict[str, Any],
    tuning: _Tuning,
    words: GraphWords,
    by_name: bool,
) -> Run:
    """The same, by workers that each read their part of the graph."""
    from gdsl.cli.report import Run
    from gdsl.cli.results import write_result
    from gdsl.cli.workers import Lines, connected
    from gdsl.clusters.checkpoints import checkpoint_options
    from gdsl.clusters.result_folder import parts_options
    from gdsl.clusters.session import check_run_on_gpus
    from gdsl.progress import working

    program = _compiled(program_file, graph_file, replace(tuning, file=False), assigned, output)
    options = {name: limits[name] for name in ("timeout", "max_iterations", "round")}
    options.update(
        checkpoint=on.checkpoint, every=on.every, resume=on.resume, parts=on.parts, types=tuning.types, report=Lines()
    )
    saved = checkpoint_options(on.checkpoint, on.every, on.resume)
    if backend == "cuda":
        check_run_on_gpus(program, saved is not None)
    with connected(on, backend) as workers:
        workers.check_folders(saved, parts_options(on.parts), options["report"])
        started = time.perf_counter()
        graph = workers.load(graph_file, words.options(), report=options["report"])
        if by_name and not graph.has_names:
            raise click.UsageError(f"--names: the vertices of '{graph_file}' have no names, only ids")
        load_ms = (time.perf_counter() - started) * 1000
        result = workers.run(program, graph, param_values(assigned, graph), backend=backend, names=by_name, **options)
        program = workers.last or program
    names = result._names if by_name else None
    if output is not None:
        with working(f"writing {output}"):
            write_result(output, program.ir, result, names)
    compile_ms = program.compile_ms + result.compile_ms
    return Run(program.ir, program_file, graph, graph_file, result, load_ms, compile_ms, names, tuning.words, on.parts)


def _print_dry_run(
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
            "graph": {
                "name": graph_file,
                "vertices": graph.num_vertices,
                "edges": graph.num_edges,
                "directed": graph.directed,
            },
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
    widths = [max(len(row[column]) for row in rows) for column in range(shown)]
    sides = [str.ljust] * 3 + [str.rjust] * 2
    return ["  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=False)) for row in rows]


def _verdict(dry_run: DryRun) -> str:
    if dry_run.free is None:
        return f"{dry_run.device} does not say how much memory is free"
    total = f" of {dry_run.total:,}" if dry_run.total is not None and dry_run.total != dry_run.free else ""
    free = f"{dry_run.device}: {dry_run.free:,} bytes{total} are free"
    left = dry_run.free - dry_run.needed
    if dry_run.gpus and dry_run.fits is False:
        return f"{free}, too few on one of the GPUs: it would not run"
    return f"{free}, {left:,} more than needed" if left >= 0 else f"{free}, {-left:,} too few: it would not run"
