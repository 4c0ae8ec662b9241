"""Results that each of several GPUs brings to the caller's order for its own vertices: awkward graphs, ids of both
widths, elements of any size; and mistakes in it turn something red."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.graphs import make_graph, random_graph, star

import gdsl
from gdsl.backends.cuda import owned_chunks
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels, Numbering, text_for
from gdsl.backends.cuda.renumbered_graph import RenumberedGraph
from gdsl.binding import bind
from gdsl.types import Widths

from . import build, running
from .driver import EmulatedModule, EmulatorError
from .running import NARROW, SMALL, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

BY_DEGREE = "schedule.layout=by_degree"
BORDER = """program border;
problem {
    param s : vertex;
    input vertex weight : float64;
    input vertex given : vertex;
    vertex own : vertex = id;
    vertex other : vertex;
    vertex three[3] : int32;
    vertex odd[3] : bool;
    vertex both : (int32, float64);
    vertex first : int32 = 1;
    vertex second : int32 = 2;
    vertex level : int32 = -1;
    vertex parent : vertex;
    vertex last : int32;
}
edge functor hear(src, dst, e) -> int32 { value first[dst]; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
vertex functor look(v) {
    apply {
        other[v] = given[v] == none ? none : given[given[v]];
        odd[v][1] = weight[v] > 3; odd[v][2] = v == s;
        three[v][0] = 7; three[v][2] = int32(out_degree(v));
        both[v] = (out_degree(v), weight[v]);
        last[v] = out_degree(v) * 3;
        parent[v] = level[v] > 1 ? v : level[v] == 1 ? s : none;
    }
}
schedule {
    level[s] = 0;
    frontier f = { s };
    while (f) { f = advance(f, visit); }
    compute(vertices, look);
    second = neighbor_reduce(vertices, hear, sum);
    swap(first, second);
}
"""
GRAPHS = {
    "random": lambda: random_graph(150, 400, seed=5, directed=False),
    "directed": lambda: random_graph(131, 500, seed=6, directed=True),
    "star": lambda: make_graph(star(99), 100, directed=False),
    "loops and parallel edges": lambda: make_graph([(0, 5), (0, 5), (5, 5), (3, 5), (99, 2)], 100, directed=False),
    "no edges": lambda: make_graph([], 97),
    "one vertex": lambda: make_graph([(0, 0)], 1),
}


@pytest.fixture(params=[1, 16], autouse=True)
def alike(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs are never even. Few chunks and many."""
    monkeypatch.setattr(owned_chunks, "_UNEVEN", 1e9)
    monkeypatch.setattr(owned_chunks, "_UNLIKE", 1e9)
    monkeypatch.setattr(owned_chunks, "CHUNKS", (request.param,))


def values_for(graph: gdsl.Graph) -> dict[str, Any]:
    count = graph.num_vertices
    given = np.array([-1 if v % 4 == 0 else (v * 7 + 1) % count for v in range(count)], np.int64)
    return {"s": 0, "weight": np.arange(count) / 3, "given": given}


def found_on(graph: gdsl.Graph, gpus: int, widths: Widths = NARROW) -> list[str]:
    """How a run differs from the reference."""
    built = build_program(BORDER, (BY_DEGREE,), SMALL, widths, several_gpus=True)
    bindings = bind(built.program, graph, values_for(graph))
    outcome = built.run(graph, bindings, device_for(gpus, 2 * gpus, gpus=gpus))
    return differences(built.program, expect(built.program, graph, bindings), outcome)


@pytest.mark.parametrize("gpus", [2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_results_in_the_callers_order(monkeypatch: pytest.MonkeyPatch, name: str, gpus: int) -> None:
    put: list[int] = []
    owned = Numbering.put_outside_owned
    monkeypatch.setattr(
        Numbering, "put_outside_owned", lambda self, arrays: (put.append(len(arrays)), owned(self, arrays))
    )
    graph = GRAPHS[name]()
    assert found_on(graph, gpus) == []
    assert put == ([] if graph.num_vertices < 64 else [9])  # all but the bools


def test_results_with_wide_ids() -> None:
    assert found_on(GRAPHS["directed"](), 3, Widths.both(64)) == []


@pytest.mark.parametrize("gpus", [2, 3])
def test_each_gpu_has_its_own_vertices_by_degree(gpus: int) -> None:
    """In equal parts of the new ids, those of equal degree in the caller's order."""
    graph, device, widths = GRAPHS["directed"](), device_for(1, gpus, gpus=gpus), Widths.both(32)
    kernels = Kernels(device, running.renumbering(widths, True).get_function)
    made = RenumberedGraph(kernels, GraphOnDevice(device, graph, widths), graph).numbering
    order, rank = (device.fetch(buffer, np.int32, graph.num_vertices) for buffer in (made.order, made.rank))
    assert (order[rank] == np.arange(graph.num_vertices)).all()
    lists, lengths = (graph.offsets, graph.in_offsets), device.chunk_lengths(graph.num_vertices)
    chunks = owned_chunks.dealt_out(lists, lengths, gpus)
    assert chunks is not None and chunks == made._chunks
    ends = [*(first for first, _ in chunks.pieces[1:]), graph.num_vertices]
    own: list[list[int]] = [[] for _ in range(gpus)]
    for (first, number), end in zip(chunks.pieces, ends, strict=True):
        own[number] += range(first, end)
    degrees = graph.out_degrees + graph.in_degrees
    expected = [v for vertices in own for v in sorted(vertices, key=lambda v: (-degrees[v], v))]
    assert order.tolist() == expected


MISTAKES = [
    ("own[part / tiles], end", "own[0] + 0 * (part / tiles), end"),
    ("v < end ? places[v] : Place(0)", "v < end ? (Place)v : Place(0)"),
    ("if (v < end) __stcs", "__stcs"),
    ("v < end ? places[v] : vertex(0)", "v < end ? (vertex)v : vertex(0)"),
    ("if (v < end) { __stcs", "{ __stcs"),
    ("named(other_names, two[k])", "two[k]"),
    ("one[k] = from[place[k]]; two[k] = other[place[k]];", "one[k] = from[place[k]]; two[k] = from[place[k]];"),
    ("(unsigned)of[id] : ~0u", "(unsigned)of[id] : 0u"),
    ("begin + length < vertices ? begin + length : vertices", "begin + length"),
    ("each + i % each]);\n            }\n            continue;", "each]);\n            }\n            continue;"),
    ("tile_begin + tile < end ? tile_begin + tile : end;", "tile_begin + tile;"),
    ("begin + length < count ? begin + length : count", "begin + length"),
    ("keys[i] & 0x7FFFFFFFull", "keys[i] & 0xFFFFFFFFull"),
]


@pytest.mark.parametrize("mistake", [None, *MISTAKES], ids=range(len(MISTAKES) + 1))
@pytest.mark.sampled(5)
def test_a_mistake_is_seen(monkeypatch: pytest.MonkeyPatch, mistake: tuple[str, str] | None) -> None:
    monkeypatch.setattr(owned_chunks, "CHUNKS", (4,))  # so that each GPU has several
    source = text_for(Widths.both(32), several_gpus=True)
    if mistake is not None:
        assert mistake[0] in source, "its text is no longer there; find its place anew"
        module = EmulatedModule(source.replace(*mistake), "renumbering.cu")
        monkeypatch.setattr(running, "renumbering", lambda *of: module)
    found: list[str] = []
    for name in ("random", "directed", "star"):
        try:
            found += found_on(GRAPHS[name](), 2)
        except EmulatorError as error:
            found.append(str(error))
    assert bool(found) == (mistake is not None)
