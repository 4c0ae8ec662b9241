"""The document of a profile: everything that there is to say of a run, as JSON has it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from gdsl.api.description import doubt_of, parts_of_data, results_of
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.api.tuned import device_of
from gdsl.backends.interface import Build, TraceRecord
from gdsl.graph import Graph
from gdsl.operations import Grade
from gdsl.profiling.operators import operators_of
from gdsl.profiling.reasons import Reasons
from gdsl.records import dataclass
from gdsl.source import Source
from gdsl.version import __version__

KIND, FORMAT = "gdsl profile", 2
KEPT = 20_000
"""Records that a profile has; sums by operator are over all that were traced."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run with everything that a profile speaks of; times in milliseconds."""

    program: Program
    graph: Graph
    graph_name: str
    params: dict[str, str]
    result: Result
    time_ms: float
    trace: tuple[TraceRecord, ...]
    all_ms: tuple[float, ...]
    load_ms: float | None
    compile_ms: float
    build: Build
    memory: dict[str, Any] | None
    when: str


_OF_A_KERNEL = ("name", "registers", "local", "shared", "resident", "threads", "most")


def gathered(run: Run) -> dict[str, Any]:
    """The document. Places in texts are lines from 1, times milliseconds with six digits, memory bytes."""
    result, build = run.result, run.build
    start, trace = _without_start(run.trace)
    return {
        "kind": KIND,
        "format": FORMAT,
        "gdsl": __version__,
        "when": run.when,
        "program": _program(run.program.name, run.program.text),
        "graph": {
            "name": run.graph_name,
            "vertices": run.graph.num_vertices,
            "edges": run.graph.num_edges,
            "directed": run.graph.directed,
        },
        "params": run.params,
        "knobs": list(run.program.knobs),
        "tuned": None if result.tuned is None else {**result.tuned._asdict(), "used": result.tuned.used},
        "backend": result.backend,
        "backend_reason": result.backend_line or None,
        "device": device_of(result.backend),
        "time_ms": {
            "load": _ms(run.load_ms),
            "compile": _ms(run.compile_ms),
            "layout": _ms(result.layout_ms),
            "run": _ms(run.time_ms),
            "start": _ms(start),
            "runs": [_ms(each) for each in run.all_ms],
        },
        "iterations": result.iterations,
        "operators": operators_of(run.program, build, trace),
        "records": len(trace),
        "trace": _columns(trace[:KEPT], Reasons(build.plan, run.graph)),
        "plan": _plan(build),
        "source": {"language": build.language, "text": build.text},
        "facts": [list(fact) for fact in build.facts],
        "kernels": [{field: getattr(kernel, field) for field in _OF_A_KERNEL} for kernel in build.kernels],
        "memory": run.memory,
        "results": _results(run.program, result),
    }


def _program(name: str, source: Source) -> dict[str, Any]:
    imports = [{"file": each.name, "text": each.text} for each in source.imported or ()]
    return {"name": name, "file": source.name, "text": source.text, "imports": imports}


def _without_start(trace: tuple[TraceRecord, ...]) -> tuple[float | None, tuple[TraceRecord, ...]]:
    """What lies before the first operator, such as giving all data its first values, by itself."""
    if not trace or trace[0].before_ms is None:
        return None, trace
    first = dataclasses.replace(trace[0], before_ms=0.0)
    return trace[0].before_ms, (first, *trace[1:])


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _plan(build: Build) -> str | None:
    from gdsl.plan.printer import print_plan

    return None if build.plan is None else print_plan(build.plan)


def _columns(trace: Sequence[TraceRecord], reasons: Reasons) -> dict[str, list[Any]]:
    """The records as columns of equal length. A `pass` is a run of records of which none is of an operator that was
    there before: one round of an innermost loop, or what stands outside of all. Passes are counted from 1."""
    names = "pass", "iteration", "site", "frontier", "edges", "direction", "balance", "order", "why"
    columns: dict[str, list[Any]] = {name: [] for name in (*names, "time_ms", "before_ms", "waiting_ms")}
    number, seen, last = 0, set[int](), None
    for record in trace:
        if record.iteration != last or record.site in seen:
            number, seen, last = number + 1, set(), record.iteration
        seen.add(record.site)
        values = (
            number,
            record.iteration,
            record.site,
            record.frontier_size,
            record.edges,
            record.direction.value if record.direction else None,
            record.balance.value if record.balance else None,
            record.order.value if record.order else None,
            reasons.of(record),
            *(_ms(each) for each in (record.time_ms, record.before_ms, record.waiting_ms)),
        )
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    return columns


def _results(program: Program, result: Result) -> list[dict[str, Any]]:
    data = {part.name: part for declared in results_of(program.ir) for part in parts_of_data(declared)}
    found = []
    for each in result.summary():
        declared = data[each.name]
        doubt = doubt_of(declared) if declared.grade is Grade.NOT_UNIQUE else ""
        figures = {"minimum": each.minimum, "maximum": each.maximum, "mean": each.mean}
        apart = {"infinite": each.infinite, "lowest": each.lowest, "nan": each.nans, "none": each.nones}
        found.append(
            {
                "name": each.name,
                "type": each.type,
                "size": each.size,
                **{name: _number(value) for name, value in figures.items()},
                "apart": {name: count for name, count in apart.items() if count},
                "grade": each.grade,
                "reason": doubt or None,
            }
        )
    return found


def _number(value: bool | int | float | None) -> bool | int | float | None:
    """As JSON has it, which has no `inf`; numbers that JavaScript rounds are floats."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value
