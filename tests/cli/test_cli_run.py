"""`gdslc run`: reports, files and options."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

REFERENCE = ("--backend", "reference")


def test_text_report_names_graph_results_and_times(gdslc):
    answer = gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE)
    assert answer.status == 0, answer.err
    assert "hops on path.mtx: 5 vertices, 6 edges" in answer.out
    assert "0 1 2 3 -1" in answer.out
    assert "on reference in" in answer.out
    assert answer.err == ""


def test_text_report_tells_the_grade_of_what_is_not_exact(gdslc):
    Path("mean.gdsl").write_text(
        "program mean;\nproblem { vertex heat: float64 = 1.0 / float64(int64(id) + 1); vertex other: float64;\n"
        "    scalar sum: float64; scalar passes: int32; vertex who: vertex; scalar left: int32; }\n"
        "vertex functor add(v) { apply { sum += heat[v]; other[v] = 0.5; } }\n"
        "edge functor adopt(src, dst, e) { apply { who[dst] any= src; left += 1; } }\n"
        "schedule { while (sum < 5.0) { compute(vertices, add); passes += 1; } sum = 0; compute(vertices, add);\n"
        "    advance(vertices, adopt, to=none); }\n"
    )
    answer = gdslc("run", "mean.gdsl", "path.mtx", *REFERENCE)
    assert answer.status == 0, answer.err
    notes = {
        line.split(":")[0]: line for line in answer.out.splitlines() if "64" in line or "32" in line or "vertex" in line
    }
    assert (
        "(rounding: another run may add floats in another order, which usually changes only the last digits)"
        in notes["sum"]
    )
    assert "(converged: as rounding, and another run may make one pass more or fewer)" in notes["passes"]
    assert "(not unique: another run may give other values)" in notes["who"]
    assert "(" not in notes["left"]


def test_profile_lists_every_operator(gdslc):
    answer = gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE, "--profile")
    lines = answer.out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.split()[:2] == ["iteration", "operator"])
    assert [line.split()[:4] for line in lines[head + 1 :]] == [
        ["0", "visit", "1", "1"],
        ["1", "visit", "1", "2"],
        ["2", "visit", "1", "2"],
        ["3", "visit", "1", "1"],
    ]


def test_json_document(gdslc):
    answer = gdslc("run", "sites.gdsl", "path.mtx", "-p", "is_site=@sites.txt", *REFERENCE, "--json")
    assert answer.status == 1
    Path("sites.txt").write_text("true false false\nfalse true\n")
    answer = gdslc("run", "sites.gdsl", "path.mtx", "-p", "is_site=@sites.txt", *REFERENCE, "--json")
    assert answer.status == 0, answer.err
    document = json.loads(answer.out)
    assert document["program"] == "sites"
    assert document["backend"] == "reference"
    assert document["graph"] == {"name": "path.mtx", "vertices": 5, "edges": 6, "directed": False}
    assert set(document["time_ms"]) == {"load", "compile", "run", "layout"}
    assert document["results"]["hops"] == {
        "type": "int32", "size": 5, "minimum": 0, "maximum": 3, "sum": 6, "unique": True, "grade": "exact",
    }  # fmt: skip
    assert document["results"]["reached"]["value"] == 5
    assert {"iteration", "operator", "frontier", "edges", "direction", "balance"} <= set(document["trace"][0])


def test_json_has_no_numbers_that_json_does_not_know(gdslc):
    answer = gdslc("run", "paths.gdsl", "weighted.mtx", "-p", "source=2", *REFERENCE, "--json", "-o", "r.json")
    document = json.loads(answer.out)
    assert document["results"]["distance"]["maximum"] == 0.0
    assert json.loads(Path("r.json").read_text()) == {"distance": ["inf", "inf", 0.0]}


def test_npz_has_one_plain_array_for_each_result(gdslc):
    assert gdslc("run", "sites.gdsl", "path.mtx", "-p", "is_site=@s.npy", *REFERENCE, "-o", "r.npz").status == 1
    np.save("s.npy", np.array([True, False, False, False, False]))
    assert gdslc("run", "sites.gdsl", "path.mtx", "-p", "is_site=@s.npy", *REFERENCE, "-o", "r.npz").status == 0
    with np.load("r.npz", allow_pickle=False) as results:
        assert {name: results[name].dtype.name for name in results.files} == {"hops": "int32", "reached": "int64"}
        assert results["hops"].tolist() == [0, 1, 2, 3, -1]
        assert results["reached"] == 4


def test_csv_has_a_line_for_each_vertex(gdslc):
    assert gdslc("run", "paths.gdsl", "weighted.mtx", "-p", "source=0", *REFERENCE, "-o", "r.csv").status == 0
    with open("r.csv", newline="") as file:
        assert list(csv.reader(file)) == [["vertex", "distance"], ["0", "0.0"], ["1", "1.5"], ["2", "4.0"]]


def test_output_replaces_a_file_whole_or_not_at_all(gdslc):
    target = Path("r.npz")
    target.write_bytes(b"old")
    target.chmod(0o640)
    gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=9", *REFERENCE, "-o", "r.npz").fails(1, "E0604")
    assert target.read_bytes() == b"old"
    assert gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE, "-o", "r.npz").status == 0
    assert target.read_bytes()[:2] == b"PK"
    assert target.stat().st_mode & 0o777 == 0o640
    assert not [name for name in os.listdir() if name.startswith(".r.npz")]


def test_output_follows_a_link(gdslc):
    Path("real").mkdir()
    Path("link.npz").symlink_to("real/r.npz")
    assert gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", *REFERENCE, "-o", "link.npz").status == 0
    assert Path("link.npz").is_symlink()
    assert Path("real/r.npz").is_file()


def test_weights_undirected_and_tune(gdslc):
    answer = gdslc("run", "paths.gdsl", "path.mtx", "-p", "source=0", "--weights", "random:1", *REFERENCE, "--json")
    assert answer.status == 0, answer.err
    Path("directed.csv").write_text("0,1\n1,2\n")
    arguments = ("run", "hops.gdsl", "directed.csv", "-p", "source=2", *REFERENCE, "--json")
    assert json.loads(gdslc(*arguments).out)["results"]["distance"]["maximum"] == 0
    assert json.loads(gdslc(*arguments, "--undirected").out)["results"]["distance"]["maximum"] == 2
    for tune in ("schedule.ids=64", "visit.direction=pull", "visit.balance=block"):
        answer = gdslc(*arguments, "--undirected", "--tune", tune, "--fuse", "off")
        assert json.loads(answer.out)["results"]["distance"]["maximum"] == 2, tune


def test_generated_graph(gdslc):
    answer = gdslc("run", "hops.gdsl", "grid:4", "-p", "source=0", *REFERENCE, "--json")
    assert json.loads(answer.out)["results"]["distance"]["maximum"] == 6


def test_auto_says_in_one_line_what_it_takes(gdslc):
    answer = gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0")
    assert answer.status == 0, answer.err
    assert answer.err.startswith("backend: ")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("name", ["bfs", "sssp", "pagerank", "connected_components"])
def test_samples_run(gdslc, name):
    from gdsl.resources import resource_path

    program, graph = resource_path("samples", f"{name}.gdsl"), resource_path("samples", "graphs", "karate.mtx")
    params = ("-p", "source=0") if name in ("bfs", "sssp") else ()
    weights = ("--weights", "random:1") if name == "sssp" else ()
    answer = gdslc("run", str(program), str(graph), *params, *weights, *REFERENCE)
    assert answer.status == 0, answer.err
