"""The generators: simple, symmetric, of the promised sizes, and the same on every machine."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from graph_cases import assert_same
from hypothesis import given
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.graph import describe, generate, grid, looks_like_generator, open_graph, rmat, uniform
from gdsl.graph.generators import mixed_integer, permuted


def fingerprint(graph):
    return hashlib.sha256(graph.offsets.tobytes() + graph.columns.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("spec", ["rmat:10", "rmat:0", "rmat:1:50", "rmat:9:4:seed=7", "grid:20", "grid:1x9",
                                  "grid:7x3:keep=0.5:seed=9", "uniform:300:900", "uniform:6:15", "uniform:0:0",
                                  "uniform:1:0:seed=5"])  # fmt: skip
def test_simple_and_symmetric(spec):
    graph = generate(spec)
    assert not graph.directed
    assert graph.first_duplicate_or_loop() is None
    assert np.array_equal(graph.in_offsets, graph.offsets)
    assert np.array_equal(graph.in_sources, graph.columns)
    assert_same(graph, open_graph(spec))


def test_the_same_edges_as_ever():
    known = {spec: fingerprint(generate(spec)) for spec in ("rmat:8", "grid:30", "uniform:100:300")}
    assert known == {"rmat:8": "9c12d789573d506f", "grid:30": "fb1cdd62cb7726a6", "uniform:100:300": "b7633998f2b212ab"}
    assert mixed_integer(1) == 0x5692161D100B05E5


def test_seeds_differ():
    assert len({fingerprint(rmat(8, seed=seed)) for seed in range(5)}) == 5
    assert len({fingerprint(grid(30, seed=seed)) for seed in range(5)}) == 5
    assert len({fingerprint(uniform(100, 300, seed=seed)) for seed in range(5)}) == 5


def test_rmat_has_hubs_and_about_the_published_share_of_edges():
    info = describe(rmat(12))
    assert info.vertices == 4096
    assert 0.7 * 16 * 4096 < info.edges < 0.95 * 16 * 4096
    assert info.degree_max > 20 * info.degree_mean
    # Shuffled: hubs are not the low ids.
    assert np.argmax(rmat(12).out_degrees) != 0


def test_grid_keeps_its_share_and_only_neighbors():
    graph = grid(50, 40, keep=0.75)
    assert abs(graph.num_edges / 2 / (49 * 40 + 50 * 39) - 0.75) < 0.03
    assert set(np.unique(np.abs(graph.columns - graph.edge_sources))) == {1, 40}
    assert grid(50, 40, keep=1).num_edges == 2 * (49 * 40 + 50 * 39)
    assert grid(5, keep=0).num_edges == 0


@given(st.integers(0, 40), st.data())
def test_uniform_has_exactly_its_edges(vertices, data):
    edges = data.draw(st.integers(0, vertices * (vertices - 1) // 2))
    graph = uniform(vertices, edges, seed=data.draw(st.integers(0, 99)))
    assert (graph.num_vertices, graph.num_edges) == (vertices, 2 * edges)
    assert graph.first_duplicate_or_loop() is None


@given(st.integers(1, 12), st.integers(0, 2**64 - 1))
def test_permutations(bits, seed):
    values = permuted(np.arange(1 << bits, dtype=np.uint64), bits, seed)
    assert sorted(values.tolist()) == list(range(1 << bits))


@pytest.mark.parametrize("word", ["-1", "1e1", "9" * 21, "٣"])
def test_numbers_that_a_generator_does_not_take(word):
    with pytest.raises(GdslError, match=f"`{word}` in `rmat:{word}` is not a whole number of up to 20 digits"):
        open_graph(f"rmat:{word}")


def test_large_pairs_are_exact():
    graph = uniform(2**20, 3)
    assert graph.num_edges == 6
    assert graph.edge_sources.max() < 2**20


@pytest.mark.parametrize("spec", ["rmat:", "rmat:x", "rmat:99", "rmat:4:4:4", "rmat:4:keep=1", "grid:0", "grid:3x",
                                  "grid:3x4x5", "grid:4:keep=2", "grid:4:keep=-1", "uniform:5", "uniform:5:11",
                                  "uniform:5:5:seed=1:seed=2", "rmat:5:seed=", "star:5",
                                  "rmat:5:seed=99999999999999999999"])  # fmt: skip
def test_unusable_specs(spec):
    with pytest.raises(GdslError) as caught:
        generate(spec)
    assert caught.value.code == "E0713"
    assert "fix:" in str(caught.value)


def test_a_graph_too_large_for_the_machine(monkeypatch):
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 10**10)
    for spec in ("rmat:31:1000000", "uniform:2000000000:1000000000000", "grid:50000"):
        with pytest.raises(GdslError, match="E0708"):
            generate(spec)


def test_what_looks_like_a_generator():
    assert looks_like_generator("rmat:18")
    assert not looks_like_generator("rmat.mtx")
    assert not looks_like_generator("C:rmat")
