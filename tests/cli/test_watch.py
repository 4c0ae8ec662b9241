"""`gdslc watch`: the program is looked at again each time that it is saved."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from gdsl.cli import watch
from tests.cli.conftest import HOPS

PIPE = object()
BROKEN = HOPS.replace("distance[source] = 0;", "distance[source] = ;")
ON_REFERENCE = ("-p", "source=0", "--backend", "reference")


@pytest.fixture
def saving(monkeypatch, work):
    """`saving((file, text), …)`: while it is waited, these files are written, each once what came before was seen;
    then Ctrl-C."""

    def script(*saved):
        left, waited, stamp = list(saved), [0], [2_000_000_000]

        def sleep(seconds):
            waited[0] += 1
            if waited[0] % 6:  # some looks that see nothing new, more than what a change waits for
                return
            if not left:
                raise KeyboardInterrupt
            name, text = left.pop(0)
            if text is None or text is PIPE:
                (work / name).unlink(missing_ok=True)
                if text is PIPE:
                    os.mkfifo(work / name)
                return
            if (work / name).is_fifo():
                (work / name).unlink()
            (work / name).write_text(text)
            stamp[0] += 10
            os.utime(work / name, (stamp[0], stamp[0]))

        monkeypatch.setattr(watch.time, "sleep", sleep)

    return script


def test_a_program_is_checked_at_each_save(gdslc, saving):
    saving(("hops.gdsl", BROKEN), ("path.mtx", "nothing to do with it"), ("hops.gdsl", HOPS))
    answer = gdslc("watch", "hops.gdsl")
    assert answer.status == 130
    assert answer.out.count("hops.gdsl: ok") == 2
    assert answer.err.count("error[") == 1
    assert answer.err.count("watching hops.gdsl; Ctrl-C ends") == 3
    assert answer.err.endswith("interrupted\n")
    assert "Traceback" not in answer.err


def test_it_runs_on_a_graph(gdslc, saving):
    saving(("hops.gdsl", HOPS.replace("iteration + 1", "iteration + 5")), ("hops.gdsl", BROKEN), ("hops.gdsl", HOPS))
    answer = gdslc("watch", "hops.gdsl", "path.mtx", *ON_REFERENCE)
    assert answer.status == 130
    assert [line for line in answer.out.splitlines() if line.startswith("  0 ")] == [
        "  0 1 2 3 -1",
        "  0 5 6 7 -1",
        "  0 1 2 3 -1",
    ]
    assert answer.err.count("E0101") == 1


@pytest.mark.parametrize("gone", [None, PIPE])
def test_a_program_that_is_gone_is_told_once_and_looked_for(gdslc, saving, gone):
    saving(("hops.gdsl", gone), ("path.mtx", "nothing to do with it"), ("hops.gdsl", HOPS))
    answer = gdslc("watch", "hops.gdsl")
    assert answer.status == 130
    assert answer.err.count("hops.gdsl no longer exists") == 1
    assert answer.out.count("hops.gdsl: ok") == 2


def test_what_cannot_be_saved_is_not_watched(gdslc, work):
    os.mkfifo(work / "pipe.gdsl")
    gdslc("watch", "pipe.gdsl").fails(2, "pipe.gdsl is a pipe or a device, which cannot be watched; name a file")


def test_the_graph_is_read_again_only_when_it_changes(gdslc, saving, work, monkeypatch):
    from gdsl.cli.options import GraphWords

    opened = []
    opens = GraphWords.open
    monkeypatch.setattr(GraphWords, "open", lambda self, name: opened.append(name) or opens(self, name))
    text = (work / "path.mtx").read_text()
    saving(("hops.gdsl", HOPS + "\n"), ("path.mtx", text.replace("4 3", "5 4")), ("hops.gdsl", HOPS))
    answer = gdslc("watch", "hops.gdsl", "path.mtx", *ON_REFERENCE)
    assert len(opened) == 2
    assert answer.out.count("  0 1 2 3 -1") == 2
    assert answer.out.count("  0 1 2 -1 -1") == 2


def test_files_that_are_imported_count_also_those_that_come_later(gdslc, saving, work):
    imports = HOPS.replace("problem {", 'import further from "steps.gdsl";\nproblem {', 1).replace(
        "iteration + 1", "further(iteration)"
    )
    (work / "hops.gdsl").write_text(imports)
    saving(
        ("steps.gdsl", "function further(n: int32) -> int32 { return n + 1; }"),
        ("steps.gdsl", "function further(n: int32) -> int32 { return n + 2; }"),
    )
    answer = gdslc("watch", "hops.gdsl", "path.mtx", *ON_REFERENCE)
    assert answer.err.count("E0241") == 1, "there is none yet"
    assert "  0 1 2 3 -1" in answer.out
    assert "  0 2 3 4 -1" in answer.out
    assert "watching hops.gdsl and 2 other files" in answer.err


def test_an_editor_that_removes_and_writes_anew(gdslc, saving):
    saving(("hops.gdsl", None), ("hops.gdsl", HOPS))
    answer = gdslc("watch", "hops.gdsl")
    assert answer.out.count("hops.gdsl: ok") == 2
    assert "error" not in answer.err


def test_mistakes_in_what_is_given_do_not_end_it(gdslc, saving):
    saving(("hops.gdsl", HOPS.replace("source", "start")))
    answer = gdslc("watch", "hops.gdsl", "path.mtx", "-p", "start=0", "--backend", "reference")
    assert "E0601" in answer.err or "start" in answer.err
    assert answer.out.count("  0 1 2 3 -1") == 1


def test_a_run_without_end_is_stopped_by_its_timeout(gdslc, saving):
    saving(("endless.gdsl", HOPS))
    answer = gdslc("watch", "endless.gdsl", "path.mtx", "--backend", "reference", "--timeout", "0.5")
    assert "E0802" in answer.err


def test_bad_words(gdslc, saving):
    saving()
    gdslc("watch", "no_such").fails(1, "E0113")
    gdslc("watch", "-").fails(2, "standard input")
    gdslc("watch", "hops.gdsl", "-p", "source=0").fails(2, "GRAPH")
    gdslc("watch", "hops.gdsl", "source=0").fails(2, "-p source=0")
    gdslc("watch", "hops.gdsl", "path.mtx", "-p", "source").fails(2, "name=value")


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_ctrl_c_ends_a_process_that_waits(work):
    process = subprocess.Popen(
        [sys.executable, "-m", "gdsl", "watch", "hops.gdsl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert "watching" in process.stderr.readline()
    (work / "hops.gdsl").write_text(BROKEN)
    assert "E0101" in process.stderr.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "\x1b" not in out, "the screen of no terminal is cleared"


def test_each_run_says_that_it_did_not_converge(gdslc, saving):
    problem = "param source : vertex; scalar converged : bool; vertex n : int32;"
    text = f"program p; problem {{ {problem} }} schedule {{ n[source] = 1; }}"
    saving(("hops.gdsl", text), ("hops.gdsl", f"{text} "))
    answer = gdslc("watch", "hops.gdsl", "path.mtx", *ON_REFERENCE)
    assert answer.err.count("warning: p did not converge: it ended after 0 passes") == 2
