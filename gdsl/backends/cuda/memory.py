"""What runs hold on the device: the graph, and what one program works with on it, by the tables of its plan."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy

from gdsl.backends.cuda.protocol import Arguments, Buffer, Device, Room
from gdsl.backends.cuda.record import Record
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.pairs import words_of
from gdsl.codegen.cuda.layout import layout_of
from gdsl.codegen.structs import element_dtype
from gdsl.extents import Extent, Size, Sizes, Values, of_graph
from gdsl.graph.graph import Graph
from gdsl.plan import storage
from gdsl.plan.nodes import Plan
from gdsl.plan.storage import GRAPH, PROBLEM, Cleared, Made, Role
from gdsl.types import Type, Widths

_SHARED = (Role.CONTROL, Role.SAVED, Role.OUTPUTS, Role.TRACE)
"""What the host sends before a run or looks at after it, beside scalars."""
_RECORDS = 64
"""Records of a trace that come to the host with the results, until a run has had more."""


class GraphOnDevice:
    """A graph's arrays on one device, in ids of one width; each part is brought over when it is first needed. Beside
    them the memory that programs work in while they run on it, one after the other."""

    def __init__(self, device: Device, graph: Graph, widths: Widths) -> None:
        self.device, self.graph, self.widths = device, weakref.ref(graph), widths
        degrees = max(int(graph.out_degrees.max(initial=0)), 0)
        self.largest_degree = degrees if not graph.directed else max(degrees, int(graph.in_degrees.max(initial=0)))
        self._parts: dict[str, Buffer] = {}
        self._attributes: dict[int, tuple[Any, Buffer]] = {}
        self._room: Room | None = None
        self._user: object = None

    def part(self, name: str, element: Type) -> Buffer:
        """One of the members of `graph_slice`, whose elements are ids of vertices or of edges."""
        if name not in self._parts:
            kind = element_dtype(element, self.widths)
            self._parts[name] = self.device.upload(self._host(name).astype(kind, copy=False))
        return self._parts[name]

    def attribute(self, values: Any, dtype: Any) -> Buffer:
        """An array that is the graph's own, which does not change, as values of `dtype`: it is brought over once."""
        kept = self._attributes.get(id(values))
        if kept is None:
            kept = self._attributes[id(values)] = values, self.device.upload(values.astype(dtype, copy=False))
        return kept[1]

    def room(self, user: object, sizes: Sequence[int]) -> Sequence[Buffer] | None:
        """Memory for `user` alone until another one asks; None: it has it, and what it left is still there."""
        if self._user is user:
            return None
        former, self._room, self._user = self._room, None, None
        self._room = self.device.room(sizes, former)
        self._user = user
        return self._room.buffers

    def forget(self) -> None:
        """What the last user left is not what the next one may build upon: its run was stopped."""
        self._user = None

    def let_go(self) -> bool:
        """Free the memory that nobody works in at the moment; whether there was any."""
        former, self._room, self._user = self._room, None, None
        return former is not None

    def _host(self, name: str) -> Any:
        graph = self.graph()
        assert graph is not None
        if name == "edge_ids":
            return numpy.arange(graph.num_edges)
        return getattr(graph, "in_edge_ids" if name == "in_edges" else name)


def host_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The dtype of a type's values on the host; ids are signed there, so that `none` is -1."""
    return numpy.dtype(f"i{widths.of(kind) // 8}" if kind.is_id else kind.name)


def value_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The same, of pairs that of the words that they take."""
    return numpy.dtype(numpy.uint64) if kind.is_pair else host_dtype(kind, widths)


def _words(kind: Type, widths: Widths) -> int:
    return words_of(kind, widths) if kind.is_pair else 1


def sizes_of(graph: Graph, bindings: Bindings) -> Sizes:
    """The sizes that extents speak of."""
    return of_graph(graph.num_vertices, graph.num_edges, bindings.params)


def counts_in(plan: Plan) -> tuple[str, ...]:
    """The params that say how long any buffer is."""
    return tuple(dict.fromkeys(name for buffer in plan.buffers for name in _counts(buffer.extent)))


def _counts(extent: object) -> Iterator[str]:
    if isinstance(extent, Values):
        yield extent.count
    if isinstance(extent, tuple):
        for part in extent:
            yield from _counts(part)
    elif isinstance(extent, Extent):
        for field in dataclasses.fields(extent):
            yield from _counts(getattr(extent, field.name))


class RunMemory:
    """The buffers of one program's runs on one graph, and the bytes of its `data_slice`.

    What is only worked in is the graph's room and is used again; arrays that may become results are new in each run,
    and belong to who gets them. The host's copies of scalars and of the control block go and come in one piece.
    """

    def __init__(self, device: Device, plan: Plan, on_device: GraphOnDevice, sizes: Sizes) -> None:
        """Raises E0912 where the device has no memory for it."""
        self.device, self.plan, self.on_device, self.sizes = device, plan, on_device, sizes
        self._token = object()  # not `self`, which knows the graph on the device
        self._widths = widths = on_device.widths
        layout = layout_of(plan, widths)
        self._record = Record(layout.dtype(widths))
        self.iteration = numpy.zeros(1, numpy.int32)
        own = [] if plan.target.fused else [self.iteration]
        self.arguments = Arguments(self._record.data, *own)
        self._sort(plan)
        device.require(sum(self._sizes) + sum(self._bytes(buffer) for buffer in self._handed))
        given = [scalar for scalar in self._scalars if scalar.cleared is Cleared.GIVEN]
        sent = [*self._of(Role.CONTROL, Role.SAVED), *given]
        rest = [scalar for scalar in self._scalars if scalar not in given]
        self._together = [*sent, *rest, *self._of(Role.OUTPUTS), *self._of(Role.TRACE)]
        nbytes = [self._bytes(buffer) for buffer in self._together]
        self._capacity = self._together[-1].extent.value(sizes)
        self._record_size = nbytes[-1] // self._capacity
        self._control = next(place for place, each in enumerate(self._together) if each.role is Role.CONTROL)
        self.shared = device.shared(nbytes, len(sent), _RECORDS * self._record_size)
        self._scalar_places: dict[str, Buffer] = {}
        self._place_at = {made.pointer: place for place, made in enumerate(self.shared.buffers)}
        for buffer, made in zip(self._together, self.shared.buffers, strict=True):
            self._record.point(buffer, [made])
            if buffer in self._scalars:
                self._scalar_places[buffer.name] = made
        self._scalars_given = [
            (buffer.name, self.shared.sent[place].view(host_dtype(buffer.element, widths)))
            for place, buffer in enumerate(sent)
            if buffer in given and isinstance(buffer.element, Type)
        ]
        self._fill()
        self.names: dict[str, Buffer] = {}
        """What the names of the program's data stand for in this run."""

    def _sort(self, plan: Plan) -> None:
        """Whose memory each buffer is."""
        scalars = {scalar.name for scalar in plan.program.scalars}
        hosts = [buffer for buffer in plan.buffers if buffer.made is Made.HOST]
        of_problem = [buffer for buffer in hosts if buffer.group == PROBLEM]
        self._scalars = [buffer for buffer in of_problem if buffer.name in scalars]
        self._handed = [
            buffer
            for buffer in of_problem
            if buffer not in self._scalars and (buffer.role is Role.RESULT or buffer.name in plan.swapped)
        ]
        arrays = {array.name: array for array in plan.program.arrays}
        self.results = [
            (name, kind, value_dtype(kind, self._widths), buffer.extent.value(self.sizes) * _words(kind, self._widths))
            for buffer in self._handed
            if buffer.role is Role.RESULT
            for name, kind in [(buffer.name, arrays[buffer.name].type)]
        ]
        """What the caller gets: its name and type, and how many values of which dtype the device has of it."""
        taken = [*self._scalars, *self._handed]
        self._work = [buffer for buffer in hosts if buffer.role not in _SHARED and buffer not in taken]
        self._sizes = [self._bytes(buffer) for buffer in self._work for _ in range(max(buffer.copies, 1))]

    def _of(self, *roles: Role) -> list[storage.Buffer]:
        return [buffer for buffer in self.plan.buffers if buffer.role in roles]

    def _bytes(self, buffer: storage.Buffer) -> int:
        return element_dtype(buffer.element, self._widths).itemsize * buffer.extent.value(self.sizes)

    def _fill(self) -> None:
        """What stays the same from run to run."""
        for buffer in self.plan.buffers:
            if buffer.made is Made.CALLER and buffer.group == GRAPH:
                assert isinstance(buffer.element, Type)
                self._record.point(buffer, [self.on_device.part(buffer.name, buffer.element)])
        place = self._record.pointer
        self._new = [(buffer.name, self._bytes(buffer), place(buffer)) for buffer in self._handed]
        self._inputs = [
            (buffer.name, host_dtype(buffer.element, self._widths), place(buffer))
            for buffer in self.plan.buffers
            if buffer.made is Made.CALLER and buffer.group == PROBLEM and isinstance(buffer.element, Type)
        ]
        graph = {
            "num_vertices": self.sizes[Size.VERTICES],
            "num_edges": self.sizes[Size.EDGES],
            "largest_degree": self.on_device.largest_degree,
        }
        if self.plan.graphs:
            graph |= {"edge_bound": self.sizes[Size.EDGES], "room": -1, "ends_room": -1}
        self._record.set_values(graph, {"host_stop": self.device.stop_pointer, "trace_capacity": self._capacity})
        self._params = [
            (param.name, self._record.value(PROBLEM, param.name, host_dtype(param.type, self._widths)))
            for param in self.plan.program.params
        ]
        self._most_passes = self._record.value("run", "max_iterations", numpy.dtype("i8"))

    # One run

    def begin(self, bindings: Bindings, limits: Limits) -> None:
        """Make everything ready for a run; raises E0912 where the device has no memory for the results."""
        buffers = self.on_device.room(self._token, self._sizes)
        if buffers is not None:
            self._lay_out(buffers)
        names, params, inputs = self.names, bindings.params, bindings.inputs
        for name, nbytes, place in self._new:
            made = names[name] = self.device.allocate(nbytes)
            place[0] = made.pointer
        for name, dtype, place in self._inputs:
            if name in bindings.own:
                made = names[name] = self.on_device.attribute(inputs[name], dtype)
            else:
                made = names[name] = self.device.upload(inputs[name].astype(dtype, copy=False))
            place[0] = made.pointer
        for name, place in self._params:
            place[0] = params[name]
        for name, place in self._scalars_given:
            place[0] = inputs[name]
        self.rename(self._scalar_places, point=bool(self.plan.swapped))
        self._most_passes[0] = _MOST if limits.max_iterations is None else limits.max_iterations
        self.shared.send()

    def end(self, whole: bool) -> None:
        """Let go of what belongs to the run; `whole`: it came to its end."""
        self.names = {}
        if not whole:
            self.on_device.forget()

    def _lay_out(self, buffers: Sequence[Buffer]) -> None:
        """Point to the room, and clear what must be; runs leave that cleared."""
        place = 0
        for buffer in self._work:
            made = buffers[place : place + max(buffer.copies, 1)]
            place += len(made)
            self._record.point(buffer, made)
            for each in made if buffer.cleared is Cleared.ZERO else ():
                self.device.zero(each)

    def rename(self, places: Mapping[str, Buffer], point: bool = False) -> None:
        """Names of the program's data that lie elsewhere from now on; `point`: kernels are told."""
        self.names.update(places)
        for buffer in self.plan.buffers if point else ():
            if buffer.group == PROBLEM and buffer.name in places:
                self._record.point(buffer, [places[buffer.name]])

    # What the kernels left, once they have been waited for

    def control(self) -> Any:
        """The host's copy of the control block."""
        return self.shared.received[self._control]

    def outputs(self) -> Any:
        """Where the names that may change places lie, as the host has it."""
        return self.shared.received[-2].view(numpy.uint64)

    def scalar(self, name: str) -> Any:
        """The bytes of what a scalar's name stands for now."""
        return self.shared.received[self._place_at[self.names[name].pointer]]

    def trace(self, length: int) -> bytes:
        """The records of the trace, as many of `length` as are kept."""
        nbytes = min(length, self._capacity) * self._record_size
        received = self.shared.received[-1]
        if nbytes > len(received):
            self.shared.expect(2 * nbytes)  # the next run will probably have as many
            return self.device.fetch(self.shared.buffers[-1], numpy.uint8, nbytes).tobytes()
        return received[:nbytes].tobytes()


_MOST = int(numpy.iinfo(numpy.int64).max)
