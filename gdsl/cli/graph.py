"""`gdslc graph`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from gdsl.cli import completing
from gdsl.cli.options import GraphWords, checked_limit, graph_options, output_option
from gdsl.cli.output import check_plot, file_name, plot_option, write_plot
from gdsl.cli.streams import message
from gdsl.cli.subcommands import Subcommands
from gdsl.diagnostics import printable

_MOST_WORKERS = 1 << 16
"""Of `info --workers`, which has a line for each."""


_OTHER_NAMES = {
    **dict.fromkeys(("show", "describe", "stat", "stats", "print", "summary", "list", "read"), "info"),
    **dict.fromkeys(("make", "create", "gen", "new", "random"), "generate"),
    **dict.fromkeys(("write", "save", "export", "transform", "to"), "convert"),
}


@click.group(
    name="graph",
    cls=Subcommands,
    others=_OTHER_NAMES,
    of_graphs="info",
    short_help="Generate, describe and convert graphs.",
)
def command() -> None:
    """Generate, describe and convert graphs.

    \b
    Examples:
      gdslc graph generate rmat:16 -o rmat16.npz
      gdslc graph info rmat16.npz
      gdslc graph convert roads.gr roads.mtx
    """


@command.command()
@click.argument("spec", metavar="SPEC", shell_complete=completing.generators)
@output_option("The file to write, in the format of its suffix (gdslc graph convert --help lists them). Required.")
@graph_options
def generate(spec: str, output: Path | None, words: GraphWords) -> None:
    """Write the graph SPEC: rmat:SCALE[:EDGE_FACTOR], grid:ROWS[xCOLUMNS] or uniform:VERTICES:EDGES.

    Options follow after colons, such as rmat:16:seed=3 or grid:100:keep=0.9. The same SPEC gives the same graph on
    every machine.

    \b
    Example:
      gdslc graph generate rmat:12:8:seed=1 --weights random:1 -o small.mtx
    """
    from gdsl.graph import looks_like_generator

    if output is None:
        raise click.UsageError("-o FILE is missing")
    if not looks_like_generator(spec):
        raise click.UsageError(f"'{spec}' names no generator; write rmat:16, grid:300 or uniform:1000:5000")
    _save(spec, output, words)


@command.command()
@click.argument("graph_file", metavar="GRAPH", shell_complete=completing.graphs)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@plot_option("Draw it, or of a larger graph the distribution of its degrees, into FILE: .png, .svg or .pdf.")
@click.option(
    "--workers", metavar="N", callback=checked_limit,
    help="Describe the parts that N workers would have: their edges, and those that lead to vertices of other workers.",
)  # fmt: skip
@graph_options
def info(graph_file: str, as_json: bool, plot: Path | None, workers: int | None, words: GraphWords) -> None:
    """Describe GRAPH: sizes, degrees, weights, self-loops, parallel edges.

    \b
    Examples:
      gdslc graph info karate
      gdslc graph info karate --plot karate.svg
      gdslc graph info karate --workers 3
    """
    from gdsl.graph import describe
    from gdsl.graph.description import describe_parts

    if workers is not None and not 1 <= workers <= _MOST_WORKERS:
        raise click.UsageError(f"--workers: N must be from 1 to {_MOST_WORKERS:,}")
    if plot is not None:
        check_plot(plot)
    graph = words.open(graph_file)
    description = describe(graph) if workers is None else describe_parts(graph, workers)
    if plot is not None:
        write_plot(plot, [graph.plot])
    click.echo(json.dumps(description.as_dict(), indent=2, allow_nan=False) if as_json else str(description))


@command.command()
@click.argument("graph_file", metavar="GRAPH", shell_complete=completing.graphs)
@click.argument("target", metavar="TARGET", callback=file_name, shell_complete=completing.files())
@graph_options
def convert(graph_file: str, target: Path, words: GraphWords) -> None:
    """Write GRAPH to TARGET in the format of its suffix (.mtx .gr .npz .csv .tsv .txt .parquet .feather .arrow .graphml
    .gml; text also .gz .bz2 .xz).

    \b
    Example:
      gdslc graph convert roads.gr.gz roads.npz
    """
    _save(graph_file, target, words)


def _save(graph_file: str, target: Path, words: GraphWords) -> None:
    from gdsl.cli.output import check_writable
    from gdsl.graph import write
    from gdsl.graph.reading import KEEP_NAMES
    from gdsl.graph.writing import format_to_write
    from gdsl.progress import working

    kind = format_to_write(str(target))
    check_writable(target)
    graph = words.open(graph_file)
    with working(f"writing {target}"):
        write(graph, target)
    if graph.names is not None and kind not in KEEP_NAMES:
        message("note: this format keeps no names of vertices; .csv does")
    elif graph.names is not None and kind in ("csv", "tsv") and all(str(name).isdigit() for name in graph.names):
        message("note: all names are whole numbers: --compact reads them as names again")
    message(f"{printable(str(target))}: {graph!r}")
