"""`python -m bench.cpu`: who takes turns, what is refused, and the order of the table. No time is asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import cpu
from bench.gapbs import Gapbs
from bench.graphs import load
from bench.rows import Row

PROGRAM = """#!/bin/sh
case " $* " in *" -v "*) echo Verification: {verdict};; esac
while [ $# -gt 0 ]; do [ "$1" = -n ] && trials=$2; shift; done
for trial in $(seq "$trials"); do echo "Trial Time:             0.00200"; done
"""


def built(directory: Path, verdict: str = "PASS") -> Path:
    """A directory with a program that says that each trial has taken two milliseconds."""
    program = directory / "bfs"
    program.write_text(PROGRAM.format(verdict=verdict))
    program.chmod(0o755)
    return directory


def test_a_row_beside_gapbs(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    words = ["--graphs", "rmat6", "--rows", "bfs-*", "--rounds", "2", "--turn", "1", "--sources", "1", "--threads", "1"]
    words += ["--peers", "gapbs", "--gapbs", str(built(tmp_path)), "--json", str(path)]
    found = CliRunner().invoke(cpu.main, words)
    assert found.exit_code == 0, found.output
    (row,) = json.loads(path.read_text())
    assert row["row"] == "bfs-rmat6" and row["peers"]["gapbs"]["ms"] == 2.0 and row["problem"] is None
    assert row["ratio"] == pytest.approx(2.0 / row["ours"]["ms"])
    assert "by graph: rmat6" in found.output


@pytest.mark.parametrize("verdict", ["FAIL", "PASS; echo 3:-nan"])
def test_results_that_a_verifier_refuses_do_not_count(tmp_path: Path, verdict: str) -> None:
    table = cpu.Table(1, 1, 0.0, 1, built(tmp_path, verdict), ["gapbs"])
    (outcome,) = table.all([Row("bfs", "rmat6")])
    assert outcome.peers == {} and outcome.unusable == ["gapbs"] and outcome.ratio(cpu._ms) is None


def test_the_file_of_gapbs_has_the_graph(tmp_path: Path) -> None:
    graph = load("grid3", "cpu", 1)
    gapbs = Gapbs(tmp_path, graph, 1)
    plain, weighted = (gapbs._file(weights).read_bytes() for weights in (False, True))
    gapbs.close()
    head = 1 + 8 + 8 + 8 * (graph.num_vertices + 1)
    assert len(plain) == head + 4 * graph.num_edges and len(weighted) == head + 8 * graph.num_edges
    assert plain[:head] == weighted[:head] and plain[0] == 0


def test_the_worst_row_comes_first() -> None:
    outcomes = [
        cpu.Outcome(Row("bfs", graph), cpu.Least(2.0, 3.0), {"gapbs": cpu.Least(ms), "igraph": cpu.Least(9.0)})
        for graph, ms in (("rmat6", 8.0), ("grid3", 1.0), ("grid4", 2.0))
    ]
    lines = cpu.summary(outcomes)
    assert [line.split()[0] for line in lines[:3]] == ["bfs-grid3", "bfs-grid4", "bfs-rmat6"]
    assert lines[3:] == [
        "3 rows: first on 2, geometric mean 1.26x",
        "by work: bfs 1.26x",
        "by graph: grid3 0.50x, grid4 1.00x, rmat6 4.00x",
    ]
