"""Newer forms as other languages write them: one message at its place, whose fix is accepted there."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.pipeline import load_source
from gdsl.source import Source

PROGRAM = """program p;
{parts}
problem {{
    param source : vertex = 0; vertex level : int32; vertex rank : float32; edge length : float32; scalar n : int32;
    vertex best : (int32, vertex); vertex point[3] : float32;
    {data}
}}
vertex functor g(v) {{ apply {{ {body} }} }}
schedule {{ compute(vertices, g); {schedule} }}
"""

# what is written, what is underlined, what the fix has, and what stands there then
BODY = {
    "best[v] min= std::make_pair(1, v);": ("::", "(1, v)", "best[v] min= (1, v);"),
    "n += std::get<0>(best[v]);": ("::", "best[v].0", "n += best[v].0;"),
    "n += best[v].first;": ("best[v].first", "best[v].0", "n += best[v].0;"),
    "level[best[v].second] += 1;": ("best[v].second", "best[v].1", "level[best[v].1] += 1;"),
    "n += best[v][0];": ("0", "best[v].0", "n += best[v].0;"),
    "let (a, b) = best[v]; n += a;": (
        "(",
        "let a = best[v].0; let b = best[v].1;",
        "let a = best[v].0; let b = best[v].1; n += a;",
    ),
    "best[v] min= 1, v;": (",", "best[v] min= (1, v);", "best[v] min= (1, v);"),
    "best[v] min= (1, v, 2);": (",", "(1, v)", "best[v] min= (1, v);"),
    "point[v, 1] = 2;": (",", "point[v][1]", "point[v][1] = 2;"),
    "for i in range(3): point[v][i] = 1": (":", "for i in 0..3 { … }", "for i in 0..3 { point[v][i] = 1; }"),
    "for i in range(1, 3): point[v][i] = 1": (":", "for i in 1..3 { … }", "for i in 1..3 { point[v][i] = 1; }"),
    "for i in 0 to 2 { point[v][i] = 1; }": ("to", "for i in 0..3 { … }", "for i in 0..3 { point[v][i] = 1; }"),
    "for i in 0..=2 { point[v][i] = 1; }": ("=", "for i in 0..3 { … }", "for i in 0..3 { point[v][i] = 1; }"),
    "for i in 0...3 { point[v][i] = 1; }": (".", "for i in 0..3 { … }", "for i in 0..3 { point[v][i] = 1; }"),
    "if (level[v] > 2): level[v] = 1": (":", "if (level[v] > 2) { … }", "if (level[v] > 2) { level[v] = 1; }"),
    "rank[v] = rand();": ("rand", "random(v, iteration)", "rank[v] = random(v, iteration);"),
    "rank[v] = std::rand();": ("::", "random(v, iteration)", "rank[v] = random(v, iteration);"),
    "rank[v] = random.random();": ("random.random()", "random(v, iteration)", "rank[v] = random(v, iteration);"),
    "level[v] min = n + 1;": ("min", "level[v] min= n + 1;", "level[v] min= n + 1;"),
    "t = 1; level[v] = t + t;": ("t", "var t = 1;", "var t = 1; level[v] = t + t;"),
    "if (atomicCAS(&level[v], 0, 3) == 0) { n += 1; }": (
        "&",
        "cas(level[v], 0, 3)",
        "if (cas(level[v], 0, 3)) { n += 1; }",
    ),
    "level[v] = randint(0, 6);": (
        "randint",
        "random_below(n, v, iteration)",
        "level[v] = random_below(6, v, iteration);",
    ),
}
QUEUE = "buckets b(level, 1) = { source }; "
PAST = "history h; h.push(vertices); "
SCHEDULE = {
    "level[0]++;": ("++", "compute({ 0 }, v => { level[v] += 1; });", "compute({ 0 }, v => { level[v] += 1; });"),
    "on subgraph(filter(edges, (s, t, e) => s < t)) { compute(vertices, g); }": (
        "(",
        "graph h = subgraph(filter(edges, (s, t, e) => s < t)); on h { … }",
        "graph h = subgraph(filter(edges, (s, t, e) => s < t)); on h { compute(vertices, g); }",
    ),
    "@first compute(vertices, g);": ("@first", "compute(vertices, g) @first;", "compute(vertices, g) @first;"),
    QUEUE + "compute(b, g);": ("b", "b.pop()", QUEUE + "compute(b.pop(), g);"),
    QUEUE + "for f in b { compute(f, g); }": (
        "b",
        "`while (b) { … }`, with `frontier f = b.pop();` in it",
        QUEUE + "while (b) { frontier f = b.pop(); compute(f, g); }",
    ),
    PAST + "compute(h, g);": ("h", "for g in backward(h)", PAST + "for f in backward(h) { compute(f, g); }"),
    "graph h; n = int32(size(h));": ("h", "num_vertices", "graph h; on h { n = int32(num_vertices); }"),
    "graph h; compute(h, g);": ("h", "in `on h { … }`", "graph h; on h { compute(vertices, g); }"),
    "fill(level[0], 3);": ("level[0]", "a[v] = …;", "level[0] = 3;"),
    "level[out_degree(source)] = 3;": (
        "out_degree(source)",
        "write `level_at = out_degree(source);` before",
        "n = out_degree(source); level[n] = 3;",
    ),
    "compute(vertices, v => level[v] = 2);": (
        "=",
        "v => { level[v] = 2; }",
        "compute(vertices, v => { level[v] = 2; });",
    ),
    "compute(vertices, v => level[v] += n);": (
        "+=",
        "v => { level[v] += n; }",
        "compute(vertices, v => { level[v] += n; });",
    ),
    "frontier f = filter(vertices, lambda v: level[v] == 2);": (
        "lambda",
        "v => level[v] == 2",
        "frontier f = filter(vertices, v => level[v] == 2);",
    ),
    "frontier f = filter(vertices, v -> level[v] == 2);": (
        "->",
        "v => level[v] == 2",
        "frontier f = filter(vertices, v => level[v] == 2);",
    ),
    "frontier f = filter(vertices, [](int v) { return level[v] == 2; });": (
        "[",
        "v => level[v] == 2",
        "frontier f = filter(vertices, v => level[v] == 2);",
    ),
    "frontier f = filter(vertices, (v : vertex) => level[v] == 2);": (
        ":",
        "v => level[v] == 2",
        "frontier f = filter(vertices, v => level[v] == 2);",
    ),
    "frontier f = advance(vertices, (src, dst, e) -> level[dst] == 2);": (
        "->",
        "(src, dst, e) => level[dst] == 2",
        "frontier f = advance(vertices, (src, dst, e) => level[dst] == 2);",
    ),
    "frontier<vertex> f = { 0 };": ("<", "frontier f", "frontier f = { 0 };"),
    "frontier f = new vertexset{Vertex}(0);": ("vertexset", "frontier f = { };", "frontier f = { 0 };"),
    "frontier f = {v for v in vertices if level[v] == 2};": (
        "for",
        "filter(vertices, v => level[v] == 2)",
        "frontier f = filter(vertices, v => level[v] == 2);",
    ),
    "frontier f = { 0 }; compute(g, f);": ("g", "comes before the functor", "frontier f = { 0 }; compute(f, g);"),
    "compute(vertices, g(v));": ("g(v)", "`g`", "compute(vertices, g);"),
    "compute(vertices, &g);": ("&", "compute(vertices, g);", "compute(vertices, g);"),
    "history h();": ("(", "history h;", "history h;"),
    "history<frontier> h;": ("<", "history h;", "history h;"),
    "history h = [];": ("=", "history h;", "history h;"),
    "history h; n = int32(h.size());": ("h.size()", "size(h)", "history h; n = int32(size(h));"),
    QUEUE + "while (!b.empty()) { frontier f = b.pop(); }": (
        "b.empty()",
        "while (b) { … }",
        QUEUE + "while (!(size(b) == 0)) { frontier f = b.pop(); }",
    ),
    QUEUE + "while (b) { frontier f = b.pop(); n = int32(b.level()); }": (
        "b.level()",
        "b.level",
        QUEUE + "while (b) { frontier f = b.pop(); n = int32(b.level); }",
    ),
    QUEUE + "while (b) { frontier f = b.pop(); b.insert(f); }": (
        "b.insert(f)",
        "b.push(f);",
        QUEUE + "while (b) { frontier f = b.pop(); b.push(f); }",
    ),
    "buckets b = new buckets(level, 1);": ("=", "buckets b(level, 1)", QUEUE),
}
DATA = {
    "vertex a[2][3] : int32;": ("[", "a[2 * 3]", "vertex a[2 * 3] : int32;"),
    "vertex a-b : int32;": ("-", "a_b", "vertex a_b : int32;"),
    "vertex 2nd : int32;": ("2", "nd2", "vertex nd2 : int32;"),
    "vertex a : pair<int32, vertex>;": ("<", "(int32, vertex)", "vertex a : (int32, vertex);"),
    "vertex a : std::pair<int, vertex>;": ("::", "(int32, vertex)", "vertex a : (int32, vertex);"),
    "vertex a : tuple(float, vertex);": ("(", "(float32, vertex)", "vertex a : (float32, vertex);"),
    "vertex a : float32[3];": ("[", "vertex a[3] : float32;", "vertex a[3] : float32;"),
    "edge a : double[n3];": ("[", "edge a[n3] : float64;", "edge a[3] : float64;"),
    "vertex a : vector<float>;": ("<", "vertex a[…] : float32;", "vertex a[3] : float32;"),
    "vertex a : uint8;": ("uint8", "uint32", "vertex a : uint32;"),
    "vertex a : size_t;": ("size_t", "uint64", "vertex a : uint64;"),
    "vertex a[0] : float32;": ("0", "1 to 2,147,483,647", "vertex a[1] : float32;"),
}
PARTS = {
    "procedure step() -> int32 { n = 1; }": ("->", "procedure step() { … }", "procedure step() { n = 1; }"),
    "procedure step(a) { n = a; }": (")", "a : int32", "procedure step(a : int32) { n = a; }"),
    "triangle functor f(u, w, x) { apply { level[x] += 1; } }": (
        "triangle",
        "common functor",
        "common functor f(u, w, x) { apply { level[x] += 1; } }",
    ),
    "vertex functor f(v : vertex) { apply { level[v] = 1; } }": (
        ":",
        "vertex functor f(v)",
        "vertex functor f(v) { apply { level[v] = 1; } }",
    ),
    "vote functor gain(v, key, total) { value total; }": (
        "{",
        "vote functor gain(v, key, total) -> int64 { value …; }",
        "vote functor gain(v, key, total) -> int64 { value int64(total); }",
    ),
    "edge functor k(src, dst, e) -> float32 { return rank[src]; }": (
        "return",
        "value rank[src];",
        "edge functor k(src, dst, e) -> float32 { value rank[src]; }",
    ),
}
IMPORTS = {
    "from helpers import visit;": ("from", 'import visit from "helpers.gdsl";'),
    "import visit from helpers;": ("helpers", 'import visit from "helpers.gdsl";'),
    'import visit as v from "helpers.gdsl";': ("as", 'import visit from "helpers.gdsl";'),
    'import * from "helpers.gdsl";': ("*", 'import name from "helpers.gdsl";'),
    'import { visit } from "helpers.gdsl";': ("{", 'import visit from "helpers.gdsl";'),
    'import "helpers.gdsl";': ('"helpers.gdsl"', 'import name from "helpers.gdsl";'),
}


def text_of(place: str, statement: str) -> str:
    return PROGRAM.format(**{"parts": "", "data": "", "body": "level[v] = 0;", "schedule": "", place: statement})


def the_one(text: str) -> Diagnostic:
    with pytest.raises(GdslError) as caught:
        load_source(Source("p.gdsl", text))
    [one] = caught.value.diagnostics
    return one


def underlined(text: str, one: Diagnostic) -> str:
    assert one.span is not None
    return text.split("\n")[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1]


CASES = [
    (place, statement, *expected)
    for place, table in {"body": BODY, "schedule": SCHEDULE, "data": DATA, "parts": PARTS}.items()
    for statement, expected in table.items()
]


@pytest.mark.parametrize(("place", "statement", "where", "fix", "mended"), CASES, ids=[case[1] for case in CASES])
def test_the_fix_is_accepted(place: str, statement: str, where: str, fix: str, mended: str) -> None:
    text = text_of(place, statement)
    one = the_one(text)
    assert underlined(text, one) == where
    assert one.fix is not None and fix in one.fix
    load_source(Source("p.gdsl", text_of(place, mended)))


@pytest.mark.parametrize("statement", IMPORTS)
def test_imports(statement: str) -> None:
    where, fix = IMPORTS[statement]
    text = text_of("parts", statement)
    one = the_one(text)
    assert underlined(text, one) == where
    assert one.fix is not None and fix in one.fix


def test_braces_that_do_not_match() -> None:
    text = text_of("body", "if (level[v] == 1) { level[v] = 2;")
    one = the_one(text)
    assert underlined(text, one) == "schedule" and one.fix == "close it with `}` before this"
    load_source(Source("p.gdsl", text.replace("schedule {", "} schedule {")))
    text = text_of("body", "level[v] = 2; }")
    one = the_one(text)
    assert underlined(text, one) == "}" and one.fix is not None and one.fix.startswith("leave it out")
    assert one.span is not None and one.span.line == 8


def test_a_misspelled_procedure() -> None:
    text = text_of("schedule", "stp();").replace("schedule {", "procedure step() { n = 1; }\nschedule {")
    assert the_one(text).fix == "did you mean `step`?"
    load_source(Source("p.gdsl", text.replace("stp", "step")))
