"""What calls on the cuda backend ask of the device, and whose memory is whose; the emulator takes CuPy's place."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy, install

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

COUNT = 12
SMALL = ["schedule.block=32"]
SCALED = """program scaled;
problem {
    param factor : float32 = 2;
    input edge weight : float32;
    input vertex x : float32;
    vertex y : float32;
    scalar total : float64 = 0;
}
vertex functor scale(v) { apply { y[v] = factor * x[v]; total += y[v]; } }
edge functor add(src, dst, e) { apply { total += float64(weight[e]); } }
schedule { compute(vertices, scale); advance(vertices, add, to=none); }
"""
CHANGING = """program changing;
problem { vertex a : int32 = 1; vertex b : int32 = 2; scalar s : int32 = 3; scalar t : int32 = 4; }
vertex functor add(v) { apply { b[v] = a[v] + b[v]; } }
schedule { repeat (3) { compute(vertices, add); swap(a, b); swap(s, t); } }
"""


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    return install(monkeypatch)


@pytest.fixture
def graph() -> gdsl.Graph:
    weight = {"weight": np.ones(2 * (COUNT - 1), np.float32)}
    made = make_graph(path(COUNT), COUNT, directed=False)
    return gdsl.Graph(made.offsets, made.columns, directed=False, attributes=weight)


def distances(source: int) -> list[int]:
    return [abs(vertex - source) for vertex in range(COUNT)]


@pytest.mark.parametrize("fuse", [True, False])
def test_a_result_stays_what_it_was(cupy: FakeCupy, graph: gdsl.Graph, fuse: bool) -> None:
    program = gdsl.compile("bfs", tune=[*SMALL, f"schedule.fuse={'on' if fuse else 'off'}"])
    results = [program(graph, source=source, backend="cuda") for source in range(4)]
    assert [result.distance.get().tolist() for result in results] == [distances(source) for source in range(4)]
    assert len({array.data.ptr for result in results for array in result.arrays.values()}) == 8
    for source, result in enumerate(results):
        reached = COUNT - 1 - min(source, COUNT - 1 - source)
        assert [record.iteration for record in result.trace][-1] >= reached - 1
        assert result.trace[0].frontier_size == 1
        assert result.trace is result.trace


def test_a_call_on_a_known_graph_does_little(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    for source in (0, 1):
        program(graph, source=source, backend="cuda")
    cupy.log.clear()
    program(graph, source=2, backend="cuda")
    assert cupy.log == {"alloc": 2, "copy out": 1, "launch": 1, "copy back": 1}, "two results, and nothing else"
