"""What it takes to read a file on one core, and to put the edges of a graph in order where it will run."""

from __future__ import annotations

import contextlib
import importlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.graphs import drawn_edges, made_graph, release
from bench.measure import Measurement, Series, summarize
from bench.rows import LOADS, Row
from gdsl.backends import registry
from gdsl.graph import Graph, open_graph, write

_ENDINGS = {"load_mtx": "mtx", "load_edges": "txt", "load_npz": "npz"}


def measure_loading(row: Row, backend: str, repeat: int) -> Measurement:
    """Milliseconds of a load or a build, the median of `repeat`; whether it gave the same graph."""
    return (_load if row.work in LOADS else _build)(row, backend, repeat)


def _load(row: Row, backend: str, repeat: int) -> Measurement:
    """Of a graph's own file, up to the graph with its edges in order."""
    measurement = Measurement(row)
    made = open_graph(f"{row.graph[:4]}:{row.graph[4:]}")
    with tempfile.TemporaryDirectory(prefix="gdsl-bench-") as folder, _one_core():
        path = Path(folder) / f"graph.{_ENDINGS[row.work]}"
        write(made, path)
        times, found = _timed(lambda: _in_order(Graph.read(path)), repeat)
        size = path.stat().st_size / 1e6
    measurement.series.append(Series(None, times, 0, made.num_edges, problem=_difference(found, made)))
    summarize(measurement)
    assert measurement.ms is not None
    measurement.notes.append(f"{size:.0f} MB, {size / measurement.ms * 1000:.0f} MB/s a core")
    return measurement


def _build(row: Row, backend: str, repeat: int) -> Measurement:
    """Of arrays of the host, both ways, without loops and parallel edges, where `backend` runs."""
    measurement = Measurement(row)
    module: Any = np
    if backend == "cuda":
        module = importlib.import_module("cupy")
    scale = int(row.graph.removeprefix("rmat"))
    count, *drawn = drawn_edges(module, scale)
    sources, destinations = ((each.get() if hasattr(each, "get") else each).astype(np.int32) for each in drawn)
    del drawn
    release(module)
    runs = registry.get(backend)

    def build() -> Graph:
        graph = Graph.from_edges(sources, destinations, count, directed=False).changed(loops=False, dedup="first")
        if graph._lazy_csr is not None:
            runs.place(graph)
        return _in_order(graph)

    times, found = _timed(build, repeat)
    series = Series(None, times, 0, found.num_edges)
    release(module)
    series.problem = _difference(found, made_graph(row.graph, module, 1).graph)
    measurement.series.append(series)
    summarize(measurement)
    measurement.notes.append(f"{len(sources):,} edges given")
    return measurement


def _timed(make: Callable[[], Graph], repeat: int) -> tuple[list[float], Graph]:
    """Milliseconds of each call but the first, and the last graph."""
    times = []
    for _ in range(1 + repeat):
        found: Graph | None = None  # so that no two of them need room
        started = time.perf_counter()
        found = make()
        times.append((time.perf_counter() - started) * 1000)
    assert found is not None
    return times[1:], found


def _in_order(graph: Graph) -> Graph:
    graph.columns  # noqa: B018 - which puts the edges in order
    return graph


def _difference(found: Graph, expected: Graph) -> str | None:
    same = np.array_equal(found.offsets, expected.offsets) and np.array_equal(found.columns, expected.columns)
    return None if same else "another graph"


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    """One processor for this thread and those that it starts, where the system can be told."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
