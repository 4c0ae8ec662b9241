"""What is run: programs with what they are given, how their results are checked, and the numbers to reach.

A further sample is one more entry of `WORKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import gdsl
from bench import checks
from bench import library_checks as library
from bench import program_checks as programs
from bench.graphs import BenchmarkGraph

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
PROGRAMS = ROOT / "bench" / "programs"
ITERATIONS = 20
"""Iterations of PageRank, whatever its error."""
DAMPING = 0.85

# The last one is the source: a vertex where the work takes one, else None.
Values = Callable[[BenchmarkGraph, Any], dict[str, Any]]
Check = Callable[[BenchmarkGraph, Any, Any], str | None]
Mask = Callable[[BenchmarkGraph, Any, Any], Any]


@dataclass(frozen=True)
class Work:
    """A program with the way it is run.

    name: what its rows begin with.
    check: what is wrong with a result (a mapping of names to arrays of the graph's module), or None.
    values: what the program is given on a graph and, where `takes_source` says so, from a source.
    directed: its rows are directed graphs.
    reached: a mask of the vertices whose edges count in the edge rate; without it all do.
    answer: one number of the result that peers find too, within the relative `tolerance`; where `more_is_better`, a
    quality such as a modularity, ours may be larger by any amount.
    note: what is told beside the time.
    unit: "ms" or "ms an iteration".
    to_reach, targets: milliseconds on one H200 by graph, the best that is known and what a release must not fall
    behind on the way there; docs/lab/measured.md says where they come from.
    """

    name: str
    program: Path
    check: Check
    values: Values = lambda graph, source: {}
    takes_source: bool = False
    directed: bool = False
    reached: Mask | None = None
    answer: Callable[[BenchmarkGraph, Any], float] | None = None
    tolerance: float = 0.0
    more_is_better: bool = False
    note: Callable[[Any], str] | None = None
    unit: str = "ms"
    to_reach: Mapping[str, float] = field(default_factory=dict)
    targets: Mapping[str, float] = field(default_factory=dict)


def check_bfs(graph: BenchmarkGraph, result: Any, source: int) -> str | None:
    """Distances, then parents."""
    return checks.check_levels(graph, source, result["distance"]) or checks.check_parents(
        graph, source, result["distance"], result["parent"]
    )


def check_pagerank(graph: BenchmarkGraph, result: Any, _: None) -> str | None:
    """As many iterations as were asked for, unless the last one has changed nothing, and the ranks after these."""
    if result.iterations != ITERATIONS and result["error"] > 0:
        return f"{result.iterations} iterations instead of {ITERATIONS}"
    return checks.check_ranks(graph, result["rank"], checks.iterated_ranks(graph, DAMPING, ITERATIONS))


def labels(graph: BenchmarkGraph, result: Any) -> float:
    """How many components there are."""
    return float(graph.module.unique(result["component"]).size)


def colored(graph: BenchmarkGraph) -> Any:
    """The coloring of `samples/coloring.gdsl`, as the graph's module has arrays."""
    backend = "cpu" if graph.module is np else "cuda"
    return gdsl.samples.coloring.run(graph.graph, backend=backend)["color"]


def sink_of(graph: BenchmarkGraph, source: int) -> int:
    """Where a flow from `source` goes: the vertex of most edges, of these the first; another one where that is it."""
    degrees = graph.module.diff(graph.offsets)
    degrees[source] = -1
    return int(degrees.argmax())


def _paths(
    name: str,
    folder: Path,
    costs: str,
    check: Check,
    to_reach: Mapping[str, float] | None = None,
    targets: Mapping[str, float] | None = None,
) -> Work:
    """A work on the least costs from a source along the graph's weights; `costs` is the result that has them, inf where
    no path leads, and `check` takes it as it is."""
    return Work(
        name,
        folder / f"{name}.gdsl",
        lambda graph, result, source: check(graph, source, result[costs]),
        values=lambda graph, source: {"weight": graph.weights, "source": source},
        takes_source=True,
        reached=lambda graph, result, source: graph.module.isfinite(result[costs]),
        to_reach=to_reach or {},
        targets=targets or {},
    )


_ALL = (
    Work(
        "bfs",
        SAMPLES / "bfs.gdsl",
        check_bfs,
        values=lambda graph, source: {"source": source},
        takes_source=True,
        reached=lambda graph, result, source: result["distance"] >= 0,
        to_reach={"rmat22": 0.28, "grid3000": 16.0, "rmat24": 0.75},
        targets={"rmat22": 0.8, "grid3000": 40.0},
    ),
    Work(
        "bfs_distances",
        PROGRAMS / "bfs_distances.gdsl",
        lambda graph, result, source: checks.check_levels(graph, source, result["distance"]),
        values=lambda graph, source: {"source": source},
        takes_source=True,
        reached=lambda graph, result, source: result["distance"] >= 0,
        to_reach={"rmat22": 0.28, "grid3000": 16.0, "rmat24": 0.75},
        targets={"rmat22": 0.8, "grid3000": 40.0},
    ),
    _paths("sssp", SAMPLES, "distance", checks.check_shortest, {"rmat22": 2.0, "grid3000": 24.0}, {"rmat22": 10.0}),
    _paths("fares", PROGRAMS, "fare", checks.check_fares),
    Work(
        "pagerank",
        SAMPLES / "pagerank.gdsl",
        check_pagerank,
        values=lambda graph, source: {"damping": DAMPING, "tolerance": 0.0, "max_iterations": ITERATIONS},
        unit="ms an iteration",
        to_reach={"rmat22": 0.66, "grid3000": 0.12},
        targets={"rmat22": 1.6},
    ),
    Work(
        "components",
        SAMPLES / "connected_components.gdsl",
        lambda graph, result, source: checks.check_components(graph, result["component"]),
        answer=labels,
        to_reach={"rmat22": 1.0, "grid3000": 1.15},
        targets={"rmat22": 3.8, "grid3000": 5.0},
    ),
    Work(
        "triangles",
        SAMPLES / "triangle_count.gdsl",
        lambda graph, result, source: library.check_triangles(graph, result["triangles"]),
        answer=lambda graph, result: float(result["triangles"]),
        to_reach={"rmat22": 90.0},
        targets={"rmat22": 200.0},
    ),
    Work(
        "betweenness",
        SAMPLES / "betweenness.gdsl",
        lambda graph, result, source: library.check_dependencies(graph, source, result["centrality"]),
        values=lambda graph, source: {"sources": [source]},
        takes_source=True,
        reached=lambda graph, result, source: library.hop_distances(graph, source) >= 0,
        answer=lambda graph, result: float(result["centrality"].sum()),
        tolerance=1e-6,
        to_reach={"rmat22": 2.0, "grid3000": 40.0},
        targets={"rmat22": 5.0, "grid3000": 100.0},
    ),
    Work(
        "k_core",
        SAMPLES / "k_core.gdsl",
        lambda graph, result, source: library.check_cores(graph, result["core"]),
        answer=lambda graph, result: float(result["core"].sum()),
        note=lambda result: f"largest core number {result['largest']}",
        to_reach={"rmat22": 20.0},
        targets={"rmat22": 60.0},
    ),
    Work(
        "maximal_independent_set",
        SAMPLES / "maximal_independent_set.gdsl",
        lambda graph, result, source: library.check_independent_set(graph, result["chosen"]),
        note=lambda result: f"{int(result['chosen'].sum()):,} vertices",
        to_reach={"rmat22": 0.5, "grid3000": 0.75},
        targets={"rmat22": 1.5, "grid3000": 2.0},
    ),
    Work(
        "coloring",
        SAMPLES / "coloring.gdsl",
        lambda graph, result, source: library.check_coloring(graph, result["color"]),
        note=lambda result: f"{int(result['color'].max()) + 1} colors",
        to_reach={"rmat22": 15.0, "grid3000": 0.75},
        targets={"rmat22": 40.0, "grid3000": 3.0},
    ),
    Work(
        "fewer_colors",
        SAMPLES / "fewer_colors.gdsl",
        lambda graph, result, source: library.check_coloring(graph, result["color"]),
        values=lambda graph, source: {"given": colored(graph)},
        note=lambda result: f"{int(result['colors'])} colors",
    ),
    Work(
        "minimum_spanning_forest",
        SAMPLES / "minimum_spanning_forest.gdsl",
        lambda graph, result, source: library.check_forest(graph, result["total"], result["chosen"]),
        values=lambda graph, source: {"weight": graph.weights},
        answer=lambda graph, result: float(result["total"]),
        to_reach={"rmat22": 12.0, "grid3000": 7.0},
        targets={"rmat22": 40.0, "grid3000": 20.0},
    ),
    Work(
        "strongly_connected_components",
        SAMPLES / "strongly_connected_components.gdsl",
        lambda graph, result, source: library.check_strong_components(graph, result["component"]),
        directed=True,
        answer=labels,
        to_reach={"one_way_grid2000": 15.0, "directed_rmat22": 1.2},
        targets={"one_way_grid2000": 60.0, "directed_rmat22": 25.0},
    ),
    Work(
        "max_flow",
        SAMPLES / "max_flow.gdsl",
        lambda graph, result, source: library.check_flow(
            graph, source, sink_of(graph, source), result["flow"], result["carried"]
        ),
        values=lambda graph, source: {
            "capacity": graph.weights.astype(np.int64),
            "source": source,
            "sink": sink_of(graph, source),
        },
        takes_source=True,
        answer=lambda graph, result: float(result["flow"]),
        note=lambda result: f"a flow of {int(result['flow']):,}",
    ),
    Work(
        "louvain",
        SAMPLES / "louvain.gdsl",
        lambda graph, result, source: library.check_communities(graph, result["community"], result["modularity"]),
        values=lambda graph, source: {"weight": graph.module.ones(graph.num_edges, np.float32)},
        answer=lambda graph, result: float(result["modularity"]),
        tolerance=0.1,
        more_is_better=True,
        note=lambda result: f"modularity {result['modularity']:.4f} of {result['communities']:,} communities",
        to_reach={"rmat22": 300.0, "grid3000": 60.0},
        targets={"rmat22": 1200.0, "grid3000": 250.0},
    ),
    Work(
        "leiden",
        SAMPLES / "leiden.gdsl",
        lambda graph, result, source: library.check_communities(graph, result["community"], result["modularity"]),
        values=lambda graph, source: {"weight": graph.module.ones(graph.num_edges, np.float32)},
        answer=lambda graph, result: float(result["modularity"]),
        tolerance=0.1,
        more_is_better=True,
        note=lambda result: f"modularity {result['modularity']:.4f} of {result['communities']:,} communities",
    ),
    Work(
        "label_propagation",
        SAMPLES / "label_propagation.gdsl",
        lambda graph, result, source: programs.check_votes(graph, result["label"], result["unsettled"]),
        note=lambda result: f"{result['communities']:,} communities",
    ),
    _paths("delta_stepping", PROGRAMS, "distance", checks.check_shortest),
    Work(
        "cascade",
        PROGRAMS / "cascade.gdsl",
        lambda graph, result, source: programs.check_heard(graph, source, result["heard"]),
        values=lambda graph, source: {"source": source},
        takes_source=True,
        reached=lambda graph, result, source: result["heard"] >= 0,
    ),
    Work("collatz", PROGRAMS / "collatz.gdsl", lambda graph, result, _: programs.check_steps(graph, result["steps"])),
    Work(
        "opinions",
        PROGRAMS / "opinions.gdsl",
        lambda graph, result, _: programs.check_opinions(graph, result["opinion"]),
    ),
    Work("erosion", PROGRAMS / "erosion.gdsl", lambda graph, result, _: programs.check_erosion(graph, result["gone"])),
    Work(
        "balanced_triangles",
        PROGRAMS / "balanced_triangles.gdsl",
        lambda graph, result, _: programs.check_balance(graph, result["balanced"], result["unbalanced"]),
        answer=lambda graph, result: float(result["balanced"]),
    ),
    Work("fashion", PROGRAMS / "fashion.gdsl", lambda graph, result, _: programs.check_fashion(graph, result["style"])),
)
WORKS = {work.name: work for work in _ALL}
