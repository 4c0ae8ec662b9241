"""A compiled program, and its runs."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cpu.memory import (
    ControlBlock,
    HostSlice,
    dtype_of,
    graph_slice,
    pointers,
    room_for,
)
from gdsl.backends.interface import Bindings, Limits, Outcome, Scalar, TraceRecord
from gdsl.codegen.cpu.plan import Generated
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Advance, Operator, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Direction, Domain

_FOREVER = 1 << 62
_SPINS = "300"
"""How often a thread of GCC's OpenMP looks whether the others have come to a barrier before it sleeps. The default is
long enough to starve the very threads it waits for where other programs have a part of the machine."""
_WAIT = 0.1


class CpuExecutable:
    """A program in a shared library. Several runs may go on at once, each in its own thread."""

    def __init__(self, program: Program, id_bits: int, generated: Generated, library: Path) -> None:
        """Load `library`, which was compiled from `generated`."""
        self.program = program
        self.id_bits = id_bits
        self.generated = generated
        self.operators = {node.site: node for node in walk(program.schedule) if isinstance(node, Operator)}
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)  # read when the OpenMP library is first loaded
        self._library = ctypes.CDLL(str(library))
        self._library.gdsl_run.argtypes = [ctypes.POINTER(HostSlice)]
        self._library.gdsl_release.argtypes = [ctypes.POINTER(ControlBlock)]
        self._library.gdsl_release.restype = None

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises GdslError (E0801, E0802, E0803, E0912) or KeyboardInterrupt where it is stopped."""
        try:
            run = _Run(self, graph, bindings, limits)
        except MemoryError:
            raise failures.memory_error() from None
        try:
            run.call(self._library.gdsl_run)
            return run.outcome()
        finally:
            if not run.abandoned:
                self._library.gdsl_release(ctypes.byref(run.control))


class _Run:
    """The memory of one run, and waiting for it."""

    def __init__(self, executable: CpuExecutable, graph: Graph, bindings: Bindings, limits: Limits) -> None:
        self.executable, self.graph, self.limits = executable, graph, limits
        self.program = executable.program
        self.status: list[int] = []
        self.timed_out = False
        self.abandoned = False
        made = executable.generated
        slice_, self._kept = graph_slice(graph, executable.id_bits, made.needs_in_edges, made.needs_in_edge_ids)
        limit = _FOREVER if limits.max_iterations is None else limits.max_iterations
        self.control = ControlBlock(max_iterations=limit)
        self.params = [self._slot(param.type, bindings.params[param.name]) for param in self.program.params]
        self.arrays = [self._array(array, bindings) for array in self.program.arrays]
        self.scalars = [
            self._slot(scalar.type, bindings.inputs[scalar.name] if scalar.is_input else 0)
            for scalar in self.program.scalars
        ]
        self._array_pointers = pointers(self.arrays)
        self.host = HostSlice(
            slice_,
            ctypes.pointer(self.control),
            pointers(self.params),
            self._array_pointers,
            pointers(self.scalars),
        )

    def _slot(self, kind: Any, value: Any) -> NDArray[Any]:
        return np.array([value], dtype=dtype_of(kind, self.executable.id_bits))

    def _array(self, array: Any, bindings: Bindings) -> NDArray[Any]:
        count = self.graph.num_vertices if array.domain is Domain.VERTEX else self.graph.num_edges
        dtype = dtype_of(array.type, self.executable.id_bits)
        if not array.is_input:
            return room_for(count, dtype)
        given: NDArray[Any] = bindings.inputs[array.name]
        return given if count else room_for(0, dtype)

    def call(self, function: Any) -> None:
        """Run in a thread of its own and wait, so that Ctrl-C and the timeout are seen meanwhile."""
        finished = threading.Event()

        def work() -> None:
            try:
                self.status.append(function(ctypes.byref(self.host)))
            finally:
                finished.set()

        allowed = self.limits.left
        deadline = time.monotonic() + allowed if allowed is not None else None
        threading.Thread(target=work, daemon=True).start()
        # Not `Thread.join`: where Ctrl-C interrupts it, CPython before 3.13 takes the thread for ended.
        try:
            while not finished.is_set():
                left = _WAIT if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    self.timed_out = True
                    break
                finished.wait(min(_WAIT, left))
            self.control.host_stop = 1
            finished.wait()
        except BaseException:
            self.control.host_stop = 1
            self.abandoned = True
            finished.wait()
            self.abandoned = False
            raise

    def outcome(self) -> Outcome:
        """What the run gave; raises what stopped it."""
        control, program = self.control, self.program
        if self.status[0] != 0:
            raise failures.memory_error()
        if control.failure:
            site = self.executable.generated.checks.sites[control.failure - 1]
            length = self.graph.num_vertices if site.domain is Domain.VERTEX else self.graph.num_edges
            raise failures.index_error(program, site, control.failed_value, length)
        if control.exhausted:
            raise failures.iterations_error(program, control.exhausted - 1, self.limits.max_iterations or 0)
        if self.timed_out:
            raise failures.timeout_error(self.limits.timeout or 0.0)
        return Outcome(
            self._result_arrays(), self._result_scalars(), control.iterations, control.nanoseconds / 1e6, self._trace()
        )

    def _result_arrays(self) -> dict[str, Any]:
        by_address = {array.ctypes.data: array for array in self.arrays}
        found = [by_address[self._array_pointers[place]] for place in range(len(self.arrays))]
        return {
            array.name: values for array, values in zip(self.program.arrays, found, strict=True) if not array.is_local
        }

    def _result_scalars(self) -> dict[str, Scalar]:
        return {
            scalar.name: slot.item()
            for scalar, slot in zip(self.program.scalars, self.scalars, strict=True)
            if not scalar.is_local
        }

    def _trace(self) -> tuple[TraceRecord, ...]:
        records = []
        for place in range(self.control.trace_length):
            entry = self.control.trace[place]
            op = self.executable.operators[entry.site]
            direction = (Direction.PULL if entry.pulled else Direction.PUSH) if isinstance(op, Advance) else None
            records.append(
                TraceRecord(entry.site, op.label, entry.iteration, entry.size, entry.edges, direction=direction)
            )
        return tuple(records)
