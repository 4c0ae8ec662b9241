"""The device memory of one program's runs on one graph, as its plan's tables describe it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.backends.cuda.argument_record import Record
from gdsl.backends.cuda.memory import GraphOnDevice, host_dtype, sizes_of
from gdsl.backends.cuda.numbering import RunIds
from gdsl.backends.cuda.protocol import Arguments, Buffer, Bytes, Device, Incoming
from gdsl.backends.cuda.run_results import RunResults
from gdsl.backends.cuda.run_transfers import ROLES, RunTransfers
from gdsl.backends.hoisted_scalars import GraphScalars
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.needs import bytes_of
from gdsl.codegen.cuda.layout import MOST_VISITS, layout_of
from gdsl.diagnostics import GdslError
from gdsl.extents import Extent, Size, Sizes, Values
from gdsl.graph.graph import Graph
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.operations import Domain
from gdsl.plan import buffer_nodes
from gdsl.plan.buffer_nodes import GRAPH, PROBLEM, RUN, Allocator, Cleared, Role
from gdsl.plan.hoisted_scalars import hoisted_scalars
from gdsl.plan.nodes import Plan
from gdsl.plan.walking import hoisted_graphs
from gdsl.plan.work_order import most_visits
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.backends.cuda.numbering import Places

_MUCH_AHEAD, _MOST_AHEAD = 1 << 24, 1 << 27
"""Bytes of results that are allocated for the next run: at most this much, and above the first number by only one
program at a time per graph."""
_MOST = int(numpy.iinfo(numpy.int64).max)


def counts_in(plan: Plan) -> tuple[str, ...]:
    """The params that determine the length of any buffer."""
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

    Work buffers are in the graph's scratch memory and are reused; arrays that may become results are new in each run
    and belong to the caller. Scalars and the control block are exchanged with the host in one copy.
    """

    def __init__(self, device: Device, plan: Plan, on_device: GraphOnDevice, sizes: Sizes) -> None:
        """Raises E0912 if there is too little memory."""
        self.device, self.plan, self.on_device, self.sizes = device, plan, on_device, sizes
        self._widths = on_device.widths
        self._numbering = on_device.numbering
        self.ids = RunIds(plan, on_device.numbering)
        self._token = object()  # not `self`, which refers to the graph on the device
        self.record = Record(layout_of(plan, self._widths).dtype(self._widths))
        self.iteration = numpy.zeros(1, numpy.int32)
        self.arguments = Arguments(self.record.data, *([] if plan.target.fused else [self.iteration]))
        hosts = [buffer for buffer in plan.buffers if buffer.allocator is Allocator.HOST]
        names = {scalar.name for scalar in plan.program.scalars}
        scalars = [buffer for buffer in hosts if buffer.group == PROBLEM and buffer.name in names]
        results = [buffer for buffer in hosts if buffer not in scalars and self._is_result(buffer)]
        self._hoisted = [buffer for buffer in hosts if buffer.role is Role.HOISTED_GRAPH]
        self._hoisted_keys = [each.key for each in hoisted_graphs(plan)] if self._hoisted else []
        self._hoisted_version = -1
        mirrors = [buffer for buffer in hosts if buffer.role in (Role.MIRROR, Role.LANES)]
        apart = (*ROLES, Role.MIRROR, Role.LANES, Role.HOISTED_GRAPH)
        self._divide_work(
            [each for each in hosts if each.role not in apart and each not in [*scalars, *results]], mirrors
        )
        self._whole = frozenset(each.array for each in plan.replicas)
        """The arrays that every GPU has whole: those that are results are the copies of the first one."""
        self._keeps_inside = self._numbering is not None or device.copies_results
        """Whether the caller gets other buffers than those that kernels write."""
        self._require(results)
        self._to_clear: list[tuple[int, int]] = []
        self.transfers = RunTransfers(device, plan, self._widths, sizes, self.record, scalars)
        self.shared = self.transfers.shared
        self._fill_graph()
        self._prepare(results)
        for buffer in mirrors:
            self.record.pointer(buffer)
        self.results = RunResults(device, plan, on_device, sizes, self.ids, self.transfers)
        self._find_hoisted()
        self.arguments.pointers = self.record.pointer_places()
        self.is_divided = self._is_divided()
        """Whether arrays of the program are on several GPUs."""
        self.arguments.by_owner = self.is_divided and not plan.graphs and on_device.is_even(len(device.gpu_numbers))
        self.names: dict[str, Buffer] = {}
        """The buffers that the names of the program's data refer to in this run."""

    def _divide_work(self, shared: list[buffer_nodes.Buffer], mirrors: list[buffer_nodes.Buffer]) -> None:
        """The buffers that a run works with, and the bytes of each copy: first those that all GPUs share, of which the
        queues are the last, then those of which each GPU has its own."""
        shared.sort(key=lambda buffer: buffer.role is Role.QUEUE)
        self._work = [*shared, *mirrors]
        self._sizes = [self._bytes(buffer) for buffer in shared for _ in range(max(buffer.copies, 1))]
        self._filled = sum(max(buffer.copies, 1) for buffer in shared if buffer.role is Role.QUEUE)
        """How many of these are queues: members are added from the beginning, by all GPUs."""
        self._copied = [self._bytes(buffer) for buffer in mirrors for _ in range(max(buffer.copies, 1))]

    def _require(self, results: list[buffer_nodes.Buffer]) -> None:
        """Raise E0912 if there is too little memory for a run."""
        outside = [each for each in results if each.role is Role.RESULT] if self._keeps_inside else []
        sizes = {buffer.name: self._bytes(buffer) for buffer in self._hoisted}
        missing = sum(self.on_device.hoisted.missing_bytes(key, sizes) for key in self._hoisted_keys)
        missing += max(len(self.device.gpu_numbers), 1) * sum(self._copied)
        self.device.require(sum(self._sizes) + sum(map(self._bytes, [*results, *outside])) + missing)

    def _is_result(self, buffer: buffer_nodes.Buffer) -> bool:
        """Whether the caller gets this memory, or may get it after a swap."""
        return buffer.group == PROBLEM and (buffer.role is Role.RESULT or buffer.name in self.plan.swapped)

    def _is_divided(self) -> bool:
        """Whether several GPUs have parts of the values of vertices: those of small graphs are all on the first GPU,
        and then its GPUs take vertices in turns."""
        arrays = {array.name for array in self.plan.program.arrays if array.domain is Domain.VERTEX}
        values = (each for each in self.plan.buffers if each.group == PROBLEM and each.name in arrays)
        several = len(self.device.gpu_numbers) > 1
        return several and any(self.device.is_divided(self._bytes(each)) for each in values)

    def _find_hoisted(self) -> None:
        """The graphs that are kept with the given one, which may have been dropped since the last run. Raises E0912."""
        sizes = {buffer.name: self._bytes(buffer) for buffer in self._hoisted}
        arrays = [self.on_device.hoisted.arrays(key, sizes) for key in self._hoisted_keys]
        for buffer in self._hoisted:
            self.record.point(buffer, [each[buffer.name] for each in arrays])
        self._hoisted_version = self.on_device.hoisted.version

    def _bytes(self, buffer: buffer_nodes.Buffer) -> int:
        return bytes_of(buffer, self._widths, self.sizes)

    def _fill_graph(self) -> None:
        """The graph, and everything else that is the same in every run."""
        for buffer in self.plan.buffers:
            if buffer.allocator is Allocator.CALLER and buffer.group == GRAPH:
                assert isinstance(buffer.element, Type)
                self.record.point(buffer, [self.on_device.part(buffer.name, buffer.element)])
        edges = self.sizes[Size.EDGES]
        graph = {"num_vertices": self.sizes[Size.VERTICES], "num_edges": edges}
        graph["largest_degree"] = self.on_device.largest_degree
        if self.plan.graphs:
            graph |= {"edge_bound": edges, "room": -1, "ends_room": -1}
        self.record.set_values(GRAPH, graph)
        self.record.set_values(RUN, {"host_stop": self.device.stop_pointer, "trace_capacity": self.transfers.capacity})

    def _prepare(self, results: list[buffer_nodes.Buffer]) -> None:
        """The fields of the record that differ between runs."""
        place, widths = self.record.pointer, self._widths
        self._new = [(buffer.name, self._bytes(buffer), place(buffer)) for buffer in results]
        self._ahead_bytes = sum(nbytes for _, nbytes, _ in self._new)
        self._ahead: tuple[object, dict[str, Buffer]] | None = None
        """The lane, and the buffers of the next run's results, to which the record points already."""
        self._inside: dict[str, Buffer] = {}
        """The buffers of the last run's results if they are not the caller's: results are copied or reordered into
        other buffers then."""
        self.on_device.scratch.users.add(self)
        self._inputs = [
            (buffer.name, host_dtype(buffer.element, widths), place(buffer))
            for buffer in self.plan.buffers
            if buffer.allocator is Allocator.CALLER and buffer.group == PROBLEM and isinstance(buffer.element, Type)
        ]
        inputs = [buffer for buffer in self.plan.buffers if buffer.role is Role.INPUT]
        self._lengths = {buffer.name: buffer.extent.value(self.sizes) for buffer in inputs}
        self._of_edges = {array.name for array in self.plan.program.arrays if array.domain is Domain.EDGE}
        self._own: frozenset[str] = frozenset()
        self._scalars = GraphScalars(self.on_device, widths, hoisted_scalars(self.plan.program))
        self._known = [
            (name, self.record.value(PROBLEM, name, host_dtype(kind, widths)))
            for name, kind, _ in self._scalars.params()
        ]
        """The params for scalars that are kept with the graph, until these are known."""
        hidden = {name for name, _ in self._known}
        self._params = [
            (
                param.name,
                self.record.value(PROBLEM, param.name, host_dtype(param.type, widths)),
                self.ids.differ(param.name),
            )
            for param in self.plan.program.params
            if param.name not in hidden
        ]
        self._most_passes, self._limit = self.record.value(RUN, "max_iterations", numpy.dtype("i8")), -1
        """The field in the record, and its current value."""
        bounded = most_visits(self.plan) is not None
        self._most_visits = self.record.value(RUN, MOST_VISITS.name, numpy.dtype("u8")) if bounded else None

    # One run

    def begin(self, bindings: Bindings, limits: Limits, most_visits: int = 0) -> None:
        """Prepare a run, whose first loop may visit `most_visits` edges (0: any number); raises E0912 if the device has
        not enough memory for the results."""
        scratch = self.on_device.scratch
        acquires = scratch.user is not self._token
        if acquires:
            self._lay_out(scratch.acquire(self._token, self._sizes, self._copied, self._filled))
        if self._hoisted:
            self.on_device.hoisted.copy_for_gpus()
            if self._hoisted_version != self.on_device.hoisted.version:
                self._find_hoisted()
        params, inputs, numbering = bindings.params, bindings.inputs, self._numbering
        prepared, self._ahead = self._ahead, None
        names = self.names = (
            prepared[1] if prepared is not None and prepared[0] == self.device.lane else self._new_names({})
        )
        for name, dtype, place in self._inputs:
            created = names[name] = self._input(name, inputs.get(name), dtype, name in bindings.own)
            place[0] = created.pointer
        self.results.begin(acquires)
        self._own = bindings.own
        for name, place, moves in self._params:
            place[0] = numbering.inside(params[name]) if numbering is not None and moves else params[name]
        if self._known:
            for (_, place), (_, _, value) in zip(self._known, self._scalars.params(), strict=True):
                place[0] = value
            self._known = [] if self._scalars.are_known else self._known
        for name, place in self.transfers.initial_scalars:
            place[0] = self.ids.inside(name, inputs[name])
        limit = _MOST if limits.max_iterations is None else limits.max_iterations
        if limit != self._limit:
            self._most_passes[0] = self._limit = limit
        if self._most_visits is not None:
            self._most_visits[0] = most_visits
        self.shared.send()

    def _input(self, name: str, values: Any, dtype: Any, own: bool) -> Buffer:
        """An input on the device; `own`: it is the graph's."""
        if name == GIVEN_IDS:
            assert self._numbering is not None
            return self._numbering.order
        if not own:
            return self.device.upload(values if values.dtype == dtype else values.astype(dtype, copy=False))
        of_edges = name if name in self._of_edges else None
        if self._numbering is None:
            return self.on_device.attribute(values, dtype, of_edges)
        put, nbytes = self._numbering.put_attribute, values.size * dtype.itemsize
        there = partial(self.on_device.upload_values, values, dtype, of_edges)
        return put(values, there, nbytes, self.ids.are_in(name), self._places(name))

    def _places(self, name: str) -> Places | None:
        """The order of an input whose values are not in the order of the vertices."""
        return self.on_device.edges_as_given() if name in self._of_edges else None

    def note_scalars(self) -> None:
        """Keep with the graph what a run that is over has found of that alone."""
        self._scalars.note(self._scalar)

    def _scalar(self, name: str) -> Any:
        (kind,) = (each.type for each in self.plan.program.scalars if each.name == name)
        return self.transfers.scalar(self.transfers.scalars[name]).view(host_dtype(kind, self._widths)).item(0)

    def put_inside(self) -> None:
        """Reorder the caller's inputs as the graph on the device is ordered, before anything is launched."""
        if self._numbering is None:
            return
        for name, dtype, place in self._inputs:
            if name not in self._own and name != GIVEN_IDS:
                nbytes = dtype.itemsize * self._lengths[name]
                created = self._numbering.put_inside(
                    self.names[name], nbytes, self.ids.are_in(name), self._places(name)
                )
                self.names[name] = created
                place[0] = created.pointer

    def prepare_next(self, allocates: bool = True) -> None:
        """Prepare the next run while the device is busy with this one; `allocates`: also memory for its results."""
        if allocates and self._ahead_bytes > _MUCH_AHEAD:
            self.on_device.scratch.keep_large(self)
        if allocates and self._ahead_bytes <= _MOST_AHEAD:
            with contextlib.suppress(GdslError):  # then that run allocates it itself
                self._ahead = self.device.lane, self._new_names(self._inside)
                self.device.prepare(self.arguments)
        self.transfers.send_ahead()

    def incoming(self, words: tuple[int, int, int]) -> Incoming:
        """A slot for what a queued run hands over; `words` of the control block say that it was stopped."""
        return self.shared.incoming(words, self._to_clear)

    def look_at(self, names: dict[str, Buffer], received: Sequence[Bytes] | None) -> None:
        """Use the `names`, and the values on the host, of another run; None: of the run that is waited for."""
        self.names = names
        self.transfers.look_at(received)

    def free_unused(self) -> None:
        """Free what was allocated for the next run."""
        self._ahead, self._inside = None, {}

    def _new_names(self, again: Mapping[str, Buffer]) -> dict[str, Buffer]:
        """The buffers of a run's results and its scalars, to which the record will point. Buffers in `again` are
        reused."""
        names: dict[str, Buffer] = {}
        for name, nbytes, place in self._new:
            allocate = self.device.allocate_near if name in self._whole else self.device.allocate
            created = names[name] = again.get(name) or allocate(nbytes)
            place[0] = created.pointer
        if self._keeps_inside:
            given = self._whole if self._numbering is None else ()
            self._inside = {name: created for name, created in names.items() if name not in given}
        names.update(self.transfers.scalars)
        if self.plan.swapped:
            self._point(self.transfers.scalars)
        return names

    def end(self, whole: bool) -> None:
        """Release what belongs to the run; `whole`: it has completed."""
        self.names = {}
        self.results.end()
        if self._ahead is None:
            self._inside = {}
        if not whole:
            self.shared.invalidate()
            self.on_device.scratch.invalidate()

    def _lay_out(self, buffers: Sequence[Buffer]) -> None:
        """Point to the scratch memory, and clear what must be clear; runs leave that cleared."""
        place, to_clear = 0, list[tuple[int, int]]()
        for buffer in self._work:
            created = buffers[place : place + max(buffer.copies, 1)]
            place += len(created)
            self.record.point(buffer, created)
            cleared = created if buffer.cleared is Cleared.ZERO else ()
            to_clear += [(each.pointer, -(-each.nbytes // 4)) for each in cleared]
            for each in cleared:
                self.device.zero(each)
        if to_clear != self._to_clear:
            self._to_clear = to_clear

    def rename(self, places: Mapping[str, Buffer], point: bool = False) -> None:
        """Let names of the program's data refer to other buffers; `point`: in the record too."""
        self.names.update(places)
        if point:
            self._point(places)

    def _point(self, places: Mapping[str, Buffer]) -> None:
        for buffer in self.plan.buffers:
            if buffer.group == PROBLEM and buffer.name in places:
                self.record.point(buffer, [places[buffer.name]])


class RunMemories:
    """One memory at a time; `current` is that of the last run, None before the first."""

    def __init__(self, device: Device, plan: Plan, on_device: GraphOnDevice, kind: type[RunMemory]) -> None:
        """`kind`: the class of the memories."""
        self._device, self._plan, self._on_device, self._kind = device, plan, on_device, kind
        self._counts = counts_in(plan)
        self._lengths: tuple[object, ...] = ()
        self.current: RunMemory | None = None

    def reusable(self, bindings: Bindings) -> RunMemory | None:
        """The memory of the run before, if this one needs no other."""
        return self.current if not self._counts or self._lengths == self._lengths_of(bindings) else None

    def of(self, bindings: Bindings, graph: Graph) -> RunMemory:
        """The memory for a run: that of the last one if it fits, or new memory. Raises E0912."""
        memory = self.reusable(bindings)
        if memory is None:
            self.current = None
            sizes, lengths = sizes_of(graph, bindings), self._lengths_of(bindings)
            memory = self._kind(self._device, self._plan, self._on_device, sizes)
            self.current, self._lengths = memory, lengths
        return memory

    def _lengths_of(self, bindings: Bindings) -> tuple[object, ...]:
        """The params that determine the lengths of buffers."""
        return tuple([bindings.params[name] for name in self._counts])
