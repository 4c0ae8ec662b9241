"""Graphs of igraph, in and out."""

from __future__ import annotations

import sys

import pytest

import gdsl
from gdsl import Graph

igraph = pytest.importorskip("igraph")


def named(directed: bool = True) -> igraph.Graph:
    made = igraph.Graph(n=4, edges=[(0, 1), (2, 1), (2, 2), (0, 1)], directed=directed)
    made.vs["name"] = ["a", "b", "c", "d"]
    made.vs["age"] = [1, 2, 3, 4]
    made.vs["kind"] = ["x", "y", "x", "y"]
    made.vs["some"] = [1, None, 3, 4]
    made.es["weight"] = [1.5, None, 2.5, 3.5]
    made.es["lanes"] = [1, 2, 3, 4]
    return made


@pytest.mark.parametrize("directed", [True, False])
def test_there_and_back(directed):
    graph = Graph.from_igraph(named(directed))
    assert graph.names == ("a", "b", "c", "d") and graph.directed == directed
    assert graph.num_edges == (4 if directed else 7)
    assert graph.vertex_attributes.keys() == {"age"} and graph.attributes.keys() == {"weight", "lanes"}
    assert sorted(graph.attributes["weight"][graph.edge_sources <= graph.columns].tolist()) == (
        [1.5, 2.5, 3.5] if directed else [1.0, 1.5, 2.5, 3.5]
    )
    made = graph.to_igraph()
    assert made.is_directed() == directed and made.vs["name"] == ["a", "b", "c", "d"] and made.vs["age"] == [1, 2, 3, 4]
    again = Graph.from_igraph(made)
    assert (again.edges[0] == graph.edges[0]).all() and (again.edges[1] == graph.edges[1]).all()
    assert again.names == graph.names and (again.attributes["lanes"] == graph.attributes["lanes"]).all()


def test_given_to_a_program():
    result = gdsl.samples.bfs(named(False), source="c", backend="reference")
    assert result.distance[:3].tolist() == [2, 1, 0] and result.distance[3] < 0
    zachary = igraph.Graph.Famous("Zachary")
    found = gdsl.samples.bfs(zachary, source=0, backend="reference").distance
    assert found.tolist() == zachary.distances(0)[0]
    assert Graph.from_igraph(zachary).names is None
    assert gdsl.samples.bfs.dry_run(zachary, {"source": 0}, backend="reference").fits
    assert Graph.from_igraph(igraph.Graph()).num_vertices == 0


def test_results_on_it():
    graph = named(False)
    result = gdsl.samples.bfs(graph, source="c", backend="reference")
    made = result.to_igraph()
    assert made.vs["distance"][:3] == [2, 1, 0] and made.vs["name"] == ["a", "b", "c", "d"]
    assert result.to_igraph(graph) is graph and graph.vs["distance"][:3] == [2, 1, 0]
    assert graph.vs["kind"] == ["x", "y", "x", "y"]
    with pytest.raises(ValueError, match="not the graph that the program ran on"):
        result.to_igraph(igraph.Graph.Ring(4))
    with pytest.raises(TypeError, match="one of igraph"):
        result.to_igraph(5)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b", "a", "c"], "has the name 'a' twice, for the vertices 0 and 2"),
        (["a", None, "b", "c"], "has no name for vertex 1"),
        (["a", ["b"], "c", "d"], "for vertex 1, which is not a name"),
    ],
)
def test_names_that_are_none(names, said):
    graph = named()
    graph.vs["name"] = names
    with pytest.raises(gdsl.GdslError, match=r"E0711") as caught:
        Graph.from_igraph(graph)
    assert said in str(caught.value)


def test_what_is_refused(monkeypatch):
    graph = named()
    graph.es["weight"] = [1, "heavy", 2, 3]
    with pytest.raises(gdsl.GdslError, match=r"E0711.*the weight 'heavy' of edge number 1 is not a number"):
        Graph.from_igraph(graph)
    for other in (5, igraph.Graph, [(0, 1)]):
        with pytest.raises(gdsl.GdslError, match="is not a graph of igraph"):
            Graph.from_igraph(other)
    made = Graph.from_edges([0], [1])
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(gdsl.GdslError, match=r"E0907.*needs igraph") as caught:
        made.to_igraph()
    assert "pip install 'gdsl[igraph]'" in str(caught.value)
