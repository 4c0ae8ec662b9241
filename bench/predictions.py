"""What `gdsl.clusters.model` says beside what was measured on several GPUs: ``python -m bench.predictions``.

A second table has what it says of a graph of 10¹² edges on 1,024 GPUs.
With ``--walk SCALE`` the programs run on the CPU on rmat:SCALE first, and what they walk is stored in profiles.json.
The graphs of the measured points are of the same kind and larger, so shares are scaled to their sizes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gdsl
from bench.graphs import KNOWN_SIZES
from gdsl.api.compiling import compile_file
from gdsl.backends import cpu
from gdsl.backends.cuda import plan_of
from gdsl.clusters.model import gpus, memory, workers
from gdsl.clusters.model.profile import Pass, Profile, of_one_pass, of_trace
from gdsl.plan.nodes import Plan

LARGE, WORKERS = (1 << 36, 10**12), 1024
"""Vertices and edges of a graph for so many GPUs."""
PROFILES = Path(__file__).with_name("profiles.json")
_ROUNDS = {"k_core": 1.36**2}
"""How many times as many rounds rmat24 has as rmat20, extrapolated: 99, 133 and 181 levels on rmat16, rmat18 and
rmat20. Rounds within levels were 302, 411 and 642."""
_OCCUPIED = {"rmat24": 0.53, "rmat26": 0.48}
"""The share of vertices that have edges: .71, .66 and .62 on rmat16, rmat18 and rmat20."""


@dataclasses.dataclass(frozen=True)
class Point:
    """Milliseconds of a program on a number of H200s of one host, and on one of them. without: the passes of the plan
    that the measured code did not have yet."""

    program: str
    graph: str
    gpus: int
    one: float
    measured: float
    note: str = ""
    without: tuple[str, ...] = ()


POINTS = (
    Point("pagerank", "rmat24", 2, 10.57, 5.17, "an iteration of kernels by hand"),
    Point("pagerank", "rmat24", 4, 10.57, 2.84, "an iteration of kernels by hand"),
    Point("pagerank", "rmat26", 2, 308.5, 160.7, "20 iterations"),
    Point("sssp", "rmat26", 2, 52.1, 32.6),
    Point("bellman_ford", "rmat24", 2, 28.7, 17.0),
    Point("sssp", "rmat24", 2, 10.9, 9.06, "before copies had the best value of any GPU"),
    Point("bfs", "rmat26", 2, 2.90, 4.42, without=("proposals",)),
    Point("connected_components", "rmat26", 2, 6.16, 18.0, without=("label_copies",)),
    Point("k_core", "rmat24", 2, 30.0, 83.5),
)


@dataclasses.dataclass(frozen=True)
class Predicted:
    """Milliseconds as the model says: on several GPUs given the measured time of one, and without anything measured."""

    several: gpus.Time
    one_alone: float
    several_alone: float


def predicted(point: Point) -> Predicted:
    """What the model says of a point."""
    plan = plan_for(point.program, point.without)
    profile = profile_of(plan, point)
    alone = [gpus.total(gpus.predict(plan, profile, count)).seconds * 1e3 for count in (1, point.gpus)]
    several = gpus.total(gpus.predict(plan, profile, point.gpus, one=point.one / 1e3))
    return Predicted(several, alone[0], alone[1])


def plan_for(program: str, without: tuple[str, ...] = ()) -> Plan:
    """The plan for several GPUs of a sample, without these passes."""
    ir = compile_file(program).ir
    tuning = dataclasses.replace(ir.tuning, without=(*ir.tuning.without, *without))
    return plan_of(dataclasses.replace(ir, tuning=tuning), several_gpus=True, verify=False)


def stored_profile(program: str) -> Profile:
    """What a sample walks on the smaller graph."""
    stored = json.loads(PROFILES.read_text())[program]
    passes = tuple(Pass(*row) for row in stored["passes"])
    return Profile(stored["vertices"], stored["edges"], passes, stored["occupied"])


def profile_of(plan: Plan, point: Point) -> Profile:
    """What a point's run walked, by shares of a smaller graph; an iteration by hand has nothing but itself."""
    vertices, edges = KNOWN_SIZES[point.graph]
    if "by hand" in point.note:
        passes = of_one_pass(plan, vertices, edges)
        return dataclasses.replace(passes, passes=tuple(each for each in passes.passes if each.edges))
    return stored_profile(point.program).scaled(
        vertices, edges, _ROUNDS.get(point.program, 1.0), _OCCUPIED[point.graph]
    )


def walk(scale: int) -> None:
    """Run the programs on the CPU, and store what they walk."""
    graph = gdsl.Graph.read(f"rmat:{scale}:seed=1", undirected=True, loops=False, dedup="first")
    degrees = graph.out_degrees
    draw = np.random.default_rng(5)
    source = int(draw.choice(np.flatnonzero(degrees)))
    weight = draw.integers(1, 65, graph.num_edges).astype(np.float32)
    values: dict[str, dict[str, Any]] = {
        "pagerank": {"damping": 0.85, "tolerance": 0.0, "max_iterations": 20},
        "sssp": {"source": source, "weight": weight},
        "bellman_ford": {"source": source, "weight": weight},
        "bfs": {"source": source},
        "connected_components": {},
        "k_core": {},
    }
    warnings.simplefilter("ignore", gdsl.NotConvergedWarning)
    stored = {}
    for name, given in values.items():
        program = compile_file(name, ["schedule.order=as_given"] if name == "sssp" else [])
        records = [
            (each.site, each.frontier_size, each.edges) for each in program.run(graph, given, backend="cpu").trace
        ]
        profile = of_trace(plan_for(name), graph.num_vertices, graph.num_edges, records, int((degrees > 0).sum()))
        passes = [[round(value, 2) for value in dataclasses.astuple(each)] for each in profile.passes]
        sizes = {"vertices": profile.vertices, "edges": profile.edges, "occupied": profile.occupied}
        stored[name] = {**sizes, "passes": passes}
    rows = (f'"{name}": {json.dumps(each)}' for name, each in stored.items())
    PROFILES.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def table() -> list[str]:
    """A row for each point, in Markdown."""
    rows = [
        "| program | graph | GPUs | one, measured | one, model | several, measured | model | off by | model alone |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for point in POINTS:
        said = predicted(point)
        several = said.several.seconds * 1e3
        cells = (
            f"{point.program}{', ' + point.note if point.note else ''}", point.graph, point.gpus, point.one,
            f"{said.one_alone:.3g}", point.measured, f"{several:.3g}", f"{several / point.measured - 1:+.0%}",
            f"{said.several_alone:.3g}",
        )  # fmt: skip
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return rows


def large_table() -> list[str]:
    """A row for each program and way on a graph of 10¹² edges, in Markdown: seconds, and the memory of a GPU."""
    rows = [
        "| program | 1,024 GPUs exchange | computing | sending | meeting | memory of each |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in ("pagerank", "bfs", "sssp", "k_core"):
        of_gpus, plan = plan_for(name), cpu.plan_of(compile_file(name).ir, workers=True)
        profile = stored_profile(name).scaled(*LARGE)
        for grid, way in ((False, "with all others"), (True, "along rows and columns (not built)")):
            time = workers.predict(plan, of_gpus, profile, WORKERS, grid=grid)
            held = memory.of_worker(plan, *LARGE, WORKERS, grid=grid)
            seconds = (f"{float(f'{each:.2g}'):g} s" for each in (time.computing, time.sending, time.meeting))
            rows.append(f"| {' | '.join((name, way, *seconds, f'{held / 1e9:,.0f} GB'))} |")
    return rows


def main() -> None:
    """The tables, after walking if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walk", type=int, metavar="SCALE", help="run the programs on rmat:SCALE first")
    words = parser.parse_args()
    if words.walk:
        walk(words.walk)
    print("\n".join((*table(), "", *large_table())))


if __name__ == "__main__":
    main()
