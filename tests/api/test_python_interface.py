"""`gdsl.compile`, `Program` and `Result`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gdsl

HOPS = '''"""Hops from `source`, at most `max_iterations` of them."""
program hops;
problem {
    param  source : vertex;
    param  max_iterations : int32 = 100;
    vertex distance : int32 = -1;
    vertex iterations : int32 = 7;
    vertex parent : vertex = none;
    local vertex hidden : int32;
    scalar levels : int32 = 0;
}
edge functor visit(src, dst, e) {
    cond distance[dst] == -1;
    apply { distance[dst] = iteration + 1; parent[dst] any= src; }
}
schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f && levels < max_iterations) { f = advance(f, visit); levels += 1; }
}
'''


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def path() -> gdsl.Graph:
    return gdsl.Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=5, directed=False)


def test_results_are_attributes_and_items(path):
    program = gdsl.compile(HOPS)
    result = program.run(path, {"source": 0}, backend="reference")
    assert result.distance.tolist() == [0, 1, 2, 3, -1]
    assert result.parent.tolist() == [-1, 0, 1, 2, -1]
    assert result.levels == 4
    assert type(result.levels) is int
    assert result.iterations == 4
    assert result["iterations"].tolist() == [7] * 5
    assert result.time_ms >= 0
    assert [record.label for record in result.trace] == ["visit"] * 4
    assert result.unique == {"distance": True, "parent": False, "levels": True, "iterations": True}
    grades = {"distance": "exact", "parent": "not unique", "levels": "exact", "iterations": "exact"}
    assert result.grade == grades
    assert set(result) == {"distance", "iterations", "parent", "levels"}
    assert "distance" in dir(result)
    with pytest.raises(AttributeError, match="no 'hidden'; it has"):
        _ = result.hidden


def test_keywords_are_the_programs_own_first(path):
    program = gdsl.compile(HOPS)
    assert program(path, source=0, max_iterations=1, backend="reference").distance.max() == 1
    with pytest.raises(gdsl.GdslError) as caught:
        program.run(path, {"source": 0}, max_iterations=1, backend="reference")
    assert caught.value.code == "E0803"
    assert program(path, source=0, backend="reference").distance.max() == 3


def test_what_a_program_tells_of_itself(path):
    program = gdsl.compile(HOPS, tune={"visit.direction": "pull"}, fuse=False)
    assert program.name == "hops"
    assert program.params == ("source", "max_iterations")
    assert program.doc.startswith("Hops from")
    assert program.ir.tuning.fuse is False
    assert repr(program) == "<Program hops(source, max_iterations)>"
    assert "visit" in program.source("cuda")
    assert "visit" in program.source("cpp")
    with pytest.raises(ValueError, match="language"):
        program.source("fortran")


def test_help_tells_whose_the_options_are():
    rounding = "round (to values of the declared type) are those of `Program.run`."
    of_bfs = f"backend, timeout (seconds), max_iterations (of a loop) and {rounding}"
    assert gdsl.compile("bfs").__doc__.splitlines()[-1] == of_bfs
    assert gdsl.compile(HOPS).__doc__.splitlines()[-1] == f"backend, timeout (seconds) and {rounding}"
    own = " ".join(f"param {name} : int32;" for name in ("backend", "timeout", "max_iterations", "round"))
    own = f"problem {{ {own} }} schedule {{ }}"
    assert "Program.run" not in gdsl.compile(f"program own; {own}").__doc__


def test_tuning_forms_are_the_same():
    words = gdsl.compile(HOPS, tune=["visit.direction=pull", "schedule.ids=64", "bounds=off"]).ir
    mapping = gdsl.compile(HOPS, tune={"visit.direction": "pull", "schedule.ids": 64, "bounds": False}).ir
    assert words == mapping


def test_wrong_use_of_the_interface(path):
    program = gdsl.compile(HOPS)
    with pytest.raises(TypeError, match=r"must be a gdsl\.Graph"):
        program("graph.mtx", source=0)
    with pytest.raises(TypeError, match=r"by name: hops\(graph, source=…, max_iterations="):
        program(path, 0)
    with pytest.raises(ValueError, match="backend must be one of"):
        program(path, source=0, backend="gpu")
    with pytest.raises(ValueError, match="timeout"):
        program(path, source=0, timeout=-1)
    with pytest.raises(AttributeError, match="no attribute 'complie'"):
        _ = gdsl.complie


def test_errors_show_the_text(path):
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile(HOPS.replace("any= src", "any= sorce"))
    assert "<text>:14:" in str(caught.value)
    assert "any= sorce" in str(caught.value)


@pytest.mark.slow
def test_second_compile_needs_no_parser(tmp_path):
    file = tmp_path / "hops.gdsl"
    file.write_text(HOPS)
    code = f"import gdsl, sys; gdsl.compile({str(file)!r}); print('lark' in sys.modules)"
    answers = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        for _ in range(2)
    ]
    assert answers == ["True", "False"]


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.sampled(2)
def test_second_run_imports_no_more_than_it_needs(tmp_path, backend):
    """What only a first compilation needs, or large graphs, takes as long to import as all the rest of a run."""
    file = tmp_path / "hops.gdsl"
    file.write_text(HOPS)
    code = (
        "import gdsl, sys; graph = gdsl.Graph.from_edges([0, 1], [1, 2]);"
        f"gdsl.compile({str(file)!r}).run(graph, {{'source': 0}}, backend={backend!r});"
        "print(*sorted({'lark', 'jinja2', 'scipy', 'networkx', 'cupy', 'rich', 'gdsl.codegen.cpu.generate',"
        " 'gdsl.effects.programs', 'gdsl.rules', 'gdsl.uniqueness', 'gdsl.plan.verifier'} & set(sys.modules)))"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_damaged_entry_is_compiled_again(tmp_path):
    first = gdsl.compile(HOPS).ir
    for entry in (tmp_path / "cache" / "front").iterdir():
        entry.write_bytes(b"nonsense")
    assert gdsl.compile(HOPS).ir == first


def test_auto_names_its_choice(path):
    result = gdsl.compile(HOPS)(path, source=0)
    assert result.backend in ("cuda", "cpu", "reference")
    assert result.backend_line.startswith(f"backend: {result.backend}")
    assert np.asarray(result.host_arrays()["distance"]).tolist() == [0, 1, 2, 3, -1]
