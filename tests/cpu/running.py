"""Running a program on the cpu backend in one line of a test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gdsl.backends.cpu.backend import CpuBackend, CpuExecutable
from gdsl.backends.interface import Limits, Outcome
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.operations import Grade
from gdsl.pipeline import load
from gdsl.plan.target import Sizes

SWAPPED = """program swapped;
problem {
    param  times : int32;
    param  start : int64;
    vertex there : int64 = start;
    local vertex here : int64;
    local vertex never : int64;
}
schedule {
    while (iteration < times) {
        compute(vertices, (v) => { here[v] = there[v] + 1; never[v] += there[v]; });
        swap(here, there);
    }
    compute(vertices, (v) => { if (never[v] < 0) { there[v] = -1; } });
}
"""
"""Two arrays change places so many times: one of them is the result, whose values are all `start + times`."""
SMALL = Sizes(small_work=0, hub_degree=3, hub_chunk=2, near_set=2, own_votes=0, own_ends=0)
"""Sizes that take every way through the generated code on graphs of a few edges."""


@cache
def executable(text: str, tune: tuple[str, ...] = (), sizes: Sizes | None = None, id_bits: int = 32) -> CpuExecutable:
    """The program of a text or path, compiled."""
    return CpuBackend(sizes).build(load(text, tune), id_bits)


def run(
    text: str,
    graph: Graph,
    *,
    id_bits: int = 32,
    limits: Limits | None = None,
    sizes: Sizes | None = None,
    tune: tuple[str, ...] = (),
    seed: int = 0,
    **given: Any,
) -> Outcome:
    """What the program gives; `given` are params and inputs (`seed` is for the reference backend)."""
    ready = executable(text, tune, sizes, id_bits)
    return ready.run(graph, bind(ready.program, graph, given, id_bits=id_bits), limits or Limits())


def assert_agree(program: Program, expected: Outcome, found: Outcome) -> None:
    """Everything that is unique is equal, float sums nearly, and the operators ran on the same sets. A scalar that
    says how far a loop had converged may be that of one pass more or less; oracles judge it."""
    for array in program.arrays:
        if array.is_local or not array.unique:
            continue
        left, right = expected.arrays[array.name], found.arrays[array.name]
        several = zip(array.type.parts, left, right, strict=True) if array.type.is_pair else [(array.type, left, right)]
        for kind, wanted, given in several:
            assert wanted.dtype == given.dtype, array.name
            if kind.is_float:
                np.testing.assert_allclose(given, wanted, rtol=1e-4, atol=1e-7, err_msg=array.name)
            else:
                np.testing.assert_array_equal(given, wanted, err_msg=array.name)
    for scalar in program.scalars:
        if not scalar.is_local and scalar.unique and scalar.grade is not Grade.CONVERGED:
            np.testing.assert_allclose(found.scalars[scalar.name], expected.scalars[scalar.name], rtol=1e-3, atol=1e-6)


def fresh(text: str) -> CpuExecutable:
    """The program of a text or path, of which nothing has run yet."""
    return CpuBackend().build(load(text), 32)


def ran(ready: CpuExecutable, graph: Graph, **given: Any) -> Outcome:
    """What it gives."""
    return ready.run(graph, bind(ready.program, graph, given, id_bits=32), Limits())


def idle(ready: CpuExecutable) -> set[int]:
    """The addresses of the memory that its next run finds."""
    return {block.ctypes.data for alike in ready.memory_pool._idle.values() for block in alike}


def in_threads(work: Callable[[int], None], count: int = 4) -> None:
    """`work` in so many threads at once, each with its number, until all have ended."""
    threads = [threading.Thread(target=work, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
