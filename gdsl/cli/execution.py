"""What `gdslc run` does once its options are read: one run, one for each value, or one on workers."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli.changes import ChangeWords
from gdsl.cli.options import GraphWords
from gdsl.cli.output import check_writable, require_apart, write_output
from gdsl.cli.params import check_files, param_values, parse_params
from gdsl.cli.streams import message, tell_warnings
from gdsl.cli.workers import WorkerWords
from gdsl.deadline import doing, interrupting
from gdsl.diagnostics import printable
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.api.program import Program
    from gdsl.api.result import Result
    from gdsl.cli.report import Run
    from gdsl.graph import Graph


@dataclass(frozen=True, slots=True)
class Request:
    """A run as requested on the command line."""

    program_file: str
    graph_file: str
    assigned: dict[str, str]
    """The texts of the params and inputs."""
    backend: str
    output: Path | None
    limits: dict[str, Any]
    """The options `timeout`, `max_iterations`, `round` and `memory` of a run."""
    tuning: tuple[str, ...]
    tune_file: str | bool
    """Its name, or whether to use the one next to the program."""
    types: dict[str, str] | None
    words: GraphWords
    by_name: bool
    changes: ChangeWords

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the run may read."""
        from gdsl.program_files import meant_by

        given = (text.removeprefix("@") for text in self.assigned.values())
        return (meant_by(self.program_file), self.graph_file, *given, *self.changes.files)

    def program(self, assigned: dict[str, str] | None = None) -> Program:
        """The program, whose arguments (those of the request, or `assigned`), their files and output file have been
        checked by name; with --from-result, whether it may go on from one."""
        from gdsl.api.compiling import compile_file
        from gdsl.binding import check_names
        from gdsl.cli.results import check_result_path

        with doing(f"compiling {self.program_file}"):
            program = compile_file(self.program_file, self.tuning, self.tune_file, self.types)
            tell_warnings(program)
        if self.output is not None:
            check_result_path(self.output, program.ir, *self.files)
        if self.changes.earlier is not None:
            program._resumed_programs()
        else:
            check_names(program.ir, self.assigned if assigned is None else assigned, program.text)
        check_files(self.assigned)
        return program

    def graph(self, changes: ChangeWords | None = None) -> tuple[Graph, float]:
        """The graph with its changes, or with `changes`, and the milliseconds to load it."""
        started = time.perf_counter()
        graph = (self.changes if changes is None else changes).apply(self.words.open(self.graph_file), self.words)
        self.require_names(graph.names is not None)
        return graph, (time.perf_counter() - started) * 1000

    def require_names(self, has_names: bool) -> None:
        """Refuse --names for a graph without names."""
        if self.by_name and not has_names:
            raise click.UsageError(f"--names: the vertices of '{self.graph_file}' have no names, only ids")


def run_each(request: Request, each: tuple[str, ...], batch: int | None, as_json: bool) -> None:
    """Run with many values, write the output and print the results."""
    from gdsl.cli.each import EACH, check_params, print_runs, run_all, values_of_each, write
    from gdsl.cli.output import write_output
    from gdsl.progress import working

    with interrupting():
        program = request.program({**request.assigned, **parse_params(each, EACH)})
        check_params(each, program)
        graph, load_ms = request.graph()
        values = {**param_values(request.assigned, graph), **values_of_each(each, graph, program)}
    files, options = (request.program_file, request.graph_file), {**request.limits, "batch": batch}
    run = run_all(program, graph, values, files, load_ms, backend=request.backend, **options)
    if request.output is not None:
        with working(f"writing {request.output}"):
            write_output(request.output, lambda file: write(file, run))
    print_runs(run, as_json)


def execute(request: Request, trace: Path | None = None) -> Run:
    """Run, with quick checks before slow ones; writes the output too, and to `trace` the lanes of several GPUs."""
    from gdsl.api.saved_results import comment_of, read_result
    from gdsl.backends import registry
    from gdsl.cli.report import Run
    from gdsl.cli.results import write_result
    from gdsl.progress import working

    if trace is not None:
        require_apart(trace, *request.files)
        check_writable(trace)
    with interrupting():
        program = request.program()
        choice = registry.choose(request.backend)
        if choice.line:
            message(choice.line)
        base, load_ms = request.graph(ChangeWords())
        graph = request.changes.apply(base, request.words)
        values = param_values(request.assigned, graph)
        instance = program.instance(graph, values)
    compile_ms = program.compile_ms + (instance.compile_ms if instance is not program else 0)
    program = instance
    names = graph.names if request.by_name else None
    with working(f"running {program.name} on {choice.backend.name}"):
        if request.changes.earlier is None:
            result = program.run(graph, values, backend=request.backend, **request.limits)
        else:
            own = {name: value for name, value in request.limits.items() if name != "round"}
            earlier = read_result(request.changes.earlier, program, base)
            result = program.resume(earlier, graph, backend=request.backend, **own)
    if result.backend_line != choice.line:  # the chosen backend could not compile the program
        message(result.backend_line)
    for line in (result.memory_line, result.order_line, result.form_line):
        if line:
            message(line)
    if result.tuned is not None and not result.tuned.used and not result.tuned.stale:
        message(f"note: {printable(result.tuned.file)} is not used: {result.tuned.reason}")
    if trace is not None:
        write_lanes(trace, result)
    output = request.output
    if output is not None:
        with working(f"writing {output}"):
            comment = comment_of(program, result, graph) if output.suffix.lower() == ".npz" else b""
            write_result(output, program.ir, result, names, comment)
    compile_ms += result.compile_ms
    files = request.program_file, request.graph_file
    return Run(program.ir, files[0], graph, files[1], result, load_ms, compile_ms, names, request.tuning)


def write_lanes(trace: Path, result: Result) -> None:
    """Write the lanes of a run, and print a line for each."""
    if result.lanes is None:
        return
    text = result.lanes.text().encode()
    write_output(trace, lambda file: file.write(text))
    for line in result.lanes.summary():
        message(line)


def execute_on_workers(request: Request, on: WorkerWords) -> Run:
    """As `execute`, by workers that each read their part of the graph."""
    from gdsl.cli.report import Run
    from gdsl.cli.results import write_result
    from gdsl.cli.workers import Lines, connected
    from gdsl.clusters.checkpoints import checkpoint_options
    from gdsl.clusters.result_folder import parts_options
    from gdsl.clusters.session import check_run_on_gpus
    from gdsl.graph.reading import request_of
    from gdsl.progress import working

    program = replace(request, tune_file=False).program()
    options = {name: request.limits[name] for name in ("timeout", "max_iterations", "round")}
    options.update(
        checkpoint=on.checkpoint, every=on.every, resume=on.resume, parts=on.parts, types=request.types, report=Lines()
    )
    saved = checkpoint_options(on.checkpoint, on.every, on.resume)
    if on.trace is not None:
        require_apart(on.trace, *request.files)
        check_writable(on.trace)
    if request.backend == "cuda":
        check_run_on_gpus(program, saved is not None)
    if on.cluster is None:  # else only the hosts of the cluster must have the file
        request_of(request.graph_file, **request.words.options())
    with connected(on, request.backend) as workers:
        workers.check_folders(saved, parts_options(on.parts), options["report"])
        started = time.perf_counter()
        graph = workers.load(request.graph_file, request.words.options(), report=options["report"])
        request.require_names(graph.has_names)
        load_ms = (time.perf_counter() - started) * 1000
        values, options["names"] = param_values(request.assigned, graph), request.by_name
        result = workers.run(program, graph, values, backend=request.backend, **options)
        program = workers.last or program
    names = result._names if request.by_name else None
    if on.trace is not None:
        write_lanes(on.trace, result)
    if request.output is not None:
        with working(f"writing {request.output}"):
            write_result(request.output, program.ir, result, names)
    compile_ms = program.compile_ms + result.compile_ms
    files = request.program_file, request.graph_file
    return Run(program.ir, files[0], graph, files[1], result, load_ms, compile_ms, names, request.tuning, on.parts)
