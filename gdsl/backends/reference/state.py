"""The state of one run: its data, frontiers, clock and random order."""

from __future__ import annotations

import copy
import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy

from gdsl.backends.failures import count_of
from gdsl.backends.interface import Bindings, Limits, Pair, Scalar
from gdsl.backends.reference.expressions import PART, VERTEX, Cells, Environment, ExpressionCompiler, Frame
from gdsl.backends.reference.graphs import GraphView
from gdsl.backends.reference.statements import compile_functions
from gdsl.backends.reference.values import Value, constant, from_array, to_array, to_python, zero
from gdsl.deadline import timeout_error
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir

_POLLS_BETWEEN_CHECKS = 1024


class Clock:
    """The passes of the loops, and when to stop."""

    def __init__(self, limits: Limits) -> None:
        """Start now."""
        self.limits = limits
        self.started = self._noted = time.perf_counter()
        self.iteration = 0
        self.late: Callable[[], GdslError] = lambda: timeout_error(limits.timeout)
        """The error to raise after the timeout."""
        self._polls = 0

    def poll(self) -> None:
        """Call `check` every so many calls."""
        self._polls += 1
        if self._polls % _POLLS_BETWEEN_CHECKS == 0:
            self.check()

    def check(self) -> None:
        """Raise E0802 after the timeout."""
        left = self.limits.left
        if left is not None and time.perf_counter() - self.started > left:
            raise self.late()

    def begin_pass(self, loop: ir.While | ir.Repeat) -> None:
        """Raise E0803 where the loop has reached the limit of passes."""
        self.check()
        limit = self.limits.max_iterations
        if limit is not None and self.iteration >= limit:
            passes = "1 pass" if limit == 1 else f"{limit} passes"
            raise GdslError.single("E0803", f"this loop was stopped after {passes}, the most allowed", loop.span)

    def taken(self, began: float) -> tuple[float, float]:
        """Milliseconds since `began`, and those between the last call of this and `began`."""
        before, self._noted = self._noted, time.perf_counter()
        return (self._noted - began) * 1000, (began - before) * 1000

    def milliseconds(self) -> float:
        """Time since the start."""
        return (time.perf_counter() - self.started) * 1000


class Frontiers(Mapping[str, int]):
    """The frontiers by name, each a list of vertices ascending; as a mapping, their sizes."""

    def __init__(self) -> None:
        """Start with none."""
        self.members: dict[str, list[int]] = {}

    def __getitem__(self, name: str) -> int:
        return len(self.members[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)


class State:
    """The data of one run of `program` on `graph`."""

    def __init__(
        self, program: ir.Program, graph: GraphView, bindings: Bindings, clock: Clock, id_bits: int, seed: int
    ) -> None:
        """Fill everything with its initial value."""
        self.program, self.graph, self.clock, self.id_bits = program, graph, clock, id_bits
        self.random = numpy.random.default_rng(seed)
        self.frontiers = Frontiers()
        self.params = {p.name: constant(bindings.params[p.name], p.type, id_bits) for p in program.params}
        self.scalars: dict[str, Value] = {}
        self.arrays: dict[str, Cells] = {}
        functions: dict[str, Callable[[list[Value]], Value]] = {}
        self.environment = Environment(
            id_bits,
            graph,
            params=self.params,
            scalars=self.scalars,
            arrays=self.arrays,
            frontier_sizes=self.frontiers,
            functions=functions,
            iteration=lambda: clock.iteration,
            poll=clock.poll,
            source_name=program.source_name,
        )
        compile_functions(program.functions, self.environment, functions)
        self._fill(bindings)

    def values_each(self, name: str) -> int:
        """How many values an element of an array has."""
        array = self.program.array(name)
        return 1 if array.count is None else count_of(array, self.params)

    def on(self, graph: GraphView) -> State:
        """This state, with its data, frontiers and clock, on another current graph."""
        other = copy.copy(self)
        other.graph, other.environment = graph, dataclasses.replace(self.environment, graph=graph)
        return other

    def _fill(self, bindings: Bindings) -> None:
        for array in sorted(self.program.arrays, key=lambda array: not array.is_input):
            self.arrays[array.name] = Cells(self._initial_values(array, bindings))
        for scalar in sorted(self.program.scalars, key=lambda scalar: not scalar.is_input):
            self.scalars[scalar.name] = self._initial_value(scalar, bindings)

    def _initial_values(self, array: ir.Array, bindings: Bindings) -> list[Value]:
        count = array.extent.value(self.graph.sizes(bindings.params))
        values_each = count_of(array, bindings.params)
        if array.is_input:
            return from_array(bindings.inputs[array.name], array.type, self.id_bits)
        if array.initial is None:
            return [zero(array.type, self.id_bits)] * count
        evaluate = ExpressionCompiler(self.environment).compile(array.initial)
        frame: Frame = [0, numpy.int32(0)]
        values = []
        for place in range(count):
            frame[VERTEX], frame[PART] = place // values_each, numpy.int32(place % values_each)
            values.append(evaluate(frame))
        return values

    def _initial_value(self, scalar: ir.Scalar, bindings: Bindings) -> Value:
        if scalar.is_input:
            value = bindings.inputs[scalar.name]
            return constant(value.item() if hasattr(value, "item") else value, scalar.type, self.id_bits)
        if scalar.initial is None:
            return zero(scalar.type, self.id_bits)
        return ExpressionCompiler(self.environment).compile(scalar.initial)([])

    def shuffled(self, count: int) -> Any:
        """The places 0 … count-1 in the order in which this run takes `count` things."""
        return self.random.permutation(count)

    def result_arrays(self) -> dict[str, Any]:
        """Every array that is not local, as NumPy arrays."""
        arrays = [array for array in self.program.arrays if not array.is_local]
        return {a.name: to_array(self.arrays[a.name].values, a.type, self.id_bits) for a in arrays}

    def result_scalars(self) -> dict[str, Scalar | Pair]:
        """Every scalar that is not local, as Python numbers."""
        scalars = [scalar for scalar in self.program.scalars if not scalar.is_local]
        return {s.name: to_python(self.scalars[s.name], s.type, self.id_bits) for s in scalars}
