"""The sample `max_flow`: capacities of every type up to the largest numbers, and networks that are long."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import gdsl

TYPES = ["int32", "uint32", "int64", "uint64"]


def network(count: int, arcs: list[tuple[int, int, int]], dtype: str) -> gdsl.Graph:
    """Each arc with an opposite that carries nothing."""
    tails = [end for tail, head, _ in arcs for end in ((tail, head) if tail != head else (tail,))]
    heads = [end for tail, head, _ in arcs for end in ((head, tail) if tail != head else (tail,))]
    capacity = [each for tail, head, most in arcs for each in ((most, 0) if tail != head else (most,))]
    values = {"capacity": np.array(capacity, dtype)}
    return gdsl.Graph.from_edges(tails, heads, count, attributes=values)


def wanted(graph: gdsl.Graph, source: int, sink: int, largest: int) -> int | None:
    """By NetworkX; None where nothing bounds it."""
    found = nx.MultiDiGraph()
    found.add_nodes_from(range(graph.num_vertices))
    capacity = graph.attributes["capacity"].tolist()
    for tail, head, most in zip(graph.edge_sources.tolist(), graph.columns.tolist(), capacity, strict=True):
        if tail != head:
            found.add_edge(tail, head, **({} if most == largest else {"capacity": most}))
    simple = nx.DiGraph()
    simple.add_nodes_from(found)
    for tail, head in {*found.edges()}:
        between = [values.get("capacity") for values in found[tail][head].values()]
        simple.add_edge(tail, head, **({} if None in between else {"capacity": sum(between)}))
    try:
        return int(nx.maximum_flow_value(simple, source, sink))
    except nx.NetworkXUnbounded:
        return None


def check(graph: gdsl.Graph, source: int, sink: int, backend: str = "cpu", limit: int | None = None) -> int:
    """Run it, and check that what each edge carries is a flow of that value."""
    values = {"source": source, "sink": sink}
    result = gdsl.samples.max_flow.run(graph, values, backend=backend, max_iterations=limit)
    flow, carried = int(result.flow), result.host_arrays()["carried"].tolist()
    capacity, balance = graph.attributes["capacity"], [0] * graph.num_vertices
    largest = np.iinfo(capacity.dtype).max
    for tail, head, most, own in zip(
        graph.edge_sources.tolist(), graph.columns.tolist(), capacity.tolist(), carried, strict=True
    ):
        assert own >= 0 and (own <= most or most == largest)
        balance[tail] -= own
        balance[head] += own
    ends = {source: -flow, sink: flow} if source != sink else {}
    assert balance == [ends.get(vertex, 0) for vertex in range(graph.num_vertices)]
    return flow


@pytest.mark.sampled(15)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", TYPES)
def test_random_networks_have_the_flows_of_networkx(dtype: str, backend: str) -> None:
    """Parallel and opposite arcs, self-loops, arcs of capacity 0, numbers near the largest, source and sink alike."""
    random = np.random.default_rng(TYPES.index(dtype))
    largest = int(np.iinfo(dtype).max)
    most = 2**64 - 1 if dtype.startswith("u") else 2**63 - 1
    choices = ([0, 1, 2, 3], [*range(1000)], [largest - 2, largest - 1, largest], [largest // 2, largest // 2 + 1])
    for turn in range(24 if backend == "cpu" else 6):
        count, numbers = int(random.integers(1, 12)), choices[turn % 4]
        ends = random.integers(0, count, (int(random.integers(0, 36)), 2)).tolist()
        arcs = [(tail, head, numbers[int(random.integers(len(numbers)))]) for tail, head in ends]
        graph = network(count, arcs + [(head, tail, 1) for tail, head, _ in arcs[:5]], dtype)
        source, sink = (int(each) for each in random.integers(0, count, 2))
        found = check(graph, source, sink, backend)
        expected = wanted(graph, source, sink, largest) if source != sink else 0
        assert found == (most if expected is None else min(expected, most))


@pytest.mark.parametrize("large", [2**62, 2**63 - 2, 2**63 - 1])
def test_edges_without_a_bound_both_ways(large: int) -> None:
    values = {"capacity": np.array([large, 7])}
    graph = gdsl.Graph.from_edges([0, 1], [1, 2], directed=False, attributes=values)
    assert check(graph, 0, 2) == check(graph, 2, 0) == 7
    into = gdsl.Graph.from_edges(
        [0, 0, 0, 1, 2, 3, 4],
        [1, 2, 3, 4, 4, 4, 5],
        directed=False,
        attributes={"capacity": np.array([large] * 6 + [1])},
    )
    assert check(into, 0, 5) == 1
    assert check(into, 0, 4) == 2**63 - 1


CHAIN = 3000
FALLING = np.arange(CHAIN - 1, 0, -1)


@pytest.mark.parametrize(
    "capacity", [np.where(FALLING == 1, 1, 100), FALLING, FALLING[::-1]], ids=["bottleneck last", "falling", "rising"]
)
def test_long_chains_take_passes_and_visits_in_proportion(capacity: np.ndarray) -> None:
    """Excess that cannot arrive goes back in one wave, and searches take no more passes than pushes do."""
    tails = np.arange(CHAIN - 1)
    both = np.r_[tails, tails + 1], np.r_[tails + 1, tails]
    values = {"capacity": np.r_[capacity, np.zeros_like(capacity)]}
    graph = gdsl.Graph.from_edges(*both, CHAIN, attributes=values)
    assert check(graph, 0, CHAIN - 1, limit=2 * CHAIN) == 1
    result = gdsl.samples.max_flow(graph, source=0, sink=CHAIN - 1, backend="cpu")
    assert sum(record.edges or 0 for record in result.trace) <= 20 * graph.num_edges


def test_fractions_and_negative_capacities_are_refused() -> None:
    with pytest.raises(gdsl.GdslError, match="capacity"):
        gdsl.samples.max_flow(network(2, [(0, 1, -1)], "int64"), source=0, sink=1, backend="reference")
    halves = gdsl.Graph.from_edges([0], [1], directed=False, attributes={"capacity": np.array([0.5])})
    with pytest.raises(gdsl.GdslError, match="capacity"):
        gdsl.samples.max_flow(halves, source=0, sink=1, backend="reference")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_floats_are_capacities_and_infinity_bounds_nothing(dtype: str) -> None:
    def flow(first: float, second: float, **options: object) -> int:
        values = {"capacity": np.array([first, second], dtype)}
        graph = gdsl.Graph.from_edges([0, 1], [1, 2], directed=False, attributes=values)
        return gdsl.samples.max_flow(graph, source=0, sink=2, backend="reference", **options).flow

    assert (flow(5, 3), flow(np.inf, 7), flow(np.inf, np.inf)) == (3, 7, 2**63 - 1)
    assert flow(2.0**60, np.inf, types={"capacity_type": "uint64"}) == 2**60
    for second, said in ((0.5, "has 0.5, which int64 cannot hold"), (np.nan, "nan"), (-np.inf, "-inf"), (1e19, "e+19")):
        with pytest.raises(gdsl.GdslError, match="E0607") as caught:
            flow(1, second)
        assert said in str(caught.value), str(caught.value)
    assert flow(7, 2.5, round="capacity") == 2
    fixed = gdsl.compile(_TOTAL.replace("capacity : t", "capacity : int64"))
    graph = gdsl.Graph.from_edges([0], [1], attributes={"capacity": np.array([2.0])})
    assert gdsl.compile(_TOTAL)(graph, backend="reference").s == 2
    with pytest.raises(gdsl.GdslError, match="E0607"):  # a fixed type takes no floats, whatever ran before
        fixed(graph, backend="reference")


_TOTAL = """program t; problem { type t : integer = int64; input edge capacity : t; scalar s : int64; }
schedule { compute(edges, (u, v, e) => { s += int64(capacity[e]); }); }"""
