"""`gdslc check --schedules`: combinations of knobs against the reference."""

from __future__ import annotations

import pytest

from gdsl.backends import registry

needs_cpu = pytest.mark.skipif(not registry.availability("cpu").ok, reason="no C++ compiler")


@pytest.mark.slow
@needs_cpu
def test_a_sample_of_combinations(gdslc):
    words = ("check", "--schedules", "3", "bfs", "karate", "-p", "source=0", "--backend", "cpu")
    answer = gdslc(*words)
    assert answer.status == 0, answer.err
    assert "bfs on karate: 3 combinations on cpu, 0 differ from the reference" in answer.out
    rows = [line.split() for line in answer.out.splitlines() if line.startswith("  visit.balance=")]
    assert sum(int(row[1]) for row in rows) == 3 and all(row[2] == "0" for row in rows)
    assert "parent: not compared" in answer.out
    assert gdslc(*words).out == answer.out, "always the same ones"


@needs_cpu
def test_all_combinations_beside_what_is_given(gdslc):
    tune = ["visit.direction=push", "visit.frontier=bitmap", "visit.dedup=exact", "schedule.ids=64"]
    words = [part for word in tune for part in ("--tune", word)]
    answer = gdslc("check", "--schedules", "all", "bfs", "karate", "-p", "source=0", "--backend", "cpu", *words)
    assert answer.status == 0, answer.err
    assert ": 7 combinations on cpu" in answer.out and "direction" not in answer.out


def test_a_combination_that_differs_is_named(gdslc, monkeypatch):
    from gdsl.api import schedules

    def differs(way, graph, values, expected, **options):
        return ["distance[3] is 7, not 2"] if any("=merge" in word for word in way.words) else []

    monkeypatch.setattr(schedules, "run_and_compare", differs)
    given = ("--tune", "visit.frontier=auto", "--tune", "visit.dedup=exact", "--tune", "schedule.ids=32")
    answer = gdslc("check", "--schedules", "all", "bfs", "karate", "-p", "source=0", "--backend", "reference", *given)
    assert answer.status == 1
    assert "2 differ from the reference" in answer.out
    assert "differs: --tune visit.direction=push --tune visit.balance=merge\n  distance[3] is 7, not 2" in answer.out
    assert [line.split()[2] for line in answer.out.splitlines() if "visit.balance=merge  " in line] == ["2"]


@pytest.mark.parametrize("number", ["0", "-1", "some", "1.5", ""])
def test_a_number_that_is_none(gdslc, number):
    answer = gdslc("check", f"--schedules={number}", "bfs", "karate")
    assert answer.status == 2 and "neither 'all' nor a number" in answer.err


@pytest.mark.parametrize("words", [("bfs",), ("bfs", "sssp", "karate")])
def test_one_program_and_one_graph(gdslc, words):
    answer = gdslc("check", "--schedules", "2", *words)
    assert answer.status == 2 and "one PROGRAM and one GRAPH" in answer.err


@pytest.mark.parametrize("words", [("-p", "source=0"), ("--backend", "cpu"), ("--undirected",)])
def test_what_runs_takes_asks_for_runs(gdslc, words):
    answer = gdslc("check", "bfs", *words)
    assert answer.status == 2 and "--schedules" in answer.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nothing", "karate"), "E0"),
        (("bfs", "no_such_graph", "-p", "source=0"), "E07"),
        (("bfs", "karate"), "E0601"),
        (("bfs", "karate", "-p", "source=99"), "E06"),
        (("bfs", "karate", "-p", "sorce=1"), "E06"),
        (("bfs", "karate", "-p", "source=0", "--tune", "visit.balance=sideways"), "E0412"),
    ],
)
def test_mistakes_are_told_once(gdslc, words, code):
    answer = gdslc("check", "--schedules", "2", *words, "--backend", "reference")
    assert answer.status == 1 and answer.err.count("error[") == 1 and f"[{code}" in answer.err
    assert "combinations" not in answer.out


def test_lines_of_progress_where_there_is_no_terminal(gdslc, monkeypatch):
    from gdsl.cli import schedules

    words = ("check", "--schedules", "3", "bfs", "karate", "-p", "source=0", "--backend", "reference")
    assert "combinations" not in gdslc(*words).err
    monkeypatch.setattr(schedules, "_RARELY", 0.0)
    assert "2 of 3 combinations have run\n3 of 3 combinations have run" in gdslc(*words).err
