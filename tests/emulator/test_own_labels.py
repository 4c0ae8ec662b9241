"""What a call keeps in a register while others read it: extremes, former values, and what has changed."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl

from .build import compiler
from .fake_cupy import FakeCupy

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

COUNT = 300
PROGRAM = """program labels;
problem {{
    input vertex first : {kind}; input vertex leader : vertex; vertex x : {kind}; vertex was : {kind};
    vertex twice : bool; vertex last : {kind};
}}
vertex functor follow(v) {{ apply {{
    was[v] = fetch(x[v] {way}= now x[leader[v]]);
    twice[v] = changed(x[v] {way}= now x[leader[v]]);
    if (was[v] != x[v]) {{ x[v] {way}= was[v]; last[v] = x[v]; }}
}} }}
schedule {{ compute(vertices, v => {{ x[v] = first[v]; }}); compute(vertices, follow); }}"""


@pytest.mark.parametrize("way", ["min", "max"])
@pytest.mark.parametrize("kind", ["int32", "int64", "uint32"])
def test_own_values_are_known(cupy: FakeCupy, kind: str, way: str) -> None:
    """Leaders follow themselves, so that any order gives the same."""
    random = np.random.default_rng(4)
    first = random.integers(5, 100, COUNT).astype(kind)
    leader = np.where(np.arange(COUNT) < 20, np.arange(COUNT), random.integers(0, 20, COUNT)).astype(np.int32)
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=COUNT)
    program = gdsl.compile(PROGRAM.format(kind=kind, way=way))
    found = program.run(graph, {"first": first, "leader": leader}, backend="cuda").host_arrays()
    best = (np.minimum if way == "min" else np.maximum)(first, first[leader])
    assert np.array_equal(found["x"], best) and np.array_equal(found["was"], first)
    assert not found["twice"].any()
    assert np.array_equal(found["last"], np.where(best != first, best, 0))
