"""Which loops over neighbors the lanes of a warp share, and what the verifier refuses."""

from __future__ import annotations

import dataclasses

import pytest
from support.changed_plans import changed, seen

from gdsl.plan import target
from gdsl.plan.lane_facts import neighbor_loops
from gdsl.plan.nodes import Barrier, LaneLoop, Mode, Operation, Plan
from gdsl.plan.walking import map_sweeps, steps_in, sweeps
from tests.emulator.test_lane_loops import CHOICES, COUNTS, SUMS

from .planning import SHORT_LISTS, fused, plan_of

HEAD = """
program p;
problem {
    param source : vertex;
    param many : int32 = 3;
    input edge weight : float32;
    input vertex mass : float64;
    input vertex next : vertex;
    vertex total : float64;
    vertex sum_at : float64;
    vertex count : int32;
    vertex low : int32 = 9;
    vertex known : int32 = 9;
    vertex part[2] : int32;
    edge part_of[2] : int32;
    edge so_far : float64;
    edge tag : int32;
    scalar sum_of : float64;
    scalar links : int64;
}
function twice(x : float64) -> float64 { return x + x; }
function long_way(x : float64) -> float64 { var y : float64 = x; for i in 0..3 { y += y; } return y; }
"""
SUM, END = "var s : float64 = 0; var n = 0; ", " sum_at[v] = s; low[v] = n;"
SHARED = {
    "a sum": "for u in neighbors(v) { s += mass[u]; }",
    "a sum in steps": "for i in 0..many { for u in neighbors(v) { s += mass[u] / (i + 1); } }",
    "a choice": "for u, x in neighbors(v) { if (weight[x] > 1) { s += 1; } else { s -= 1; } }",
    "prefix sums": "for u, x in neighbors(v) { s += float64(weight[x]); so_far[x] max= s; }",
    "counts at the neighbors": "for u in neighbors(v) { count[u] += 1; links += 1; }",
    "another loop": "for u in neighbors(v) { for w in neighbors(u) { if (w == v) { break; } n += 1; } }",
    "another loop over the same list": "for u in neighbors(v) { var t = 0; for w in neighbors(v) { t += 1; } s += t; }",
    "functions": "for u in neighbors(v) { s = twice(s) + twice(mass[u]); }",
    "a list that may be left for its end": "for u in neighbors(v) { if (s < 10) { s += mass[u]; } }",
    "what somebody's index says": "for u in neighbors(v) { s += mass[next[u]]; }",
}
ALONE = {
    "a break": "for u in neighbors(v) { if (u == source) { break; } count[u] += 1; }",
    "another loop that goes on": "for u in neighbors(v) { for w in neighbors(u) { s += mass[w]; } }",
    "another loop that writes": "for u in neighbors(v) { for w in neighbors(u) { count[w] += 1; } }",
    "another loop, sometimes": "for u in neighbors(v) { s += mass[u]; if (s < 9) { for w in neighbors(u) { } } }",
    "another loop that knows": "for u in neighbors(v) { s += mass[u]; while (s > 9) { s -= 1; } }",
    "another vertex's list": "for u in neighbors(next[v]) { s += mass[u]; }",
    "one loop of two": "for u in neighbors(v) { links += 1; } for u in neighbors(next[v]) { links += 1; }",
    "the former value": "var t : int32 = 0; for u in neighbors(v) { t += fetch(count[u] += 1); } known[v] = t;",
    "what it writes": "var t : int32 = 0; for u in neighbors(v) { t += int32(known[v] > 0); known[v] = t; }",
    "a function that may be left": "for u in neighbors(v) { s += long_way(mass[u]); }",
    "sums of floats at the neighbors": "for u in neighbors(v) { total[u] += mass[v]; }",
    "a float for all": "for u in neighbors(v) { sum_of += mass[u]; }",
    "its own element": "for u in neighbors(v) { count[v] += 1; }",
    "what is written before, too": "count[v] += 1; for u in neighbors(v) { count[u] += 1; }",
    "a read edge by edge": "var at : vertex = v; for u in neighbors(v) { if (mass[at] < 1) { at = u; } } s = mass[at];",
    "an index that nobody asks for": "for u in neighbors(v) { if (s < 1) { s += mass[next[u]]; } }",
    "the same in a choice": "for u in neighbors(v) { s += s < 1 ? mass[next[u]] : 1; }",
}


def planned(body: str, *tune: str, on: target.Target = target.CUDA_FUSED) -> Plan:
    return plan_of(
        HEAD + f"vertex functor f(v) {{ apply {{ {SUM}{body}{END} }} }} schedule {{ compute(vertices, f); }}",
        *tune,
        on=on,
    )


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED)
def test_loops_that_lanes_share(body: str) -> None:
    assert any(sweep.lanes for sweep in sweeps(planned(body)))


@pytest.mark.parametrize("body", ALONE.values(), ids=ALONE)
def test_loops_of_one_thread(body: str) -> None:
    assert not any(sweep.lanes for sweep in sweeps(planned(body)))


def test_where_members_are_shared_in_another_way() -> None:
    body = SHARED["a sum"]
    assert not any(sweep.lanes for sweep in sweeps(planned(body, on=target.CPU)))
    assert not any(sweep.lanes for sweep in sweeps(planned(body, on=target.on_several_gpus(target.CUDA_FUSED))))
    assert not any(sweep.lanes for sweep in sweeps(plan_of("weighted_walk", graph=SHORT_LISTS)))
    assert any(sweep.lanes for sweep in sweeps(planned(body, on=target.CUDA_UNFUSED)))
    assert any(sweep.lanes for sweep in sweeps(planned(body, on=target.in_teams(target.CUDA_FUSED))))


def test_what_goes_from_edge_to_edge() -> None:
    (sweep,) = sweeps(plan_of(CHOICES))
    assert sweep.lanes == (LaneLoop(("best", "best_at", "best_by", "left", "odd"), 4),)
    text = "for u in neighbors(v) { let m = mass[u]; var t = s * m; t += 1; s += t; }"
    (sweep,) = sweeps(planned(text + ""))
    assert [set(each.carried) for each in sweep.lanes] == [{"s", "t"}]


def test_rows_of_edges() -> None:
    """Edges that have loops of their own wait for these, a row at a time."""
    simple, nested = SHARED["a sum"], SHARED["another loop"]
    many = "for u, x in neighbors(v) { s += mass[u] * weight[x] + known[u]; }"
    assert [each.rows for text in (simple, many) for sweep in sweeps(planned(text)) for each in sweep.lanes] == [4, 2]
    assert [each.rows for sweep in sweeps(planned(nested)) for each in sweep.lanes] == [1]
    none = (LaneLoop((), 0),)
    assert seen(map_sweeps(planned(nested), lambda _, own: dataclasses.replace(own, lanes=none)))


def test_a_warp_has_a_sweep_to_itself_and_no_vertex() -> None:
    """Whoever reads what a call has written for its own vertex waits at a barrier."""
    steps = list(steps_in(fused(plan_of(COUNTS))))
    labels = {step.step.label: at for at, step in enumerate(steps) if isinstance(step, Operation)}
    assert not any(step.fused for step in steps if isinstance(step, Operation))
    between = steps[labels["look"] : labels["take"]]
    assert any(isinstance(step, Barrier) for step in between)


@pytest.mark.parametrize("text", [SUMS, CHOICES, COUNTS])
def test_the_verifier_refuses_other_plans(text: str) -> None:
    """All loops of a functor or none, and all that goes from edge to edge."""
    plan = plan_of(text)
    assert not seen(plan)
    for kind, field, other in changed(plan, lambda new: new):
        shared = [bool(each.lanes) for each in sweeps(other)] == [bool(each.lanes) for each in sweeps(plan)]
        if field in ("lanes", "carried") and shared:
            assert seen(other), (kind, field)


def test_the_verifier_refuses_what_follows_an_edge_and_is_not_named() -> None:
    plan = plan_of(CHOICES)
    (sweep,) = sweeps(plan)
    (loop,) = sweep.lanes
    for name in loop.carried:
        fewer = LaneLoop(tuple(each for each in loop.carried if each != name), loop.rows)
        assert seen(map_sweeps(plan, lambda _, own, fewer=fewer: dataclasses.replace(own, lanes=(fewer,)))), name


@pytest.mark.parametrize("body", ALONE.values(), ids=ALONE)
def test_the_verifier_refuses_lanes_for_loops_of_one_thread(body: str) -> None:
    plan = planned(body)
    count = len(neighbor_loops(plan.program.vertex_functors[0]))
    for names in ((), ("s",), ("s", "at")):
        lanes = (LaneLoop(names, 4),) * count
        assert seen(map_sweeps(plan, lambda _, own, lanes=lanes: dataclasses.replace(own, lanes=lanes)))


OWN_EDGES = {
    "its own list": ("for u, x in neighbors(v) { so_far[x] max= mass[u]; }", Mode.PLAIN),
    "another vertex's": ("for u, x in neighbors(next[v]) { so_far[x] max= mass[u]; }", Mode.SHARED),
    "a neighbor's": ("for u in neighbors(v) { for w, x in neighbors(u) { so_far[x] max= mass[w]; } }", Mode.SHARED),
    "the edge back, too": (
        "for u, x in neighbors(v) { so_far[x] max= mass[u]; if (reverse(x) != none) { so_far[reverse(x)] max= 1; } }",
        Mode.SHARED,
    ),
}


@pytest.mark.parametrize(("body", "mode"), OWN_EDGES.values(), ids=OWN_EDGES)
def test_edges_of_a_list_have_one_call(body: str, mode: Mode) -> None:
    for on in (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU):
        (sweep,) = sweeps(planned(body, on=on))
        assert sweep.own is not None
        assert {write.name: write.mode for write in sweep.own.writes}["so_far"] is mode
    together = planned(body, on=target.on_several_gpus(target.CUDA_FUSED))
    assert Mode.SHARED in {write.mode for sweep in sweeps(together) if sweep.own for write in sweep.own.writes}
