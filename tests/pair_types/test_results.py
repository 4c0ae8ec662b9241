"""Pairs as results: in Python, in summaries, in files, and in conditions on inputs that are tested before a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.backends.interface import Pair
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError

TEXT = """program nearest;
problem {
    input edge weight : float32 where (weight, 1) < bound((weight, id)) && max((weight, 0), (2.0, 1)).1 == 1;
    vertex best : (float32, vertex) = (inf, none);
    scalar least : (float32, edge) = (inf, none);
    scalar flag : (bool, int64) = (true, -5);
}
function bound(p : (float32, edge)) -> (float32, int32) { if (p.1 == none) { return (0, 0); } return (2.0, 3); }
edge functor offer(src, dst, e) { apply { best[dst] min= (weight[e], src); least min= (weight[e], e); } }
schedule { advance(vertices, offer, to=none); }
"""
GRAPH = gdsl.Graph.from_edges([0, 1, 3, 2], [1, 2, 2, 1], num_vertices=4)
WEIGHTS = np.array([0.5, 1.5, 0.25, 1.0], np.float32)  # of 0→1, 1→2, 2→1, 3→2


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("ids", [32, 64])
@pytest.mark.sampled(3)
def test_python(backend: str, ids: int) -> None:
    program = gdsl.compile(TEXT, tune=[f"schedule.ids={ids}"])
    result = program(GRAPH, weight=WEIGHTS, backend=backend)
    distance, nearest = result.best
    assert distance.dtype == np.float32 and nearest.dtype == np.dtype(f"int{ids}")
    assert distance.tolist() == [np.inf, 0.25, 1.0, np.inf]
    assert nearest.tolist() == [-1, 2, 3, -1]
    assert result["best"].first is distance or (result.best.first == distance).all()
    assert result.least == Pair(0.25, 2) == (0.25, 2)
    assert result.flag == (True, -5) and isinstance(result.flag.first, bool)
    assert sorted(result) == ["best", "flag", "least"]
    assert sorted(result.host_arrays()) == ["best.0", "best.1"]
    figures = {summary.name: summary for summary in result.summary()}
    assert list(figures) == ["best.0", "best.1", "least.0", "least.1", "flag.0", "flag.1"]
    assert (figures["best.0"].minimum, figures["best.0"].maximum, figures["best.0"].infinite) == (0.25, 1.0, 2)
    assert (figures["best.1"].minimum, figures["best.1"].maximum, figures["best.1"].nones) == (2, 3, 2)
    types = ["float32", "vertex", "float32", "edge", "bool", "int64"]
    assert [figures[name].type for name in figures] == types, "as declared, also of scalars"
    assert repr(result).startswith("<Result: best, least, flag;")


@pytest.mark.parametrize("wrong", [2.0, 2.5, np.nan])
def test_where(wrong: float) -> None:
    weights = WEIGHTS.copy()
    weights[2] = wrong
    program = gdsl.compile(TEXT)
    if wrong == 2.0:  # (2.0, 1) < (2.0, 3)
        assert program(GRAPH, weight=weights, backend="reference").least == (0.5, 0)
        return
    with pytest.raises(GdslError) as caught:
        program(GRAPH, weight=weights, backend="reference")
    assert "E0611" in str(caught.value) or "E0612" in str(caught.value) or "weight" in str(caught.value)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.gdsl").write_text(TEXT)
    Path("g.csv").write_text("0 1 0.5\n1 2 1.5\n2 1 0.25\n3 2 1.0\n")
    words = ["run", "p.gdsl", "g.csv", "--backend", "reference"]
    for suffix in (".csv", ".npz", ".json"):
        assert main([*words, "-o", f"out{suffix}"]) == 0
    said = capfd.readouterr().out
    assert "best.0: float32" in said and "best.1: vertex" in said and "least.1: edge = 2" in said
    lines = Path("out.csv").read_text().splitlines()
    assert lines[0] == "vertex,best.0,best.1"
    assert lines[1:] == ["0,inf,-1", "1,0.25,2", "2,1.0,3", "3,inf,-1"]
    with np.load("out.npz") as archive:
        assert archive["best.0"].tolist() == [np.inf, 0.25, 1.0, np.inf]
        assert archive["best.1"].tolist() == [-1, 2, 3, -1]
        assert archive["least.1"].item() == 2 and archive["flag.0"].dtype == np.bool_
    document = json.loads(Path("out.json").read_text())
    assert document["best.0"] == ["inf", 0.25, 1.0, "inf"] and document["flag.1"] == -5
    assert main([*words, "--json"]) == 0
    figures = json.loads(capfd.readouterr().out)["results"]
    assert figures["best.1"]["type"] == "vertex" and figures["least.0"]["value"] == 0.25


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ("min(p[v], (0, v)) == (0, v)", lambda n: True),
        ("max((0, none), p[v]) == p[v]", lambda n: True),
        ("min(p[v], (narrow[v], v)) == (narrow[v], v)", lambda n: True),
        ("max(p[v], (1 << narrow[v], v)) == p[v]", lambda n: True),
        ("(narrow[v] < 0 ? p[v] : (1 << narrow[v], v)) == p[v]", lambda n: True),
    ],
)
def test_a_pair_that_is_spelled_out_takes_the_types_of_the_other(value: str, holds: Callable[[int], bool]) -> None:
    text = f"""program p;
    problem {{ vertex p : (int64, vertex) = (int64(1) << int32(id), id); vertex narrow : int32 = int32(id);
              vertex found : bool; }}
    schedule {{ compute(vertices, v => {{ found[v] = {value}; }}); }}"""
    result = gdsl.compile(text)(gdsl.Graph.from_edges([], [], num_vertices=40), backend="reference")
    assert result.found.tolist() == [holds(n) for n in range(40)]
