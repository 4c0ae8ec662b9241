"""How edges are shared, results stored and duplicates kept out: what is decided, and that the verifier sees another."""

from __future__ import annotations

import dataclasses

import pytest
from support.changed_plans import CHOICES, FREE, changed, seen

from gdsl.extents import Size
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance
from gdsl.plan import target
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.nodes import Choice, Dedup, Form, Mode, Plan, Sweep
from gdsl.plan.verifier import verify
from gdsl.plan.walking import operations, steps_in, sweeps, sweeps_of

from .planning import plan_of

TWICE = """program twice;
problem { param source : vertex; vertex last : int32 = -1; edge met : int32; }
edge functor reach(src, dst, e) { apply { met[e] = 1; last[dst] max= 2; } }
vertex functor note(v) { apply { last[v] max= iteration; } }
schedule {
    frontier f = { source };
    repeat (6) { f = advance(f, reach); frontier g = f; compute(g, note); }
}"""
BALANCES = [each for each in Balance if each is not Balance.AUTO]


def advances(plan: Plan) -> list[Sweep]:
    return [sweep for sweep in sweeps(plan) if sweep.walks]


def buffers_of(plan: Plan, role: Role) -> dict[str, int]:
    sizes = {Size.VERTICES: 1000, Size.EDGES: 5000, Size.BLOCKS: 10}
    return {each.name: each.extent.value(sizes) * max(each.copies, 1) for each in plan.buffers if each.role is role}


@pytest.mark.parametrize("balance", BALANCES)
def test_a_balance_has_what_it_works_with(balance: Balance) -> None:
    plan = plan_of("sssp", f"relax.balance={balance.value}")
    (sweep,) = advances(plan)
    assert sweep.balance is balance and sweep.walks[0].shared is None
    assert not buffers_of(plan, Role.HUBS)
    wanted = {Balance.MERGE: {"sums": 1000, "tiles": 3}, Balance.BINS: {"bins": 6000}}
    assert buffers_of(plan, Role.SHARES) == wanted.get(balance, {})
    graph = {each.name for each in plan.buffers if each.role is Role.GRAPH}
    assert graph == ({"columns", "edge_sources"} if balance is Balance.EDGES else {"offsets", "columns"})
    assert sweep.members.form is (Form.BITMAP if balance is Balance.EDGES else Form.QUEUE)


def test_cores_know_two_balances() -> None:
    found = {each: advances(plan_of("sssp", f"relax.balance={each.value}", on=target.CPU))[0] for each in Balance}
    assert {each: sweep.balance for each, sweep in found.items()} == {
        each: Balance.THREAD if each is Balance.THREAD else Balance.AUTO for each in Balance
    }


def test_a_balance_is_for_the_push_of_a_choice() -> None:
    (operation,) = operations(plan_of("bfs", "visit.balance=merge"))
    assert isinstance(operation.does, Choice)
    assert (operation.does.yes.balance, operation.does.no.balance) == (Balance.AUTO, Balance.MERGE)


def test_places_are_tested_where_all_edges_are_walked() -> None:
    lists, table = (advances(plan_of("connected_components", *words)) for words in ((), ("sample.balance=edges",)))
    assert any(walk.first_places is not None for sweep in lists for walk in sweep.walks)
    (walk,) = table[0].walks
    assert walk.first_places is None and len(walk.variant.tests) == len(lists[0].walks[0].variant.tests)


@pytest.mark.parametrize(
    ("words", "forms"),
    [
        ((), {Form.QUEUE, Form.BITMAP}),
        (("frontier=queue",), {Form.QUEUE}),
        (("frontier=bitmap",), {Form.BITMAP}),
        (("frontier=bitmap", "direction=push"), {Form.BITMAP}),
        (("frontier=queue", "direction=pull"), {Form.QUEUE}),
    ],
)
@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU])
def test_a_result_has_the_form_that_is_asked_for(words: tuple[str, ...], forms: set[Form], on: target.Target) -> None:
    plan = plan_of("bfs", *(f"visit.{word}" for word in words), on=on)
    collects = [sweep.collect for sweep in sweeps(plan) if sweep.collect is not None]
    assert {each.form for each in collects} == forms
    assert all(each.dedup in (Dedup.NONE, Dedup.CLAIM) for each in collects)


def test_sets_that_may_lack_their_queue_are_combined_by_words() -> None:
    text = """program p; problem { param source : vertex; scalar count : int64; }
        edge functor f(src, dst, e) { }
        schedule { frontier a = advance({ source }, f); frontier b = advance(a, f); a = a & b; count = size(a); }"""
    words = {each: [step.words for step in combinations_of(plan_of(text, f"f.frontier={each}"))] for each in FORMS}
    assert words == {"auto": [False], "queue": [False], "bitmap": [True]}


FORMS = ("auto", "queue", "bitmap")


def combinations_of(plan: Plan) -> list:
    return [step for step in steps_in(plan.schedule) if type(step).__name__ == "Combine"]


def test_queues_with_duplicates_have_room_for_every_vertex_twice() -> None:
    exact, late = plan_of(TWICE), plan_of(TWICE, "reach.dedup=none")
    assert {sweep.collect.dedup for sweep in advances(exact) if sweep.collect} == {Dedup.MARK}
    assert {sweep.collect.dedup for sweep in advances(late) if sweep.collect} == {Dedup.LATE}
    assert buffers_of(late, Role.QUEUE)["queues"] == 2 * buffers_of(exact, Role.QUEUE)["queues"]
    assert buffers_of(late, Role.SHARES) == {"sums": 2000, "tiles": 5}, "long lists are not cut into chunks"
    assert not buffers_of(late, Role.HUBS) and buffers_of(late, Role.MARKS)


def test_nobody_has_an_element_alone_where_members_come_twice() -> None:
    def modes(plan: Plan) -> dict[str, set[Mode]]:
        found: dict[str, set[Mode]] = {}
        for operation in operations(plan):
            for sweep in sweeps_of(operation):
                variants = [walk.variant for walk in sweep.walks] + ([sweep.own] if sweep.own else [])
                found[operation.step.label] = {write.mode for each in variants for write in each.writes}
        return found

    assert modes(plan_of(TWICE)) == {"reach": {Mode.PLAIN, Mode.SHARED}, "note": {Mode.PLAIN}}
    assert modes(plan_of(TWICE, "reach.dedup=none")) == {"reach": {Mode.SHARED}, "note": {Mode.SHARED}}


def test_cores_and_claims_keep_duplicates_out() -> None:
    on_cores = advances(plan_of(TWICE, "reach.dedup=none", on=target.CPU))
    assert {each.collect.dedup for each in on_cores if each.collect} == {Dedup.MARK}
    claimed = plan_of("bfs", "visit.direction=push", "visit.dedup=none")
    assert {each.collect.dedup for each in advances(claimed) if each.collect} == {Dedup.CLAIM}
    assert buffers_of(claimed, Role.QUEUE) == buffers_of(plan_of("bfs", "visit.direction=push"), Role.QUEUE)


CHANGED = [
    ("sssp", "relax.balance=merge"),
    ("sssp", "relax.balance=edges"),
    ("pagerank", "received.balance=bins"),
    ("bfs", "visit.frontier=queue"),
    ("bfs", "visit.frontier=bitmap"),
    (TWICE, "reach.dedup=none"),
]


@pytest.mark.parametrize(("name", "word"), CHANGED)
@pytest.mark.sampled(3)
def test_every_other_decision_is_seen(name: str, word: str) -> None:
    plan = plan_of(name, word)
    verify(plan)
    for kind, field, other in changed(plan, lambda new: new):
        if (kind, field) not in FREE | set(CHOICES) and kind not in ("Program", "Plan"):
            assert seen(other), (kind, field)


def test_queues_without_room_for_duplicates_are_seen() -> None:
    plan = plan_of(TWICE, "reach.dedup=none")
    small = tuple(
        dataclasses.replace(each, extent=each.extent.of) if each.role is Role.QUEUE else each for each in plan.buffers
    )
    with pytest.raises(VerificationError, match="no room for all"):
        verify(dataclasses.replace(plan, buffers=small))
