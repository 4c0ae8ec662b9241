"""Groups of subcommands, such as `gdslc graph`: one that there is not is answered with the one that is meant."""

from __future__ import annotations

import difflib
import os
from typing import Any

import click

from gdsl.diagnostics import shown
from gdsl.graph_names import SUFFIXES, come_along


class Subcommands(click.Group):
    """`others` has what other tools call its commands; `of_graphs` is the command that a bare graph means."""

    def __init__(self, *words: Any, others: dict[str, str], of_graphs: str | None = None, **options: Any) -> None:
        super().__init__(*words, **options)
        self.others, self.of_graphs = others, of_graphs

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a command that there is not."""
        word = arguments[0] if arguments else ""
        if word and word not in self.commands and word[0] != "-" and not context.resilient_parsing:
            context.fail(f"No such command {shown(word)}. {self._meant(word, context.command_path)}")
        return super().resolve_command(context, arguments)

    def _meant(self, word: str, path: str) -> str:
        if self.of_graphs is not None and (os.path.splitext(word)[1] in SUFFIXES or word in come_along()):
            return f"Did you mean '{path} {self.of_graphs} {word}'?"
        near = self.others.get(word.lower()) or next(iter(difflib.get_close_matches(word, self.commands, n=1)), None)
        return f"Did you mean '{path} {near}'?" if near else f"There are {', '.join(self.commands)}."
