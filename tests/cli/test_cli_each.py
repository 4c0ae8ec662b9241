"""`gdslc run --each`: a run for each of many values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

REFERENCE = ("--backend", "reference")


def test_text(gdslc):
    answer = gdslc("run", "hops.gdsl", "path.mtx", "--each", "source=0, 3", *REFERENCE)
    assert answer.status == 0, answer.err
    assert "2 values of source: 0, 3" in answer.out
    assert "distance: int32 [2, 5]\n  min -1, max 3" in answer.out
    assert "one by one" in answer.out
    assert "\n4 iterations each on reference" in answer.out
    apart = gdslc("run", "hops.gdsl", "path.mtx", "--each", "source=0,4", *REFERENCE)
    assert "\n1 to 4 iterations on reference" in apart.out


def test_every_vertex_into_a_file(gdslc):
    answer = gdslc("run", "hops.gdsl", "path.mtx", "--each", "source=all", "-o", "all.npz", "--json", *REFERENCE)
    assert answer.status == 0, answer.err
    document = json.loads(answer.out)
    assert document["runs"] == 5
    assert document["values"] == {"source": [0, 1, 2, 3, 4]}
    assert document["results"]["distance"]["shape"] == [5, 5]
    with np.load("all.npz") as found:
        assert found["distance"].tolist()[0] == [0, 1, 2, 3, -1]
        assert found["each.source"].tolist() == [0, 1, 2, 3, 4]
        assert found["iterations"].tolist() == document["iterations"]


def test_values_from_a_file(gdslc):
    Path("some.txt").write_text("4\n0\n")
    np.save("some.npy", np.array([4, 0]))
    for name in ("some.txt", "some.npy"):
        answer = gdslc("run", "hops.gdsl", "path.mtx", "--each", f"source=@{name}", "--json", *REFERENCE)
        assert json.loads(answer.out)["values"] == {"source": [4, 0]}, answer.err


KINDS = """program kinds;
problem {
    param k : int32; param x : float32 = 1; param yes : bool = false; param sites : vertex set; param at : vertex = 0;
    vertex a : float32;
}
schedule { compute(sites, v => { a[v] = x * k; }); }
"""


def test_values_are_what_they_say(gdslc):
    """However they were given, in a file and in JSON numbers are numbers."""
    Path("kinds.gdsl").write_text(KINDS)
    Path("k.txt").write_text("3\n-4\n")
    for k in ("3,-4", "@k.txt"):
        words = (
            "--each",
            f"k={k}",
            "--each",
            "x=0.1, inf",
            "--each",
            "yes=true,off",
            "--each",
            "at=1,4",
            "-p",
            "sites=2",
        )
        answer = gdslc("run", "kinds.gdsl", "path.mtx", *words, "-o", "all.npz", "--json", *REFERENCE)
        assert answer.status == 0, answer.err
        given = {"k": [3, -4], "x": [0.1, "inf"], "yes": [True, False], "at": [1, 4]}
        assert json.loads(answer.out)["values"] == given
        with np.load("all.npz") as found:
            kinds = {name: found[f"each.{name}"].dtype.kind for name in given}
            assert kinds == {"k": "i", "x": "f", "yes": "b", "at": "i"}
            assert found["each.k"].tolist() == [3, -4] and found["each.x"].tolist() == [0.1, np.inf]


def test_vertices_that_are_named_by_numbers(gdslc):
    Path("sparse.csv").write_text("source,target\n7,5\n5,90\n")
    words = ("run", "hops.gdsl", "sparse.csv", "--compact", "-o", "all.npz", *REFERENCE, "--each")
    for given, values in (("source=all", [5, 7, 90]), ("source=90,7", [90, 7])):
        answer = gdslc(*words, given)
        assert answer.status == 0, answer.err
        with np.load("all.npz") as found:
            assert found["each.source"].tolist() == values
            assert found["distance"][values.index(7)].tolist() == [1, 0, 2]


@pytest.mark.parametrize("given", ["sites=1,2", "sites=@k.txt"])
def test_what_is_the_same_in_all_runs(gdslc, given: str):
    """A file of two vertices is no set for each of two runs."""
    Path("kinds.gdsl").write_text(KINDS)
    Path("k.txt").write_text("3\n4\n")
    answer = gdslc("run", "kinds.gdsl", "path.mtx", "--each", "k=1,2", "--each", given, *REFERENCE)
    assert (answer.status, answer.out) == (2, "")
    assert "--each sites: it is the same in all runs; give it by -p sites=" in answer.err


@pytest.mark.parametrize(
    "words, status, said",
    [
        (("--each", "source=0,9"), 1, "number 1 of the 2 values, counted from 0: source='9'"),
        (("--each", "source=0,x"), 1, "expected a whole number"),
        (("--each", "source=0,,1"), 2, "separate values by commas"),
        (("--each", "source"), 2, "--each source: must be of the form name=value"),
        (("--each", "source=0", "--each", "source=1"), 2, "--each source is given twice"),
        (("--each", "source\x1b[31m"), 2, "--each source\\x1b[31m: must be"),
        (("--each", "sorce=1"), 1, "did you mean `source`?"),
        (("--each", "source=1", "-p", "source=2"), 2, "one value for all, or many"),
        (("--each", "source=1", "--profile"), 2, "--profile is of one run"),
        (("--each", "source=1", "--dry-run"), 2, "--dry-run is of one run"),
        (("--each", "source=1", "-o", "x.csv"), 2, "must end in .npz"),
        (("--each", "source=1", "--batch", "0"), 2, "batch must be at least 1"),
        (("-p", "source=1", "--batch", "2"), 2, "--batch is for --each"),
        (("--each", "source=@no_such"), 1, "no_such"),
        (("--each", "source=0", "--max-iterations", "1"), 1, "E0803"),
    ],
)
def test_what_is_refused(gdslc, words: tuple[str, ...], status: int, said: str):
    answer = gdslc("run", "hops.gdsl", "path.mtx", *words, *REFERENCE)
    assert (answer.status, answer.out) == (status, "")
    assert said in answer.err
    assert not Path("x.csv").exists()


def test_all_is_every_vertex(gdslc):
    answer = gdslc("run", "pagerank", "path.mtx", "--each", "damping=all", *REFERENCE)
    answer.fails(2, "all is every vertex, and damping is of type float64", "--each damping=…,…")


def test_no_values(gdslc):
    Path("none.txt").write_text("")
    answer = gdslc("run", "hops.gdsl", "path.mtx", "--each", "source=@none.txt", *REFERENCE)
    assert answer.status == 0, answer.err
    assert "0 values of source\n\ndistance: int32 [0, 5]\n\n" in answer.out
    assert not [line for line in answer.out.split("\n") if line != line.rstrip()]


def test_the_form_for_teams(gdslc):
    plan = gdslc("compile", "hops.gdsl", "--emit", "plan", "--teams")
    assert "teams of blocks, each with one value after the other:" in plan.out
    assert "a row a value: problem.distance" in plan.out
    assert "run_value" in gdslc("compile", "hops.gdsl", "--teams").out
    assert gdslc("compile", "hops.gdsl", "--emit", "cpp", "--teams").status == 2
    assert "kernels of their own" in gdslc("compile", "hops.gdsl", "--fuse", "off", "--teams").err
