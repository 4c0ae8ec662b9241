"""Sets of edges where vertices are wanted and the reverse, and edge frontiers without one far end."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.nodes import Role
from gdsl.ir.traversal import walk
from gdsl.operations import Direction, Domain
from gdsl.pipeline import load

HEAD = """program t;
problem { param s : vertex; param x : edge; vertex d : int32 = -1; edge w : int32; scalar n : int64; vertex r : int32; }
vertex functor keep(v) { cond d[v] > 0; }
edge functor visit(src, dst, e) { cond w[e] > 0; }
edge functor val(src, dst, e) -> int32 { value w[e]; }
schedule { frontier f = { s }; edge frontier e = edges;
BODY
}
"""
IN, ALL = "to=edges, over=in_edges", "to=edges, over=all_edges"
MISTAKES = [
    ("f = e;", "E0416", "edge frontier"),
    ("f = edges;", "E0416", "edge frontier"),
    ("e = f;", "E0416", "to=edges"),
    ("e = vertices;", "E0416", "to=edges"),
    ("e = advance(f, visit);", "E0416", "write `to=edges`"),
    ("e = advance(e, visit, to=vertices);", "E0416", "write `to=edges`"),
    ("f = advance(f, visit, to=edges);", "E0416", "leave `to=edges` out"),
    ("f = filter(e, visit);", "E0416", "edge frontier"),
    ("e = top(e, val, 1);", "E0416", "`advance(e, functor)` gives vertices"),
    ("advance(f, visit, to=none); n = intersect(pairs=(f, e));", "E0416", "`advance(e, functor)` gives vertices"),
    ("history h; h.push(e);", "E0416", "`advance(e, functor)` gives vertices"),
    ("e = filter(f, keep);", "E0416", "to=edges"),
    ("e = where(keep);", "E0416", "to=edges"),
    ("advance(f, visit, to=edges);", "E0227", "to=none"),
    ("e = filter(e, keep);", "E0401", "edge functor"),
    ("e = filter(edges, keep);", "E0401", "edge functor"),
    ("f = filter(advance(f, visit, to=edges), keep);", "E0401", "edge functor"),
    ("compute(e, keep);", "E0401", "edge functor"),
    ("compute({ x }, keep);", "E0401", "edge functor"),
    ("compute(e, val);", "E0401", "edge functor"),
    ("f = filter(f, visit);", "E0401", "vertex functor"),
    ("e = filter(advance(e, visit), visit);", "E0401", "vertex functor"),
    ("compute(f, visit);", "E0401", "vertex functor"),
    ("e = where(visit);", "E0401", "filter(edges, visit)"),
    ("r = neighbor_reduce(e, val, sum, over=in_edges);", "E0402", "by=far"),
    ("r = neighbor_reduce(vertices, val, sum, by=near);", "E0402", "over=in_edges"),
    ("e = advance(f, visit, to=edges, over=all_edges); r = neighbor_reduce(e, val, sum);", "E0417", ""),
    ("r = neighbor_reduce(advance(f, visit, to=edges, over=all_edges), val, sum, by=near);", "E0417", ""),
    ("e = { s };", "E0205", ""),
    ("f = { x };", "E0205", ""),
    ("e = { n };", "E0205", "edge(n)"),
    ("e = { 0, -1 };", "E0208", ""),
    ("e = x;", "E0403", "{ x }"),
    ("e = s;", "E0403", ""),
    ("e = n + 1;", "E0403", "edges"),
    ("n = e;", "E0204", "size(e)"),
    ("edge frontier f;", "E0202", ""),
    ("e |= e;", "E0206", "e = e | e"),
    ("f = f | e;", "E0416", "edge frontier"),
    ("e = advance(f, visit, to=edgs);", "E0402", "edges"),
    ("e = compute(e, visit);", "E0415", ""),
    ("fill(e, 1);", "E0402", ""),
    # one far end
    (f"e = advance(f, visit, {IN});", "E0417", "two edge frontiers"),
    (f"edge frontier g = advance(f, visit, {IN}); e = g;", "E0417", "two edge frontiers"),
    (f"edge frontier g = advance(f, visit, {IN}); e = filter(filter(g, visit), visit);", "E0417", "two"),
    (f"edge frontier g = {{ x }}; g = advance(f, visit, {IN});", "E0417", "two edge frontiers"),
    (f"edge frontier g; while (g) {{ e = g; g = advance(f, visit, {IN}); }}", "E0417", "two edge frontiers"),
    (f"edge frontier g = advance(f, visit, {ALL}); f = advance(g, visit);", "E0417", "over=in_edges"),
    (f"edge frontier g; f = advance(g, visit); g = advance(f, visit, {ALL});", "E0417", "over=in_edges"),
    (f"f = advance(filter(advance(f, visit, {ALL}), visit), visit);", "E0417", "over=in_edges"),
]


def loaded(body: str, tune: tuple[str, ...] = (), rest: str = "") -> nodes.Program:
    return load(HEAD.replace("BODY", body) + rest, tune)


@pytest.mark.parametrize(("body", "code", "fix"), MISTAKES, ids=[body for body, _, _ in MISTAKES])
def test_mistakes(body: str, code: str, fix: str) -> None:
    with pytest.raises(GdslError) as caught:
        loaded(body)
    (found,) = caught.value.diagnostics
    assert found.span is not None and fix in (found.fix or "")
    assert found.code == code


def test_both_places_of_two_kinds_are_named() -> None:
    with pytest.raises(GdslError) as caught:
        loaded(f"edge frontier g = advance(f, visit, {IN});\ne = g;")
    (found,) = caught.value.diagnostics
    assert "out_edges" in found.message and "in_edges" in found.message
    assert found.span is not None
    assert [label.span.line for label in found.labels] == [6, 7] and found.span.line == 8


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("f = advance(e, visit);", Role.DESTINATION),
        ("f = advance({ x, x, 0 }, visit, over=in_edges);", Role.DESTINATION),
        ("f = advance(edges, visit);", Role.DESTINATION),
        (f"edge frontier g = advance(f, visit, {IN}); f = advance(g, visit);", Role.SOURCE),
        (f"edge frontier g; f = advance(g, visit); g = advance(f, visit, {IN});", Role.SOURCE),
        (f"edge frontier g; edge frontier h = g; f = advance(h, visit); g = advance(f, visit, {IN});", Role.SOURCE),
        (f"f = advance(filter(advance(f, visit, {IN}), visit), visit);", Role.SOURCE),
        ("edge frontier g; f = advance(g, visit);", Role.DESTINATION),
    ],
)
def test_far_ends_are_known_before_the_run(body: str, end: Role) -> None:
    (found,) = [step for step in walk(loaded(body).schedule) if isinstance(step, nodes.FarEnds)]
    assert found.end is end


def test_sets_without_a_name_are_told_by_their_functor() -> None:
    program = loaded("e = filter({}, visit); f = filter({}, keep); compute({ 0 }, visit); compute({ 0 }, keep);")
    defined = [step.domain for step in walk(program.schedule) if isinstance(step, nodes.DefineFrontier)]
    assert defined[2:] == [Domain.EDGE, Domain.VERTEX, Domain.EDGE, Domain.VERTEX]


def test_edges_are_pushed() -> None:
    body = "e = advance(f, visit, to=edges); f = advance(f, visit) @other;"
    for tune, rest in ((("visit.direction=pull",), ""), ((), "tune { visit.direction = pull; }")):
        with pytest.raises(GdslError) as caught:
            loaded(body, tune, rest)
        assert [one.code for one in caught.value.diagnostics] == ["E0413"]
        assert "@label" in (caught.value.diagnostics[0].fix or "")
    loaded("f = advance(f, visit); e = filter(e, visit);", ("visit.direction=pull",))
    words = ("visit.direction=auto", "@other.direction=pull", "visit.balance=block", "@other.balance=auto")
    assert [site.direction for site in loaded(body, words).tuning.sites] == [Direction.AUTO, Direction.PULL]
