"""`gdslc check`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gdsl.cli import completing, options
from gdsl.cli.checker import ALL, CERTAIN, Checker, Options
from gdsl.cli.program_texts import is_interactive
from gdsl.cli.schedules import check_schedules, checked_number
from gdsl.deadline import interrupting, limited
from gdsl.diagnostics import printable

if TYPE_CHECKING:
    from gdsl.api.program import Program


class _Check(click.Command):
    """Takes `--fix` without a value: click would take the next PROGRAM for it."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """As click does, with `--fix` as `--fix=certain`."""
        end = args.index("--") if "--" in args else len(args)
        args = [f"--fix={CERTAIN}" if word == "--fix" and at < end else word for at, word in enumerate(args)]
        return super().parse_args(context, args)


@click.command(name="check", cls=_Check, short_help="Look for mistakes in programs, and fix them.")
@click.argument("program_files", metavar="PROGRAM...", nargs=-1, required=True, shell_complete=completing.programs)
@click.option("--strict", is_flag=True, help="Treat warnings as mistakes.")
@click.option(
    "--fix", "mode", metavar="[=all]", type=click.Choice([CERTAIN, ALL]),
    help="Apply the fixes that are certain, and show what changed; --fix=all asks about the others, too.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="With --fix=all: apply the first fix of each message without a question.")
@click.option("--diff", "only_diff", is_flag=True, help="With --fix: show what would change, and write nothing.")
@click.option("--json", "form", flag_value="json", help="Print all messages and their edits as one JSON document.")
@click.option("--sarif", "form", flag_value="sarif", help="The same as SARIF 2.1.0, which code hosts read.")
@click.option(
    "--schedules", metavar="all|N", callback=checked_number,
    help="For one PROGRAM followed by a GRAPH: run it with all combinations of knobs, or N of them, and compare the "
    "results with the reference's.",
)  # fmt: skip
@click.option(
    "--timeout", callback=options.checked_seconds, metavar="SECONDS",
    help="Stop after this time in total (exit status 1).",
)  # fmt: skip
@options.param_option("Set a param for --schedules, as in run.")
@options.round_option
@options.backend_option("The backend for --schedules; by default auto.", default=None)
@options.type_option_with(", for what is described and for --schedules; every type is checked, whatever is chosen.")
@options.tuning_options
@options.graph_options
def command(
    program_files: tuple[str, ...],
    strict: bool,
    mode: str | None,
    yes: bool,
    only_diff: bool,
    form: str | None,
    schedules: str | int | None,
    timeout: float | None,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str | None,
    types: dict[str, str] | None,
    tune: tuple[str, ...],
    words: options.GraphWords,
) -> None:
    """Check each PROGRAM: report all mistakes, or describe its arguments and results if there are none.

    PROGRAM is a .gdsl file, a directory (all .gdsl files in it and below), a bare name (NAME if there is such a file,
    else NAME.gdsl here, else the sample), or - for standard input. The exit status is 1 if mistakes remain, or if a
    combination of knobs changes a result; with --strict also if there are warnings (W0x), which point out what a
    program probably does not mean and never stop it. A program with type parameters is checked for every type that it
    admits; -t chooses those that are described.

    --fix writes to the files that are named, never to those that they import. A fix is certain if it is the only one
    and decides nothing: it chooses no name, no type, no conversion and no winner among writers. Every fix was compiled
    before it is offered. The fixed text of - is printed.

    \b
    Examples:
      gdslc check my_program.gdsl
      gdslc check bfs sssp
      gdslc check --fix my_program.gdsl
      gdslc check --sarif programs/ > gdsl.sarif
      gdslc check --schedules 20 bfs karate -p source=0
    """
    if yes and mode != ALL:
        raise click.UsageError("--yes answers the questions of --fix=all")
    if only_diff and mode is None:
        raise click.UsageError("--diff shows what --fix would change: gdslc check --fix --diff my_program.gdsl")
    if schedules is not None:
        if mode is not None or form is not None:
            raise click.UsageError("--schedules takes neither --fix nor --json nor --sarif")
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
    if assignments or rounded or backend is not None or words != options.GraphWords():
        raise click.UsageError("params, --backend and the options of graphs are for --schedules")
    if mode == ALL and not yes and ("-" in program_files or not is_interactive()):
        raise click.UsageError("--fix=all asks, and nobody can answer here: add --yes")
    if mode is not None and form is not None and "-" in program_files:
        raise click.UsageError("standard output cannot have both the fixed text of - and a document")
    chosen = Options(strict, mode, yes, only_diff, form, tune, types)
    with limited(timeout), interrupting():
        sound = Checker(chosen, tell_sound).check(program_files)
    if not sound:
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
