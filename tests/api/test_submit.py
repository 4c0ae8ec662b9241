"""Runs that are asked for and waited for later, on the backends without a GPU, where they are waited for at once."""

from __future__ import annotations

import asyncio
import concurrent.futures
import pickle
import warnings

import numpy as np
import pytest

import gdsl
from gdsl.api.pending import Pending
from tests.support.graphs import make_graph, path

GRAPH = make_graph(path(12), 12)
BACKENDS = ("reference", "cpu")
by_backend = pytest.mark.parametrize("backend", BACKENDS)


@by_backend
def test_results_are_those_of_calls(backend: str) -> None:
    program = gdsl.compile("bfs")
    pending = [program.submit(GRAPH, source=source, backend=backend) for source in range(4)]
    pending.append(program.submit(GRAPH, {"source": 4}, backend=backend, timeout=60, max_iterations=50))
    for source, each in enumerate(pending):
        assert each.done() and repr(each) == "<Pending bfs, done>"
        result, expected = each.result(), program(GRAPH, source=source, backend=backend)
        assert result is each.result(timeout=0.5)
        assert result.distance.tolist() == expected.distance.tolist()
        assert (result.iterations, result.backend, result.trace) == (expected.iterations, backend, expected.trace)


@by_backend
def test_what_fails_is_raised_by_result_each_time(backend: str) -> None:
    pending = gdsl.compile("bfs").submit(GRAPH, source=0, backend=backend, max_iterations=3)
    assert pending.done()
    for _ in range(2):
        with pytest.raises(gdsl.GdslError, match="stopped after 3 passes") as caught:
            pending.result()
        assert caught.value.code == "E0803" and caught.value.source is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del pending


@by_backend
def test_what_fails_unseen_is_a_warning(backend: str) -> None:
    program = gdsl.compile("bfs")
    with pytest.warns(RuntimeWarning, match=r"was never requested: .*bfs\.gdsl:\d.*stopped after 3 passes"):
        program.submit(GRAPH, source=0, backend=backend, max_iterations=3)
    pending = program.submit(GRAPH, source=0, backend=backend, max_iterations=3)
    assert pending.done()
    with pytest.warns(RuntimeWarning, match="was never requested"):
        del pending


def test_wrong_values_are_told_at_once() -> None:
    program = gdsl.compile("bfs")
    with pytest.raises(gdsl.GdslError) as caught:
        program.submit(GRAPH, source=12, backend="cpu")
    assert caught.value.code == "E0604"
    with pytest.raises(TypeError, match="options, and 'source' is not one"):
        program.submit(GRAPH, {}, source=3)
    with pytest.raises(TypeError, match=r"gdsl\.Graph"):
        program.submit([1, 2], source=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="backend must be one of"):
        program.submit(GRAPH, source=3, backend="gpu")
    with pytest.raises(TypeError, match="timeout must be a number of seconds"):
        program.submit(GRAPH, source=3, backend="cpu", timeout="soon")
    pending = program.submit(GRAPH, source=3, backend="cpu")
    assert pending.result(timeout=0).distance[3] == 0, "there is nothing to wait for"


@by_backend
def test_exception_gives_what_result_raises(backend: str) -> None:
    program = gdsl.compile("bfs")
    assert program.submit(GRAPH, source=0, backend=backend).exception() is None
    pending = program.submit(GRAPH, source=0, backend=backend, max_iterations=3)
    error = pending.exception(timeout=1)
    assert error is pending.exception() and error is not None and error.code == "E0803"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del pending  # who has the error needs no warning


def test_what_is_no_time_to_wait_is_told_of_a_run_that_is_over_too() -> None:
    pending = gdsl.compile("bfs").submit(GRAPH, source=3, backend="cpu")
    for timeout in (0, -1, -0.5, np.float64(0), np.int8(-3), float("-inf"), float("inf"), 10**400):
        assert pending.result(timeout=timeout).distance[3] == 0  # type: ignore[arg-type]
    for asks in (pending.result, pending.exception):
        with pytest.raises(TypeError, match="timeout must be a number of seconds"):
            asks(timeout="soon")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="positive number of seconds"):
            asks(timeout=float("nan"))


def test_names_of_results_and_of_other_futures_say_where_to_look() -> None:
    pending = gdsl.compile("bfs").submit(GRAPH, source=0, backend="cpu")
    told = {
        "distance": r"pending\.result\(\)\.distance",
        "cancel": "give `submit` a timeout",
        "running": r"done\(\)",
        "add_done_callback": r"pool\.submit\(pending\.result\)",
        "results": r"it has result\(\), exception\(\) and done\(\)",
    }
    for name, words in told.items():
        with pytest.raises(AttributeError, match=f"a Pending has no '{name}'.*{words}"):
            getattr(pending, name)
    with pytest.raises(AttributeError, match=r"pool\.submit\(pending\.result\)"):
        concurrent.futures.wait([pending])  # type: ignore[list-item]
    assert asyncio.run(_in_a_thread(pending)).distance.tolist() == list(range(12))


async def _in_a_thread(pending: Pending) -> gdsl.Result:
    return await asyncio.to_thread(pending.result)


def test_names_of_the_program_come_first() -> None:
    program = gdsl.compile("pagerank")
    assert program.submit(GRAPH, max_iterations=2, backend="cpu").result().iterations == 2
    with pytest.raises(gdsl.GdslError, match="stopped after 2 passes"):
        program.submit(GRAPH, {}, max_iterations=2, backend="cpu").result()


def test_it_stays_in_its_process() -> None:
    pending = gdsl.compile("bfs").submit(GRAPH, source=0, backend="cpu")
    with pytest.raises(TypeError, match="cannot leave its process"):
        pickle.dumps(pending)
    assert pickle.loads(pickle.dumps(pending.result())).distance.tolist() == list(range(12))
