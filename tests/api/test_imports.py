"""Imports: what comes along, whose names are meant, mistakes in other files, and the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.source import Source

MAIN = """program main;
{imports}
problem {{ param source: vertex; vertex d: int32 = -1; vertex twice: int32 = 3; vertex t: bool; scalar n: int64; }}
schedule {{ {schedule} }}
"""
COMMON = """# what is used often
import rotate from "more/bits.gdsl";
function twice(x: int32) -> int32 { let d = x; return d * 2; }
function mix(x: int32) -> int32 { return rotate(twice(x)); }
edge functor visit(src, dst, e) { cond d[dst] == -1; apply { let t = iteration + 1; d[dst] = t; } }
procedure bfs(s: vertex) { d[s] = 0; frontier twice = { s }; while (twice) { twice = advance(twice, visit); } }
procedure mix_all(a: vertex int32) { compute(vertices, v => { a[v] = mix(a[v]); }); }
"""
BITS = """program bits;
problem { vertex d : bool; }
function rotate(x: int32) -> int32 { return turn(x, 3); }
function turn(x: int32, by: int32) -> int32 { return (x << by) | (x >> (32 - by)); }
schedule { this_is_never_looked_at(); }
"""


def path_graph() -> Graph:
    return Graph.from_edges(np.array([0, 1, 2]), np.array([1, 2, 3]))


def written(folder: Path, imports: str, schedule: str, **files: str) -> Path:
    """The path of a program, with files beside it."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.gdsl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    main = folder / "main.gdsl"
    main.write_text(MAIN.format(imports=imports, schedule=schedule), encoding="utf-8")
    return main


def said(path: Path) -> str:
    with pytest.raises(GdslError) as caught:
        gdsl.compile(path)
    return str(caught.value)


def test_what_is_imported_brings_along_what_it_uses(tmp_path: Path) -> None:
    """Under other names where the importer has these: `twice` is its array."""
    imports = 'import bfs, mix_all from "common.gdsl";'
    path = written(tmp_path, imports, "bfs(source); mix_all(twice);", common=COMMON, more__bits=BITS)
    for backend in ("reference", "auto"):
        result = gdsl.compile(path).run(path_graph(), {"source": 1}, backend=backend)
        assert result.d.tolist() == [-1, 0, 1, 2]
        assert result.twice.tolist() == [48] * 4
    assert not hasattr(result, "twice_2")


def test_a_text_imports_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, 'import mix from "common.gdsl";', "n = mix(5);", common=COMMON, more__bits=BITS)
    text = path.read_text(encoding="utf-8")
    with pytest.raises(GdslError, match=r"cannot import from `common.gdsl`: there is no such file"):
        gdsl.compile(text)
    monkeypatch.chdir(tmp_path)
    assert gdsl.compile(text).run(path_graph(), {"source": 0}, backend="reference").n == 80


def test_a_change_of_an_imported_file_is_seen(tmp_path: Path) -> None:
    """Also of one that the imported file imports, and of one whose import stands behind a comment."""
    path = written(tmp_path, 'import mix from # "x"\n"common.gdsl";', "n = mix(5);", common=COMMON, more__bits=BITS)
    answers = [gdsl.compile(path).run(path_graph(), {"source": 0}, backend="reference").n for _ in range(2)]
    (tmp_path / "more" / "bits.gdsl").write_text(BITS.replace("turn(x, 3)", "turn(x, 4)"), encoding="utf-8")
    answers.append(gdsl.compile(path).run(path_graph(), {"source": 0}, backend="reference").n)
    (tmp_path / "common.gdsl").write_text(COMMON.replace("d * 2", "d * 4"), encoding="utf-8")
    answers.append(gdsl.compile(path).run(path_graph(), {"source": 0}, backend="reference").n)
    assert answers == [80, 80, 160, 320]


def test_a_mistake_is_shown_in_its_file(tmp_path: Path) -> None:
    text = said(written(tmp_path, 'import a from "l.gdsl";', "a();", l="\nprocedure a() {\n  fill(e, 1); }"))
    assert text.startswith(f"{tmp_path / 'l.gdsl'}:3:8: error[E0201]: `e` is not declared") and "fill(e, 1)" in text
    rule = "\n\nedge functor a(s, t, e) {\n  apply { d[t] = int32(s); } }"
    text = said(written(tmp_path, 'import a from "l.gdsl";', "advance(vertices, a, to=none);", l=rule))
    assert text.startswith(f"{tmp_path / 'l.gdsl'}:4:11: error[E0301]") and "d[t] = int32(s);" in text
    text = said(written(tmp_path, 'import a from "l.gdsl";', "a();", l="procedure a() { x y }"))
    assert text.startswith(f"{tmp_path / 'l.gdsl'}:1:19: error[E0101]")


def test_the_name_of_a_missing_file_is_not_rewritten(tmp_path: Path) -> None:
    """As it would be were it an expression: `x.y` of other languages is `y[x]`."""
    text = said(written(tmp_path, 'import a from "nope.gdsl";', "a();"))
    assert "there is no such file" in text and "fix:" not in text


def test_a_run_that_is_stopped_names_the_file(tmp_path: Path) -> None:
    library = "\nvertex functor a(v) {\n  apply { d[int32(v) + 100] = 1; } }"
    program = gdsl.compile(written(tmp_path, 'import a from "l.gdsl";', "compute({ source }, a);", l=library))
    for backend in ("reference", "auto"):
        with pytest.raises(GdslError) as caught:
            program.run(path_graph(), {"source": 0}, backend=backend)
        assert str(caught.value).startswith(f"{tmp_path / 'l.gdsl'}:3:") and "d[int32(v) + 100]" in str(caught.value)


@pytest.mark.parametrize(
    ("imports", "files", "message"),
    [
        ('import a from "nope.gdsl";', {}, "there is no such file"),
        ('import a from "l";', {"l": "procedure a() { }"}, 'write `"l.gdsl"`'),
        ('import ab, a from "l.gdsl";', {"l": "procedure a() { } function abc() -> bool { return true; }"}, "`ab`"),
        ('import a, d from "l.gdsl";', {"l": "procedure a() { } problem { vertex d : bool; }"}, "`d` is data there"),
        ('import a from "main.gdsl";', {}, "main.gdsl → "),
        ('import a from "l.gdsl";', {"l": 'import a from "k.gdsl";', "k": 'import a from "l.gdsl";'}, "lead back"),
        ('import a from "l.gdsl";', {"l": 'import b from "main.gdsl"; procedure a() { b(); }'}, "lead back"),
        ('import a, a from "l.gdsl";', {"l": "procedure a() { }"}, "`a` is imported twice"),
        ('import a from "l.gdsl"; procedure a() { }', {"l": "procedure a() { }"}, "`a` is declared twice"),
        ("import a from l;", {"l": "procedure a() { }"}, "is written in quotes"),
        ('import a "l.gdsl";', {"l": "procedure a() { }"}, "`from` is missing"),
        ('import a from "l.gdsl";', {"l": "procedure a() { } procedure a() { }"}, "`a` is declared twice"),
        ('import a from "l.gdsl";', {"l": "procedure a() { b(); } procedure b() { a(); }"}, "calls itself"),
        ('import a from ".";', {}, "it is a directory"),
        ("import a from 'l.gdsl';", {"l": "procedure a() { }"}, 'between two `"`, on one line'),
        ('import a from "";', {}, 'between two `"`, on one line'),
        ('import a from "l.gdsl', {"l": "procedure a() { }"}, 'between two `"`, on one line'),
    ],
)
def test_a_mistake_has_one_message(tmp_path: Path, imports: str, files: dict[str, str], message: str) -> None:
    text = said(written(tmp_path, imports, "a();", **files))
    assert message in text and text.count("error[") == 1


def test_what_a_file_does_not_have_is_not_taken_from_the_importer(tmp_path: Path) -> None:
    """Only functions, functors and procedures are meant so; arrays are the importer's."""
    path = written(
        tmp_path,
        'import a from "l.gdsl"; procedure b() { n += 5; }',
        "a(); b();",
        l="procedure a() { b(); } procedure b() { n += 1; }",
    )
    assert gdsl.compile(path).run(path_graph(), {"source": 0}, backend="reference").n == 6


def test_two_ways_to_one_file_are_one(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'import a from "x.gdsl"; import b from "y.gdsl";',
        "a(); b();",
        x='import add from "z.gdsl"; procedure a() { add(1); }',
        y='import add from "./z.gdsl"; procedure b() { add(2); }',
        z="procedure add(k: int64) { n += one(k); } function one(k: int64) -> int64 { return k; }",
    )
    program = gdsl.compile(path)
    assert program.run(path_graph(), {"source": 0}, backend="reference").n == 3
    assert [function.name for function in program.ir.functions] == ["one"]


def test_an_editor_is_told_the_same(tmp_path: Path) -> None:
    from gdsl.pipeline import analyze

    path = written(tmp_path, 'import a from "l.gdsl";', "a(", l="procedure a() { e = 1; }")
    found = analyze(Source(str(path), path.read_text(encoding="utf-8")))
    assert {each.code for each in found.diagnostics} == {"E0101", "E0201"}
