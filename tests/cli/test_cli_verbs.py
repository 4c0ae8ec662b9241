"""The other verbs: compile, check, explain, samples, doctor, graph, and the help texts."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gdsl import resources
from gdsl.doctor import State, cupy_clash, examine
from gdsl.native import library_check


def test_version(gdslc):
    from gdsl import __version__

    assert gdslc("--version").out == f"gdslc {__version__}\n"


@pytest.mark.parametrize(
    "verb",
    [
        "",
        "compile",
        "run",
        "check",
        "fmt",
        "explain",
        "samples",
        "doctor",
        "graph",
        "graph generate",
        "graph info",
        "graph convert",
        "init",
        "watch",
        "lsp",
        "cache",
        "cache info",
        "cache clear",
    ],
)
def test_every_help_has_an_example(gdslc, verb):
    answer = gdslc(*verb.split(), "--help")
    assert answer.status == 0
    assert "Example" in answer.out
    assert f"gdslc {verb}".strip() in answer.out


@pytest.mark.parametrize("verb", ["", "graph info", "run", "check", "compile", "explain"])
def test_the_first_example_of_a_help_runs_anywhere(gdslc, verb):
    """Beside it lie no files of gdsl's own: what comes along has a bare name."""
    shown = re.findall(r"^ +gdslc (.*)$", gdslc(*verb.split(), "--help").out, re.MULTILINE)[0].split()
    ready = ["hops.gdsl" if word == "my_program.gdsl" else word for word in shown]
    answer = gdslc(*ready, *(("--backend", "reference") if "run" in ready else ()))
    assert (answer.status, answer.err) == (0, "")


@pytest.mark.parametrize(
    ("form", "expected"),
    [("ast", "Program"), ("ir", "advance"), ("plan", "walk out-edges"), ("cpp", "visit"), ("cuda", "visit")],
)
def test_emit_text(gdslc, form, expected):
    answer = gdslc("compile", "hops.gdsl", "--emit", form)
    assert answer.status == 0, answer.err
    assert expected in answer.out
    assert answer.out.endswith("\n")


def test_each_backend_has_a_plan_and_code(gdslc):
    assert gdslc("compile", "hops.gdsl", "--emit", "plan").out.startswith("plan of hops for cuda")
    plan = gdslc("compile", "hops.gdsl", "--emit", "plan", "--backend", "cpu").out
    assert plan.startswith("plan of hops for cpu") and "fetch of the eighth member from each" in plan
    assert gdslc("compile", "hops.gdsl", "--backend", "cpu").out == gdslc("compile", "hops.gdsl", "--emit", "cpp").out
    assert gdslc("compile", "hops.gdsl", "--backend", "cpu", "-o", "hops.plan").status == 0
    assert Path("hops.plan").read_text() == plan
    for words in ("cpu --emit cuda", "cuda --emit cpp", "cuda --emit ir", "cpu --emit ast"):
        backend, _, form = words.split()
        gdslc("compile", "hops.gdsl", "--backend", *words.split()).fails(
            2, f"--backend {backend} is for", f"not for {form}"
        )
    gdslc("compile", "hops.gdsl", "--emit", "plan", "--backend", "cpu", "--teams").fails(2, "--teams", "cuda backend")


def test_compile_prints_cuda_and_is_repeatable(gdslc):
    first = gdslc("compile", "hops.gdsl")
    assert first.out == gdslc("compile", "hops.gdsl", "--emit", "cuda").out
    assert gdslc("compile", "hops.gdsl", "-o", "hops.cu").out == ""
    assert Path("hops.cu").read_text() == first.out
    wide = gdslc("compile", "hops.gdsl", "--tune", "schedule.ids=64")
    assert wide.out != first.out
    assert gdslc("compile", "hops.gdsl", "--graph", "path.mtx").out == first.out


def test_compile_for_a_class_of_graphs(gdslc):
    general = gdslc("compile", "bfs")
    deep = gdslc("compile", "bfs", "--graph-class", "deep")
    assert deep.out != general.out and "256 threads per block" in deep.out.splitlines()[1]
    assert gdslc("compile", "bfs", "--graph", "grid:370").out == deep.out, "the class is measured"
    plan = gdslc("compile", "bfs", "--graph-class", "deep", "--emit", "plan").out.splitlines()
    assert plan[1] == "graph class: deep"
    assert (
        gdslc("compile", "sssp", "--graph-class", "deep", "--emit", "plan").out.splitlines()[1] == "graph class: narrow"
    )
    both = gdslc("compile", "betweenness", "--graph-class", "short-lists", "--graph-class", "deep", "--emit", "plan")
    assert both.out.splitlines()[1] == "graph class: deep, short-lists"
    teams = gdslc("compile", "bfs", "--graph-class", "deep", "--teams")
    assert teams.out != gdslc("compile", "bfs", "--teams").out


def test_a_misspelled_pass(gdslc):
    for option in ("--without", "--after"):
        gdslc("compile", "bfs", option, "lane_loop").fails(
            2, "there is no pass 'lane_loop'. Did you mean 'lane_loops'?"
        )
    gdslc("compile", "bfs", "--without", "nothing_like_it").fails(2, "is not one of", "'lane_loops'")


def test_a_class_that_makes_no_difference(gdslc):
    same = gdslc("compile", "bfs", "--graph-class", "hubs")
    assert same.out == gdslc("compile", "bfs").out
    assert "note: bfs is the same on graphs of the class hubs as on any other" in same.err
    gdslc("compile", "bfs", "--graph-class", "road").fails(2, "'road' is not one of", "'deep'")
    gdslc("compile", "bfs", "--graph-class", "deep", "--emit", "ir").fails(2, "ir is the same for all classes")
    gdslc("compile", "bfs", "--graph-class", "deep", "--backend", "cpu").fails(2, "code for a CPU is the same")
    gdslc("compile", "bfs", "--graph-class", "deep", "--graph", "path.mtx").fails(2, "leave --graph-class out")
    gdslc("compile", "bfs", "--graph", "path.mtx", "--emit", "ir").fails(2, "ir is the same for all graphs")


def test_ptx_and_cubin(gdslc):
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    ptx = gdslc("compile", "hops.gdsl", "--emit", "ptx", "--arch", "sm_80")
    assert ".target sm_80" in ptx.out, ptx.err
    assert gdslc("compile", "hops.gdsl", "--arch", "sm_90", "-o", "hops.cubin").status == 0
    cubin = Path("hops.cubin").read_bytes()
    assert cubin[:4] == b"\x7fELF"
    assert library_check.length(cubin) == len(cubin), "tools that read it ask for every byte"
    gdslc("compile", "hops.gdsl", "--emit", "ptx", "--arch", "sm_1").fails(1, "E0904")


def test_binary_is_not_written_to_a_terminal(work):
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "gdsl", "compile", "hops.gdsl", "--emit", "cubin"]
    answer = subprocess.run(command, stdout=terminal, stderr=subprocess.PIPE, text=True, check=False)
    os.close(terminal)
    os.close(controller)
    assert answer.returncode == 2
    assert "terminal" in answer.stderr


def test_check_reports_all_files(gdslc):
    Path("bad.gdsl").write_text(Path("hops.gdsl").read_text().replace("visit(", "vist("))
    answer = gdslc("check", "bad.gdsl", "hops.gdsl")
    assert answer.status == 1
    assert "hops.gdsl: ok" in answer.out
    assert "bad.gdsl" in answer.err


@pytest.mark.parametrize(("word", "meant"), [("bfss", "bfs"), ("pagernk", "pagerank"), ("KCORE", "k_core")])
def test_explain_of_a_mistyped_sample(gdslc, word, meant):
    gdslc("explain", word).fails(2, "there is no code", f"Did you mean {meant}?")


def test_explain(gdslc):
    assert gdslc("explain", "e0601").out.startswith("E0601: missing param")
    codes = gdslc("explain").out.splitlines()
    assert len(codes) > 20
    assert codes == sorted(codes)


def test_explain_says_what_runs_may_try(gdslc, tmp_path):
    lines = gdslc("explain", "forms", "bfs").out.splitlines()
    assert "  visit.direction=push, where a run that reached most vertices has not pulled" in lines
    assert (
        "  schedule.layout=by_degree, or as_given where auto chose by_degree, on graphs of 4,194,304 edges and more"
        in lines
    )
    path = tmp_path / "own.gdsl"
    path.write_text(gdslc("samples", "bfs").out + "tune { schedule.block = 256; }\n")
    assert "knob of its own" in gdslc("explain", "forms", str(path)).out


def test_explain_says_what_stands_in_the_way_of_an_order(gdslc, tmp_path):
    assert "line 18: may run from near to far" in gdslc("explain", "order", "sssp").out
    assert "as given: `parent` is written in addition to `distance`" in gdslc("explain", "order", "bfs").out
    path = tmp_path / "unfused.gdsl"
    path.write_text(gdslc("samples", "sssp").out + "tune { schedule.fuse = off; }")
    assert "as given: one kernel per step keeps no order" in gdslc("explain", "order", str(path)).out
    path = tmp_path / "none.gdsl"
    path.write_text("program none; schedule { }")
    assert gdslc("explain", "schedule.order", str(path)).out == "the program has no while loop\n"
    gdslc("explain", "E0301", "bfs").fails(2, "is explained without a program")
    gdslc("explain", "order", "no_such_program").fails(1, "cannot read")


def test_explain_says_what_stands_in_the_way_of_a_layout(gdslc):
    assert "may be by degree; on a GPU, auto does so" in gdslc("explain", "layout", "bfs").out
    assert "may be by degree; auto keeps the given order" in gdslc("explain", "layout", "coloring").out
    assert "may be by degree; auto keeps the given order" in gdslc("explain", "layout", "sssp").out
    assert gdslc("explain", "layout", "minimum_spanning_forest").out.startswith(
        "as given: `chosen` is a result of edges"
    )


def test_explain_says_what_keeps_operators_apart(gdslc, tmp_path):
    answer = gdslc("explain", "fusion", "katz").out.splitlines()
    assert answer[0] == "line 25: compute @settle runs in the sweep of neighbor_reduce @received (line 24)"
    assert answer[1].startswith("line 33: compute @normalize has a sweep of its own: `squares`, which ")
    text = gdslc("samples", "pagerank").out
    path = tmp_path / "summed.gdsl"
    path.write_text(text.replace("value share[src]", "value share[src] + next[dst]"))
    apart = gdslc("explain", "fusion", str(path)).out
    assert "neighbor_reduce reads `next`: its results are stored aside until all are computed (line 43)" in apart
    path.write_text(text + "tune { schedule.fuse = off; }")
    assert "each operator is a kernel of its own" in gdslc("explain", "fusion", str(path)).out
    follows = "line 37: compute @start runs in the sweep of where @roots (line 36)\n"
    assert gdslc("explain", "fusion", "bipartite_check").out.startswith(follows)
    assert ", for each pass but the first\n" in gdslc("explain", "fusion", "k_core").out
    assert gdslc("explain", "fusion", "bfs").out == "no operator directly follows another one\n"
    gdslc("explain", "E0301", "bfs").fails(2, "is explained without a program")


def test_explain_distribution(gdslc):
    answer = gdslc("explain", "distribution", "bfs").out
    assert "distance    mirrored: 4 bytes for each vertex of the graph, since line 11 names other elements\n" in answer
    for part in ("columns   ", "in_sources"):  # a BFS also pulls
        assert f"{part}  in parts: 4 bytes for each edge in the lists of its own vertices\n" in answer
    assert "after advance @visit (line 21):\n    distance: merged by any value" in answer
    turns = gdslc("explain", "distribution", "k_core").out
    assert "advance @lose (line 30) is run by one worker after the other: `fetch` tells" in turns
    assert "since line 27 reads lists of any vertex" in gdslc("explain", "distribution", "random_walk").out
    assert "since the schedule makes graphs" in gdslc("explain", "distribution", "louvain").out
    gdslc("explain", "distribution").fails(2, "gdslc explain distribution PROGRAM")
    sized = gdslc("explain", "distribution", "bfs", "--size", "1000:9000").out
    assert "expected with 1,000 vertices and 9,000 stored edges" in sized and "2 of one host" in sized
    gdslc("explain", "distribution", "bfs", "--size", "0:3").fails(2, "numbers of vertices and of stored edges")
    gdslc("explain", "bfs", "--size", "1:1").fails(2, "--size and --run are for 'gdslc explain distribution PROGRAM'")
    gdslc("explain", "distribution", "bfs", "--run", "nothing.json").fails(2, "--run nothing.json: No such file")


def test_explain_map(gdslc):
    assert gdslc("explain", "map", "bfs").out.startswith("map: 64 values at once on a CPU; one in each team of blocks")
    assert gdslc("explain", "map", "pagerank").out.endswith(
        "`neighbor_reduce` reads values of each instance for each edge (line 43)\n"
    )


@pytest.mark.parametrize("word", ["direction", "visit.direction", "DIRECTION", " @first.direction "])
def test_explain_a_knob(gdslc, word):
    owner = word.strip().rpartition(".")[0] or "visit"
    answer = gdslc("explain", word).out
    assert answer.startswith(f"{owner}.direction: ")
    for said in ("push, pull, auto", "alpha", f"--tune {owner}.direction=pull", "advance"):
        assert said in answer


def test_explain_knobs_lists_those_that_have_a_page(gdslc):
    for line in gdslc("explain", "knobs").out.splitlines():
        name = line.split()[0]
        assert f"{name}: " in gdslc("explain", name).out
        assert gdslc("explain", f"schedule.{name.rpartition('.')[2]}").status == 0


def test_explain_of_programs_asks_for_one(gdslc):
    gdslc("explain", "Fusion").fails(2, "gdslc explain fusion PROGRAM")


def test_explain_a_knob_of_a_functor(gdslc):
    assert "exact" in gdslc("explain", "visit.dedup").out


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("visit.dirction", "direction"),
        ("fuze", "schedule.fuse"),
        ("schedule.blok", "schedule.block"),
        ("E0999", "E09"),
    ],
)
def test_explain_says_what_is_near(gdslc, word, near):
    gdslc("explain", word).fails(2, near)


def test_samples(gdslc):
    listing = gdslc("samples").out
    for name in ("bfs", "sssp", "pagerank", "connected_components", "karate.mtx", "lesmis.mtx"):
        assert name in listing
    assert gdslc("samples", "bfs").out.startswith('"""')


def test_doctor_reports_everything(gdslc):
    answer = gdslc("doctor")
    for word in ("gdsl", "driver", "GPU", "CuPy", "NVRTC", "NCCL", "C++ compiler", "cache", "backend reference"):
        assert word in answer.out
    rows = json.loads(gdslc("doctor", "--json").out)
    assert all({"name", "state", "detail", "fix"} == set(row) for row in rows)
    assert all(row["fix"] for row in rows if row["state"] == "bad")


def test_doctor_tells_of_a_part_that_is_missing(tmp_path, monkeypatch):
    assert examine()[0].state is State.GOOD
    for room in ("gdsl", "templates"):
        (tmp_path / room).mkdir()
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "gdsl")
    resources.resource_directory.cache_clear()
    found = examine()[0]
    resources.resource_directory.cache_clear()
    assert found.state is State.BAD
    assert "grammar" in found.detail
    assert "install gdsl again" in found.fix


def test_doctor_names_a_clash_of_wheels():
    both = {"cupy-cuda12x": "14.2.0", "cupy-cuda13x": "14.2.0"}
    clash = cupy_clash(both.get)
    assert clash is not None
    assert clash.state is State.BAD
    assert "cupy-cuda12x" in clash.detail
    assert "cupy-cuda13x" in clash.detail
    assert "pip uninstall" in clash.fix
    assert cupy_clash({"cupy-cuda13x": "14.2.0"}.get) is None


def test_graph_verbs(gdslc):
    assert gdslc("graph", "generate", "rmat:6:seed=1", "-o", "g.mtx").status == 0
    assert gdslc("graph", "convert", "g.mtx", "g.npz").status == 0
    first = json.loads(gdslc("graph", "info", "g.mtx", "--json").out)
    second = json.loads(gdslc("graph", "info", "g.npz", "--json").out)
    assert first["vertices"] == second["vertices"] == 64
    assert "64" in gdslc("graph", "info", "g.mtx").out


def test_startup_imports_nothing_heavy():
    heavy = ("numpy", "scipy", "lark", "cupy", "jinja2", "rich")
    code = f"import gdsl, gdsl.cli.main, sys; print([name for name in {heavy} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_wide_help_has_no_long_lines(gdslc):
    for verb in ("run", "compile"):
        assert max(map(len, gdslc(verb, "--help").out.splitlines())) <= 110


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_only(work, monkeypatch):
    controller, terminal = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "gdsl",
        "run",
        "endless.gdsl",
        "path.mtx",
        "--backend",
        "reference",
        "--timeout",
        "4",  # of which a busy machine takes some to begin
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(controller, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(controller)
    assert process.returncode == 1
    assert b"running endless on reference" in shown
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "running" not in answer.stderr


def test_check_ends_after_its_timeout(gdslc, tmp_path):
    stores = "s = s + 1; " * 5000
    (tmp_path / "long.gdsl").write_text(f"program long; problem {{ scalar s : int32; }} schedule {{ {stores} }}")
    run = gdslc("check", str(tmp_path / "long.gdsl"), "--timeout", "0.001")
    assert run.status == 1 and "E0802" in run.err
    assert gdslc("check", "bfs", "--timeout", "0").status == 2


def test_explain_says_what_a_grade_is(gdslc):
    from gdsl.operations import Grade

    for grade in Grade:
        assert gdslc("explain", grade.value).out.strip().endswith(".")
    answer = " ".join(gdslc("explain", "Rounding").out.split())
    assert "usually only the last digits differ" in answer and "overflows" in answer and "cancel" in answer
