"""What one run holds on the device, allocated, cleared and laid out by the tables of its plan."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy

from gdsl.backends.cuda.device import Buffer, Device
from gdsl.backends.interface import Bindings
from gdsl.codegen.cuda.layout import layout_of
from gdsl.codegen.structs import element_dtype
from gdsl.extents import Sizes, of_graph
from gdsl.graph.graph import Graph
from gdsl.plan import storage
from gdsl.plan.nodes import Plan
from gdsl.plan.storage import GRAPH, PROBLEM, RUN, Cleared, Made, Role
from gdsl.types import Type, Widths


class GraphOnDevice:
    """A graph's arrays on one device, in ids of one width; each part is brought over when it is first needed."""

    def __init__(self, device: Device, graph: Graph, widths: Widths) -> None:
        self.device, self.graph, self.widths = device, weakref.ref(graph), widths
        degrees = max(int(graph.out_degrees.max(initial=0)), 0)
        self.largest_degree = degrees if not graph.directed else max(degrees, int(graph.in_degrees.max(initial=0)))
        self._parts: dict[str, Buffer] = {}

    def part(self, name: str, element: Type) -> Buffer:
        """One of the members of `graph_slice`, whose elements are ids of vertices or of edges."""
        if name == "neighbors":  # of the caller's graph, whose edges lie in the order of their ids
            return self.part("columns", element)
        if name not in self._parts:
            kind = element_dtype(element, self.widths)
            self._parts[name] = self.device.upload(self._host(name).astype(kind, copy=False))
        return self._parts[name]

    def _host(self, name: str) -> Any:
        graph = self.graph()
        assert graph is not None
        if name == "edge_ids":
            return numpy.arange(graph.num_edges)
        return getattr(graph, "in_edge_ids" if name == "in_edges" else name)


@dataclass
class RunMemory:
    """The buffers of one run and the bytes of its `data_slice`."""

    data: Any
    """The struct that kernels get, a NumPy record laid out as `Layout.dtype` says."""
    buffers: dict[tuple[str, str], list[Buffer]] = field(default_factory=dict)
    """By group and name, one or as many as there are copies; they stay allocated while this lives."""

    def of_run(self, role: Role, plan_buffers: tuple[storage.Buffer, ...]) -> Buffer:
        """The one buffer of a role."""
        (found,) = (buffer for buffer in plan_buffers if buffer.role is role)
        return self.buffers[found.group, found.name][0]

    def problem(self, name: str) -> Buffer:
        """What a name of the program's data stands for now."""
        return self.buffers[PROBLEM, name][0]

    def rename(self, places: Mapping[str, Buffer]) -> None:
        """Names of the program's data that lie elsewhere from now on."""
        self.buffers.update({(PROBLEM, name): [buffer] for name, buffer in places.items()})


def host_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The dtype of a type's values on the host; ids are signed there, so that `none` is -1."""
    return numpy.dtype(f"i{widths.of(kind) // 8}" if kind.is_id else kind.name)


def sizes_of(graph: Graph, bindings: Bindings) -> Sizes:
    """The sizes that extents speak of."""
    return of_graph(graph.num_vertices, graph.num_edges, bindings.params)


def bytes_needed(plan: Plan, sizes: Sizes, widths: Widths) -> int:
    """Bytes of device memory beside the graph and the inputs."""
    buffers = (buffer for buffer in plan.buffers if buffer.made is Made.HOST)
    return sum(max(buffer.copies, 1) * _bytes_of(buffer, sizes, widths) for buffer in buffers)


def prepare(device: Device, plan: Plan, graph: Graph, on_device: GraphOnDevice, bindings: Bindings) -> RunMemory:
    """Allocate and fill what a run needs; results are initialised by the run itself."""
    memory = RunMemory(numpy.zeros((), layout_of(plan, on_device.widths).dtype(on_device.widths)))
    preparation = _Preparation(device, graph, on_device, bindings)
    for buffer in plan.buffers:
        made = [preparation.buffer(buffer) for _ in range(max(buffer.copies, 1))]
        memory.buffers[buffer.group, buffer.name] = made
        pointers = [each.pointer for each in made]
        memory.data[buffer.group][buffer.name] = pointers if buffer.copies else pointers[0]
    preparation.values(memory.data, plan)
    return memory


@dataclass
class _Preparation:
    device: Device
    graph: Graph
    on_device: GraphOnDevice
    bindings: Bindings

    @property
    def sizes(self) -> Sizes:
        """The sizes that extents speak of."""
        return sizes_of(self.graph, self.bindings)

    def buffer(self, buffer: storage.Buffer) -> Buffer:
        """The memory of one buffer, or of one of its copies, holding what it must hold at first."""
        if buffer.made is Made.CALLER:
            assert isinstance(buffer.element, Type)
            if buffer.group == GRAPH:
                return self.on_device.part(buffer.name, buffer.element)
            given = self.bindings.inputs[buffer.name]
            return self.device.upload(given.astype(host_dtype(buffer.element, self.on_device.widths), copy=False))
        made = self.device.allocate(_bytes_of(buffer, self.sizes, self.on_device.widths))
        if buffer.cleared is Cleared.ZERO:
            self.device.zero(made)
        elif buffer.cleared is Cleared.GIVEN:
            assert isinstance(buffer.element, Type)
            value = numpy.zeros(1, element_dtype(buffer.element, self.on_device.widths))
            value[0] = numpy.asarray(self.bindings.inputs[buffer.name]).astype(value.dtype)
            self.device.write(made, value)
        return made

    def values(self, data: Any, plan: Plan) -> None:
        """What is no buffer: sizes, limits and params."""
        graph, run = data[GRAPH], data[RUN]
        graph["num_vertices"], graph["num_edges"] = self.graph.num_vertices, self.graph.num_edges
        graph["largest_degree"] = self.on_device.largest_degree
        if plan.graphs:
            graph["edge_bound"], graph["room"], graph["ends_room"] = self.graph.num_edges, -1, -1
        run["host_stop"] = self.device.stop_pointer
        (trace,) = (buffer for buffer in plan.buffers if buffer.role is Role.TRACE)
        run["trace_capacity"] = trace.extent.value(self.sizes)
        for param in plan.program.params:
            kind = element_dtype(param.type, self.on_device.widths)
            data[PROBLEM][param.name] = numpy.asarray(self.bindings.params[param.name]).astype(kind)


def _bytes_of(buffer: storage.Buffer, sizes: Sizes, widths: Widths) -> int:
    return element_dtype(buffer.element, widths).itemsize * buffer.extent.value(sizes)
