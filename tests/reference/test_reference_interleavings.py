"""Interleaved runs: the same meaning as whole calls, and races found."""

from __future__ import annotations

import numpy as np
import pytest
from interleaving.interleave import InterleavedCalls, explore

from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.ir.nodes import Program
from gdsl.pipeline import load_source
from gdsl.source import Source
from tests.support.graphs import make_graph, named_graphs, star
from tests.support.interpreting import answers, program_of

EVERY_STATEMENT = """
program every;
problem {
    input edge weight : float32;
    vertex a : int32 = int32(id); vertex low : int32 = inf; vertex total : int64; vertex bits : uint32;
    vertex winner : vertex; vertex claims : int32; vertex flags : bool; edge mark : edge;
    scalar sum : int64; scalar most : float32;
}
function clamp(x : int32) -> int32 { return x > 9 ? 9 : x; }
edge functor f(src, dst, e) {
    cond clamp(out_degree(src)) > 0 && src != dst;
    apply {
        let mine = clamp(int32(src) * 2);
        var k = 0;
        for i in 0..mine { k += i; if (k > 20) { break; } }
        while (k > 3) { k = k // 2; }
        low[dst] min= k + clamp(int32(dst));
        if (changed(low[dst] min= k)) { flags[dst] = true; } else { total[dst] += 0; }
        total[dst] += int64(mine);
        bits[dst] |= uint32(1) << uint32(mine);
        if (cas(claims[dst], 0, 1)) { sum += int64(dst); }
        flags[dst] = true;
        mark[e] = e;
        most max= abs(-weight[e]) + sqrt(float32(4));
        accept !(int32(dst) % 2 == 1) || weight[e] > 100;
    }
}
schedule {
    frontier g = advance(vertices, f);
    while (g && iteration < 3) { g = advance(g, f); }
    fill(low, 0);
    advance(vertices, f, to=none, over=all_edges);
}
"""

OWN_ELEMENTS = """
program own;
problem {
    vertex a : int32 = int32(id) - 3; vertex b : float32 = float32(int32(id)); vertex link : vertex = id;
    vertex seen : bool; vertex count : int32; scalar s : int32 = 2; vertex c : int64 = 5;
}
function limited(x : int32) -> int32 { return min(x, 6); }
vertex functor f(v) {
    cond !seen[v] && (a[v] < 50 || b[v] > 1000);
    apply {
        a[v] = a[v] > 0 ? limited(a[v] * 3) : -a[v];
        b[v] = max(b[v], sqrt(b[v] + 2)) + float32(a[v]);
        count[v] += out_degree(link[v]) + limited(now s - 2);
        for i in a[v]..a[v] + 5 { count[v] += i; if (count[v] > 12) { break; } }
        while (count[v] > 4 && !(c[v] == 0)) { count[v] = count[v] - 3; c[v] = c[v] - 1; if (c[v] < 2) { break; } }
        let before = fetch(a[v] += 1);
        if (changed(c[v] max= 4) || before > 3) { link[v] = vertex(a[v]); }
        cas(seen[v], a[v] == 7, true);
        s max= 2;
        accept count[v] > 2;
    }
}
schedule { frontier g = where(f); repeat (3) { g = filter(g, f); } }
"""


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text", [EVERY_STATEMENT, OWN_ELEMENTS], ids=["every_statement", "own_elements"])
@pytest.mark.parametrize("name", ["grid_undirected", "self_loops_directed", "random_directed", "star_undirected"])
def test_interleaved_runs_mean_what_whole_calls_mean(name: str, text: str) -> None:
    graph = named_graphs()[name]
    program = program_of(text)
    bindings = bind(program, graph, {})
    whole = interpret(program, graph, bindings, Limits())
    for seed in range(4):
        mixed = interpret(program, graph, bindings, Limits(), seed=seed, make_calls=InterleavedCalls)
        for array, values in whole.arrays.items():
            assert np.array_equal(values, mixed.arrays[array]), array
        assert whole.scalars == mixed.scalars
        assert whole.trace == mixed.trace


def unchecked(text: str) -> Program:
    return load_source(Source("racy", text), refuse=False)


RACY = {
    "lost_update": (
        "scalar s : int32;",
        "vertex functor f(v) { apply { let old = s; s = old + 1; } }",
    ),
    "check_then_store": (
        "scalar s : int32; scalar winners : int32;",
        "vertex functor f(v) { apply { if (s == 0) { s = 1; winners += 1; } } }",
    ),
    "torn_pair": (
        "scalar a : vertex; scalar b : vertex; vertex same : bool;",
        "vertex functor f(v) { apply { a = v; b = v; same[v] = a == b; } }",
    ),
    "plain_writers": (
        "vertex p : vertex;",
        "edge functor f(src, dst, e) { apply { p[dst] = src; } }",
    ),
    "reads_a_neighbor": (
        "vertex a : int32 = 1;",
        "edge functor f(src, dst, e) { apply { a[dst] = a[src] + 1; } }",
    ),
}


@pytest.mark.parametrize("name", RACY)
def test_races_have_several_answers(name: str) -> None:
    data, functor = RACY[name]
    operator = "advance(vertices, f, to=none)" if "edge functor" in functor else "compute(vertices, f)"
    program = unchecked(f"program p; problem {{ {data} }} {functor} schedule {{ {operator}; }}")
    graph = make_graph([(0, 1), (1, 2), (2, 0), (3, 2), (2, 1)], 5)
    assert len(explore(program, graph, Bindings({}, {}), range(60), everything=True)) > 1


def test_some_races_need_interleaving() -> None:
    data, functor = RACY["lost_update"]
    program = unchecked(f"program p; problem {{ {data} }} {functor} schedule {{ compute(vertices, f); }}")
    graph = make_graph([], 5)
    whole = {interpret(program, graph, Bindings({}, {}), Limits(), seed=seed).scalars["s"] for seed in range(20)}
    assert whole == {5}
    mixed = explore(program, graph, Bindings({}, {}), range(60), everything=True)
    assert {int(answer.scalars["s"]) for answer in mixed} >= {2, 3, 4}


def test_cas_has_one_winner() -> None:
    text = """program p; problem { vertex taken : int32; scalar winners : int32; local vertex by : vertex; }
    edge functor f(src, dst, e) { apply { if (cas(taken[dst], 0, 1)) { winners += 1; by[dst] = src; } } }
    schedule { advance(vertices, f, to=none); }"""
    graph = make_graph([(leaf, 0) for _, leaf in star(20)], 21)
    (only,) = answers(text, graph, 30)
    assert only.scalars["winners"] == 1


def test_errors_are_answers_and_floats_have_a_tolerance() -> None:
    text = """program p; problem { vertex p : vertex; vertex a : int32; }
    vertex functor f(v) { cond v == 3; apply { a[v] = now a[p[v]]; } } schedule { compute(vertices, f); }"""
    (only,) = answers(text, make_graph([], 4), 3)
    assert only.error == "E0801"
    text = """program p; problem { scalar s : float32; }
    vertex functor f(v) { apply { s += 1 / float32(int32(v) + 3); } } schedule { compute(vertices, f); }"""
    (only,) = answers(text, make_graph([], 60), 30)
    assert only.seeds == list(range(30))
