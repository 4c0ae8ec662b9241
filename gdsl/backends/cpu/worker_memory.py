"""The memory of one run of one worker: its share of the graph, and its own part of what workers hold in parts."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.memory import GraphSlice, allocate, dtype_of
from gdsl.backends.cpu.run import LoadedProgram, Run
from gdsl.backends.failures import count_of
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.pairs import words_of
from gdsl.backends.workers.merging import Field, field_of
from gdsl.backends.workers.share_lists import ShareLists, address_of
from gdsl.communicator import Communicator
from gdsl.extents import of_graph
from gdsl.graph.shares import GraphShare
from gdsl.operations import Domain, Over
from gdsl.plan.buffer_nodes import Allocator, Buffer
from gdsl.plan.exchange_nodes import Distribution, Held
from gdsl.types import Type, Widths


class WorkerMemory(Run):
    """The memory of one run of one worker."""

    graph: GraphShare  # type: ignore[assignment]

    def __init__(
        self,
        executable: LoadedProgram,
        share: GraphShare,
        bindings: Bindings,
        communicator: Communicator,
        limits: Limits,
    ) -> None:
        distribution = executable.generated.distribution
        assert distribution is not None
        self.distribution, self.communicator = distribution, communicator
        self.parts = frozenset(each.name for each in distribution.arrays if each.held is Held.OWN)
        self._arrays = {array.name: array for array in executable.program.arrays}
        super().__init__(executable, share, bindings, limits)  # type: ignore[arg-type]
        control = self.control
        control.rank, control.workers = share.rank, share.size
        control.first_vertex, control.last_vertex = share.first, share.last
        control.first_edge, control.last_edge = share.first_edge, share.last_edge
        buffers = executable.generated.buffers
        self._fields = {buffer.name: self._field(buffer) for buffer in buffers if buffer.name not in self.parts}

    def _slice(self) -> tuple[Any, list[Any]]:
        return GraphSlice(self.graph.num_vertices, self.graph.num_edges), []

    def connect(self) -> None:
        """Fetch what other workers have of the graph and this one needs. All workers call it."""
        held = self.executable.slices.get(self.graph)
        if held is None:
            parts = self.executable.generated.parts
            held = _share_slice(self.graph, self.communicator, self.widths, parts, self.distribution)
            self.executable.slices[self.graph] = held
        self.host.graph, self._alive = held
        if any(Over.IN_EDGES in snapshot.over for snapshot in self.executable.generated.snapshots):
            self.graph.in_lists(self.communicator)  # which `_elements` reads, where not all workers may come
            self.graph.in_degrees(self.communicator)

    def _length(self, buffer: Buffer) -> int:
        share = self.graph
        own = buffer.name in self.parts
        counts = (share.num_owned, len(share.columns)) if own else (share.num_vertices, share.num_edges)
        return buffer.extent.value(of_graph(*counts, self.bound))

    def _array(self, buffer: Buffer, bindings: Bindings, count: int) -> NDArray[Any]:
        """Of an input that is held in parts, this worker's own part; a caller may have given all of it."""
        values = super()._array(buffer, bindings, count)
        if buffer.allocator is not Allocator.CALLER or len(values) == count:
            return values
        array = self._arrays[buffer.name]
        first, _ = self.graph.own(array.domain)
        width = self._count(buffer.name) * max(self._words(buffer), 1)
        return values[first * width : first * width + count] if count else allocate(0, values.dtype)

    def _places_in_memory(self) -> list[int]:
        """Where the first value of each buffer is, or, of a worker's own part, would be."""
        addresses = []
        for buffer, values in zip(self.executable.generated.buffers, self.data, strict=True):
            missing = 0
            if buffer.name in self.parts:
                missing = self._count(buffer.name) * self.graph.own(self._arrays[buffer.name].domain)[0]
            words = self._words(buffer)
            addresses.append((values.ctypes.data - missing * max(words, 1) * values.itemsize) % (1 << 64))
        return addresses

    def raw_results(self) -> dict[str, NDArray[Any]]:
        """The results as they are stored, by name."""
        values = self.all_values(self._data_pointers)
        return {name: values[place] for place, name in self.executable.results}

    def all_values(self, addresses: Any) -> list[NDArray[Any]]:
        """All data in the order of the buffers, whose `addresses` are known: swaps may have moved data, and what is in
        parts changes places with others alike."""
        buffers = self.executable.generated.buffers
        alike = [(buffer.name in self.parts, buffer.element, buffer.extent) for buffer in buffers]
        by_place = dict(zip(zip(self._addresses, alike, strict=True), self.data, strict=True))
        return [by_place[addresses[place] or 0, alike[place]] for place in range(len(buffers))]

    def _count(self, name: str) -> int:
        """How many values an element has."""
        array = self._arrays.get(name)
        return 1 if array is None else count_of(array, self.bound)

    def _words(self, buffer: Buffer) -> int:
        assert isinstance(buffer.element, Type)
        return words_of(buffer.element, self.widths) if buffer.element.is_pair else 0

    def _field(self, buffer: Buffer) -> Field:
        assert isinstance(buffer.element, Type)
        dtype, array = dtype_of(buffer.element, self.widths), self._arrays.get(buffer.name)
        return field_of(self.graph, buffer.name, buffer.element, dtype, self.widths, array, self._count(buffer.name))

    def own_slice(self, name: str) -> slice | None:
        """Where the values of this worker's own elements are; None for what it holds in parts, and for scalars."""
        field = self._fields.get(name)
        if field is None or field.places is None:
            return None
        rank = self.graph.rank
        return slice(int(field.places[rank]) * field.width, int(field.places[rank + 1]) * field.width)

    def queue(self, address: int, domain: Domain) -> NDArray[Any]:
        """The queue of a set at this address as an array of ids, which has room for every element and one more."""
        vertices = domain is Domain.VERTEX
        bits = self.widths.vertex if vertices else self.widths.edge
        room = (self.graph.num_vertices if vertices else self.graph.num_edges) + 1
        return values_at(address, room, np.dtype(f"i{bits // 8}"))

    def own_members(self, members: NDArray[Any], domain: Domain) -> NDArray[Any]:
        """The ids in `members` that are of this worker's own vertices, or edges; a copy."""
        first, last = self.graph.own(domain)
        return members[(members >= first) & (members < last)].copy()


def _share_slice(
    share: GraphShare, communicator: Communicator, widths: Widths, parts: Iterable[str], distribution: Distribution
) -> tuple[Any, list[NDArray[Any]]]:
    """The `parts` of the graph for ids of these widths, and the arrays that must stay alive. All workers call it."""
    lists = ShareLists(share, communicator, widths)
    addresses, alive = {}, []
    for name in parts:
        array, first = lists.part(name, distribution.of_part(name))
        alive.append(array)
        addresses[name] = address_of(array.ctypes.data, first, array.itemsize)
    return GraphSlice(share.num_vertices, share.num_edges, **addresses), alive


def values_at(address: int, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """So many values in memory, which generated code owns."""
    if not count:
        return np.zeros(0, dtype)
    memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    return np.ctypeslib.as_array(memory).view(dtype)
