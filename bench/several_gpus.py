"""Rows on several GPUs: beside each time that of one GPU of the same machine, and what a barrier of all GPUs takes."""

from __future__ import annotations

import statistics
from typing import Any

import gdsl
from bench.graphs import BenchmarkGraph
from bench.measure import TIMEOUT, Measurement, Series, summarize
from bench.rows import Row
from bench.works import WORKS, Work

Gpus = int | str | list[int]
_BARRIERS = 20_000
"""A program that does nothing but wait: each pass of its loop ends with a barrier."""
_WAITING = f"""
program waiting;
problem {{ vertex passes : int32; }}
vertex functor count(v) {{ apply {{ passes[v] += 1; }} }}
schedule {{ repeat ({_BARRIERS}) {{ compute(vertices, count); }} }}
"""

_VERTICES = 1 << 22
_NOTHING = """
program nothing;
problem { vertex x : int32; }
vertex functor store(v) { apply { x[v] = 1; } }
schedule { compute(vertices, store); }
"""


def measure_gpus(row: Row, graph: BenchmarkGraph, repeat: int, gpus: Gpus) -> Measurement:
    """Run `row` on `gpus` and on one GPU in turns, from every source `repeat` times after one run that is not counted,
    and check the results of both."""
    work = WORKS[row.work]
    program = gdsl.compile(work.program)
    measurement = Measurement(row, work.unit)
    alone: list[float] = []
    for source in graph.sources if work.takes_source else [None]:
        series, one = _series(work, graph, program, source, repeat, gpus)
        measurement.series.append(series)
        alone.append(one / (max(series.iterations, 1) if work.unit == "ms an iteration" else 1))
    summarize(measurement)
    if measurement.ms:
        one = statistics.median(alone)
        measurement.notes.append(f"one GPU: {one:.3f} {work.unit}, {one / measurement.ms:.2f} times as long")
    return measurement


def _series(
    work: Work, graph: BenchmarkGraph, program: gdsl.Program, source: int | None, repeat: int, gpus: Gpus
) -> tuple[Series, float]:
    """The runs on `gpus`, and the median of those on one GPU."""
    series, values, alone = Series(source, [], 0, graph.num_edges), work.values(graph, source), []
    for number in range(repeat + 1):
        one = program.run(graph.graph, values, backend="cuda", timeout=TIMEOUT)
        several = program.run(graph.graph, values, gpus=gpus, timeout=TIMEOUT)
        if number:
            series.times_ms.append(several.time_ms)
            alone.append(one.time_ms)
    series.iterations = several.iterations
    if work.reached is not None:
        series.edges = int(graph.module.diff(graph.offsets)[work.reached(graph, several, source)].sum())
    series.problem = work.check(graph, one, source) or work.check(graph, several, source)
    return series, statistics.median(alone)


def microseconds_of_a_barrier(gpus: Gpus | None = None) -> float:
    """What one takes, on one GPU or on `gpus`."""
    graph = gdsl.Graph.from_edges([0], [1])
    program = gdsl.compile(_WAITING)
    runs = [program(graph, timeout=TIMEOUT, **_where(gpus)).time_ms for _ in range(4)]
    return statistics.median(runs[1:]) * 1000 / _BARRIERS


def microseconds_of_a_run(gpus: Gpus | None = None) -> float:
    """What a run takes beside its operators, where each of the GPUs has a part of its array."""
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=_VERTICES)
    program, runs = gdsl.compile(_NOTHING), []
    for _ in range(20):
        result = program(graph, timeout=TIMEOUT, **_where(gpus))
        runs.append(result.time_ms - sum(each.time_ms or 0.0 for each in result.trace))
    return statistics.median(runs[1:]) * 1000


def _where(gpus: Gpus | None) -> dict[str, Any]:
    """Options of a run. Of several GPUs, runs of short operators are left to the first one, unless memory is chosen."""
    return {"backend": "cuda"} if gpus is None else {"gpus": gpus, "memory": "device"}


def barrier_line(gpus: Gpus) -> str:
    """What a barrier takes on one GPU and on `gpus`."""
    one, several = microseconds_of_a_barrier(), microseconds_of_a_barrier(gpus=gpus)
    return f"a barrier: {one:.2f} µs on one GPU, {several:.2f} µs on {gpus} GPUs"
