"""`gdslc check`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gdsl.cli import completing
from gdsl.cli.options import (
    GraphWords,
    backend_option,
    checked_seconds,
    graph_options,
    param_option,
    round_option,
    tuning_options,
    type_option,
)
from gdsl.cli.schedules import check_schedules, checked_number
from gdsl.cli.streams import message, tell_warnings
from gdsl.deadline import doing, interrupting, limited
from gdsl.diagnostics import GdslError, printable

if TYPE_CHECKING:
    from gdsl.api.program import Program


@click.command(name="check", short_help="Look for mistakes in programs.")
@click.argument("program_files", metavar="PROGRAM...", nargs=-1, required=True, shell_complete=completing.programs)
@click.option("--strict", is_flag=True, help="Treat warnings as mistakes.")
@click.option(
    "--schedules", metavar="all|N", callback=checked_number,
    help="For one PROGRAM followed by a GRAPH: run it with all combinations of knobs, or N of them, and compare the "
    "results with the reference's.",
)  # fmt: skip
@click.option(
    "--timeout", callback=checked_seconds, metavar="SECONDS",
    help="Stop after this time in total (exit status 1).",
)  # fmt: skip
@param_option("Set a param for --schedules, as in run.")
@round_option
@backend_option("The backend for --schedules; by default auto.", default=None)
@type_option
@tuning_options
@graph_options
def command(
    program_files: tuple[str, ...],
    strict: bool,
    schedules: str | int | None,
    timeout: float | None,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str | None,
    types: dict[str, str] | None,
    tune: tuple[str, ...],
    words: GraphWords,
) -> None:
    """Check each PROGRAM: report all mistakes, or describe its arguments and results if there are none.

    PROGRAM is a .gdsl file, a bare name (NAME if there is such a file, else NAME.gdsl here, else the sample), or - for
    standard input. The exit status is 1 if there are mistakes, or if a combination of knobs changes a result; with
    --strict also if there are warnings (W0x), which point out what a program probably does not mean and never stop it.
    A program with type parameters is checked for every type that it admits; -t chooses the types that are shown.

    \b
    Examples:
      gdslc check my_program.gdsl
      gdslc check bfs sssp
      gdslc check --schedules 20 bfs karate -p source=0
    """
    if schedules is not None:
        if len(program_files) != 2:
            raise click.UsageError(
                "--schedules takes one PROGRAM and one GRAPH: gdslc check --schedules all bfs karate"
            )
        program, graph = program_files
        tuning = (tune, types)
        with limited(timeout), interrupting():
            sound = check_schedules(program, graph, assignments, rounded, backend or "auto", tuning, words, schedules)
        if not sound:
            raise click.exceptions.Exit(1)
        return
    if assignments or rounded or backend is not None or words != GraphWords():
        raise click.UsageError("params, --backend and the options of graphs are for --schedules")
    with limited(timeout), interrupting():
        _check(program_files, tune, types, strict)


def _check(program_files: tuple[str, ...], tune: tuple[str, ...], types: dict[str, str] | None, strict: bool) -> None:
    from gdsl.api.compiling import compile_file
    from gdsl.program_files import STANDARD_INPUT

    failed = False
    for file in program_files:
        try:
            with doing(f"checking {printable(file)}"):
                program = compile_file(file, tune, types=types)
                tell_warnings(program)
        except GdslError as error:
            if error.code == "E0802":
                raise
            failed = True
            message(f"{error}\n")
            continue
        if strict and program.warnings:
            failed = True
            continue
        tell_sound(STANDARD_INPUT if file == "-" else file, program)
    if failed:
        raise click.exceptions.Exit(1)


def tell_sound(file: str, program: Program) -> None:
    """Print what a program without mistakes is, takes and returns."""
    click.echo(f"{printable(file)}: ok")
    for line in _sentences(program):
        click.echo(f"  {line}")


def _sentences(program: Program) -> Iterator[str]:
    """What the program is, takes and returns, a line each."""
    from gdsl.api.description import first_sentence, sections

    doc = first_sentence(program.doc)
    yield f"program {program.name}{': ' if doc else ''}{printable(doc)}"
    for kind, sentences in sections(program.ir, program.text):
        yield from (f"{kind} {sentence}" for sentence in sentences)
