"""Where the time of a run went, as bars on a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from gdsl.backends.interface import TraceRecord


def print_bars(trace: Sequence[TraceRecord]) -> None:
    """A bar for each operator: its time, or where nobody took times the edges that it walked; nothing where standard
    output is no terminal, or where there is nothing to compare."""
    spent = by_operator(trace)
    if not sys.stdout.isatty() or not any(amount for _, amount in spent.values()):
        return
    from gdsl.profiling.bars import aligned

    timed = _is_timed(trace)
    total = sum(amount for _, amount in spent.values())
    ordered = sorted(spent.items(), key=lambda entry: -entry[1][1])
    largest = ordered[0][1][1]
    rows = [
        (label, f"{runs:,}", f"{amount:,.3f}" if timed else f"{amount:,.0f}", f"{amount / total:.0%}")
        for label, (runs, amount) in ordered
    ]
    shares = [amount / largest for _, (_, amount) in ordered]
    head = ("operator", "runs", "ms" if timed else "edges", "")
    lines = aligned(head, rows, shares, shutil.get_terminal_size().columns, left=(0,))
    click.echo("\n".join(["", *lines]))


def by_operator(trace: Sequence[TraceRecord]) -> dict[str, tuple[int, float]]:
    """How often each operator ran, and its milliseconds in all, or without times its edges."""
    timed = _is_timed(trace)
    found: dict[str, tuple[int, float]] = {}
    for record in trace:
        runs, amount = found.get(record.label, (0, 0.0))
        found[record.label] = runs + 1, amount + ((record.time_ms or 0.0) if timed else record.edges)
    return found


def _is_timed(trace: Sequence[TraceRecord]) -> bool:
    return any(record.time_ms is not None for record in trace)
