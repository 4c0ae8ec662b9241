"""What belongs to the whole process, such as how it warns, is as it was while and after files are read."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest
from graph_cases import assert_same

from gdsl import progress
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, columns, ordering, text, threads
from gdsl.graph.messages import quiet


@pytest.mark.parametrize("word", ["1.5", "1e0", "99999999999999999999", "nan"])
def test_whole_numbers_do_not_hang_on_warnings(tmp_path, monkeypatch, word):
    """Another thread may turn them off at any time; NumPy of 1.26 takes reals then."""
    theirs = np.loadtxt

    def with_warnings_off(*arguments, **options):
        warnings.simplefilter("ignore")
        return theirs(*arguments, **options)

    monkeypatch.setattr(np, "loadtxt", with_warnings_off)
    monkeypatch.setattr(text, "_FIRST", 64)
    banner = "%%MatrixMarket matrix coordinate integer general\n"
    rows = "1 2 3\n" * 50
    for name, content in {
        "a.mtx": f"{banner}9 9 2\n1 1 1\n1 2 {word}\n",
        "b.mtx": f"{banner}9 9 103\n{rows}1 2 +3\n1 2 {word}\n{rows}",
        "c.txt": f"{rows}1 2 3 # c\n1 {word} 3\n{rows}",
    }.items():
        (tmp_path / name).write_text(content)
        with warnings.catch_warnings(), pytest.raises(GdslError, match=rf"{name}:\d+: .*E0705.*{word}"):
            Graph.read(tmp_path / name)


def test_reading_leaves_warnings_alone(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("what warns belongs to all threads")

    (tmp_path / "a.csv").write_text("source,target,n\n0,1,5\n# c\n1,2,.5\n")
    (tmp_path / "b.txt").write_text("source target\n")
    with monkeypatch.context() as watched:
        watched.setattr(warnings, "catch_warnings", refuse)
        assert Graph.read(tmp_path / "a.csv").num_edges == 2
        assert Graph.read(tmp_path / "b.txt").num_edges == 0


def test_what_must_be_quiet_is_so_one_by_one():
    before, inside = list(warnings.filters), threading.Event()

    def other():
        with quiet():
            inside.set()

    thread = threading.Thread(target=other)
    with quiet():
        thread.start()
        assert not inside.wait(0.05)
    thread.join()
    assert inside.is_set() and list(warnings.filters) == before


@pytest.mark.parametrize("most", [0, 1])
def test_where_no_more_threads_are_started(tmp_path, monkeypatch, most):
    """As in containers that limit them: the same graph, and the same message."""
    rng = np.random.default_rng(5)
    rows = [f"{a} {b}\n" for a, b in rng.integers(0, 5000, (3000, 2)).tolist()]
    (tmp_path / "a.txt").write_text("".join(rows))
    (tmp_path / "b.txt").write_text("".join([*rows[:2500], "1 x\n", *rows[2500:]]))
    expected, started, start = Graph.read(tmp_path / "a.txt"), [], threading.Thread.start

    def start_few(thread):
        if len(started) >= most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(text, "_CHUNK", 1 << 10)
    monkeypatch.setattr(ordering, "_PIECE", 1 << 8)
    monkeypatch.setattr(columns, "processors", lambda: 3)
    monkeypatch.setattr(threads, "processors", lambda: 3)
    monkeypatch.setattr(threading.Thread, "start", start_few)
    assert_same(Graph.read(tmp_path / "a.txt"), expected)
    del started[:]
    with pytest.raises(GdslError, match=r"b.txt:2501: .*E0705"):
        Graph.read(tmp_path / "b.txt")
    del started[:]
    assert threads.by_threads(lambda item: item + 1, range(99), 3) == list(range(1, 100))
    del started[:]
    with pytest.raises(ZeroDivisionError):
        threads.by_threads(lambda item: 1 // (50 - item), range(99), 3)
    assert len(started) == most


def test_what_shows_that_work_goes_on_is_not_needed(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    with progress.working("reading"):
        done.append(1)
    assert done
