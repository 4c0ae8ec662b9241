"""`python -m bench --passes`: its rows, what changes their code, its table, and a run from end to end. No time is
asserted."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from bench import pass_codes, passes
from bench.__main__ import main
from bench.cpu import Least
from bench.graphs import load, made_graph, split_name
from bench.rows import TWELVE, Row, class_rows


class Here:
    """A pool of processes that is this process, and compiles nothing that is not run."""

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None: ...

    def map(self, function, values):
        assert isinstance(function, partial)
        return [] if function.func is pass_codes._compile else map(function, values)


@pytest.fixture
def here(monkeypatch) -> None:
    monkeypatch.setattr(pass_codes, "ProcessPoolExecutor", Here)


@pytest.mark.parametrize("backend", ["cuda", "cpu"])
def test_every_work_and_every_kind_of_graph_is_measured(backend):
    rows = passes.usual_rows(backend)
    assert {row.work for row in rows} == set(TWELVE)
    assert {split_name(row.graph)[0] for row in rows} == {split_name(row.graph)[0] for row in class_rows(backend)}
    graphs = [row.graph for row in rows]
    assert sum(one != other for one, other in pairwise(graphs)) == len(set(graphs)) - 1


def test_what_changes_the_code(here, monkeypatch):
    monkeypatch.setattr(pass_codes, "OPTIONAL", ("work_order", "occupancy"))
    codes = pass_codes.Codes("cpu", ["sssp"])
    assert codes.changed_by("sssp", load("grid4", "cpu", 1)) == ["work_order"]


@pytest.mark.slow
def test_what_changes_the_code_depends_on_the_class_of_a_graph(here, monkeypatch):
    """A search on a deep graph is one of small frontiers."""
    monkeypatch.setattr(pass_codes, "OPTIONAL", ("small_frontiers", "label_copies"))
    codes = pass_codes.Codes("cuda", ["bfs"])
    assert codes.changed_by("bfs", made_graph("grid400", np, 1)) == ["small_frontiers"]
    assert codes.changed_by("bfs", made_graph("rmat5", np, 1)) == []


def outcome(work: str, problems: dict[str, str] | None = None, **times: float) -> passes.Outcome:
    least = {name: Least(ms, ms) for name, ms in times.items()}
    return passes.Outcome(Row(work, "rmat9"), {"": Least(10.0, 10.0), **least}, [], problems or {})


def test_the_table_says_whom_a_pass_helps_and_hurts():
    outcomes = [
        outcome("bfs", fusion=20.0, direction=10.1),
        outcome("sssp", fusion=5.0, storage=9.0, problems={"storage": "sums differ"}),
        outcome("pagerank", fusion=11.0),
    ]
    console = Console(width=140)
    with console.capture() as capture:
        console.print(passes.table(outcomes))
    _, direction, fusion = (line.split() for line in capture.get().splitlines())
    assert direction == ["direction", "1", "1.010", "0", "0"]
    assert fusion == ["fusion", "3", "1.032", "2", "bfs-rmat9", "2.00", "1", "sssp-rmat9", "0.50"]
    assert passes.line(outcomes[1]).splitlines()[1] == "FAILED sssp-rmat9 without storage: sums differ"


def test_programs_take_turns():
    ran: list[str] = []
    least = {name: Least(1.0) for name in ("", "fusion", "direction")}

    def run(name: str) -> None:
        ran.append(name)
        least[name].note(100.0 if name == "fusion" else 1.0, None)

    passes._turns(run, least, list(least), 3)
    assert ran[3:6] == ["", "fusion", "direction"]
    assert ran[6:] == ["direction", "", "direction", ""]  # what is far behind has one turn


@pytest.mark.parametrize(
    "words, said",
    [
        (["--rows", "call_bfs-rmat9"], "call_bfs-rmat9 is no run of a program"),
        (["--tune", "3"], "--passes goes without --tune"),
        (["--rows", "dfs-rmat9"], "is no row"),
    ],
)
def test_what_passes_are_not_measured_for(words, said):
    found = CliRunner().invoke(main, ["--passes", "--backend", "cpu", *words])
    assert found.exit_code == 2 and said in found.output


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_the_whole_on_the_cpu(tmp_path, monkeypatch, here):
    monkeypatch.setattr(pass_codes, "OPTIONAL", ("direction", "occupancy"))
    path = tmp_path / "passes.json"
    words = ["--backend", "cpu", "--passes", "--rows", "bfs-rmat6", "--repeat", "1", "--sources", "2", "--threads", "1"]
    done = CliRunner().invoke(main, [*words, "--json", str(path)])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert row["row"] == "bfs-rmat6" and not row["problems"]
    assert list(row["without"]) == [pass_codes.NOTHING, "direction"]
    assert row["without"]["direction"]["ms"] > 0


def test_a_wrong_result_is_told(monkeypatch, here):
    """Without a pass results must be what they are with it."""
    graph = load("rmat6", "cpu", 1)
    told = iter([None, "a level is missing", None])
    work = passes.WORKS["bfs"]
    monkeypatch.setitem(passes.WORKS, "bfs", replace(work, check=lambda *_: next(told)))
    found = passes.measured_without(Row("bfs", "rmat6"), graph, "cpu", 1, [])
    assert found.problems == {pass_codes.NOTHING: "a level is missing"}
    assert found.ratio(pass_codes.NOTHING) is None
