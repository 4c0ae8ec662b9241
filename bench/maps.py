"""What `Program.map` makes of many calls: the time of one of 1,024 runs, and of one call of as many in a row."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import gdsl
from bench.graphs import BenchmarkGraph
from bench.measure import Measurement, Series
from bench.rows import Row
from bench.works import WORKS

SOURCES = 1024
_ALONE, _SETTLED = 128, 20
"""Calls, one after the other, that are timed beside, and those before: the sixteenth loads a kernel."""
_CHECKED = 8


def measure_map(row: Row, graph: BenchmarkGraph, backend: str, repeat: int) -> Measurement:
    """The wall's time a run, with all that a call has beside its kernel; how many calls by themselves take; every
    run's result is compared with a call's for some sources, and these are checked."""
    work = WORKS[row.work.removeprefix("map_")]
    program, values = gdsl.compile(work.program), work.values(graph, graph.sources[0])
    sources = _sources(graph, SOURCES if backend == "cuda" else 64)
    listed = {**values, "source": sources}
    program.map(graph.graph, listed, backend=backend)
    walls: list[float] = []
    batch: Any = None
    for _ in range(max(repeat, 3)):
        batch = None  # its memory is the next one's
        started = time.perf_counter()
        batch = program.map(graph.graph, listed, backend=backend)
        walls.append((time.perf_counter() - started) * 1e3 / len(sources))
    measurement = Measurement(row, "ms a run")
    measurement.series.append(Series(None, walls, int(np.median(batch.iterations)), 0))
    measurement.ms = measurement.series[0].median_ms
    alone = _alone(program, graph, values, sources[:_ALONE], backend)
    measurement.notes.append(
        f"{1e3 / measurement.ms:,.0f} runs a second, {alone / measurement.ms:.1f} times as many as calls"
    )
    rate = len(sources) * graph.graph.num_edges / batch.time_ms / 1e6
    measurement.notes.append(
        f"device {batch.time_ms:.1f} ms for {len(sources):,}, {rate:,.0f} G edges a second; {batch.how}"
    )
    measurement.problem = _problem(work, program, graph, values, sources, batch, backend)
    return measurement


def _sources(graph: BenchmarkGraph, count: int) -> list[int]:
    degrees = np.diff(np.asarray(graph.graph.offsets))
    return np.random.default_rng(1).choice(np.flatnonzero(degrees > 0), count).tolist()  # type: ignore[no-any-return]


def _alone(program: gdsl.Program, graph: BenchmarkGraph, values: Any, sources: list[int], backend: str) -> float:
    """Milliseconds of a call."""
    for source in sources[:_SETTLED]:
        program.run(graph.graph, {**values, "source": source}, backend=backend)
    started = time.perf_counter()
    for source in sources:
        program.run(graph.graph, {**values, "source": source}, backend=backend)
    return (time.perf_counter() - started) * 1e3 / len(sources)


def _problem(
    work: Any, program: gdsl.Program, graph: BenchmarkGraph, values: Any, sources: list[int], batch: Any, backend: str
) -> str | None:
    for number in range(0, len(sources), max(len(sources) // _CHECKED, 1)):
        found = work.check(graph, batch[number], sources[number])
        if found is not None:
            return f"source {sources[number]}: {found}"
        alone = program.run(graph.graph, {**values, "source": sources[number]}, backend=backend)
        if not bool((alone["distance"] == batch[number]["distance"]).all()):
            return f"source {sources[number]}: distances are not those of a call"
    return None
