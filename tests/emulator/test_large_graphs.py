"""What graphs of very many edges have of their own on the cuda backend, with few that are taken for many; the emulator
takes CuPy's place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import building
from gdsl.graph import lazy_csr, vertices
from gdsl.graph.csr import transposed_by
from gdsl.types import Widths
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy, OutOfMemoryError

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

COUNT = 12
NARROW = Widths.both(32)
SMALL = ["schedule.block=32"]


MANY_EDGES = """program many_edges;
problem {
    param start : vertex;
    input edge cost : int32 where cost[id] > 0;
    vertex level : int32 = -1;
    vertex by : edge = none;
    vertex from_here : vertex = none;
    edge mirrored : edge = none;
    scalar last : edge = 0;
}
edge functor visit(src, dst, e) {
    cond level[dst] == -1;
    apply { level[dst] = iteration + 1; from_here[dst] any= src; }
}
edge functor note(src, dst, e) { apply { by[dst] min= e; mirrored[e] = reverse(e); last max= e; } }
schedule {
    level[start] = 0;
    frontier f = {start};
    while (f) { f = advance(f, visit); }
    advance(vertices, note, to=none);
}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", ["cuda", "cpu"])
def test_only_the_edges_of_a_graph_may_need_wide_ids(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    """As with more than 2^31 edges: here so few are many."""
    program, graph = gdsl.compile(MANY_EDGES, tune=SMALL), make_graph(path(COUNT), COUNT, directed=False)
    cost = np.ones(graph.num_edges, np.int32)
    narrow = program.run(graph, {"start": 3, "cost": cost}, backend=backend).host_arrays()
    for wide_from, widths in ((COUNT + 1, Widths(32, 64)), (COUNT, Widths(64, 64)), (graph.num_edges + 1, NARROW)):
        monkeypatch.setattr(vertices, "WIDE_FROM", wide_from)
        made = make_graph(path(COUNT), COUNT, directed=False)
        assert (made.id_widths, made.id_bits) == (widths, widths.edge)
        result = program.run(made, {"start": 3, "cost": cost}, backend=backend)
        found = result.host_arrays()
        kinds = {name: values.dtype.itemsize * 8 for name, values in found.items()}
        assert kinds["from_here"] == widths.vertex
        assert kinds["by"] == kinds["mirrored"] == widths.edge
        assert result.last == graph.num_edges - 1
        for name, values in narrow.items():
            if name != "from_here":
                np.testing.assert_array_equal(found[name], values, err_msg=name)
    monkeypatch.setattr(vertices, "WIDE_FROM", COUNT + 1)
    with pytest.raises(gdsl.GdslError, match="the graph needs 64 bits an id"):
        gdsl.compile(MANY_EDGES, tune=[*SMALL, "schedule.ids=32"]).run(
            make_graph(path(COUNT), COUNT, directed=False), {"start": 3, "cost": cost}, backend=backend
        )


@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph_is_put_in_order_where_it_runs(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch, directed: bool
) -> None:
    """What was made on the device is used there, in both directions, and does not go over again; without room for it
    the host makes the same graph."""

    def arrays(*parts: Any) -> tuple[Any, ...]:
        return tuple(cupy.asarray(np.array(part, np.int32)) for part in parts)

    def in_order(_: Any, edges: Any) -> tuple[Any, ...]:
        return *arrays(edges.csr().offsets, edges.csr().columns), None

    def out_of_memory(*_: Any) -> None:
        raise OutOfMemoryError

    monkeypatch.setattr(lazy_csr, "LARGE", 1)
    monkeypatch.setattr(building, "fetched", lambda _, array: array.get())
    monkeypatch.setattr(building, "transposed_by", lambda _, *csr: arrays(*transposed_by(np, *(a.get() for a in csr))))
    program = gdsl.compile("bfs", tune=[*SMALL, "visit.direction=pull"])
    ends = np.arange(COUNT - 1), np.arange(1, COUNT)
    expected = list(range(COUNT))
    for make, needed, placed in ((in_order, 32, True), (in_order, 1 << 60, False), (out_of_memory, 32, False)):
        monkeypatch.setattr(building, "_in_order", make)
        monkeypatch.setattr(building, "_BYTES_PER_EDGE", needed)
        graph = gdsl.Graph.from_edges(*ends, COUNT, directed=directed)
        assert graph._lazy_csr is not None
        cupy.log.clear()
        assert program(graph, source=0, backend="cuda").distance.get().tolist() == expected
        assert (graph._parts is not None) == placed
        assert graph._lazy_csr is None
        assert graph.num_edges == (COUNT - 1) * (1 if directed else 2)
        if placed:
            assert cupy.log["upload"] == (5 if directed else 2), "the parts themselves"
            assert program(graph, source=1, backend="reference").distance.tolist()[1:] == expected[:-1]


def test_values_of_edges_that_were_put_in_order_on_the_device_are_there(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)

    def in_order(_: Any, edges: Any) -> tuple[Any, ...]:
        csr = edges.csr()
        order = np.argsort(edges.edges.sources, kind="stable")
        return *(cupy.asarray(np.array(part, np.int32)) for part in (csr.offsets, csr.columns)), order

    class Uploaded:
        def __init__(self, _: Any, values: Any) -> None:
            self.values = values

        def __getitem__(self, order: Any) -> Any:
            return cupy.asarray(self.values[order])

    monkeypatch.setattr(lazy_csr, "LARGE", 1)
    for name, made in (("fetched", lambda _, array: array.get()), ("uploaded", Uploaded), ("_in_order", in_order)):
        monkeypatch.setattr(building, name, made)
    ends = np.arange(8)[::-1].copy(), np.arange(1, 9)[::-1].copy()
    for kind in (np.float32, np.int32):  # one that the program takes as it is, and one that is converted there
        graph = gdsl.Graph.from_edges(*ends, weights=weights[::-1].astype(kind))
        program = gdsl.compile("sssp", tune=SMALL)
        cupy.log.clear()
        assert program(graph, source=0, backend="cuda").distance.get().tolist() == [0, *np.cumsum(weights)]
        assert isinstance(graph._parts, building.Parts)
        assert np.array_equal(graph.attributes["weight"], weights)
        assert cupy.log["upload"] == 3, "the three parts themselves"
