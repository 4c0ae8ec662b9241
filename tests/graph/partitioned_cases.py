"""Reads files by groups of workers, and compares the shares with those of the graph that one process reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from gdsl import Graph
from gdsl.diagnostics import GdslError
from gdsl.graph.messages import collecting
from gdsl.graph.partitioned import read
from gdsl.graph.shares import GraphShare
from tests.support.thread_group import ThreadCommunicator, run_group

SIZES = (1, 2, 3, 5)


def shares_or_error(path: str | Path, size: int, **options: Any) -> tuple[list[GraphShare] | str, list[str]]:
    """The shares of `size` workers, or the text of the error that all of them raise; and the notices of worker 0."""
    notices: list[list[str]] = [[] for _ in range(size)]

    def work(communicator: ThreadCommunicator) -> GraphShare | str:
        with collecting() as collected:
            try:
                return read(path, communicator, **options)
            except (GdslError, TypeError) as error:
                return str(error)
            finally:
                notices[communicator.rank] = collected

    results = run_group(size, work)
    assert not any(notices[1:]), "notices are worker 0's"
    texts = {each for each in results if isinstance(each, str)}
    if texts:
        assert len(texts) == 1 and all(isinstance(each, str) for each in results), f"workers disagree: {results}"
        return texts.pop(), notices[0]
    return [each for each in results if isinstance(each, GraphShare)], notices[0]


def graph_or_error(path: str | Path, **options: Any) -> tuple[Graph | str, list[str]]:
    """The graph that one process reads, or its error; and the notices."""
    with collecting() as collected:
        try:
            return Graph.read(path, **options), collected
        except (GdslError, TypeError) as error:
            return str(error), collected


def assert_as_alone(path: str | Path, *sizes: int, **options: Any) -> Graph | str:
    """Check that groups of these sizes read what one process reads, and return that."""
    expected, notices = graph_or_error(path, **options)
    for size in sizes or SIZES:
        found, heard = shares_or_error(path, size, **options)
        if isinstance(expected, str) or isinstance(found, str):
            assert found == expected, f"{size} workers"
            continue
        assert [each for each in heard if "not read in parts" not in each] == notices, f"{size} workers"
        for rank, share in enumerate(found):
            assert_same_share(share, GraphShare.of(expected, rank, size))
    return expected


def assert_same_share(one: GraphShare, other: GraphShare) -> None:
    """Check that two shares are equal, types and names included."""
    assert (one.rank, one.size, one.directed) == (other.rank, other.size, other.directed)
    assert (one.num_vertices, one.num_edges) == (other.num_vertices, other.num_edges)
    for name in ("boundaries", "edge_boundaries", "offsets", "columns"):
        _assert_same(getattr(one, name), getattr(other, name), name)
    for of_one, of_other in ((one.attributes, other.attributes), (one.vertex_attributes, other.vertex_attributes)):
        assert of_one.keys() == of_other.keys()
        for name, values in of_one.items():
            _assert_same(values, of_other[name], name)
    assert (one.names is None) == (other.names is None)
    if one.names is not None and other.names is not None:
        assert [*map(repr, one.names)] == [*map(repr, other.names)]


def _assert_same(one: Any, other: Any, name: str) -> None:
    assert one.dtype == other.dtype, name
    np.testing.assert_array_equal(one, other, name)


def write(folder: str | Path, text: str | bytes, suffix: str = "edges") -> str:
    """A file of this text."""
    path = os.path.join(folder, f"graph.{suffix}")
    with open(path, "wb") as stream:
        stream.write(text.encode() if isinstance(text, str) else text)
    return path
