"""`gdslc graph info --workers` counts what the workers would hold."""

from __future__ import annotations

import pytest

import gdsl
from gdsl.graph.description import describe_parts
from gdsl.graph.shares import GraphShare

GRAPHS = {
    "empty": gdsl.Graph.from_edges([], [], num_vertices=0),
    "no edges": gdsl.Graph.from_edges([], [], num_vertices=3),
    "loops and parallel edges": gdsl.Graph.from_edges([0, 0, 0, 3, 2, 4], [0, 1, 1, 2, 3, 0]),
    "weighted": gdsl.Graph.read("uniform:40:90:seed=2", weights="random:1"),
    "karate": gdsl.Graph.read("karate"),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=list(GRAPHS))
@pytest.mark.parametrize("workers", [1, 2, 3, 50])
def test_parts_are_those_of_shares(graph: gdsl.Graph, workers: int) -> None:
    parts = describe_parts(graph, workers).parts
    assert len(parts) == workers
    for rank, part in enumerate(parts):
        share = GraphShare.of(graph, rank, workers)
        far = [end for end in share.columns.tolist() if not share.first <= end < share.last]
        assert (part.vertices, part.edges) == (share.num_owned, len(share.columns))
        assert (part.cut_edges, part.mirrors) == (len(far), len(set(far)))
        held = [share.offsets, share.columns, *share.attributes.values(), *share.vertex_attributes.values()]
        assert part.bytes == sum(values.nbytes for values in held)
