"""What people write from the habit of another language: one message each, at its place, whose fix is accepted."""

from __future__ import annotations

import re

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.pipeline import load
from gdsl.source import Source


def found(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(GdslError) as caught:
        load(Source("p.gdsl", text))
    return caught.value.diagnostics


# what stands in `apply`: the underlined text, the fix, and what it becomes
IN_APPLY = {
    "rank[v] = (float)out_degree(v);": ("(float)out_degree(v)", "float32(out_degree(v))"),
    "rank[v] = (float) level[v] / 2.0;": ("(float) level[v]", "float32(level[v])"),
    "level[v] = (int)(rank[v] + 0.5);": ("(int)(rank[v] + 0.5)", "int32(rank[v] + 0.5)"),
    "big[v] = (long)level[v];": ("(long)level[v]", "int64(level[v])"),
    "rank[v] = float(level[v]);": ("float", "float32(level[v])"),
    "level[v] = int(rank[v]);": ("int", "int32(rank[v])"),
    "if (not level[v] == 1) { }": ("not", "!(level[v] == 1)"),
    "let y = not used_[v];": ("not", "!used_[v]"),
    "if (level[v] > 1 and rank[v] > 1.0) { }": ("and", "&&"),
    "if (level[v] > 1 or rank[v] > 1.0) { }": ("or", "||"),
    "for i in range(3) { level[v] = i; }": ("range(3)", "for i in 0..3 { … }"),
    "for i in range(1, 3) { level[v] = i; }": ("range(1, 3)", "for i in 1..3 { … }"),
    "for (int i = 0; i < 3; i++) { level[v] = i; }": ("(", "for i in 0..3 { … }"),
    "for (auto u : neighbors(v)) { }": ("(", "for u in neighbors(v) { … }"),
    "level[v]++;": ("++", "level[v] += 1;"),
    "++level[v];": ("++", "level[v] += 1;"),
    "level[v]--;": ("-", "level[v] -= 1;"),
    "level[v] = level[v] > 0 ? 1;": (";", "level[v] = level[v] > 0 ? 1 : …"),
    "level[v] = 1 if level[v] > 0 else 2;": ("if", "level[v] > 0 ? 1 : 2"),
    "v->level = 3;": ("->", "level[v]"),
    "v.level = 3;": ("v.level", "level[v]"),
    "level(v) = 3;": ("level(v)", "level[v]"),
    "level[v] = level(v);": ("level", "level[v]"),
    "if (level[v] <> 3) { }": ("<>", "!="),
    "if (level[v] =< 3) { }": ("=<", "<="),
    "rank[v] = abs rank[v];": ("abs rank", "abs(rank[v])"),
    "atomicAdd(&count, 1);": ("&", "count += 1;"),
    "atomicMin(level[v], 3);": ("atomicMin", "level[v] min= 3;"),
    "level[v] = INT_MAX;": ("INT_MAX", "inf"),
    "var x;": (";", "var x = 0;"),
    "var x : float32;": (";", "var x : float32 = 0.0;"),
    "let int x = 3;": ("int x", "let x : int32"),
    "if (level[v]) { }": ("level[v]", "level[v] != 0"),
    "rank[v] = level[v] / 2;": ("level[v] / 2", "level[v] / 2.0"),
    "level[v] = rank[v] * 2.0;": ("rank[v] * 2.0", "int32(rank[v] * 2.0)"),
}
IN_SCHEDULE = {
    "f.add(source);": ("f.add(source)", "f = f | { source };"),
    "f.insert(source);": ("f.insert(source)", "f = f | { source };"),
    "f.remove(source);": ("f.remove(source)", "f = f - { source };"),
    "f.clear();": ("f.clear()", "f = { };"),
    "count = f.size();": ("f.size()", "size(f)"),
    "count = len(f);": ("len", "size(f)"),
    "for v in f { level[v] = 1; }": ("f", "compute(f, g);"),
    "for e in edges { }": ("edges", "compute(edges, g);"),
    "for i in 0..10 { }": ("for i in 0..10 { }", "repeat (10) { … }"),
    "for i in range(10) { }": ("range(10)", "repeat (10) { … }"),
    "f = [source];": ("[source]", "f = { source };"),
    "f += { source };": ("f += { source };", "f = f | { source };"),
    "level = -1;": ("level", "fill(level, -1);"),
    "visit(f);": ("visit", "advance(f, visit)"),
    "f = f.union({ source });": ("f.union({ source })", "f = f | { source };"),
    "foreach(f, v => { level[v] = 1; });": ("foreach", "compute(f, v => { level[v] = 1; })"),
    "map(v => { level[v] = 1; }, vertices);": ("map", "compute(vertices, v => { level[v] = 1; })"),
    "f = edgeMap(f, visit);": ("edgeMap", "advance(f, visit)"),
    "f = vertex_filter(f, v => level[v] == 1);": ("vertex_filter", "filter(f, v => level[v] == 1)"),
    "edges.apply(visit);": ("edges.apply(visit)", "compute(edges, visit)"),
    "f = vertices.where(v => level[v] == 1);": (
        "vertices.where(v => level[v] == 1)",
        "filter(vertices, v => level[v] == 1)",
    ),
    "f.foreach(v => { level[v] = 1; });": ("f.foreach(v => { level[v] = 1; })", "compute(f, v => { level[v] = 1; })"),
    "level += 1;": ("level", "compute(vertices, v => { level[v] += 1; });"),
    "level[source] += 1;": ("level[source] += 1;", "compute({ source }, v => { level[v] += 1; });"),
    "if (level) { }": ("level", "any(v => level[v] != 0)"),
    "count = level;": ("level", "sum(level)"),
}


@pytest.mark.parametrize(
    ("place", "text"), [*(("apply", text) for text in IN_APPLY), *(("schedule", text) for text in IN_SCHEDULE)]
)
def test_one_message_with_what_is_written_here(place: str, text: str) -> None:
    underlined, form = (IN_APPLY if place == "apply" else IN_SCHEDULE)[text]
    program = with_parts(**{place: text}, data="vertex used_ : bool;")
    [one] = found(program)
    assert one.span is not None
    line = program.split("\n")[one.span.line - 1]
    assert line[one.span.column - 1 : one.span.end_column - 1] == underlined, one
    assert one.fix is not None and f"`{form}`" in one.fix, one


REPLACED = ("rank[v] = (float)", "level[v] = (int)", "big[v] = (long)", "rank[v] = abs", "let y = not", "if (not")


@pytest.mark.parametrize("text", [text for text in IN_APPLY if text.startswith(REPLACED)])
def test_the_fix_typed_in_is_accepted(text: str) -> None:
    underlined, form = IN_APPLY[text]
    wrong = {"not": form[1:], "abs rank": "abs rank[v]"}.get(underlined, underlined)
    mended = text.replace(f"not {wrong.strip('()')}", form) if underlined == "not" else text.replace(wrong, form)
    assert mended != text
    load(with_parts(apply=mended, data="vertex used_ : bool;"))


WORDS = {
    "apply": ["continue;", "pass;", "print(level[v]);", "switch (level[v]) { }", "do { } while (true);"],
    "schedule": ["continue;", "foreach v in f { }", "loop { }", "until (f) { }", "parallel { }"],
    "top": ["def f(x) { return x; }", "fn g(x: int32) -> int32 { return x; }", "using namespace std;", "struct A { }"],
    "data": ["int32 x;", "global x : int32;", "x : int32;", "vertex x;", "vertex int32 x;", "output vertex x : int32;"],
}


@pytest.mark.parametrize(("place", "text"), [(place, text) for place, texts in WORDS.items() for text in texts])
def test_each_word_gets_its_own(place: str, text: str) -> None:
    first = found(with_parts(**{place: text}))[0]
    assert first.fix is not None, first
    assert "did you mean" not in first.fix


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("/* a; b */ level[v] = 1;", 1),
        ("level[v] = /* x */ 1;", 1),
        ("/* a\n * b { }\n */ level[v] = 1; /* c */", 1),
        ("level[v] = 1; // one\n // two }\n", 1),
        ("/* a */ level[v] = 1; // b\n", 2),
    ],
)
def test_comments_of_others_are_passed_over(text: str, count: int) -> None:
    said = found(with_parts(apply=text))
    assert [one.code for one in said] == ["E0112"] * count
    assert all(one.fix == "a comment begins with `#` and ends with the line" for one in said)


def test_where_of_a_set_is_a_filter() -> None:
    """The fix names both, since a set may be all vertices."""
    begin = "program p; problem { vertex level : int32; } vertex functor low(v) { apply { accept level[v] < 3; } }"
    [one] = found(f"{begin} schedule {{ frontier f = where(vertices, low); }}")
    assert one.code == "E0402" and one.fix is not None
    assert one.fix == "write `where(functor)`, or `filter(f, functor)` for the members of a set"
    for accepted in ("where(low)", "filter(vertices, low)"):
        load(Source("p.gdsl", f"{begin} schedule {{ frontier f = {accepted}; }}"))


def test_the_mistake_beside_a_literal_is_told_once() -> None:
    [one] = found(with_parts(schedule="while (mate[f] != none) { }", data="vertex mate : vertex;"))
    assert one.code == "E0408"


def test_all_vertices_have_no_members_to_add() -> None:
    [one] = found(with_parts(schedule="vertices.add(source);"))
    assert one.message == "`vertices` has no `.add(…)`" and one.fix is None


def test_a_quotient_is_no_comment() -> None:
    load(with_parts(apply="level[v] = level[v]\n// 2; # /* no */\n"))


@pytest.mark.parametrize(
    "statement",
    [
        "breaks[v] = (float)level[v];",
        "retur[v] 3;",
        "frontie[v] = 3 4;",
        "whil[v] = ;",
        "iff[v] = 1 +;",
        "lets = (int)3 4;",
    ],
)
def test_a_declared_name_is_not_blamed(statement: str) -> None:
    name = re.match(r"\w+", statement)
    assert name is not None
    data = f"vertex {name[0]} : int32;" if "[" in statement[:10] else f"scalar {name[0]} : int32;"
    for one in found(with_parts(apply=statement, data=data)):
        assert one.code != "E0103", one
        assert "did you mean" not in (one.fix or "")


@pytest.mark.parametrize("name", ["set", "total", "quux", "unless", "temp", "process", "container"])
def test_nothing_far_off_is_guessed(name: str) -> None:
    for place in ("apply", "schedule"):
        for text in (f"{name}(1);", f"count = {name};", f"{name} = 1;"):
            for one in found(with_parts(**{place: text})):
                assert "did you mean" not in (one.fix or ""), one


NO_COLON = {
    "vertex a int32;": "vertex a : int32",
    "local edge a float = 3.0;": "edge a : float32",
    "input local vertex a double;": "vertex a : float64",
    "vertex a (int32, vertex);": "vertex a : (int32, vertex)",
    "vertex a[3] int32;": "vertex a[3] : int32",
    "param a vertex;": "param a : vertex",
    "edge a = int32;": "edge a : int32;",
    "local vertex a = bool;": "vertex a : bool;",
}


@pytest.mark.parametrize("declaration", NO_COLON)
def test_a_declaration_without_a_colon(declaration: str) -> None:
    """Also as the last one, after which the parser must find the end of `problem`."""
    text = f"program p;\nproblem {{\n    vertex b : int32;\n    {declaration}\n}}\nschedule {{ fill(b, 1); }}\n"
    [one] = found(text)
    assert one.span is not None and one.span.line == 4
    assert one.fix == f"write `{NO_COLON[declaration]}`"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("vertex functor f(v) { apply { let x int32 = 3; b[v] = x; } }", "let x : int32"),
        ("vertex functor f(v) { apply { var x float = 3.0; } }", "var x : float32"),
        ("function f(x int32) -> int32 { return x; }", "x : int32"),
        ("function f(x : int32, y double) -> int32 { return x; }", "y : float64"),
        ("procedure f(a vertex int32) { fill(a, 3); }", "a : vertex int32"),
    ],
)
def test_a_name_without_a_colon(text: str, form: str) -> None:
    [one] = found(f"program p;\nproblem {{ vertex b : int32; }}\n{text}\nschedule {{ fill(b, 1); }}\n")
    assert one.span is not None and one.span.line == 3
    assert one.message == "a `:` is missing" and one.fix == f"write `{form}`"


def test_a_misspelled_declaration_is_told_once() -> None:
    """Where several places use the name that is almost like it, and none the declared one."""
    for old, new in (
        ("vertex total : int32;", "vertex toatl : int32;"),
        ("functor count_up(v)", "functor cuont_up(v)"),
    ):
        text = """program p;
problem { vertex total : int32; }
vertex functor count_up(v) { apply { total[v] += 1; total[v] = total[v] * 2; } }
schedule { fill(total, 0); compute(vertices, count_up); compute(vertices, count_up); }
"""
        [one] = found(text.replace(old, new))
        right, wrong = (re.search(r"\w*(?:total|toatl|count_up|cuont_up)", each) for each in (old, new))
        assert right is not None and wrong is not None and one.span is not None
        line = text[: text.index(old)].count("\n") + 1
        assert one.fix == f"line {line} declares `{wrong[0]}`: write `{right[0]}` there"


def test_a_name_that_nothing_declares_is_told_once() -> None:
    [one] = found(with_parts(apply="level[v] = foo;\nlevel[v] = foo * foo; rank[v] = rank[v] + foo;"))
    assert one.message == "`foo` is not declared"
    assert [label.text for label in one.labels] == ["and here"] * 2
    assert one.notes == ("and in 1 more place",)


def test_a_misspelled_use_is_no_misspelled_declaration() -> None:
    [one] = found(with_parts(apply="levle[v] = 3; levle[v] = level[v];"))
    assert one.fix == "did you mean `level`?"


MISSING = {
    "f advance(f, visit);": ("an `=` is missing", "write `f = advance(f, visit)`"),
    "frontier g vertices;": ("an `=` is missing", "write `frontier g = vertices`"),
    "count size(f);": ("an `=` is missing", "write `count = size(f)`"),
    "level[source] 3;": ("an `=` is missing", "write `level[source] = 3`"),
    "compute(f, v => { level[v] = 1; }) here;": ("a `@` is missing", "write `@here`"),
    "f = advance(f f, visit);": ("`f` is written twice", "leave one out"),
    "while while (f) { }": ("`while` is written twice", "leave one out"),
    "if (count == == 1) { }": ("`==` is written twice", "leave one out"),
    "count == 3;": ("this value is not used", "write `count = 3;`"),
    "count + size(f);": ("this value is not used", "write `count += size(f);`"),
    "size(f);": ("this value is not used", None),
}


@pytest.mark.parametrize("statement", MISSING)
def test_signs_that_are_missing_or_too_many_in_the_schedule(statement: str) -> None:
    [one] = found(with_parts(schedule=statement))
    assert (one.message, one.fix) == MISSING[statement]


@pytest.mark.parametrize(
    ("statement", "message", "fix"),
    [
        ("let x level[v];", "an `=` is missing", "write `let x = level[v]`"),
        ("level[v] 3;", "an `=` is missing", "write `level[v] = 3`"),
        ("level[v = 3;", "a `]` is missing", "close the bracket before this"),
        ("level[v += 3;", "a `]` is missing", "close the bracket before this"),
        ("level[v] = max(level[v, 3);", "a `]` is missing", "close the bracket before this"),
        ("level[v] == 3;", "this value is not used", "write `level[v] = 3;`"),
        ("level[v] + 3;", "this value is not used", "write `level[v] += 3;`"),
        ("level[v] = 3 3;", "`3` is written twice", "leave one out"),
    ],
)
def test_signs_that_are_missing_or_too_many_in_a_functor(statement: str, message: str, fix: str) -> None:
    [one] = found(with_parts(apply=statement))
    assert (one.message, one.fix) == (message, fix)


def test_a_param_without_its_equals_sign() -> None:
    [one] = found("program p; problem { param k : int32 4; scalar n : int32; } schedule { n = k; }")
    assert (one.message, one.fix) == ("an `=` is missing", "write `int32 = 4`")


@pytest.mark.parametrize(
    ("statement", "fix"),
    [
        ("count = max(level[v] for v in vertices);", "write `max(v => level[v])`"),
        ("count = sum(level[u] * 2 for u in f);", "write `sum(u => level[u] * 2, f)`"),
        ("count = max(out_degree);", "write `max(v => out_degree(v))`"),
        ("count = sum(in_degree);", "write `sum(v => in_degree(v))`"),
        ("count = sum(level > 2);", "give a value for each element: `count(v => level[v] > 2)`"),
        ("count = sum(!(level > 2), f);", "give a value for each element: `count(v => !(level[v] > 2), f)`"),
        ("count = sum(intersect(edges));", "write `intersect(edges)`, which is the total"),
        ("x = mean(level);", "write `float64(sum(level)) / num_vertices`"),
        ("x = average(rank);", "write `sum(rank) / num_vertices`"),
    ],
)
def test_reductions_of_other_languages(statement: str, fix: str) -> None:
    parts = "vertex level : int32; vertex rank : float32; scalar count : int64; scalar x : float64;"
    [one] = found(f"program p; problem {{ {parts} }}\nschedule {{ frontier f = vertices; {statement} }}\n")
    assert one.fix == fix


def test_a_condition_without_its_semicolon() -> None:
    text = "program p; problem { vertex a : int32; }\nvertex functor f(v) { cond a[v] > 0 apply { a[v] = 2; } }\n"
    [one] = found(f"{text}schedule {{ compute(vertices, f); }}\n")
    assert (one.code, one.message, one.fix) == ("E0111", "a `;` is missing", "write `;` here")


@pytest.mark.parametrize(
    ("statement", "fix"),
    [
        ("b = !b;", "write `compute(vertices, v => { b[v] = !b[v]; });`"),
        ("level = level * 2 + 1;", "write `compute(vertices, v => { level[v] = level[v] * 2 + 1; });`"),
        ("w = abs(w) / 2;", "write `compute(edges, (src, dst, e) => { w[e] = abs(w[e]) / 2; });`"),
        ("f = where(level == 1);", "write `v => level[v] == 1`"),
        ("f = filter(f, b && level > 2);", "write `v => b[v] && level[v] > 2`"),
        ("level = 7;", "write `fill(level, 7);`"),
        ("level = neighbour_reduce(f, (u, v, e) => level[v], sum);", "did you mean `neighbor_reduce`?"),
        ("wide = mean(wide);", "write `sum(wide) / num_vertices`"),
        ("level = wide;", "write `compute(vertices, v => { level[v] = int32(wide[v]); });`"),
        ("wide = level;", "write `compute(vertices, v => { wide[v] = level[v]; });`"),
        ("w = narrow;", "write `compute(edges, (src, dst, e) => { w[e] = narrow[e]; });`"),
    ],
)
def test_whole_arrays_in_the_schedule(statement: str, fix: str) -> None:
    parts = "vertex level : int32; vertex b : bool; edge w : float32; vertex wide : float64; edge narrow : int32;"
    [one] = found(f"program p; problem {{ {parts} }}\nschedule {{ frontier f = vertices; {statement} }}\n")
    assert one.fix == fix


@pytest.mark.parametrize(
    ("statement", "message", "fix"),
    [
        ("call settle;", "an operator calls functors", "write `compute(vertices, settle)`"),
        ("run settle();", "an operator calls functors", "write `compute(vertices, settle)`"),
        ("x y;", "`x` is not declared, and an `=` is missing", "declare it first"),
    ],
)
def test_two_names_are_no_statement(statement: str, message: str, fix: str) -> None:
    functor = "vertex functor settle(v) { apply { a[v] = 2; } }"
    [one] = found(f"program p; problem {{ vertex a : int32; }}\n{functor}\nschedule {{ {statement} }}\n")
    assert (one.message, one.fix) == (message, fix)


def test_a_condition_as_a_number() -> None:
    [one] = found(with_parts(apply="level[v] = (level[v] > 1) * 3;"))
    assert one.fix == "a bool becomes 0 or 1 by `int32(level[v] > 1)`"
