"""How many blocks a multiprocessor is given: few for searches on roads, else many; and registers left for four."""

from __future__ import annotations

import pytest

from gdsl.backends.cuda import plan_of as cuda_plan
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.occupancy import COUNTING_BLOCK, FEWEST_BLOCKS, MOST_BLOCKS, blocks_a_multiprocessor, resident_threads

from .planning import DEEP, ROOT, SHORT_LISTS, plan_of

ROADS, TOWN = (9_000_000, 32_000_000, 4), (114_599, 239_332, 6)
SOCIAL, STAR = (4_000_000, 128_000_000, 163_000), (1000, 1998, 999)


@pytest.mark.parametrize(
    "sample, shape, blocks",
    [
        ("bfs", ROADS, FEWEST_BLOCKS),
        ("sssp", ROADS, FEWEST_BLOCKS),
        ("bfs", SOCIAL, MOST_BLOCKS),
        ("bfs", STAR, MOST_BLOCKS),
        ("pagerank", ROADS, MOST_BLOCKS),  # has no frontiers
        ("k_core", ROADS, MOST_BLOCKS),  # begins with all vertices
        ("louvain", ROADS, MOST_BLOCKS),
        ("louvain", TOWN, FEWEST_BLOCKS),  # no more vertices than few blocks have threads
        ("betweenness", ROADS, FEWEST_BLOCKS),
        ("connected_components", ROADS, MOST_BLOCKS),  # advances without a result
        ("strongly_connected_components", ROADS, MOST_BLOCKS),  # begins with all vertices, and mostly reduces
        ("label_propagation", ROADS, MOST_BLOCKS),  # asks all vertices in each pass
    ],
)
@pytest.mark.sampled(2)
def test_searches_on_roads_take_few_blocks(sample: str, shape: tuple[int, int, int], blocks: int) -> None:
    assert blocks_a_multiprocessor(plan_of(sample), *shape) == blocks
    assert blocks_a_multiprocessor(plan_of(sample, on=target.CUDA_UNFUSED), *shape) == MOST_BLOCKS


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


MEETING = """program meeting;
    requires symmetric;
    problem {{ scalar common : int64; vertex met : int64; }}
    common functor meet(u, w, x, e, eu, ew) {{ apply {{ {stored} += 1; }} }}
    schedule {{ {steps} }}"""


@pytest.mark.parametrize(
    "steps, stored, threads",
    [
        ("common = intersect(edges);", "common", COUNTING_BLOCK),
        ("intersect(edges, meet);", "common", COUNTING_BLOCK),
        ("intersect(edges, meet);", "met[x]", 512),
        ("repeat (2) { intersect(edges, meet); }", "common", 512),
        ("frontier f = intersect(edges);", "common", 512),
    ],
)
def test_intersections_that_keep_totals_alone_have_large_blocks(steps: str, stored: str, threads: int) -> None:
    program = load(MEETING.format(steps=steps, stored=stored))
    assert cuda_plan(program).sizes.block_threads == threads
    assert (
        cuda_plan(load(MEETING.format(steps=steps, stored=stored), ("schedule.block=256",))).sizes.block_threads == 256
    )


PROGRAM = """program p;
    problem {{
        param source : vertex; vertex best : {type}; vertex own : {type} = {type}(id); scalar common : int64;
    }}
    edge functor height(src, dst, e) -> {type} {{ value own[dst]; }}
    edge functor likes(src, dst, e) -> ({type}, int64) {{ value (own[dst], 1); }}
    edge functor reach(src, dst, e) {{ cond own[dst] > 0; apply {{ own[dst] = 0; }} }}
    vertex functor keep(v) {{ apply {{ own[v] = best[v]; }} }}
    vertex functor high(v) {{ cond own[v] > {long}; }}
    schedule {{ frontier f = {{ source }}; repeat (3) {{ {steps} }} }}"""


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
    """The values are of 64 bits, so that sets take too many beside them."""
    assert resident_threads(cuda_plan(load(PROGRAM.format(steps=steps, type="int64", long="1")))) == threads


FILTERED = "best = neighbor_reduce(vertices, height, max); f = filter(vertices, high);"
LONG = " + ".join(f"own[v] * {factor}" for factor in range(1, 20))


@pytest.mark.parametrize(
    "steps, long, threads",
    [
        (FILTERED, "1", 1536),
        (FILTERED, LONG, 1024),
        (FILTERED + " compute(vertices, keep);" * 40, "1", 1024),
        ("f = advance(f, reach);", "1", 1024),
        ("advance(f, reach); f = filter(vertices, high);", "1", 1536),
        ("best = neighbor_vote(vertices, likes); f = filter(vertices, high);", "1", 1024),
        ("common = intersect(edges); f = filter(vertices, high);", "1", 1024),
    ],
)
def test_registers_are_left_for_more_blocks_where_little_is_kept(steps: str, long: str, threads: int) -> None:
    """Of words, by short functors, without searches and tables; in a short program."""
    program = load(PROGRAM.format(steps=steps, type="int32", long=long))
    assert resident_threads(cuda_plan(program)) == threads


def test_calls_that_climb_have_more_threads_where_lists_are_short() -> None:
    """Elsewhere more of them side by side find longer ways."""
    plans = (plan_of("connected_components", graph=graph) for graph in (GENERAL, SHORT_LISTS))
    assert [resident_threads(plan) for plan in plans] == [1024, 1536]


def test_a_long_program_that_only_sweeps_has_registers_for_two_blocks() -> None:
    """With those for three a sample spilled 1,328 bytes, and took twice as long."""
    assert resident_threads(plan_of("who_to_follow")) == 1024
    steps = "best = neighbor_reduce(vertices, height, max); compute(vertices, keep);" * 20
    assert resident_threads(cuda_plan(load(PROGRAM.format(steps=steps, type="int64", long="1")))) != 1536


@pytest.mark.parametrize(
    "sample, tune, graph, last",
    [
        ("bfs", (), DEEP, False),
        ("betweenness", (), DEEP, True),  # the next level is looked at during barriers
        ("betweenness", (), GENERAL, False),
        ("sssp", ("schedule.order=near_far",), GENERAL, True),  # one thread moves the bound
    ],
)
def test_a_thread_of_the_last_warp_waits_where_others_have_work_meanwhile(
    sample: str, tune: tuple[str, ...], graph: GraphClass, last: bool
) -> None:
    plan = plan_of(sample, *tune, graph=graph)
    assert plan.waiting_thread == (plan.sizes.block_threads - 32 if last else 0)


@pytest.mark.parametrize(
    ("name", "tune", "staged"),
    [("bfs", (), 256), ("bfs", ("visit.balance=block",), 128), ("louvain", (), 128), ("jaccard", (), 128)],
)
def test_what_warps_of_several_gpus_gather(name: str, tune: tuple[str, ...], staged: int) -> None:
    """Twice as much, where nothing else of a block takes much room."""
    program = load(ROOT / "samples" / f"{name}.gdsl", tune=tune)
    assert cuda_plan(program).sizes.staged == 128
    assert cuda_plan(program, several_gpus=True).sizes.staged == staged
