"""The memory of a program's runs on a graph, one after the other.

A run uses that of the run before it if all buffers have the same lengths.
"""

from __future__ import annotations

from gdsl.backends.cuda.memory import GraphOnDevice, sizes_of
from gdsl.backends.cuda.protocol import Device
from gdsl.backends.cuda.run_memory import RunMemory, counts_in
from gdsl.backends.interface import Bindings
from gdsl.graph.graph import Graph
from gdsl.plan.nodes import Plan


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
