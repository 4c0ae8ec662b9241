"""Which operators run in one sweep, and which scalars go to their next place, beside twins that may not."""

from __future__ import annotations

import re

import pytest

from gdsl.backends.cuda import neighbors_of
from gdsl.ir.nodes import NeighborReduce
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.nodes import Rotate
from gdsl.plan.scalar_copies import PLACES
from gdsl.plan.walking import operations, own_sweeps, steps_in

from .planning import ROOT, fused, plan_of

HEAD = """program p; problem {
    scalar n : int64; scalar m : int64; local scalar done : bool; scalar of : int32 = 1; param p : int32 = 7;
    vertex a : int32; vertex b : int32; vertex c : int32; edge x : int32; edge y : int32; vertex of_two[2] : int32;
}
vertex functor one(v) { apply { a[v] += 1; } }
vertex functor two(v) { apply { b[v] = a[v] + b[v]; } }
vertex functor three(v) { apply { c[v] = b[v]; } }
vertex functor around(v) { apply { for u in neighbors(v) { b[v] += a[u]; } } }
vertex functor first(v) { apply { b[v] = a[0]; } }
vertex functor gives(v) { apply { for u in neighbors(v) { b[u] += 1; } } }
vertex functor counts(v) { cond a[v] > 0; apply { n += 1; } }
vertex functor also(v) { apply { n += int64(b[v]); } }
vertex functor asks(v) { apply { c[v] = int32(n); } }
vertex functor many(v) { cond a[v] > 2; }
vertex functor slot(v) { apply { of_two[v][0] = a[v]; } }
vertex functor slots(v) { apply { c[v] = of_two[v][1] + int32(m); } }
edge functor ex(src, dst, e) { apply { x[e] = x[e] + 1; } }
edge functor ey(src, dst, e) { apply { y[e] = x[e]; a[src] max= 1; } }
edge functor along(src, dst, e) -> int32 { value b[dst] + int32(e); }
edge functor own(src, dst, e) -> int32 { value a[dst] + 1; }
edge functor heavy(src, dst, e) { cond x[e] > 2; }
"""


def schedule(steps: str) -> str:
    return f"{HEAD} schedule {{ frontier w = {{ 1, 2 }}; frontier u = {{ 3 }}; edge frontier g; {steps} }}"


@pytest.mark.parametrize(
    ("steps", "sweeps"),
    [
        ("compute(vertices, one); compute(vertices, two); compute(vertices, three);", ["one+two+three"]),
        ("compute(w, one); compute(w, two);", ["one+two"]),
        ("compute(edges, ex); compute(edges, ey);", ["ex+ey"]),
        ("compute(w, one); u = filter(w, many);", ["one+many"]),
        ("compute(edges, ex); g = filter(edges, heavy);", ["ex+heavy"]),
        ("compute(g, ex); g = filter(g, heavy);", ["ex+heavy"]),
        ("a = neighbor_reduce(w, along, sum); compute(w, one);", ["along+one"]),
        ("a = neighbor_reduce(vertices, along, max, over=all_edges); compute(vertices, one);", ["along+one"]),
        ("a = neighbor_reduce(w, along, sum); compute(w, one); compute(w, counts);", ["along+one+counts"]),
        ("compute(w, one); compute(w, slot);", ["one+slot"]),
        # Stores between them that have nothing to do with one of the two.
        ("compute(w, one); n = 0; compute(w, counts);", ["one+counts"]),
        ("compute(w, counts); n = 0; compute(w, two);", ["counts+two"]),
        ("compute(w, one); m = n + size(w); swap(b, c); compute(w, counts);", ["one+counts"]),
        # Another call would see it, or has made it.
        ("compute(w, one); compute(w, around);", ["one", "around"]),
        ("compute(w, around); compute(w, one);", ["around", "one"]),
        ("compute(w, one); compute(w, first);", ["one", "first"]),
        ("compute(w, gives); compute(w, three);", ["gives", "three"]),
        ("compute(w, counts); compute(w, asks);", ["counts", "asks"]),
        ("compute(w, counts); compute(w, also);", ["counts", "also"]),
        ("compute(w, one); compute(w, three); compute(w, around);", ["one+three", "around"]),
        ("compute(w, slot); compute(w, slots);", ["slot", "slots"]),
        ("a = neighbor_reduce(w, along, sum); compute(w, two);", ["along", "two"]),
        ("a = neighbor_reduce(w, own, sum); compute(w, one);", ["own", "one"]),
        ("a = neighbor_reduce(w, along, sum); compute(w, first);", ["along", "first"]),
        # Other members, or not known yet.
        ("compute(w, one); compute(u, two);", ["one", "two"]),
        ("compute(vertices, one); compute(w, two);", ["one", "two"]),
        ("compute(vertices, one); compute(edges, ex);", ["one", "ex"]),
        ("compute(w, one); w = { 2 }; compute(w, two);", ["one", "two"]),
        ("w = filter(w, many); compute(w, one);", ["many", "one"]),
        ("compute(w, one); if (n > 0) { compute(w, two); }", ["one", "two"]),
        ("compute(w, one); b = neighbor_reduce(w, own, sum);", ["one", "own"]),
        ("g = filter(edges, heavy); compute(g, ey);", ["heavy", "ey"]),
        ("a = neighbor_reduce(w, along, sum); w = filter(w, many);", ["along", "many"]),
        # What stands between them has to do with both.
        ("compute(w, counts); m = n; compute(w, slots);", ["counts", "slots"]),
        ("compute(w, asks); n = size(w); w = filter(w, many);", ["asks", "many"]),
        ("compute(w, three); swap(b, a); compute(w, one);", ["three", "one"]),
    ],
)
def test_one_sweep(steps: str, sweeps: list[str]) -> None:
    plan = plan_of(schedule(steps), "without=followers")
    found = [[*(each.step.label for each in one.fused), one.step.label] for one in own_sweeps(plan)]
    assert ["+".join(labels) for labels in found] == sweeps
    assert {each.step.site for each in operations(plan)} == set(range(len(re.findall(r"\w+", "+".join(sweeps)))))
    assert not any(each.fused for each in operations(plan_of(schedule(steps), on=target.CUDA_UNFUSED)))
    for each in operations(plan_of(schedule(steps), on=target.CPU)):
        assert all(isinstance(one.step, NeighborReduce) for one in each.fused), "nothing else is worth it there"


@pytest.mark.parametrize("balance", ["thread", "warp", "block", "bins", "merge", "edges"])
def test_a_result_in_parts_is_not_there_yet(balance: str) -> None:
    text = schedule("a = neighbor_reduce(vertices, along, sum); compute(vertices, one);")
    found = [each for each in operations(plan_of(text, f"along.balance={balance}")) if each.fused]
    assert bool(found) == (balance not in ("merge", "edges"))


def test_what_stood_in_the_way_is_said() -> None:
    pairs = neighbors_of(load(str(ROOT / "samples" / "pagerank.gdsl")))
    assert [(pair.first.step.label, pair.obstacle is None) for pair in pairs] == [("received", True)]
    (pair,) = neighbors_of(load(schedule("compute(w, counts);\ncompute(w, asks);")))
    assert pair.obstacle is not None
    assert pair.obstacle.why == "`n`, which `counts` adds up, is complete only when all of `counts` is done"
    assert pair.obstacle.span.line == HEAD[: HEAD.index("int32(n)")].count("\n") + 1


def rotations_in(steps: str) -> list[str]:
    return [each.step.scalar for each in steps_in(fused(plan_of(schedule(steps)))) if isinstance(each, Rotate)]


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("while (n < 9) { n = 0; compute(w, counts); }", ["n"]),
        ("n = 3; while (n < 9) { n = 0; compute(w, counts); } n = 0;", ["n", "n"]),
        ("while (n < 9) { n = int64(p) - 1; compute(w, counts); }", ["n"]),
        ("n = 0; compute(w, counts);", []),
        ("repeat (3) { compute(w, counts); w = filter(w, many); n = 0; w = { 1 }; m = n; }", []),
        # Nobody adds to it, it is another one each time, a swap has its places already.
        ("while (m < 9) { m = 0; compute(w, counts); }", []),
        ("while (n < 9) { n = m; compute(w, counts); }", []),
        ("while (n < 9) { n = size(w); compute(w, counts); }", []),
        ("while (n < 9) { n = int64(iteration); compute(w, counts); }", []),
        ("while (n < 9) { n = 0; compute(w, counts); swap(n, m); }", []),
    ],
)
def test_which_scalars_rotate(steps: str, found: list[str]) -> None:
    assert rotations_in(steps) == found
    plan = plan_of(schedule(steps))
    places = {buffer.name: buffer.extent.value({}) for buffer in plan.buffers if buffer.name in "nm"}
    assert places == {"n": PLACES if found else 1, "m": 1}
    assert not plan_of(schedule(steps), on=target.CUDA_UNFUSED).rotations


@pytest.mark.parametrize(
    ("steps", "private"),
    [
        ("while (n < 9) { compute(w, counts); m = n + m; compute(w, slots); }", ("m",)),
        ("repeat (9) { m = size(w) + int64(iteration); compute(w, slots); }", ("m",)),
        # An operator changes it, it has places already, it is stored once, or nobody else waits for it.
        ("while (n < 9) { compute(w, counts); n = n + 1; compute(w, asks); }", ()),
        ("while (n < 9) { compute(w, counts); m = n; swap(m, n); compute(w, slots); }", ()),
        ("compute(w, counts); m = n; compute(w, slots);", ()),
        ("while (n < 9) { compute(w, counts); m = n; }", ()),
    ],
)
def test_which_scalars_are_private(steps: str, private: tuple[str, ...]) -> None:
    """No barrier stands behind a store that everyone does, and all that read it read their own."""
    plan = plan_of(schedule(steps))
    kinds = [type(step).__name__ for step in steps_in(fused(plan))]
    assert plan.private_scalars == private
    assert ("Privatize" in kinds, "StorePrivate" in kinds, "WriteBack" in kinds) == (bool(private),) * 3
    assert not private or kinds[kinds.index("StorePrivate") + 1] != "Barrier"
    assert not plan_of(schedule(steps), on=target.CUDA_UNFUSED).private_scalars


def test_a_reset_waits_for_nobody() -> None:
    """Neither until all have read the last value, nor for the store."""
    kinds = [type(step).__name__ for step in steps_in(fused(plan_of("components_hook_and_jump")))]
    inner = kinds[kinds.index("Loop", kinds.index("Loop") + 1) :]
    assert inner[:4] == ["Loop", "Rotate", "Operation", "Barrier"]
