"""What `gdslc explain distribution PROGRAM` says of the time and the memory to expect."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from gdsl.backends import cpu, cuda
from gdsl.clusters.model import gpus, memory, workers
from gdsl.clusters.model.gpus import Time
from gdsl.clusters.model.machine import H200, INFINIBAND
from gdsl.clusters.model.profile import Profile, class_of, of_one_pass, of_trace
from gdsl.ir.nodes import Program
from gdsl.plan.graph_class import GENERAL
from gdsl.plan.nodes import Plan
from gdsl.plan.walking import operations
from gdsl.records import dataclass

USUAL = 1 << 24, 1 << 29
"""Vertices and stored edges where nothing else is said."""
_GPUS, _WORKERS = (1, 2, 4, 8), (8, 64, 1024)
_LIMITS = {
    "far": "accesses of other GPUs' memory",
    "copies": "copies",
    "barriers": "barriers",
    "results": "results",
    "launch": "starting kernels",
}
_A_FIFTH = 0.2


class RunFileError(ValueError):
    """A file is not the report of a run of the program."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What a run walked, as `gdslc run PROGRAM GRAPH --json` reports it."""

    vertices: int
    edges: int
    records: tuple[tuple[int, int, int], ...]
    seconds: float | None
    """Of the run, if it was on one GPU."""


def read_run(text: str, program: Program) -> Walked:
    """The report of a run. Raises RunFileError."""
    try:
        document = json.loads(text)
        if document["program"] != program.name:
            raise RunFileError(f"it is from a run of {document['program']!s:.80}, not of {program.name}")
        graph, trace = document["graph"], document["trace"]
        records = tuple((each["site"], each["frontier"], each["edges"]) for each in trace)
        seconds = document["time_ms"]["run"] / 1000 if document["backend"] == "cuda" else None
        numbers: list[Any] = [graph["vertices"], graph["edges"], *(number for each in records for number in each)]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, RunFileError):
            raise
        raise RunFileError("it is not what 'gdslc run PROGRAM GRAPH --json' prints") from None
    are_counts = all(type(each) is int and 0 <= each < 1 << 63 for each in numbers)
    if not are_counts or (seconds is not None and not 0 < seconds < math.inf):
        raise RunFileError("it is not what 'gdslc run PROGRAM GRAPH --json' prints")
    if not graph["vertices"] or not graph["edges"] or not records:
        raise RunFileError("the run has walked no edges")
    return Walked(graph["vertices"], graph["edges"], records, seconds)


def expected(program: Program, size: tuple[int, int] | None, run: Walked | None) -> Iterator[str]:
    """Lines on a graph of so many vertices and stored edges, by default that of `run`, or a usual one."""
    vertices, edges = size or ((run.vertices, run.edges) if run is not None else USUAL)
    of_gpus, of_workers = cuda.plan_of(program, several_gpus=True, verify=False), cpu.plan_of(program, workers=True)
    profile, what = _profile(of_gpus, vertices, edges, run)
    if (graph := class_of(of_gpus, profile)) != GENERAL:
        of_gpus = cuda.plan_of(program, several_gpus=True, verify=False, graph=graph)
        profile, what = _profile(of_gpus, vertices, edges, run)
    one = run.seconds if run is not None and (run.vertices, run.edges) == (vertices, edges) else None
    yield f"expected with {vertices:,} vertices and {edges:,} stored edges, {what}:"
    rows = list(_rows(of_gpus, of_workers, profile, one))
    longest = max(len(name) for name, _ in rows)
    yield from (f"    {name.ljust(longest)}  {text}" for name, text in rows)


def _profile(plan: Plan, vertices: int, edges: int, run: Walked | None) -> tuple[Profile, str]:
    if run is None:
        return of_one_pass(plan, vertices, edges), "where each operator runs once on all of them"
    walked = of_trace(plan, run.vertices, run.edges, run.records)
    same = (run.vertices, run.edges) == (vertices, edges)
    how = "as in that run" if same else f"scaled from a run with {run.edges:,} stored edges"
    return (walked if same else walked.scaled(vertices, edges)), how


def _rows(of_gpus: Plan, of_workers: Plan, profile: Profile, one: float | None) -> Iterator[tuple[str, str]]:
    vertices, edges = profile.vertices, profile.edges
    alone = 0.0
    for count in _GPUS:
        by_site = gpus.predict(of_gpus, profile, count, one=one)
        time = gpus.total(by_site)
        alone = alone or time.seconds
        held = _held(memory.of_gpu(of_gpus, vertices, edges, count))
        if count == 1:
            yield "one H200", f"{_duration(time.seconds)}, {held}"
            continue
        faster = f"{_duration(time.seconds)}, {alone / time.seconds:.2f} times as fast, {held} each"
        later = ", later runs by one" if gpus.is_left_to_one(time, alone, profile) else ""
        yield f"{count} of one host", faster + later + _limit(of_gpus, by_site, time)
    rest, lists = memory.with_lists_in_host(of_gpus, vertices, edges)
    seconds = gpus.from_host(of_gpus, profile, 1.0, one=one).seconds
    yield "lists in the host's memory", f"{_duration(seconds)}, {_held(rest)}, and {_size(lists)} in the host"
    for count in _WORKERS:
        told = workers.predict(of_workers, of_gpus, profile, count, INFINIBAND, one=one)
        faster = f"{_duration(told.seconds)}, {alone / told.seconds:.2f} times as fast"
        held = _held(memory.of_worker(of_workers, vertices, edges, count))
        sends = f", each sends {_size(told.sent)}" if told.sending + told.meeting > told.computing else ""
        yield f"{count:,} hosts, InfiniBand", f"{faster}, {held} each{sends}"


def _limit(plan: Plan, by_site: dict[int, Time], time: Time) -> str:
    """What takes most of the time beside own work, if that is a fifth or more."""
    parts = {name: getattr(time, name) for name in _LIMITS}
    name = max(parts, key=lambda each: parts[each])
    if parts[name] < _A_FIFTH * time.seconds:
        return ""
    site = max(by_site, key=lambda each: getattr(by_site[each], name))
    step = next((each.step for each in operations(plan) if each.step.site == site), None)
    where = "" if step is None else f" of {step.word} @{step.label} ({step.span.words})"
    return f"; {parts[name] / time.seconds:.0%} are {_LIMITS[name]}{where}"


def _duration(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{_three(seconds * factor)} {unit}"
    return f"{_three(seconds * 1e6)} µs"


def _held(nbytes: float) -> str:
    return _size(nbytes) + (" (too much)" if nbytes > H200.memory else "")


def _size(nbytes: float) -> str:
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if nbytes >= factor:
            return f"{_three(nbytes / factor)} {unit}"
    return f"{_three(nbytes / 1e3)} kB"


def _three(number: float) -> str:
    """Three digits, or all before the point."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
