"""Several mistakes of syntax in one run: each is reported once, at its place, and nothing that only comes of one."""

from __future__ import annotations

import random
import time

import pytest
from fuzz.text import mutated
from mistake_programs import BFS, CHECKED, SYNTAX, with_parts

from gdsl.diagnostics import GdslError
from gdsl.frontend.recovery import MOST_MISTAKES
from gdsl.frontend.syntax import SymbolKind
from gdsl.pipeline import analyze, load
from gdsl.source import Source

# (what of BFS is replaced, by what) for each mistake, and by line and column the codes that are reported
SEVERAL = {
    "every part": (
        [
            ("param ", "parm "),
            ("distance : int32", "distance int32"),
            ("== -1;", "= -1;"),
            ("iteration + 1;", "iteration + ;"),
            ("any= src;", "any= src"),
            ("while (f)", "whlie (f)"),
        ],
        ["5:5 E0103", "6:21 E0101", "11:24 E0112", "13:37 E0101", "14:29 E0111", "21:5 E0103"],
    ),
    "head of a functor": (
        [("src, dst, e)", "src, dst)"), ("iteration + 1;", "iteration + ;")],
        ["10:28 E0101", "13:37 E0101"],
    ),
    "head and body of a loop": (
        [("while (f) { f = advance(f, visit);", "while f { f = advance(f, visit; f = advance(g, visit);")],
        ["21:11 E0101", "21:35 E0101", "21:49 E0201"],
    ),
    "open block": ([("src;\n    }", "src;\n"), ("] = 0;", "] = ;")], ["18:1 E0101", "19:24 E0101"]),
    "closed twice": ([("src;\n    }", "src;\n    } }"), ("] = 0;", "] = ;")], ["16:1 E0101", "19:24 E0101"]),
    "brace not opened": ([("apply {", "apply"), ("] = 0;", "] = ;")], ["13:9 E0101", "19:24 E0101"]),
    "loop not opened": ([("while (f) {", "while (f)"), ("] = 0;", "] = ;")], ["19:24 E0101", "21:15 E0101"]),
    "schedule not opened": ([("schedule {", "schedule"), ("any= src", "any= ")], ["14:26 E0101", "19:5 E0101"]),
    "no first line": ([("program bfs;", ""), ("] = 0;", "] = ;")], ["4:1 E0101", "19:24 E0101"]),
    "misspelled first line": ([("program", "progam"), ("] = 0;", "] = ;")], ["2:1 E0103", "19:24 E0101"]),
    "misspelled part": ([("schedule", "shedule"), ("] = 0;", "] = ;")], ["18:1 E0103", "19:24 E0101"]),
    "open end": ([("] = 0;", "] = ;"), ("visit); }\n}", "visit); }\n")], ["19:24 E0101", "21:40 E0107"]),
    "without braces": (
        [("] = 0;", "] = ;"), ("{ f = advance(f, visit); }", "f = advance(f, visit);")],
        ["19:24 E0101", "21:15 E0101"],
    ),
    "foreign comments": (
        [("# all the same", "// all; the same"), ("any= src;", "any= ; /* a; b */")],
        ["13:45 E0112", "14:26 E0101", "14:28 E0112"],
    ),
    "strings": (
        [("iteration + 1;", '"a; b";'), ("= none;", "= “a;b”;"), ("] = 0;", "] = ;")],
        ["7:32", "13:25", "19:24"],
    ),
    "C": (
        [("parent[dst] any= src;", "for (int i = 0; i < 3; i++) { parent[dst] any= ; } x++;")],
        ["14:13 E0112", "14:56 E0101", "14:61 E0112"],
    ),
    "else": (
        [("distance[source] = 0;", "if (f = 3) { x = ; } else { y = ; } z = ;")],
        ["19:11 E0112", "19:22 E0101", "19:37 E0101", "19:45 E0101"],
    ),
    "names where syntax is fine": (
        [
            ("iteration + 1;", "iteration + ;"),
            ("any= src;", "any= scr;"),
            ("distance[source] = 0;", "distanc[source] = 0;"),
        ],
        ["13:37 E0101", "14:26 E0201", "19:5 E0201"],
    ),
    "names that broken text declares": (
        [("iteration + 1;", "1; let q = 1 +; distance[dst] = q + qq;"), ("vertex parent ", "vertex parent parent2 ")],
        ["7:19 E0101", "13:39 E0101", "13:61 E0201"],
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_every_mistake_once(name: str) -> None:
    changes, expected = SEVERAL[name]
    text = BFS
    for part, replacement in changes:
        assert part in text
        text = text.replace(part, replacement, 1)
    found = analyze(Source("p.gdsl", text)).diagnostics
    places = [f"{one.span.line}:{one.span.column} {one.code}" for one in found if one.span is not None]
    assert len(places) == len(found) == len(expected), places
    assert all(place.startswith(wanted) for place, wanted in zip(places, expected, strict=True)), places
    with pytest.raises(GdslError) as caught:
        load(Source("p.gdsl", text))
    assert caught.value.diagnostics == found


BROKEN_SETS = (
    *("f = { 0; 1 };", "f = { 0, 1, };", "f = f | { v: 1 };", "f = | { 0 } | f;", "f = { 0 } { 1 } - f;"),
    *("f = { 0 1 } & f;", "f = { 0, 1;", "f = advance({ 0 1 }, visit);", "f = advance({ 0; 1 }, visit);"),
    *("f = advance({ 0, } | f, visit);", "compute({ 0,, 1 }, visit);", "f |= { 0, };", "if (f) { f = { 0; } ; }"),
    *("edge frontier e = { 0, 1 ;", "f = f | ({ 0 1 } - f);", "f = { 0 } - ;"),
)


@pytest.mark.parametrize("statement", BROKEN_SETS)
def test_a_broken_set_is_one_mistake(statement: str) -> None:
    text = BFS.replace("frontier f = { source };", f"frontier f = {{ source }};\n{statement}\nf = unknown;")
    assert text != BFS
    found = analyze(Source("p.gdsl", text)).diagnostics
    line = text[: text.index("f = unknown")].count("\n") + 1
    places = [(one.code, one.span.line) for one in found if one.span is not None]
    assert places == [("E0101", line - 1), ("E0201", line)], places


@pytest.mark.parametrize(
    "rest", ["= f f", "= f @x", "= f | f f", "| f f", "[0] 1", "& f f", "min= f f", "+= 1 1", ".x f"]
)
@pytest.mark.parametrize("name", ["f", "i", "lot", "vat", "fort", "breaks"])
def test_a_name_that_is_used_as_one_is_no_misspelled_keyword(name: str, rest: str) -> None:
    text = BFS.replace("frontier f = { source };", f"frontier f = {{ source }};\n{name} {rest};")
    found = analyze(Source("p.gdsl", text)).diagnostics
    assert [one.code for one in found][:1] == ["E0101"], found
    assert not any("did you mean" in (one.fix or "") for one in found), found


TUNE = "tune { visit.direction pull; visit.balance = ; visit.dirction = pull; schedule.fuse = on }"


def test_mistakes_in_tuning() -> None:
    found = analyze(Source("p.gdsl", BFS + TUNE)).diagnostics
    assert [one.code for one in found] == ["E0101", "E0101", "E0412", "E0111"]


def test_one_mistake_of_syntax_is_one_message_beside_another() -> None:
    """Any of the mistakes in `apply` with one in the schedule: the second is found behind the first."""
    for name, (part, replacement) in SYNTAX.items():
        place = BFS.index(part)
        if not BFS.index("apply {") < place < BFS.index("schedule {") or name.startswith(("deep", "two", "value")):
            continue
        alone = analyze(Source("p.gdsl", BFS.replace(part, replacement, 1))).diagnostics
        text = BFS.replace(part, replacement, 1).replace("{ source };", "{ source } };")
        both = analyze(Source("p.gdsl", text)).diagnostics
        assert both[: len(alone)] == alone and len(both) == len(alone) + 1, name


def test_what_an_editor_is_told() -> None:
    fine = analyze(Source("p.gdsl", BFS))
    assert fine.diagnostics == () and fine.tree is not None and fine.checked is not None
    names = [(symbol.name, symbol.kind) for symbol in fine.symbols]
    assert names[:4] == [
        ("source", SymbolKind.PARAM),
        ("distance", SymbolKind.ARRAY),
        ("parent", SymbolKind.ARRAY),
        ("visit", SymbolKind.FUNCTOR),
    ]
    assert ("f", SymbolKind.FRONTIER) in names
    broken = analyze(Source("p.gdsl", BFS.replace("] = 0;", "] = ;")))
    assert broken.tree is not None and len(broken.tree.schedule) == 2 and broken.checked is None
    assert [symbol.name for symbol in broken.symbols] == [symbol.name for symbol in fine.symbols]
    racy = analyze(Source("p.gdsl", BFS.replace("any= src", "= src")))
    assert [one.code for one in racy.diagnostics] == ["E0301", "E0304"] and racy.symbols == fine.symbols


@pytest.mark.parametrize("start", range(0, 300, 50))
@pytest.mark.sampled(6)
@pytest.mark.slow
def test_analyze_raises_nothing(start: int) -> None:
    texts = [BFS, *(with_parts(**{place: content}) for place, content in CHECKED.values())]
    for seed in range(start, start + 50):
        generator = random.Random(seed)
        text = generator.choice(texts)
        for _ in range(generator.randint(1, 6)):
            text = mutated(text, generator)
        analysis = analyze(Source("p.gdsl", text))
        assert (analysis.checked is None) == bool(analysis.diagnostics)
    for text in ("", "\0", "}", "{", '"""', "program", "program p", "schedule", "tune {", "\ud800", "(" * 500):
        assert analyze(Source("p.gdsl", text)).diagnostics


MANY = {
    "operands": {"apply": "level[v] = ;\n" * 2000},
    "characters": {"apply": "level[v] = ≤ 3;\n" * 2000},
    "semicolons": {"apply": "level[v] = 3\n" * 2000},
    "heads": {"apply": "if level[v] { rank[v] = ; }\n" * 1000},
    "words": {"data": "parm x : ;\n" * 1000},
    "parts": {"top": "vertex functor (v) { apply { x = ; } }\n" * 1000},
}


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", MANY)
def test_thousands_of_mistakes_of_syntax(name: str) -> None:
    start = time.process_time()
    found = analyze(Source("p.gdsl", with_parts(**MANY[name]))).diagnostics
    assert len(found) >= 1000
    assert time.process_time() - start < 60, "growing faster than the program"


@pytest.mark.rare(48)
@pytest.mark.parametrize("word", ["import ", "import a, ", 'import "x" ', "import\n", "import a from ", "import ; "])
@pytest.mark.parametrize("behind", ["", "program p; schedule { }"])
@pytest.mark.sampled(6)
def test_a_word_that_stands_very_often(word: str, behind: str) -> None:
    """Each stretch of text is looked at a few times, not once for each word before it."""
    start = time.process_time()
    assert analyze(Source("p.gdsl", word * 40_000 + behind)).diagnostics
    assert time.process_time() - start < 60, "growing faster than the program"


@pytest.mark.parametrize("part", ["procedure p( ", "function f( ", "vertex functor f( ", "operator o( ", "schedule { "])
@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.thorough
def test_a_part_that_begins_very_often(part: str) -> None:
    start = time.process_time()
    assert analyze(Source("p.gdsl", "program p; " + part * 6_000)).diagnostics
    assert time.process_time() - start < 40, "growing faster than the program"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["operands", "semicolons", "parts"])
@pytest.mark.slow
def test_reading_ends_behind_very_many_mistakes(name: str) -> None:
    """And the message says so, behind those that it shows."""
    [(place, content)] = MANY[name].items()
    text = with_parts(**{place: content * 5})
    start = time.process_time()
    with pytest.raises(GdslError) as caught:
        load(text)
    assert time.process_time() - start < 60, "all of them were looked for"
    diagnostics = caught.value.diagnostics
    assert len(diagnostics) == MOST_MISTAKES + 1
    assert diagnostics[-1].code == "E0114" and "E0114" not in {one.code for one in diagnostics[:-1]}
    shown = str(caught.value)
    assert shown.count("error[E") == 101
    assert "\n\nand 900 more mistakes\n\n" in shown and "was not read" in shown.rpartition("error[E0114]")[2]
    few = analyze(Source("p.gdsl", with_parts(**{place: content[: len(content) // 4]}))).diagnostics
    assert few and "E0114" not in {one.code for one in few}


def test_a_call_that_a_broken_item_has_too_is_no_second_mistake() -> None:
    text = """program p;
problem { vertex d : int32; }
procedure add(vertex p : int32) { d = number(vertices); }
schedule { d = number(vertices); }
"""
    assert [each.code for each in analyze(Source("p.gdsl", text)).diagnostics] == ["E0112"]


@pytest.mark.parametrize(
    "head",
    [
        "g[src, dst, e)",
        "g.src, dst, e)",
        "g(src, dst, e,",
        "g(src, dst)",
        "g(e)",
        "g",
        "g<src, dst, e>",
        "g(->, dst, e)",
    ],
)
def test_the_body_of_a_functor_with_a_broken_head_knows_its_parameters(head: str) -> None:
    text = f"""program p;
problem {{ vertex a : int32; edge w : int32; }}
edge functor {head} {{ cond a[src] == -1; apply {{ a[dst] min= w[e] + 1; }} }}
schedule {{ advance(vertices, g); }}
"""
    [one] = analyze(Source("p.gdsl", text)).diagnostics
    assert one.span is not None and one.span.line == 3
