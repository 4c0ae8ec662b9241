"""What one run holds on the device: the graph, the problem data and the enactor's scratch."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy

from gdsl.backends.cuda.device import Buffer, Device
from gdsl.backends.interface import Bindings
from gdsl.codegen.cuda.generate import Generated
from gdsl.codegen.cuda.layout import data_dtype, type_code
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Array, Program
from gdsl.operations import Domain

CONTROL_WORDS = 8
COUNTERS_WORDS = 12
CONTROL_FIELDS = ("arrived", "barriers", "failure", "failed_value", "exhausted", "iterations", "trace_length", "answer")
TRACE_DTYPE = numpy.dtype(
    [("site", "i4"), ("iteration", "i4"), ("size", "u8"), ("edges", "u8"), ("pulled", "i4"), ("unused", "i4")]
)
TRACE_CAPACITY = 1 << 16
_HUB_CHUNK_BYTES = {32: 12, 64: 24}


class GraphOnDevice:
    """A graph's arrays on one device, in ids of one width; each part is brought over when it is first needed."""

    def __init__(self, device: Device, graph: Graph, id_bits: int) -> None:
        self.device, self.graph = device, weakref.ref(graph)
        self.id_type = numpy.dtype(f"u{id_bits // 8}")
        degrees = max(int(graph.out_degrees.max(initial=0)), 0)
        self.largest_degree = degrees if not graph.directed else max(degrees, int(graph.in_degrees.max(initial=0)))
        self._parts: dict[str, Buffer] = {}

    def part(self, name: str) -> Buffer:
        """One of the members of `graph_slice`."""
        if name not in self._parts:
            self._parts[name] = self.device.upload(self._host(name).astype(self.id_type, copy=False))
        return self._parts[name]

    def _host(self, name: str) -> Any:
        graph = self.graph()
        assert graph is not None
        return getattr(graph, "in_edge_ids" if name == "in_edges" else name)


@dataclass
class RunMemory:
    """The buffers of one run and the bytes of its `data_slice`."""

    data: Any
    """The struct that kernels get, a NumPy record of `data_dtype`."""
    control: Buffer
    trace: Buffer
    outputs: Buffer
    arrays: dict[str, Buffer]
    scalars: dict[str, Buffer]
    kept: list[Buffer]
    """What else must stay allocated while the run lasts."""


def array_length(array: Array, graph: Graph) -> int:
    """How many values an array of the program has."""
    return graph.num_vertices if array.domain is Domain.VERTEX else graph.num_edges


def bytes_needed(program: Program, generated: Generated, graph: Graph, id_bits: int) -> int:
    """Bytes of device memory beside the graph and the inputs: problem data, frontiers, marks, scratch."""
    id_bytes, uses = id_bits // 8, generated.uses
    arrays = sum(
        numpy.dtype(type_code(a.type, id_bits)).itemsize * array_length(a, graph)
        for a in program.arrays
        if not a.is_input
    )
    slots = len(program.frontiers) + 1 if program.frontiers else 0
    bitmap = graph.num_vertices // 8 + 4
    bitmaps = (slots if "need_bitmap" in uses else 0) + (2 if "mark" in uses else 0)
    return arrays + slots * id_bytes * graph.num_vertices + bitmaps * bitmap + _hub_bytes(generated, graph, id_bits)


def prepare(
    device: Device, program: Program, generated: Generated, graph: Graph, on_device: GraphOnDevice, bindings: Bindings
) -> RunMemory:
    """Allocate and fill what a run needs; results are initialised by the run itself."""
    id_bits = on_device.id_type.itemsize * 8
    memory = _Preparation(device, program, generated, graph, id_bits)
    memory.fill_graph(on_device)
    memory.fill_run()
    memory.fill_problem(bindings)
    return RunMemory(
        memory.data, memory.control, memory.trace, memory.outputs, memory.arrays, memory.scalars, memory.kept
    )


class _Preparation:
    def __init__(self, device: Device, program: Program, generated: Generated, graph: Graph, id_bits: int) -> None:
        self.device, self.program, self.generated, self.graph, self.id_bits = device, program, generated, graph, id_bits
        slots = len(program.frontiers) + 1
        self.data = numpy.zeros((), data_dtype(generated.members, slots))
        self.kept: list[Buffer] = []
        self.arrays: dict[str, Buffer] = {}
        self.scalars: dict[str, Buffer] = {}

    def fill_graph(self, on_device: GraphOnDevice) -> None:
        """Pointers to the parts of the graph that the text reads."""
        part = self.data["graph"]
        part["num_vertices"], part["num_edges"] = self.graph.num_vertices, self.graph.num_edges
        part["largest_degree"] = on_device.largest_degree
        for name in ("offsets", "columns", "in_offsets", "in_sources", "in_edges", "edge_sources"):
            if self._reads(name):
                part[name] = on_device.part(name).pointer

    def _reads(self, name: str) -> bool:
        return f"g.{name}" in self.generated.text and (
            name != "in_edges" or "in_lists{d.graph}.id(at)" in self.generated.text
        )

    def fill_run(self) -> None:
        """Control block, trace, frontiers, marks and chunks."""
        device, part, uses = self.device, self.data["run"], self.generated.uses
        self.control = device.allocate(8 * (CONTROL_WORDS + COUNTERS_WORDS))
        self.trace = device.allocate(TRACE_DTYPE.itemsize * TRACE_CAPACITY)
        self.outputs = device.allocate(8 * max(1, len(self.generated.swapped)))
        part["control"], part["trace"], part["outputs"] = self.control.pointer, self.trace.pointer, self.outputs.pointer
        part["trace_capacity"], part["host_stop"] = TRACE_CAPACITY, device.stop_pointer
        if "push_hubs" in uses or "pull_hubs" in uses or "reduce_hubs" in uses:
            part["hubs"] = self._keep(_hub_bytes(self.generated, self.graph, self.id_bits)).pointer
        if self.generated.saved_bytes:
            part["saved"] = self._keep(self.generated.saved_bytes, clear=True).pointer
        bitmap = 4 * ((self.graph.num_vertices + 31) // 32)
        for slot in range(len(self.program.frontiers) + 1 if self.program.frontiers else 0):
            part["queues"][slot] = self._keep(self.id_bits // 8 * self.graph.num_vertices).pointer
            if "need_bitmap" in uses or "need_queue" in uses:
                part["bitmaps"][slot] = self._keep(bitmap).pointer
        if "mark" in uses:
            part["marks"][:] = [self._keep(bitmap, clear=True).pointer for _ in range(2)]

    def fill_problem(self, bindings: Bindings) -> None:
        """Arrays, scalars and params."""
        if not self.generated.members:
            return
        part, names = self.data["problem"], self.generated.member_of
        for array in self.program.arrays:
            self.arrays[array.name] = self._array(array, bindings)
            part[names[array.name]] = self.arrays[array.name].pointer
        for scalar in self.program.scalars:
            buffer = self.device.allocate(8)
            if scalar.is_input:
                value = numpy.zeros(1, type_code(scalar.type, self.id_bits))
                value[0] = numpy.asarray(bindings.inputs[scalar.name]).astype(value.dtype)
                self.device.write(buffer, value)
            self.scalars[scalar.name] = buffer
            part[names[scalar.name]] = buffer.pointer
        for param in self.program.params:
            part[names[param.name]] = numpy.asarray(bindings.params[param.name]).astype(
                type_code(param.type, self.id_bits)
            )
        arrays = {array.name: array for array in self.program.arrays}
        for member, name in self.generated.temporaries:
            size = numpy.dtype(type_code(arrays[name].type, self.id_bits)).itemsize
            part[member] = self._keep(size * array_length(arrays[name], self.graph)).pointer

    def _array(self, array: Array, bindings: Bindings) -> Buffer:
        if array.is_input:
            return self.device.upload(bindings.inputs[array.name])
        itemsize = numpy.dtype(type_code(array.type, self.id_bits)).itemsize
        return self.device.allocate(itemsize * array_length(array, self.graph))

    def _keep(self, nbytes: int, clear: bool = False) -> Buffer:
        buffer = self.device.allocate(nbytes)
        if clear:
            self.device.zero(buffer)
        self.kept.append(buffer)
        return buffer


def _hub_bytes(generated: Generated, graph: Graph, id_bits: int) -> int:
    """Room for every chunk of every long list, in both directions."""
    shape = generated.shape
    chunks = graph.num_edges // shape.hub_chunk + graph.num_edges // shape.hub_degree + 2
    return 2 * chunks * _HUB_CHUNK_BYTES[id_bits]
