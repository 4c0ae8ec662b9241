"""`gdslc tune`, and `gdslc run` with what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdsl.api import tuner
from gdsl.api.schedules import KnobChoice
from gdsl.backends import registry

needs_cpu = pytest.mark.skipif(not registry.availability("cpu").ok, reason="no C++ compiler")
ON_PATH = ("hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "reference")


def fakes(monkeypatch, cost):
    """Runs that take as many milliseconds as `cost` says of their words, by the reference."""
    from gdsl.api.program import Program

    def run(program, graph, values, _, timeout, **options):
        result = program.run(graph, values, backend="reference")
        result.time_ms = cost(program._tune)
        return result

    monkeypatch.setattr(tuner, "run_quietly", run)
    monkeypatch.setattr(Program, "prepare", lambda self, *_, **__: self)


@needs_cpu
def test_a_file_is_written_and_taken(gdslc, work, monkeypatch):
    """Really measured: what comes of it nobody knows, but that it fits."""
    monkeypatch.setattr(tuner, "knob_choices", lambda *_: [KnobChoice("visit.direction", ("visit.direction=push",))])
    answer = gdslc("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu", "--seconds", "300")
    assert answer.status == 0, answer.err
    assert "hops on path.mtx: 5 vertices, 6 edges, degrees to 2, undirected\non cpu, " in answer.out
    assert answer.out.endswith("wrote hops.tune\n") and "1 try; no knob gives more" in answer.out
    entries = json.loads(Path("hops.tune").read_text())["entries"]
    assert [entry["backend"] for entry in entries] == ["cpu"]
    answer = gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu", "--json")
    tuned = json.loads(answer.out)["tuned"]
    assert tuned["file"] == "hops.tune" and tuned["used"] and tuned["knobs"] == entries[0]["knobs"]


@needs_cpu
@pytest.mark.slow
def test_what_is_fastest_is_kept_and_said(gdslc, monkeypatch):
    def cost(words):
        return 20.0 - 5 * ("visit.direction=push" in words) - ("visit.balance=thread" in words)

    words = ("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu")
    with monkeypatch.context() as patch:
        fakes(patch, cost)
        answer = gdslc(*words)
        document = json.loads(gdslc(*words, "--json", "-o", "other.tune").out)
    assert answer.status == 0, answer.err
    assert "20 ms unchanged, 14 ms tuned: 30.0 % less\n  --tune visit.direction=push --tune visit.bal" in answer.out
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines() if line.startswith("  visit.")}
    assert rows["visit.direction=push"] == ["15", "20", "+25.0", "%", "kept"]
    assert rows["visit.frontier=bitmap"] == ["14", "14", "+0.0", "%"]
    assert document["knobs"] == ["visit.direction=push", "visit.balance=thread"]
    assert document["gain"] == pytest.approx(0.3)
    assert document["graph"] == {"name": "path.mtx", "vertices": 5, "edges": 6, "largest_degree": 2, "directed": False}
    tried = {"knob": "visit.direction", "word": "visit.direction=push", "verdict": "kept"}
    assert {**tried, "ms": 15.0, "best_ms": 20.0, "gain": 0.25} in document["tries"]
    assert document["tune_file"] == "other.tune" and Path("other.tune").read_text() == Path("hops.tune").read_text()
    told = gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu", "--profile")
    assert "knobs of hops.tune: visit.direction=push, visit.balance=thread\n" in told.out and not told.err


def test_nothing_to_gain(gdslc, work, monkeypatch):
    fakes(monkeypatch, lambda words: 20.0)
    answer = gdslc("tune", "hops", "path.mtx", "-p", "source=0", "--backend", "cpu")
    assert "20 ms; nothing to gain: the unchanged program is within 2 % of the best" in answer.out
    answer = gdslc("tune", *ON_PATH)
    assert "0 tries" in answer.out and "no knob changes what the reference does" in answer.out
    entries = json.loads(Path("hops.tune").read_text())["entries"]
    assert [(entry["backend"], entry["knobs"]) for entry in entries] == [("cpu", []), ("reference", [])]
    assert "knobs of hops.tune: none, nothing better was found\n" in gdslc("run", *ON_PATH).out
    answer = gdslc("run", *ON_PATH, "--tune", "visit.direction=push")
    assert "knobs of hops.tune: none besides those of --tune\n" in answer.out


@needs_cpu
def test_what_tried_nothing_writes_nothing(gdslc, monkeypatch):
    """Else runs would go by a file that says that no knob is better."""
    nothing = tuner.TuningOutcome(auto_ms=20.0, tuned_ms=20.0, stop=tuner.Stop.TIME)
    monkeypatch.setattr(tuner.Tuner, "search", lambda _: nothing)
    words = ("tune", "hops", "path.mtx", "-p", "source=0", "--backend", "cpu")
    answer = gdslc(*words)
    assert answer.status == 0 and "nothing was tried in that time: allow more with --seconds\n" in answer.out
    assert answer.out.endswith("hops.tune is not written\n") and not Path("hops.tune").exists()


def test_other_graphs_are_told(gdslc, work):
    assert gdslc("tune", *ON_PATH).status == 0
    run = ("run", "hops.gdsl", "karate", "-p", "source=0", "--backend", "reference")
    answer = gdslc(*run)
    assert answer.status == 0 and "knobs of" not in answer.out
    assert answer.err == "note: hops.tune is not used: it was tuned on another kind of graph (5 vertices to 34)\n"
    assert json.loads(gdslc(*run, "--json").out)["tuned"] == {
        "file": "hops.tune", "knobs": [], "stale": False, "used": False,
        "reason": "it was tuned on another kind of graph (5 vertices to 34)",
    }  # fmt: skip
    assert gdslc("tune", *run[1:]).status == 0
    for graph in ("karate", "path.mtx"):
        answer = gdslc("run", "hops.gdsl", graph, "-p", "source=0", "--backend", "reference")
        assert "knobs of hops.tune" in answer.out and not answer.err


def test_stale_damaged_and_unwanted_files(gdslc, work):
    assert gdslc("tune", *ON_PATH).status == 0
    answer = gdslc("run", *ON_PATH, "--no-tune-file")
    assert answer.status == 0 and "hops.tune" not in answer.out + answer.err
    text = Path("hops.gdsl").read_text()
    Path("hops.gdsl").write_text(text + "# more\n")
    answer = gdslc("run", *ON_PATH)
    assert answer.status == 0 and "knobs of" not in answer.out
    assert answer.err == (
        "warning: the tune file hops.tune is not used: the program's text has changed since it was tuned; "
        "gdslc tune makes a new one\n"
    )
    Path("hops.gdsl").write_text(text)
    Path("hops.tune").rename("kept.tune")
    assert "knobs of" not in gdslc("run", *ON_PATH).out
    assert "knobs of kept.tune" in gdslc("run", *ON_PATH, "--tune-file", "kept.tune").out
    Path("hops.tune").write_text(Path("kept.tune").read_text()[:80])
    gdslc("run", *ON_PATH).fails(1, "error[E0615]", "hops.tune: it is damaged")
    assert gdslc("run", *ON_PATH, "--no-tune-file").status == 0
    assert gdslc("tune", *ON_PATH).status == 0, "a damaged one is made anew"
    assert "knobs of hops.tune" in gdslc("run", *ON_PATH).out
    Path("hops.tune").unlink()
    Path("hops.tune").mkdir()
    assert gdslc("run", *ON_PATH).status == 0
    gdslc("tune", *ON_PATH).fails(1, "E0911", "it is a directory")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("tune", "nothing", "karate"), 1, "E0113"),
        (("tune", "hops.gdsl", "no_such_graph", "-p", "source=0"), 1, "E07"),
        (("tune", "hops.gdsl", "path.mtx"), 1, "E0601"),
        (("tune", "hops.gdsl", "path.mtx", "-p", "sorce=0"), 1, "E0602"),
        (("tune", "hops.gdsl", "path.mtx", "--source", "0"), 2, "-p source=0"),
        (("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "--seconds", "0"), 2, "positive number of seconds"),
        (("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "--seconds", "1e400"), 2, "1e400"),
        (("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "-o", "hops.gdsl"), 1, "not a tune file"),
        (("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "-o", "no/such/x.tune"), 1, "E0911"),
        (("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "-o", "x.tune/"), 1, "E0911"),
        (("tune", "endless.gdsl", "path.mtx", "--seconds", "0.3"), 1, "E0802"),
        (("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--tune-file", "none.tune"), 1, "E0615"),
        (("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--tune-file", "path.mtx"), 1, "E0615"),
        (("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--tune-file", ""), 1, "E0615"),
        (("run", "hops.gdsl", "path.mtx", "--tune-file", "x", "--no-tune-file"), 2, "exclude each other"),
    ],
)
def test_mistakes(gdslc, words, status, said):
    answer = gdslc(*words, "--backend", "reference")
    answer.fails(status, said)
    assert not Path("hops.tune").exists()


@pytest.mark.slow
def test_a_program_from_standard_input(process):
    from tests.cli.conftest import HOPS

    given = ("path.mtx", "-p", "source=0", "--backend", "reference")
    answer = process("tune", "-", *given, input=HOPS)
    assert answer.returncode == 2 and "name one with -o" in answer.stderr
    assert process("tune", "-", *given, "-o", "x.tune", input=HOPS).returncode == 0
    assert "knobs of x.tune" in process("run", "-", *given, "--tune-file", "x.tune", input=HOPS).stdout


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_so_far(gdslc, monkeypatch):
    count = iter(range(1000))

    def cost(words):
        if next(count) == 50:
            raise KeyboardInterrupt
        return 20.0 - 5 * ("visit.direction=push" in words)

    fakes(monkeypatch, cost)
    words = ("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu")
    answer = gdslc(*words)
    assert answer.status == 130 and "; interrupted\n" in answer.out and "the best so far is kept" in answer.err
    written = Path("hops.tune").read_text()
    assert json.loads(written)["entries"][0]["knobs"] == ["visit.direction=push"]
    count = iter(range(40, 1000))
    answer = gdslc(*words)  # ended while that, which comes first now, is tried: nothing worse takes its place
    assert answer.status == 130 and "hops.tune is unchanged" in answer.out
    assert "nothing better was found by then" in answer.out and Path("hops.tune").read_text() == written
    count = iter(range(51, 1000))
    answer = gdslc(*words)
    assert (
        answer.status == 0
        and "  visit.direction=push  " in answer.out.splitlines()[4]
        and "nothing to" not in answer.out
    )


def test_a_knob_that_changes_a_result_leaves_no_file(gdslc, monkeypatch):
    monkeypatch.setattr(tuner, "differences", lambda program, one, other: iter(["distance[3] is 7, not 2"]))
    fakes(monkeypatch, lambda words: 20.0)
    answer = gdslc("tune", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "cpu")
    answer.fails(1, "error[E0909]: `visit.direction=push` changes a result: distance[3] is 7, not 2")
    assert not Path("hops.tune").exists()
