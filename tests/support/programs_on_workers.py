"""Runs samples on workers against what they must answer; as a program, on the ranks that `mpiexec` starts."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gdsl
from gdsl.clusters.session import Workers
from gdsl.communicator import Communicator
from gdsl.graph import Graph
from tests.oracles import LIBRARY, SAMPLES, Case
from tests.support.graphs import named_graphs

PROGRAMS = {case.name: case for case in (*SAMPLES, *LIBRARY)}
_GRAPHS = named_graphs()
_PASSES = 1000
_CLOSE = {"exact": 0.0, "tried": 0.0, "rounding": 1e-4, "converged": 1e-3}
"""How much floats of a grade may differ from those of one worker, relative to the largest; of whole numbers those of
the first two grades are equal."""


def compile_quickly(communicator: Communicator, report: object) -> None:
    """A task for workers: from now on the cpu backend compiles without optimization, as in other tests."""
    from gdsl.native import compiler
    from tests.support.headers import included

    quick = tuple("-O0" if option == "-O3" else option for option in compiler.OPTIONS)
    compiler.OPTIONS = (*quick, *included(quick))


def graphs_for(case: Case, count: int) -> Iterator[tuple[str, Graph]]:
    """So many of the named graphs that suit a program, others for each program."""
    suiting = [(name, graph) for name, graph in _GRAPHS.items() if case.suits(graph)]
    first = sum(map(ord, case.name))
    yield from (suiting[(first + 5 * place) % len(suiting)] for place in range(min(count, len(suiting))))


def check_program(name: str, workers: Workers, count: int) -> None:
    """Run a sample on so many graphs: its oracle accepts what workers answer, and, as far as the grade of a result says
    so, it is what one worker answers."""
    case = PROGRAMS[name]
    program = gdsl.compile(case.path)
    for graph_name, graph in graphs_for(case, count):
        values = case.values(graph, 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", gdsl.NotConvergedWarning)
                result = workers.run(program, graph, values, max_iterations=_PASSES)
                alone = program.run(graph, values, backend="reference", max_iterations=_PASSES)
            case.check(graph, values, {**result.scalars, **result.host_arrays()})
            _compare(result, alone)
        except Exception as error:
            raise AssertionError(f"{name} on {graph_name}: {type(error).__name__}: {error}") from error


def check_resumed(name: str, workers: Workers, folder: Path, passes: int = 2) -> bool:
    """Stop a sample after so many passes, and let it go on from the checkpoint: it ends as if it had not been stopped.
    Whether it has so many passes, and a state between them."""
    case = PROGRAMS[name]
    program = gdsl.compile(case.path)
    graph_name, graph = max(graphs_for(case, 3), key=lambda each: each[1].num_edges)
    values = case.values(graph, 1)
    options: dict[str, Any] = {"checkpoint": folder / name, "every": 1}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gdsl.NotConvergedWarning)
            try:
                workers.run(program, graph, values, max_iterations=passes, **options)
                return False  # it has ended
            except gdsl.GdslError as error:
                assert error.code == "E0803", error
            if not (folder / name / "checkpoint.json").exists():  # it was an inner loop
                return False
            result = workers.run(program, graph, values, max_iterations=_PASSES, resume=True, **options)
            whole = workers.run(program, graph, values, max_iterations=_PASSES)
        case.check(graph, values, {**result.scalars, **result.host_arrays()})
        _compare(result, whole)
        assert result.iterations == whole.iterations and not (folder / name / "checkpoint.json").exists()
    except Exception as error:
        raise AssertionError(f"{name} on {graph_name}: {type(error).__name__}: {error}") from error
    return True


def _compare(result: gdsl.Result, alone: gdsl.Result) -> None:
    own: dict[str, Any] = {**result.numbers(), **result.host_arrays()}
    other: dict[str, Any] = {**alone.numbers(), **alone.host_arrays()}
    assert own.keys() == other.keys()
    grades = {summary.name: summary.grade for summary in result.summary()}
    for name, values in own.items():
        first, second = np.asarray(values), np.asarray(other[name])
        assert first.shape == second.shape, name
        if grades[name] not in _CLOSE:
            continue
        tolerance = _CLOSE[grades[name]]
        if not tolerance or first.dtype.kind != "f":
            assert np.array_equal(first, second, equal_nan=first.dtype.kind == "f"), name
        else:
            finite = np.isfinite(second)
            largest = float(np.abs(second[finite]).max()) if finite.any() else 0.0
            assert np.allclose(first, second, rtol=tolerance, atol=tolerance * largest, equal_nan=True), name


def _main() -> int:
    failed = 0
    with gdsl.cluster(mpi=True) as workers:
        workers._group.run(compile_quickly, lambda rank: ())
        for name in PROGRAMS:
            try:
                check_program(name, workers, 2)
                print(f"{name}: passed", flush=True)
            except AssertionError:
                failed += 1
                print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(_main())
