"""Which programs may run on other ids of the vertices: twins, one accepted, one a token away refused with its line."""

from __future__ import annotations

from random import Random

import pytest
from fuzz.programs import other_ids
from fuzz.programs.checks import check_other_ids
from fuzz.programs.graphs import Shape
from fuzz.programs.other_ids import OtherIds
from fuzz.programs.trials import Trial
from oracles import CASES
from support.graphs import random_graph

from gdsl.api.schedules import differences
from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.ids import looks_up, with_given_ids
from gdsl.operations import Layout
from gdsl.pipeline import load, load_source
from gdsl.source import Source
from gdsl.uniqueness import layout

_HEAD = """program p;
{requires}
problem {{ param s : vertex; vertex a : int32; vertex b : vertex; vertex c : float32; scalar n : int64;"""
GRAPHS = [random_graph(40, 90, seed=3, directed=False), random_graph(30, 70, seed=4, directed=True)]


def program(
    data: str = "", functors: str = "", schedule: str = "", tune: str = "", requires: str = ""
) -> nodes.Program:
    tuned = f"tune {{ {tune} }}" if tune else ""
    text = f"{_HEAD.format(requires=requires)} {data} }}\n{functors}\nschedule {{ {schedule} }}\n{tuned}\n"
    return load_source(Source("layout", text))


def edges(body: str, over: str = "") -> dict[str, str]:
    return {
        "functors": f"edge functor f(src, dst, e) {{ {body} }}",
        "schedule": f"advance(vertices, f, to=none{over});",
    }


def reduced(value: str, into: str = "b", by: str = "min", type_: str = "vertex") -> dict[str, str]:
    functor = f"edge functor f(src, dst, e) -> {type_} {{ value {value}; }}"
    return {"functors": functor, "schedule": f"{into} = neighbor_reduce(vertices, f, {by});"}


def vertices(body: str) -> dict[str, str]:
    return {"functors": f"vertex functor f(v) {{ {body} }}", "schedule": "compute(vertices, f);"}


def ties(condition: str, then: str = "") -> dict[str, str]:
    functor = f"edge functor up(src, dst, e) {{ cond {condition}; }}"
    schedule = f"edge frontier g = filter(edges, up); {then}"
    return {"functors": functor, "schedule": schedule, "requires": "requires symmetric;"}


TWINS = [
    (
        edges("cond src != dst; apply { a[dst] = 1; }"),
        edges("cond src < b[dst]; apply { a[dst] = 1; }"),
        "compared by `<`",
    ),
    (edges("apply { b[dst] any= src; }"), edges("apply { b[dst] min= src; }"), "`min=` orders ids"),
    (vertices("apply { b[v] = b[v] == none ? v : b[v]; }"), vertices("apply { b[v] = min(b[v], v); }"), "`min` orders"),
    (vertices("apply { a[v] = int32(v); }"), vertices("apply { a[v] = int32(b[v]); }"), "an id becomes a number"),
    (
        {"data": "vertex ids_as_given : vertex;", **vertices("apply { a[v] = int32(v); }")},
        {"data": "vertex ids_as_given : vertex;", **vertices("apply { a[v] = int32(ids_as_given[v]); }")},
        "an id becomes a number",
    ),
    (
        vertices("apply { c[v] = random(v); }"),
        vertices("apply { c[v] = random(b[v]); }"),
        "an id becomes a number",
    ),
    ({"data": "vertex d : int32 = int32(id);"}, {"data": "vertex d : int32 = int32(s);"}, "an id becomes a number"),
    ({"schedule": "a[s] = 1;"}, {"schedule": "a[0] = 1;"}, "named by its number, 0"),
    (vertices("apply { b[v] = s; }"), vertices("apply { b[v] = vertex(a[v]); }"), "a number becomes an id"),
    (
        edges("cond c[src] < 2; apply { a[dst] = 1; }"),
        edges("cond place < 2; apply { a[dst] = 1; }"),
        "place in a list",
    ),
    (
        vertices("apply { if (has_edge(v, s)) { a[v] = 1; } }"),
        vertices("apply { if (out_degree(v) > 0) { b[v] = neighbor(v, 0); } }"),
        "`neighbor` takes a place",
    ),
    (
        vertices("apply { a[v] = 0; for i in 0..3 { a[v] += 1; } }"),
        vertices("apply { a[v] = 0; for u, e in neighbors(v) { a[v] += 1; } }"),
        "visits a list in its order",
    ),
    (reduced("a[src]", "a", "min", "int32"), reduced("src"), "`min` orders ids"),
    ({"data": "local edge w : float32;"}, {"data": "edge w : float32;"}, "result of edges"),
    ({"data": "input edge w : float32;"}, {"data": "input edge w : vertex;"}, "ids as values of edges"),
    ({"data": "input edge w[2] : bool;"}, {"data": "input edge w[2] : edge;"}, "ids as values of edges"),
    ({"data": "local scalar x : edge;"}, {"data": "scalar x : edge;"}, "the id of an edge"),
    ({"data": "vertex x : (int32, float32);"}, {"data": "vertex x : (int32, vertex);"}, "ids in pairs"),
    (
        {"schedule": "frontier g = filter(vertices, v => a[v] > 0); n = size(g);"},
        {"schedule": "frontier g = filter(vertices, v => a[v] > 0); a = number(g);"},
        "numbered by their ids",
    ),
    ({"schedule": "n = max(a);"}, {"data": "scalar t : vertex;", "schedule": "t = argmax(a);"}, "orders ids"),
    (
        {"schedule": "graph h = subgraph(filter(edges, (src, dst, e) => a[src] == a[dst])); on h { n = num_edges; }"},
        {"schedule": "graph h; on h { h = contract(a); }"},
        "in the order of their labels",
    ),
]
_PAIRS = "(out_degree(src), src) < (out_degree(dst), dst)"
SAME_TIES = [
    (ties(_PAIRS), ties("(a[src], src) < (a[dst], dst)")),
    (ties(_PAIRS), ties("(out_degree(src), dst) < (out_degree(dst), src)")),
    (ties(_PAIRS.replace("<", ">=")), {**ties(_PAIRS), "requires": ""}),
    (
        ties("c[src] < 1 && out_degree(src) == out_degree(dst) && c[dst] > 0 && src > dst"),
        ties("c[src] < 1 && out_degree(src) >= out_degree(dst) && c[dst] > 0 && src > dst"),
    ),
    (
        ties("a[src] < a[dst] || in_degree(src) == in_degree(dst) && src < dst"),
        ties("a[src] < a[dst] || in_degree(src) == out_degree(dst) && src < dst"),
    ),
    (
        ties("out_degree(src) == out_degree(dst) && (c[src] < 1 && src < dst)"),
        ties("out_degree(src) == out_degree(dst) || src < dst"),
    ),
    (
        ties(_PAIRS, "n = size(g); graph h = subgraph(g);"),
        ties(_PAIRS, "graph h = subgraph(g); on h { edge frontier k = filter(edges, up); }"),
    ),
]


@pytest.mark.parametrize(("fits", "refused", "why"), TWINS, ids=[str(place) for place in range(len(TWINS))])
def test_twins(fits: dict[str, str], refused: dict[str, str], why: str) -> None:
    asked = {"tune": "schedule.layout = by_degree;"}
    assert program(**fits, **asked).tuning.layout is Layout.BY_DEGREE
    assert program(**fits).any_ids
    assert not program(**refused, tune="schedule.layout = auto;").any_ids
    with pytest.raises(GdslError) as caught:
        program(**refused, **asked)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E0420" and why in diagnostic.message
    assert diagnostic.span is not None and diagnostic.span.line >= 2 and diagnostic.fix


@pytest.mark.parametrize(("fits", "other"), SAME_TIES, ids=[str(place) for place in range(len(SAME_TIES))])
def test_ties(fits: dict[str, str], other: dict[str, str]) -> None:
    """Those that stay what they are need no look at the given ids; others do, where that is possible."""
    assert program(**fits).any_ids and not looks_up(program(**fits))
    assert not program(**other).any_ids or looks_up(program(**other))


def test_what_the_host_does_with_ids_is_done_before() -> None:
    data = "param k : int32 = 2; input vertex w : vertex where w != none && int32(w) < 100; param t : vertex set;"
    assert program(data=data).any_ids


@pytest.mark.slow
def test_every_program_that_passes_answers_alike() -> None:
    """And whatever the language has is known: what is new stands in the way until somebody has thought of it."""
    passing = []
    for case in CASES:
        program = load(case.path)
        assert "this is not known to be the same under other ids" not in {each.why for each in layout.inside(program)}
        if not program.any_ids:
            continue
        passing.append(case.name)
        for seed, graph in enumerate(GRAPHS):
            if case.suits(graph):
                values, ids = case.values(graph, seed), OtherIds.of(program, graph, Random(seed))
                bindings = bind(program, graph, values)
                expected = interpret(program, graph, bindings, Limits())
                own = with_given_ids(program)
                found = interpret(own, ids.graph, ids.bindings(program, bindings), Limits())
                answers = [{**each.arrays, **each.scalars} for each in (expected, ids.outcome(program, found))]
                assert list(differences(program, *answers)) == [], case.name
                case.check(graph, values, answers[1])
    assert {"bfs", "pagerank", "k_core", "topological_levels", "triangle_count"} <= set(passing)


def test_a_hole_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the campaign of programs does with what the rule lets through."""
    text = """program p;
problem { vertex a : int32; }
edge functor f(src, dst, e) { cond place < 1; apply { a[dst] += 1; } }
schedule { advance(vertices, f, to=none); }
"""
    trial = Trial(text, Shape(4, ((0, 1), (0, 2), (0, 3), (1, 0))))
    assert check_other_ids(trial) is None, "it is refused"
    monkeypatch.setattr(other_ids, "inside", lambda program: ())
    assert "a[" in (check_other_ids(trial) or "")
