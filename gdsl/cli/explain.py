"""`gdslc explain`."""

from __future__ import annotations

import difflib

import click


@click.command(name="explain", short_help="Explain the code of a message.")
@click.argument("code", metavar="[CODE]", required=False)
def command(code: str | None) -> None:
    """Explain what a message's CODE means, with an example; without CODE list them all.

    \b
    Example:
      gdslc explain E0301
    """
    from gdsl.diagnostics import all_codes, explain, find_code

    if code is None:
        for known in all_codes():
            click.echo(f"{known.code}  {known.title}")
        return
    found = find_code(code)
    if found is None:
        close = difflib.get_close_matches(code.upper(), [known.code for known in all_codes()], n=3)
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        raise click.UsageError(f"there is no code '{code}'.{hint} 'gdslc explain' lists them all.")
    click.echo(explain(found), nl=False)
