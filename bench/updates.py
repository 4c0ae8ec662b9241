"""Full runs after insertions, and results that go on: `python -m bench.updates --backend cpu rmat:16:seed=1 grid:520`.

Each row is the median of some updates of one edge in 100,000: between random ends or, on grids, ends up to four rows
and columns apart. Every result is compared with that of the full run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gdsl
from gdsl.api.summary import on_host

COMPONENTS = """program components;
problem { vertex component : vertex = id; }
edge functor pass_on(src, dst, e) { apply { accept changed(component[dst] min= component[src]); } }
schedule { frontier f = vertices; while (f) { f = advance(f, pass_on); } }"""
COLUMNS = ("update", "resume", "merge", "full", "full again", "resume merged")
_ONE_IN = 100_000


def insertion(graph: gdsl.Graph, near: bool, random: np.random.Generator) -> tuple[Any, ...]:
    """One edge in 100,000, with weights."""
    count = max(graph.num_edges // _ONE_IN // (1 if graph.directed else 2), 1)
    sources = random.integers(0, len(graph), count)
    destinations = random.integers(0, len(graph), count)
    if near:
        side = int(len(graph) ** 0.5)
        destinations = sources + random.integers(0, 4, count) * side + random.integers(0, 4, count)
    destinations %= len(graph)
    return sources, destinations, random.integers(1, 64, count).astype(graph.attributes["weight"].dtype)


def row(program: gdsl.Program, graph: gdsl.Graph, values: dict[str, Any], options: argparse.Namespace) -> list[float]:
    """The median milliseconds by column."""
    clock: Callable[[], float] = time.process_time if options.processor else time.perf_counter
    random = np.random.default_rng(0)
    old = program(graph, backend=options.backend, **values)
    times = []
    for _ in range(options.repeat + 1):  # the first one compiles
        edges = insertion(graph, options.near, random)
        marks, results = [clock()], list[Any]()

        def timed(work: Callable[..., Any], *given: Any, marks: list[float] = marks, **named: Any) -> Any:
            result = work(*given, **named)
            marks.append(clock())
            return result

        updated = timed(graph.updated, insert=edges)
        results.append(timed(program.resume, old, updated, backend=options.backend))
        timed(getattr, updated, "offsets")
        for _ in range(2):
            results.append(timed(program.run, updated, values, backend=options.backend))
        results.append(timed(program.resume, old, updated, backend=options.backend))
        results = [on_host(next(iter(result.arrays.values()))) for result in results]
        assert all(np.array_equal(result, results[-1]) for result in results)
        times.append(np.diff(marks) * 1000)
    medians: list[float] = np.median(np.array(times[1:]), axis=0).tolist()
    return medians


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--near", action="store_true", help="insert edges between neighbors on grids")
    parser.add_argument("--processor", action="store_true", help="processor time instead of time on the clock")
    options = parser.parse_args()
    print("| graph | stored edges | program |", " | ".join(COLUMNS), "| new graph | full again |")
    for name in options.graphs:
        graph = gdsl.Graph.read(name, weights="random:1")
        hub = int(np.argmax(graph.out_degrees))
        rows = [(gdsl.samples.sssp, {"source": hub}), (gdsl.compile(COMPONENTS), {})]
        for program, values in rows:
            update, resume, merge, full, again, merged = row(program, graph, values, options)
            numbers = " | ".join(f"{each:.2f}" for each in (update, resume, merge, full, again, merged))
            ratios = f"{(merge + full) / (update + resume):.1f} | {again / (update + resume):.1f}"
            print(f"| {name} | {graph.num_edges:,} | {program.name} | {numbers} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
