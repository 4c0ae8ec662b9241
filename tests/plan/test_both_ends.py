"""Which functors do the same from both ends of an edge, and where a second walk is left out because of that."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.both_ends import does_the_same_from_both_ends
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps, sweeps

from .planning import only_sweep, plan_of

_TEXT = """program p;
problem {
    vertex x : vertex = id; vertex low : int32 = 7; vertex sum : int32; input edge length : int32;
    vertex y : float64; vertex best : (float64, int32); input vertex label : vertex; input vertex kind : int32;
    scalar moved : bool; scalar calm : bool; scalar bits : int32;
}
edge functor f(src, dst, e) { %s }
schedule { advance(vertices, f, to=none%s); }"""
_HOOK = "apply { let a = x[src]; let b = x[dst]; let c = changed(x[max(a, b)] min= min(b, a)); moved |= c; }"
SAME = {
    "hooks the larger root": _HOOK,
    "hooks either root": """apply {
        let one = changed(x[x[src]] min= x[dst]);
        let other = changed(x[x[dst]] min= x[src]);
        moved |= other || one;
    }""",
    "a condition on both": "cond src != dst && low[src] == low[dst]; apply { x[src] min= dst; x[dst] min= src; }",
    "an index that both ends read": """cond kind[label[src]] == kind[label[dst]];
        apply { low[src] min= 3; low[dst] min= 3; }""",
    "only if another flag is set": """apply {
        let c = changed(x[max(src, dst)] min= min(src, dst)); moved |= c && calm;
    }""",
}
OTHER = {
    "one end": "apply { x[dst] min= src; }",
    "one root": "apply { x[x[src]] min= x[dst]; }",
    "adds": "apply { sum[src] += 1; sum[dst] += 1; }",
    "asks for what was there": """apply {
        let c = fetch(x[max(src, dst)] min= min(src, dst)); moved |= c == none;
    }""",
    "is set by the second call": """apply {
        let c = changed(x[max(src, dst)] min= min(src, dst)); moved |= !c;
    }""",
    "a number by the second call": """apply {
        let c = changed(x[max(src, dst)] min= min(src, dst)); bits |= c ? 1 : 2;
    }""",
    "the edge": "apply { low[src] min= length[e]; low[dst] min= length[e]; }",
    "a place": "cond place < 2; apply { x[max(src, dst)] min= min(src, dst); }",
    "one direction": "cond src < dst; apply { x[max(src, dst)] min= min(src, dst); }",
    "a difference": "apply { low[src] min= low[src] - low[dst]; low[dst] min= low[src] - low[dst]; }",
    "near": "apply { x[near] min= far; x[far] min= near; }",
    "-0.0 if it comes first": """apply {
        let q = 1.0 / min(y[src], y[dst]); y[src] min= q; y[dst] min= q;
    }""",
    "the best pair of -0.0": """apply {
        let q = min((y[src], 1), (y[dst], 1)); best[src] min= (1.0 / q.0, 1); best[dst] min= (1.0 / q.0, 1);
    }""",
    "an index that one end alone reads": """cond kind[label[src]] > 0 || kind[label[dst]] > 0;
        apply { low[src] min= 3; low[dst] min= 3; }""",
    "an index that is reached from one end alone": """cond kind[label[src]] > 0 && kind[label[dst]] > 0;
        apply { low[src] min= 3; low[dst] min= 3; }""",
    "a branch": "apply { if (src != dst) { x[max(src, dst)] min= min(src, dst); } }",
}


def _functor(body: str, over: str = ", over=all_edges") -> Plan:
    return plan_of(_TEXT % (body, over))


@pytest.mark.parametrize("name", SAME)
def test_the_same_from_both_ends(name: str) -> None:
    plan = _functor(SAME[name])
    assert does_the_same_from_both_ends(plan.program.edge_functors[0])
    assert [walk.repeats for walk in only_sweep(plan).walks] == [False, True]
    assert not any(walk.repeats for walk in only_sweep(_functor(SAME[name], "")).walks)


@pytest.mark.parametrize("name", OTHER)
def test_not_the_same_from_both_ends(name: str) -> None:
    plan = _functor(OTHER[name])
    assert not does_the_same_from_both_ends(plan.program.edge_functors[0])
    assert not any(walk.repeats for walk in only_sweep(plan).walks)


def test_several_gpus_have_the_same_lists() -> None:
    plan = plan_of(_TEXT % (_HOOK, ", over=all_edges"), on=dataclasses.replace(target.CUDA_FUSED, several_gpus=True))
    assert [walk.repeats for walk in only_sweep(plan).walks] == [False, True]


@pytest.mark.parametrize("on", [target.CPU, target.CPU_WORKERS, target.CUDA_WORKERS])
def test_lists_that_others_may_have_are_walked(on: target.Target) -> None:
    plan = plan_of(_TEXT % (_HOOK, ", over=all_edges"), on=on)
    assert not any(walk.repeats for sweep in sweeps(plan) for walk in sweep.walks)


@pytest.mark.parametrize("name", OTHER)
def test_a_walk_left_out_wrongly_is_seen(name: str) -> None:
    def left_out(plan: Plan) -> Plan:
        return map_sweeps(
            plan,
            lambda _, sweep: dataclasses.replace(
                sweep, walks=(*sweep.walks[:-1], dataclasses.replace(sweep.walks[-1], repeats=True))
            ),
        )

    with pytest.raises(VerificationError):
        verify(left_out(_functor(OTHER[name])))
    with pytest.raises(VerificationError):
        verify(left_out(_functor(SAME["hooks the larger root"], "")))
