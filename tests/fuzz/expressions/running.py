"""The same program on every backend that was asked for, and the comparison of what comes out."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy

from fuzz.expressions.programs import REDUCED, Data, Program, Target
from gdsl.api.summary import on_host
from gdsl.backends import registry
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.binding.expressions import Evaluator
from gdsl.ir import nodes as ir
from gdsl.operations import Degree, Domain
from gdsl.pipeline import load
from gdsl.plan.target import Sizes

Results = Mapping[str, Any]
Runner = Callable[[ir.Program, Data], Results]

NAMES = ("reference", "binding", "cpu", "emulator", "cuda")
"""What can evaluate expressions; `binding` is what evaluates defaults and `where` before a run."""

_PARALLEL = Sizes(small_work=0)
_BEFORE_A_RUN = ("default", "initial")
_ULPS = 4
_WORDS: dict[str, tuple[Any, int]] = {"float32": (numpy.dtype("uint32"), 31), "float64": (numpy.dtype("uint64"), 63)}


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not what the language says."""

    backend: str
    target: Target
    place: int
    expected: Any
    found: Any


def differences(program: Program, data: Data, backends: Sequence[str]) -> Iterator[Difference]:
    """What differs from the language's page, backend by backend. Raises what compiling or a run raises."""
    with own_cache(), numpy.errstate(all="ignore"):
        expected = program.expected(data)
        lowered = _lowered(program.text())
        for backend in backends:
            results = runner(backend)(lowered, data)
            for target in program.targets:
                if backend == "binding" and target.place not in _BEFORE_A_RUN:
                    continue
                for name in REDUCED if target.place == "reduced" else (target.name,):
                    yield from _different(backend, target, expected[name], results[name])


@lru_cache(maxsize=4)
def _lowered(text: str) -> ir.Program:
    """A program is often run on several data."""
    return load(text)


def _different(backend: str, target: Target, expected: list[Any], found: Any) -> Iterator[Difference]:
    values = numpy.atleast_1d(on_host(found))
    wanted = numpy.array(expected, dtype=target.tree.type)
    if values.dtype != wanted.dtype:
        values = values.astype(wanted.dtype)
    ulps = _ULPS if target.is_nearly else 0
    for place in numpy.flatnonzero(apart(wanted, values) > ulps)[:1]:
        yield Difference(backend, target, int(place), wanted[place], values[place])


def apart(first: Any, second: Any) -> Any:
    """How many values of their type lie between two arrays' elements; NaN is NaN, and 0.0 is not -0.0."""
    if first.dtype.kind != "f":
        return (first != second).astype(float)
    word, shift = _WORDS[str(first.dtype)]
    one, two = first.view(word), second.view(word)
    same_sign = one >> word.type(shift) == two >> word.type(shift)
    sizes = [side & word.type((1 << shift) - 1) for side in (one, two)]
    between = numpy.where(same_sign, numpy.maximum(*sizes) - numpy.minimum(*sizes), sizes[0] + sizes[1] + word.type(1))
    distance = numpy.where((first == 0) & (second == 0) & ~same_sign, numpy.inf, between.astype(float))
    both = numpy.isnan(first) & numpy.isnan(second)
    either = numpy.isnan(first) | numpy.isnan(second)
    return numpy.where(either, numpy.where(both, 0.0, numpy.inf), distance)


@contextmanager
def own_cache() -> Iterator[None]:
    """Keep random programs out of the user's cache."""
    before = os.environ.get("GDSL_CACHE_DIR")
    os.environ["GDSL_CACHE_DIR"] = _directory().name
    try:
        yield
    finally:
        if before is None:
            del os.environ["GDSL_CACHE_DIR"]
        else:
            os.environ["GDSL_CACHE_DIR"] = before


@cache
def _directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gdsl-fuzz-", ignore_cleanup_errors=True)


# Backends


def runner(backend: str) -> Runner:
    """What runs a program on `backend`."""
    if backend == "binding":
        return _binding
    if backend == "emulator":
        return _emulator()
    built = CpuBackend(_PARALLEL) if backend == "cpu" else registry.get(backend)

    def run(program: ir.Program, data: Data) -> Results:
        bindings = bind(program, data.graph, data.given_to(program), id_bits=32)
        outcome = built.build(program, 32).run(data.graph, bindings, Limits())
        return {**outcome.arrays, **outcome.scalars}

    return run


def missing(backend: str) -> str | None:
    """Why `backend` cannot run here; None where it can."""
    if backend == "emulator":
        return None if (checkout() / "tests" / "emulator").is_dir() else "there is no checkout with tests/emulator"
    if backend == "binding":
        return None
    if backend == "teams":
        return missing("emulator")
    backend = {"workers": "cpu", "words": "cpu"}.get(backend, backend)
    found = registry.availability(backend)
    return None if found.ok else found.detail


def require(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise ValueError for the first of `names` that is none of those `known`, or that cannot run here."""
    for name in names:
        if name not in known:
            raise ValueError(f"there is no backend {name}; there are {', '.join(known)}")
        reason = missing(name)
        if reason is not None:
            raise ValueError(f"{name} cannot run here: {reason}")


def checkout() -> Path:
    """The root of the repository that gdsl is imported from, if it is one."""
    return Path(__file__).resolve().parents[3]


def _binding(program: ir.Program, data: Data) -> Results:
    """The initial values as a `where` would be evaluated: on whole arrays, before a run."""
    graph = data.graph
    bindings = bind(program, graph, data.given_to(program), id_bits=32)
    degrees = {Degree.OUT: graph.out_degrees, Degree.IN: graph.in_degrees}
    counts = {Domain.VERTEX: graph.num_vertices, Domain.EDGE: graph.num_edges}
    functions = {function.name: function for function in program.functions}
    evaluator = Evaluator(numpy, functions, bindings.params, counts, bindings.inputs.__getitem__, degrees.__getitem__)
    results = {}
    for array in program.arrays:
        if array.initial is not None:
            values = evaluator.values(array.initial, 0, graph.num_vertices)
            results[array.name] = numpy.broadcast_to(values, graph.num_vertices)
    return results


def _emulator() -> Runner:
    """The generated CUDA on the CPU, as the tests run it."""
    folder = str(checkout() / "tests")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    running = importlib.import_module("emulator.running")

    def run(program: ir.Program, data: Data) -> Results:
        built = running.emulated(program)
        bindings = bind(program, data.graph, data.given_to(program), id_bits=32)
        outcome = built.run(data.graph, bindings, running.device_for(1))
        return {**outcome.arrays, **outcome.scalars}

    return run
