"""A short run of the campaign of graph files, and what its slow readers find in files that are known."""

from __future__ import annotations

import random

import pytest
from fuzz import graphs
from fuzz.campaign import Finding, run
from fuzz.slow_readers import NoGraph, read_arrays_slowly, read_slowly

from gdsl.graph import Graph


@pytest.mark.slow
def test_nothing_is_found():
    campaign = run("graphs", graphs.case, seed=20_240, count=400)
    assert campaign.findings == []
    assert campaign.answers["read"] > 10
    assert {"E0703", "E0705", "E0710"} <= set(campaign.answers)


def test_the_slow_readers_know_the_formats():
    banner = b"%%MatrixMarket matrix coordinate real symmetric\n"
    slow = read_slowly("mtx", banner + b"% c\n2 2 2\n2 1 .5\n2 2 nan\n")
    assert repr(slow.stored()) == "[(0, 1, 0.5), (1, 0, 0.5), (1, 1, nan)]"
    assert read_slowly("gr", b"c x\np sp 2 1\na 1 2 -7\n").stored() == [(0, 1, -7)]
    slow = read_slowly("csv", b"u;v;weight;n\r\n0;2;1;3\r0;1;.5;4\n")
    assert (slow.stored(), slow.names) == ([(0, 1, 0.5, 4), (0, 2, 1.0, 3)], ("weight", "n"))
    slow = read_slowly("csv", b"from,to,we,\n0,3,2\n")
    assert (slow.stored(), slow.names) == ([(0, 3, 2)], ("we",))
    arrays = {"format": "csc", "shape": [2, 2], "indices": [1], "indptr": [0, 1, 1], "data": [5]}
    assert read_arrays_slowly(arrays, True).stored() == [(1, 0, 5)]
    for kind, text in {"mtx": banner + b"2 2 1\n3 1 1\n", "gr": b"p sp 2 2\na 1 2 3\n", "tsv": b"0 1\n1_0 1\n"}.items():
        with pytest.raises(NoGraph):
            read_slowly(kind, text)


def test_a_wrong_graph_is_found(monkeypatch):
    """A reader that loses an edge, one that fails with something else, and one that names no file."""

    def lossy(path, read=Graph.read, **options):
        graph = read(path, **options)
        return Graph.from_edges(graph.edge_sources[1:], graph.columns[1:], graph.num_vertices)

    def broken(path, **options):
        raise KeyError("offsets")

    for reader in (lossy, broken):
        monkeypatch.setattr(graphs.Graph, "read", reader)
        assert len(run("graphs", graphs.case, seed=1, count=50).findings) > 10
    monkeypatch.undo()
    with pytest.raises(Finding):
        for seed in range(200):
            with monkeypatch.context() as patch:
                patch.setattr(graphs, "_read", lambda rng, path: (Graph.from_edges([0], [9]), False))
                graphs.case(random.Random(seed))
