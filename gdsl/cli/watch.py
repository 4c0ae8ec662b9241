"""`gdslc watch`."""

from __future__ import annotations

import os
import stat
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli import completing, options
from gdsl.cli.params import TakesParams, param_values, parse_params
from gdsl.cli.streams import message, tell_warnings
from gdsl.deadline import interrupting, limited
from gdsl.diagnostics import GdslError, printable
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.api.program import Program
    from gdsl.graph import Graph

_INTERVAL = 0.2
"""Seconds between two checks; a change counts once two checks agree."""

_Look = dict[str, tuple[int, int, int] | None]
"""Sizes and times of files by name; None for a missing file."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The options of the command line."""

    program: str
    graph: str | None
    assigned: dict[str, str]
    rounded: tuple[str, ...]
    backend: str
    timeout: float | None
    max_iterations: int | None
    profile: bool
    types: dict[str, str] | None
    tune: tuple[str, ...]
    of_graph: options.GraphWords


@click.command(name="watch", cls=TakesParams, short_help="Check a program, and run it, each time it is saved.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@click.argument("graph_file", metavar="[GRAPH]", required=False, shell_complete=completing.graphs)
@options.param_option("Set a param, as in run.")
@options.round_option
@options.backend_option()
@click.option("--profile", is_flag=True, help="Show every operator that ran.")
@options.limit_options("Stop a run that takes longer.")
@options.type_option
@options.tuning_options
@options.graph_options
def command(
    program_file: str,
    graph_file: str | None,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str,
    profile: bool,
    timeout: float | None,
    max_iterations: int | None,
    types: dict[str, str] | None,
    tune: tuple[str, ...],
    words: options.GraphWords,
) -> None:
    """Check PROGRAM now and whenever it, or a file that it imports from, is saved; with a GRAPH run it as well.

    The graph is read once, and again when its file changes. Ctrl-C ends.

    \b
    Examples:
      gdslc watch my_program.gdsl
      gdslc watch my_program.gdsl karate -p source=0
    """
    if program_file == "-":
        raise click.UsageError("standard input cannot be watched; name a file")
    assigned = parse_params(assignments)
    if graph_file is None and (assigned or rounded or words != options.GraphWords()):
        raise click.UsageError("params and the options of graphs are for runs: name a GRAPH after the program")
    limits = (timeout, max_iterations)
    options_given = _Words(program_file, graph_file, assigned, rounded, backend, *limits, profile, types, tune, words)
    _watch(options_given)


def _watch(words: _Words) -> None:
    """Run until interrupted. Raises GdslError if the program does not exist at first."""
    from gdsl.cli import INTERRUPTED
    from gdsl.cli.main import guarded
    from gdsl.program_files import read_program

    if _state(_path(words)) is None and os.path.exists(_path(words)):
        raise click.UsageError(
            f"{printable(words.program)} is a pipe or a device, which cannot be watched; name a file"
        )
    read_program(words.program)
    watcher = _Watcher(words)
    seen: _Look | None = None
    while True:
        seen = _changed(words, seen)
        if sys.stdout.isatty():
            click.clear()
        if guarded(watcher.once) == INTERRUPTED:
            raise click.exceptions.Exit(INTERRUPTED)
        sys.stdout.flush()
        message(f"[{time.strftime('%H:%M:%S')}] {_status(words, seen)}; Ctrl-C ends")


def _changed(words: _Words, seen: _Look | None) -> _Look:
    """Wait until a file differs from what was `seen`, and nobody writes to it. Changes while the program runs are
    noticed afterwards."""
    if seen is None:
        return _look(_names(words))
    before, is_reported = None, False
    while True:
        look = _look(seen)
        if look != seen and look == before:
            if look[_path(words)] is not None:
                return _look(_names(words))
            if not is_reported:
                message(f"{printable(words.program)} no longer exists; waiting for it; Ctrl-C ends")
                is_reported = True
        before = look
        time.sleep(_INTERVAL)


def _status(words: _Words, seen: _Look) -> str:
    others = len(seen) - 1
    more = f" and {others} other {'file' if others == 1 else 'files'}" if others else ""
    return f"watching {printable(words.program)}{more}"


class _Watcher:
    """Checks and runs the program, and keeps the graph for the next run."""

    def __init__(self, words: _Words) -> None:
        self._words = words
        self._kept: tuple[object, Graph] | None = None

    def once(self) -> None:
        """Compile and run; without a graph, describe the program. Raises GdslError."""
        from gdsl.api.compiling import compile_file
        from gdsl.binding import check_names
        from gdsl.cli.check import tell_sound

        words = self._words
        program = compile_file(words.program, words.tune, True, words.types)
        tell_warnings(program)
        if words.graph is None:
            tell_sound(words.program, program)
            return
        check_names(program.ir, words.assigned, program.text)
        with limited(words.timeout):
            self._run(program, words.graph)

    def _run(self, program: Program, graph_name: str) -> None:
        from gdsl.cli.report import Run, print_report

        words = self._words
        with interrupting():
            graph, load_ms = self._graph(graph_name)
            values = param_values(words.assigned, graph)
        program = program.instance(graph, values)
        limits: dict[str, Any] = {"timeout": words.timeout, "max_iterations": words.max_iterations}
        limits["round"] = words.rounded
        with warnings.catch_warnings():
            warnings.simplefilter("always", RuntimeWarning)  # each run repeats it
            result = program.run(graph, values, backend=words.backend, **limits)
        compile_ms = program.compile_ms + result.compile_ms
        print_report(Run(program.ir, words.program, graph, graph_name, result, load_ms, compile_ms), words.profile)

    def _graph(self, name: str) -> tuple[Graph, float]:
        """The graph, and the milliseconds to load it now."""
        state, started = _state(name), time.perf_counter()
        if self._kept is None or self._kept[0] != state:
            self._kept = state, self._words.of_graph.open(name)
        return self._kept[1], (time.perf_counter() - started) * 1000


def _look(names: Iterable[str]) -> _Look:
    return {name: _state(name) for name in names}


def _path(words: _Words) -> str:
    from gdsl.program_files import meant_by

    return meant_by(words.program)


def _names(words: _Words) -> Iterator[str]:
    """The files that affect the outcome: the program, its imports, and those that options name."""
    from gdsl.imports import names_in, with_imports
    from gdsl.program_files import read_file

    yield _path(words)
    try:
        source = with_imports(read_file(_path(words)))
    except GdslError:
        return
    for each in (source, *(source.imported or ())):
        yield from names_in(each, source)
    if words.graph is not None and os.path.isfile(words.graph):
        yield words.graph
    yield from (text[1:] for text in words.assigned.values() if text.startswith("@"))


def _state(name: str) -> tuple[int, int, int] | None:
    """Size and time of a file or directory; None for others: reading a pipe waits for a writer."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return None
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
