"""What `intersect(pairs=(f, g))` may stand for, and what is said where it may not."""

from __future__ import annotations

import dataclasses

import pytest

import gdsl
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.ir import nodes
from gdsl.ir.verifier import VerificationError, verify
from gdsl.operations import Domain, Grade
from gdsl.pipeline import load
from tests.support.graphs import make_graph

HEAD = """program p; problem {
    param some : vertex set; param here : vertex; scalar s : int64; vertex hops : int32; edge used : int32;
    vertex parent : vertex = none; vertex level : int32 = -1;
}
common functor near_three(u, w, x) { apply { hops[x] += 1; accept u < x; } }
common functor of_lists(u, w, x, e, eu, ew) { apply { used[eu] += 1; used[ew] += 1; } }
common functor of_edge(u, w, x, e, eu, ew) { apply { used[e] += 1; } }
common functor asking(u, w, x, e, eu, ew) { cond used[e] == 0; }
vertex functor third(v) { cond int64(v) % 3 == 0; }
edge functor step(src, dst, e) { cond level[dst] == -1; apply { level[dst] = 1; parent[dst] any= src; } }
edge functor light(src, dst, e) { cond src < dst; }
vertex functor odd(v) { cond parent[v] == here; }
"""


def text_of(schedule: str) -> str:
    return f"{HEAD}schedule {{ frontier f = {{ here }}; frontier g = where(third); {schedule} }}"


def mistakes(schedule: str) -> list[Diagnostic]:
    with pytest.raises(GdslError) as caught:
        load(text_of(schedule))
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(
    ("schedule", "functor", "result", "count"),
    [
        ("s = intersect(pairs=(f, g));", None, None, "s"),
        ("s += intersect(pairs=(f, g));", None, None, "s"),
        ("s = intersect(pairs=({ 1, here }, { 0 } | f), near_three);", "near_three", None, "s"),
        ("f = intersect(pairs=(f, g));", None, "f", None),
        ("g = intersect(pairs=(vertices, where(third)), count=s, near_three) @walk;", "near_three", "g", "s"),
        ("intersect(pairs=(some, filter(g, third)), of_lists);", "of_lists", None, None),
        ("intersect(of_lists, pairs=(f - g, advance(f, step)), count=s);", "of_lists", None, "s"),
        ("frontier c = intersect(pairs=(f, f), (u, w, x) => u < x);", "intersect_1", "c", None),
        ("s = intersect(pairs=(f, f), (u, w, x, e, eu, ew) => { cond eu < ew; });", "intersect_1", None, "s"),
        ("buckets b(level, 2) = f; s = intersect(pairs=(b.pop(), f));", None, None, "s"),
    ],
)
def test_forms(schedule: str, functor: str | None, result: str | None, count: str | None) -> None:
    found = load(text_of(schedule)).schedule[-1]
    assert isinstance(found, nodes.Intersect)
    assert (found.functor, found.result, found.count) == (functor, result, count)
    assert found.frontier.domain is Domain.VERTEX and found.partners is not None


@pytest.mark.parametrize(
    ("schedule", "code", "words", "fix"),
    [
        ("s = intersect(pairs=f);", "E0402", "`pairs=` takes two sets of vertices", "pairs=(f, g)"),
        ("s = intersect(pairs=(f, 2));", "E0403", "not a set of vertices", None),
        ("s = intersect(pairs=(f, edges));", "E0416", "is a set of edges", None),
        ("s = intersect(pairs=(filter(edges, light), f));", "E0416", "is a set of edges", None),
        ("s = intersect(pairs=(hops, g));", "E0403", "not a frontier", None),
        ("s = intersect(edges, pairs=(f, g));", "E0402", "edges or `pairs=`, not both", "pairs=(f, g)"),
        (
            "s = intersect(edges, near_three, pairs=(f, g));",
            "E0402",
            "takes one frontier of edges or `pairs=`",
            "pairs=(f, g)",
        ),
        ("s = intersect(pairs=(f, g), pairs=(g, f));", "E0402", "`pairs=` is given twice", "leave one"),
        ("s = intersect(pairs=(f, g), over=in_edges);", "E0402", "no argument `over=`", "pairs=(f, g)"),
        ("s = intersect(pairs=(f, g), step);", "E0401", "a common functor", None),
        ("intersect(pairs=(f, g));", "E0227", "is not used", "s = intersect"),
        ("s = intersect(pairs=(f, g), of_edge);", "E0401", "`e` is not an edge where `of_edge`", "edges"),
        ("s = intersect(pairs=(f, g), asking);", "E0401", "`e` is not an edge where `asking`", "edges"),
        ("intersect(pairs=(f, g), (u, w, x, e, eu, ew) => e < eu, count=s);", "E0401", "`e` is not an edge", "edges"),
        ("f = intersect(pair=(f, g));", "E0402", "takes no argument `pair=`", "did you mean `pairs=`?"),
    ],
)
def test_a_mistake_has_one_message(schedule: str, code: str, words: str, fix: str | None) -> None:
    (found,) = mistakes(schedule)
    assert (found.code, words in found.message) == (code, True), (found.code, found.message)
    assert found.span is not None
    assert fix is None or (found.fix is not None and fix in found.fix), found.fix


def test_the_functor_of_an_edge_may_run_on_edges_elsewhere() -> None:
    load(text_of("intersect(edges, of_edge); intersect(pairs=(f, g), of_lists);"))


@pytest.mark.parametrize(
    ("made", "grade"), [("f", Grade.EXACT), ("advance(f, step)", Grade.EXACT), ("filter(g, odd)", Grade.NOT_UNIQUE)]
)
def test_it_is_as_certain_as_both_sets(made: str, grade: Grade) -> None:
    """`parent` is any of several: who has a certain one is another from run to run."""
    schedule = (
        f"advance(vertices, step, to=none); frontier h = {made}; intersect(pairs=({{}}, h), near_three, count=s);"
    )
    program = load(text_of(schedule))
    grades = {data.name: data.grade for data in (*program.arrays, *program.scalars)}
    assert (grades["hops"], grades["s"]) == (grade, grade)


def test_what_an_earlier_call_was_of_does_not_count() -> None:
    schedule = """advance(vertices, step, to=none);
    intersect(pairs=(where(odd), where(odd)), of_lists); intersect(pairs=(g, g), near_three);"""
    grades = {array.name: array.grade for array in load(text_of(schedule)).arrays}
    assert (grades["used"], grades["hops"]) == (Grade.NOT_UNIQUE, Grade.EXACT)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("s = intersect(pairs=({ 0, 1, 2 }, { 3 }));", "the first set of `pairs=` has 2 vertices more than the second"),
        ("f = intersect(pairs=({}, { 3 }));", "the second set of `pairs=` has 1 vertex more than the first"),
        ("intersect(pairs=(vertices, some), near_three);", "the first set of `pairs=` has 3 vertices more"),
        (
            "repeat (2) { s += intersect(pairs=(vertices - f, g | {2})); f = {}; }",
            "the first set of `pairs=` has 1 vertex",
        ),
        ("s = intersect(pairs=({ 1, 1, 1 }, { 1 })); s = intersect(pairs=(f, {}));", "has 1 vertex more"),
    ],
)
def test_sets_of_two_sizes_stop_the_run(schedule: str, words: str, backend: str) -> None:
    program = gdsl.compile(text_of(schedule))
    graph = make_graph([(0, 1), (1, 2), (2, 0), (3, 0)], 4)
    with pytest.raises(GdslError) as caught:
        program.run(graph, {"some": [2], "here": 3}, backend=backend)
    (found,) = caught.value.diagnostics
    assert found.code == "E0806" and words in found.message
    assert found.span is not None and found.span.line == 13


def test_pairs_go_by_the_order_of_ids() -> None:
    """However a set was made: the k-th smallest of the one belongs to the k-th smallest of the other."""
    program = gdsl.compile(
        text_of("f = intersect(pairs=({ 5, 0 }, { 1, 3 }), (u, w, x) => { hops[u] += 1; used[0] += int32(w); });")
    )
    graph = make_graph([(0, 2), (1, 2), (3, 4), (5, 4), (5, 2)], 6)
    result = program.run(graph, {"some": [], "here": 0}, backend="reference")
    assert result["hops"].tolist() == [1, 0, 0, 0, 0, 1]
    assert result["used"].tolist() == [1 + 3, 0, 0, 0, 0]


def test_the_verifier_knows_pairs() -> None:
    program = load(text_of("s = intersect(pairs=(f, g), of_lists);"))
    verify(program, "lowering")
    *others, step = program.schedule
    assert isinstance(step, nodes.Intersect)
    for changes in (
        {"partners": None},
        {"partners": "hops"},
        {"partners": "nothing"},
        {"functor": "of_edge"},
        {"frontier": nodes.Elements(step.span, Domain.EDGE, None)},
    ):
        broken = dataclasses.replace(program, schedule=(*others, dataclasses.replace(step, **changes)))
        with pytest.raises(VerificationError):
            verify(broken, "a test")
