"""Copies that several GPUs change and merge: the results of the reference in any order of threads, and each mistake in
how they are merged turns something red."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.graphs import grid, make_graph, random_graph
from support.merges import MERGED, merged

from gdsl.binding import bind

from . import build
from .mutants import Mutant, mutants_in
from .mutating import as_params, assert_shows, built_with, findings_on_two_gpus, rewritten, seen_on_gpus
from .running import HUBS, SMALL, TINY, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = (
    make_graph([], 1),
    make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
    make_graph([(at, at + 1) for at in range(69)], 70),
    make_graph(grid(7, 10), 70, directed=False),
    make_graph([(0, at) for at in range(1, 40)] + [(at, at + 39) for at in range(1, 40)], 79, directed=False),
    random_graph(90, 130, seed=5, directed=True),
    random_graph(300, 900, seed=7, directed=False),
)


LIMITED = """program relaxing;
problem { input vertex first : int32; vertex x : int64 = int64(first[id]); }
edge functor g(src, dst, e) { cond src != dst; apply { accept changed(x[far] max= min(x[near], 5)); } }
schedule { frontier f = vertices; while (f) { f = advance(f, g); } }
"""
"""Calls read the value of their member themselves."""


@pytest.mark.parametrize("words", [(), ("without=replicas",)], ids=["whole", "in parts"])
@pytest.mark.parametrize("what", MERGED)
@pytest.mark.sampled(7)
@pytest.mark.rare(3)
def test_results_are_those_of_one_array(what: str, words: tuple[str, ...]) -> None:
    program = program_of(MERGED[what], words)
    built = emulated(program, TINY if len(what) % 2 else SMALL, several_gpus=True)
    assert merged(built.plan) and all(array.unique for array in program.arrays if not array.is_local)
    for graph in GRAPHS:
        for seed in range(3):
            bindings = bind(program, graph, {"source": seed % graph.num_vertices})
            gpus = 2 + seed % 2
            found = built.run(graph, bindings, device_for(seed, blocks=gpus + seed, gpus=gpus))
            assert differences(program, expect(program, graph, bindings), found) == [], (graph, seed)


def test_members_are_passed_over_by_the_value_that_their_calls_read() -> None:
    """Another GPU's copy may have a better one, with which nobody has visited them."""
    program = program_of(LIMITED)
    built = emulated(program, several_gpus=True)
    graph = make_graph([(4, 2), (2, 0), (0, 3), (3, 1), (1, 4), (3, 3)], 5)
    bindings = bind(program, graph, {"first": np.array([5, 1, 0, 3, 0], np.int32)})
    expected = expect(program, graph, bindings)
    for seed in range(25):
        found = built.run(graph, bindings, device_for(seed, blocks=2, gpus=2))
        assert differences(program, expected, found) == [], seed


@pytest.mark.slow
def test_with_bounds_of_hubs() -> None:
    program = program_of("sssp")
    built = emulated(program, on=HUBS, several_gpus=True)
    assert merged(built.plan)
    for seed, graph in enumerate(GRAPHS[1:]):
        bindings = bind(program, graph, {"source": seed % 3})
        found = built.run(graph, bindings, device_for(seed, blocks=4, gpus=2))
        assert differences(program, expect(program, graph, bindings), found) == [], graph


@pytest.mark.slow
@pytest.mark.parametrize("copies", [True, False], ids=["copies", "one array"])
def test_elements_are_changed_on_the_own_gpu_alone(copies: bool) -> None:
    """Where no other GPU looks at them meanwhile, minima need no more than the scope of a device."""
    program = program_of("bellman_ford", () if copies else ("without=merges",))
    built = rewritten(program, lambda text: text.replace("atomicMin_system(", "atomicMin("))
    assert findings_on_two_gpus(built, GRAPHS[-1]) == (set() if copies else {"race"})


@pytest.mark.slow
def test_a_graph_without_vertices() -> None:
    program = program_of(MERGED["labels"].replace("param source : vertex; ", ""))
    graph = make_graph([], 0)
    built = emulated(program, several_gpus=True)
    found = built.run(graph, bind(program, graph, {}), device_for(0, blocks=2, gpus=2))
    assert merged(built.plan) and len(found.arrays["x"]) == 0


@pytest.mark.parametrize("mutant", as_params(mutants_in("of_several_gpus/merges")))
@pytest.mark.sampled(11)
@pytest.mark.rare(3)
def test_a_mistake_is_seen(mutant: Mutant, tmp_path: Path) -> None:
    graphs = (GRAPHS[-1], random_graph(160, 700, seed=3, directed=False))
    built = built_with(mutant, tmp_path, several_gpus=True)
    seen = seen_on_gpus(built, graphs, lambda graph, seed: {"source": seed})
    assert_shows(mutant, seen)
