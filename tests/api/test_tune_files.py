"""Tune files: what they hold, which runs take something from them, and what is stale, damaged or somebody else's."""

from __future__ import annotations

import copy
import json
import pickle
import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gdsl
from gdsl.api.tune_files import (
    Entry,
    GraphKind,
    TuneFile,
    kind_of,
    new_file,
    read_file,
    require_tune_file,
    tune_path,
    write_file,
)
from gdsl.api.tuned import device_of
from gdsl.diagnostics import GdslError
from gdsl.graph import open_graph
from gdsl.operations import Direction, FrontierForm
from gdsl.program_files import read_program
from gdsl.source import Source

TEXT = """program hops;
problem { param source : vertex; vertex distance : int32 = -1; }
edge functor visit(src, dst, e) { cond distance[dst] == -1; apply { distance[dst] = iteration + 1; } }
schedule { distance[source] = 0; frontier f = { source }; while (f) { f = advance(f, visit) @step; } }
"""
SOURCE = Source("<text>", TEXT)
KARATE = GraphKind(34, 156, 17, False)


def entry(*knobs: str, backend: str = "reference", graph: GraphKind = KARATE, **others: Any) -> Entry:
    values = {"auto_ms": 2.0, "tuned_ms": 1.5, "tried": 7, **others}
    return Entry(
        backend,
        others.get("device", device_of(backend)),
        graph,
        knobs,
        *(values[name] for name in ("auto_ms", "tuned_ms", "tried")),
    )


def written(path: Path, *entries: Entry, source: Source = SOURCE) -> str:
    file = new_file(str(path), "hops", source)
    for each in entries:
        file = file.replaced(each)
    write_file(file)
    return str(path)


def used(program: gdsl.Program, knobs: tuple[str, ...]) -> Any:
    """How the program that ran is tuned."""
    return program._picker._programs[knobs].ir.tuning.sites[0]


def unusable(path: Path | str) -> str:
    with pytest.raises(GdslError) as raised:
        read_file(str(path), SOURCE)
    assert raised.value.code == "E0615" and len(raised.value.diagnostics) == 1
    return str(raised.value)


def test_a_file_says_what_it_was_told(tmp_path):
    entries = entry("visit.balance=merge", "visit.direction=auto(alpha=4)"), entry(backend="cpu"), entry(backend="cuda")
    path = written(tmp_path / "hops.tune", *entries)
    file = read_file(path, SOURCE)
    assert file.entries == entries and file.stale is None and file.program == "hops"
    larger = entry("step.direction=push", graph=replace(KARATE, vertices=3400, edges=15600))
    again = file.replaced(larger).replaced(entry("visit.balance=warp", graph=replace(KARATE, vertices=40)))
    assert [each.knobs for each in again.entries if each.backend == "reference"] == [
        larger.knobs,
        ("visit.balance=warp",),
    ]


@pytest.mark.parametrize(
    ("change", "alike"),
    [
        ({}, True),
        ({"vertices": 3900, "edges": 39000}, True),
        ({"vertices": 4100, "edges": 41000}, False),
        ({"vertices": 260, "edges": 2600}, True),
        ({"vertices": 240, "edges": 2400}, False),
        ({"edges": 19000}, True),
        ({"edges": 21000}, False),
        ({"edges": 4900}, False),
        ({"largest_degree": 790}, True),
        ({"largest_degree": 810}, False),
        ({"largest_degree": 13}, True),
        ({"largest_degree": 11}, False),
        ({"directed": True}, False),
    ],
)
def test_graphs_that_are_alike(change, alike):
    first = GraphKind(1000, 10000, 100, False)
    other = replace(first, **change)
    assert (first.unlike(other) is None) is alike and (other.unlike(first) is None) is alike


def test_graphs_without_anything():
    kinds = [kind_of(open_graph(spec)) for spec in ("uniform:1:0", "uniform:3:0", "uniform:5:4")]
    for kind in (*kinds, GraphKind(0, 0, 0, True)):
        assert kind.unlike(kind) is None and kind.distance(kind) == 0 and str(kind)


def test_the_nearest_entry_is_taken(tmp_path):
    file = TuneFile("x", "hops", "")
    sizes = (34, 200, 1100)
    for size in sizes:
        file = file.replaced(entry(f"schedule.block={size}", graph=GraphKind(size, 5 * size, 17, False)))
    assert len(file.entries) == 3
    for size, nearest in ((20, 34), (70, 34), (150, 200), (500, 1100), (450, 200)):
        found = file.entry_for("reference", device_of("reference"), GraphKind(size, 5 * size, 17, False))
        assert isinstance(found, Entry) and found.graph.vertices == nearest
    assert "another kind of graph" in str(
        file.entry_for("reference", device_of("reference"), GraphKind(9999, 9999, 17, False))
    )
    assert "nothing was tuned on cuda" in str(file.entry_for("cuda", "a GPU", KARATE))
    assert "another machine" in str(file.entry_for("reference", "another one", KARATE))


# ---------------------------------------------------------------- runs


def test_runs_take_knobs_from_a_file(tmp_path):
    path = written(tmp_path / "any.name", entry("step.direction=push"))
    program = gdsl.compile(TEXT, tune_file=Path(path))
    graph = open_graph("karate")
    for each in (program, copy.deepcopy(program), pickle.loads(pickle.dumps(program))):
        for result in (each(graph, source=0, backend="reference"), each.run(graph, {"source": 0}, backend="reference")):
            assert result.tuned == (path, ("step.direction=push",), "", False) and result.tuned.used
            assert used(each, result.tuned.knobs).direction is Direction.PUSH
    other = program(open_graph("grid:30"), source=0, backend="reference")
    assert not other.tuned.used and "another kind of graph (34 vertices to 900)" in other.tuned.reason
    plain = gdsl.compile(TEXT)(graph, source=0, backend="reference")
    assert plain.tuned is None and (plain.distance == result.distance).all()
    with pytest.raises(GdslError, match="E0604"):
        program(graph, source=99, backend="reference")
    with pytest.raises(ValueError, match="backend must be"):
        program(graph, source=0, backend="gpu")
    with pytest.raises(TypeError, match="backend must be"):
        program(graph, source=0, backend=["cpu"])


@pytest.mark.parametrize(
    "own", ["visit.direction=push", "step.direction=push", "@step.direction=push", " step.direction = push"]
)
def test_the_callers_own_words_win(tmp_path, own):
    """A functor's too, over the label in the file, which would win over it in one text."""
    path = written(tmp_path / "t", entry("step.direction=pull", "step.frontier=bitmap"))
    program = gdsl.compile(TEXT, tune=[own], tune_file=path)
    result = program(open_graph("karate"), source=0, backend="reference")
    assert result.tuned.knobs == ("step.frontier=bitmap",)
    tuning = used(program, result.tuned.knobs)
    assert (tuning.direction, tuning.frontier) == (Direction.PUSH, FrontierForm.BITMAP)


@pytest.mark.parametrize(
    "word",
    [
        "bounds=off", "schedule.bounds=off", "visit.bounds=off", "bounds off", "schedule.ids=64", "schedule.speed=9",
        "visit.fuse=off", "", "visit.balance", "-p", "x.balance=merge; bounds off",
        "step.direction=" + "a" * 5000,
    ],
)  # fmt: skip
def test_words_that_no_file_may_have(tmp_path, word):
    """Unknown ones, and those that decide more than how long a run takes: the file is stale, and the run as ever."""
    path = written(tmp_path / "t", entry("step.direction=pull"), entry(word, backend="cpu"))
    with pytest.warns(RuntimeWarning, match="takes no .* from a tune file"):
        program = gdsl.compile(TEXT, tune_file=path)
    result = program(open_graph("karate"), source=0, backend="reference")
    assert not result.tuned.used and result.tuned.stale and program.ir.tuning.bounds


@pytest.mark.parametrize(
    "word",
    ["visit.balance=sideways", "nobody.balance=merge", "schedule.order=near_far", "step.direction=auto(gamma=3)"],
)
def test_words_that_the_program_does_not_take(tmp_path, word):
    program = gdsl.compile(TEXT, tune_file=written(tmp_path / "t", entry(word)))
    with pytest.warns(RuntimeWarning, match="does not take"):
        result = program(open_graph("karate"), source=0, backend="reference")
    assert result.tuned.stale and len(result.distance) == 34


def test_what_a_file_says_does_nothing_to_a_terminal(tmp_path):
    program = gdsl.compile(TEXT, tune_file=written(tmp_path / "t", entry(device="a\x1b[31m\nb")))
    reason = program(open_graph("karate"), source=0, backend="reference").tuned.reason
    assert "another machine" in reason and reason.isprintable()


def test_another_text_or_version_is_stale(tmp_path):
    path = written(tmp_path / "t", entry("step.direction=push"))
    other = Source("<text>", TEXT.replace("iteration + 1", "1 + iteration"))
    assert "text has changed" in read_file(path, other).stale
    document = json.loads(Path(path).read_text())
    for changed, why in (
        ({"gdsl": "0.0.9"}, "made by gdsl 0.0.9"),
        ({"gdsl_tune": 2}, "format"),
        ({"gdsl_tune": "1"}, "format"),
        ({"gdsl_tune": True}, "format"),
    ):
        Path(path).write_text(json.dumps({**document, **changed}))
        assert why in read_file(path, SOURCE).stale
    with pytest.warns(RuntimeWarning, match="is not used: its format"):
        program = gdsl.compile(TEXT, tune_file=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        assert program(open_graph("karate"), source=0, backend="reference").tuned.stale


def test_the_texts_of_imports_count(tmp_path):
    common = tmp_path / "common.gdsl"
    common.write_text("function one() -> int32 { return 1; }\n")
    text = TEXT.replace("problem", 'from "common.gdsl" import one;\nproblem', 1).replace(
        "iteration + 1", "iteration + one()"
    )
    (tmp_path / "main.gdsl").write_text(text)
    source = read_program(str(tmp_path / "main.gdsl"))
    path = written(tmp_path / "main.tune", entry(), source=source)
    assert read_file(path, source).stale is None
    common.write_text("function one() -> int32 { return 2 - 1; }\n")
    assert "text has changed" in read_file(path, read_program(str(tmp_path / "main.gdsl"))).stale


# ---------------------------------------------------------------- files that are wrong


def test_damaged_files(tmp_path):
    path = Path(written(tmp_path / "t", entry("step.direction=push")))
    whole, generator = path.read_bytes(), random.Random(3)
    for length in range(0, len(whole) - 3, 17):
        path.write_bytes(whole[:length])
        unusable(path)
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(generator.choice((1, 1, 4))):
            content[generator.randrange(len(content))] = generator.randrange(256)
        path.write_bytes(content)
        try:
            read_file(str(path), SOURCE)  # a digit may be another, a word stale
        except GdslError as error:
            assert error.code == "E0615"


@pytest.mark.parametrize(
    "change",
    [
        {"entries": None}, {"entries": {}}, {"entries": [3]}, {"entries": [{}]}, {"entries": [{"graph": 3}]},
        {"program": 3}, {"text": None}, {"gdsl": []},
    ],
)  # fmt: skip
def test_documents_that_are_others(tmp_path, change):
    path = Path(written(tmp_path / "t", entry()))
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, **change}))
    assert "it is damaged" in unusable(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("backend", 2.5), ("device", None), ("device", "x" * 2000), ("knobs", "fuse"), ("knobs", [1]),
        ("auto_ms", "1"), ("auto_ms", -1), ("auto_ms", True),
        ("tuned_ms", float("nan")), ("tuned_ms", float("inf")), ("tried", 1.5), ("tried", -1), ("tried", 10**40),
    ],
)  # fmt: skip
def test_entries_that_are_others(tmp_path, name, value):
    path = Path(written(tmp_path / "t", entry()))
    document = json.loads(path.read_text())
    document["entries"][0][name] = value
    path.write_text(json.dumps(document))
    assert "it is damaged" in unusable(path)
    document = json.loads(Path(written(tmp_path / "u", entry())).read_text())
    document["entries"][0]["graph"]["vertices"] = value
    path.write_text(json.dumps(document))
    assert "it is damaged" in unusable(path)


def test_no_tune_files(tmp_path):
    for name, content in (
        ("text", b"hello"),
        ("empty", b""),
        ("json", b'{"a": 1}'),
        ("list", b"[1]"),
        ("bytes", b"\xff\xfe"),
        ("numbers", b'{"gdsl_tune": ' + b"9" * 9000 + b"}"),
        ("deep", b'{"gdsl_tune": ' + b"[" * 100000),
        ("long", b'{"gdsl_tune": 1' + b" " * (1 << 20)),
    ):
        (tmp_path / name).write_bytes(content)
        assert "sys." not in unusable(tmp_path / name)
    assert "remove" not in unusable(tmp_path / "none")
    for path in (tmp_path, tmp_path / "none", "a\0b", ""):
        unusable(path)
    for wrong in (3, b"x", ["x"]):
        with pytest.raises(TypeError, match="tune_file is a str or a path-like object"):
            gdsl.compile(TEXT, tune_file=wrong)
    with pytest.raises(GdslError, match="E0615"):
        gdsl.compile(TEXT, tune_file=tmp_path / "none")


def test_only_tune_files_are_written_over(tmp_path):
    for content in ("notes\n", "", '{"distance": [0]}', TEXT):
        path = tmp_path / "x.tune"
        path.write_text(content)
        with pytest.raises(GdslError, match="not a tune file") as raised:
            written(path, entry())
        assert raised.value.code == "E0911" and path.read_text() == content
    path.write_text('{"gdsl_tune": 1, "gdsl"')  # a damaged one
    require_tune_file(str(path), "hops")
    for document, why in (
        ('{"gdsl_tune": 1, "program": "another"}', r"the tune file of another program \(another\)"),
        ('{"gdsl_tune": 2, "program": "hops"}', "a tune file of a later gdsl"),
    ):
        path.write_text(document)
        with pytest.raises(GdslError, match=f"E0911.*{why}"):
            written(path, entry())
        assert path.read_text() == document
    path.write_text('{"gdsl_tune": 1, "gdsl": "0.0", "program": "hops"}')  # of an earlier one
    assert read_file(written(path, entry()), SOURCE).entries
    with pytest.raises(GdslError, match="E0911"):
        written(tmp_path / "no" / "such", entry())


def test_where_the_file_of_a_program_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert tune_path(Source("some/my.gdsl", "")) == "some/my.tune" and tune_path(Source("odd", "")) == "odd.tune"
    assert tune_path(read_program("bfs")) == "bfs.tune", "samples may lie where nobody can write"
    assert tune_path(Source("<text>", "")) is None and tune_path(Source("<stdin>", "")) is None
