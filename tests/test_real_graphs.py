"""The samples on real graphs: against SciPy, and against the answers that are known of each graph.

GDSL_TEST_GRAPHS names the directory; without it these tests are skipped and say so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from tests.oracles import BY_NAME, LIBRARY, SAMPLES
from tests.oracles.case import Answers, Values, distinct

DIRECTORY = Path(os.environ.get("GDSL_TEST_GRAPHS") or "unset")
KNOWN: dict[str, dict[str, Any]] = {}
if (DIRECTORY / "reference.json").exists():
    KNOWN = json.loads((DIRECTORY / "reference.json").read_text(encoding="utf-8"))["graphs"]
FILES = {path.name.removesuffix(".xz").removesuffix(".mtx"): path for path in sorted(DIRECTORY.glob("*.mtx*"))}
LINES = {known["file"].removesuffix(".xz").removesuffix(".mtx"): known["entries"] for known in KNOWN.values()}
EVERYTHING = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
MOST_LINES = {"reference": 30_000}
MOST_LINES_OF_PAGERANK = {"reference": 3_000}
MID_SIZED = [name for name in FILES if name in ("facebook_combined", "wiki-Vote", "rome99")]

pytestmark = [
    pytest.mark.graphs,
    pytest.mark.skipif(not FILES, reason="GDSL_TEST_GRAPHS does not name the directory of the real graphs"),
]


def by_graph(most_lines: int | None = None) -> pytest.MarkDecorator:
    """A test for every file, the small ones first; one that is skipped where there are none."""
    names = sorted(FILES, key=lambda name: LINES.get(name, 0))
    return pytest.mark.parametrize("name", [n for n in names if not most_lines or LINES[n] <= most_lines] or ["none"])


@lru_cache(maxsize=2)
def graph_of(name: str) -> gdsl.Graph:
    return gdsl.Graph.read(FILES[name])


@lru_cache(maxsize=1)
def undirected_graph_of(name: str) -> gdsl.Graph:
    return gdsl.Graph.read(FILES[name], undirected=True)


def known_of(name: str) -> dict[str, Any]:
    """What reference.json says of a graph."""
    return next(k for k in KNOWN.values() if k["file"].removesuffix(".xz").removesuffix(".mtx") == name)


@cache
def compiled(name: str, *tune: str) -> gdsl.Program:
    return gdsl.compile(BY_NAME[name].path, tune=tune)


def answers_of(program: str, graph: gdsl.Graph, values: Values, backend: str, *tune: str) -> Answers:
    """Run a program and check what it answers by its oracle."""
    result = compiled(program, *tune).run(graph, values, backend=backend)
    answers = {**result.scalars, **result.host_arrays()}
    BY_NAME[program].check(graph, values, answers)
    return answers


def sources_of(name: str) -> dict[str, int]:
    """The sources that reference.json has answers for: vertex 0 and the first one with most edges."""
    known = known_of(name)
    return {start: known[f"bfs_{start}"]["source"] for start in ("v0", "hub")}


def check_bfs(name: str, backend: str, *tune: str) -> None:
    for start, source in sources_of(name).items():
        distance = answers_of("bfs", graph_of(name), {"source": source}, backend, *tune)["distance"]
        found = distance[distance >= 0]
        known = known_of(name)[f"bfs_{start}"]
        assert len(found) == known["reached"]
        assert found.max() == known["max_level"]
        assert found.sum(dtype=np.int64) == known["sum_levels"]


def check_sssp(name: str, backend: str, *tune: str) -> None:
    """With the file's weights, where they are not negative, and with random ones."""
    graph, known = graph_of(name), known_of(name)
    for start, source in sources_of(name).items():
        if f"sssp_{start}" in known:
            weight = graph.attributes["weight"].astype(np.float32)
            distance = answers_of("sssp", graph, {"source": source, "weight": weight}, backend, *tune)["distance"]
            found = distance[np.isfinite(distance)].astype(np.float64)
            assert len(found) == known[f"sssp_{start}"]["reached"]
            assert found.max() == pytest.approx(known[f"sssp_{start}"]["max_dist"], rel=1e-5)
            assert found.sum() == pytest.approx(known[f"sssp_{start}"]["sum_dist"], rel=1e-5)
    weight = np.random.default_rng(7).integers(1, 64, graph.num_edges).astype(np.float32)
    answers_of("sssp", graph, {"source": sources_of(name)["hub"], "weight": weight}, backend, *tune)


def check_components(name: str, backend: str, *tune: str) -> None:
    component = answers_of("connected_components", graph_of(name), {}, backend, *tune)["component"]
    sizes = np.unique(component, return_counts=True)[1]
    assert (len(sizes), sizes.max()) == (known_of(name)["wcc"]["count"], known_of(name)["wcc"]["largest"])


def check_pagerank(name: str, backend: str, *tune: str) -> None:
    rank = answers_of("pagerank", graph_of(name), {}, backend, *tune)["rank"].astype(np.float64)
    known = known_of(name)["pagerank"]
    for vertex, value in known["top5"]:
        assert rank[vertex] == pytest.approx(value, rel=1e-3, abs=1e-6)
    assert (rank**2).sum() == pytest.approx(known["sum_of_squares"], rel=1e-3)


@lru_cache(maxsize=1)
def simple_graph_of(name: str) -> gdsl.Graph:
    """The graph without its directions, loops and parallel edges."""
    graph = graph_of(name)
    one, other = (ends.astype(np.int64) for ends in (graph.edge_sources, graph.columns))
    low, high = np.minimum(one, other), np.maximum(one, other)
    pairs = distinct((low * graph.num_vertices + high)[low != high])
    return gdsl.Graph.from_edges(*divmod(pairs, graph.num_vertices), graph.num_vertices, directed=False)


def check_triangles(name: str, backend: str, *tune: str) -> None:
    """As many as are known, and as many corners as vertices that are marked."""
    graph = simple_graph_of(name)
    found = compiled("triangles", *tune).run(graph, backend=backend)
    known = known_of(name)
    assert graph.num_edges == 2 * known["simple_undirected_edges"]
    assert found["triangles"] == known["triangles"]
    assert found["corners"] == np.count_nonzero(found.host_arrays()["in_triangle"])


CHECKS = {
    "bfs": check_bfs,
    "sssp": check_sssp,
    "connected_components": check_components,
    "pagerank": check_pagerank,
    "triangles": check_triangles,
}


def test_every_sample_is_tested() -> None:
    assert set(CHECKS) == {"triangles", *(case.name for case in SAMPLES)}
    assert set(FILES) == set(LINES)


@pytest.mark.optimized
@pytest.mark.parametrize("program", CHECKS)
@by_graph()
@pytest.mark.sampled(63)
def test_cpu(name: str, program: str) -> None:
    CHECKS[program](name, "cpu")


@pytest.mark.parametrize("program", ["bfs", "sssp", "connected_components", "triangles"])
@by_graph(MOST_LINES["reference"])
@pytest.mark.sampled(25)
def test_reference(name: str, program: str) -> None:
    CHECKS[program](name, "reference")


@by_graph(MOST_LINES_OF_PAGERANK["reference"])
@pytest.mark.sampled(3)
def test_reference_pagerank(name: str) -> None:
    check_pagerank(name, "reference")


@pytest.mark.parametrize("program", CHECKS)
@pytest.mark.parametrize("name", MID_SIZED or ["none"])
@pytest.mark.sampled(5)
def test_cpu_with_wide_ids(name: str, program: str) -> None:
    CHECKS[program](name, "cpu", "schedule.ids=64")


def others() -> Iterator[tuple[str, str]]:
    """Each program on one of the graphs in turn, the smallest for slow oracles; with GDSL_TEST_EXAMPLES=2, or more, the
    library on another one too."""
    names = sorted(MID_SIZED, key=lambda name: LINES.get(name, 0)) or ["none"]
    for turn, program in enumerate(sorted(set(BY_NAME) - {case.name for case in SAMPLES})):
        count, first = 2 if EVERYTHING and BY_NAME[program] in LIBRARY else 1, 0 if BY_NAME[program].slow else turn
        yield from ((names[(first + place) % len(names)], program) for place in range(count))


@pytest.mark.parametrize(("name", "program"), sorted(set(others())))
@pytest.mark.sampled(159)
def test_other_programs(name: str, program: str) -> None:
    """What needs an undirected graph gets the graph without its directions, or the simple one."""
    case, graph = BY_NAME[program], graph_of(name)
    if not case.suits(graph):
        graph = undirected_graph_of(name)
    if not case.suits(graph):
        graph = simple_graph_of(name)
    answers_of(program, graph, case.values(graph, 4), "cpu")


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_negative_weights_are_refused(backend: str) -> None:
    with pytest.raises(gdsl.GdslError, match="weight") as caught:
        compiled("sssp").run(graph_of("bips98_606"), {"source": 0}, backend=backend)
    assert "weight >= 0" in str(caught.value)
