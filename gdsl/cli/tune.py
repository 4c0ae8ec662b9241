"""`gdslc tune`."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli import INTERRUPTED, completing, options
from gdsl.cli.output import check_writable
from gdsl.cli.params import TakesParams, param_values, parse_params
from gdsl.cli.streams import message
from gdsl.deadline import doing
from gdsl.diagnostics import printable
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.api.tune_files import GraphKind
    from gdsl.api.tuner import Tell
    from gdsl.api.tuning_outcome import Try, TuningOutcome
    from gdsl.source import Source

SECONDS = 60.0


@dataclass(slots=True)
class _Search:
    """A search that has ended, with everything that the report mentions."""

    program: str
    file: str
    graph_name: str
    kind: GraphKind
    backend: str
    device: str
    outcome: TuningOutcome
    output: str
    written: bool = False


@click.command(name="tune", cls=TakesParams, short_help="Find the fastest knobs of a program for a kind of graph.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@click.argument("graph_file", metavar="GRAPH", shell_complete=completing.graphs)
@options.param_option("Set a param, as in run.")
@options.round_option
@options.backend_option("As in run. The reference ignores knobs.")
@click.option(
    "--seconds", callback=options.checked_seconds, metavar="SECONDS",
    help="How long to search, including compilation; by default 60.",
)  # fmt: skip
@options.output_option(
    "The tune file: PROGRAM's path with .tune instead of .gdsl; for a sample, in the working directory."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@options.type_option
@options.import_path_option
@options.graph_options
def command(
    program_file: str,
    graph_file: str,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str,
    seconds: float | None,
    output: Path | None,
    as_json: bool,
    types: dict[str, str] | None,
    words: options.GraphWords,
) -> None:
    """Measure the knobs of PROGRAM on GRAPH, and write the fastest ones to a tune file.

    gdslc run takes the knobs from there for every graph like GRAPH, on the same machine; other kinds of graphs may be
    tuned into the same file. Results never depend on knobs: each try's results are compared with those of the
    unchanged program. Ctrl-C keeps the best so far.

    \b
    Examples:
      gdslc tune bfs rmat:16 -p source=0
      gdslc tune my_program.gdsl roads.gr.xz --seconds 20
    """
    search = _search(program_file, graph_file, assignments, rounded, backend, seconds or SECONDS, output, types, words)
    if as_json:
        click.echo(json.dumps(_document(search), indent=2, allow_nan=False))
    else:
        _report(search)
    from gdsl.api.tuning_outcome import Stop

    if search.outcome.stop is Stop.INTERRUPTED:
        message("interrupted; the best so far is kept")
        raise click.exceptions.Exit(INTERRUPTED)


def _search(
    program_word: str,
    graph_word: str,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str,
    seconds: float,
    output: Path | None,
    types: dict[str, str] | None,
    words: options.GraphWords,
) -> _Search:
    """Search, with quick checks before slow ones. Raises GdslError if the program, the graph, the params or the file to
    write are wrong."""
    from gdsl.api.compiling import compile_source
    from gdsl.api.loading import types_of
    from gdsl.api.tune_files import Entry, file_of, kind_of, require_tune_file
    from gdsl.api.tuned import device_of
    from gdsl.api.tuner import Tuner, run_quietly
    from gdsl.backends import registry
    from gdsl.binding import check_names
    from gdsl.imports import with_imports
    from gdsl.program_files import read_program

    source, params = with_imports(read_program(program_word)), parse_params(assignments)
    path = _output(output, source)
    with doing(f"compiling {program_word}"):
        program = compile_source(source, types=types)
    require_tune_file(path, program.name)
    check_names(program.ir, params, program.text)
    choice = registry.choose(backend)
    if choice.line:
        message(choice.line)
    chosen = choice.backend.name
    graph = words.open(graph_word)
    values = param_values(params, graph)
    kind, device = kind_of(graph), device_of(chosen)
    former = file_of(path, program.name, source).entry_for(chosen, device, kind)
    before = former.knobs if isinstance(former, Entry) else ()
    instance = types_of(program.instance(graph, values).ir, {})
    with _progress() as tell:
        run = partial(run_quietly, round=rounded)
        how: dict[str, Any] = {"before": before, "tell": tell, "types": instance}
        outcome = Tuner(source, graph, values, chosen, seconds, run=run, **how).search()
    search = _Search(program.name, program_word, graph_word, kind, chosen, device, outcome, path)
    search.written = _keep(search, source, bool(before))
    return search


def _keep(search: _Search, source: Source, is_known: bool) -> bool:
    """Write the result, unless nothing was found before Ctrl-C and something `is_known` from before, or the time was
    over before anything was tried."""
    from gdsl.api.tune_files import Entry, file_of, write_file
    from gdsl.api.tuning_outcome import Stop

    outcome = search.outcome
    if is_known and not outcome.knobs and outcome.stop is Stop.INTERRUPTED:
        return False
    if not outcome.tries and not outcome.knobs and outcome.stop is Stop.TIME:
        return False
    times = outcome.auto_ms, outcome.tuned_ms, len(outcome.tries)
    entry = Entry(search.backend, search.device, search.kind, outcome.knobs, *times)
    write_file(file_of(search.output, search.program, source).replaced(entry))  # others may have written meanwhile
    return True


def _output(output: Path | None, source: Source) -> str:
    """The file to write, which has been checked."""
    from gdsl.api.tune_files import tune_path

    path = str(output) if output is not None else tune_path(source)
    if path is None:
        raise click.UsageError("a program from standard input has no tune file of its own; name one with -o")
    check_writable(Path(path))
    return path


@contextlib.contextmanager
def _progress() -> Iterator[Tell]:
    """A progress bar on standard error, if that is a terminal: the tried knobs of the round, and the current one."""
    if not sys.stderr.isatty():
        yield lambda what, done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    # Rarely: on a CPU each drawing takes time from what is measured.
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=2) as progress:
        task = progress.add_task("")
        yield lambda what, done, of: progress.update(task, description=what, completed=done, total=of)


# ---------------------------------------------------------------- the report


def _document(search: _Search) -> dict[str, Any]:
    from dataclasses import asdict

    outcome = search.outcome
    return {
        "gdsl": __version__,
        "program": search.program,
        "file": search.file,
        "backend": search.backend,
        "device": search.device,
        "graph": {"name": search.graph_name, **asdict(search.kind)},
        "auto_ms": outcome.auto_ms,
        "tuned_ms": outcome.tuned_ms,
        "gain": outcome.gain,
        "knobs": list(outcome.knobs),
        "stop": outcome.stop.value,
        "tries": [
            {
                "knob": each.knob,
                "word": each.word or None,
                "verdict": each.verdict.value,
                "ms": each.ms,
                "best_ms": each.best_ms,
                "gain": each.gain,
            }
            for each in outcome.tries
        ],
        "tune_file": search.output,
    }


def _report(search: _Search) -> None:
    outcome = search.outcome
    click.echo(f"{search.program} on {printable(search.graph_name)}: {search.kind}")
    click.echo(f"on {search.backend}, {printable(search.device)}")
    if outcome.tries:
        click.echo()
        _table(outcome.tries)
    click.echo()
    tries = "1 try" if len(outcome.tries) == 1 else f"{len(outcome.tries)} tries"
    click.echo(f"{tries}; {outcome.stop.value}")
    for line in _advice(search):
        click.echo(line)
    output = printable(search.output)
    unchanged = f"{output} is unchanged" if Path(search.output).exists() else f"{output} is not written"
    click.echo(f"wrote {output}" if search.written else unchanged)


def _table(tries: list[Try]) -> None:
    """A line for each try: its time, that of the best setting, and the verdict."""
    from gdsl.api.tuning_outcome import Verdict

    names = [each.word or f"without {each.knob}" for each in tries]
    width = max(map(len, names))
    click.echo(f"  {'knob':{width}}  {'ms':>10}  {'best':>10}  {'gain':>7}")
    for name, each in zip(names, tries, strict=True):
        ms = "" if each.ms is None else f"{each.ms:.4g}"
        gives = "" if each.gain is None or each.verdict is Verdict.STOPPED else f"{100 * each.gain:+.1f} %"
        verdict = "" if each.verdict is Verdict.NOT_FASTER else f"  {each.verdict.value}"
        click.echo(f"  {name:{width}}  {ms:>10}  {f'{each.best_ms:.4g}':>10}  {gives:>7}{verdict}")


def _advice(search: _Search) -> Iterator[str]:
    from gdsl.api.tuner import MARGIN
    from gdsl.api.tuning_outcome import Stop

    outcome = search.outcome
    if outcome.knobs:
        yield f"{outcome.auto_ms:.4g} ms unchanged, {outcome.tuned_ms:.4g} ms tuned: {100 * outcome.gain:.1f} % less"
        yield "  " + " ".join(f"--tune '{word}'" if "(" in word else f"--tune {word}" for word in outcome.knobs)
    elif search.backend == "reference":
        yield f"{outcome.auto_ms:.4g} ms; nothing to gain: no knob changes what the reference does"
    elif not outcome.tries and outcome.stop is Stop.TIME:
        yield f"{outcome.auto_ms:.4g} ms; nothing was tried in that time: allow more with --seconds"
    elif outcome.stop is Stop.TIME and any((each.gain or 0) > MARGIN for each in outcome.tries):
        yield f"{outcome.auto_ms:.4g} ms; no gain was confirmed in that time: allow more with --seconds"
    elif outcome.stop is not Stop.DONE:
        yield f"{outcome.auto_ms:.4g} ms; nothing better was found by then"
    else:
        percent = f"{100 * MARGIN:.0f} %"
        yield f"{outcome.auto_ms:.4g} ms; nothing to gain: the unchanged program is within {percent} of the best"
