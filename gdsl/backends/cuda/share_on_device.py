"""A share of a graph on one worker's GPU: lists of which the worker has a part, at the places of the whole graph."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

from gdsl.backends.cuda.hoisted_graphs import HoistedGraphs
from gdsl.backends.cuda.memory import GraphOnDevice, ScratchMemory
from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.backends.needs import shared_part
from gdsl.backends.workers.share_lists import ShareLists, address_of
from gdsl.codegen.structs import element_dtype
from gdsl.communicator import Communicator
from gdsl.graph.shares import GraphShare
from gdsl.plan.buffer_nodes import GRAPH, Allocator
from gdsl.plan.exchange_nodes import Held
from gdsl.plan.nodes import Plan
from gdsl.types import Type, Widths


@dataclass(slots=True)
class ShiftedBuffer:
    """A part of an array, in `memory`: `pointer` is where the first element of the whole array would be."""

    memory: Buffer
    pointer: int
    nbytes: int
    """Of the part."""


def shifted(part: Buffer, first: int, itemsize: int) -> ShiftedBuffer:
    """The whole array of which `part` has the elements from number `first` on."""
    return ShiftedBuffer(part, address_of(part.pointer, first, itemsize), part.nbytes)


class ShareOnDevice(GraphOnDevice):
    """What the plan of a program reads of a worker's share. All workers create it together."""

    def __init__(
        self, device: Device, share: GraphShare, widths: Widths, plan: Plan, communicator: Communicator
    ) -> None:
        """Raises E0912 where the GPU has too little memory."""
        self.device, self.widths, self.directed = device, widths, share.directed
        self.graph = weakref.ref(share)  # type: ignore[arg-type]
        degrees = [share.out_degrees(communicator), share.in_degrees(communicator)]
        self.largest_degree = max(int(each.max(initial=0)) for each in degrees)
        self._shifted: dict[str, Buffer] = {}
        """By the part of the graph, in its own name."""
        held_parts: dict[tuple[str, Held], Buffer] = {}
        self._parts, self._attributes = {}, {}
        self.scratch, self.hoisted = ScratchMemory(device), HoistedGraphs(device)
        lists = ShareLists(share, communicator, widths)
        assert plan.distribution is not None
        for buffer in plan.buffers:
            if buffer.allocator is not Allocator.CALLER or buffer.group != GRAPH:
                continue
            assert isinstance(buffer.element, Type)
            dtype = element_dtype(buffer.element, widths)
            held = plan.distribution.of_part(buffer.name)
            same = shared_part(buffer.name, self.directed), held
            if same not in held_parts:
                ids, first = lists.part(same[0], held)
                there = device.upload(ids.astype(f"i{dtype.itemsize}", copy=False))
                held_parts[same] = shifted(there, first, dtype.itemsize)
            self._shifted[buffer.name] = held_parts[same]

    def part(self, name: str, element: Type) -> Buffer:
        """A member of `graph_slice`, for ids of the whole graph."""
        return self._shifted[name]
