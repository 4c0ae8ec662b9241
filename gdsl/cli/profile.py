"""`gdslc profile`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gdsl.cli import completing, options
from gdsl.cli.output import check_writable, file_name, require_apart, write_output
from gdsl.cli.params import TakesParams, param_values, parse_params
from gdsl.cli.streams import message, tell_warnings
from gdsl.deadline import doing, interrupting, limited
from gdsl.diagnostics import printable, shown
from gdsl.numerals import whole_number
from gdsl.program_files import meant_by

if TYPE_CHECKING:
    from gdsl.profiling import Comparison, Profile

_HIDDEN = "-"
_MOST_RUNS = 1000


def _checked_repeat(context: click.Context, option: click.Parameter, word: str) -> int:
    try:
        number = whole_number(word.strip())
    except ValueError as error:
        raise click.BadParameter(f"{shown(word)}: {error}") from None
    if not 1 <= number <= _MOST_RUNS:
        raise click.BadParameter(f"{shown(number)} is not in the range from 1 to {_MOST_RUNS}")
    return number


@click.command(name="profile", cls=TakesParams, short_help="Show where a run spends its time.")
@click.argument("program_file", metavar="[PROGRAM]", required=False, shell_complete=completing.programs)
@click.argument("graph_file", metavar="[GRAPH]", required=False, shell_complete=completing.graphs)
@options.param_option("Set a param, as in gdslc run.")
@options.round_option
@options.backend_option("As in gdslc run.")
@options.gpus_option
@click.option(
    "--html",
    "page",
    metavar="FILE",
    callback=file_name,
    shell_complete=completing.files(),
    help="Write a page for a browser to FILE.",
)
@click.option(
    "--json",
    "data",
    metavar="FILE",
    shell_complete=completing.files(),
    help="Write everything to FILE as JSON; - writes it to standard output.",
)
@click.option(
    "--compare", "others", metavar="FILE", multiple=True, shell_complete=completing.files(".json", ".html"),
    help="Compare: the profile in FILE (of --json or --html) with this run, or with that in another FILE.",
)  # fmt: skip
@click.option(
    "--repeat", callback=_checked_repeat, default="1", show_default=True, metavar="N",
    help="Run this many times, and show the run with the median time.",
)  # fmt: skip
@click.option("--open", "show", is_flag=True, help="Open the page of --html in a browser.")
@options.limit_options("Stop if all runs together take longer.")
@options.memory_option
@options.type_option
@options.tune_file_options
@options.tuning_options
@options.graph_options
def command(
    program_file: str | None,
    graph_file: str | None,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str,
    gpus: int | str | list[int] | None,
    page: Path | None,
    data: str | None,
    others: tuple[str, ...],
    repeat: int,
    show: bool,
    timeout: float | None,
    max_iterations: int | None,
    memory: str | None,
    types: dict[str, str] | None,
    tune_file: str | bool,
    tune: tuple[str, ...],
    words: options.GraphWords,
) -> None:
    """Run PROGRAM on GRAPH and show where it spends its time, by operator and pass; with --gpus also by GPU.

    \b
    Examples:
      gdslc profile bfs rmat:16 -p source=0 --html bfs.html
      gdslc profile bfs rmat:16 -p source=0 --json before.json
      gdslc profile bfs rmat:16 -p source=0 --compare before.json --html both.html
      gdslc profile --compare before.json after.json --html both.html
    """
    from gdsl.profiling import Profile

    if show and page is None:
        raise click.UsageError("--open opens the page of --html FILE")
    to_file = None if data is None or data == _HIDDEN else file_name(click.get_current_context(), _OPTION, data)
    for path in (page, to_file):
        if path is not None:
            check_writable(path)
            require_apart(path, meant_by(program_file or ""), graph_file)
    if page is not None and to_file is not None and page.resolve() == to_file.resolve():
        raise click.UsageError("--html and --json name one file, which can hold only one of the two")
    limits = {"timeout": timeout, "max_iterations": max_iterations}
    if gpus is not None:
        from gdsl.backends import registry

        with interrupting():
            backend = registry.on_gpus(backend, gpus)
    request = {"backend": backend, "repeat": repeat, **limits, "round": rounded, "memory": memory}
    files, runs = _sides(program_file, graph_file, others)
    if not runs:
        _refuse_words_of_runs()
    profiles = [Profile.read(file) for file in files]
    if runs:
        assert program_file is not None and graph_file is not None
        with limited(timeout):
            profiles.append(_measured(program_file, graph_file, assignments, (tune, tune_file, types), words, request))
    report = profiles[0].compare(profiles[1]) if len(profiles) == 2 else profiles[0]
    _tell(report, page, data, to_file)
    if show and page is not None:
        _open(page)


_OF_BOTH = {"program_file", "graph_file", "page", "data", "others", "show"}


def _refuse_words_of_runs() -> None:
    """Raise UsageError for options of a run when files are compared."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        if name not in _OF_BOTH and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} is for a run: name PROGRAM and GRAPH")


_OPTION = click.Option(["--json"])


def _sides(program: str | None, graph: str | None, others: tuple[str, ...]) -> tuple[list[str], bool]:
    """The files of profiles, and whether there is a run: after `--compare a.json` a further word is a file too."""
    words = [word for word in (program, graph) if word is not None]
    if len(others) > 2:
        raise click.UsageError("--compare compares two profiles")
    if len(others) == 2:
        if words:
            raise click.UsageError("--compare of two files runs nothing: leave out PROGRAM and GRAPH")
        return list(others), False
    if len(words) == 2:
        return list(others), True
    if len(words) == 1 and others:
        return [others[0], words[0]], False
    if not others:
        missing = "GRAPH" if words else "PROGRAM"
        raise click.UsageError(f"Missing argument '{missing}'.")
    raise click.UsageError("--compare needs something to compare with: another file, or PROGRAM and GRAPH to run")


def _measured(
    program_file: str,
    graph_file: str,
    assignments: tuple[str, ...],
    tuning: tuple[tuple[str, ...], str | bool, dict[str, str] | None],
    words: options.GraphWords,
    request: dict[str, Any],
) -> Profile:
    """The profile of a new run."""
    import time

    from gdsl.api.compiling import compile_file
    from gdsl.backends import registry
    from gdsl.binding import check_names
    from gdsl.profiling import profile
    from gdsl.progress import working

    assigned = parse_params(assignments)
    with interrupting():
        with doing(f"compiling {program_file}"):
            program = compile_file(program_file, *tuning)
            tell_warnings(program)
        check_names(program.ir, assigned, program.text)
        choice = registry.choose(request["backend"])
        if choice.line:
            message(choice.line)
        started = time.perf_counter()
        graph = words.open(graph_file)
        load_ms = (time.perf_counter() - started) * 1000
        values = param_values(assigned, graph)
    with working(f"running {program.name} on {choice.backend.name}"):
        return profile(program, graph, values, graph_name=graph_file, load_ms=load_ms, **request)


def _tell(document: Profile | Comparison, page: Path | None, data: str | None, to_file: Path | None) -> None:
    """Write the requested files, and print the table if nothing else goes to standard output."""
    if page is not None:
        write_output(page, lambda file: file.write(document.html().encode()))
    if to_file is not None:
        write_output(to_file, lambda file: file.write(document.json().encode() + b"\n"))
    if data == _HIDDEN:
        click.echo(document.json())
    else:
        click.echo(document.text(width=shutil.get_terminal_size((100, 24)).columns))


def _open(page: Path) -> None:
    """Show the page in a browser; a missing browser is reported, and the page is written anyway."""
    import webbrowser

    try:
        opened = webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        message(f"note: no browser was found to open {printable(str(page))} with; open it from wherever there is one")
