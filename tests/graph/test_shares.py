"""Shares of a graph: together they are the graph, and what workers send each other is what the graph has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.graph.shares import GraphShare, equal_shares
from tests.support.graphs import graphs, named_graphs, random_graph
from tests.support.thread_group import ThreadCommunicator, run_group


def _check(graph: Graph, size: int) -> None:
    wanted = np.arange(graph.num_vertices)[::-2]

    def work(communicator: ThreadCommunicator) -> None:
        share = GraphShare.of(graph, communicator.rank, size)
        assert (share.num_vertices, share.num_edges, share.directed) == (
            graph.num_vertices,
            graph.num_edges,
            graph.directed,
        )
        own, edges = slice(share.first, share.last), slice(share.first_edge, share.last_edge)
        assert np.array_equal(share.offsets + share.first_edge, graph.offsets[share.first : share.last + 1])
        assert np.array_equal(share.columns, graph.columns[edges])
        assert np.array_equal(share.edge_sources, graph.edge_sources[edges])
        assert np.array_equal(share.out_degrees(communicator), graph.out_degrees)
        assert np.array_equal(share.in_degrees(communicator), graph.in_degrees)
        starts, sources, ids = share.in_lists(communicator)
        first, last = graph.in_offsets[share.first], graph.in_offsets[share.last]
        assert np.array_equal(starts + first, graph.in_offsets[share.first : share.last + 1])
        assert np.array_equal(sources, graph.in_sources[first:last])
        assert np.array_equal(ids, graph.in_edge_ids[first:last])
        weights = share.to_in_lists(share.attributes["weight"], communicator)
        assert np.array_equal(weights, graph.attributes["weight"][ids])
        assert np.array_equal(share.reverse_edges(communicator), graph.reverse_edges[edges])
        offsets, columns, ids = share.lists_of(wanted, communicator)
        for place, vertex in enumerate(wanted):
            of = slice(graph.offsets[vertex], graph.offsets[vertex + 1])
            assert np.array_equal(columns[offsets[place] : offsets[place + 1]], graph.columns[of])
            assert np.array_equal(ids[offsets[place] : offsets[place + 1]], np.arange(of.start, of.stop))
        assert set(share.owner(np.arange(own.start, own.stop))) <= {share.rank}

    run_group(size, work)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.sampled(3)
def test_shares_of_awkward_graphs(size: int) -> None:
    for graph in named_graphs().values():
        _check(graph, size)


@given(graphs(), st.integers(1, 4))
@pytest.mark.slow
def test_shares_of_any_graph(graph: Graph, size: int) -> None:
    _check(graph, size)


def test_each_worker_has_an_equal_share_of_the_edges() -> None:
    graph = random_graph(300, 3000, seed=5)
    counts = np.diff(graph.offsets[equal_shares(graph.offsets, 3)])
    assert counts.sum() == 3000 and counts.max() - counts.min() < 2 * graph.out_degrees.max()
    assert equal_shares(np.zeros(8, np.int64), 3).tolist() == [0, 2, 4, 7]


def test_a_vertex_is_found_by_its_name_on_every_worker() -> None:
    graph = Graph.from_table({"source": ["a", "b", "c"], "target": ["b", "c", "d"]})

    def find(communicator: ThreadCommunicator) -> int:
        share = GraphShare.of(graph, communicator.rank, 3)
        with pytest.raises(KeyError, match="z"):
            share.vertex("z", communicator)
        return share.vertex("c", communicator)

    assert run_group(3, find) == [2, 2, 2]


@pytest.mark.parametrize(
    "changed, problem",
    [
        ({"boundaries": [0, 3, 2]}, "boundaries do not ascend"),
        ({"edge_boundaries": [0, 2]}, "edge_boundaries do not ascend"),
        ({"rank": 2}, "no such rank"),
        ({"offsets": np.array([0, 3])}, "offsets do not ascend from 0 to the number of owned edges"),
        ({"columns": np.array([0, 7])}, "a column is not a vertex"),
        ({"attributes": {"weight": np.ones(3)}}, "one value for each owned edge"),
        ({"vertex_attributes": {"x": np.ones(3)}}, "one value for each owned vertex"),
    ],
)
def test_arrays_that_are_no_share_are_refused(changed: dict[str, object], problem: str) -> None:
    valid = {
        "rank": 0,
        "boundaries": [0, 1, 2],
        "edge_boundaries": [0, 2, 2],
        "offsets": np.array([0, 2]),
        "columns": np.array([0, 1]),
    }
    with pytest.raises(GdslError, match=problem):
        GraphShare(**{**valid, **changed}, directed=True)  # type: ignore[arg-type]
