"""What `gdsl.clusters.model` says beside what was measured on several GPUs: ``python -m bench.predictions``.

A second table has what it says of four GPUs, a third of a graph of 10¹² edges on 1,024. What the programs walk is
stored in profiles.json. ``--trace GRAPH`` runs them on one GPU on a graph of the benchmarks first, ``--walk SCALE`` on
the CPU on rmat:SCALE: measured points on graphs that were not traced take their shares from there. ``--only`` names
programs.
"""

from __future__ import annotations

import argparse
import dataclasses

from bench.graphs import KNOWN_SIZES
from bench.profiles import plan_for, stored_profile, trace, walk
from gdsl.api.compiling import compile_file
from gdsl.backends import cpu
from gdsl.clusters.model import gpus, memory, workers
from gdsl.clusters.model.profile import Profile, class_of, of_one_pass
from gdsl.plan.nodes import Plan

_BY_HAND = "by hand"
"""Points with this note are a part of a run."""
LARGE, WORKERS = (1 << 36, 10**12), 1024
"""Vertices and edges of a graph for so many GPUs."""
_OCCUPIED = {"rmat24": 0.529, "rmat26": 0.489}
"""The share of vertices that have edges."""
_SIZES = {**KNOWN_SIZES, "rmat27": (134217728, 4223272936), "rgg16000000": (16000000, 191936320)}
NARROW = ("rgg16000000",)
"""Graphs without hubs. A program whose profile is not stored runs each operator on all vertices and edges, PageRank in
20 iterations."""


@dataclasses.dataclass(frozen=True)
class Point:
    """Milliseconds of a program on a number of H200s of one host, and on one of them. without: the passes that the plan
    was built without. left: whether later runs are left to one."""

    program: str
    graph: str
    gpus: int
    one: float
    measured: float
    note: str = ""
    without: tuple[str, ...] = ()
    left: bool = False

    @property
    def name(self) -> str:
        """The program, and what its plan was built without."""
        return self.program + " without " * bool(self.without) + " and ".join(f"`{each}`" for each in self.without)


POINTS = (
    Point("pagerank", "rmat24", 2, 10.57, 5.17, "an iteration of kernels by hand"),
    Point("pagerank", "rmat24", 4, 10.57, 2.84, "an iteration of kernels by hand"),
    Point("pagerank", "rmat26", 2, 310.4, 162.5, "20 iterations"),
    Point("sssp", "rmat26", 2, 52.7, 30.2),
    Point("sssp", "rmat24", 2, 10.6, 6.80),
    Point("bellman_ford", "rmat24", 2, 28.3, 15.9),
    Point("bfs", "rmat27", 2, 5.46, 3.35),
    Point("bfs", "rmat26", 2, 2.89, 1.77),
    Point("bfs", "rmat24", 2, 0.710, 0.624),
    Point("bfs", "rmat26", 2, 2.94, 3.22, without=("proposals",)),
    Point("connected_components", "rmat26", 2, 3.00, 2.80),
    Point("connected_components", "rmat24", 2, 0.717, 0.838),
    Point("k_core", "rmat24", 2, 31.4, 72.3, left=True),
    Point("triangle_count", "rmat24", 2, 305.5, 156.1),
    Point("pagerank", "rgg16000000", 2, 9.51, 7.46, "20 iterations"),
    Point("triangle_count", "rgg16000000", 2, 3.38, 1.81),
    Point("bfs", "rgg16000000", 2, 18.7, 28.7, left=True),
    Point("sssp", "rgg16000000", 2, 45.9, 88.3, left=True),
)
FOUR = (
    ("pagerank", "rmat26", 312.7, 3.3),
    ("pagerank", "rmat27", 626, 3.3),
    ("pagerank", "rgg16000000", 9.51, 3.3),
    ("bfs", "rmat26", 2.90, 2.5),
    ("bfs", "rmat27", 5.46, 2.5),
    ("connected_components", "rmat26", 3.00, 2.5),
    ("connected_components", "rmat27", 6.00, 2.5),
    ("connected_components", "rgg16000000", 1.04, 2.5),
    ("sssp", "rmat26", 53.6, 2.0),
    ("sssp", "rmat27", 107, 2.0),
)
"""What nobody has measured: program, graph, milliseconds of one GPU, and how many times as fast four should be. On
rmat27, one GPU is taken to need twice as long as on rmat26, but for BFS, which was measured."""


@dataclasses.dataclass(frozen=True)
class Predicted:
    """Milliseconds as the model says: on several GPUs given the measured time of one, and without anything measured.
    left: whether later runs are left to one."""

    several: gpus.Time
    one_alone: float
    several_alone: float
    left: bool


def predicted(point: Point) -> Predicted:
    """What the model says of a point."""
    plan = plan_for(point.program, point.without)
    profile = profile_of(plan, point)
    plan = plan_for(point.program, point.without, class_of(plan, profile))
    alone = [gpus.total(gpus.predict(plan, profile, count)).seconds * 1e3 for count in (1, point.gpus)]
    several = gpus.total(gpus.predict(plan, profile, point.gpus, one=point.one / 1e3))
    if _BY_HAND in point.note:
        several = dataclasses.replace(several, launch=0.0)
    return Predicted(several, alone[0], alone[1], gpus.is_left_to_one(several, point.one / 1e3, profile))


def profile_of(plan: Plan, point: Point) -> Profile:
    """What a point's run walked on one GPU, or by shares of a smaller graph; an iteration by hand has nothing but
    itself."""
    vertices, edges = _SIZES[point.graph]
    whole = of_one_pass(plan, vertices, edges)
    if _BY_HAND in point.note:
        return dataclasses.replace(whole, passes=tuple(each for each in whole.passes if each.edges))
    stored = stored_profile(point.program, point.graph)
    if point.graph in NARROW and stored is None:
        times = 20 if point.program == "pagerank" else 1
        passes = tuple(dataclasses.replace(each, times=times) for each in whole.passes)
        return dataclasses.replace(whole, passes=passes, skewed=False)
    if stored is not None:
        return stored
    like = "rmat26" if point.graph == "rmat27" else point.graph
    stored, smaller = stored_profile(point.program, like), stored_profile(point.program)
    assert smaller is not None
    of_like = stored or smaller.scaled(*_SIZES[like], occupied=_OCCUPIED[like])
    return of_like if like == point.graph else of_like.scaled(vertices, edges)


def table() -> list[str]:
    """A row for each point, in Markdown."""
    rows = [
        "| program | graph | GPUs | one, measured | one, model | several, measured | model | off by | model alone "
        "| later runs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for point in POINTS:
        said = predicted(point)
        several = said.several.seconds * 1e3
        cells = (
            f"{point.name}{', ' + point.note if point.note else ''}", point.graph, point.gpus, point.one,
            f"{said.one_alone:.3g}", point.measured, f"{several:.3g}", f"{several / point.measured - 1:+.0%}",
            f"{said.several_alone:.3g}", "on one GPU" if said.left else "",
        )  # fmt: skip
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return rows


def four_table() -> list[str]:
    """A row for each program and graph on four GPUs, in Markdown, with what takes the time."""
    rows = [
        "| program | graph | one GPU | two, model | four, model | times as fast | goal | own work | copies | rest |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for program, graph, one, goal in FOUR:
        two, four = (predicted(Point(program, graph, count, one, 0.0, "20 iterations")).several for count in (2, 4))
        parts = (four.own, four.copies, four.far + four.barriers + four.results + four.launch)
        shares = (f"{part / four.seconds:.0%}" for part in parts)
        times = (f"{time.seconds * 1e3:.3g}" for time in (two, four))
        faster = one / (four.seconds * 1e3)
        cells = program, graph, one, *times, f"{faster:.2f}", goal, *shares
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
        smaller = stored_profile(name)
        assert smaller is not None
        profile = smaller.scaled(*LARGE)
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
    parser.add_argument("--trace", action="append", metavar="GRAPH", default=[], help="run them on a GPU on it first")
    parser.add_argument("--only", action="append", metavar="PROGRAM", default=[], help="of them, only this one")
    words = parser.parse_args()
    if words.walk:
        walk(words.walk, words.only)
    for name in words.trace:
        trace(name, words.only)
    print("\n".join((*table(), "", *four_table(), "", *large_table())))


if __name__ == "__main__":
    main()
