"""How many blocks a multiprocessor is given: few for searches on roads, else many; and registers left for four."""

from __future__ import annotations

import pytest

from gdsl.backends.cuda import plan_of as cuda_plan
from gdsl.pipeline import load
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
        ("strongly_connected_components", ROADS, MANY),  # ends its searches after a few passes
    ],
)
def test_searches_on_roads_take_few_blocks(sample: str, shape: tuple[int, int, int], blocks: int) -> None:
    assert blocks_a_multiprocessor(plan_of(sample), *shape) == blocks
    assert blocks_a_multiprocessor(plan_of(sample, on=target.CUDA_UNFUSED), *shape) == MANY


def test_kernels_with_sets_leave_registers_for_two_blocks() -> None:
    """Those without are small, unless they are kernels of one step each, or the program says how edges are shared."""
    assert {name: resident_threads(plan_of(name)) for name in ("bfs", "triangle_count", "pagerank", "spmv")} == {
        "bfs": 1024,
        "triangle_count": 1024,
        "pagerank": 1536,
        "spmv": None,
    }
    for on in (target.CUDA_UNFUSED, target.CUDA_BALANCED, target.CUDA_ORDERED):
        assert resident_threads(plan_of("pagerank", on=on)) == 1024


@pytest.mark.parametrize(
    "steps, threads",
    [
        ("best = neighbor_reduce(vertices, height, max); compute(vertices, keep);", 1536),
        ("compute(vertices, keep);", 1024),
        ("best = neighbor_reduce(vertices, height, max); f = advance(f, reach);", 1024),
        ("best = neighbor_reduce(vertices, height, max); f = filter(vertices, high);", 1024),
    ],
)
def test_registers_are_left_for_more_blocks_where_all_is_swept(steps: str, threads: int) -> None:
    program = load(f"""program p;
        problem {{ param source : vertex; vertex best : int32; vertex own : int32 = int32(id); }}
        edge functor height(src, dst, e) -> int32 {{ value own[dst]; }}
        edge functor reach(src, dst, e) {{ cond own[dst] > 0; apply {{ own[dst] = 0; }} }}
        vertex functor keep(v) {{ apply {{ own[v] = best[v]; }} }}
        vertex functor high(v) {{ cond own[v] > 3; }}
        schedule {{ frontier f = {{ source }}; repeat (3) {{ {steps} }} }}""")
    assert resident_threads(cuda_plan(program)) == threads
