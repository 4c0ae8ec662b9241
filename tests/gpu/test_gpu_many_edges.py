"""A graph of more than 2^32 edges: ids of edges take 64 bits, those of vertices 32. It takes about 60 GB of the GPU's
memory and 40 of the host's, and is passed over where there is less, or where other tests want some at the same time:

    pytest -m gpu -p no:xdist tests/gpu/test_gpu_many_edges.py

Vertex v has an edge to every other vertex at most REACH away, so that all answers are known.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import gdsl
from gdsl.backends.registry import get
from gdsl.graph.csr import Csr
from gdsl.graph.memory import available_memory
from gdsl.types import Widths

pytestmark = pytest.mark.gpu
COUNT, REACH = 1 << 20, 2100
SOURCE = COUNT // 3
NUM_EDGES = 2 * REACH * COUNT - REACH * (REACH + 1)
AT_ONCE = 1 << 27

SUMS = """program sums;
problem {
    input edge weight : float32 where weight[id] > 0;
    scalar walked : int64 = 0;
    scalar beyond : int64 = 0;
    scalar ids : uint64 = 0;
    scalar last : edge = 0;
    scalar weights : float64 = 0;
    vertex heaviest : edge = none;
}
edge functor note(src, dst, e) {
    apply { walked += 1; ids += uint64(int64(e)); last max= e; weights += float64(weight[e]); heaviest[dst] min= e; }
}
edge functor above(src, dst, e) { cond e >= 4294967296; apply { beyond += 1; } }
schedule { advance(vertices, note, to=none); advance(vertices, above, to=none); }
"""


@pytest.fixture(scope="module")
def graph() -> gdsl.Graph:
    import cupy

    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("takes most of the memory, so it is run alone")
    if get("cuda").space().free < 75 << 30 or (available_memory() or 0) < 60 << 30:
        pytest.skip("not enough memory for so many edges")
    vertices = np.arange(COUNT, dtype=np.int64)
    first, last = np.maximum(vertices - REACH, 0), np.minimum(vertices + REACH, COUNT - 1)
    offsets = np.concatenate([[0], np.cumsum(last - first)])
    columns = np.empty(offsets[-1], np.int32)
    there = cupy.asarray(offsets)
    for start in range(0, len(columns), AT_ONCE):
        place = cupy.arange(start, min(start + AT_ONCE, len(columns)))
        source = cupy.searchsorted(there[1:], place, side="right")
        found = cupy.maximum(source - REACH, 0) + (place - there[source])
        columns[start : start + AT_ONCE] = (found + (found >= source)).astype(np.int32).get()
    cupy.get_default_memory_pool().free_all_blocks()
    return gdsl.Graph._of_csr(Csr(offsets, columns, False, {}, {}))


def test_sizes(graph: gdsl.Graph) -> None:
    assert graph.num_edges == NUM_EDGES > 1 << 32
    assert graph.id_widths == Widths(32, 64)


def test_searches(graph: gdsl.Graph) -> None:
    expected = -(-np.abs(np.arange(COUNT) - SOURCE) // REACH)
    for direction in ("auto", "push", "pull"):
        found = gdsl.compile("bfs", tune=[f"visit.direction={direction}"]).run(
            graph, {"source": SOURCE}, backend="cuda"
        )
        distance, parent = found.distance.get(), found.parent.get()
        assert np.array_equal(distance, expected)
        assert distance.dtype == parent.dtype == np.int32
        others = np.flatnonzero(np.arange(COUNT) != SOURCE)
        assert np.abs(parent[others] - others).max() <= REACH
        assert np.array_equal(distance[parent[others]], distance[others] - 1)
    assert sum(record.edges for record in found.trace) == NUM_EDGES


def test_values_of_edges(graph: gdsl.Graph) -> None:
    import cupy

    weight = cupy.ones(NUM_EDGES, np.float32)
    told = gdsl.compile(SUMS).dry_run(graph, {"weight": weight}, backend="cuda")
    assert told.fits
    assert {need.name: need.nbytes for need in told.needs}["graph.columns"] == 4 * NUM_EDGES
    found = gdsl.compile(SUMS).run(graph, {"weight": weight}, backend="cuda")
    assert (found.walked, found.beyond, found.last) == (NUM_EDGES, NUM_EDGES - (1 << 32), NUM_EDGES - 1)
    assert found.ids == (NUM_EDGES * (NUM_EDGES - 1) // 2) % (1 << 64)
    assert found.weights == NUM_EDGES
    assert int(found.heaviest[COUNT - 1]) == int(graph.offsets[COUNT - REACH]) - 1, (
        "the last edge of the first neighbor"
    )
    hops = -(-np.abs(np.arange(COUNT) - SOURCE) // REACH)
    shortest = gdsl.compile("sssp").run(graph, {"weight": weight, "source": SOURCE}, backend="cuda")
    assert np.array_equal(shortest.distance.get(), hops)
    weight[NUM_EDGES - 1] = 0
    with pytest.raises(gdsl.GdslError, match=rf"edge {NUM_EDGES - 1} \({COUNT - 1} -> {COUNT - 2}\) has 0"):
        gdsl.compile(SUMS).run(graph, {"weight": weight}, backend="cuda")


def test_sums_over_lists(graph: gdsl.Graph) -> None:
    values = {"damping": 0.85, "tolerance": 0.0, "max_iterations": 5}
    rank = gdsl.compile("pagerank").run(graph, values, backend="cuda").rank.get().astype(np.float64)
    degrees = graph.out_degrees.astype(np.float64)
    expected = np.full(COUNT, 1 / COUNT)
    for _ in range(5):
        sums = np.concatenate([[0], np.cumsum(expected / degrees)])
        first, last = np.maximum(np.arange(COUNT) - REACH, 0), np.minimum(np.arange(COUNT) + REACH, COUNT - 1)
        expected = 0.15 / COUNT + 0.85 * (sums[last + 1] - sums[first] - expected / degrees)
    np.testing.assert_allclose(rank, expected, rtol=1e-3)
