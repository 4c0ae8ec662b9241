"""What people write who have read a page of the manual: one message each, whose fix is what they meant."""

from __future__ import annotations

import re

import pytest

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.pipeline import load
from gdsl.source import Source

DATA = """param source : vertex; input edge weight : float32; vertex d : int32 = -1; vertex x : float32;
    vertex b : bool; edge used : bool; scalar n : int64; scalar first : vertex; scalar wide : float64;
    edge ends : (int32, int32); vertex nearest : (float32, vertex);"""
VISIT = "edge functor visit(src, dst, e) { cond d[dst] == -1; apply { d[dst] = iteration + 1; } }"


def text_of(data: str = DATA, part: str = "", schedule: str = "", name: str = "p") -> str:
    loop = "frontier gone; frontier f = { source }; while (f) { f = advance(f, visit); }"
    return f"program {name};\nproblem {{ {data} }}\n{VISIT}\n{part}\nschedule {{ {loop} {schedule} }}\n"


def first_of(text: str) -> Diagnostic:
    with pytest.raises(GdslError) as caught:
        load(Source("p.gdsl", text))
    return caught.value.diagnostics[0]


SCHEDULE = {
    "n = sum(d, source);": "give it a set: `sum(d, at)`, with `frontier at = { source };` before",
    "frontier g = d;": "write `where(v => d[v] != 0)`",
    "frontier g = b;": "write `where(v => b[v])`",
    "edge frontier g = used;": "write `filter(edges, (src, dst, e) => used[e])`",
    "frontier g = { 0..3 };": "`where(v => v >= 0 && v < 3)` selects vertices by their ids",
    "x = neighbor_reduce(vertices, (s, t) => 1, sum);": "name all three, such as `(src, dst, e) => …`",
    "fill(n, 0);": "assign to the scalar: `n = …;`",
    "f = advance(f, visit, direction=pull);": "`tune { visit.direction = pull; }`",
    "return n;": "leave it out",
    "graph h = subgraph(edges, visit);": "write `subgraph(filter(edges, visit))`",
    "graph h = subgraph(vertices, (s, t, e) => s < t);": "write `subgraph(filter(edges, (s, t, e) => s < t))`",
    "pair = n, 2;": "`pair = (n, 2);`",
    "f = union(f, gone);": "write `f | gone`",
    "f = difference(f, gone);": "write `f - gone`",
    "f = {v : d[v] == 2};": "write `where(v => d[v] == 2)`",
    "f = [v for v in vertices if d[v] == 2];": "write `where(v => d[v] == 2)`",
    "f = [v for v in gone if d[v] == 2];": "write `filter(gone, v => d[v] == 2)`",
    "f = vertices where (d == 2);": "write `where(v => …)`, with the condition for one vertex",
    "f = argwhere(d == 2);": "write `where(v => …)`, with the condition for one vertex",
    "d = neighbor_sum(f, (s, t, e) => d[t]);": "write `neighbor_reduce(f, (s, t, e) => d[t], sum)`",
    "d = neighbor_reduce(f, sum, (s, t, e) => d[t]);": "`neighbor_reduce(f, (s, t, e) => d[t], sum)`",
    "d = sum(neighbors(v), d);": "write `d = neighbor_reduce(vertices, (src, dst, e) => d[dst], sum);`",
    "d = sum(d[u] for u in neighbors(v));": "write `neighbor_reduce(vertices, (src, u, e) => d[u], sum)`",
    "wide = norm(x);": "write `sqrt(sum(v => x[v] * x[v]))`",
    "wide = dot(x, x);": "write `sum(v => x[v] * x[v])`",
    "frontier h, k;": "write `frontier h; frontier k`",
    "compute(vertices, { x[v] = 1; });": "write `v => { … }`",
    "f = advance(visit, vertices);": "the set comes before the functor, such as `advance(f, visit)`",
    "barrier();": "leave it out: an operator ends before the next one begins",
    "n = min(f, d);": "the set comes last: `min(d, f)`",
    "n = max(vertices, d);": "the set comes last: `max(d)`",
    "n = sum(f, d + 1);": "the set comes last: `sum(v => d[v] + 1, f)`",
    "n = min(d[f]);": "the set comes last: `min(d, f)`",
    "n = min(d[f], 5);": "the set comes last: `min(min(d, f), 5)`",
    "n = max(d[vertices]);": "the set comes last: `max(d)`",
    "n = sum(f);": "write `size(f)`",
    "n = count(vertices);": "write `num_vertices`",
    "first = min(f);": "for the id of a member write `min(v => v, f)`",
    "n = d[f];": "reduce the array over the set: `min(d, f)`",
    "if (b[f]) { n = 1; }": "reduce the array over the set: `any(b, f)`",
    "n = d.max(f);": "write `max(d, f)` in the schedule",
    "n = f.max(d);": "write `max(d, f)` in the schedule",
    "n = vertices.min(d);": "write `min(d)` in the schedule",
    "local vertex y : int32;": "declare `local vertex y : int32;` in `problem`",
    "vertex y : int32 = 3;": "declare `vertex y : int32;` in `problem`, and write `fill(y, 3);`",
    "vertex y[2] : int32 = 3;": "declare `vertex y[2] : int32;` in `problem`, and write `fill(y, 3);`",
    "local scalar y = size(f);": "declare `local scalar y : int64;` in `problem`, and write `y = size(f);`",
    "local y = 3;": "declare `scalar y : int64;` in `problem`, and write `y = 3;`",
    "f = advance(f, visit) @step; while (@step) { n = 1; }": "write `f`",
    "f = filter(@step, v => b[v]);": "give the set a name: `frontier f = …;`",
    "if (n * 16 < vertices) { n = 0; }": "`num_vertices` for how many there are",
}
PARTS = {
    "vertex functor g(u, v) { apply { x[u] = 0; } }": "write `vertex functor g(u)`",
    "vertex functor g(v) { apply { x[v] = pi; } }": "write `3.141592653589793`",
    "vertex functor g(v) { apply { x[v] = math.pi; } }": "write `3.141592653589793`",
    "vertex functor g(v) { apply { d[v] = id(v); } }": "write `int32(v)`",
    "vertex functor g(v) { apply { d[v] = num_neighbors(v); } }": "write `out_degree(v)`",
    "vertex functor g(v) { apply { nearest[v] = pair(1.0, v); } }": "write `(1.0, v)`",
    "vertex functor g(v) { apply { nearest[v] = { 1.0, v }; } }": "a pair is written in parentheses: `(1.0, v)`",
    "vertex functor g(v) { apply { n += 1; reject; } }": "write `accept false`",
    "vertex functor g(v) { apply { swap(d, d); } }": "before or after the operator that runs this functor",
    "vertex functor g(v) { apply { frontier h = { v }; } }": "`accept true;`",
    "vertex functor g(v) { apply { for u in vertices { n += 1; } } }": "`compute(vertices, v => { … })`",
    "vertex functor g(v) { apply { for e in edges { n += 1; } } }": "`compute(edges, (src, dst, e) => { … })`",
    "vertex functor g(v) apply { x[v] = 0; }": "put a `{` before this",
    "edge functor g(s, t, e) cond d[s] == 0; apply { x[t] += 0; }": "put a `{` before this",
    "edge function g(s, t, e) { apply { x[t] += 0; } }": "write `edge functor`",
    "vertex functor g(v) { cond d[v] == x[v] == 0; }": "a comparison has two sides: `d[v] == x[v] && x[v] == 0`",
    "vertex functor g(v) { cond x[v] == NaN; }": "only NaN fulfills `x != x`",
    "vertex functor g(v) { apply { for u in out_edges(v) { x[v] += 1; } } }": "`for u, e in neighbors(v) { … }`",
    "vertex functor g(v) { apply { for u in in_neighbors(v) { x[v] += 1; } } }": "`over=in_edges`",
    "vertex functor g(v) { apply { n += size(f); } }": "`n = size(f);` before",
    "edge functor g(s, t, e) { apply { f.push(t); } }": "`accept true;`",
    "edge functor g(s, t, e) { apply { let was = d[t] -= 1; accept was == 1; } }": "`let was = fetch(d[t] -= 1);`",
    "edge functor g(s, t, e) { apply { var was = d[t] min= d[s] + 1; } }": "`var was = fetch(d[t] min= d[s] + 1);`",
    "edge functor g(s, t, e) { apply { f |= d[max(s, t)] min= d[min(s, t)]; } }": "`f |= changed(d[max(s, t)] min=",
    "edge functor g(s, t, e) { apply { ends[e] = d[s], d[t]; } }": "write `ends[e] = (d[s], d[t]);`",
}
LOOPS = {
    "for (u, w) in neighbors(v) { n += 1; }": "write `for u, w in neighbors(v) { … }`",
    "for (u, w in neighbors(v)) { n += 1; }": "write `for u, w in neighbors(v) { … }`",
    "for let u in neighbors(v) { n += 1; }": "write `for u in neighbors(v) { … }`",
    "for u = neighbors(v) { n += 1; }": "write `for u in neighbors(v) { … }`",
    "for each u in neighbors(v) { n += 1; }": "write `for u in",
    "for u : vertex in neighbors(v) { n += 1; }": "write `for u in",
    "for i : int32 in 0..3 { n += 1; }": "write `for i in",
    "for u, w, t in neighbors(v) { n += 1; }": "write `for u, w in …`; values at an edge are elements",
    "for u in neighbors(v) where u != v { n += 1; }": "put the rest of its body under `if (…) { … }`",
    "for u in neighbors(v) if (u != v) { n += 1; }": "put the rest of its body under `if (…) { … }`",
    "for u in neighbors(v) n += 1;": "put the statement in braces: `{ … }`",
    "for i in 0..3 n += 1;": "put the statement in braces: `{ … }`",
    "for u in neighbors(v); { n += 1; }": "leave out the `;`",
    "var sum = 0; for u in neighbors(v) { sum += double; } x[v] = float32(sum);": "`var sum : float64 = 0;`",
    "var sum = 0.5; for u in neighbors(v) { sum = max(sum, double); } n += int64(sum);": "`var sum : float64 = 0.5;`",
    "var best = 0; for u in neighbors(v) { if (b[u]) { best = u; } } x[best] += 1;": "`var best : vertex = 0;`",
    "var sum = 0; for u in neighbors(v) { sum += double; } d[v] = sum;": "write `int32(double)`",
    "for u in neighbors(v) { n += several[u]; }": "select one of them: `several[u][i]`",
}


@pytest.mark.parametrize("statement", LOOPS)
def test_loops_over_lists(statement: str) -> None:
    data = f"{DATA} param double : float64 = 1; vertex several[3] : int64;"
    assert LOOPS[statement] in str(first_of(text_of(data, f"vertex functor g(v) {{ apply {{ {statement} }} }}")).fix)


@pytest.mark.parametrize("statement", SCHEDULE)
def test_the_schedule(statement: str) -> None:
    assert SCHEDULE[statement] in str(first_of(text_of(schedule=statement)).fix)


@pytest.mark.parametrize("part", PARTS)
def test_functors(part: str) -> None:
    assert PARTS[part] in str(first_of(text_of(part=part)).fix)


@pytest.mark.parametrize(
    ("declaration", "fix"),
    [
        ("y : vertex int32 = -1;", "write `vertex y : int32`"),
        ("vertex param y;", "write `param y : vertex`"),
        ("struct t { a : int32; }", "declare each part by itself: `vertex a : int32;`"),
        ("type t : float = float32;", "write `type t : real = float32;`"),
        ("type t : int = int32;", "write `type t : integer = int32;`"),
    ],
)
def test_declarations(declaration: str, fix: str) -> None:
    assert first_of(text_of(f"{DATA} {declaration}")).fix == fix


def test_names_with_a_hyphen() -> None:
    assert first_of(text_of(name="my-two-searches")).fix == "write `program my_two_searches`"


def test_a_word_that_begins_the_next_line_is_not_written_twice() -> None:
    """The type of the first declaration and the kind of the second one; a `;` is missing between them."""
    problem = first_of(text_of("param source : vertex\nvertex d : int32 = -1;"))
    assert (problem.code, problem.message, problem.fix) == ("E0111", "a `;` is missing", "write `;` here")


def test_the_fixes_that_are_code_compile() -> None:
    for statement, fix in SCHEDULE.items():
        code = re.fullmatch(r"(?:write|.*: |.* member write) ?`(.*)`(?: in the schedule)?", fix)
        if code is not None and statement.startswith(("n = ", "first = ", "frontier g = ", "edge frontier g = ")):
            value = statement.split("= ", 1)[1]
            load(Source("p.gdsl", text_of(schedule=statement.replace(value, f"{code[1]};"))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('program p; """doc""" schedule { }', "a program has one doc comment, before `program`"),
        ('"""a"""\n"""b"""\nprogram p; schedule { }', "a program has one doc comment, before `program`"),
        ('program p; schedule { """doc""" }', "a program has one doc comment, before `program`"),
        ("program p; schedule { } program q; schedule { }", "a file holds one program"),
    ],
)
def test_what_a_file_holds(text: str, message: str) -> None:
    assert first_of(text).message == message


def test_dollars_belong_to_no_name() -> None:
    assert "names consist of" in str(first_of("program p; problem { vertex a$ : int32; } schedule { }").fix)


@pytest.mark.parametrize(
    ("part", "fix"),
    [
        ("requires symmetric simple;", "write `requires symmetric, simple;`"),
        ("tune { visit: direction = pull; }", "write `visit.direction = pull;`"),
        ("tune { visit { direction = pull; } }", "write `visit.direction = pull;`"),
        ("tune { visit.direction(pull); }", "write `visit.direction = pull;`"),
        ("tune { visit.direction = pull, schedule.fuse = off; }", "write `;` in place of the comma"),
        ("problem { vertex z : int32; }", "write all of it into one"),
    ],
)
def test_knobs_and_other_parts(part: str, fix: str) -> None:
    assert first_of(text_of(part=part)).fix == fix


def test_two_conditions() -> None:
    part = "vertex functor g(v) { cond b[v]; cond d[v] == 0; apply { x[v] = 1; } }"
    assert first_of(text_of(part=part)).fix == "join the two by `&&`"
