"""`gdslc check`."""

from __future__ import annotations

import click

from gdsl.cli.options import tuning_options
from gdsl.cli.streams import message
from gdsl.diagnostics import GdslError, printable


@click.command(name="check", short_help="Look for mistakes in programs.")
@click.argument("program_files", metavar="PROGRAM...", nargs=-1, required=True)
@tuning_options
def command(program_files: tuple[str, ...], tune: tuple[str, ...]) -> None:
    """Check each PROGRAM (a .gdsl file) and report all mistakes; the exit status is 1 if there are any.

    \b
    Example:
      gdslc check samples/bfs.gdsl samples/sssp.gdsl
    """
    from gdsl.api.compiling import compile_file

    failed = False
    for file in program_files:
        try:
            program = compile_file(file, tune)
        except GdslError as error:
            failed = True
            message(f"{error}\n")
            continue
        click.echo(f"{printable(file)}: ok ({program!r})")
    if failed:
        raise click.exceptions.Exit(1)
