"""Where the time of a run went, as bars on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gdsl.backends.interface import TraceRecord

_WIDTH = 40
"""Columns of the longest bar."""


def print_bars(trace: Sequence[TraceRecord]) -> None:
    """A bar for each operator: its time, or where nobody took times the edges that it walked; nothing where standard
    output is no terminal, or where there is nothing to compare."""
    spent = by_operator(trace)
    if not sys.stdout.isatty() or not any(amount for _, amount in spent.values()):
        return
    from rich.bar import Bar
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    timed = _is_timed(trace)
    total = sum(amount for _, amount in spent.values())
    largest = max(amount for _, amount in spent.values())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("operator", "runs", "ms" if timed else "edges", ""):
        table.add_column(name, justify="left" if name in ("operator", "") else "right")
    table.add_column("", width=_WIDTH)
    for label, (runs, amount) in sorted(spent.items(), key=lambda entry: -entry[1][1]):
        words = (f"{runs:,}", f"{amount:,.3f}" if timed else f"{amount:,.0f}", f"{amount / total:.0%}")
        table.add_row(Text(label), *words, Bar(largest, 0, amount, width=_WIDTH, color="cyan"))
    console = Console()
    console.print()
    console.print(table)


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
