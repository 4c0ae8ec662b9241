"""Warps whose lists have more edges together than a warp's share: they leave the longer ones to all warps."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.binding import bind

from .build import compiler
from .mutants import Mutant
from .mutating import templates_with
from .running import SMALL, Built, device_for, emulated, expect, program_of

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

UNEVEN = dataclasses.replace(SMALL, hub_degree=4, hub_chunk=3, reduced_hub=30, reduced_chunk=6)
"""Lists of 4 to 29 edges are cut where a warp has too many of them."""
COUNT = 6000
SUMS = """program sums;
problem { vertex total : int64; vertex least : int32; vertex beside : int64; }
schedule {
    total = neighbor_reduce(vertices, (src, dst, e) => int64(dst) * int64(dst) + 1, sum);
    least = neighbor_reduce(vertices, (src, dst, e) => int32(dst) ^ 5, min, over=in_edges);
    beside = neighbor_reduce(where(v => v < 70), (src, dst, e) => int64(src) - int64(dst), sum, over=all_edges);
}
"""


def by_degree(longest: int) -> gdsl.Graph:
    """One list of `longest` edges, 63 of 25, which two warps have, and many of 2."""
    lengths = np.full(COUNT, 2)
    lengths[:64] = 25
    lengths[0] = longest
    source = np.repeat(np.arange(COUNT), lengths)
    place = np.arange(source.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return gdsl.Graph.from_edges(source, (source * 3 + place * 7 + 1) % COUNT, num_vertices=COUNT, directed=True)


def run_and_compare(built: Built, longest: int, blocks: int) -> bool:
    graph = by_degree(longest)
    bindings = bind(built.program, graph, {})
    found = built.run(graph, bindings, device_for(1, blocks=blocks))
    expected = expect(built.program, graph, bindings)
    return all(np.array_equal(found.arrays[name], values) for name, values in expected.arrays.items())


@pytest.mark.parametrize("longest", [29, 30, 200])
@pytest.mark.parametrize("blocks", [1, 5])
def test_reductions_over_lists_of_any_warp(longest: int, blocks: int) -> None:
    assert run_and_compare(emulated(program_of(SUMS), UNEVEN), longest, blocks)


@pytest.mark.slow
def test_what_is_more_than_a_share_is_left(tmp_path: Path) -> None:
    """Where groups of lanes bring nothing, lists of 25 edges have their sums only if they are left to all warps: two
    warps have 800 edges each, which is more than a fourth of a tenth of all, but less than a fourth of a half. Nothing
    is left where no list is cut anyway."""
    old, new = "{ reduced = brought; }", "{ reduced = identity; }"
    program = SUMS.replace("int32(dst) ^ 5, min, over=in_edges", "int32(dst) ^ 5, min, over=out_edges")
    program = "\n".join(line for line in program.splitlines() if "beside =" not in line) + "\n"
    nothing = Mutant("groups bring nothing", "runtime/reduce.cuh", old, new, program, "result")
    with templates_with(nothing, tmp_path):
        built = emulated(program_of(program), UNEVEN)
    assert run_and_compare(built, 30, 5)
    assert not run_and_compare(built, 30, 1)
    assert not run_and_compare(built, 29, 5)
