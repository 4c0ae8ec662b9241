"""`gdslc explain PROGRAM`, its page and its JSON."""

from __future__ import annotations

import json

import pytest


def test_page_and_json(gdslc, tmp_path):
    answer = gdslc("explain", "paths.gdsl")
    assert "distance: float32, one for each vertex, result, at first inf" in answer.out
    assert "    exact: `min=` gives the same in any order (line 11)" in answer.out
    answer = gdslc("explain", "paths.gdsl", "--html", "paths.html")
    assert (answer.status, answer.out) == (0, "")
    assert "<h2>Operators</h2>" in (tmp_path / "paths.html").read_text()
    document = json.loads(gdslc("explain", "paths.gdsl", "--json").out)
    assert [each["name"] for each in document["data"]] == ["weight", "distance"]


def test_tuning_and_types(gdslc):
    assert "push: walks" in gdslc("explain", "hops.gdsl", "--tune", "visit.direction=push").out
    document = json.loads(gdslc("explain", "sssp", "-t", "weight_type=int64", "--json").out)
    assert {each["type"] for each in document["data"]} == {"int64"}


def test_mistakes(gdslc, tmp_path):
    (tmp_path / "wrong.gdsl").write_text("program wrong; problem { vertex a : int32; } schedule { a[0] = true; }")
    gdslc("explain", "wrong.gdsl", "--html", "page.html").fails(1, "wrong.gdsl")
    assert not (tmp_path / "page.html").exists()
    gdslc("explain", "hops.gdsl", "--html", "hops.gdsl").fails(1, "E0911", "it is what hops.gdsl is read from")
    gdslc("explain", "hops.gdsl", "--html", "nowhere/page.html").fails(1, "E0911")
    gdslc("explain", "E0301", "--json").fails(2, "'E0301' is not a program")
    gdslc("explain", "--json").fails(2, "all codes are listed")
    gdslc("explain", "order", "hops.gdsl", "--json").fails(2, "prints lines")
    gdslc("explain", "hops.gdsl", "--tune", "visit.direction=up").fails(1, "E04")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("form",), "Did you mean 'gdslc explain forms PROGRAM'?"),
        (("form", "bfs"), "there is no 'form' to explain. Did you mean 'gdslc explain forms PROGRAM'?"),
        (("orders", "bfs"), "Did you mean 'gdslc explain order PROGRAM'?"),
        (("maps",), "Did you mean 'gdslc explain map PROGRAM'?"),
        (("nothing", "bfs"), "there is no 'nothing' to explain; 'gdslc explain order PROGRAM'"),
        (("E0301", "bfs"), "'E0301' is explained without a program"),
    ],
)
def test_subjects_that_are_misspelled(gdslc, words, answer):
    gdslc("explain", *words).fails(2, answer)


def test_a_param_of_a_program_without_any(gdslc):
    gdslc("run", "coloring", "karate", "-p", "seed=3").fails(1, "E0602", "leave it out: there are none")
