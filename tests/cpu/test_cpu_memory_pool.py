"""Memory that runs hand on to each other: never what is the caller's, and not without end."""

from __future__ import annotations

import gc
import subprocess
import weakref
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from gdsl.backends.cpu.library import Library
from gdsl.codegen.templates import template_text
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.native import compiler as compilers
from tests.cpu.running import SWAPPED, fresh, idle, in_threads, ran

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


def test_a_run_has_the_memory_of_the_one_before() -> None:
    ready = fresh(SWAPPED)
    addresses = []
    for _ in range(3):
        ran(ready, LARGE, times=1, start=0)
        addresses.append(idle(ready))
    assert len(addresses[0]) == 2
    assert addresses[0] & addresses[1]
    assert addresses[1] & addresses[2]


BLOCKS = """
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>
#include <vector>
namespace {
%s
}
int main() {
    constexpr std::size_t LARGE = pooled_blocks::SMALLEST;
    void* first = nullptr;
    {
        memory_of_run memory;
        first = allocated(LARGE);
        void* const small = allocated(LARGE - 1);
        assert(std::uintptr_t(first) %% 16 == 0 && std::uintptr_t(small) %% 16 == 0);
        freed(small);
        assert(blocks_of_run->idle.empty());    // too small
        freed(first);
        assert(blocks_of_run->bytes == LARGE);
        assert(allocated(LARGE) == first);      // in the same run
        freed(first);
    }
    assert(blocks_of_run == nullptr && between_runs.blocks->bytes == LARGE);
    {
        memory_of_run memory;
        assert(between_runs.blocks == nullptr); // a run at once has nothing of it
        void* const twice = allocated(2 * LARGE);
        assert(twice != first);
        void* const near = allocated(LARGE - 9);
        assert(near == first);                  // a smaller one has it, too
        std::thread other([near] { assert(blocks_of_run == nullptr); freed(allocated(LARGE)); (void)near; });
        other.join();
        freed(near);
        freed(twice);
        assert(blocks_of_run->bytes == 3 * LARGE);
    }
    {
        memory_of_run memory;
        freed(allocated(2 * LARGE));
        assert(blocks_of_run->bytes == 3 * LARGE);
    }
    assert(between_runs.blocks->bytes == 2 * LARGE);  // the other one was of no use
    {
        memory_of_run memory;
        bool thrown = false;
        try {
            allocated(std::size_t(-1) - 3);
        } catch (const std::bad_alloc&) { thrown = true; }
        assert(thrown && blocks_of_run->bytes == 2 * LARGE);
        thrown = false;
        try {
            allocated(std::size_t(-1) / 4);
        } catch (const std::bad_alloc&) { thrown = true; }
        assert(thrown && blocks_of_run->idle.empty() && blocks_of_run->bytes == 0);  // all that there was has gone
    }
    between_runs.let_go();
    assert(between_runs.blocks == nullptr);
}
"""


def test_blocks_of_generated_code(tmp_path: Path) -> None:
    """What one run lets go of the next one has; what it had no use for goes."""
    compiler = compilers.find_compiler()
    assert compiler is not None
    text = template_text("cpu", "runtime", "memory_pool.hpp")
    (tmp_path / "blocks.cpp").write_text(BLOCKS % text)
    program = tmp_path / "blocks"
    words = [*compiler.command, "-std=c++17", "-O1", "-pthread", str(tmp_path / "blocks.cpp"), "-o", str(program)]
    subprocess.run(words, check=True)
    subprocess.run([program], check=True)


@pytest.mark.slow
def test_memory_goes_with_the_program() -> None:
    """Also that of a library that stays."""
    asked: list[object] = []
    ready = fresh("samples/louvain.gdsl")
    library = weakref.ref(ready.library)
    (found,) = [each for each in _finalizers(ready.library) if each[1] == (None,)]
    assert found[0] is ready.library.release
    ran(ready, REPEATED[1])
    weakref.finalize(ready.library, asked.append, "gone")
    del ready, found
    gc.collect()
    assert library() is None
    assert asked == ["gone"]


def _finalizers(library: Library) -> list[tuple[Any, tuple[Any, ...]]]:
    """The functions that are called when it goes, and what with."""
    registered = cast("Any", weakref.finalize)._registry
    return [(each.func, each.args) for each in registered.values() if each.weakref() is library]


@pytest.mark.parametrize("sample", ["minimum_spanning_forest", "louvain", "betweenness", "pagerank"])
@pytest.mark.slow
@pytest.mark.rare(4)
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


@pytest.mark.slow
def test_runs_at_once_have_memory_of_their_own() -> None:
    ready = fresh("samples/louvain.gdsl")
    expected = [ran(fresh("samples/louvain.gdsl"), graph).scalars for graph in REPEATED]
    wrong: list[int] = []

    def work(place: int) -> None:
        for _ in range(3):
            if ran(ready, REPEATED[place % 2]).scalars != expected[place % 2]:
                wrong.append(place)

    in_threads(work)
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
        assert len(idle(ready)) == (1 if at in (5, 6) else 2)


def test_a_result_whose_trace_is_unread_keeps_no_program_alive() -> None:
    import gdsl
    from gdsl.backends.cpu.run import LoadedProgram

    def loaded() -> list[LoadedProgram]:
        return [each for each in gc.get_objects() if isinstance(each, LoadedProgram)]

    before = {id(each) for each in loaded()}
    program = gdsl.compile("bfs", tune=["bounds=off"])
    result = program(gdsl.Graph.read("karate"), source=0, backend="cpu")
    references = [weakref.ref(each) for each in loaded() if id(each) not in before]
    assert references
    del program
    gc.collect()
    assert [each() for each in references] == [None] * len(references)
    assert result.trace
