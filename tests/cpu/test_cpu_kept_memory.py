"""Memory that runs hand on to each other: never what is the caller's, and not without end."""

from __future__ import annotations

import gc
import resource
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdsl.backends.cpu.compiled import CpuBackend
from gdsl.backends.cpu.executable import CpuExecutable
from gdsl.backends.cpu.kept_rooms import MOST, SMALLEST, KeptRooms
from gdsl.backends.interface import Limits, Outcome
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.pipeline import load

SWAPPED = """program swapped;
problem {
    param  times : int32;
    param  start : int64;
    vertex there : int64 = start;
    local vertex here : int64;
    local vertex never : int64;
}
schedule {
    while (iteration < times) {
        compute(vertices, (v) => { here[v] = there[v] + 1; never[v] += there[v]; });
        swap(here, there);
    }
    compute(vertices, (v) => { if (never[v] < 0) { there[v] = -1; } });
}
"""
WRONG_INDEX = """program wrong;
problem { param at : int64; vertex a : int64; local vertex b : int64; }
schedule {
    fill(b, 7);
    compute(vertices, (v) => { if (v == 0) { b[at] = 8; } });
    compute(vertices, (v) => { a[v] = b[v]; });
}
"""


def weighted(graph: Graph) -> Graph:
    """Its edges both ways, with weights."""
    sources, targets = graph.edges
    weights = ((sources + targets) % 7 + 1).astype(np.float32)
    return Graph.from_edges(sources, targets, graph.num_vertices, weights, directed=False)


LARGE = weighted(Graph.generate("grid", rows=300, columns=300))
REPEATED = [weighted(Graph.generate("rmat", scale=14, edge_factor=16, seed=seed)) for seed in (1, 2)]


def fresh(text: str) -> CpuExecutable:
    """The program of a text or path, of which nothing has run yet."""
    return CpuBackend().build(load(text), 32)


def ran(ready: CpuExecutable, graph: Graph, **given: Any) -> Outcome:
    return ready.run(graph, bind(ready.program, graph, given, id_bits=32), Limits())


@pytest.mark.parametrize("times", [[1, 2, 3, 4], [2, 1, 1, 2, 2], [0, 1, 0]], ids=str)
def test_results_are_never_the_memory_of_a_later_run(times: list[int]) -> None:
    """Whichever of two arrays is the result, after an even or an odd number of swaps."""
    ready = fresh(SWAPPED)
    found = [ran(ready, LARGE, times=each, start=100 * place).arrays["there"] for place, each in enumerate(times)]
    for place, (each, values) in enumerate(zip(times, found, strict=True)):
        assert (values == 100 * place + each).all()
    assert len({values.ctypes.data for values in found}) == len(times)


def test_a_run_has_the_memory_of_the_one_before() -> None:
    ready = fresh(SWAPPED)
    addresses = []
    for _ in range(3):
        ran(ready, LARGE, times=1, start=0)
        (rooms,) = ready.kept_rooms._idle
        addresses.append({room.ctypes.data for room in rooms})
    assert len(addresses[0]) == 2
    assert addresses[0] & addresses[1]
    assert addresses[1] & addresses[2]


def test_contractions_hand_their_memory_on() -> None:
    """Pages that a run asks the system for: the first all, the third few."""
    ready = fresh("samples/louvain.gdsl")
    faults = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        ran(ready, REPEATED[0])
        faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    assert faults[2] < faults[0] / 2


def test_memory_goes_with_the_program() -> None:
    """Also that of a library that stays: the next one of the same text asks the system for pages again."""
    text = Path("samples/louvain.gdsl").read_text().replace("program louvain", "program once_more")
    compiled = load(text)
    backend = CpuBackend()

    def faults(ready: CpuExecutable) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        ran(ready, REPEATED[1])
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    ready = backend.build(compiled, 32)
    first, _, third = (faults(ready) for _ in range(3))
    library = weakref.ref(ready.library)
    del ready
    gc.collect()
    assert library() is None
    assert third < first / 2 < faults(backend.build(compiled, 32))


@pytest.mark.parametrize("sample", ["louvain", "minimum_spanning_forest", "betweenness", "pagerank"])
def test_memory_of_another_graph_changes_nothing(sample: str) -> None:
    path = f"samples/{sample}.gdsl"
    ready = fresh(path)
    graphs = [*REPEATED, LARGE, weighted(Graph.from_edges([0], [1], 3))]

    def values(graph: Graph) -> dict[str, Any]:
        return {"sources": np.arange(graph.num_vertices) == 1} if sample == "betweenness" else {}

    expected = [ran(fresh(path), graph, **values(graph)) for graph in graphs]
    for _ in range(2):
        for graph, wanted in zip(graphs, expected, strict=True):
            found = ran(ready, graph, **values(graph))
            for array in ready.program.arrays:
                if array.name in found.arrays and array.unique and not array.type.is_float:
                    np.testing.assert_array_equal(found.arrays[array.name], wanted.arrays[array.name])


def test_runs_at_once_have_memory_of_their_own() -> None:
    ready = fresh("samples/louvain.gdsl")
    expected = [ran(fresh("samples/louvain.gdsl"), graph).scalars for graph in REPEATED]
    wrong: list[int] = []

    def work(place: int) -> None:
        for _ in range(3):
            if ran(ready, REPEATED[place % 2]).scalars != expected[place % 2]:
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_run_that_is_stopped_hands_its_memory_on() -> None:
    ready = fresh(WRONG_INDEX)
    for at in (-1, 5, 10**9, 6):
        try:
            found = ran(ready, LARGE, at=at).arrays["a"]
        except GdslError as error:
            assert error.code == "E0801" and at not in (5, 6)
        else:
            assert found[0] in (7, 8) and (found[7:] == 7).all()
        assert [len(room) for room in ready.kept_rooms._idle[0]] == [LARGE.num_vertices]


def test_what_is_kept_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays are not kept, and of large ones no more than a fixed number of bytes."""
    kept = KeptRooms()
    small, large = SMALLEST // 8 - 1, SMALLEST // 8
    monkeypatch.setattr("gdsl.backends.cpu.kept_rooms.MOST", 3 * SMALLEST)
    run = kept.begin()
    rooms = [run.room(count, np.dtype(np.int64)) for count in (small, large, large, large, large)]
    run.end(lambda: [rooms[1]])
    assert [room.ctypes.data for room in kept._idle[0]] == [room.ctypes.data for room in rooms[2:5]]
    assert MOST == 1 << 30


def test_kept_memory_goes_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptRooms()
    first = kept.begin()
    first.room(SMALLEST, np.dtype(np.int64))
    first.end(list)
    second = kept.begin()
    made: list[int] = []

    def scarce(count: int, dtype: np.dtype[Any]) -> Any:
        made.append(count)
        if len(made) == 1:
            raise MemoryError
        return np.empty(count, dtype)

    monkeypatch.setattr("gdsl.backends.cpu.kept_rooms.room_for", scarce)
    assert len(second.room(2 * SMALLEST, np.dtype(np.int64))) == 2 * SMALLEST
    assert made == [2 * SMALLEST] * 2 and second._idle == []
