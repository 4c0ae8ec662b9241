"""How one thread runs what it does alone, beside twins that are never run so."""

from __future__ import annotations

import pytest

from gdsl.plan import target
from gdsl.plan.hints import Contended, EqualShares, ObservedThreads
from gdsl.plan.nodes import Choice
from gdsl.plan.printer import print_plan
from gdsl.plan.sweep_nodes import Sweep, Variant

from .planning import operation, plan_of

TEXT = """program p; problem {
    vertex level : int32 = -1; vertex from : vertex; vertex low : vertex = id; vertex times : int32;
    vertex sent : int32; edge seen : int32; scalar total : int64; scalar one : bool;
}
edge functor visit(src, dst, e) {
    cond level[dst] == -1; apply { level[dst] = iteration + 1; from[dst] any= src; }
}
edge functor lose(src, dst, e) {
    apply { let before = fetch(times[dst] -= 1); total += 1; one = true; accept before == 2; }
}
edge functor quiet(src, dst, e) { cond level[dst] > 3; }
vertex functor jump(v) { apply { low[low[v]] min= low[v]; times[v] += 1; } }
edge functor mark(src, dst, e) { apply { times[dst] += 1; seen[e] = 1; } }
edge functor gather(src, dst, e) { apply { sent[src] += 1; } }
schedule {
    frontier f = { 0 };
    f = advance(f, visit); f = advance(f, lose, over=all_edges); f = advance(f, quiet);
    compute(f, jump); compute(edges, mark); advance(f, gather);
}"""


def sweep_of(label: str, on: target.Target = target.CPU, *tune: str) -> Sweep:
    """The push of that label."""
    does = operation(plan_of(TEXT, *tune, on=on), label).does
    return does.no if isinstance(does, Choice) else does


def modes(variant: Variant) -> dict[str, str]:
    return {write.name: write.mode.value for write in variant.writes}


def test_all_writes_to_arrays_are_plain_and_nothing_is_claimed() -> None:
    (walk,) = sweep_of("visit").walks
    assert walk.variant.claim is not None and walk.by_one is not None
    assert (walk.by_one.claim, walk.by_one.tests, walk.by_one.body) == (None, (0,), (0, 1))
    assert modes(walk.by_one) == {"level": "plain", "from": "plain"}
    for walk in sweep_of("lose").walks:  # each edge from either of its ends, which no thread has alone
        others = {"total": "total", "one": "shared"}
        assert modes(walk.variant) == {"times": "shared", **others}
        assert walk.by_one is not None and walk.by_one.accepts
        assert modes(walk.by_one) == {"times": "plain", **others}
    jump = sweep_of("jump")
    assert jump.own is not None and modes(jump.own) == {"low": "shared", "times": "plain"}
    assert jump.own_by_one is not None and modes(jump.own_by_one) == {"low": "plain", "times": "plain"}


def test_two_threads_are_no_faster_where_both_change_what_data_names_or_far_ends() -> None:
    assert sweep_of("jump").hint(Contended)  # `low[low[v]]`: many lead to one root
    assert sweep_of("lose").hint(Contended)  # `times[dst]`
    assert not any(sweep_of(label).hint(Contended) for label in ("visit", "quiet", "mark", "gather"))
    grids = (target.CUDA_FUSED, target.CUDA_UNFUSED)
    assert not any(sweep_of(label, on).hint(Contended) for label in ("jump", "lose") for on in grids)
    assert print_plan(plan_of(TEXT, on=target.CPU)).count("by one thread rather than by two") == 2


def test_former_runs_decide_where_calls_combine_what_they_find() -> None:
    plan = plan_of("connected_components", on=target.CPU)
    for label in ("sample", "link"):
        does = operation(plan, label).does
        assert isinstance(does, Sweep) and does.hint(ObservedThreads) and not does.hint(Contended)
    assert print_plan(plan).count("as was quicker in former runs") == 2
    assert not any(sweep_of(label).hint(ObservedThreads) for label in ("visit", "lose", "quiet", "mark", "gather"))
    does = operation(plan_of("connected_components"), "link").does
    assert isinstance(does, Sweep) and not does.hint(ObservedThreads)


@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CUDA_UNFUSED])
def test_on_a_grid_no_thread_is_alone(on: target.Target) -> None:
    assert all(walk.by_one is None for label in ("visit", "lose", "quiet") for walk in sweep_of(label, on).walks)
    assert sweep_of("jump", on).own_by_one is None


def test_nor_where_threads_share_the_work_in_any_case() -> None:
    mark = sweep_of("mark")
    assert mark.own is not None and mark.own_by_one is None
    does = operation(plan_of(TEXT, "visit.direction=pull", on=target.CPU), "visit").does
    assert isinstance(does, Sweep) and [walk.by_one for walk in does.walks] == [None]


def test_one_thread_works_from_near_to_far_too() -> None:
    does = operation(plan_of("sssp", "schedule.order=near_far", on=target.CPU), "relax").does
    assert isinstance(does, Sweep) and does.order is not None and does.hint(Contended)
    by_one = does.walks[0].by_one
    assert by_one is not None and modes(by_one) == {"distance": "plain"}


SEARCH = """program p; problem {{
    param source : vertex; input edge weight : float32 where weight >= 0;
    vertex cost : float32 = inf; vertex visits : int32;
}}
schedule {{
    cost[source] = 0;
    frontier f = {{ source }};
    while (f) {{ f = advance(f, (src, dst, e) => {{ {body} }}{over}); }}
}}"""
RELAX = "accept changed(cost[dst] min= cost[src] + weight[e]);"
BACK = "accept changed(cost[src] min= cost[dst] + weight[e]);"


@pytest.mark.parametrize(
    ("body", "over", "order", "expected"),
    [
        (RELAX, "", "near_far", True),
        (RELAX, "", "as_given", False),
        (BACK, ", over=in_edges", "near_far", False),  # the ids of in-edges are in another order
    ],
)
def test_far_ends_have_one_thread_where_a_list_is_in_their_order(
    body: str, over: str, order: str, expected: bool
) -> None:
    plan = plan_of(SEARCH.format(body=body, over=over), f"schedule.order={order}", on=target.CPU)
    assert ("each its part of the far ends" in print_plan(plan)) is expected


def test_vertices_are_shared_equally_where_all_take_about_as_long() -> None:
    text = """program p; problem { vertex low : vertex = id; vertex sum : int32; }
    schedule {
        frontier f = where((v) => out_degree(v) > 1);
        compute(vertices, (v) => { while (changed(low[v] min= low[low[v]])) { } }) @jump;
        compute(vertices, (v) => { for i in 0..out_degree(v) { sum[v] += i; } }) @degree;
        compute(vertices, (v) => { for u in neighbors(v) { sum[v] += 1; } }) @list;
        compute(f, (v) => { sum[v] += 1; }) @part;
    }"""
    plan = plan_of(text, on=target.CPU)
    shared = {label: operation(plan, label).does.hint(EqualShares) for label in ("jump", "degree", "list", "part")}
    assert {label for label, hint in shared.items() if hint is not None} == {"jump"}
    assert print_plan(plan_of(text)).count("the same part of the vertices") == 0


def test_what_one_call_writes_is_plain_though_others_read_it() -> None:
    """On a grid a plain write may stay in a register, so that the call keeps it there and stores it whole."""
    text = """program p; problem { vertex low : vertex = id; vertex twice : int32; }
    schedule {
        frontier f = where((v) => out_degree(v) > 1);
        compute(vertices, (v) => { while (changed(low[v] min= low[low[v]])) { } }) @jump;
        compute(vertices, (v) => { low[low[v]] min= low[v]; }) @hook;
    }"""
    plan = plan_of(text, on=target.CPU)
    own = {label: operation(plan, label).does.own for label in ("jump", "hook")}
    assert {label: modes(each) for label, each in own.items()} == {"jump": {"low": "plain"}, "hook": {"low": "shared"}}
    assert modes(operation(plan_of(text), "jump").does.own) == {"low": "own"}


def test_a_thread_takes_a_member_where_few_places_are_walked() -> None:
    text = """program p; problem { vertex low : vertex = id; }
    edge functor link(src, dst, e) { cond place < 2; apply { low[max(src, dst)] min= min(src, dst); } }
    schedule { advance(vertices, link, to=none); }"""
    assert "a thread a member" in print_plan(plan_of(text, on=target.CPU))


def test_it_is_told_where_it_is_something_else() -> None:
    text = print_plan(plan_of(TEXT, on=target.CPU))
    assert text.count("by one thread:") == 5  # both lists of `lose`, the others but `quiet`, which writes nothing
    assert "by one thread:" not in print_plan(plan_of(TEXT))
