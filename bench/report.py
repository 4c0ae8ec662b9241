"""The table for people and the JSON document."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from rich.table import Table

from bench import tuning
from bench.measure import Measurement
from bench.rows import target, to_reach

FAILED = "[bold red]FAILED[/]"


def table(measurements: list[Measurement], backend: str) -> Table:
    """On cuda: ours, the edge rate, what is to be reached and the target; peers where their times are known."""
    peers = list(dict.fromkeys(name for measurement in measurements for name in measurement.peers))
    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("row")
    headers = ["ms", "G edges/s"]
    if backend == "cuda":
        headers += ["to reach", "ratio", "target"]
    headers += [header for name in peers for header in (name, "ratio")]
    for header in headers:
        grid.add_column(header, justify="right")
    grid.add_column("checked")
    for measurement in measurements:
        grid.add_row(*_cells(measurement, backend, peers))
    return grid


def _cells(measurement: Measurement, backend: str, peers: list[str]) -> list[str]:
    row, ms = measurement.row, measurement.ms
    rate = measurement.edges_per_second
    cells = [row.title, _number(ms), f"{rate / 1e9:.2f}" if rate else ""]
    if backend == "cuda":
        goal, limit = to_reach(row, backend), target(row, backend)
        cells += [_number(goal), _ratio(ms, goal), _number(limit)]
    for name in peers:
        cells += [_number(measurement.peers.get(name)), _ratio(ms, measurement.peers.get(name))]
    return [*cells, verdict(measurement, backend)]


def verdict(measurement: Measurement, backend: str) -> str:
    """FAILED for a wrong result; else whether the target is met, where there is one."""
    if measurement.problem is not None:
        return FAILED
    limit = target(measurement.row, backend) if measurement.memory is None else None
    if limit is None or measurement.ms is None:
        return "right"
    return "[green]pass[/]" if measurement.ms <= limit else "[yellow]slow[/]"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _ratio(ours: float | None, other: float | None) -> str:
    return f"{ours / other:.2f}" if ours is not None and other else ""


def document(measurements: list[Measurement], backend: str, machine: dict[str, Any], options: dict[str, Any]) -> str:
    """The JSON document: machine, options and every row with its times by source."""
    rows = [_entry(measurement, backend) for measurement in measurements]
    return json.dumps({"backend": backend, "options": options, "machine": machine, "rows": rows}, indent=1) + "\n"


def _entry(measurement: Measurement, backend: str) -> dict[str, Any]:
    row, ms = measurement.row, measurement.ms
    goal, limit = to_reach(row, backend), target(row, backend)
    return {
        "row": row.name,
        "ms": ms,
        "unit": measurement.unit,
        "edges_per_second": measurement.edges_per_second,
        "to_reach_ms": goal,
        "ratio": ms / goal if ms is not None and goal else None,
        "target_ms": limit,
        "within_target": ms <= limit if ms is not None and limit is not None else None,
        "right": measurement.problem is None,
        "problem": measurement.problem,
        "peers_ms": measurement.peers,
        "notes": measurement.notes,
        "tuned": None if measurement.tuned is None else tuning.entry(measurement.tuned),
        "series": [
            {
                "source": one.source,
                "first_ms": one.first_ms,
                "median_ms": one.median_ms,
                "times_ms": one.times_ms,
                "iterations": one.iterations,
                "edges": one.edges,
                "peers_ms": one.peers_ms,
                "problem": one.problem,
            }
            for one in measurement.series
        ],
    }


def write(path: Path, text: str) -> None:
    """Put `text` at `path` by rename, so that a run that is stopped leaves the rows before it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
