"""What `gdslc run --dry-run` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gdsl.cli.streams import message
from gdsl.diagnostics import printable
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.api.program import DryRun, Program
    from gdsl.graph import Graph


def tell(found: DryRun, program: Program, graph: Graph, program_file: str, graph_file: str, as_json: bool) -> None:
    """Print it, and end with status 1 where a run would not have the memory."""
    if found.backend_line:
        message(found.backend_line)
    if as_json:
        document = {
            "gdsl": __version__,
            "program": program.name,
            "file": program_file,
            "backend": found.backend,
            "backend_reason": found.backend_line or None,
            "graph": {
                "name": graph_file,
                "vertices": graph.num_vertices,
                "edges": graph.num_edges,
                "directed": graph.directed,
            },
            "memory": found.as_document(),
        }
        click.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        _print(found, program, graph, graph_file)
    if found.fits is False:
        raise click.exceptions.Exit(1)


def _print(found: DryRun, program: Program, graph: Graph, graph_file: str) -> None:
    sizes = f"V = {graph.num_vertices:,}, E = {graph.num_edges:,}"
    click.echo(f"{program.name} on {printable(graph_file)}: {sizes}; {found.backend}, {found.widths}; nothing was run")
    click.echo()
    rows = [("buffer", "for", "elements", "bytes")]
    rows += [(need.name, need.what, need.elements, need.there or f"{need.nbytes:,}") for need in found.needs]
    rows.append(("together", "", "", f"{found.needed:,}"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for name, what, elements, last in rows:
        cells = (name.ljust(widths[0]), what.ljust(widths[1]), elements.ljust(widths[2]), last.rjust(widths[3]))
        click.echo("  ".join(cells))
    click.echo()
    click.echo(_verdict(found))


def _verdict(found: DryRun) -> str:
    if found.free is None:
        return f"{found.device} does not say how much memory is free"
    total = f" of {found.total:,}" if found.total is not None and found.total != found.free else ""
    free = f"{found.device}: {found.free:,} bytes{total} are free"
    left = found.free - found.needed
    return f"{free}, {left:,} more than needed" if left >= 0 else f"{free}, {-left:,} too few: it would not run"
