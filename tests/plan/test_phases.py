"""The phases of operators: where their barriers are, and that the verifier refuses a plan without any one of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from support.fewer_barriers import SPARE, plans_without_one

from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.nodes import Barrier, Directions, HoldMarks, Operation, Phase, Plan, Trace, When, Within
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_blocks, map_operations, own_sweeps

from .planning import DEEP, ROOT, plan_of

PROGRAMS = tuple(sorted((ROOT / "samples").glob("*.gdsl"))) + tuple(
    sorted((ROOT / "tests" / "programs").glob("*.gdsl"))
)
BOTH_WALKS = """program p;
problem { vertex a : int32; vertex b : int32; vertex c : int32; }
edge functor of_a(src, dst, e) -> int32 { value a[src]; }
edge functor of_b(src, dst, e) -> int32 { value b[src]; }
schedule { repeat (3) {
    b = neighbor_reduce(vertices, of_a, sum, over=all_edges) @first;
    b = neighbor_reduce(vertices, of_b, max, over=all_edges) @second;
    compute(vertices, v => { c[v] = b[v]; });
    swap(a, c);
} }"""
BOTH_PUSHED = """program p;
problem { vertex a : int32 = 9; }
edge functor lower(src, dst, e) { apply { accept changed(a[dst] min= a[src]); } }
schedule { frontier f = vertices; while (f) { f = advance(f, lower, over=all_edges) @push; } }"""
OPEN = """program p;
problem { param source : vertex; vertex a : int32; vertex b : int32; vertex depth : int32 = -1; }
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration; } }
edge functor of_a(src, dst, e) -> int32 { value a[src]; }
schedule { frontier f = { source }; while (f) {
    f = advance(f, reach); b = neighbor_reduce(f, of_a, sum, over=in_edges) @weigh; swap(a, b);
} }"""


def accepted_without(plan: Plan) -> set[str]:
    """The reasons of the barriers without which the verifier accepts the plan all the same."""
    found = set()
    for removed, fewer in plans_without_one(plan):
        try:
            verify(fewer)
        except VerificationError:
            continue
        found.add(removed.reason)
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(30)
def test_no_barrier_can_be_removed(path: Path) -> None:
    for on in (target.CUDA_FUSED, target.CUDA_UNFUSED):
        assert accepted_without(plan_of(path.read_text(), on=on)) <= SPARE.keys()


@pytest.mark.parametrize("balance", ["auto", "thread", "merge", "bins", "edges"])
def test_no_barrier_between_two_walks_can_be_removed(balance: str) -> None:
    """The second walk combines with what the first one has stored, and uses the same scratch memory."""
    plan = plan_of(BOTH_WALKS, f"first.balance={balance}", f"second.balance={balance}")
    assert accepted_without(plan) == (SPARE.keys() if balance in ("auto", "bins") else set())
    pushed = plan_of(BOTH_PUSHED, f"push.balance={balance}", "push.direction=push")
    assert accepted_without(pushed) == set()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sssp", ("schedule.order=near_far",)),
        ("bfs", ("visit.direction=push", "visit.frontier=bitmap")),
        ("bfs", ("visit.direction=pull", "visit.frontier=queue")),
        ("pagerank", ("received.balance=edges",)),
    ],
    ids=["near-far", "bitmap", "queue of a pull", "a thread an edge"],
)
def test_nor_in_other_forms(name: str, words: tuple[str, ...]) -> None:
    """Worklists with an order, bitmaps that are emptied, edges for threads."""
    assert accepted_without(plan_of(name, *words)) == set()


def test_nor_where_the_next_level_is_prefetched() -> None:
    assert accepted_without(plan_of("betweenness", graph=DEEP)) == set()


def bodies(text: str, *tune: str) -> list[tuple[Phase, ...]]:
    return [each.body for each in own_sweeps(plan_of(text, *tune))]


def test_an_open_reduction_waits_only_where_lists_are_cut() -> None:
    """Its chunks may be overwritten next, and its edges are traced at the next barrier if nobody has waited."""
    (body,) = (each for each in bodies(OPEN) if Trace(When.LONG_LISTS) in each)
    *_, last = (each for each in body if isinstance(each, Barrier))
    assert last.when is When.LONG_LISTS and last.within is None
    assert not any(Trace(When.LONG_LISTS) in each for each in bodies(OPEN, "weigh.balance=thread"))


def test_who_ends_without_a_barrier_holds_the_marks() -> None:
    """The operator before may still clear those that the next one would use."""
    plan = plan_of((ROOT / "tests" / "programs" / "site_hops.gdsl").read_text())
    held = [each for each in own_sweeps(plan) if HoldMarks() in each.body]
    assert held
    body = tuple(phase for phase in held[0].body if phase != HoldMarks())

    def change(block: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(dataclasses.replace(each, body=body) if each == held[0] else each for each in block)

    with pytest.raises(VerificationError, match="marks that may still be cleared"):
        verify(dataclasses.replace(plan, schedule=map_blocks(plan.schedule, change)))


def test_the_chunks_of_a_pull_are_published() -> None:
    (body,) = (each[0].pull for each in bodies("bfs") if isinstance(each[0], Directions))
    first, result = (each for each in body if isinstance(each, Barrier))
    assert (first.within, result.within) == (Within.CHUNKS_OR_RESULT, Within.RESULT_OF_CHUNKS)


def test_a_direction_that_ends_without_a_barrier_is_refused() -> None:
    plan = plan_of("bfs", "visit.balance=warp")

    def without_end(operation: Operation) -> Operation:
        (directions,) = operation.body
        assert isinstance(directions, Directions)
        push = tuple(each for each in directions.push if not isinstance(each, Barrier))
        return dataclasses.replace(operation, body=(dataclasses.replace(directions, push=push),))

    verify(plan)
    with pytest.raises(VerificationError):
        verify(dataclasses.replace(plan, schedule=map_operations(plan.schedule, without_end)))
