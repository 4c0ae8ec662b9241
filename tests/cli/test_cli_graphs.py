"""What the command line makes of graphs: simple and compact ones, gaps in ids, names, and what files keep."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gdsl.graph import Graph

REFERENCE = ("--backend", "reference")
NAMED = 'source,target,weight\nMr Hi,"Smith, J",2\n"Smith, J",Béa,3\nMr Hi,Zoe,9\n'
SIMPLE = "program p; requires simple; problem { vertex x : int32; } schedule { }"


def info(gdslc, *words) -> dict[str, object]:
    answer = gdslc("graph", "info", *words, "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_no_loops_and_dedup(gdslc):
    Path("a.csv").write_text("source,target,weight\n0,1,5\n0,1,2\n1,1,7\n0,1,9\n")
    assert info(gdslc, "a.csv", "--no-loops")["self_loops"] == 0
    for how, weight in (("first", 5), ("sum", 16), ("min", 2), ("max", 9)):
        found = info(gdslc, "a.csv", "--no-loops", "--dedup", how)
        assert (found["edges"], found["weight_min"], found["weight_max"]) == (1, weight, weight)
    gdslc("graph", "info", "a.csv", "--dedup", "last").fails(2, "first")


def test_requires_simple_names_the_options(gdslc):
    Path("p.gdsl").write_text(SIMPLE)
    Path("a.txt").write_text("0 1\n0 1\n1 1\n")
    gdslc("run", "p.gdsl", "a.txt", *REFERENCE).fails(1, "E0609", "--no-loops --dedup first|sum|min|max")
    gdslc("run", "p.gdsl", "a.txt", *REFERENCE, "--no-loops").fails(1, "E0609", "fix: --dedup first")
    assert gdslc("run", "p.gdsl", "a.txt", *REFERENCE, "--no-loops", "--dedup", "first").status == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 7\n7 9\n", "7 of 10 vertices (0 to 9) have no edge; --compact leaves them out"),
        ("1 2\n2 3\n", "the vertex 0 has no edge; --compact leaves it out, --one-based is for ids that count from 1"),
        ("0 2\n", "the vertex 1 has no edge; --compact leaves it out"),
    ],
)
def test_gaps_are_told_in_one_line(gdslc, text, said):
    for name in ("a.txt", "a.el", "a.e", "a.tsv", "a.csv"):
        Path(name).write_text(text)
        for verb in (("graph", "info", name), ("run", "hops.gdsl", name, "-p", "source=0", *REFERENCE)):
            answer = gdslc(*verb)
            assert answer.status == 0, answer.err
            assert answer.err.count("\n") == 1
            assert said in answer.err
            assert gdslc(*verb, "--compact", *(("-p", f"source={text[0]}") if "run" in verb else ())).status in (0, 2)
        assert gdslc("graph", "info", name, "--compact").err == ""
        assert gdslc("graph", "info", name, "--num-vertices", "20").err == ""


def test_no_gaps_no_words(gdslc):
    Path("a.txt").write_text("0 1\n1 2\n")
    for name in ("a.txt", "path.mtx", "rmat:4", "karate"):
        assert gdslc("graph", "info", name).err == ""


def test_compact_ids_are_names(gdslc):
    Path("a.txt").write_text("7 900000000000\n900000000000 12\n")
    gdslc("run", "hops.gdsl", "a.txt", "-p", "source=7").fails(1, "E0709", "--compact")
    words = ("run", "hops.gdsl", "a.txt", "--compact", *REFERENCE)
    answer = gdslc(*words, "-p", "source=7", "--names")
    assert "7: 0, 12: 2, 900000000000: 1" in answer.out, answer.err
    gdslc(*words, "-p", "source=0").fails(1, "E0604", "no vertex of this name", "7, 12")


def test_num_vertices(gdslc):
    Path("a.txt").write_text("0 1\n")
    assert info(gdslc, "a.txt", "--num-vertices", "5")["vertices"] == 5
    gdslc("graph", "info", "a.txt", "--num-vertices", "1").fails(1, "E0707", "a.txt:1")
    gdslc("graph", "info", "path.mtx", "--num-vertices", "9").fails(1, "E0712")
    for wrong in ("-1", "x", "1.5"):
        gdslc("graph", "info", "a.txt", "--num-vertices", wrong).fails(2, "num-vertices")


def test_names_in_params_and_results(gdslc):
    Path("a.csv").write_text(NAMED)
    words = ("run", "bfs", "a.csv", *REFERENCE)
    answer = gdslc(*words, "-p", "source=Mr Hi", "--names", "-o", "r.csv")
    assert answer.status == 0, answer.err
    assert "Mr Hi: 0, Smith, J: 1, Béa: 2, Zoe: 1" in answer.out
    assert "Mr Hi: none, Smith, J: Mr Hi, Béa: Smith, J, Zoe: Mr Hi" in answer.out
    with open("r.csv", newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["vertex", "distance", "parent"], ["Mr Hi", "0", ""], ["Smith, J", "1", "Mr Hi"],
            ["Béa", "2", "Smith, J"], ["Zoe", "1", "Mr Hi"],
        ]  # fmt: skip
    assert "0 1 2 1" in gdslc(*words, "-p", "source=0").out
    assert "0 1 2 1" in gdslc(*words, "-p", 'source="Mr Hi"').out
    gdslc(*words, "-p", "source=Mr Ho").fails(1, "E0604", "did you mean 'Mr Hi'?")
    gdslc(*words, "-p", "source=9").fails(1, "E0604", "vertices 0 to 3")
    gdslc("run", "bfs", "karate", "-p", "source=0", "--names", *REFERENCE).fails(2, "have no names")


def test_names_that_would_do_something_to_a_terminal(gdslc):
    Path("a.csv").write_text("source,target\na\x1b[31m,b\n")
    gdslc("graph", "info", "a.csv").fails(1, "E0705", "not a name of a vertex")


@pytest.mark.parametrize("target", ["k.csv", "k.tsv", "k.txt", "k.csv.gz", "k.mtx", "k.npz"])
@pytest.mark.parametrize("graph", ["karate", "weighted.mtx"])
def test_convert_keeps_directedness(gdslc, target, graph):
    assert gdslc("graph", "convert", graph, target).status == 0
    made, kept = Graph.read(graph), Graph.read(target)
    assert made.directed == kept.directed
    np.testing.assert_array_equal(made.columns, kept.columns)
    np.testing.assert_array_equal(made.attributes["weight"], kept.attributes["weight"])


def test_convert_says_where_names_get_lost(gdslc):
    Path("a.csv").write_text(NAMED)
    assert "keeps no names" in gdslc("graph", "convert", "a.csv", "a.mtx").err
    assert "keeps no names" not in gdslc("graph", "convert", "a.csv", "b.csv").err
    assert list(Graph.read("b.csv").names) == ["Mr Hi", "Smith, J", "Zoe", "Béa"]


def test_a_table_of_scalars(gdslc):
    Path("p.gdsl").write_text("program p; problem { scalar x : int32 = 3; scalar y : bool; } schedule { }")
    Path("r.csv").write_text("old")
    gdslc("run", "p.gdsl", "path.mtx", *REFERENCE, "-o", "r.csv").fails(1, "E0911", "(x, y) are scalars", ".json")
    assert Path("r.csv").read_text() == "old"
    assert gdslc("run", "p.gdsl", "path.mtx", *REFERENCE, "-o", "r.json").status == 0
    answer = gdslc("run", "pagerank", "path.mtx", *REFERENCE, "-o", "r.csv")
    assert answer.err == "note: r.csv is without the scalars error, converged\n"


BOTH = """program both;
problem { vertex a : int32; vertex two[2] : float32 = 0.5; edge b : vertex = none; scalar n : int32; }
schedule { advance(vertices, (src, dst, e) => { b[e] = dst; n += 1; a[src] += 1; }) @f; }
"""


def test_results_over_vertices_and_edges_are_two_tables(gdslc):
    """A .csv file has one, so that there are two files, and neither is one that is read."""
    Path("both.gdsl").write_text(BOTH)
    Path("g.csv").write_text("source,target\nx,y\nx,z\n")
    words = "run", "both.gdsl", "g.csv", *REFERENCE, "--names", "-o"
    answer = gdslc(*words, "r.csv")
    assert answer.status == 0 and "r.vertices.csv and r.edges.csv are without the scalars n\n" in answer.err
    assert not Path("r.csv").exists()
    assert Path("r.vertices.csv").read_text() == "vertex,a,two.0,two.1\nx,2,0.5,0.5\ny,0,0.5,0.5\nz,0,0.5,0.5\n"
    assert Path("r.edges.csv").read_text() == "edge,b\n0,y\n1,z\n"
    Path("s.edges.csv").write_text("source,target\nx,y\n")
    gdslc("run", "both.gdsl", "s.edges.csv", *REFERENCE, "-o", "s.csv").fails(1, "E0911", "it is what s.edges.csv is")
    assert Path("s.edges.csv").read_text() == "source,target\nx,y\n" and not Path("s.vertices.csv").exists()


def test_metis_and_every_suffix(gdslc):
    Path("a.graph").write_text("3 2\n2\n1 3\n2\n")
    assert info(gdslc, "a.graph")["edges"] == 2
    for suffix in ("el", "e", "txt", "tsv", "edges"):
        Path(f"a.{suffix}").write_text("0 1\n1 2\n")
        assert info(gdslc, f"a.{suffix}")["edges"] == 2
    gdslc("graph", "convert", "path.mtx", "b.graph").fails(1, "E0702", "read, not written")


def test_help_names_the_formats(gdslc):
    answer = " ".join(gdslc("run", "--help").out.split())
    for word in (
        "Matrix Market",
        "DIMACS",
        "SciPy",
        "METIS",
        ".el",
        ".e ",
        ".tsv",
        "--no-loops",
        "--num-vertices",
        "--compact",
        "karate",
    ):
        assert word in answer, word


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("karat", "karate, a graph that comes with gdsl"),
        ("karate.mtx", "karate, a graph that comes with gdsl"),
        ("paht.mtx", "path.mtx"),
        ("deep/gird.csv", "deep/grid.csv"),
    ],
)
def test_an_unknown_graph_says_what_was_probably_meant(gdslc, word, near):
    Path("deep").mkdir()
    Path("deep/grid.csv").write_text("0,1\n")
    answer = gdslc("graph", "info", word)
    answer.fails(1, "E0701", f"did you mean {near}?")
    assert answer.err.count("error[") == 1


@pytest.mark.parametrize("word", ["rmat", "rmta:10", "smallworld:10:3"])
def test_a_generator_that_is_none_says_which_there_are(gdslc, word):
    gdslc("run", "bfs", word, "-p", "source=0").fails(
        1, "E0701", "rmat:16, grid:300 and uniform:1000:5000 generate graphs"
    )


@pytest.mark.parametrize("word", ["nothing_like_it.mtx", "no/folder/x.mtx", "x" * 5000])
def test_an_unknown_graph_that_is_like_none(gdslc, word):
    answer = gdslc("graph", "info", word)
    answer.fails(1, "E0701")
    assert "did you mean" not in answer.err


def test_options_of_lists_are_none_of_generators(gdslc):
    gdslc("graph", "info", "rmat:4", "--num-vertices", "99").fails(1, "E0712", "generated graphs")
    gdslc("graph", "info", "rmat:4", "--one-based").fails(1, "E0712", "generated graphs")


@pytest.mark.slow
def test_small_graphs_need_no_scipy(work):
    for words in (("graph", "info", "karate"), ("run", "bfs", "karate", "-p", "source=0", *REFERENCE)):
        code = (
            f"import sys; from gdsl.cli.main import main; assert main({list(words)!r}) == 0; "
            "print([name for name in ('scipy', 'lark', 'cupy', 'networkx', 'rich') if name in sys.modules])"
        )
        for _ in range(2):  # the first one may compile
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


def test_formats_are_of_files(gdslc):
    for word in ("rmat:4", "karate"):
        gdslc("graph", "info", word, "--format", "edges").fails(
            1, "E0712", f"{word} is not a file here", "leave out --format"
        )
    Path("karate").write_text("0 1\n")
    assert gdslc("graph", "info", "karate", "--format", "edges").out.startswith("vertices:    2\n")
    gdslc("graph", "info", "paht", "--format", "edges").fails(1, "E0701")


def test_graphs_are_no_streams(gdslc):
    os.mkfifo("pipe.mtx")
    for word in ("pipe.mtx", "-"):
        gdslc("graph", "info", word).fails(1, "E0701", "save it to a file")


def test_a_weight_under_another_name(gdslc):
    Path("a.csv").write_text("source,target,toll fee\n0,1,3\n1,2,4\n")
    sssp = ("run", "sssp", "a.csv", "-p", "source=0", *REFERENCE)
    gdslc(*sssp).fails(1, "E0605", "--weight-column 'toll fee'", "graph.attributes['toll fee']")
    assert gdslc(*sssp, "--weight-column", "toll fee").status == 0
    Path("b.txt").write_text("0 1 3\n1 2 4\n")
    flow = ("run", "max_flow", "b.txt", "--undirected", "-p", "source=0", "-p", "sink=2", *REFERENCE)
    gdslc(*flow).fails(1, "E0605", "source,target,capacity")
    Path("b.txt").write_text("source target capacity\n0 1 3\n1 2 4\n")
    assert gdslc(*flow).status == 0


def test_notices_are_lines_and_options_override_them(gdslc):
    Path("a.txt").write_text("# Undirected graph\n# Nodes: 4 Edges: 2\n0 1\n1 2\n")
    answer = gdslc("graph", "info", "a.txt", "--json")
    assert (json.loads(answer.out)["vertices"], json.loads(answer.out)["directed"]) == (4, False)
    assert answer.err.count("note: a.txt: a comment says ") == answer.err.count("note: ") == 2
    Path("k.csv").write_text("source,target\n5000001,5000002\n")
    assert gdslc("graph", "info", "k.csv").err.count("--compact") == 1
    assert "--compact reads them as names again" in gdslc("graph", "convert", "k.csv", "l.csv", "--compact").err
    assert info(gdslc, "l.csv", "--compact")["vertices"] == 2
    answer = gdslc("graph", "info", "a.txt", "--json", "--directed", "--num-vertices", "3")
    assert (json.loads(answer.out)["vertices"], json.loads(answer.out)["directed"], answer.err) == (3, True, "")
    Path("k.txt").write_text("% sym unweighted\n0 1\n")
    gdslc("graph", "info", "k.txt").fails(1, "E0707", "--zero-based")
    assert gdslc("graph", "info", "k.txt", "--zero-based").status == 0
    gdslc("graph", "info", "a.txt", "--directed", "--undirected").fails(1, "E0712")
    gdslc("graph", "info", "karate", "--directed").fails(1, "E0712", "--undirected")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sites=0", "33"), "-p sites=0,33"),
        (("sites=0,", "33", "5"), "-p sites=0,33,5"),
        (("sites=Mr", "Hi"), "-p 'sites=Mr Hi'"),
        (("sites", "=0"), "-p sites=0"),
    ],
)
def test_values_with_blanks(gdslc, words, said):
    gdslc("run", "personalized_pagerank", "karate", "-p", *words).fails(2, said)
    gdslc("run", "-p", *words, "personalized_pagerank", "karate").fails(2, said)


def test_weights_that_are_not_finite(gdslc):
    Path("a.csv").write_text("source,target,weight\n0,1,nan\n1,2,inf\n2,0,1\n")
    found = info(gdslc, "a.csv")
    assert (found["weight_min"], found["weight_max"], found["weight_nans"]) == (1.0, "inf", 1)
    assert "weights:     float64, 1.0 to inf, 1 NaN\n" in gdslc("graph", "info", "a.csv").out
