"""The questions of `gdslc check --fix=all`."""

from __future__ import annotations

import click

from gdsl.cli.program_texts import print_diff
from gdsl.diagnostics import Diagnostic, Suggestion, render
from gdsl.fixes import is_certain, with_edits
from gdsl.source import Source

_QUESTION = "Apply this fix? [y]es, [n]o, [a]ll, [q]uit"


class Questions:
    """Chooses the fixes that are certain, and asks about each other one, once."""

    def __init__(self) -> None:
        self._refused: set[tuple[str, str, str]] = set()
        self._every = self._quit = False

    def __call__(self, diagnostic: Diagnostic, source: Source) -> Suggestion | None:
        """The fix to apply, if any."""
        if is_certain(diagnostic, source) or self._every:
            return diagnostic.suggestions[0]
        for suggestion in () if self._quit else diagnostic.suggestions:
            key = (diagnostic.code, diagnostic.message, suggestion.words)
            changed = with_edits(source, suggestion)
            if key in self._refused or changed is None:
                continue
            click.echo(f"\n{render(diagnostic, source)}\n", err=True)
            print_diff(source.name, source.text, changed, to_errors=True)
            answer = click.prompt(_QUESTION, type=click.Choice(list("ynaq")), default="n", show_choices=False, err=True)
            self._every, self._quit = answer == "a", answer == "q"
            if answer in ("y", "a"):
                return suggestion
            if self._quit:
                return None
            self._refused.add(key)
        return None
