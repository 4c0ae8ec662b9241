"""Samples with weights are exact in the type of these, on every backend: judged by arithmetic of Python's own integers
and fractions, and by NetworkX."""

from __future__ import annotations

import heapq
from fractions import Fraction

import networkx
import numpy as np
import pytest
from emulator import running

import gdsl
from gdsl.binding import bind
from gdsl.pipeline import load
from gdsl.types import TYPE_CLASSES, Type

LARGE = {
    "int32": 2**24 + 1,
    "uint32": 2**31 + 3,
    "int64": 2**53 + 1,
    "uint64": 2**63 + 5,
    "float32": 0.1,
    "float64": 2**25 + 0.1,
}
"""By type a weight that narrower types, and floats of the same width, do not have."""
SLOW = pytest.mark.slow
NAMES = [type_.name for type_ in TYPE_CLASSES["number"]]
ENDS = [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (3, 4), (0, 4), (5, 6)]


def graph_of(dtype: str, *, undirected: bool = False) -> gdsl.Graph:
    """A path beside short cuts that are a little longer or shorter, in the smallest steps that the type has."""
    large = np.dtype(dtype).type(LARGE[dtype])
    if np.issubdtype(large.dtype, np.floating):
        weights = [large, large, 0, np.nextafter(2 * large, np.inf), large, 1, 2 * large, large]
    else:
        weights = [large, 1, 0, large + large.dtype.type(2), 2, 1, large + large.dtype.type(3), large]
    sources, destinations = np.array(ENDS).T
    options = {"undirected": True} if undirected else {}
    return gdsl.Graph.from_edges(sources, destinations, weights=np.array(weights, dtype), num_vertices=8).changed(
        **options
    )


def dijkstra(graph: gdsl.Graph) -> list[Fraction | None]:
    """Distances from vertex 0, without a rounding of their own but that of a type of floats."""
    weights, dtype = graph.attributes["weight"], graph.attributes["weight"].dtype
    sources, destinations = graph.edges
    found: dict[int, object] = {}
    queue = [(dtype.type(0), 0)]
    while queue:
        length, v = heapq.heappop(queue)
        if v in found:
            continue
        found[v] = length
        for e in np.flatnonzero(sources == v):
            queue.append((dtype.type(length + weights[e]), int(destinations[e])))
        heapq.heapify(queue)
    return [Fraction(found[v].item()) if v in found else None for v in range(graph.num_vertices)]


def exactly(distance: np.ndarray) -> list[Fraction | None]:
    unreached = np.inf if distance.dtype.kind == "f" else np.iinfo(distance.dtype).max
    return [None if value == unreached else Fraction(value.item()) for value in distance]


@pytest.mark.parametrize("sample", ["sssp", "bellman_ford"])
@pytest.mark.parametrize("dtype", NAMES)
def test_distances_are_exact_in_every_type(sample, dtype):
    graph, program = graph_of(dtype), getattr(gdsl.samples, sample)
    result = program(graph, source=0, backend="reference")
    assert result.distance.dtype == np.dtype(dtype) and result.grade["distance"] == "exact"
    assert exactly(result.distance) == dijkstra(graph)


@pytest.mark.parametrize("dtype", ["int64", *(pytest.param(name, marks=SLOW) for name in ("uint64", "float64"))])
def test_distances_on_the_cpu_backend(dtype):
    graph = graph_of(dtype)
    assert exactly(gdsl.samples.sssp(graph, source=0, backend="cpu").distance) == dijkstra(graph)


@pytest.mark.parametrize(
    ("sample", "type_"), [("sssp", "uint64"), pytest.param("minimum_spanning_forest", "int64", marks=SLOW)]
)
def test_instances_on_the_emulator(sample, type_):
    program = load(running.ROOT / "samples" / f"{sample}.gdsl", types=(("weight_type", Type.named(type_)),))
    graph = graph_of(type_, undirected=sample != "sssp")
    bindings = bind(program, graph, {"source": 0} if sample == "sssp" else {})
    built = running.emulated(program)
    found = built.run(graph, bindings, running.device_for(3))
    assert not running.differences(program, running.expect(program, graph, bindings), found)


def test_integers_beyond_2_to_the_53_and_2_to_the_63():
    for dtype, large in ((np.int64, 2**62), (np.uint64, 2**63 + 1)):
        graph = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 3], weights=np.array([large, 1, 2], dtype))
        assert gdsl.samples.sssp(graph, source=0, backend="reference").distance.tolist() == [
            0,
            large,
            large + 1,
            large + 3,
        ]


def test_a_sum_that_its_type_cannot_hold_stops_at_inf():
    """It counts as not reached, and a wider type has it."""
    for dtype, wider in (("int32", "int64"), ("uint32", "int64"), ("int64", "uint64"), ("float32", "float64")):
        large = np.finfo(dtype).max if dtype == "float32" else np.iinfo(dtype).max - 1
        graph = gdsl.Graph.from_edges([0, 1], [1, 2], weights=np.array([large, large], dtype))
        assert exactly(gdsl.samples.sssp(graph, source=0, backend="reference").distance)[2] is None
        found = gdsl.samples.sssp(graph, source=0, backend="reference", types={"weight_type": wider}).distance
        assert exactly(found)[2] == 2 * Fraction(large.item() if dtype == "float32" else large)


@pytest.mark.parametrize("backend", ["reference", pytest.param("cpu", marks=SLOW)])
def test_cycles_are_negative_in_whole_numbers(backend):
    """float32 misses the first and invents the second (rapidsai/cugraph#408)."""
    for large, back in ((10**9, -2), (2**40, -1)):
        edges = [0, 1, 2], [1, 2, 1]
        graph = gdsl.Graph.from_edges(*edges, weights=np.array([large, 1, back]))
        found = gdsl.samples.bellman_ford(graph, source=0, backend=backend).negative_cycle
        nx = networkx.DiGraph([(u, v, {"weight": w}) for u, v, w in zip(*edges, [large, 1, back], strict=True)])
        assert found == networkx.negative_edge_cycle(nx) == (back == -2)
    graph = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 1], weights=np.array([1, 2**53 + 1, -(2**53) - 1]))
    assert not gdsl.samples.bellman_ford(graph, source=0, backend=backend).negative_cycle


def test_random_weights_of_any_sign_against_networkx():
    """Integers beyond 2^53, whose sums a float64 does not hold."""
    random, cycles = np.random.default_rng(11), 0
    for number in range(24):
        sources, destinations = random.integers(0, 12, (2, 30))
        weights = random.integers(-1 - number % 3, 9, 30) * (2**54 + 1)
        graph = gdsl.Graph.from_edges(sources, destinations, weights=weights, num_vertices=12)
        nx = networkx.MultiDiGraph()
        nx.add_nodes_from(range(12))
        for u, v, weight in zip(sources.tolist(), destinations.tolist(), weights.tolist(), strict=True):
            nx.add_edge(u, v, weight=weight)
        found = gdsl.samples.bellman_ford(graph, source=0, backend="reference")
        try:
            expected = networkx.single_source_bellman_ford_path_length(nx, 0)
        except networkx.NetworkXUnbounded:
            cycles += 1
            assert found.negative_cycle
            continue
        assert not found.negative_cycle
        assert {v: value for v, value in enumerate(found.distance.tolist()) if value != 2**63 - 1} == expected
    assert 4 < cycles < 20


@pytest.mark.parametrize("dtype", NAMES)
def test_forests_of_nearly_equal_weights_have_the_least_total(dtype):
    graph = graph_of(dtype, undirected=True)
    result = gdsl.samples.minimum_spanning_forest(graph, backend="reference")
    nx = networkx.Graph()
    sources, destinations = graph.edges
    for u, v, weight in zip(sources.tolist(), destinations.tolist(), graph.attributes["weight"].tolist(), strict=True):
        nx.add_edge(u, v, weight=Fraction(weight))
    expected = sum(data["weight"] for *_, data in networkx.minimum_spanning_edges(nx))
    assert sum(Fraction(weight) for weight in graph.attributes["weight"][result.chosen].tolist()) == expected
    expected = min(expected, 2**64 - 1) if dtype == "uint64" else expected  # it stops at `inf`
    assert result.total == (expected if dtype[0] in "iu" else pytest.approx(float(expected)))
    assert np.asarray(result.total).dtype.kind == ("f" if dtype[0] == "f" else "i" if result.total < 2**63 else "u")


def test_a_forest_of_many_weights_that_float32_does_not_tell_apart():
    rng = np.random.default_rng(7)
    sources, destinations = rng.integers(0, 40, (2, 300))
    weights = 2**40 + rng.permutation(300)
    nx = networkx.MultiGraph()
    for u, v, weight in zip(sources.tolist(), destinations.tolist(), weights.tolist(), strict=True):
        nx.add_edge(u, v, weight=weight)
    graph = gdsl.Graph.from_edges(sources, destinations, weights=weights, directed=False)
    expected = sum(data["weight"] for *_, data in networkx.minimum_spanning_edges(nx))
    assert gdsl.samples.minimum_spanning_forest(graph, backend="reference").total == expected


@pytest.mark.parametrize("dtype", NAMES)
def test_products_of_matrices(dtype):
    graph, random = graph_of(dtype), np.random.default_rng(3)
    x = random.integers(0, 3, 8).astype(dtype)
    y = gdsl.samples.spmv(graph, x=x, backend="reference").y
    expected = [Fraction(0)] * 8
    for u, v, weight in zip(*graph.edges, graph.attributes["weight"].tolist(), strict=True):
        expected[u] += Fraction(weight) * Fraction(x[v].item())
    wide = {"i": "int64", "u": "uint64", "f": "float64"}[np.dtype(dtype).kind]
    assert y.dtype == np.dtype(wide)
    if max(expected) < 2**64:
        assert [Fraction(value.item()) for value in y] == pytest.approx(expected, rel=1e-15 if dtype[0] == "f" else 0)


def test_a_matrix_of_integers_times_floats():
    graph = gdsl.Graph.from_edges([0, 0], [0, 1], weights=np.array([2**40 + 1, 3]))
    assert gdsl.samples.spmv(graph, x=[0.5, 0.25], backend="reference").y.tolist() == [2**39 + 1.25, 0]


@pytest.mark.parametrize("dtype", ["int64", "float64", "uint8"])
def test_communities_by_weights_of_other_types(dtype):
    graph = gdsl.Graph.read("lesmis")
    weights = graph.attributes["weight"].astype(dtype)
    results = [
        gdsl.samples.louvain(graph, weight=each, backend="reference") for each in (weights, weights.astype(np.float32))
    ]
    assert results[0].modularity == results[1].modularity > 0.5


def test_whole_numbers_of_files_are_exact(tmp_path):
    text = "c from 0: 0 16777216 16777217 16777218\np sp 4 4\na 1 2 16777216\na 2 3 1\na 3 4 1\na 1 4 16777219\n"
    (tmp_path / "a.gr").write_text(text)
    (tmp_path / "a.csv").write_text("source,target,weight\n0,1,16777216\n1,2,1\n2,3,1\n0,3,16777219\n")
    entries = "1 2 16777216\n2 3 1\n3 4 1\n1 4 16777219\n"
    (tmp_path / "a.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n4 4 4\n{entries}")
    for name in ("a.gr", "a.csv", "a.mtx"):
        graph = gdsl.Graph.read(tmp_path / name)
        assert graph.attributes["weight"].dtype == np.int64, name
        found = gdsl.samples.sssp(graph, source=0, backend="reference").distance
        assert found.tolist() == [0, 2**24, 2**24 + 1, 2**24 + 2], name


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_sums_of_arrays_stop_at_inf_in_64_bits(backend):
    """The sum is exact whatever its parts come to, and the nearest value of its type where it does not fit."""
    text = """program p; problem { input vertex a : int64; input vertex b : uint64; vertex never : int64 = inf;
    vertex nor : uint64 = inf; scalar s : int64; scalar u : uint64; scalar twice : int64; }
    schedule { s = sum(a); u = sum(b); twice = sum(a) // 2 + sum(a) // 2; }"""
    program = gdsl.compile(text)
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    most = 2**63 - 1
    for a in ([most, most, -most], [most, 1, 5], [-most, -most, -2], [-most - 1, -1, 1], [-1, -1, -1], [2**32, -1, 0]):
        for b in ([2**63, 2**63 - 1, 0], [2**63, 2**63, 0], [2**64 - 1] * 3, [2**32 - 1, 1, 7]):
            found = program(graph, a=np.array(a), b=np.array(b, np.uint64), backend=backend)
            assert found.s == max(min(sum(a), most), -most - 1) and found.u == min(sum(b), 2**64 - 1)
    assert program(graph, a=[4, 6, 8], b=[0, 0, 0], backend=backend).twice == 18
    loop = gdsl.compile("""program p; problem { vertex a : int64 = 2; vertex b : int64 = inf; scalar s : int64; }
    schedule { while (sum(a) < 100 && sum(a) + 1 > 0) { compute(vertices, v => { a[v] = a[v] * 2; }); }
    s = sum(b); }""")
    found = loop(graph, backend=backend)
    assert (found.a.tolist(), found.s, found.iterations) == ([64] * 3, most, 5)
    wrapping = gdsl.compile("program p; problem { input vertex a : int64; scalar s : int64; } schedule { s = sum(a); }")
    assert wrapping(graph, a=[most, 1, 0], backend="reference").s == -most - 1


@pytest.mark.parametrize("dtype", [name for name in NAMES if not name.startswith("u")])
def test_distances_below_the_smallest_number_are_reported(dtype):
    """int32 once missed the cycle of the second graph: distances stop at -2^31, and nothing changes any more."""
    lowest = np.finfo(dtype).min if dtype.startswith("float") else np.iinfo(dtype).min
    for weights, edges in (([lowest, lowest], ([0, 1], [1, 2])), ([lowest, lowest, 0], ([0, 1, 2], [1, 2, 1]))):
        graph = gdsl.Graph.from_edges(*edges, weights=np.array(weights, dtype))
        with pytest.warns(gdsl.NotConvergedWarning, match="bellman_ford did not converge"):
            assert not gdsl.samples.bellman_ford(graph, source=0, backend="reference").converged
    graph = gdsl.Graph.from_edges([0, 1], [1, 2], weights=np.array([lowest / 4, lowest / 4], dtype))
    assert gdsl.samples.bellman_ford(graph, source=0, backend="reference").converged
