"""`gdslc fmt`."""

from __future__ import annotations

import click

from gdsl.cli import completing
from gdsl.cli.program_texts import print_diff, read_text, write_text
from gdsl.cli.streams import message
from gdsl.deadline import doing, interrupting
from gdsl.diagnostics import GdslError, printable
from gdsl.program_files import programs_meant


@click.command(name="fmt", short_help="Format programs.")
@click.argument("program_files", metavar="PROGRAM...", nargs=-1, required=True, shell_complete=completing.programs)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; name the programs that would change.")
@click.option("--diff", "only_diff", is_flag=True, help="Write nothing; show what would change.")
def command(program_files: tuple[str, ...], only_check: bool, only_diff: bool) -> None:
    """Format each PROGRAM in gdsl's one style, in place.

    PROGRAM is a .gdsl file, a directory (all .gdsl files in it and below), or - for standard input, which is formatted
    to standard output. Only spaces and line ends change: comments stay in place, lines remain separate, what is
    aligned remains aligned. A program with mistakes of syntax is left as it was. The exit status is 1 if there is one,
    and with --check or --diff also if a program would change.

    \b
    Examples:
      gdslc fmt my_program.gdsl
      gdslc fmt --check .
      gdslc samples bfs | gdslc fmt -
    """
    changed = same = failed = 0
    with interrupting():
        for word in programs_meant(program_files):
            try:
                with doing(f"formatting {printable(word)}"):
                    if _format(word, only_check, only_diff):
                        changed += 1
                    else:
                        same += 1
            except GdslError as error:
                failed += 1
                message(f"{error}\n")
    if program_files != ("-",):
        writes = not (only_check or only_diff)
        message(_summary(changed, "formatted" if writes else "would change", same, failed))
    if failed or (changed and (only_check or only_diff)):
        raise click.exceptions.Exit(1)


def _format(word: str, only_check: bool, only_diff: bool) -> bool:
    """Whether a program changes. Raises GdslError for one that cannot be read, parsed or written."""
    from gdsl.formatting import format_text  # the parser, which usage errors do not need

    writes = not (only_check or only_diff)
    program = read_text(word, samples_too=not writes)
    text = format_text(program.source)
    changed = text != program.source.text
    if writes and (changed or program.path is None):
        write_text(program, text)
    if changed and only_diff:
        print_diff(program.name, program.source.text, text)
    if changed and only_check:
        click.echo(printable(program.name))
    return changed


def _summary(changed: int, done: str, same: int, failed: int) -> str:
    parts = [f"{_files(changed)} {done}"] if changed else []
    if same or not (changed or failed):
        parts.append(f"{_files(same)} already formatted")
    if failed:
        parts.append(f"{_files(failed)} not formatted, because of the mistakes above")
    return ", ".join(parts)


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
