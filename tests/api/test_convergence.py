"""What is said of runs that end before they converge, and of floats that become infinite or NaN; once for each call."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl import NotConvergedWarning
from gdsl.api.convergence import quiet
from gdsl.program_files import samples

KARATE = gdsl.Graph.read("karate")
PATH = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 3], attributes={"weight": np.ones(3)})
KATZ = gdsl.samples.katz
WITH_TOLERANCE = [name for name, path in samples().items() if re.search(r"param +tolerance\b", Path(path).read_text())]


def said(action: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    assert all(each.category is NotConvergedWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_call_warns_once(backend: str) -> None:
    diverged, limited = {"alpha": 0.5}, {"max_iterations": 3}
    [of_call] = said(lambda: KATZ(KARATE, **diverged, backend=backend))
    assert of_call.startswith("katz did not converge: it ended after 286 passes; `error` is ")
    [of_run] = said(lambda: KATZ.run(KARATE, limited, backend=backend))
    assert of_run.startswith("katz did not converge in 3 passes, the limit that `max_iterations` sets; `error` is ")
    assert not said(lambda: KATZ(KARATE, backend=backend))


def test_a_submitted_run_warns_when_its_result_is_taken() -> None:
    pending = []
    assert not said(lambda: pending.append(KATZ.submit(KARATE, alpha=0.5, backend="reference")))
    assert len(said(lambda: (pending[0].exception(), pending[0].result(), pending[0].result()))) == 1


def test_many_runs_warn_once() -> None:
    values = {"alpha": [0.1, 0.5, 0.6], "backend": "reference"}
    [of_map] = said(lambda: KATZ.map(KARATE, **values))
    assert of_map == "katz did not converge in 2 of 3 runs; the first of them is that with alpha=0.5"
    assert len(said(lambda: list(KATZ.imap(KARATE, **values)))) == 1
    [limited] = said(lambda: list(KATZ.imap(KARATE, max_iterations=[1000, 3, 500], backend="reference")))
    assert "it ended after 3 passes" in limited


def test_runs_that_are_nobodys_own_do_not_warn() -> None:
    def run() -> None:
        with quiet():
            KATZ(KARATE, alpha=0.5, backend="reference")

    assert not said(run)


def test_a_warning_can_be_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotConvergedWarning)
        with pytest.raises(NotConvergedWarning, match="did not converge"):
            KATZ(KARATE, alpha=0.5, backend="reference")


GROWING = "program p; problem {{ input edge weight : float64; {} }} schedule {{ {} }}"
LESS_ITSELF = "compute(vertices, v => { x[v] -= x[v]; });"
SQUARED = "repeat (12) { compute(vertices, v => { x[v] = x[v] * x[v]; }); }"
LEFT = [
    ("vertex x : float64 = 3;", SQUARED, "`x` has 4 values that became infinite, and all inputs are finite"),
    ("vertex x : float32 = 3;", SQUARED + LESS_ITSELF, "`x` has 4 values that became NaN"),
    ("scalar x : float64 = 3;", "repeat (12) { x *= x; }", "`x` became infinite, and all inputs are finite"),
    ("vertex x[2] : float64;", "compute(vertices, v => { x[v][1] = log(float64(0)); });", "`x` has 4 values that"),
    ("vertex x : (float64, int32);", "compute(vertices, v => { x[v] = (sqrt(-1.0), 1); });", "`x.0` has 4 values that"),
    ("vertex x : float64 = inf;", LESS_ITSELF, "`x` has 4 values that became NaN"),
    ("vertex x : float64;", "x = neighbor_reduce(vertices, (src, dst, e) => weight[e] / 0.0, sum);", "infinite"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "schedule", "message"), LEFT)
@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.sampled(5)
def test_floats_that_leave_the_numbers_are_named(problem: str, schedule: str, message: str, backend: str) -> None:
    program = gdsl.compile(GROWING.format(problem, schedule))
    [found] = said(lambda: program(PATH, backend=backend))
    assert found.startswith("p: ") and message in found


@pytest.mark.parametrize(
    ("problem", "schedule", "weight"),
    [
        ("vertex x : float64 = inf;", "x = neighbor_reduce(vertices, (src, dst, e) => weight[e] * 2, sum);", 1),
        ("vertex x : float64;", "x = neighbor_reduce(vertices, (src, dst, e) => weight[e] * 2, min);", 1),
        ("vertex x : float64;", "compute(vertices, v => { x[v] = v == 1 ? inf : 2.0 * 3; });", 1),
        ("vertex x : float64;", "x = neighbor_reduce(vertices, (src, dst, e) => weight[e] * 2, sum);", np.inf),
        ("vertex x : float64;", "x = neighbor_reduce(vertices, (src, dst, e) => weight[e] * 2, sum);", np.nan),
        (
            "vertex x : float32 = 3e38;",
            "compute(vertices, v => { x[v] = x[v] * 1; });",
            1,
        ),  # their sum overflows
    ],
)
def test_infinities_that_the_program_or_the_caller_has_are_not(problem: str, schedule: str, weight: float) -> None:
    program = gdsl.compile(GROWING.format(problem, schedule))
    assert not said(lambda: program(PATH, weight=np.full(3, weight), backend="reference"))


def test_nan_of_infinite_inputs_is_named() -> None:
    schedule = "x = neighbor_reduce(vertices, (src, dst, e) => weight[e] - weight[e], sum);"
    program = gdsl.compile(GROWING.format("vertex x : float64;", schedule))
    [found] = said(lambda: program(PATH, weight=np.full(3, np.inf), backend="reference"))
    assert "`x` has 3 values that became NaN, and no input is NaN" in found


def test_shortest_paths_are_not_looked_at() -> None:
    for name in ("sssp", "bfs", "connected_components"):
        assert gdsl.compile(name)._results.watch.is_idle, name


def test_the_command_prints_a_line(capfd: pytest.CaptureFixture[str]) -> None:
    from gdsl.cli.main import main

    assert main(["run", "katz", "karate", "-p", "alpha=0.5", "--backend", "reference"]) == 0
    assert "warning: katz did not converge: it ended after 286 passes" in capfd.readouterr().err
    assert main(["run", "katz", "karate", "--each", "alpha=0.1,0.5", "--backend", "reference"]) == 0
    assert "warning: katz did not converge in 1 of 2 runs" in capfd.readouterr().err


@pytest.mark.parametrize("name", WITH_TOLERANCE)
def test_no_run_is_settled_before_it_began(name: str) -> None:
    """With `katz` at tolerance=inf there was no pass: NaN everywhere, and `converged`."""
    program = getattr(gdsl.samples, name)
    values = {"sites": [0]} if "sites" in program.params else {}
    with pytest.raises(gdsl.GdslError) as caught:
        program(KARATE, **values, tolerance=float("inf"), backend="reference")
    assert caught.value.code == "E0608"
