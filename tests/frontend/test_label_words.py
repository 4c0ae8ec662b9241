"""`join` and `root`: where they may be written, what they take, and what else may be done with labels."""

from __future__ import annotations

import pytest

import gdsl
from gdsl.fixes import choose_first, fix
from gdsl.graph import Graph
from gdsl.pipeline import analyze, load
from gdsl.source import Source

PROGRAM = """program p;
problem {{
    vertex x : vertex = id; vertex y : vertex; vertex n : int32; edge e : vertex; vertex several[2] : vertex;
    input vertex given : vertex; local vertex z : vertex = id; scalar s : vertex; param start : vertex = 0; {data}
}}
edge functor f(a, b, c) {{ {cond} apply {{ {edge} }} }}
vertex functor g(v) {{ apply {{ {vertex} }} }}
{functors}
schedule {{ compute(edges, f); compute(vertices, g); {schedule} }}
"""
JOIN = "join(x, a, b);"


def text(
    edge: str = "", vertex: str = "", cond: str = "", functors: str = "", schedule: str = "", data: str = ""
) -> str:
    return PROGRAM.format(edge=edge, vertex=vertex, cond=cond, functors=functors, schedule=schedule, data=data)


def mistakes(**parts: str) -> list[tuple[str, str, str | None]]:
    found = analyze(Source("p.gdsl", text(**parts))).diagnostics
    return [(each.code, each.message, each.fix) for each in found]


@pytest.mark.parametrize(
    "parts",
    [
        {"edge": JOIN},
        {"edge": "if (a != b) { join(x, b, a); join(x, y[a], b); }"},
        {"edge": "for i in 0..2 { join(x, a, start); }"},
        {"edge": "join(x, a, now x[b]);"},
        {"edge": "join(x, a, b); join(z, b, a);", "vertex": "x[v] = root(x, v); z[v] = root(z, v);"},
        {"edge": JOIN, "vertex": "let root = root(x, v); y[v] = root; n[root] += 1;"},
        {"edge": JOIN, "vertex": "var r = root(x, v); r = root(x, y[v]); y[v] = r; s min= root(x, v);"},
        {"edge": JOIN, "vertex": "let v2 : vertex = root(x, 0); y[v] = v2;"},
        {"edge": JOIN, "vertex": "x[v] min= y[v];"},
        {"edge": "y[b] any= a;", "vertex": "let r = root(y, v); z[v] = r;"},
        {"edge": "e[c] = a;", "vertex": "z[v] = root(z, v);"},
        {"edge": JOIN, "schedule": "compute(edges, (s2, t, e2) => { join(z, s2, t); });"},
    ],
)
def test_accepted(parts: dict[str, str]) -> None:
    assert mistakes(**parts) == []
    load(text(**parts))


@pytest.mark.parametrize(
    ("parts", "code", "message", "fix"),
    [
        ({"edge": "join(y, a, b);"}, "E0228", "does not begin as `id`", "declare `vertex y : vertex = id;`"),
        ({"edge": "join(n, a, b);"}, "E0228", "`n` has int32 for vertices", "such as"),
        ({"edge": "join(e, a, b);"}, "E0228", "`e` has vertex for edges", "such as"),
        ({"edge": "join(several, a, b);"}, "E0228", "with several values each", "such as"),
        ({"edge": "join(given, a, b);"}, "E0228", "is an input", "such as"),
        ({"edge": "let r = root(given, a); e[c] = r;"}, "E0228", "may lead in a circle", "such as"),
        ({"edge": "join(s, a, b);"}, "E0228", "`s` is a scalar", "such as"),
        ({"edge": "join(x[a], a, b);"}, "E0228", "by its name", "write `x`"),
        ({"edge": "join(x[a], a, b); join(x, a, b);"}, "E0228", "by its name", "write `x`"),
        ({"edge": "join(several[0], a, b); e[c] = a;"}, "E0228", "by its name", "give the whole array, `several`"),
        ({"edge": "join(nothing, a, b);"}, "E0201", "not declared", None),
        ({"edge": "join(x, a);"}, "E0211", "takes 3 arguments, not 2", "write `join(x, a, b)`"),
        ({"edge": "let r = root(x); e[c] = r;"}, "E0211", "takes 2 arguments, not 1", "write `root(x, a)`"),
        ({"edge": "join(x, a, b, c);"}, "E0211", "takes 3 arguments, not 4", "write `join(x, a, b)`"),
        ({"edge": "join(x, a, c);"}, "E0213", "takes vertices, and this is edge", None),
        ({"edge": "join(x, a, n[b]);"}, "E0213", "takes vertices, and this is int32", "vertex(n[b])"),
        ({"edge": "let t = join(x, a, b);"}, "E0204", "has no value", "as a statement"),
        ({"edge": "if (root(x, a) == b) { e[c] = a; }"}, "E0216", "larger expression", "let leader = root(x, a);"),
        ({"edge": "root(x);"}, "E0227", "this root is not used", "leave it out"),
        ({"edge": "root(x, a);"}, "E0227", "this root is not used", "`x[a] = root(x, a);`"),
        ({"edge": "e[c] = a;", "cond": "cond root(x, a) != b;"}, "E0217", "`cond`", "and write `x[a]` here"),
        ({"schedule": "join(x, s, s);"}, "E0217", "not the schedule", "compute(edges"),
        ({"edge": JOIN, "vertex": "x[v] = y[v];"}, "E0228", "and `=` may make one larger", "write `x[v] min= y[v];`"),
        ({"edge": JOIN, "vertex": "x[v] = root(x, x[v]);"}, "E0228", "and `=`", "write `x[v] = root(x, v);`"),
        ({"edge": JOIN, "vertex": "x[v] = root(x, y[v]);"}, "E0228", "and `=`", "write `join(x, v, y[v]);`"),
        ({"vertex": "z[v] = root(z, z[v]);"}, "E0228", "which other calls change", "write `z[v] = root(z, v);`"),
        ({"edge": JOIN, "vertex": "x[v] max= y[v];"}, "E0228", "and `max=` may", "write into another array"),
        ({"edge": JOIN, "vertex": "let b = cas(x[v], v, y[v]);"}, "E0228", "and `cas`", "write into another array"),
        ({"edge": JOIN, "schedule": "fill(x, s);"}, "E0228", "and `fill`", "another array"),
        ({"edge": JOIN, "schedule": "swap(x, z);"}, "E0228", "`swap`", "`compute(vertices, v => { z[v] = x[v]; });`"),
        ({"edge": JOIN, "schedule": "x[start] = s;"}, "E0228", "and `=`", "compute({ start }, v => { x[v] min= s; });"),
        ({"edge": JOIN + " x[a] min= b;"}, "E0228", "`join` loses links", "another operator"),
        ({"edge": JOIN + " x[a] = root(x, a);"}, "E0228", "", "another operator"),
        ({"edge": JOIN + " let r = root(x, a); e[c] = r;"}, "E0228", "other calls change", "another operator"),
        ({"edge": JOIN + " e[c] = x[a];"}, "E0302", "`x[a]` reads a label", "write `now x[a]`"),
        ({"edge": JOIN, "cond": "cond x[a] != b;"}, "E0302", "`x[a]` reads a label", "write `now x[a]`"),
        ({"edge": "join(x, x[a], b);"}, "E0302", "reads a label", "write `a`, which is in the same set"),
        ({"vertex": "x[v] = root(x, v); x[y[v]] min= v;"}, "E0228", "not final", "another operator"),
        ({"vertex": "y[v] = root(y, v);"}, "E0228", "does not begin as `id`", "declare"),
    ],
)  # fmt: skip
def test_refused(parts: dict[str, str], code: str, message: str, fix: str | None) -> None:
    found = mistakes(**parts)
    assert [each[0] for each in found] == [code], found
    assert message in found[0][1], found
    assert fix is None or (found[0][2] is not None and fix in found[0][2]), found


HABITS = (
    ({"edge": "union(x, a, b);"}, "write `join(x, a, b)`"),
    ({"edge": "x.join(a, b);"}, "write `join(x, a, b);`"),
    ({"edge": "join(a, b);"}, "write `join(x, a, b)`"),
    ({"edge": "e[c] = find(x, a);"}, "write `root(x, a)`"),
    ({"edge": "if (join(x, a, b)) { e[c] = a; }"}, "write `join(x, a, b);` as a statement"),
    ({"vertex": "n[root(x, v)] += 1;"}, "`let leader = root(x, v);`, and write `leader` here"),
    (
        {"edge": JOIN, "schedule": "s = root(x, start);"},
        "`compute(vertices, v => { x[v] = root(x, v); });`, and write `x[",
    ),
)


@pytest.mark.parametrize(("parts", "words"), HABITS)
def test_habits_are_mended(parts: dict[str, str], words: str) -> None:
    (found,) = analyze(source := Source("p.gdsl", text(**parts))).diagnostics
    assert found.fix is not None and words in found.fix, found
    load(fix(source, choose_first).source)


def test_joins_of_a_functor_that_closes_are_called_so() -> None:
    found = mistakes(cond="cond n[b] == 0;", edge="n[b] = 1; join(x, a, b);", schedule="advance(vertices, f, to=none);")
    assert [each[0] for each in found] == ["E0304"] and "how often `join(x, …)` runs" in found[0][1]


def test_names_are_free() -> None:
    """Whatever a program calls so is what it means."""
    own = """program root;
        problem { vertex root : vertex = id; vertex y : vertex; }
        edge functor join(s, t, e) { apply { root[t] min= s; } }
        vertex functor follow(v) { apply { var up = v; while (up != root[up]) { up = root[up]; } y[v] = up; } }
        schedule { compute(edges, join); compute(vertices, follow); }"""
    graph = Graph.from_edges([1, 2, 0], [2, 3, 4], 5)
    assert gdsl.compile(own).run(graph, backend="reference")["y"].tolist() == [0, 1, 1, 1, 0]


def test_an_index_that_is_no_vertex_is_reported_at_its_place() -> None:
    program = gdsl.compile(text(edge="join(x, a, y[b]);"))
    for backend in ("reference", "cpu"):
        with pytest.raises(gdsl.GdslError, match="none"):
            program(Graph.from_edges([0], [1], 2), given=[0, 0], backend=backend)
