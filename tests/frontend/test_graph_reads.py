"""What functors may ask of the graph, and what is said where they may not."""

from __future__ import annotations

import pytest
from support.refusing import mistakes

from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import GraphQuery
from gdsl.pipeline import load
from gdsl.types import Type

DATA = "param p : vertex; param k : edge; vertex a : int32; vertex b : vertex; edge w : int32; vertex x : float32;"


def text_of(*, on_vertex: str = "", on_edge: str = "", more: str = "", schedule: str = "", data: str = DATA) -> str:
    return f"""program q; problem {{ {data} }}
{more}
vertex functor f(v) {{ apply {{ {on_vertex} }} }}
edge functor g(src, dst, e) {{ apply {{ {on_edge} }} }}
schedule {{ compute(vertices, f); compute(edges, g); {schedule} }}"""


def reads_of(**parts: str) -> list[nodes.GraphRead]:
    program = load(text_of(**parts))
    return [
        node for node in walk((program.vertex_functors, program.edge_functors)) if isinstance(node, nodes.GraphRead)
    ]


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("call", "query", "kind", "checked"),
    [
        ("src(k)", GraphQuery.SOURCE, Type.VERTEX, True),
        ("dst(k)", GraphQuery.DESTINATION, Type.VERTEX, True),
        ("reverse(e)", GraphQuery.REVERSE, Type.EDGE, False),
        ("reverse(k)", GraphQuery.REVERSE, Type.EDGE, True),
        ("neighbor(src, 0)", GraphQuery.NEIGHBOR, Type.VERTEX, False),
        ("neighbor(p, place)", GraphQuery.NEIGHBOR, Type.VERTEX, False),
        ("neighbor(b[far], uint64(1))", GraphQuery.NEIGHBOR, Type.VERTEX, True),
        ("out_edge(near, -1)", GraphQuery.OUT_EDGE, Type.EDGE, False),
        ("out_edge(0, 0)", GraphQuery.OUT_EDGE, Type.EDGE, True),
        ("has_edge(src, b[dst])", GraphQuery.HAS_EDGE, Type.BOOL, False),
        ("has_edge(none, dst)", GraphQuery.HAS_EDGE, Type.BOOL, False),
    ],
)
def test_questions(call: str, query: GraphQuery, kind: Type, checked: bool) -> None:
    [read] = reads_of(on_edge=f"let found = {call};")
    assert (read.query, read.type, read.checked) == (query, kind, checked)


def test_the_ends_of_the_functors_own_edge_are_its_parameters() -> None:
    program = load(text_of(on_edge="b[dst(e)] any= src(e); w[e] = int32(src(e)) - int32(src(reverse(e)));"))
    store, _ = program.edge_functors[0].body
    assert isinstance(store, nodes.Store) and isinstance(store.target, nodes.ElementTarget)
    assert isinstance(store.target.index, nodes.Parameter) and store.target.index.role is nodes.Role.DESTINATION
    assert isinstance(store.value, nodes.Parameter) and store.value.role is nodes.Role.SOURCE
    assert not store.target.checked
    reads = [node for node in walk(program.edge_functors) if isinstance(node, nodes.GraphRead)]
    assert [(read.query, read.checked) for read in reads] == [(GraphQuery.SOURCE, True), (GraphQuery.REVERSE, False)]


def test_what_a_loop_is_at_needs_no_check() -> None:
    text = "for u, h in neighbors(v) { a[u] += w[h]; for n in neighbors(u) { a[n] += out_degree(n); } }"
    program = load(text_of(on_vertex=text))
    [loop] = program.vertex_functors[0].body
    assert isinstance(loop, nodes.ForNeighbors) and not loop.checked
    assert loop.variables == (("u", Type.VERTEX), ("h", Type.EDGE))
    inside = list(walk(loop.body))
    assert [node.checked for node in inside if isinstance(node, nodes.ForNeighbors)] == [False]
    targets = [node for node in inside if isinstance(node, nodes.ElementTarget | nodes.Element | nodes.DegreeOf)]
    assert len(targets) == 4 and not any(node.checked for node in targets)


def test_a_loop_over_the_list_of_a_computed_vertex() -> None:
    [loop] = load(text_of(on_vertex="for u in neighbors(b[v]) { a[u] += 1; }")).vertex_functors[0].body
    assert isinstance(loop, nodes.ForNeighbors) and loop.checked and loop.edge is None


def test_the_new_word_is_the_programs_own_where_it_declares_it() -> None:
    more = "function out_edge(x: int32) -> int32 { return x + 1; }"
    program = load(text_of(on_vertex="a[v] = out_edge(3);", more=more))
    assert not [node for node in walk(program.vertex_functors) if isinstance(node, nodes.GraphRead)]
    load(text_of(on_vertex="let out_edge = 3; a[v] = out_edge;"))
    load(text_of(on_vertex="out_edge[v] = 3;", data=f"{DATA} vertex out_edge : int32;"))


# ---------------------------------------------------------------- mistakes

ON_VERTEX = [
    ("let y = src(v);", "E0213", "`src` takes an edge here, and this is vertex", None),
    ("let y = dst(a[v]);", "E0213", "`dst` takes an edge here, and this is int32", "write `edge(a[v])`"),
    ("let y = reverse(v);", "E0213", "`reverse` takes an edge", None),
    ("let y = neighbor(k, 0);", "E0213", "`neighbor` takes a vertex here, and this is edge", None),
    (
        "let y = neighbor(v, x[v]);",
        "E0213",
        "a place in the list, an integer from 0, and this is float32",
        "int32(x[v])",
    ),
    ("let y = neighbor(v, p);", "E0213", "and this is vertex", "write `int32(p)`"),
    ("let y = out_edge(v, true);", "E0213", "and this is bool", None),
    ("let y = has_edge(v, k);", "E0213", "`has_edge` takes a vertex here, and this is edge", None),
    ("let y = has_edge(v);", "E0211", "`has_edge` takes 2 arguments, not 1", None),
    ("let y = neighbor(v);", "E0211", "`neighbor` takes 2 arguments, not 1", None),
    ("let y = reverse(k, k);", "E0211", "`reverse` takes 1 argument, not 2", None),
    ("let y = neighbor(v, i=0);", "E0211", "`neighbor` takes no argument `i=`", None),
    ("let y = neighbors(v);", "E0204", "`neighbors` gives a list, not a value", "for u in neighbors(v)"),
    ("let y = neighbors;", "E0204", "`neighbors` is a function, not a value", None),
    ("reverse(k);", "E0227", "this value is not used", None),
    ("let reverse = 3;", "E0203", "`reverse` is a word of the language", None),
    ("let y = nieghbor(v, 0);", "E0201", "there is no function `nieghbor`", "did you mean `neighbor`?"),
    ("for u in neighbors(k) { a[v] = 1; }", "E0213", "`neighbors` takes a vertex here, and this is edge", None),
    ("for u in neighbors(v, 0) { a[v] = 1; }", "E0211", "`neighbors` takes 1 argument, not 2", None),
    ("for u in neighbors() { a[v] = 1; }", "E0211", "`neighbors` takes 1 argument, not 0", None),
    ("for u in a { a[v] = 1; }", "E0204", "`a` is an array", None),
    ("for u in a[v] { a[v] = 1; }", "E0205", "a loop runs over a range or over the neighbors", "0..n"),
    ("for u, y in 3 { a[v] = 1; }", "E0205", "this is one int32", "neighbors(v)"),
    ("for u in advance(p, g) { a[v] = 1; }", "E0404", "`advance` belongs to the schedule", "neighbors(v)"),
    ("for u in vertices { a[v] = 1; }", "E0215", "in the schedule", None),
    ("for u, u in neighbors(v) { a[v] = 1; }", "E0202", "`u` is declared twice", None),
    ("for v in neighbors(v) { a[v] = 1; }", "E0202", "`v` is declared twice", None),
    ("for u in neighbors(v) { u = v; }", "E0214", "`u` cannot be written: it is a loop variable over a list", None),
    ("for u, h in neighbors(v) { a[h] += 1; }", "E0213", "`a` is over vertices, and this index is edge", "a vertex"),
    ("for u in neighbors(v) { let y = q; }", "E0201", "`q` is not declared", None),
    ("for u in neighbors(fetch(b[v] min= v)) { a[v] = 1; }", "E0216", "inside a larger expression", None),
]


@pytest.mark.parametrize(("text", "code", "message", "fix"), ON_VERTEX)
def test_mistakes(text: str, code: str, message: str, fix: str | None) -> None:
    [found] = mistakes(text_of(on_vertex=text))
    assert found.code == code
    assert message in found.message
    assert fix is None or fix in (found.fix or "")


FUNCTION = "function h(y: vertex) -> int32 {{ {} return 0; }}"


@pytest.mark.parametrize(
    ("parts", "code", "message"),
    [
        ({"more": FUNCTION.format("let z = neighbor(y, 0);")}, "E0215", "which functors do, and a function does not"),
        ({"more": FUNCTION.format("for u in neighbors(y) { return 1; }")}, "E0215", "`neighbors` reads the graph"),
        ({"data": f"{DATA} edge from_ : vertex = src(id);"}, "E0215", "an initial value does not"),
        ({"data": f"{DATA} input edge t : int32 where has_edge(0, 1);"}, "E0215", "`where` does not"),
        ({"schedule": "b[p] = neighbor(p, 0);"}, "E0215", "the schedule does not"),
        ({"schedule": "if (has_edge(p, p)) { a[p] = 1; }"}, "E0215", "the schedule does not"),
        ({"schedule": "for u in neighbors(p) { a[p] = 1; }"}, "E0221", "the schedule has no loops over lists"),
        ({"schedule": "frontier s = neighbors(p);"}, "E0201", "there is no operator `neighbors`"),
    ],
)
def test_where_nothing_is_asked_of_the_graph(parts: dict[str, str], code: str, message: str) -> None:
    [found] = mistakes(text_of(**parts))
    assert found.code == code, found.message
    assert message in found.message


def test_one_mistake_in_the_head_of_a_loop_is_the_only_one() -> None:
    [found] = mistakes(text_of(on_vertex="for u, h in neighbors(y) { a[u] += w[h]; if (u == v) { break; } }"))
    assert (found.code, found.message) == ("E0201", "`y` is not declared")
