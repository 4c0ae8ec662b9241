"""Programs by bare names and from standard input, and params that are written in another way than -p NAME=VALUE."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REFERENCE = ("--backend", "reference")


@pytest.mark.parametrize("name", ["bfs", "sssp", "pagerank", "connected_components"])
@pytest.mark.parametrize("verb", [("check",), ("compile", "--emit", "ir"), ("compile", "--emit", "ast"), ("explain",)])
def test_samples_by_name(gdslc, name, verb):
    answer = gdslc(*verb, name)
    assert answer.status == 0, answer.err
    assert answer.out


def test_a_sample_runs_by_its_name(gdslc):
    by_name = gdslc("run", "bfs", "path.mtx", "-p", "source=0", *REFERENCE)
    assert by_name.status == 0, by_name.err
    assert "0 1 2 3 -1" in by_name.out


def test_files_win_over_samples(gdslc):
    hops = Path("hops.gdsl").read_text()
    assert "program bfs" in gdslc("check", "bfs").out
    Path("bfs.gdsl").write_text(hops)
    assert "program hops" in gdslc("check", "bfs").out
    Path("bfs").write_text(hops.replace("program hops", "program third"))
    assert "program third" in gdslc("check", "bfs").out
    assert "program hops" in gdslc("check", "bfs.gdsl").out
    assert "program hops" in gdslc("check", "hops").out


def test_a_file_that_cannot_be_read_wins_too(gdslc):
    Path("bfs.gdsl").write_bytes(b"\xff")
    gdslc("check", "bfs").fails(1, "bfs.gdsl", "E0104")
    Path("pagerank").symlink_to("nowhere")
    gdslc("check", "pagerank").fails(1, "E0113", "No such file")


def test_a_directory_is_no_program(gdslc):
    for name in ("bfs", "karate", "mine"):
        Path(name).mkdir()
    assert gdslc("run", "bfs", "karate", "-p", "source=0", *REFERENCE).status == 0
    gdslc("check", "mine").fails(1, "E0113", "directory")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (
            "bsf",
            ("looked for the files bsf and bsf.gdsl", "samples, as `gdslc samples`", "did you mean bfs, a sample?"),
        ),
        ("hop", ("programs there: endless.gdsl, hops.gdsl", "did you mean hops.gdsl?")),
        ("hosp.gdsl", ("did you mean hops.gdsl?",)),
        ("deep/page.gdsl", ("programs there: pages.gdsl", "did you mean deep/pages.gdsl?")),
        ("./hops", ("did you mean ./hops.gdsl?",)),
        ("PageRank", ("did you mean pagerank, a sample?",)),
        ("nothing_like_it", ("samples, as `gdslc samples`",)),
        ("no/such/folder/x.gdsl", ("samples, as `gdslc samples`",)),
    ],
)
def test_an_unknown_program_says_where_it_looked_and_what_there_is(gdslc, word, said):
    Path("deep").mkdir()
    Path("deep/pages.gdsl").write_text("program pages; schedule { }")
    for verb in (("check", word), ("compile", word), ("run", word, "path.mtx")):
        answer = gdslc(*verb)
        answer.fails(1, "E0113", "No such file", *said)
        assert answer.err.count("error") == 1


def test_names_of_files_nearby_are_printable(gdslc):
    Path("bs\x1b[31m\nf.gdsl").write_text("")
    answer = gdslc("check", "bs")
    answer.fails(1, "E0113")
    assert "\x1b[31m\n" not in answer.err


def test_many_files_nearby_stay_a_short_message(gdslc):
    for number in range(300):
        Path(f"some_program_{number}.gdsl").write_text("")
    answer = gdslc("check", "some")
    answer.fails(1, "E0113", "…")
    assert len(answer.err) < 1500


@pytest.mark.parametrize("verb", [("check", "-"), ("run", "-", "path.mtx", "-p", "source=0", *REFERENCE)])
@pytest.mark.slow
def test_a_program_from_standard_input(process, verb):
    answer = process(*verb, input=Path("hops.gdsl").read_text())
    assert answer.returncode == 0, answer.stderr
    assert "hops" in answer.stdout
    answer = process(*verb, input="program x; schedule { y = 1; }")
    assert answer.returncode == 1
    assert answer.stderr.startswith("<stdin>:1:")
    answer = process(*verb, input="")
    assert answer.returncode == 1
    assert "<stdin>: error[E0106]" in answer.stderr


@pytest.mark.slow
def test_standard_input_of_every_emit(process):
    text = Path("hops.gdsl").read_text()
    for form in ("ast", "ir", "plan", "cuda", "cpp"):
        answer = process("compile", "-", "--emit", form, input=text)
        assert answer.returncode == 0, answer.stderr
        assert "visit" in answer.stdout


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no /dev/zero")
def test_standard_input_without_end_and_none_at_all(process):
    with open("/dev/zero", "rb") as endless:
        answer = process("check", "-", stdin=endless)
    assert answer.returncode == 1
    assert "E0113" in answer.stderr
    answer = process("check", "-", stdin=None, preexec_fn=lambda: os.close(0))
    assert answer.returncode == 1
    assert "standard input is closed" in answer.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--source", "0"), "-p source=0"),
        (("--source=3",), "-p source=3"),
        (("-source", "0"), "-p source=0"),
        (("--source", "-1"), "-p source=-1"),
        (("--source",), "-p source=VALUE"),
        (("--sorce", "0"), "-p source=0"),
        (("source=0",), "-p source=0"),
        (("-p", "source", "0"), "-p source=0"),
        (("-p", "source", "=0"), "-p source=0"),
        (("--tolerance", "1e-3"), "-p tolerance=1e-3"),
        (("--timeot", "3"), "--timeout"),
    ],
)
def test_params_that_are_written_otherwise(gdslc, words, said):
    answer = gdslc("run", "hops.gdsl", "path.mtx", *words)
    answer.fails(2, said)
    assert answer.err.count("rror") == 1
    before = gdslc("run", *words, "hops.gdsl", "path.mtx")
    assert before.status == 2
    assert before.err.count("rror") == 1


def test_a_param_in_the_place_of_the_graph(gdslc):
    gdslc("run", "hops.gdsl", "source=0").fails(2, "'source=0' is not a file", "-p source=0")
    Path("source=0.mtx").write_text(Path("path.mtx").read_text())
    assert gdslc("run", "hops.gdsl", "source=0.mtx", "-p", "source=0", *REFERENCE).status == 0


@pytest.mark.parametrize(
    ("name", "said"), [("sorce", "did you mean `source`?"), ("start", "-p source=0"), ("distance", "cannot be passed")]
)
def test_a_wrong_param_is_one_error(gdslc, name, said):
    answer = gdslc("run", "hops.gdsl", "path.mtx", "-p", f"{name}=0")
    answer.fails(1, "E0602", said, "`source` has no value")
    assert answer.err.count("error[") == 1
    gdslc("run", "hops.gdsl", "no_such_graph.mtx", "-p", f"{name}=0").fails(1, "E0602")


def test_check_says_what_a_program_is(gdslc):
    Path("all.gdsl").write_text(
        '"""What it is. And more."""\nprogram everything;\nrequires symmetric, simple;\nproblem {\n'
        "    param damping : float32 = 0.85; param source : vertex; param last : vertex = none;\n"
        "    input edge weight : float32 where weight >= 0; input vertex seed : bool; input scalar limit : int64;\n"
        "    vertex level : int32 = -1; vertex parent : vertex; scalar sum : float64; local vertex hidden : int32;\n"
        "}\n"
        "edge functor visit(src, dst, e) { apply { parent[dst] any= src; } }\n"
        "vertex functor add(v) { apply { sum += float64(limit) + 0.1; } }\n"
        "schedule { compute(vertices, add); advance(vertices, visit, to=none); }\n"
    )
    assert gdslc("check", "all.gdsl").out.splitlines() == [
        "all.gdsl: ok",
        "  program everything: What it is.",
        "  param damping: a float32, 0.85 unless given",
        "  param source: a vertex, must be given",
        "  param last: a vertex, none unless given",
        "  input weight: a float32 for each edge, with weight >= 0; the graph's attribute `weight` unless given",
        "  input seed: a bool for each vertex; the graph's attribute `seed` unless given",
        "  input limit: an int64, must be given",
        "  result level: an int32 for each vertex",
        "  result parent: a vertex for each vertex, not unique: one of several writers wins (line 9)",
        "  result sum: a float64, rounding: another run may add floats in another order, which usually changes only "
        "the last digits",
        "  graph must be symmetric and simple",
    ]


def test_explain_a_program(gdslc):
    answer = gdslc("explain", "hops.gdsl")
    assert answer.out.startswith("gdslc run hops.gdsl GRAPH -p source=…\n\nHop distance from `source`.\n")
    assert "result distance: an int32 for each vertex" in answer.out
    gdslc("explain", "hosp.gdsl").fails(1, "E0113", "did you mean hops.gdsl?")
    assert gdslc("explain", "E0601").out.startswith("E0601")


def test_a_graph_in_the_place_of_a_program(gdslc):
    answer = gdslc("samples", "karate")
    assert answer.status == 2 and "karate is a graph, not a program: gdslc run bfs karate" in answer.err
    assert str(Path("samples", "graphs", "karate.mtx")) in answer.err
    gdslc("run", "karate", "bfs").fails(1, "E0113", "karate is a graph", "gdslc run bfs karate")
    gdslc("run", "path.mtx", "bfs").fails(1, "E0113", "graph file by its name", "gdslc run bfs path.mtx")
    gdslc("run", "no such.csv.gz", "bfs").fails(1, "E0113", "gdslc run bfs 'no such.csv.gz'")
    Path("hops.txt").write_text(Path("hops.gdsl").read_text())
    assert gdslc("check", "hops.txt").status == 0
