"""Graphs that the schedule makes: k-truss against NetworkX, contractions against sums written out, a program that does
everything with them against the reference, and what is refused."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from support.graphs import make_graph, named_graphs, random_graph

import gdsl
from gdsl.backends.cuda import nvrtc, source_text
from gdsl.diagnostics import GdslError
from gdsl.operations import Grade
from gdsl.pipeline import load

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
EVERYTHING = (Path(__file__).parent / "support" / "made_graphs.gdsl").read_text(encoding="utf-8")
FURTHER = (Path(__file__).parent / "support" / "made_graphs_further.gdsl").read_text(encoding="utf-8")

K_TRUSS = """program k_truss;
requires symmetric, simple;
problem {
    param k : int32 = 4;
    edge inside : bool;
    edge support : int32;
    scalar left : int64;
    scalar before : int64 = -1;
}
edge functor count(src, dst, e) {
    apply {
        support[e] = 0;
        for u in neighbors(src) { if (has_edge(dst, u)) { support[e] += 1; } }
    }
}
edge functor strong(src, dst, e) { cond support[e] >= k - 2; }
edge functor keep(src, dst, e) { apply { inside[e] = true; } }
schedule {
    graph h;
    left = num_edges;
    while (left != before) {
        before = left;
        on h {
            compute(edges, count);
            h = subgraph(filter(edges, strong));
        }
        on h { left = num_edges; }
    }
    on h { compute(edges, keep); }
}
"""

QUOTIENT = """program quotient;
problem {
    input vertex group : %(label)s;
    input edge given : %(weight)s;
    vertex label : %(label)s = group[id];
    edge weight : %(weight)s = given[id];
    vertex degree : int32;
    vertex loops : %(weight)s;
    edge source : vertex;
    edge target : vertex;
    scalar n : int64;
    scalar m : int64;
}
vertex functor measure(v) { apply { degree[v] = out_degree(v) + 1000 * in_degree(v); } }
edge functor ends(src, dst, e) { apply { source[e] = src; target[e] = dst; } }
edge functor inner(src, dst, e) { cond src == dst; apply { loops[src] += weight[e]; } }
schedule {
    graph h = contract(label, weight);
    on h {
        n = num_vertices;
        m = num_edges;
        compute(vertices, measure);
        compute(edges, ends);
        advance(vertices, inner, to=none);
    }
}
"""


@cache
def compiled(text: str, *tune: str) -> gdsl.Program:
    return gdsl.compile(text, tune=tune)


def values(program: gdsl.Program, graph: gdsl.Graph, backend: str, given: dict[str, Any]) -> dict[str, Any]:
    result = program.run(graph, given, backend=backend)
    scalars = {name: np.asarray(value) for name, value in result.numbers().items()}
    return {**result.host_arrays(), **scalars}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [3, 4, 5])
def test_k_truss(backend: str, k: int) -> None:
    for seed in range(4):
        wanted = nx.gnm_random_graph(24, 90 + 20 * seed, seed=seed)
        graph = gdsl.Graph.from_networkx(wanted)
        result = compiled(K_TRUSS).run(graph, {"k": k}, backend=backend)
        source, target = graph.edges
        inside = result.host_arrays()["inside"]
        found = {(int(u), int(v)) for u, v in zip(source[inside], target[inside], strict=True)}
        truss = nx.k_truss(wanted, k)
        assert found == {pair for u, v in truss.edges for pair in ((u, v), (v, u))}
        assert result["left"] == 2 * truss.number_of_edges()


@pytest.mark.sampled(21)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("label", "weight"), [("int32", "int64"), ("uint64", "int32"), ("int64", "float64"), ("vertex", "float32")]
)
def test_contraction(backend: str, label: str, weight: str) -> None:
    program = compiled(QUOTIENT % {"label": label, "weight": weight})
    draw = np.random.default_rng(7)
    for name, graph in named_graphs().items():
        group = draw.integers(0, max(graph.num_vertices // 2, 1), graph.num_vertices)
        if label == "int32":
            group = group * 1000 - 3000
        given = draw.integers(-50, 50, graph.num_edges)
        found = values(program, graph, backend, {"group": group, "given": given})
        numbers = {int(value): place for place, value in enumerate(np.unique(group))}
        of_vertex = [numbers[int(value)] for value in group]
        sums: Counter[tuple[int, int]] = Counter()
        for u, v, own in zip(*graph.edges, given, strict=True):
            sums[of_vertex[u], of_vertex[v]] += int(own)
        pairs = sorted(sums)
        assert (found["n"], found["m"]) == (len(numbers), len(pairs)), name
        assert found["label"].tolist() == of_vertex, name
        assert found["source"][: len(pairs)].tolist() == [u for u, _ in pairs], name
        assert found["target"][: len(pairs)].tolist() == [v for _, v in pairs], name
        assert found["weight"][: len(pairs)].tolist() == [sums[pair] for pair in pairs], name
        assert found["weight"][len(pairs) :].tolist() == given[len(pairs) :].tolist(), name
        out, back = Counter(u for u, _ in pairs), Counter(v for _, v in pairs)
        degrees = [out[v] + 1000 * back[v] for v in range(len(numbers))]
        assert found["degree"].tolist() == degrees + [0] * (graph.num_vertices - len(numbers)), name
        assert found["loops"][: len(numbers)].tolist() == [sums[v, v] for v in range(len(numbers))], name


def drawn(seed: int) -> gdsl.Graph:
    """Self-loops and parallel edges in both directions, or in one."""
    draw = np.random.default_rng(seed)
    count = int(draw.choice([1, 2, 3, 5, 8, 13, 30]))
    edges = [tuple(pair) for pair in draw.integers(0, count, (int(draw.choice([0, 1, 3, 6])) * count, 2)).tolist()]
    edges += [(v, u) for u, v in edges] if seed % 2 else []
    return make_graph(edges, count)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_everything_against_the_reference(backend: str) -> None:
    program = compiled(EVERYTHING)
    for name, graph in {**named_graphs(), **{str(seed): drawn(seed) for seed in range(25)}}.items():
        if graph.num_vertices == 0:
            continue
        wanted, found = (values(program, graph, each, {}) for each in ("reference", backend))
        for each in wanted:
            assert wanted[each].tolist() == found[each].tolist(), (name, each)


def test_sums_are_graded() -> None:
    text = QUOTIENT % {"label": "int32", "weight": "float32"}
    grades = {array.name: array.grade for array in load(text).arrays}
    assert grades["weight"] is Grade.ROUNDING
    assert grades["label"] is Grade.EXACT
    assert {array.grade for array in load(QUOTIENT % {"label": "int32", "weight": "int64"}).arrays} == {Grade.EXACT}


def test_what_hangs_on_the_order_spoils_the_graph() -> None:
    """A subgraph of edges that some writer chose, and what is measured on it."""
    text = """program chosen;
problem { vertex parent : vertex; vertex degree : int32; edge tree : bool; }
edge functor choose(src, dst, e) { apply { parent[dst] any= src; } }
edge functor chosen(src, dst, e) { cond parent[dst] == src; }
vertex functor measure(v) { apply { degree[v] = out_degree(v); } }
schedule {
    advance(vertices, choose, to=none);
    graph h = subgraph(filter(edges, chosen));
    on h { compute(vertices, measure); }
}
"""
    grades = {array.name: array.grade for array in load(text).arrays}
    assert grades["degree"] is Grade.NOT_UNIQUE


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_param_beyond_a_contraction(backend: str) -> None:
    text = """program beyond;
problem { param s : vertex; vertex label : int32 = 1; vertex degree : int32; }
vertex functor measure(v) { apply { degree[v] = out_degree(s); } }
schedule { graph h = contract(label); on h { compute(vertices, measure); } }
"""
    graph = random_graph(5, 12, seed=1)
    assert compiled(text).run(graph, {"s": 0}, backend=backend)["degree"][0] == 1
    with pytest.raises(GdslError) as caught:
        compiled(text).run(graph, {"s": 4}, backend=backend)
    assert caught.value.code == "E0801"


def wrong(data: str, schedule: str) -> str:
    return (
        f"program wrong;\nproblem {{ vertex label : int32; edge weight : float32; {data} }}\n"
        "edge functor some(src, dst, e) { cond weight[e] > 1; }\nvertex functor all(v) { apply { label[v] = 1; } }\n"
        f"schedule {{ {schedule} }}\n"
    )


@pytest.mark.parametrize(
    ("data", "schedule", "code"),
    [
        ("vertex real : float32;", "graph h = contract(real, weight);", "E0407"),
        ("vertex flag : bool;", "graph h = contract(flag);", "E0407"),
        ("edge flag : bool;", "graph h = contract(label, flag);", "E0407"),
        ("input edge given : float32;", "graph h = contract(label, given);", "E0214"),
        ("input vertex given : int32;", "graph h = contract(given, weight);", "E0214"),
        ("", "graph h = contract(weight, weight);", "E0402"),
        ("", "graph h = contract(label, label);", "E0402"),
        ("", "graph h = contract(label, weight, weight);", "E0402"),
        ("", "graph h = contract(3, weight);", "E0402"),
        ("", "graph h = subgraph(vertices);", "E0416"),
        ("", "graph h = subgraph();", "E0402"),
        ("", "graph h = edges;", "E0402"),
        ("", "graph h; graph k = h;", "E0402"),
        ("", "on h { }", "E0201"),
        ("", "frontier f; on f { }", "E0402"),
        ("", "graph h; frontier f = h;", "E0403"),
        ("scalar s : int64;", "s = contract(label, weight);", "E0415"),
        ("", "label = subgraph(edges);", "E0415"),
        ("", "compute(h, all); graph h;", "E0201"),
        ("", "{ graph h; } on h { }", "E0101"),
        ("", "graph h; graph h;", "E0202"),
        ("", "graph h; edge frontier e = edges; on h { compute(e, some); }", "E0421"),
        ("", "graph h; edge frontier e = edges; on h { e = filter(e, some); }", "E0421"),
        ("", "graph h = contract(label); frontier f = vertices; on h { compute(f, all); }", "E0421"),
        ("", "graph h = contract(label); frontier f; on h { f = vertices; }", "E0421"),
        ("", "graph h; frontier f; on h { compute(f, all); } h = contract(label);", "E0421"),
        ("", "graph h = contract(label); on h { frontier f; h = contract(label); on h { compute(f, all); } }", "E0421"),
        ("", "graph h = contract(label); graph k; on h { k = subgraph(edges); }", "E0421"),
        ("scalar s : int64;", "graph h = contract(label); frontier f; on h { s = sum(label, f); }", "E0421"),
        ("", "history past; graph h = contract(label); on h { past.push(vertices); }", "E0421"),
        ("", "buckets b(label, 2) = vertices; graph h = contract(label); on h { frontier f = b.pop(); }", "E0421"),
        ("", "buckets b(label, 2) = vertices; graph h = contract(label); on h { b.push(vertices); }", "E0421"),
        ("vertex many[3] : int32;", "graph h = contract(many);", "E0424"),
        ("edge many[3] : int32;", "graph h = contract(label, many);", "E0424"),
    ],
)
def test_what_is_refused(data: str, schedule: str, code: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(wrong(data, schedule))
    assert code in {each.code for each in caught.value.diagnostics}, str(caught.value)
    assert all(each.span is not None for each in caught.value.diagnostics)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "schedule",
    [
        "graph h; frontier f = vertices; on h { compute(f, all); f = where(all); }",
        "graph h = subgraph(edges); history past; on h { past.push(vertices); }"
        " for f in backward(past) { compute(f, all); }",
        "graph h = contract(label, weight); on h { on h { h = subgraph(edges); } on h { compute(vertices, all); } }",
        "graph h; if (num_edges > 3) { h = subgraph(filter(edges, some)); } on h { compute(vertices, all); }",
        "frontier f; graph h; repeat (2) {"
        " on h { frontier f2 = f; graph k = contract(label); on k { label = number(vertices); } } }",
    ],
)
def test_what_is_accepted(schedule: str) -> None:
    text = wrong("", schedule)
    graph = random_graph(9, 30, seed=2)
    wanted, found = (values(compiled(text), graph, each, {}) for each in ("reference", "cpu"))
    assert all(wanted[name].tolist() == found[name].tolist() for name in wanted)


@pytest.mark.parametrize("part", ["graph h;", "on h { }", "graph h = subgraph(edges);"])
def test_a_functor_makes_no_graph(part: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(f"program wrong;\nvertex functor f(v) {{ apply {{ {part} }} }}\nschedule {{ compute(vertices, f); }}\n")
    assert [each.code for each in caught.value.diagnostics] == ["E0221"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tune", "ids"),
    [
        (("schedule.fuse=off",), 32),
        *(
            pytest.param(*each, marks=pytest.mark.thorough)
            for each in [((), 32), ((), 64), (("schedule.fuse=off",), 64)]
        ),
    ],
)
def test_nvrtc_compiles_it(tune: tuple[str, ...], ids: int) -> None:
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")
    assert nvrtc.compile_to_cubin(source_text(load(EVERYTHING, tune), ids), "sm_80").startswith(b"\x7fELF")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ids", [32, 64])
@pytest.mark.slow
def test_nvrtc_takes_it_as_one_kernel(ids: int) -> None:
    """Up to the assembler, which takes the longest of all over kernels of many operators."""
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")
    assert ".entry gdsl_" in nvrtc.compile_to_ptx(source_text(load(EVERYTHING), ids), "sm_80")


@pytest.mark.slow
def test_nvrtc_takes_it_as_several_kernels_with_wide_ids() -> None:
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")
    unfused = load(EVERYTHING, ("schedule.fuse=off",))
    assert ".entry gdsl_" in nvrtc.compile_to_ptx(source_text(unfused, 64), "sm_80")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_votes_common_neighbors_and_buckets(backend: str) -> None:
    program = compiled(FURTHER)
    for name, graph in {"random": random_graph(30, 160, seed=3), "sparse": random_graph(60, 90, seed=4)}.items():
        wanted, found = (values(program, graph, each, {}) for each in ("reference", backend))
        for each in wanted:
            assert wanted[each].tolist() == found[each].tolist(), (name, each)
