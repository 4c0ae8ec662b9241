"""What `gdslc run --dry-run` prints: what a run would allocate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gdsl.cli.report import graph_document
from gdsl.cli.streams import message
from gdsl.diagnostics import printable
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.api.dry_run import DryRun
    from gdsl.api.program import Program
    from gdsl.graph import Graph


def print_dry_run(
    dry_run: DryRun, program: Program, graph: Graph, program_file: str, graph_file: str, as_json: bool
) -> None:
    """Print it, and exit with status 1 if a run would not have enough memory."""
    if dry_run.backend_line:
        message(dry_run.backend_line)
    if as_json:
        document = {
            "gdsl": __version__,
            "program": program.name,
            "file": program_file,
            "backend": dry_run.backend,
            "backend_reason": dry_run.backend_line or None,
            "graph": graph_document(graph_file, graph),
            "memory": dry_run.as_document(),
        }
        click.echo(json.dumps(document, indent=2, allow_nan=False))
    else:
        _print_needs(dry_run, program, graph, graph_file)
    if dry_run.fits is False:
        raise click.exceptions.Exit(1)


def _print_needs(dry_run: DryRun, program: Program, graph: Graph, graph_file: str) -> None:
    sizes = f"V = {graph.num_vertices:,}, E = {graph.num_edges:,}"
    click.echo(
        f"{program.name} on {printable(graph_file)}: {sizes}; {dry_run.backend}, {dry_run.widths}; nothing was run"
    )
    click.echo()
    for row in _table(dry_run):
        click.echo(row)
    click.echo()
    if dry_run.memory_line:
        click.echo(dry_run.memory_line)
    for each in dry_run.gpus:
        free = "" if each.free is None else f" of {each.free:,} free bytes"
        click.echo(f"GPU {each.gpu}: {each.needed:,}{free}")
    click.echo(_verdict(dry_run))


def _table(dry_run: DryRun) -> list[str]:
    """A line for each buffer; with a column for the memory of the host if anything is there."""
    rows = [("buffer", "for", "elements", "bytes", "in the host's memory")]
    rows += [
        (need.name, need.what, need.elements, need.there or f"{need.nbytes:,}", f"{need.host_bytes:,}")
        for need in dry_run.needs
    ]
    rows.append(("together", "", "", f"{dry_run.needed:,}", f"{dry_run.needed_of_host:,}"))
    shown = 5 if dry_run.needed_of_host else 4
    from gdsl.profiling.table import aligned

    head, *others = (row[:shown] for row in rows)
    return aligned(head, others, [], 0, left=(0, 1, 2))


def _verdict(dry_run: DryRun) -> str:
    if dry_run.free is None:
        return f"{dry_run.device} does not say how much memory is free"
    total = f" of {dry_run.total:,}" if dry_run.total is not None and dry_run.total != dry_run.free else ""
    free = f"{dry_run.device}: {dry_run.free:,} bytes{total} are free"
    left = dry_run.free - (sum(each.needed for each in dry_run.gpus) or dry_run.needed)
    if dry_run.gpus and dry_run.fits is False:
        return f"{free}, too few on one of the GPUs: it would not run"
    return f"{free}, {left:,} more than needed" if left >= 0 else f"{free}, {-left:,} too few: it would not run"
