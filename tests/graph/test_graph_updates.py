"""Graphs with edges inserted and deleted are those of the changed lists of edges, whatever was merged in between."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from tests.support.graphs import assert_same, make_graph, random_graph

Edge = tuple[int, int, int]


def graph_of(edges: list[Edge], count: int, directed: bool) -> Graph:
    sources, destinations, weights = (np.array([edge[place] for edge in edges], np.int64) for place in range(3))
    attributes = {"weight": weights, "half": (weights / 2).astype(np.float32)}
    return Graph.from_edges(sources, destinations, count, attributes=attributes, directed=directed)


def insertion(edges: list[Edge]) -> tuple[object, ...]:
    weights = np.array([edge[2] for edge in edges], np.int64)
    values = {"half": (weights / 2).tolist(), "weight": weights}
    return [edge[0] for edge in edges], [edge[1] for edge in edges], values


@st.composite
def updates(draw: st.DrawFn) -> tuple[int, bool, list[Edge], list[tuple[list[Edge], list[int], bool]]]:
    """Vertices, whether edges are arcs, the first edges, and updates: what is inserted, places of what is deleted among
    the edges at that time, and whether the graph is used before the next update."""
    count = draw(st.integers(1, 6))
    vertex = st.integers(0, count - 1)
    edges = st.lists(st.tuples(vertex, vertex, st.integers(0, 99)), max_size=8)
    step = st.tuples(edges, st.lists(st.integers(0, 99), max_size=3), st.booleans())
    return count, draw(st.booleans()), draw(edges), draw(st.lists(step, min_size=1, max_size=4))


@given(updates())
@settings(max_examples=30)
def test_an_updated_graph_is_that_of_the_changed_edges(case):
    count, directed, edges, steps = case
    first = graph = graph_of(edges, count, directed)
    before = list(edges)
    for inserted, places, is_used in steps:
        deleted = [edges[place % len(edges)] for place in places if edges]
        if not directed:
            deleted = [(b, a, w) if w % 2 else (a, b, w) for a, b, w in deleted]
        ends = {(a, b) for a, b, _ in deleted} | {(b, a) for a, b, _ in deleted if not directed}
        edges = [edge for edge in edges if edge[:2] not in ends] + inserted
        previous = graph
        graph = previous.updated(
            insert=insertion(inserted), delete=([edge[0] for edge in deleted], [edge[1] for edge in deleted])
        )
        changed = sorted({end for edge in (*inserted, *deleted) for end in edge[:2]})
        assert graph.changed_vertices().tolist() == changed
        assert graph.num_edges == graph_of(edges, count, directed).num_edges
        if is_used:
            assert_same(graph, graph_of(edges, count, directed))
    assert_same(graph, graph_of(edges, count, directed))
    assert_same(first, graph_of(before, count, directed))


@pytest.mark.parametrize("directed", [True, False])
def test_few_changes_of_many_edges(directed):
    """Pieces between the changes are copied one by one, by several threads where they are long."""
    random = np.random.default_rng(3)
    first = random_graph(500, 60_000, seed=1, directed=directed)
    inserted = random.integers(0, 500, (3, 40))
    edges = first._edge_list()
    chosen = random.integers(0, len(edges.sources), 30)
    weights = (inserted[2] / 4).astype(np.float32)
    graph = first.updated(
        insert=(inserted[0], inserted[1], weights), delete=(edges.sources[chosen], edges.destinations[chosen])
    )
    deleted = {*zip(edges.sources[chosen].tolist(), edges.destinations[chosen].tolist(), strict=True)}
    keep = np.array(
        [pair not in deleted for pair in zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True)]
    )
    expected = Graph.from_edges(
        np.concatenate([edges.sources[keep], inserted[0]]),
        np.concatenate([edges.destinations[keep], inserted[1]]),
        500,
        np.concatenate([edges.attributes["weight"][keep], weights]),
        directed=directed,
    )
    assert_same(graph, expected)
    assert_same(pickle.loads(pickle.dumps(graph)), expected)


def test_vertices_have_names():
    graph = Graph.from_table({"source": ["Ann", "Bob"], "target": ["Bob", "Cem"], "weight": [1.0, 2.0]})
    updated = graph.updated(insert=(["Cem"], ["Ann"], [0.5]), delete=(["Ann"], ["Bob"]))
    assert updated.names == graph.names
    assert [each.tolist() for each in updated.edges] == [[1, 2], [2, 0]]
    assert_same(updated, graph.updated(insert=([2], [0], [0.5]), delete=([0], [1])))


def test_numbers_that_are_names_are_no_ids():
    graph = Graph.from_table({"source": [10, 20], "target": [20, 30]}, compact=True)
    assert [each.tolist() for each in graph.updated(insert=([30], [10])).edges] == [[0, 1, 2], [1, 2, 0]]
    with pytest.raises(GdslError, match=r"E0717.*no vertex is called 0"):
        graph.updated(insert=([0], [10]))


def test_what_changed_since_an_earlier_graph():
    first = make_graph([(0, 1)], 9)
    second = first.updated(insert=([1], [2], [0.5]))
    third = second.updated(delete=([0], [1])).updated(insert=([5], [5], [0.5]))
    assert first.changed_vertices().tolist() == []
    assert third.changed_vertices().tolist() == [5]
    assert third.changed_vertices(since=second).tolist() == [0, 1, 5]
    assert third.changed_vertices(since=first).tolist() == [0, 1, 2, 5]
    assert third.changed_vertices(since=third).tolist() == []
    with pytest.raises(ValueError, match="not known to be an update"):
        first.changed_vertices(since=third)
    with pytest.raises(ValueError, match="read-only"):
        third.changed_vertices()[:] = 0


def test_old_updates_are_forgotten():
    """What is remembered of a long stream of updates has a limit."""
    first = graph = Graph.from_edges([], [], 10)
    for place in range(30):
        graph = graph.updated(insert=([place % 10], [(place + 1) % 10]))
    with pytest.raises(ValueError, match="not known"):
        graph.changed_vertices(since=first)
    assert graph.num_edges == 30
    assert sum(record.size for record in graph._records) <= 10


PLAIN = Graph.from_edges([0, 1], [1, 2], 4)
WEIGHTED = Graph.from_edges([0, 1], [1, 2], 4, [1, 2])
TWO = Graph.from_edges([0, 1], [1, 2], 4, attributes={"cost": [1.0, 2.0], "lanes": [1, 2]})


@pytest.mark.parametrize(
    ("graph", "arguments", "message"),
    [
        (PLAIN, {"delete": ([0, 2], [1, 3])}, r"E0717.*the edge 2 -> 3 cannot be deleted"),
        (PLAIN, {"insert": (["a"], ["b"])}, r"E0711.*sources to insert(.|\n)*integers; this graph has no names"),
        (
            PLAIN,
            {"delete": ([1], [0])},
            r"E0717.*the edge 1 -> 0 cannot be deleted(.|\n)*the graph has 0 -> 1: swap the ends",
        ),
        (PLAIN, {"insert": ([0], [4])}, r"E0707.*destinations to insert\[0\] is 4, but there are 4 vertices"),
        (PLAIN, {"insert": ([-1], [0])}, r"E0707.*sources to insert\[0\] is -1"),
        (PLAIN, {"insert": ([0, 1], [1])}, r"E0711.*2 sources and 1 destinations"),
        (PLAIN, {"insert": (["a"], [1])}, r"E0711(.|\n)*vertex ids are integers"),
        (PLAIN, {"insert": ([0], [1], [5])}, r"E0717.*no such attribute"),
        (WEIGHTED, {"insert": ([0], [1])}, r"E0717.*have no `weight`(.|\n)*insert=\(sources, destinations, weights\)"),
        (WEIGHTED, {"insert": ([0], [1], [2.5])}, r"E0717.*is 2\.5, which the graph's int64 cannot hold"),
        (WEIGHTED, {"insert": ([0], [1], [1, 2])}, r"E0711.*weight has 2 elements"),
        (TWO, {"insert": ([0], [1], {"cost": [1.0]})}, r"E0717.*have no `lanes`(.|\n)*'cost': …, 'lanes': …"),
    ],
)
def test_updates_that_do_not_fit(graph, arguments, message):
    with pytest.raises(GdslError) as error:
        graph.updated(**arguments)
    assert re.search(message, str(error.value)), str(error.value)


@pytest.mark.parametrize("arguments", [{"insert": [0]}, {"insert": 3}, {"delete": ([0], [1], [2])}, {"delete": "ab"}])
def test_arguments_of_a_wrong_kind(arguments):
    with pytest.raises(TypeError, match="is \\(sources, destinations"):
        PLAIN.updated(**arguments)
