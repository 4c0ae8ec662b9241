"""gdsl programs on the emulator and on the reference backend, and the comparison of the two."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.reference.interpreter import interpret
from gdsl.codegen.cuda.generate import Generated, Shape, generate
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.passes import pipelines
from gdsl.pipeline import load
from gdsl.types import ScalarType

from .driver import EmulatedDevice, EmulatedModule, Schedule

ROOT = Path(__file__).parents[2]
SMALL = Shape(block_threads=64, hub_degree=8, hub_chunk=5, pull_prefix=2, short_list=3)
"""Numbers so small that small graphs reach every part of the generated code."""


@dataclass(frozen=True)
class Built:
    """A program, compiled for the emulator."""

    program: Program
    ready: Program
    generated: Generated
    module: EmulatedModule
    id_bits: int

    def run(self, graph: Graph, bindings: Bindings, device: EmulatedDevice, limits: Limits | None = None) -> Outcome:
        """One run; raises EmulatorError for anything that the emulator found."""
        on_device = GraphOnDevice(device, graph, self.id_bits)
        blocks = device.multiprocessors
        enactor = Enactor(
            device, self.module.get_function, self.ready, self.generated, graph, on_device, blocks=blocks
        )
        return enactor.run(bindings, limits or Limits())


def program_of(name: str, tune: Sequence[str] = ()) -> Program:
    """The IR of a sample or of a program of tests/programs."""
    path = ROOT / "samples" / f"{name}.gdsl"
    if not path.exists():
        path = ROOT / "tests" / "programs" / f"{name}.gdsl"
    return load(path, tune)


def generate_text(name: str, tune: Sequence[str], shape: Shape, id_bits: int = 32) -> tuple[Program, Program, Generated]:
    """(the program as lowered, after its passes, its CUDA)."""
    program = program_of(name, tune)
    passes = pipelines.CUDA_FUSED if program.tuning.fuse else pipelines.CUDA_UNFUSED
    ready = pipelines.apply(program, passes)
    return program, ready, generate(ready, id_bits, shape)


@cache
def build(name: str, tune: tuple[str, ...] = (), shape: Shape = SMALL, id_bits: int = 32, coverage: bool = False) -> Built:
    """A sample or program of the tests, compiled."""
    program, ready, generated = generate_text(name, tune, shape, id_bits)
    module = EmulatedModule(generated.text, f"{program.name}.cu", coverage)
    return Built(program, ready, generated, module, id_bits)


def device_for(seed: int, blocks: int = 3, stride: int = 0) -> EmulatedDevice:
    """A device whose launches take turns by `seed`."""
    return EmulatedDevice(blocks, Schedule(seed=seed, stride=stride))


# Comparison


@dataclass(frozen=True)
class Expected:
    """What the reference gives under several orders."""

    outcome: Outcome
    trace: tuple[tuple[int, int, int, int], ...] | None
    """(site, iteration, frontier size, edges) of each operator; None where the orders differ."""


def expect(program: Program, graph: Graph, bindings: Bindings, id_bits: int = 32, orders: int = 3) -> Expected:
    """Interpret the program under some orders."""
    outcomes = [interpret(program, graph, bindings, Limits(), id_bits=id_bits, seed=seed) for seed in range(orders)]
    traces = {trace_of(outcome) for outcome in outcomes}
    return Expected(outcomes[0], traces.pop() if len(traces) == 1 else None)


def trace_of(outcome: Outcome) -> tuple[tuple[int, int, int, int], ...]:
    """The parts of a trace that all backends share."""
    return tuple((r.site, r.iteration, r.frontier_size, r.edges) for r in outcome.trace)


def differences(program: Program, expected: Expected, found: Outcome) -> list[str]:
    """What differs from the reference: unique results, and the trace where it is determined."""
    wrong = []
    for array in program.arrays:
        if array.is_local or not array.unique:
            continue
        a, b = expected.outcome.arrays[array.name], found.arrays[array.name]
        if not equal(array.type, a, b):
            at = int(numpy.flatnonzero(~numpy.isclose(a, b, equal_nan=True))[:1].sum())
            wrong.append(f"{array.name}[{at}] is {b[at]}, not {a[at]}")
    for scalar in program.scalars:
        if scalar.is_local or not scalar.unique:
            continue
        a, b = expected.outcome.scalars[scalar.name], found.scalars[scalar.name]
        if not equal(scalar.type, numpy.asarray([a]), numpy.asarray([b])):
            wrong.append(f"{scalar.name} is {b}, not {a}")
    if expected.trace is not None and expected.trace != trace_of(found):
        pairs = zip(expected.trace, trace_of(found), strict=False)
        first = next(((a, b) for a, b in pairs if a != b), (len(expected.trace), len(found.trace)))
        wrong.append(f"trace: {first[1]}, not {first[0]} (site, iteration, size, edges)")
    if expected.trace is not None and expected.outcome.iterations != found.iterations:
        wrong.append(f"{found.iterations} iterations, not {expected.outcome.iterations}")
    return wrong


def equal(type_: ScalarType, a: Any, b: Any) -> bool:
    """Exactly for integers and ids, within a tolerance for floats, whose sums have no order."""
    if type_ in (ScalarType.FLOAT32, ScalarType.FLOAT64):
        tolerance = 2e-5 if type_ is ScalarType.FLOAT32 else 1e-9
        return bool(numpy.allclose(a, b, rtol=tolerance, atol=tolerance / 100, equal_nan=True))
    return bool(numpy.array_equal(a, b))


def with_tuning(program: Program, **changes: Any) -> Program:
    """The program with other tuning."""
    return dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, **changes))
