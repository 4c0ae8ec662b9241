"""`gdslc explain`."""

from __future__ import annotations

import difflib

import click

from gdsl import knobs


@click.command(name="explain", short_help="Explain the code of a message, or a tuning knob.")
@click.argument("word", metavar="[CODE|KNOB]", required=False)
def command(word: str | None) -> None:
    """Explain what a message's CODE means, or what a KNOB of --tune does, with an example.

    Without a word all codes are listed, with the word knobs all knobs.

    \b
    Examples:
      gdslc explain E0301
      gdslc explain visit.direction
      gdslc explain knobs
    """
    from gdsl.diagnostics import all_codes, explain, find_code

    if word is None:
        for known in all_codes():
            click.echo(f"{known.code}  {known.title}")
        return
    code = find_code(word)
    knob, near = knobs.named(word)
    if code is not None:
        click.echo(explain(code), nl=False)
    elif word.strip().lower() in ("knob", "knobs", "schedule", "tune"):
        click.echo("\n".join(knobs.listing()))
    elif knob is not None:
        click.echo(knobs.explained(knob, word.strip().rpartition(".")[0]), nl=False)
    else:
        close = [*difflib.get_close_matches(word.upper(), [known.code for known in all_codes()], n=3), *near]
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        lists = "'gdslc explain' lists all codes, 'gdslc explain knobs' all knobs."
        raise click.UsageError(f"there is no code and no knob '{word}'.{hint} {lists}")
