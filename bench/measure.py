"""Runs of one row: times, and the check of every result."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import gdsl
from bench.graphs import BenchmarkGraph
from bench.peers import Peer, PeerRun
from bench.rows import Row
from bench.works import WORKS, Work
from gdsl.api.tuning_outcome import TuningOutcome
from gdsl.backends.measuring import measured

_MUCH_LONGER = 1.5
"""A first call that takes this many times the median is reported."""
TIMEOUT = 120.0
"""Seconds after which a run is stopped, so that nothing hangs."""


@dataclass
class Series:
    """The runs from one source (None where the program takes none).

    times_ms: `result.time_ms` of every run: on cuda by events around the run; the initialization of the results is
    inside, compilation and the graph's transfer are outside. first_ms: the same of the first call from this source,
    which is not among them, with what it numbered: of a graph's first call, what is kept with the graph is made then.
    edges: directed edges of the reached vertices. peers_ms: the same for each peer, taken in turns with ours.
    problem: what a check found wrong with the last result, or a peer's answer that is another. note: about it.
    """

    source: int | None
    times_ms: list[float]
    iterations: int
    edges: int
    peers_ms: dict[str, list[float]] = field(default_factory=dict)
    problem: str | None = None
    note: str | None = None
    first_ms: float | None = None

    @property
    def median_ms(self) -> float:
        return statistics.median(self.times_ms)


@dataclass
class Measurement:
    """A row's outcome; `ms` is the median over runs, then over sources (of an iteration, where the unit says so);
    `tuned` is what a search for better knobs has found, where one was asked for."""

    row: Row
    unit: str = "ms"
    series: list[Series] = field(default_factory=list)
    ms: float | None = None
    edges_per_second: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tuned: TuningOutcome | None = None
    problem: str | None = None
    memory: str | None = None
    """What the runs may use of the GPU's memory, if that was limited."""


def measure(row: Row, graph: BenchmarkGraph, backend: str, repeat: int, peers: Sequence[Peer] = ()) -> Measurement:
    """Run `row` from every source `repeat` times behind one run that is not counted, and check the results."""
    work = WORKS[row.work]
    program = gdsl.compile(work.program)
    measurement = Measurement(row, work.unit)
    for source in graph.sources if work.takes_source else [None]:
        measurement.series.append(_series(work, graph, program, source, backend, repeat, peers))
    summarize(measurement)
    return measurement


def _series(
    work: Work,
    graph: BenchmarkGraph,
    program: gdsl.Program,
    source: int | None,
    backend: str,
    repeat: int,
    peers: Sequence[Peer],
) -> Series:
    series = Series(source, [], 0, graph.num_edges)
    values = work.values(graph, source)
    having = [peer for peer in peers if work.name in peer.works]
    last: dict[str, PeerRun] = {}

    def ours() -> gdsl.Result:
        with measured():
            return program.run(graph.graph, values, backend=backend, timeout=TIMEOUT)

    result = ours()
    series.first_ms = result.time_ms + (result.layout_ms or 0.0)
    for _ in range(repeat):
        if having:
            warmed_up(ours, result.time_ms)
        result = ours()
        series.times_ms.append(result.time_ms)
        for peer in having:
            theirs = partial(peer.run, work.name, source)
            warmed_up(theirs, last[peer.name].ms if peer.name in last else 0.0)
            last[peer.name] = theirs()
            series.peers_ms.setdefault(peer.name, []).append(last[peer.name].ms)
    series.iterations = result.iterations
    if work.reached is not None:
        series.edges = int(graph.module.diff(graph.offsets)[work.reached(graph, result, source)].sum())
    series.note = work.note(result) if work.note is not None else None
    series.problem = work.check(graph, result, source) or disagreement(work, graph, result, last)
    return series


def warmed_up(run: Callable[[], object], last_ms: float) -> None:
    """What stands between turns of ours and of peers, so that each finds the machine as if it ran alone: wait until all
    threads sleep, as networkit's, of an OpenMP library of its own, look for work for some milliseconds behind a run;
    then runs for 50 milliseconds, as Linux, behind a run by one thread, may wake a second thread on the processor of
    the first, and takes some ten milliseconds to move it. One that takes a fifth of a second needs none of that."""
    if last_ms > 200:
        return
    asleep, warm = time.monotonic() + 0.5, 0.05
    while time.monotonic() < asleep:
        before = time.process_time()
        time.sleep(0.005)
        if time.process_time() - before < 0.001:
            break
    begun = time.monotonic()
    while time.monotonic() < begun + warm:
        run()


def disagreement(work: Work, graph: BenchmarkGraph, result: Any, runs: Mapping[str, PeerRun]) -> str | None:
    """Which peer has found another answer, or None."""
    if work.answer is None or not runs:
        return None
    ours = work.answer(graph, result)
    for name, run in runs.items():
        theirs = ours if run.answer is None else run.answer()
        too_far = theirs - ours if work.more_is_better else abs(theirs - ours)
        if not too_far <= work.tolerance * abs(theirs):
            return f"{name} finds {theirs:.12g} instead of {ours:.12g}"
    return None


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
    measurement.notes += dict.fromkeys(one.note for one in series if one.note)
    first = series[0].first_ms
    if first is not None and first > _MUCH_LONGER * series[0].median_ms:
        measurement.notes.append(f"first call {first:.3g} ms")
    problems = [
        one.problem if one.source is None else f"source {one.source}: {one.problem}" for one in series if one.problem
    ]
    measurement.problem = problems[0] if problems else None
