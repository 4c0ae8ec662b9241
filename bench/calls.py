"""What a call costs beside its kernel: the wall's time of `program(graph, …)` less the `time_ms` of its result; and of
many in a row, each waited for, and asked for before the ones before it are there (`program.submit`).

`python -m bench.calls` prints a profile of a thousand calls.
"""

from __future__ import annotations

import cProfile
import pstats
import statistics
import time
from collections import deque
from typing import Any

import click

import gdsl
from bench.graphs import BenchmarkGraph, load, split_name
from bench.measure import Measurement, Series
from bench.rows import Row
from bench.works import WORKS
from gdsl.backends import registry
from gdsl.diagnostics import GdslError

IN_A_ROW = 1000
_SETTLED = 20
"""Calls before those that count."""
_AHEAD = 8
"""Runs that are asked for before the result of the oldest is."""


def measure_calls(row: Row, graph: BenchmarkGraph, backend: str, repeat: int) -> Measurement:
    """The median over `repeat` calls or more of what a call takes beside its kernel, in microseconds; and how the time
    of all of these in a row is to that of their kernels."""
    work = WORKS[row.work.removeprefix("call_").removesuffix("_unchecked")]
    program, values = gdsl.compile(work.program), work.values(graph, graph.sources[0])
    if row.work.endswith("_unchecked"):
        values = {name: gdsl.unchecked(value) if hasattr(value, "dtype") else value for name, value in values.items()}
    measurement = Measurement(row, "us a call")
    number = max(repeat, 20) if graph.num_edges > 1 << 24 else IN_A_ROW
    walls, kernels = timed(program, graph, values, backend, _SETTLED + number)
    walls, kernels = walls[_SETTLED:], kernels[_SETTLED:]
    beside = [(wall - kernel) * 1000 for wall, kernel in zip(walls, kernels, strict=True)]
    measurement.series.append(Series(graph.sources[0], beside, 0, 0))
    measurement.ms = statistics.median(beside)
    measurement.notes.append(f"the quickest tenth below {statistics.quantiles(beside, n=10)[0]:.1f}")
    measurement.notes.append(f"kernels {statistics.median(kernels):.3f} ms")
    measurement.notes.append(f"{number} in a row: {sum(walls) / max(sum(kernels), 1e-9):.2f} times their kernels")
    rows = [not_waited_for(program, graph, values, backend, number) for _ in range(3)]
    wall, kernel = min(rows, key=lambda row: row[0] / row[1])
    median = statistics.median(wall / kernel for wall, kernel in rows)
    told = f"not waited for: {wall / kernel:.2f} times their kernels, the best of three ({median:.2f} the median)"
    measurement.notes.append(f"{told}, {wall / number * 1e3:.1f} us each")
    return measurement


def timed(
    program: gdsl.Program, graph: BenchmarkGraph, values: dict[str, Any], backend: str, number: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each call and of its kernel; the result of a call goes when the next one has been made."""
    walls, kernels = [], []
    before = time.perf_counter()
    for _ in range(number):
        result = program(graph.graph, backend=backend, **values)
        now = time.perf_counter()
        walls.append((now - before) * 1000)
        kernels.append(result.time_ms)
        before = now
    return walls, kernels


def not_waited_for(
    program: gdsl.Program, graph: BenchmarkGraph, values: dict[str, Any], backend: str, number: int
) -> tuple[float, float]:
    """Milliseconds that so many runs take from the first `submit` to the last result, and those of their kernels."""
    waiting: deque[gdsl.Pending] = deque()
    kernels = 0.0
    before = time.perf_counter()
    for _ in range(number):
        waiting.append(program.submit(graph.graph, backend=backend, **values))
        if len(waiting) > _AHEAD:
            kernels += waiting.popleft().result().time_ms
    kernels += sum(pending.result().time_ms for pending in waiting)
    return (time.perf_counter() - before) * 1e3, max(kernels, 1e-9)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--row", default="bfs-rmat16", show_default=True, help="A work and a graph, as in `--rows` of bench.")
@click.option("--backend", type=click.Choice(["cuda", "cpu"]), default="cuda", show_default=True)
@click.option("--lines", type=click.IntRange(min=1), default=40, show_default=True, help="Functions that are shown.")
@click.option("--sort", type=click.Choice(["tottime", "cumtime", "ncalls"]), default="tottime", show_default=True)
@click.option("--submit", is_flag=True, help="Calls that are not waited for.")
def main(row: str, backend: str, lines: int, sort: str, submit: bool) -> None:
    """Print where the time of a thousand calls goes."""
    name, on = _work_and_graph(row)
    available = registry.get(backend).availability()
    if not available.ok:
        raise click.ClickException(f"--backend {backend}: {available.detail}; {available.fix}")
    try:
        graph, work = load(on, backend, 1), WORKS[name]
        program, values = gdsl.compile(work.program), work.values(graph, graph.sources[0])
        timed(program, graph, values, backend, _SETTLED)
        profile = cProfile.Profile()
        profile.runcall(not_waited_for if submit else timed, program, graph, values, backend, IN_A_ROW)
    except (GdslError, MemoryError) as error:
        raise click.ClickException(f"{row}: {error or 'not enough memory'}") from None
    pstats.Stats(profile).sort_stats(sort).print_stats(lines)


def _work_and_graph(row: str) -> tuple[str, str]:
    work, _, graph = row.removeprefix("call_").partition("-")
    try:
        if work not in WORKS:
            raise ValueError(f"{row!r} is no row: WORK-GRAPH, where WORK is one of {', '.join(WORKS)}")
        split_name(graph)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return work, graph


if __name__ == "__main__":
    main()
