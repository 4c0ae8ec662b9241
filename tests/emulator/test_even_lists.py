"""Lists of about the same length, which a thread each reduces, and the same with one that is much longer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.binding import bind

from .build import compiler
from .fake_cupy import FakeCupy
from .mutants import Mutant
from .mutating import built_with
from .running import SMALL, device_for, expect, program_of

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

COUNT = 700
SUMS = """program sums;
problem { vertex total : int64; vertex least : int32; }
schedule {
    total = neighbor_reduce(vertices, (src, dst, e) => int64(dst) * int64(dst) + 1, sum);
    least = neighbor_reduce(vertices, (src, dst, e) => int32(dst) ^ 5, min, over=in_edges);
}
"""


@pytest.mark.parametrize("longest", [12, 40, 64, 65, 300])
def test_reductions_over_lists_of_any_evenness(cupy: FakeCupy, longest: int) -> None:
    """Lists of 9 to 12 edges, and one of `longest`: up to 40 it is walked as the others are."""
    lengths = 9 + np.arange(COUNT) % 4
    lengths[17] = longest
    source = np.repeat(np.arange(COUNT), lengths)
    place = np.arange(source.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    graph = gdsl.Graph.from_edges(source, (source * 3 + place * 7 + 1) % COUNT, num_vertices=COUNT, directed=True)
    program = gdsl.compile(SUMS, tune=["schedule.block=32"])
    expected = program.run(graph, {}, backend="reference").host_arrays()
    found = program.run(graph, {}, backend="cuda").host_arrays()
    for name, values in expected.items():
        assert np.array_equal(found[name], values), name


@pytest.mark.slow
@pytest.mark.parametrize("longest", [9, 400])
def test_a_list_that_a_thread_walks_is_walked_once(tmp_path: Path, longest: int) -> None:
    """Where groups of lanes bring nothing, even lists have their sums: these are longer than a thread walks otherwise,
    and than eight lanes do. With one list that is much longer they have not."""
    old, new = "{ reduced = brought; }", "{ reduced = identity; }"
    nothing = Mutant("groups bring nothing", "runtime/reduce.cuh", old, new, SUMS, "result")
    assert SMALL.grouped_list < 7 and SMALL.reduced_hub > 9
    lengths = 7 + np.arange(COUNT) % 3
    lengths[17] = longest
    source = np.repeat(np.arange(COUNT), lengths)
    graph = gdsl.Graph.from_edges(source, np.arange(source.size) % COUNT, num_vertices=COUNT, directed=True)
    built = built_with(nothing, tmp_path, program_of(SUMS))
    bindings = bind(built.program, graph, {})
    found, expected = built.run(graph, bindings, device_for(1)), expect(built.program, graph, bindings)
    assert np.array_equal(found.arrays["total"], expected.arrays["total"]) is (longest == 9)
