"""Warnings: what is given, that near misses are not, and nothing at all of programs that mean what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdsl
from gdsl.diagnostics import Diagnostic, find_code, render
from gdsl.frontend import analysis
from gdsl.pipeline import load_source, warnings
from gdsl.program_files import read_source
from gdsl.source import Source

ROOT = Path(__file__).parents[2]
PROGRAM = """program p;
problem {
    param source : vertex;
    vertex d : int32 = inf;
    vertex seen : bool;
    scalar total : int64;
    scalar moved : bool = true;
    {data}
}
edge functor visit(src, dst, e) {
    {cond}
    apply { accept changed(d[dst] min= d[src] + 1); }
}
vertex functor note(v) { apply { seen[v] = d[v] != inf; } }
{top}
schedule {
    d[source] = 0;
    frontier f = { source };
    moved = false;
    compute(vertices, note);
    {schedule}
    total = size(f);
}
{tune}
"""
PLACES = ("data", "cond", "top", "schedule", "tune")
LOOP = "while (f) { f = advance(f, visit); }"


def found(*, tuned: tuple[str, ...] = (), **parts: str) -> list[tuple[str, str, str | None]]:
    """The code, the underlined text and the fix of all warnings."""
    text = PROGRAM
    for place in PLACES:
        text = text.replace("{" + place + "}", parts.get(place, LOOP if place == "schedule" else ""))
    source = Source("p.gdsl", text)
    load_source(source, tuned)
    return [(one.code, underlined(one, source), one.fix) for one in warnings(source, tuned)]


def underlined(one: Diagnostic, source: Source) -> str:
    assert one.span is not None
    return source.excerpt(one.span)


def test_nothing_is_said_of_a_program_that_means_what_it_says() -> None:
    assert found() == []


# fmt: off
ENDLESS = {
    "d[dst] min= d[src] + 1;": "accept changed(d[dst] min= d[src] + 1);",
    "d[dst] min= d[src] + 1; accept true;": "accept changed(d[dst] min= d[src] + 1);",
    "if (changed(d[dst] min= d[src] + 1)) { seen[dst] = true; }": "else { accept false; }",
    "hops[dst] = iteration + 1;": "cond hops[dst] == -1;",
    "accept changed(d[dst] min= d[src] + 1);": None,
}
# fmt: on
LOOPS = (
    "while (f) { f = advance(f, walk); }",
    "while (size(f) > 0) { frontier g = advance(f, walk); f = g; }",
    "while (f) { f = filter(advance(f, walk), v => out_degree(v) > 0); }",
    "while (f) { f = f | advance(f, walk); }",
    "buckets b(hops, 1) = f; while (b) { b.push(advance(b.pop(), walk)); }",
)
ENDING = (
    "while (f && iteration < 3) { f = advance(f, walk); }",
    "repeat (3) { f = advance(f, walk); }",
    "frontier old = f; while (f) { f = advance(f, walk) - old; old = old | f; }",
    "while (f) { f = filter(advance(f, walk), v => !seen[v]); compute(f, mark); }",
)


def warned(body: str, loop: str) -> list[Diagnostic]:
    data = "vertex hops : int32 = -1;"
    top = f"edge functor walk(src, dst, e) {{ apply {{ {body} }} }}"
    top += "vertex functor mark(v) { apply { seen[v] = true; } }"
    text = PROGRAM
    for place, part in {"data": data, "cond": "", "top": top, "schedule": loop, "tune": ""}.items():
        text = text.replace("{" + place + "}", part)
    source = Source("p.gdsl", text)
    load_source(source)
    return [one for one in warnings(source) if one.code == "W06"]


@pytest.mark.parametrize("body", ENDLESS)
def test_a_worklist_that_accepts_all(body: str) -> None:
    for loop in LOOPS[:1] if body != "d[dst] min= d[src] + 1;" else LOOPS:
        found = warned(body, loop)
        fix = ENDLESS[body]
        assert [one.fix is not None and f"`{fix}`" in one.fix for one in found] == [True] * (fix is not None)
        assert all(one.suggestions and one.span is not None for one in found)


@pytest.mark.parametrize("loop", ENDING)
def test_a_worklist_that_ends(loop: str) -> None:
    assert warned("d[dst] min= d[src] + 1;", loop) == []


@pytest.mark.parametrize("accept", ["src < dst", "near > far", "n < 5 && d[src] < d[dst]"])
def test_a_worklist_that_climbs(accept: str) -> None:
    assert warned(f"accept {accept};".replace("n < 5", "out_degree(src) < 5"), LOOPS[0]) == []


# fmt: off
GIVEN = {
    "thrown away": (
        {"schedule": "while (f) { advance(f, visit); }"}, "W01", "advance(f, visit)", "f = advance(f, visit);",
    ),
    "thrown away beside another": (
        {"schedule": "while (f) { compute(f, note); advance(f, visit) @go; }"},
        "W01",
        "advance(f, visit) @go",
        "f = advance(f, visit) @go;",
    ),
    "thrown away, asked by size": (
        {"schedule": "while (size(f) > 0) { advance(f, visit); }"},
        "W01",
        "advance(f, visit)",
        "f = advance(f, visit);",
    ),
    "a frontier that stays": ({"schedule": "while (f) { compute(f, note); } " + LOOP}, "W02", "f", "repeat"),
    "on purpose thrown away": ({"schedule": "while (f) { advance(f, visit, to=none); }"}, "W02", "f", "repeat"),
    "a flag that stays": ({"schedule": f"{LOOP} while (moved) {{ }}"}, "W02", "moved", "repeat"),
    "an endless loop": ({"schedule": f"{LOOP} while (true) {{ compute(vertices, note); }}"}, "W02", "true", "repeat"),
    "a loop of a functor": (
        {"top": "vertex functor g(v) { apply { var i = 0; while (i < 3) { seen[v] = true; } } }",
         "schedule": f"{LOOP} compute(vertices, g);"},
        "W02", "i < 3", "change what the condition reads",
    ),
    "a loop around one that breaks": (
        {"data": "vertex set_of : vertex = id;", "schedule": f"{LOOP} compute(edges, g);",
         "top": "edge functor g(src, dst, e) { apply { while (true) { join(set_of, src, dst); } } }"},
        "W02", "true", "for i in 0..n",
    ),
    "functor": ({"top": "vertex functor idle(v) { apply { seen[v] = true; } }"}, "W03", "idle", "leave it out"),
    "function": ({"top": "function half(x: int32) -> int32 { return x // 2; }"}, "W03", "half", "leave it out"),
    "param": ({"data": "param rate : float32 = 0.5;"}, "W03", "rate", "leave it out"),
    "input": ({"data": "input edge weight : float32;"}, "W03", "weight", "leave it out"),
    "array": ({"data": "vertex rank : float32;"}, "W03", "rank", "leave it out"),
    "scalar": ({"data": "local scalar left : int32 = 3;"}, "W03", "left", "leave it out"),
    "label": (
        {"schedule": "f = advance(f, visit) @once; " + LOOP.replace(";", " @often;"),
         "tune": "tune { @often.direction = push; }"},
        "W03", "@once", "leave it out",
    ),
    "sum of inf": (
        {"top": "vertex functor add(v) { apply { total += d[v]; } }", "schedule": f"{LOOP} compute(vertices, add);"},
        "W04", "total += d[v]", "d[v] == inf ? 0 : d[v]",
    ),
    "reduction of inf": ({"schedule": f"{LOOP} total = sum(d);"}, "W04", "sum(d)", "inf"),
    "neighbors of inf": (
        {"data": "local vertex n : int32;", "top": "edge functor near_(src, dst, e) -> int32 { value d[dst]; }",
         "schedule": f"{LOOP} n = neighbor_reduce(vertices, near_, sum);"},
        "W04", "neighbor_reduce(vertices, near_, sum)", "inf",
    ),
    "true for all": ({"cond": "cond out_degree(src) >= 0;"}, "W05", "out_degree(src) >= 0", "leave it out"),
    "true": ({"cond": "cond true;"}, "W05", "true", "leave it out"),
    "false for all": ({"cond": "cond place < 0;"}, "W05", "place < 0", "check the values"),
    "one part of two": ({"cond": "cond seen[src] || true;"}, "W05", "seen[src] || true", "leave it out"),
    "what nothing writes": (
        {"data": "local vertex level : int32 = -1;", "cond": "cond level[dst] == -1;"},
        "W05", "level[dst] == -1", "leave it out",
    ),
}
# fmt: on


@pytest.mark.parametrize("name", GIVEN)
def test_given(name: str) -> None:
    parts, code, words, fix = GIVEN[name]
    [(given, where, said)] = found(**parts)
    assert (given, where) == (code, words)
    assert said is not None and fix in said


NEAR = {
    "a set that another operator takes": "while (f) { f = advance(f, visit); compute(f, note); }",
    "a set by another name": "while (f) { frontier g = advance(f, visit); f = g; }",
    "counted rounds": "while (iteration < 3) { advance(f, visit, to=none); }",
    "a flag that a functor raises": "moved = true; while (moved) { moved = false; compute(vertices, raise); }",
    "a swap": "frontier g = f; while (f) { f = g; g = advance(f, visit); }",
    "a number": "total = size(f); while (total > 0) { total -= 1; }",
}
RAISE = "vertex functor raise(v) { apply { moved |= changed(d[v] min= 3); } }"


@pytest.mark.parametrize("name", NEAR)
def test_loops_that_end(name: str) -> None:
    used = "raise" in NEAR[name]
    assert found(schedule=f"{LOOP} {NEAR[name]}", top=RAISE if used else "") == []


@pytest.mark.parametrize(
    ("functor", "schedule"),
    [
        ("cond d[v] != inf; apply { total += d[v]; }", "compute(vertices, add);"),
        ("apply { if (d[v] < inf) { total += d[v]; } }", "compute(vertices, add);"),
        ("apply { total += d[v] == inf ? 0 : d[v]; }", "compute(vertices, add);"),
        ("apply { total += d[v]; }", "frontier g = { source }; compute(g, add);"),
        ("apply { total += d[v]; }", "fill(d, 3); compute(vertices, add);"),
    ],
)
def test_sums_without_infinity(functor: str, schedule: str) -> None:
    assert found(top=f"vertex functor add(v) {{ {functor} }}", schedule=f"{LOOP} {schedule}") == []


def test_what_is_used_by_the_caller() -> None:
    assert found(data="vertex degree_ : int32 = out_degree(id);") == []
    labels = "f = advance(f, visit) @once; while (f) { f = advance(f, visit) @often; }"
    assert found(schedule=labels) == []
    assert found(schedule=labels, tune="tune { @often.direction = push; }", tuned=("@once.direction=push",)) == []


def test_a_condition_that_one_operator_is_not_sure_of() -> None:
    assert found(cond="cond seen[dst];") == []
    assert found(cond="cond out_degree(dst) > 2;") == []
    assert found(cond="cond iteration < 3 || seen[src];") == []


PROGRAMS = sorted([*ROOT.glob("samples/*.gdsl"), *ROOT.glob("tests/programs/*.gdsl"), *ROOT.glob("bench/**/*.gdsl")])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(7)
def test_none_of_the_programs_that_come_with_gdsl(path: Path) -> None:
    source = read_source(path)
    assert [render(one, source) for one in warnings(source)] == []


def test_from_python(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    text = "program p;\nproblem { param a : int32 = 1; scalar s : int32; }\nschedule { s = 1; }\n"
    for _ in range(2):  # the second time from the cache
        program = gdsl.compile(text)
        [one] = program.warnings
        assert (one.code, one.span.line if one.span else 0) == ("W03", 2)
        assert str(gdsl.GdslError(program.warnings, program.text)).startswith("<text>:2:17: warning[W03]: ")
    assert not recwarn.list
    assert gdsl.samples.bfs.warnings == ()


def test_a_program_is_parsed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    parsed, parse = [], analysis.parse_all
    monkeypatch.setattr(analysis, "parse_all", lambda source: (parsed.append(source), parse(source))[1])
    text = "program once;\nproblem { param a : int32 = 1; scalar s : int32; }\nschedule { s = 1; }\n"
    assert gdsl.compile(text).warnings
    assert len(parsed) == 1


def test_codes_are_explained() -> None:
    for number in range(1, 6):
        code = find_code(f"w{number}")
        assert code is not None and code.code == f"W0{number}"


@pytest.mark.parametrize(
    ("text", "count", "by"),
    [
        ("total = total << 64;", "64", "0"),
        ("total = 1 << 2 >> -1;", "-1", "63"),
        ("total >>= 65;", "65", "1"),
        ("total = int64(int32(total) << 40);", "40", "8"),
    ],
)
def test_shifts_beyond_the_width(text: str, count: str, by: str) -> None:
    ((code, place, fix),) = found(schedule=f"{LOOP} {text}")
    assert (code, place) == ("W08", count)
    assert fix is not None and ("or shift `int64(…)`" in fix) == (count == "40")
    fitting = text
    for word in ("<<", ">>", "="):
        fitting = fitting.replace(f"{word} {count}", f"{word} {by}")
    assert not found(schedule=f"{LOOP} {fitting}")


REDUCED = """program p;
problem {{ vertex best : vertex; vertex lone : bool; }}
edge functor f(src, dst, e) -> vertex {{ value dst; }}
vertex functor g(v) {{ apply {{ {} }} }}
schedule {{ best = {}; compute(vertices, g); }}"""


@pytest.mark.parametrize("test", ["lone[v] = best[v] == none;", "let b = best[v]; if (none != b) { lone[v] = true; }"])
def test_the_largest_of_nothing(test: str) -> None:
    source = Source("p.gdsl", REDUCED.format(test, "neighbor_reduce(vertices, f, max)"))
    (warning,) = warnings(source)
    fixed = "neighbor_reduce(vertices, f, max, empty=none)"
    assert (warning.code, warning.fix) == ("W07", f"write `{fixed}`")
    assert not warnings(Source("p.gdsl", REDUCED.format(test, fixed)))
    assert not warnings(Source("p.gdsl", REDUCED.format(test, "neighbor_reduce(vertices, f, min)")))
    assert not warnings(
        Source("p.gdsl", REDUCED.format("lone[v] = best[v] == 0;", "neighbor_reduce(vertices, f, max)"))
    )


@pytest.mark.parametrize(
    ("kind", "test", "empty"),
    [
        ("float32", "lone[v] = best[v].1 == none;", "(-inf, none)"),
        ("int32", "let b = best[v]; if (none != b.1) { lone[v] = true; }", "(-inf, none)"),
        ("bool", "let u = best[v].1; lone[v] = u == none;", "(false, none)"),
        ("vertex", "lone[v] = best[v].1 != none;", "(none, none)"),
    ],
)
def test_the_largest_pair_of_nothing(kind: str, test: str, empty: str) -> None:
    first = "src" if kind == "vertex" else f"{kind}({'dst > src' if kind == 'bool' else 'out_degree(dst)'})"
    pairs = REDUCED.replace("vertex best : vertex", f"vertex best : ({kind}, vertex)")
    pairs = pairs.replace("-> vertex {{ value dst;", f"-> ({kind}, vertex) {{{{ value ({first}, dst);")
    source = Source("p.gdsl", pairs.format(test, "neighbor_reduce(vertices, f, max)"))
    fixed = f"neighbor_reduce(vertices, f, max, empty={empty})"
    (warning,) = warnings(source)
    assert (warning.code, warning.fix) == ("W07", f"write `{fixed}`")
    assert not warnings(Source("p.gdsl", pairs.format(test, fixed)))
    assert not warnings(Source("p.gdsl", pairs.format(test, "neighbor_reduce(vertices, f, min)")))
    other = test.replace(".1", ".0").replace("none", "false" if kind == "bool" else "0")
    assert not warnings(Source("p.gdsl", pairs.format(other, "neighbor_reduce(vertices, f, max)")))
