"""The document of a profile: everything known about a run, as JSON holds it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.api.description import doubt_of, parts_of_data, results_of
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.api.tuned import device_of
from gdsl.backends.gpu_lanes import GpuLanes
from gdsl.backends.interface import Build, TraceRecord
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import Direction, Grade
from gdsl.records import dataclass
from gdsl.source import Source, Span
from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl.backends.workers.lanes import Lanes
    from gdsl.plan.nodes import Compare, Plan, Switch

KIND, FORMAT = "gdsl profile", 3
MOST_RECORDS = 20_000
"""The most records of a profile; totals by operator cover the whole trace."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run with everything that a profile reports; times in milliseconds."""

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


_KERNEL_FIELDS = ("name", "registers", "local", "shared", "resident", "threads", "most")


def document_of(run: Run) -> dict[str, Any]:
    """The document. Places in texts are lines from 1, times milliseconds with six digits, memory bytes."""
    result, build = run.result, run.build
    start, trace = _without_start(run.trace)
    document = {
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
        "trace": _columns(trace[:MOST_RECORDS], Reasons(build.plan, run.graph)),
        "lanes": _lanes(result.lanes),
        "plan": _plan(build),
        "source": {"language": build.language, "text": build.text},
        "facts": [list(fact) for fact in build.facts],
        "kernels": [{field: getattr(kernel, field) for field in _KERNEL_FIELDS} for kernel in build.kernels],
        "memory": run.memory,
        "results": _results(run.program, result),
    }
    return {**document, "digest": digest_of(document)}


def digest_of(document: Mapping[str, Any]) -> str:
    """A digest of all that a document says besides its digest, however it is laid out as JSON."""
    fields = {name: value for name, value in document.items() if name != "digest"}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _program(name: str, source: Source) -> dict[str, Any]:
    imports = [{"file": each.name, "text": each.text} for each in source.imported or ()]
    return {"name": name, "file": source.name, "text": source.text, "imports": imports}


def _without_start(trace: tuple[TraceRecord, ...]) -> tuple[float | None, tuple[TraceRecord, ...]]:
    """The time before the first operator, such as that of initial values, apart from the trace."""
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
    """The records as columns of equal length. A `pass` is a sequence of records in which no operator occurs twice: one
    round of an innermost loop, or what is outside all loops. Passes are counted from 1."""
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


def _lanes(lanes: Lanes | GpuLanes | None) -> list[dict[str, Any]] | None:
    """What each of several GPUs did: totals, and columns as long as those of the trace. Members are null where they are
    not known."""
    if not isinstance(lanes, GpuLanes):
        return None
    return [
        {
            "name": gpu,
            "compute_ms": _ms(float(lanes.compute_ms[place].sum())),
            "waiting_ms": _ms(float(lanes.waiting_ms[place].sum())),
            "members": lanes.members_of(place),
            "columns": {
                "compute_ms": [_ms(each) for each in lanes.compute_ms[place, :MOST_RECORDS].tolist()],
                "waiting_ms": [_ms(each) for each in lanes.waiting_ms[place, :MOST_RECORDS].tolist()],
                "members": [each if each >= 0 else None for each in lanes.members[place, :MOST_RECORDS].tolist()],
            },
        }
        for place, gpu in enumerate(lanes.gpus)
    ]


def lanes_in(document: dict[str, Any]) -> GpuLanes | None:
    """The lanes of a document, for as many records as it has."""
    if not document.get("lanes"):
        return None
    labels = {each["site"]: each["operator"] for each in document["operators"]}
    columns = [each["columns"] for each in document["lanes"]]
    members = [[-1 if n is None else n for n in each["members"]] for each in columns]
    return GpuLanes(
        tuple(each["name"] for each in document["lanes"]),
        tuple(labels[site] for site in document["trace"]["site"]),
        numpy.array([each["compute_ms"] for each in columns], numpy.float64),
        numpy.array([each["waiting_ms"] for each in columns], numpy.float64),
        numpy.array(members, numpy.int64),
    )


def _results(program: Program, result: Result) -> list[dict[str, Any]]:
    data = {part.name: part for declared in results_of(program.ir) for part in parts_of_data(declared)}
    results = []
    for each in result.summary():
        declared = data[each.name]
        doubt = doubt_of(declared) if declared.grade is Grade.NOT_UNIQUE else ""
        figures = {"minimum": each.minimum, "maximum": each.maximum, "mean": each.mean}
        apart = {"infinite": each.infinite, "lowest": each.lowest, "nan": each.nans, "none": each.nones}
        results.append(
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
    return results


def _number(value: bool | int | float | None) -> bool | int | float | None:
    """A number for JSON, which has no `inf`; numbers that JavaScript would round become floats."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value


# Operators


def operators_of(program: Program, build: Build, trace: Sequence[TraceRecord]) -> list[dict[str, Any]]:
    """Each operator in the order of the text: what it is, where it is written, and totals over its runs.

    `lines` are the first and last line of its call, `functor` those of its functor, each in the file `file` (empty for
    the program's own). `inside`: the site of the operator in whose sweep it runs, and whose time includes its own.
    """
    rules, inside = ({}, {}) if build.plan is None else (_rules(build.plan), _inside(build.plan))
    rows = []
    for step in _operators(program.ir, build.plan):
        records = [record for record in trace if record.site == step.site]
        functor = _functor(program.ir, step)
        rows.append(
            {
                "site": step.site,
                "operator": step.label,
                "does": step.word,
                "call": program.text.excerpt(step.span.written),
                "file": step.span.file,
                "lines": [step.span.line, step.span.end_line],
                "functor": functor,
                "inside": inside.get(step.site),
                "rule": rules.get(step.site, []),
                "runs": len(records),
                "time_ms": _total(record.time_ms for record in records),
                "before_ms": _total(record.before_ms for record in records),
                "waiting_ms": _total(record.waiting_ms for record in records),
                "frontier": sum(record.frontier_size for record in records),
                "edges": sum(record.edges for record in records),
            }
        )
    return rows


def _operators(program: ir.Program, plan: Plan | None) -> Iterator[ir.Operator]:
    """The operators of `program`, each with those that the plan has in addition for the same call."""
    own = [step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)]
    sites = {step.site for step in own}
    planned = all_steps(plan.program.schedule) if plan is not None else ()
    added: dict[Span, list[ir.Operator]] = {}
    for step in planned:
        if isinstance(step, ir.Operator) and step.site not in sites:
            added.setdefault(step.span, []).append(step)
    for step in own:
        yield step
        yield from added.pop(step.span, ())


def _total(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 6) if known else None


def _functor(program: ir.Program, step: ir.Operator) -> dict[str, Any] | None:
    """The lines of an operator's functor, if the program has it."""
    name = getattr(step, "functor", None)
    spans = [
        node.span.written
        for functor in program.functors
        if functor.name == name
        for node in (functor, *walk(functor))
        if node.span.line > 0
    ]
    if not spans:
        return None
    file = spans[0].file
    own = [span for span in spans if span.file == file]
    return {"file": file, "lines": [min(span.line for span in own), max(span.end_line for span in own)]}


def _rules(plan: Plan) -> dict[int, list[str]]:
    """What the plan prints of each operator, by site."""
    from gdsl.plan.printer_sweeps import print_operation
    from gdsl.plan.walking import operations

    return {each.step.site: print_operation(each, plan) for each in operations(plan)}


def _inside(plan: Plan) -> dict[int, int]:
    """For operators that run in the sweep of another one, its site."""
    from gdsl.plan.walking import operations

    return {fused.step.site: each.step.site for each in operations(plan) for fused in each.fused}


# Why an operator pushed or pulled


@dataclasses.dataclass
class _State:
    """What a switch remembers, as `direction_state` of the generated code does."""

    unvisited: int
    pull: bool = False


class Reasons:
    """Why operators pushed or pulled: what their switches compared, recomputed from the records of a trace in order."""

    def __init__(self, plan: Plan | None, graph: Graph) -> None:
        """Nothing is known without a plan, or where operators run on graphs other than `graph`."""
        self._vertices, self._edges = graph.num_vertices, graph.num_edges
        self._switches = {} if plan is None or plan.graphs else _switches(plan)
        self._states: dict[int, _State] = {}

    def of(self, record: TraceRecord) -> str | None:
        """The reason in words with numbers; None where there was no choice, or the trace does not explain it."""
        switch = self._switches.get(record.site)
        if switch is None or record.direction is None:
            return None
        state = self._states.get(record.site)
        if state is None or record.iteration == 0:
            state = self._states[record.site] = _State(self._edges)
        state.unvisited -= min(state.unvisited, record.edges)
        tests = [(each, *self._sides(each, record, state)) for each in (switch.stay if state.pull else switch.enter)]
        failed = [test for test in tests if not _holds(*test)]
        state.pull = record.direction is Direction.PULL
        if state.pull is bool(failed):
            return None
        words = " and ".join(_words(*test, holds=not failed) for test in (failed[:1] or tests))
        return f"{record.direction.value}, as {words}"

    def _sides(self, compare: Compare, record: TraceRecord, state: _State) -> tuple[int, int]:
        from gdsl.plan.nodes import Measure

        values = {
            Measure.SIZE: record.frontier_size,
            Measure.EDGES: record.edges,
            Measure.UNVISITED: state.unvisited,
            Measure.VERTICES: self._vertices,
            Measure.LOOKS: self._vertices
            + min(state.unvisited, state.unvisited**2 * self._vertices // max(self._edges * record.edges, 1)),
        }
        return values[compare.left], values[compare.right]


def _switches(plan: Plan) -> dict[int, Switch]:
    from gdsl.plan.nodes import Choice
    from gdsl.plan.walking import operations

    return {each.step.site: each.does.test for each in operations(plan) if isinstance(each.does, Choice)}


def _holds(compare: Compare, left: int, right: int) -> bool:
    product = compare.factor * left
    return product > right if compare.strict else product >= right


def _words(compare: Compare, left: int, right: int, *, holds: bool) -> str:
    factor = f"{compare.factor} × " if compare.factor != 1 else ""
    sign = (">" if compare.strict else "≥") if holds else ("≤" if compare.strict else "<")
    return (
        f"{factor}{left:,} {compare.left.value} {sign} {right:,} {_RIGHT.get(compare.right.value, compare.right.value)}"
    )


_RIGHT = {"V": "vertices"}
