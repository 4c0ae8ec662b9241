"""Pushes that assign without a look, on graphs of short lists: the results of the reference, on awkward graphs, and
the verifier finds what must be tested."""

from __future__ import annotations

import dataclasses

import pytest
from support.graphs import named_graphs, random_graph

from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load
from gdsl.plan.graph_class import GENERAL, GraphClass, class_of
from gdsl.plan.nodes import Plan, Sweep
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps, operations, sweeps_of
from gdsl.source import Source

from . import build as compilers
from .running import build, device_for, differences, expect

SHORT = class_of(["short-lists"])
PROGRAM = """program marked;
problem {
    vertex seen : bool; local vertex state : int32; vertex clear : bool = true; vertex counted : int32;
    edge weight : int32 = int32(id) % 3;
}
edge functor mark(s, t, e) { cond weight[e] != 1 && !seen[t]; apply { seen[t] = true; } }
edge functor raise(s, t, e) { cond 7 != state[t]; apply { state[t] = 7; } }
edge functor lower(s, t, e) { cond clear[s]; apply { clear[s] = false; } }
schedule {
    frontier f = where(v => v == 1 || out_degree(v) == 2);
    advance(f, mark, to=none);
    advance(f, raise, to=none, over=all_edges);
    advance(f, lower, to=none);
    compute(vertices, v => { counted[v] = seen[v] ? int32(state[v]) : -1; });
}
"""
KEPT = {
    "another array": ("state[t] = 7", "counted[t] = 7"),
    "another statement": ("state[t] = 7;", "state[t] = 7; counted[s] any= 1;"),
    "a real number": ("local vertex state : int32; vertex clear", "vertex state : float32; vertex clear"),
    "a test that may stop after it": ("cond 7 != state[t]", "cond 7 != state[t] && weight[edge(int64(t) * 9)] < 2"),
    "a result": ("advance(f, raise, to=none, over=all_edges)", "frontier g = advance(f, raise)"),
}


def plan(former: str, now: str, on: GraphClass = SHORT) -> Plan:
    assert former in PROGRAM
    return plan_of(load(Source("marked.gdsl", PROGRAM.replace(former, now, 1))), graph=on)


def conjuncts_of(plan: Plan, label: str = "raise") -> set[tuple[int, ...]]:
    pushes = (each for step in operations(plan) if step.step.label == label for each in sweeps_of(step))
    return {walk.variant.tests for sweep in pushes if sweep.selection is None for walk in sweep.walks}


def test_what_is_left_out() -> None:
    short = plan("", "")
    assert (
        conjuncts_of(short) == {()} and conjuncts_of(short, "mark") == {(0,)} and conjuncts_of(short, "lower") == {()}
    )
    assert conjuncts_of(plan("", "", GENERAL)) == {(0,)}
    assert conjuncts_of(plan("local vertex state : int32;", "local vertex state : int32 = int32(id);")) == {(0,)}


@pytest.mark.parametrize("name", KEPT)
def test_what_must_be_tested(name: str) -> None:
    kept = plan(*KEPT[name])
    assert () not in conjuncts_of(kept)

    def untested(sweep: Sweep) -> Sweep:
        walks = (dataclasses.replace(each, variant=dataclasses.replace(each.variant, tests=())) for each in sweep.walks)
        return dataclasses.replace(sweep, walks=tuple(walks))

    wrong = map_sweeps(kept, lambda step, sweep: untested(sweep) if step.step.label == "raise" else sweep)
    with pytest.raises(VerificationError, match="a conjunct is tested never or twice"):
        verify(wrong)


@pytest.mark.skipif(compilers.compiler() is None, reason="the emulator needs g++")
@pytest.mark.parametrize("name", ["maximal_independent_set", PROGRAM], ids=["independent_set", "marked"])
def test_results_are_those_of_the_reference(name: str) -> None:
    built = build(name, on=SHORT)
    graphs = {**named_graphs(), "random": random_graph(300, 2000, seed=3, directed=False)}
    suited = {key: each for key, each in graphs.items() if not (each.directed and built.program.requires.symmetric)}
    for seed, (key, graph) in enumerate(suited.items()):
        bindings = bind(built.program, graph, {}, id_bits=32)
        found = built.run(graph, bindings, device_for(seed, blocks=1 + seed % 3))
        assert differences(built.program, expect(built.program, graph, bindings), found) == [], key
