"""Runs of one row: times, and the check of every result."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gdsl
from bench import checks
from bench.graphs import BenchmarkGraph
from bench.peers import Peer
from bench.rows import ITERATIONS, WORKS, Row

DAMPING = 0.85
TIMEOUT = 120.0
"""Seconds after which a run is stopped, so that nothing hangs."""


@dataclass
class Series:
    """The runs from one source (None where the program takes none).

    times_ms: `result.time_ms` of every run: on cuda by events around the run; the initialisation of the results is
    inside, compilation and the graph's transfer are outside.
    edges: directed edges of the reached vertices. peers_ms: the same for each peer, taken in turns with ours.
    problem: what a check found wrong with the last result.
    """

    source: int | None
    times_ms: list[float]
    iterations: int
    edges: int
    peers_ms: dict[str, list[float]] = field(default_factory=dict)
    problem: str | None = None

    @property
    def median_ms(self) -> float:
        return statistics.median(self.times_ms)


@dataclass
class Measurement:
    """A row's outcome; `ms` is the median over runs, then over sources (of an iteration, where the unit says so)."""

    row: Row
    unit: str = "ms"
    series: list[Series] = field(default_factory=list)
    ms: float | None = None
    edges_per_second: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str | None = None


def measure(row: Row, graph: BenchmarkGraph, backend: str, repeat: int, peers: Sequence[Peer] = ()) -> Measurement:
    """Run `row` from every source `repeat` times behind one run that is not counted, and check the results."""
    work = WORKS[row.work]
    program = gdsl.compile(work.program)
    values: dict[str, Any] = {}
    if work.takes_weights:
        values["weight"] = graph.weights
    if row.work == "pagerank":
        values |= {"damping": DAMPING, "tolerance": 0.0, "max_iterations": ITERATIONS}
    measurement = Measurement(row, work.unit)
    for source in graph.sources if work.takes_source else [None]:
        if source is not None:
            values["source"] = source
        measurement.series.append(_series(row, graph, program, values, backend, repeat, peers))
    summarize(measurement)
    return measurement


def _series(
    row: Row,
    graph: BenchmarkGraph,
    program: gdsl.Program,
    values: dict[str, Any],
    backend: str,
    repeat: int,
    peers: Sequence[Peer],
) -> Series:
    series = Series(values.get("source"), [], 0, graph.num_edges)
    having = [peer for peer in peers if row.work in peer.works]
    for number in range(1 + repeat):
        result = program.run(graph.graph, values, backend=backend, timeout=TIMEOUT)
        if number == 0:
            continue
        series.times_ms.append(result.time_ms)
        for peer in having:
            series.peers_ms.setdefault(peer.name, []).append(peer.run(row.work, series.source))
    series.iterations = result.iterations
    if series.source is not None:
        reached = result["distance"] >= 0 if row.work != "sssp" else graph.module.isfinite(result["distance"])
        series.edges = int(graph.module.diff(graph.offsets)[reached].sum())
    series.problem = problem_of(row.work, graph, result, series.source)
    return series


def problem_of(work: str, graph: BenchmarkGraph, result: Any, source: int | None) -> str | None:
    """What is wrong with the result of `work`, or None; `result` maps names to arrays of the graph's module."""
    if work == "pagerank":
        if result.iterations != ITERATIONS:
            return f"{result.iterations} iterations instead of {ITERATIONS}"
        return checks.check_ranks(graph, result["rank"], checks.iterated_ranks(graph, DAMPING, ITERATIONS))
    if work == "components":
        return checks.check_components(graph, result["component"])
    assert source is not None
    if work == "sssp":
        return checks.check_shortest(graph, source, result["distance"])
    problem = checks.check_levels(graph, source, result["distance"])
    if problem is None and work == "bfs":
        problem = checks.check_parents(graph, source, result["distance"], result["parent"])
    return problem


def summarize(measurement: Measurement) -> None:
    """Fill the medians from the series, and the first problem found."""
    series = measurement.series
    per_iteration = measurement.unit == "ms an iteration"
    milliseconds = [one.median_ms / (max(one.iterations, 1) if per_iteration else 1) for one in series]
    measurement.ms = statistics.median(milliseconds)
    rates = [one.edges / (ms / 1000) for one, ms in zip(series, milliseconds, strict=True) if ms > 0]
    measurement.edges_per_second = float(np.median(rates)) if rates else None
    for name in series[0].peers_ms:
        measurement.peers[name] = statistics.median(statistics.median(one.peers_ms[name]) for one in series)
    problems = [f"source {one.source}: {one.problem}" for one in series if one.problem]
    measurement.problem = problems[0] if problems else None
