"""What `gdslc run` says of results: figures, what has none, and grades in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gdsl

REFERENCE = ("--backend", "reference")


def lines_of(gdslc, declarations, schedule="", graph="path.mtx") -> list[str]:
    Path("p.gdsl").write_text(f"program p;\nproblem {{ {declarations} }}\nschedule {{ {schedule} }}\n")
    answer = gdslc("run", "p.gdsl", graph, *REFERENCE)
    assert answer.status == 0, answer.err
    return [line.strip() for line in answer.out.splitlines()]


@pytest.mark.parametrize(
    ("declaration", "schedule", "line"),
    [
        ("vertex a : int32 = 3;", "a[0] = 10;", "min 3, max 10, mean 4.4"),
        ("vertex a : int32 = -1;", "", "min -1, max -1, mean -1"),
        ("vertex a : float32 = inf;", "a[0] = 0; a[1] = 7.5;", "min 0, max 7.5, mean 3.75, 3 unreached (inf)"),
        ("vertex a : float64 = inf;", "", "5 unreached (inf)"),
        ("vertex a : float64;", "a[0] = inf; a[1] = -inf; a[2] = 0.0 / 0.0;", "mean 0, 1 inf, 1 -inf, 1 nan"),
        ("vertex a : int32 = inf;", "a[2] = 4;", "min 4, max 4, mean 4, 4 unreached (inf)"),
        ("vertex a : uint64 = inf;", "a[2] = 4;", "min 4, max 4, mean 4, 4 unreached (inf)"),
        ("vertex a : int32 = 2147483646;", "", "min 2147483646, max 2147483646, mean 2147483646.0"),
        ("vertex a : vertex = none;", "a[2] = 4;", "min 4, max 4, 4 none"),
        ("vertex a : bool;", "a[2] = true;", "1 of 5 values true"),
        ("edge a : float32 = 0.1;", "", "min 0.1, max 0.1, mean 0.1"),
    ],
)  # fmt: skip
def test_figures(gdslc, declaration, schedule, line):
    assert any(found.endswith(line) for found in lines_of(gdslc, declaration, schedule))


def test_figures_of_nothing(gdslc):
    Path("none.csv").write_text("source,destination\n")
    assert lines_of(gdslc, "vertex a : int32; vertex b : bool; vertex c : float32 = inf;", graph="none.csv")


def test_infinite_distances_are_apart_in_every_form(gdslc):
    answer = gdslc("run", "paths.gdsl", "weighted.mtx", "-p", "source=1", *REFERENCE)
    assert "min 0, max 2.5, mean 1.25, 1 unreached (inf)" in answer.out
    document = json.loads(gdslc("run", "paths.gdsl", "weighted.mtx", "-p", "source=1", *REFERENCE, "--json").out)
    assert document["results"]["distance"]["apart"] == {"infinite": 1}
    assert document["results"]["distance"]["maximum"] == 2.5
    [figures] = gdsl.compile("paths.gdsl")(gdsl.Graph.read("weighted.mtx"), source=1, backend="reference").summary()
    assert (figures.infinite, figures.mean, figures.sum) == (1, 1.25, 2.5)


def test_what_is_not_unique_has_its_reason_and_line(gdslc):
    answer = gdslc("run", "bfs", "path.mtx", "-p", "source=0", *REFERENCE)
    lines = answer.out.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("parent: vertex  (not unique: "))
    assert lines[place + 1] == "  because one of several writers wins (line 14)"
    assert answer.out.count("because") == 1
    document = json.loads(gdslc("run", "bfs", "path.mtx", "-p", "source=0", *REFERENCE, "--json").out)
    parent = document["results"]["parent"]
    assert (parent["reason"], parent["line"]) == ("one of several writers wins", 14)
    assert "reason" not in document["results"]["distance"]


def test_a_scalar_that_is_not_unique_too(gdslc):
    Path("p.gdsl").write_text(
        "program p;\nproblem { scalar last : vertex; vertex x : int32; }\n"
        "vertex functor f(v) {\n  apply { last any= v; }\n}\nschedule { compute(vertices, f); }\n"
    )
    out = gdslc("run", "p.gdsl", "path.mtx", *REFERENCE).out
    assert "  because one of several writers wins (line 4)\n" in out


def test_grades_are_quiet_on_a_terminal_only(gdslc):
    out = gdslc("run", "pagerank", "path.mtx", *REFERENCE).out
    assert "(converged: as rounding, and another run may make one pass more or fewer)" in out
    assert "\x1b" not in out
