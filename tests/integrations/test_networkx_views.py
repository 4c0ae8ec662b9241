"""Views of graphs, and graphs that change, with `backend="gdsl"`."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import pytest
from support.networkx_graphs import compared, random_graph, some

from gdsl.integrations.networkx_backend import wrap

pytestmark = pytest.mark.skipif(
    tuple(map(int, nx.__version__.split(".")[:2])) < (3, 5),
    reason="errors and types are those of NetworkX 3.5 and newer",
)


def test_views() -> None:
    graph = random_graph(3, directed=True)
    part = graph.subgraph(some(graph))
    for view in (part, part.reverse(copy=False), part.to_undirected(as_view=True), nx.freeze(graph.copy())):
        compared(nx.pagerank, view)
        compared(lambda g, **o: nx.single_source_dijkstra_path_length(g, next(iter(g)), **o), view, mixed=True)


def views(kind: Any) -> Iterator[tuple[Any, Any, Callable[[], None]]]:
    """A view, and a change that it shows."""
    for make in (
        lambda g: g,
        lambda g: g.subgraph(list(g)),
        lambda g: g.subgraph(list(g)).subgraph(list(g)),
        lambda g: g.reverse(copy=False) if g.is_directed() else g.to_directed(as_view=True),
        lambda g: g.to_undirected(as_view=True).subgraph(list(g)),
        lambda g: g.copy(as_view=True),
        lambda g: nx.restricted_view(g, [], []),
        lambda g: g.edge_subgraph(list(g.edges)),
        lambda g: nx.subgraph_view(g, filter_node=lambda node: node in g),
        lambda g: nx.freeze(g.subgraph(list(g))),
    ):
        for change in (
            lambda g: g.remove_edge(1, 2),
            lambda g: g.add_edge(2, 0, weight=0.5),
            lambda g: next(iter(g.edges(1, data=True)))[2].update(weight=7),
            lambda g: g.get_edge_data(1, 2).update({"weight": 9} if not g.is_multigraph() else {}),
            lambda g: nx.set_edge_attributes(g, 3, "weight"),
        ):
            graph = kind([(0, 1), (1, 2), (2, 3)])
            yield make(graph), graph, lambda change=change, graph=graph: change(graph)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
@pytest.mark.sampled(3)
def test_changes_are_seen(kind: Any) -> None:
    """Also those of edge data, of the graph that a view shows, and through a view."""
    for view, _, change in views(kind):
        for call in (nx.single_source_dijkstra_path_length, nx.single_source_shortest_path_length):
            compared(lambda g, call=call, **o: call(g, 1, **o), view)
        change()
        for call in (nx.single_source_dijkstra_path_length, nx.single_source_shortest_path_length):
            compared(lambda g, call=call, **o: call(g, 1, **o), view, mixed=True)


def test_filters_with_state_and_derived_classes() -> None:
    limit, graph = [5], nx.path_graph(5)
    view = nx.subgraph_view(graph, filter_node=lambda node: node < limit[0])
    derived = type("Derived", (nx.Graph,), {})(graph)
    for change in (lambda: None, lambda: limit.__setitem__(0, 3), lambda: derived._adj.update({0: {}, 1: {2: {}}})):
        change()
        for each in (view, derived):
            compared(lambda g, **o: nx.single_source_shortest_path_length(g, 0, **o), each)


def test_filters_that_keep_one_direction_of_an_edge() -> None:
    """NetworkX walks what is left; gdsl has no such undirected graph."""
    view = nx.subgraph_view(nx.path_graph(4), filter_edge=lambda u, v: u < v)
    with pytest.raises(NotImplementedError) as caught:
        nx.shortest_path_length(view, 3, backend="gdsl")
    assert "one direction only" in str(caught.value.__cause__)
    with pytest.raises(NotImplementedError, match="one direction only"):
        wrap(view)
    priority = nx.config.backend_priority
    try:
        nx.config.backend_priority = ["gdsl"]
        with nx.config.backends.gdsl(least_size=0):
            assert nx.single_source_shortest_path_length(view, 3) == {3: 0}, "NetworkX answers"
    finally:
        nx.config.backend_priority = priority
    directed = nx.subgraph_view(nx.path_graph(4).to_directed(), filter_edge=lambda u, v: u < v)
    compared(lambda g, **o: nx.shortest_path_length(g, 0, **o), directed)


def test_copies_of_a_graph_leave_its_conversion_behind() -> None:
    graph = nx.path_graph(3)
    nx.diameter(graph, backend="gdsl")
    for made in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph)), graph.copy()):
        assert nx.diameter(made, backend="gdsl") == 2
        made[0][1]["weight"] = 5
        assert nx.dijkstra_path_length(made, 0, 2, backend="gdsl") == 6
    assert nx.dijkstra_path_length(graph, 0, 2, backend="gdsl") == 2


def test_changes_of_edges_are_seen() -> None:
    graph = nx.path_graph(5)
    assert nx.diameter(graph, backend="gdsl") == 4
    graph.add_edge(0, 4)
    assert nx.diameter(graph, backend="gdsl") == 2
    assert not math.isnan(nx.pagerank(graph, backend="gdsl")[0])


def test_views_with_another_value_in_each_direction_of_an_edge() -> None:
    """NetworkX's matrices take the value of one direction, its walks both: gdsl has no such undirected graph."""
    graph = nx.DiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": 5}), (1, 2, {"weight": 2})])
    view = graph.to_undirected(as_view=True)
    with pytest.raises(NotImplementedError) as caught:
        nx.pagerank(view, backend="gdsl")
    assert "another value in each direction" in str(caught.value.__cause__)
    compared(lambda g, **o: nx.pagerank(g, weight=None, **o), view)
    graph[1][0]["weight"] = 1
    for each in (view, nx.MultiGraph([(0, 1, {"weight": 3}), (0, 1, {"weight": 1})]).subgraph([0, 1])):
        compared(nx.pagerank, each)
