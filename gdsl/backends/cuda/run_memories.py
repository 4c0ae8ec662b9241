"""The memory of a program's runs on a graph, one after the other.

A run uses that of the run before it if all buffers have the same lengths. On several GPUs, what runs have shown also
decides where the arrays are (`observed_placement`); if the first GPU has no room for all of them, they are in parts.
"""

from __future__ import annotations

from gdsl.backends.cuda.memory import GraphOnDevice, sizes_of
from gdsl.backends.cuda.observed_placement import placement_of
from gdsl.backends.cuda.protocol import Device
from gdsl.backends.cuda.run_memory import RunMemory, counts_in
from gdsl.backends.cuda.trace import Written
from gdsl.backends.interface import Bindings, Limits
from gdsl.diagnostics import GdslError
from gdsl.extents import Sizes
from gdsl.graph.graph import Graph
from gdsl.plan.nodes import Plan


class RunMemories:
    """One memory at a time; `current` is that of the last run, None before the first."""

    def __init__(self, device: Device, plan: Plan, on_device: GraphOnDevice, kind: type[RunMemory]) -> None:
        """`kind`: the class of the memories."""
        self._device, self._plan, self._on_device, self._kind = device, plan, on_device, kind
        self._counts = counts_in(plan)
        self._placement = placement_of(plan) if on_device.numbering is None else None
        self._lengths: tuple[object, ...] = ()
        self.current: RunMemory | None = None

    @property
    def is_near(self) -> bool:
        """Whether the next run has all arrays on the first of several GPUs, because runs have shown that it is faster
        or may be."""
        return self._placement is not None and self._placement.is_near

    def reusable(self, bindings: Bindings) -> RunMemory | None:
        """The memory of the run before, if this one needs no other."""
        memory = self.current
        if memory is None or memory.near is not self.is_near:
            return None
        return memory if not self._counts or self._lengths == self._lengths_of(bindings) else None

    def of(self, bindings: Bindings, graph: Graph) -> RunMemory:
        """The same, or new memory. Raises E0912."""
        memory = self.reusable(bindings)
        if memory is None:
            self.current = None
            sizes, lengths = sizes_of(graph, bindings), self._lengths_of(bindings)
            try:
                memory = self._new(sizes)
            except GdslError as error:
                if error.code != "E0912" or not self.is_near:
                    raise
                self._give_up()
            if memory is None:  # behind the handler, whose error holds what was allocated
                memory = self._new(sizes)
            self.current, self._lengths = memory, lengths
        return memory

    def begin(self, memory: RunMemory, bindings: Bindings, graph: Graph, limits: Limits, most_visits: int) -> RunMemory:
        """The memory of a run that begins: this one or, if the first GPU has no room for all arrays, another. Raises
        E0912."""
        try:
            memory.begin(bindings, limits, most_visits)
            return memory
        except GdslError as error:
            if error.code != "E0912" or not memory.near:
                raise
            memory.end(False)
            self._give_up()
        memory = self.of(bindings, graph)
        memory.begin(bindings, limits, most_visits)
        return memory

    def observe(self, written: Written, ms: float, graph: Graph, threads: int) -> None:
        """Note the trace and the milliseconds of the last run, on GPUs of so many `threads` together, if it matters
        where its arrays are."""
        placement, memory = self._placement, self.current
        if placement is None or memory is None or not placement.asks(ms):
            return
        if memory.near:
            placement.note_near(ms)
        elif memory.is_divided:
            edges = self._plan.sizes.near_solo_edges * threads // len(self._device.gpu_numbers)
            degree = graph.num_edges / graph.num_vertices
            placement.note_in_parts(ms, written(), edges / max(degree, 1.0))

    def _give_up(self) -> None:
        assert self._placement is not None
        self._placement.give_up()

    def _lengths_of(self, bindings: Bindings) -> tuple[object, ...]:
        """The params that determine the lengths of buffers."""
        return tuple([bindings.params[name] for name in self._counts])

    def _new(self, sizes: Sizes) -> RunMemory:
        return self._kind(self._device, self._plan, self._on_device, sizes, self.is_near)
