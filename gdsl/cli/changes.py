"""Options of `gdslc run` for a graph that has changed: edges to insert and to delete, and an earlier result to go on
from. `--resume` is another thing: it goes on from a checkpoint of the same run of workers."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli import completing
from gdsl.cli.options import with_options
from gdsl.cli.output import Command
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.cli.options import GraphWords
    from gdsl.graph import Graph


@dataclass(frozen=True, slots=True)
class ChangeWords:
    """The files of --insert, --delete and --from-result."""

    insert: str | None = None
    delete: str | None = None
    from_result: str | None = None

    @property
    def files(self) -> list[str]:
        """The files that are read."""
        return [name for name in (self.insert, self.delete, self.from_result) if name is not None]

    @property
    def options(self) -> dict[str, bool]:
        """Whether each option is there."""
        named = {"--insert": self.insert, "--delete": self.delete, "--from-result": self.from_result}
        return {option: name is not None for option, name in named.items()}

    def check(self, refused: Mapping[str, bool]) -> None:
        """Raise a usage error for options that --from-result cannot be combined with; `refused` says which are
        there."""
        for option, name in (("--insert", self.insert), ("--delete", self.delete), ("--from-result", self.from_result)):
            if name == "":
                raise click.UsageError(f"{option}: the name of the file is empty")
        for option, is_set in refused.items():
            if is_set and self.from_result is not None:
                why = "has the params of an earlier run" if option in ("-p", "--round") else "is for one run"
                raise click.UsageError(f"{option} cannot be combined with --from-result, which {why}")

    def apply(self, graph: Graph, words: GraphWords) -> Graph:
        """`graph`, which was read with the options `words`, with its changes. Raises GdslError E07xx."""
        from gdsl.graph.changes import updated_by_files
        from gdsl.progress import working

        if self.insert is None and self.delete is None:
            return graph
        with working("changing the graph"):
            return updated_by_files(graph, self.insert, self.delete, words.options())

    @property
    def earlier(self) -> Path | None:
        """The file of --from-result."""
        return None if self.from_result is None else Path(self.from_result)


def change_options(command: Command) -> Command:
    """Add the options of `ChangeWords`; the command gets them as `changes`."""

    @functools.wraps(command)
    def wrapped(*, insert: str | None, delete: str | None, from_result: str | None, **others: Any) -> Any:
        return command(changes=ChangeWords(insert, delete, from_result), **others)

    return with_options(wrapped, _OPTIONS)  # type: ignore[no-any-return]


_OPTIONS = (
    click.option(
        "--insert", metavar="FILE", shell_complete=completing.graphs,
        help="Insert the edges of FILE, an edge list or a table with the attributes of GRAPH's edges, into GRAPH.",
    ),
    click.option(
        "--delete", metavar="FILE", shell_complete=completing.graphs,
        help="Delete the edges of FILE, of which only the ends matter, from GRAPH, before others are inserted.",
    ),
    click.option(
        "--from-result", metavar="FILE", shell_complete=completing.files(".npz"),
        help="Go on from the results of an earlier run on GRAPH, written by -o FILE.npz, instead of beginning again: "
        "after --insert, for programs that can.",
    ),
)  # fmt: skip
