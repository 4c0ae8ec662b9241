"""A graph whose edge lists are in the memory of the host, where kernels read them; see `gdsl.backends.placement`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.backends.needs import shared_part
from gdsl.backends.placement import Placement
from gdsl.graph.graph import Graph
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.building import Parts


class HostGraph(GraphOnDevice):
    """A graph with offsets on the device and edge lists in the host's memory, as `placement` divides them."""

    def __init__(self, device: Device, graph: Graph, widths: Widths, placement: Placement) -> None:
        super().__init__(device, graph, widths)
        self.placement = placement
        self.limit: int | None = None
        """The limit of the memory of runs for which its lists are divided so."""
        self._resident: dict[int, int] = {}
        """By the address of a list, how many of its bytes are in the device's memory."""

    def _create_part(self, name: str, kind: numpy.dtype[Any]) -> Buffer:
        if name.endswith("offsets"):
            return self.device.upload(self._host(name, kind))
        return self._place(self._host(name, kind))

    def _find_on_gpu(self, find: Callable[[Any, Parts], Any | None]) -> Any | None:
        """Nothing: its lists are in the host's memory."""
        return None

    def upload_values(self, values: Any, dtype: Any, of_edges: str | None) -> Buffer:
        """As `GraphOnDevice.upload_values`; values of edges are placed as the edge lists are."""
        if of_edges is None:
            return super().upload_values(values, dtype, None)
        return self._place(values.astype(dtype, copy=False))

    def _place(self, values: Any) -> Buffer:
        resident = self.placement.resident_bytes(values.nbytes)
        buffer = self.device.place(values, resident)
        self._resident[buffer.pointer] = buffer.resident
        return buffer

    def device_bytes(self) -> int:
        """Bytes of the device's memory that another placement could use: of lists, and scratch memory."""
        return sum(self._resident.values()) + self.scratch.held_bytes()

    def resident_besides(self, names: Collection[str]) -> int:
        """Bytes on the device of edge lists of the graph other than `names`."""
        parts = {shared_part(name, self.directed) for name in names}
        return sum(self._resident.get(held.pointer, 0) for name, held in self._parts.items() if name not in parts)

    def free(self) -> None:
        """Free the graph on the device, and forget where its lists are."""
        super().free()
        self._resident = {}
