"""Programs as functions of NetworkX graphs, and graphs of gdsl as graphs for NetworkX's functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import gdsl
from gdsl.integrations.networkx_backend import function, wrap
from gdsl.integrations.networkx_backend.conversion import convert_to_nx

A, B, C, Z = "a", ("b", 1), frozenset("c"), 0.5


@pytest.fixture
def graph() -> Any:
    made = nx.Graph()
    made.add_edge(A, B, weight=2, cost=1.5)
    made.add_edge(B, C, cost=2)
    made.add_node(Z)
    return made


def test_nodes_go_in_and_come_out(graph: Any) -> None:
    found = function("bfs")(graph, source=A)
    assert found == {"distance": {A: 0, B: 1, C: 2, Z: -1}, "parent": {A: None, B: A, C: B, Z: None}}


def test_one_result_comes_by_itself_and_inputs_are_attributes(graph: Any) -> None:
    sssp = function(gdsl.samples.sssp)
    assert sssp(graph, source=A) == {A: 0, B: 2, C: 3, Z: np.inf}
    assert sssp(graph, source=A, weight="cost") == {A: 0, B: 1.5, C: 3.5, Z: np.inf}
    with pytest.raises(nx.NetworkXError, match="no edge has the attribute 'costs'"):
        sssp(graph, source=A, weight="costs")
    assert sssp.__name__ == "sssp" and "weight" in str(sssp.__doc__)


def test_every_kind_of_value(graph: Any) -> None:
    call = function("""program kinds;
problem {
    param from : vertex; param several : vertex set; input vertex x : float64; input scalar who : vertex;
    vertex best : (float64, vertex) = (inf, none); edge own : edge = id; vertex two[2] : vertex = id;
    scalar chosen : vertex; scalar pair : (int32, vertex); vertex marked : bool;
}
schedule {
    chosen = from;
    pair = (3, who);
    compute(vertices, v => { best[v] = (x[v], v); });
    compute(several, v => { marked[v] = true; });
}""")
    found = call(graph, several=[C, A], who=B, x={A: 1, B: 2, C: 3, Z: 4}, **{"from": C})
    assert found["best"] == {A: (1.0, A), B: (2.0, B), C: (3.0, C), Z: (4.0, Z)}
    assert found["own"] == {edge: edge for edge in [(A, B), (B, A), (B, C), (C, B)]}
    assert found["two"] == {node: [node, node] for node in graph}
    assert found["chosen"] == C and found["pair"] == (3, B)
    assert found["marked"] == {A: True, B: False, C: True, Z: False}


def test_mistakes(graph: Any) -> None:
    bfs = function("bfs")
    with pytest.raises(nx.NodeNotFound):
        bfs(graph, source="?")
    with pytest.raises(TypeError, match="bfs has no 'target'; it takes source"):
        bfs(graph, target=A)
    with pytest.raises(NotImplementedError, match="parallel"):
        bfs(nx.MultiGraph(graph), source=A)
    with pytest.raises(gdsl.GdslError):
        bfs(graph)
    with pytest.raises(gdsl.GdslError):
        function("program nothing at all;")


@pytest.mark.skipif(not callable(nx.config), reason="NetworkX 3.3 keeps no conversions")
def test_the_conversion_is_kept_until_the_graph_changes(graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from gdsl.integrations.networkx_backend import conversion

    converted, convert = [], conversion._converted
    monkeypatch.setattr(conversion, "_converted", lambda *given: converted.append(given) or convert(*given))
    bfs = function("bfs")
    for _ in range(2):
        bfs(graph, source=A, gdsl_backend="reference")
    nx.diameter(graph.subgraph([A, B]), backend="gdsl")
    assert len(converted) == 2
    graph.add_edge(A, Z)
    assert bfs(graph, source=A)["distance"][Z] == 1 and len(converted) == 3
    with nx.config(cache_converted_graphs=False):
        bfs(graph, source=A)
    assert len(converted) == 4


def test_a_graph_of_gdsl_is_one_for_networkx(tmp_path: Path) -> None:
    karate = gdsl.Graph.read("karate")
    held, own = wrap(karate), nx.Graph(list(nx.karate_club_graph().edges()))
    assert nx.pagerank(held, weight=None) == pytest.approx(nx.pagerank(own, weight=None))
    assert nx.diameter(held) == 5 and len(held) == 34 and held.number_of_edges() == 78
    path = tmp_path / "named.csv"
    path.write_text("source,target,weight\ny,x,2\nx,z,4\n", encoding="utf-8")
    named = wrap(gdsl.Graph.read(path))
    assert nx.single_source_dijkstra_path_length(named, next(iter(named))) == dict(zip(named, [0, 2, 6], strict=True))
    with pytest.raises(TypeError):
        wrap("karate")


def test_numbers_as_names_are_not_ids() -> None:
    graph = nx.path_graph([3, 0, 1, 2], create_using=nx.DiGraph)
    held = wrap(gdsl.Graph.from_networkx(graph.subgraph([0, 1, 2, 3])))
    assert nx.descendants(held, 1) == {2}
    relabeled = wrap(gdsl.Graph.from_networkx(nx.relabel_nodes(graph, {3: 9})))
    assert nx.descendants(relabeled, 1) == {2} and nx.descendants(relabeled, 9) == {0, 1, 2}


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_there_and_back(kind: Any) -> None:
    graph = kind([(A, B, {"weight": 2, "cost": 0.5}), (B, B), (C, A, {"weight": -3})], name="three")
    graph.add_node(Z)
    back = convert_to_nx(wrap(graph))
    assert type(back) is kind and nx.utils.graphs_equal(back, graph) and back.graph == graph.graph
    assert convert_to_nx(3) == 3
    with pytest.raises(NotImplementedError):
        convert_to_nx(wrap(nx.MultiGraph(graph)))


def test_parallel_edges_of_a_graph_of_gdsl() -> None:
    for directed in (True, False):
        held = wrap(gdsl.Graph.from_edges([0, 0, 1, 2], [1, 1, 2, 2], directed=directed))
        assert held.is_multigraph() and held.number_of_edges() == 4
        assert nx.shortest_path_length(held, 0, 2) == 2
        own = (nx.MultiDiGraph if directed else nx.MultiGraph)([(0, 1), (0, 1), (1, 2), (2, 2)])
        assert nx.pagerank(held) == pytest.approx(nx.pagerank(own))
        assert nx.degree_centrality(held) == nx.degree_centrality(own)
    weights = {"weight": [5.0, 2.0, 1.0, 3.0]}
    held = wrap(gdsl.Graph.from_edges([1, 0, 0, 1], [2, 1, 1, 0], attributes=weights))
    assert nx.dijkstra_path_length(held, 0, 2) == 6
