"""How many blocks a multiprocessor is given: few for searches on roads, else many."""

from __future__ import annotations

import pytest

from gdsl.plan import target
from gdsl.plan.grids import FEW, MANY, blocks_a_multiprocessor, resident_threads

from .planning import plan_of

ROADS, SOCIAL, STAR = (9_000_000, 32_000_000, 4), (4_000_000, 128_000_000, 163_000), (1000, 1998, 999)


@pytest.mark.parametrize(
    "sample, shape, blocks",
    [
        ("bfs", ROADS, FEW),
        ("sssp", ROADS, FEW),
        ("bfs", SOCIAL, MANY),
        ("bfs", STAR, MANY),
        ("pagerank", ROADS, MANY),  # has no frontiers
        ("connected_components", ROADS, MANY),  # advances without a result
    ],
)
def test_searches_on_roads_take_few_blocks(sample: str, shape: tuple[int, int, int], blocks: int) -> None:
    assert blocks_a_multiprocessor(plan_of(sample), *shape) == blocks
    assert blocks_a_multiprocessor(plan_of(sample, on=target.CUDA_UNFUSED), *shape) == MANY


def test_kernels_with_sets_leave_registers_for_two_blocks() -> None:
    """Those that only sweep and reduce for three, and the others for as many as the compiler sees fit; but kernels of
    one step each, or whose edges are shared as the program says, have a number of their own."""
    names = {"bfs": 1024, "triangle_count": 1024, "pagerank": 1536, "spmv": None, "components_hook_and_jump": None}
    assert {name: resident_threads(plan_of(name)) for name in names} == names
    for on in (target.CUDA_UNFUSED, target.CUDA_BALANCED, target.CUDA_ORDERED):
        assert resident_threads(plan_of("pagerank", on=on)) == 1024
