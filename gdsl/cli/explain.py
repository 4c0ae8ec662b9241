"""`gdslc explain`."""

from __future__ import annotations

import difflib
import os
import re
import textwrap

import click

from gdsl import knobs
from gdsl.cli import completing
from gdsl.cli.options import import_path_option
from gdsl.diagnostics import printable


@click.command(name="explain", short_help="Explain the code of a message, a tuning knob, or a program.")
@click.argument("word", metavar="[CODE|KNOB|GRADE|PROGRAM]", required=False, shell_complete=completing.explained)
@click.argument("program", metavar="[PROGRAM]", required=False, shell_complete=completing.programs)
@import_path_option
def command(word: str | None, program: str | None) -> None:
    """Explain what a message's CODE means, what a KNOB of --tune does, how results of a GRADE (exact, tried, rounding,
    converged, "not unique") may differ between runs, or the arguments and results of a PROGRAM.

    Without an argument, list all codes; with the word knobs, all knobs. With a PROGRAM, order says for each of its
    loops whether it may be processed in another order, or why not; layout says whether its vertices may be
    renumbered internally; fusion says for each operator that follows another one whether both run in one sweep on a
    GPU, or why not; distribution says what several workers that each have a part of the graph hold of its data, and
    what they send each other after which step.

    \b
    Examples:
      gdslc explain E0301
      gdslc explain visit.direction
      gdslc explain knobs
      gdslc explain rounding
      gdslc explain bfs
      gdslc explain order sssp
      gdslc explain layout pagerank
      gdslc explain fusion pagerank
      gdslc explain distribution pagerank
    """
    from gdsl.api.description import EXPLAINED
    from gdsl.diagnostics import all_codes, explain, find_code

    if word is None:
        for entry in all_codes():
            click.echo(f"{entry.code}  {entry.title}")
        return
    code = find_code(word)
    knob, near = knobs.named(word)
    if program is not None:
        explains = _OF_PROGRAMS.get(
            word.strip().lower()
            if word.strip().lower() in ("fusion", "distribution")
            else knob.name
            if knob is not None
            else ""
        )
        if explains is None:
            takes = ", ".join(f"'gdslc explain {name} PROGRAM'" for name in _OF_PROGRAMS)
            raise click.UsageError(f"'{word}' is explained without a program; {takes} take one")
        explains(program)
    elif code is not None:
        click.echo(explain(code), nl=False)
    elif word.strip().lower() in ("knob", "knobs", "schedule", "tune"):
        click.echo("\n".join(knobs.listing()))
    elif knob is not None:
        click.echo(knobs.explained(knob, word.strip().rpartition(".")[0]), nl=False)
    elif _is_program(word):
        _explain_program(word)
    elif word.strip().lower() in EXPLAINED:
        click.echo(textwrap.fill(EXPLAINED[word.strip().lower()], 100))
    elif word.strip().lower() in _OF_PROGRAMS:
        raise click.UsageError(f"what is the program? 'gdslc explain {word.strip().lower()} PROGRAM'")
    else:
        codes = [entry.code for entry in all_codes()]
        if re.fullmatch(r"[EWew]\d+|\d+", word.strip()):
            errors, warned = ([each for each in codes if each[0] == letter] for letter in "EW")
            listed = f"errors are {errors[0]} to {errors[-1]}, warnings {warned[0]} to {warned[-1]}"
            raise click.UsageError(f"there is no code '{word}': {listed}. 'gdslc explain' lists all codes.")
        close = _programs_like(word) or [*difflib.get_close_matches(word.upper(), codes, n=3), *near]
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        lists = "'gdslc explain' lists all codes, 'gdslc explain knobs' all knobs."
        raise click.UsageError(f"there is no code, no knob and no program '{word}'.{hint} {lists}")


def _is_program(word: str) -> bool:
    from gdsl.program_files import SUFFIX, meant_by

    return word == "-" or os.path.isfile(meant_by(word)) or word.endswith(SUFFIX)


def _programs_like(word: str) -> list[str]:
    from gdsl.program_files import samples

    return difflib.get_close_matches(word[:100].lower(), samples(), n=1, cutoff=0.7)


def _explain_orders(word: str) -> None:
    """A line for each loop without a fixed number of passes."""
    from gdsl.annotate import loop_orders
    from gdsl.api.compiling import compile_file

    compiled = compile_file(word)
    orders = loop_orders(compiled.ir, compiled.text)
    for loop, obstacle in orders:
        where = f"{loop.span.words}: "
        if obstacle is None and len(loop.body) > 1:
            click.echo(
                f"{where}runs without buckets, from near to far where no list is long; as_given keeps the buckets"
            )
        elif obstacle is None:
            click.echo(
                f"{where}may run from near to far; auto does so on a CPU, and on a GPU for graphs with few edges per"
                " vertex"
            )
        else:
            click.echo(f"{where}as given: {obstacle.why} ({obstacle.span.words})")
    if not orders:
        click.echo("the program has no while loop")


def _explain_layout(word: str) -> None:
    """Whether the vertices may be renumbered, or why not."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cuda import plan_of
    from gdsl.uniqueness.layout import obstacle

    program = compile_file(word).ir
    hindrance = obstacle(program)
    if hindrance is None and plan_of(program).layout is not None:
        click.echo("may be by degree; on a GPU, auto does so for large graphs with vertices of very high degree")
    elif hindrance is None:
        click.echo("may be by degree; auto keeps the given order, since it would gain little or might lose time")
    else:
        click.echo(f"as given: {hindrance.why} ({hindrance.span.words})")


def _explain_fusion(word: str) -> None:
    """A line for each operator that follows another one."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cuda import neighbors_of

    program = compile_file(word).ir
    if not program.tuning.fuse:
        click.echo("schedule.fuse is off: each operator is a kernel of its own")
        return
    pairs = neighbors_of(program)
    for pair in pairs:
        first, second, obstacle = pair.first.step, pair.second.step, pair.obstacle
        where = f"{second.span.words}: {second.word} @{second.label}"
        if obstacle is None:
            click.echo(f"{where} runs in the sweep of {first.word} @{first.label} ({first.span.words})")
        else:
            click.echo(f"{where} has a sweep of its own: {obstacle.why} ({obstacle.span.words})")
    if not pairs:
        click.echo("no operator directly follows another one")


def _explain_distribution(word: str) -> None:
    """What several workers hold of the data, and what they send each other where."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cpu import plan_of
    from gdsl.plan.explain_distribution import explain
    from gdsl.types import Widths

    program = compile_file(word).ir
    widths = Widths.both(program.tuning.ids or 32)
    click.echo("\n".join(explain(plan_of(program, workers=True), widths)))


_OF_PROGRAMS = {
    "order": _explain_orders,
    "layout": _explain_layout,
    "fusion": _explain_fusion,
    "distribution": _explain_distribution,
}
"""What can be explained about a program."""


def _must_be_given(param: object) -> bool:
    return getattr(param, "default", None) is None


def _explain_program(word: str) -> None:
    """Its call, its documentation, its arguments and its results."""
    from gdsl.api.compiling import compile_file
    from gdsl.api.description import sections
    from gdsl.binding import declared_params

    program = compile_file(word)
    params = "".join(f" -p {param.name}=…" for param in declared_params(program.ir) if _must_be_given(param))
    click.echo(f"gdslc run {printable(word)} GRAPH{params}")
    if program.doc.strip():
        click.echo("\n" + "\n".join(map(printable, program.doc.strip().splitlines())))
    click.echo()
    for kind, sentences in sections(program.ir, program.text):
        for sentence in sentences:
            click.echo(f"{kind} {sentence}")
