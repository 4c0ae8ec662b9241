"""Ballots and scores without a name."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.ir import nodes
from gdsl.pipeline import load
from gdsl.types import Type
from tests.support.graphs import random_graph

HEAD = """program p; problem {
    param step : int32 = 1; vertex label : vertex = id; vertex color : int64 = int64(id) % 5; vertex rank : float32;
    vertex mass : uint32; scalar s : int64; edge weight : int32 = 1 + int32(id) % 3; vertex best : (vertex, int32);
}
edge functor ballot(src, dst, e) -> (vertex, int32) { cond src != dst; value (label[dst], weight[e]); }
vote functor gain(v, key, total) -> int32 { value total - int32(key) % 3; }
function both(v : vertex) -> (vertex, float32) { return (v, 1.5); }
"""


def text_of(schedule: str) -> str:
    return f"{HEAD}schedule {{ frontier f = {{ 0 }}; {schedule} }}"


@pytest.mark.parametrize(
    ("call", "key", "weight", "score"),
    [
        ("label = neighbor_vote(f, (src, dst, e) => (label[dst], 1))", Type.VERTEX, Type.INT32, None),
        ("label = neighbor_vote(f, (a, b, c) => (b, weight[c] / 2.0), over=in_edges)", Type.VERTEX, Type.FLOAT32, None),
        ("color = neighbor_vote(f, (src, dst, e) => (3, float64(weight[e])))", Type.INT64, Type.FLOAT64, None),
        ("color = neighbor_vote(f, (src, dst, e) => (weight[e], mass[dst]))", Type.INT64, Type.UINT32, None),
        (
            "label = neighbor_vote(f, (src, dst, e) => { cond src < dst; value (dst, 1); }) @w",
            Type.VERTEX,
            Type.INT32,
            None,
        ),
        ("label = neighbor_vote(f, (src, dst, e) => both(dst), keep=label)", Type.VERTEX, Type.FLOAT32, None),
        ("label = neighbor_vote(f, (src, dst, e) => best[src])", Type.VERTEX, Type.INT32, None),
        ("label = neighbor_vote(f, ballot, (v, key, total) => total * 2)", Type.VERTEX, Type.INT32, Type.INT32),
        (
            "label = neighbor_vote(f, ballot, (v, k, t) => { value t + rank[k]; })",
            Type.VERTEX,
            Type.INT32,
            Type.FLOAT32,
        ),
        (
            "color = neighbor_vote(f, (u, w, e) => (color[w], 1), (v, k, t) => key_of(k, t))",
            Type.INT64,
            Type.INT32,
            Type.INT64,
        ),
        (
            "label = neighbor_vote(f, (u, w, e) => (w, weight[e]), (v, k, t) => v == k ? 1 : t)",
            Type.VERTEX,
            Type.INT32,
            Type.INT32,
        ),
    ],
)
def test_forms(call: str, key: Type, weight: Type, score: Type | None) -> None:
    program = load(text_of(call + ";").replace("key_of(k, t)", "k % 3 - t"))
    step = program.schedule[-1]
    assert isinstance(step, nodes.NeighborVote)
    functor = next(each for each in program.edge_functors if each.name == step.functor)
    assert functor.key is not None and functor.value is not None
    assert (functor.key.type, functor.value.type) == (key, weight)
    scores = [each for each in program.vote_functors if each.name == step.score]
    assert [each.value.type for each in scores] == ([score] if score is not None else [])
    assert all((each.key_type, each.total_type) == (key, weight) for each in scores)


NAMED = "label = neighbor_vote(vertices, ballot, gain);"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "call",
    [
        "label = neighbor_vote(vertices, (src, dst, e) => { cond src != dst; value (label[dst], weight[e]); }, gain);",
        "label = neighbor_vote(vertices, ballot, (v, key, total) => total - int32(key) % 3);",
        "label = neighbor_vote(vertices, (a, b, e) => { cond a != b; value (label[b], weight[e]); },"
        " (v, k, t) => { value t - int32(k) % 3; });",
        "ask(label);",
    ],
)
@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_they_say_the_same_as_those_with_a_name(call: str, backend: str) -> None:
    procedure = """procedure ask(a: vertex vertex) {
        a = neighbor_vote(vertices, (s, d, e) => { cond s != d; value (a[d], weight[e]); },
            (v, k, t) => t - int32(k) % 3);
    }"""
    graph = random_graph(60, 400, seed=5)
    named = gdsl.compile(text_of(NAMED * 2)).run(graph, backend="reference").host_arrays()["label"]
    also = NAMED if "gain" in call else call
    text = text_of(f"{also} {call}").replace("schedule {", f"{procedure} schedule {{")
    found = gdsl.compile(text).run(graph, backend=backend).host_arrays()["label"]
    assert np.array_equal(found, named)


def mistake(schedule: str) -> Diagnostic:
    with pytest.raises(GdslError) as caught:
        load(text_of(schedule))
    (found,) = caught.value.diagnostics
    return found


@pytest.mark.parametrize(
    ("call", "code", "words", "fix"),
    [
        (
            "label = neighbor_vote(f, (src, dst, e) => dst)",
            "E0401",
            "a key and a weight, and this one is vertex",
            "(key, weight)",
        ),
        ("label = neighbor_vote(f, v => (v, 1))", "E0401", "three parameters", None),
        ("label = neighbor_vote(f, (src, dst, e) => { cond src < dst; })", "E0401", "has no `value`", "value"),
        ("label = neighbor_vote(f, (src, dst, e) => { weight[e] += 1; })", "E0401", "has no `value`", "value"),
        ("label = neighbor_vote(f, (src, dst, e) => (weight[e], 1))", "E0205", "the key of a ballot", None),
        ("color = neighbor_vote(f, (src, dst, e) => (0.5, 1))", "E0205", "the key of a ballot", None),
        (
            "rank = neighbor_vote(f, (src, dst, e) => (rank[dst], 1))",
            "E0205",
            "the keys of a ballot are float32",
            "(key, weight)",
        ),
        (
            "label = neighbor_vote(f, (src, dst, e) => (dst, src))",
            "E0205",
            "the weights of a ballot are vertex",
            "(key, weight)",
        ),
        (
            "label = neighbor_vote(f, (src, dst, e) => (dst, true))",
            "E0205",
            "the weights of a ballot are bool",
            "(key, weight)",
        ),
        ("label = neighbor_vote(f, (src, dst, e) => (dst, unknown))", "E0201", "`unknown` is not declared", None),
        (
            "label = neighbor_vote(f, (u, w, e) => (w, 1), gain)",
            "E0205",
            "this ballot has no name",
            "write the score here",
        ),
        ("label = neighbor_vote(f, ballot, (v, key) => 1)", "E0401", "takes", None),
        ("label = neighbor_vote(f, ballot, v => 1)", "E0401", "`v, key, total`, not 1", "score"),
        (
            "label = neighbor_vote(f, ballot, (v, k, t) => { cond t > 1; value t; })",
            "E0401",
            "and nothing else",
            "score",
        ),
        ("label = neighbor_vote(f, ballot, (v, k, t) => { s += 1; })", "E0401", "and nothing else", "score"),
        (
            "label = neighbor_vote(f, ballot, (v, k, t) => t > 1)",
            "E0205",
            "a score is a number, and this gives bool",
            "score",
        ),
        (
            "label = neighbor_vote(f, ballot, (v, k, t) => k)",
            "E0205",
            "a score is a number, and this gives vertex",
            "score",
        ),
    ],
)
def test_a_mistake_has_one_message(call: str, code: str, words: str, fix: str | None) -> None:
    found = mistake(call + ";")
    if "(v, key)" in call:  # no functor has two parameters
        assert found.code.startswith("E0")
        return
    assert (found.code, words in found.message) == (code, True), (found.code, found.message)
    assert "neighbor_vote_" not in found.message + (found.fix or "")
    assert fix is None or (found.fix is not None and fix in found.fix), found.fix
