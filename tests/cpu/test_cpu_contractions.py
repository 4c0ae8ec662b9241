"""Contractions on the cpu backend: runs of edges that are cut into parts, labels of every kind, and edges in order of
their ids wherever no graph leaves any out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.graph import Graph
from gdsl.pipeline import load
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, run
from tests.support.graphs import make_graph, random_graph

QUOTIENT = """program quotient;
problem {
    input vertex group : %(label)s;
    input edge given : %(weight)s;
    vertex label : %(label)s = group[id];
    edge weight : %(weight)s = given[id];
    edge source : vertex;
    edge target : vertex;
    scalar n : int64;
    scalar m : int64;
}
schedule {
    graph h = contract(label%(sums)s);
    on h {
        n = num_vertices;
        m = num_edges;
        compute(edges, (src, dst, e) => { source[e] = src; target[e] = dst; });
    }
}
"""

IN_ORDER = """program in_order;
problem {
    input vertex group : int32;
    vertex label : int32 = group[id];
    edge weight : int64 = int64(id) % 5 + 1;
    vertex later : int64;
    vertex first : vertex;
    vertex into : int64;
    edge stood : int32;
    edge back : edge;
    edge numbered : int64;
    edge filled : int32;
    scalar triangles : int64;
    scalar total : int64;
    scalar heavy : int64;
}
edge functor look(src, dst, e) {
    apply {
        stood[e] = place;
        back[e] = reverse(e);
        for u, x in neighbors(dst) { if (u == src) { filled[e] += int32(weight[x]); } }
    }
}
vertex functor ends(v) {
    cond out_degree(v) > 0;
    apply { later[v] = weight[out_edge(v, out_degree(v) - 1)]; first[v] = neighbor(v, 0); }
}
edge functor strong(src, dst, e) { cond weight[e] > 3; }
schedule {
    graph h = contract(label, weight);
    on h {
        fill(filled, 7);
        compute(edges, look);
        compute(vertices, ends);
        numbered = number(edges);
        into = neighbor_reduce(vertices, (src, dst, e) => weight[e], sum, over=in_edges);
        triangles = intersect(edges);
        edge frontier strongest = filter(edges, strong);
        heavy = size(strongest);
        total = sum(weight);
        h = contract(label, weight);
    }
}
"""


def expected(graph: Graph, group: np.ndarray, given: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """How many vertices there are, both ends of each edge, and the sums of weights."""
    labels, of_vertex = np.unique(group, return_inverse=True)
    source, target = (of_vertex[ends] for ends in graph.edges)
    pairs, of_edge = np.unique(np.stack([source, target], axis=1).reshape(-1, 2), axis=0, return_inverse=True)
    sums = np.zeros(len(pairs), given.dtype)
    np.add.at(sums, of_edge.ravel(), given)
    return len(labels), pairs, sums


def groupings(count: int) -> dict[str, np.ndarray]:
    """Labels of `count` vertices: one for all, one for each, a large one among small ones, of any size."""
    draw = np.random.default_rng(count)
    return {
        "one": np.zeros(count, np.int64),
        "own": draw.permutation(count),
        "uneven": np.where(draw.random(count) < 0.6, 1, draw.integers(0, count, count)),
        "high": draw.integers(0, 7, count) * (1 << 55) - (1 << 56),
        "last": np.full(count, count - 1),
    }


def graphs() -> dict[str, Graph]:
    """Lists longer than a part, vertices without edges between others, and many short lists."""
    star = [(0, v) for v in range(1, 150)] + [(v, 0) for v in range(1, 150)]
    apart = [(5, v) for v in range(100, 180)] + [(170, 5)] * 60 + [(199, 0)]
    return {
        "star": make_graph(star, 150),
        "apart": make_graph(apart, 200),
        "random": random_graph(60, 700, seed=2),
        "sparse": random_graph(300, 240, seed=3),
        "edgeless": make_graph([], 9),
    }


@pytest.mark.sampled(4)
@pytest.mark.parametrize("id_bits", [32, 64])
@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
def test_contractions_of_runs_in_parts(sizes: Sizes | None, id_bits: int) -> None:
    text = QUOTIENT % {"label": "int64", "weight": "int64", "sums": ", weight"}
    for name, graph in graphs().items():
        given = np.random.default_rng(1).integers(-(1 << 62), 1 << 62, graph.num_edges)
        for kind, group in groupings(graph.num_vertices).items():
            count, pairs, sums = expected(graph, group, given)
            found: Any = run(text, graph, sizes=sizes, id_bits=id_bits, group=group, given=given).arrays
            edges = len(pairs)
            assert (found["source"][:edges].tolist(), found["target"][:edges].tolist()) == (
                pairs[:, 0].tolist(),
                pairs[:, 1].tolist(),
            ), (name, kind)
            assert found["weight"][:edges].tolist() == sums.tolist(), (name, kind)
            assert found["weight"][edges:].tolist() == given[edges:].tolist(), (name, kind)
            assert found["label"].tolist() == np.unique(group, return_inverse=True)[1].tolist(), (name, kind)
            assert found["label"].max() + 1 == count


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
def test_contractions_without_weights(sizes: Sizes | None) -> None:
    text = QUOTIENT % {"label": "uint32", "weight": "int32", "sums": ""}
    for name, graph in graphs().items():
        given = np.arange(graph.num_edges, dtype=np.int32)
        group = groupings(graph.num_vertices)["uneven"]
        _, pairs, _ = expected(graph, group, given)
        found: Any = run(text, graph, sizes=sizes, group=group, given=given).arrays
        assert found["target"][: len(pairs)].tolist() == pairs[:, 1].tolist(), name
        assert found["weight"].tolist() == given.tolist(), name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
@pytest.mark.slow
def test_sums_of_floats_are_the_same_in_each_run(sizes: Sizes | None) -> None:
    text = QUOTIENT % {"label": "vertex", "weight": "float32", "sums": ", weight"}
    graph = random_graph(80, 3000, seed=9)
    given = np.random.default_rng(4).random(graph.num_edges).astype(np.float32) * 1e6
    group = np.random.default_rng(5).integers(0, 4, graph.num_vertices)
    once, again = (run(text, graph, sizes=sizes, group=group, given=given).arrays["weight"] for _ in range(2))
    _, pairs, sums = expected(graph, group, given.astype(np.float64))
    assert once.tolist() == again.tolist()
    assert np.allclose(once[: len(pairs)], sums, rtol=1e-4)


@pytest.mark.slow
def test_a_part_ends_where_it_may() -> None:
    """Every number of places before a run, so that parts end before, in and right behind it."""
    text = QUOTIENT % {"label": "int64", "weight": "int64", "sums": ", weight"}
    for before in range(20, 45):
        graph = make_graph([(0, v % 5) for v in range(before)] + [(1, v % 7) for v in range(40)] + [(3, 2)] * 5, 7)
        given = np.arange(graph.num_edges, dtype=np.int64) ** 2
        group = np.array([0, 1, 2, 3, 3, 3, 1])
        _, pairs, sums = expected(graph, group, given)
        found = run(text, graph, sizes=SMALL, group=group, given=given).arrays["weight"]
        assert found[: len(pairs)].tolist() == sums.tolist(), before


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
@pytest.mark.slow
def test_lists_in_the_order_of_ids(sizes: Sizes | None) -> None:
    program = gdsl.compile(IN_ORDER)
    ready = CpuBackend(sizes).build(load(IN_ORDER), 32)
    assert "Edge ids that equal positions, without an array" in ready.generated.text
    for graph in graphs().values():
        group = np.random.default_rng(6).integers(0, max(2, graph.num_vertices // 3), graph.num_vertices)
        wanted = program.run(graph, {"group": group}, backend="reference")
        found = run(IN_ORDER, graph, sizes=sizes, group=group)
        for name in wanted:
            value = found.arrays.get(name, found.scalars.get(name))
            assert np.asarray(value).tolist() == np.asarray(wanted[name]).tolist(), name


@pytest.mark.slow
def test_the_least_weight_of_runs_in_parts() -> None:
    text = QUOTIENT % {"label": "int64", "weight": "int64", "sums": ", weight, min"}
    graph = random_graph(60, 700, seed=2)
    given = np.random.default_rng(1).integers(-1000, 1000, graph.num_edges)
    for kind, group in groupings(graph.num_vertices).items():
        source, target = (np.unique(group, return_inverse=True)[1][ends] for ends in graph.edges)
        least: dict[tuple[int, int], int] = {}
        for u, v, own in zip(source.tolist(), target.tolist(), given.tolist(), strict=True):
            least[u, v] = min(least.get((u, v), own), own)
        found = run(text, graph, sizes=SMALL, group=group, given=given).arrays["weight"]
        assert found[: len(least)].tolist() == [least[pair] for pair in sorted(least)], kind
