"""Nodes of NetworkX graphs of all kinds as vertices of a call, and views that are no undirected graphs."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

import gdsl

KINDS: list[list[Any]] = [
    [0.5, 1.5, 2.5],
    [0.0, 1.0, 2.0],
    [2.0, 0.0, 1.0],
    [float("nan"), 1.5, float("inf")],
    [(0, 1), (1, 2), (2, 3)],
    [(), (0,), (0, (1, "a"))],
    [frozenset([0]), frozenset([1, 2]), frozenset()],
    [0, (0, 1), frozenset([0]), 0.5, "a", b"a"],
]


def hops(graph: Any, source: Any) -> list[int]:
    return gdsl.samples.bfs(graph, source=source, backend="reference").distance.tolist()


@pytest.mark.parametrize("nodes", KINDS, ids=str)
def test_a_node_is_a_source(nodes: list[Any]) -> None:
    graph = nx.path_graph(nodes)
    for place, node in enumerate(nodes):
        assert hops(graph, node) == [abs(place - each) for each in range(len(nodes))]
    batch = gdsl.samples.bfs.map(graph, source=[nodes[0], nodes[-1]], backend="reference")
    assert [run.distance.tolist() for run in batch] == [hops(graph, nodes[0]), hops(graph, nodes[-1])]
    for members in ([nodes[0]], {nodes[0]}, (nodes[0],), frozenset(nodes[:2])):
        assert gdsl.samples.reachability(graph, sources=members, backend="reference").reached.all()


@pytest.mark.parametrize("node", [(0, 1), frozenset([0, 1]), "a", 0.5])
def test_a_node_is_no_set(node: Any) -> None:
    """A tuple or frozenset that is a node could be meant as its members, so one of the two must be written."""
    graph = nx.path_graph([node, 0, 1, 7])
    with pytest.raises(gdsl.GdslError, match=r"E0603.*the name of one vertex") as caught:
        gdsl.samples.reachability(graph, sources=node, backend="reference")
    assert f"write [{node!r}] for this vertex" in str(caught.value)
    assert gdsl.samples.reachability(graph, sources=[node], backend="reference").reached.all()


def test_nodes_that_are_not_there() -> None:
    for nodes, wrong in (
        ([0.5, 1.5], 1),
        ([(0, 1)], (1, 0)),
        ([frozenset()], frozenset([1])),
        ([0.5], float("nan")),
    ):
        with pytest.raises(gdsl.GdslError, match=r"E0604.*no vertex of this name"):
            hops(nx.path_graph(list(nodes)), wrong)
    for wrong in (1.0, (0, 1), frozenset([1])):  # the nodes are ids, and these are none
        with pytest.raises(gdsl.GdslError, match=r"E0603"):
            hops(nx.path_graph(3), wrong)
    for wrong in (0.5, frozenset("a")):
        with pytest.raises(gdsl.GdslError, match=r"E0603"):
            hops(nx.path_graph("abc"), wrong)


def test_a_one_sided_filter_is_refused() -> None:
    path = nx.path_graph(4)
    view = nx.subgraph_view(path, filter_edge=lambda u, v: u < v)
    with pytest.raises(gdsl.GdslError, match=r"E0711.*keeps the edge \(0, 1\) but not \(1, 0\)"):
        gdsl.Graph.from_networkx(view)
    both = nx.subgraph_view(path, filter_edge=lambda u, v: {u, v} != {1, 2})
    assert hops(both, 0) == [0, 1, -1, -1]
    directed = nx.subgraph_view(path.to_directed(), filter_edge=lambda u, v: u < v)
    assert hops(directed, 0) == [0, 1, 2, 3] and hops(directed, 3) == [-1, -1, -1, 0]


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_a_view_with_other_values_in_each_direction_is_refused(kind: Any) -> None:
    graph = kind([(0, 1, {"weight": 1}), (1, 0, {"weight": 5})])
    view = graph.to_undirected(as_view=True)
    with pytest.raises(gdsl.GdslError, match=r"E0711.*\(0, 1\) and \(1, 0\) have different values"):
        gdsl.Graph.from_networkx(view)
    assert gdsl.Graph.from_networkx(graph.to_undirected()).num_vertices == 2
    for *_, data in graph.edges(data=True):
        data["weight"] = 5
    assert set(gdsl.Graph.from_networkx(view).attributes["weight"].tolist()) == {5}
