"""`gdsl.profile`: runs a program and reports where the time went."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from gdsl import deadline
from gdsl.api.arguments import limits, named_values
from gdsl.api.compiling import compile as compile_program
from gdsl.api.convergence import quiet
from gdsl.api.program import Program
from gdsl.backends import registry
from gdsl.backends.gpus import with_lanes
from gdsl.backends.measuring import measured
from gdsl.diagnostics import GdslError, shown
from gdsl.graph import as_graph
from gdsl.profiling.document import Run, document_of
from gdsl.profiling.last import keep_times
from gdsl.profiling.report import Profile
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.api.result import Result
    from gdsl.backends.interface import TraceRecord

MOST_RUNS = 1000


@dataclass(frozen=True, slots=True)
class _Measured:
    """A run, without its results."""

    time_ms: float
    result: Result
    trace: tuple[TraceRecord, ...]


def profile(
    program: Program | str | os.PathLike[str],
    graph: Any,
    values: Mapping[str, Any] | None = None,
    /,
    *,
    backend: str = "auto",
    repeat: int = 1,
    timeout: float | None = None,
    max_iterations: int | None = None,
    round: str | Collection[str] | None = None,  # noqa: A002 - as `Program.run` calls it
    memory: int | str | None = None,
    gpus: int | str | Sequence[int] | None = None,
    graph_name: str = "",
    load_ms: float | None = None,
    types: Mapping[str, Any] | None = None,
    **named: Any,
) -> Profile:
    """Run `program` (a `Program`, or what `gdsl.compile` takes) on `graph`, and return the profile of the run.

    Params and inputs are keywords; those named like an option here go into the mapping `values`. `repeat`: the number
    of runs, of which the profile shows the one of median time (of an even number the faster of the two in the middle),
    and the times of all. `timeout` is for all runs together. `graph_name` is the name of the graph in the profile,
    `load_ms` the time it took to load, `types` chooses type parameters, `gpus` runs on several GPUs
    (times are those of the first; the profile has a lane for each). The cache keeps the times of the operators for
    editors. Raises what `Program.run` raises, and ValueError and TypeError for invalid options.
    """
    if isinstance(repeat, bool) or not isinstance(repeat, int):
        raise TypeError(f"repeat must be an int, not {shown(repeat)}")
    if not 1 <= repeat <= MOST_RUNS:
        raise ValueError(f"repeat must be from 1 to {MOST_RUNS:,}, not {shown(repeat)}")
    ready = program if isinstance(program, Program) else compile_program(program)
    if gpus is not None:
        backend = registry.on_gpus(backend, gpus)
    backend = with_lanes(backend)
    graph = as_graph(graph)
    arguments = {**named_values(values), **named}
    runs: list[_Measured] = []
    compile_ms = ready.compile_ms
    limits(timeout, max_iterations, memory)
    how: dict[str, Any] = {"backend": backend, "timeout": timeout, "max_iterations": max_iterations, "round": round}
    how["memory"] = memory
    with deadline.limited(timeout):
        ready = ready.instance(graph, arguments, types)
        for _ in range(repeat):
            with measured(), quiet() if runs else nullcontext():  # warnings of the first run are enough
                result = ready.run(graph, arguments, **how)
            compile_ms += result.compile_ms
            runs.append(_Measured(result.time_ms, result, result.trace))
            if len(runs) > 1:  # the results of one run are enough
                runs[-2] = _Measured(runs[-2].time_ms, result, runs[-2].trace)
    median = sorted(runs, key=lambda run: run.time_ms)[(repeat - 1) // 2]
    tuned, executable = ready.last_run(graph, backend)
    document = document_of(
        Run(
            tuned,
            graph,
            graph_name,
            {name: (value if isinstance(value, str) else shown(value)) for name, value in arguments.items()},
            median.result,
            median.time_ms,
            median.trace,
            tuple(run.time_ms for run in runs),
            load_ms,
            compile_ms,
            executable.build(graph),
            _memory(ready, graph, arguments, backend, round, memory),
            time.strftime("%Y-%m-%d %H:%M:%S"),
        )
    )
    keep_times(tuned.text, document)
    return Profile(document)


def _memory(
    program: Program,
    graph: Any,
    arguments: Mapping[str, Any],
    backend: str,
    rounded: str | Collection[str] | None,
    memory: int | str | None,
) -> dict[str, Any] | None:
    """What `--dry-run` reports; None where the device does not respond."""
    try:
        return program.dry_run(graph, arguments, backend=backend, memory=memory, round=rounded).as_document()
    except GdslError:
        return None
