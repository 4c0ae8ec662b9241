"""Shortest paths with `backend="gdsl"`: of the same length as those of NetworkX, which may be others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from support.networkx_graphs import random_graph, taken

pytestmark = pytest.mark.skipif(
    tuple(map(int, nx.__version__.split(".")[:2])) < (3, 5),
    reason="errors and types are those of NetworkX 3.5 and newer",
)


def valid(graph: Any, found: Any, wanted: Any, weight: str | None) -> None:
    """Both are paths between the same ends, of the same length."""
    if isinstance(wanted, dict):
        assert type(found) is dict and found.keys() == wanted.keys()
        for end in wanted:
            valid(graph, found[end], wanted[end], weight)
    elif isinstance(wanted, tuple):
        assert found == wanted
    else:
        assert type(found) is list and found[0] == wanted[0] and found[-1] == wanted[-1]
        assert nx.is_path(graph, found)
        lengths = [sum(lightest(graph, *ends, weight) for ends in pairwise(path)) for path in (found, wanted)]
        assert lengths[0] == pytest.approx(lengths[1])


def lightest(graph: Any, source: Any, target: Any, weight: str | None) -> float:
    if weight is None:
        return 1
    data = graph.get_edge_data(source, target)
    return min(each.get(weight, 1) for each in (data.values() if graph.is_multigraph() else [data]))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("weight", [None, "whole", "weight"])
@pytest.mark.parametrize("method", ["dijkstra", "bellman-ford"])
@pytest.mark.parametrize("multigraph", [False, True])
def test_shortest_paths(weight: str | None, method: str, multigraph: bool) -> None:
    """Weights of 0 are among those of `whole`."""
    for seed in range(10):
        graph = random_graph(seed, seed % 2 == 0, multigraph)
        source, target = next(iter(graph)), list(graph)[-1]
        for ends in ({"source": source, "target": target}, {"source": source}, {"target": target}, {}):
            call = lambda g, ends=ends, **o: nx.shortest_path(g, **ends, weight=weight, method=method, **o)  # noqa: E731
            found, wanted = taken(call, graph, backend="gdsl"), taken(call, graph)
            if ends:
                valid(graph, found, wanted, weight)
            else:
                assert [node for node, _ in found] == [node for node, _ in wanted]
                valid(graph, dict(found), dict(wanted), weight)


def test_shortest_paths_of_negative_weights() -> None:
    graph = nx.DiGraph([(0, 1, {"weight": 4}), (0, 2, {"weight": 1}), (2, 1, {"weight": -3}), (1, 3), (3, 1)])
    for call in (
        lambda **o: nx.shortest_path(graph, 0, 3, "weight", "bellman-ford", **o),
        lambda **o: nx.shortest_path(graph, 0, None, "weight", "bellman-ford", **o),
    ):
        assert call(backend="gdsl") == call()
    graph[3][1]["weight"] = -2
    with pytest.raises(nx.NetworkXUnbounded):
        nx.shortest_path(graph, 0, 3, "weight", "bellman-ford", backend="gdsl")
