"""One form of a program on a GPU: its text, its kernels, and the enactors and memory of its runs on each graph."""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.cuda.degree_order import reads_saved
from gdsl.backends.cuda.graph_cache import GraphCache, LoadedModule
from gdsl.backends.cuda.graph_record import GraphRecord, Within
from gdsl.backends.cuda.planning import plan_of
from gdsl.backends.gpus import no_memory_error
from gdsl.backends.interface import Bindings, Limits
from gdsl.graph.graph import Graph
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse, Place
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.renumbering import can_be_put, is_worth
from gdsl.types import Widths

if TYPE_CHECKING:
    from typing import Self

    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.graph_placement import Request
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.codegen.generated import CudaText
    from gdsl.plan.nodes import Plan


class CompiledForm:
    """Machine code, and what runs of it keep for the next one on the same graph."""

    def __init__(
        self,
        device: CudaDevice,
        graphs: GraphCache,
        program: Program,
        plan: Plan | None,
        generated: CudaText,
        cubin: bytes,
        widths: Widths,
        teams: bool = False,
        instances: int = 0,
        graph_class: GraphClass = GENERAL,
    ) -> None:
        """`plan` is None if the text comes from the cache; the plan is rebuilt when it is first needed. `graph_class`:
        the graphs that it is for."""
        self._device, self._graphs = device, graphs
        self.generated, self.widths, self._teams, self._instances = generated, widths, teams, instances
        self._program, self._plan, self._graph_class = program, plan, graph_class
        self.on_several_gpus = self.with_lanes = False
        self.is_alternative = False
        """Whether it is tried in the place of another: if there is no memory for it, the program runs as it is."""
        self.blocks_each = 0
        """The most blocks that runs have on each multiprocessor; 0: as many as are useful."""
        self.kernels = LoadedModule(self._device, cubin)
        self._records: weakref.WeakKeyDictionary[Graph, GraphRecord[Self]] = weakref.WeakKeyDictionary()
        self._latest: tuple[weakref.ref[Enactor], frozenset[str], MemoryUse | None] | None = None
        """The enactor that ran last, which inputs were the graph's own, and which memory it may use: the choice of an
        enactor depends on these."""

    @property
    def plan(self) -> Plan:
        """The plan of the text."""
        if self._plan is None:
            self._plan = plan_of(
                self._program,
                verify=False,
                teams=self._teams,
                instances=self._instances,
                several_gpus=self.on_several_gpus,
                lanes=self.with_lanes,
                graph=self._graph_class,
            )
        return self._plan

    def _on(self, graph: Graph) -> GraphRecord[Self]:
        """What is kept for the graph."""
        record = self._records.get(graph)
        return self._records.setdefault(graph, GraphRecord()) if record is None else record

    def _forget(self, graph: Graph) -> None:
        """Free the memory of runs on the graph: another form has its place."""
        self._on(graph).free()
        self._latest = None

    def _latest_enactor(
        self, graph: Graph, own: frozenset[str] = frozenset(), memory: MemoryUse | None = None
    ) -> Enactor | None:
        """The enactor that ran last, if that was on this graph with the same own inputs and the same choice of memory:
        it runs this as well."""
        latest = self._latest  # read once: other threads replace it
        if latest is None or latest[1] != own or latest[2] != memory:
            return None
        enactor = latest[0]()
        if enactor is None or enactor.on_device.graph() is not graph or enactor.on_device.is_replaced:
            return None
        return enactor

    def _enactor(self, graph: Graph, bindings: Bindings, limits: Limits) -> Enactor:
        if self._is_limited(graph, limits):
            return self._enactor_within(graph, bindings, limits.memory)
        layout, record = self.plan.layout, self._on(graph)
        put = layout is None or can_be_put(layout, bindings.own)
        enactor = record.enactor if put else record.with_arrays
        if enactor is None or enactor.on_device.is_replaced:
            if limits.memory is None and self._goes_to_host(graph, bindings):
                return self._enactor_within(graph, bindings, None)
            on_device = self._on_device(graph) if put else self._graphs.graph(graph, self.widths, self._device)
            enactor = self._new_enactor(on_device, self.blocks_each)
            if put:
                record.enactor = enactor
            else:
                record.with_arrays = enactor
        self._latest = weakref.ref(enactor), bindings.own, limits.memory
        return enactor

    def _enactor_within(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Enactor:
        """The enactor for a run that may use this memory. Raises E0912 and E0914."""
        record = self._on(graph)
        former = record.within
        if former is None or former[:2] != (memory, bindings.own) or former.enactor.on_device.is_replaced:
            from gdsl.backends.cuda.graph_placement import graph_within

            former = record.within = None  # its memory may be needed
            enactor = self._new_enactor(graph_within(self._request(graph, bindings, memory)))
            former = record.within = Within(memory, bindings.own, enactor)
        self._latest = weakref.ref(former.enactor), bindings.own, memory
        return former.enactor

    def _new_enactor(self, on_device: GraphOnDevice, blocks_each: int = 0) -> Enactor:
        from gdsl.backends.cuda.enactor import Enactor

        return Enactor(self._device, self.kernels.get, self.plan, self.generated, on_device, blocks_each=blocks_each)

    def _on_device(self, graph: Graph) -> GraphOnDevice:
        """The graph, with other ids if that is worthwhile."""
        original, layout = self._graphs.graph(graph, self.widths, self._device), self.plan.layout
        if layout is None or layout.apart or self._on(graph).as_given:
            return original
        if not self._is_worth(graph):
            return original
        renumbered = self._graphs.by_degree(original, graph, self._device)
        if layout.of_edges:
            renumbered.edges_as_given()  # before the run allocates its memory, in the order of `needs`
        return renumbered

    def _is_worth(self, graph: Graph) -> bool:
        """Whether other ids save enough on a graph of this size and these reads."""
        layout, counts = self.plan.layout, (graph.num_vertices, graph.num_edges)
        return layout is not None and is_worth(layout, *counts, partial(reads_saved, graph))

    def _is_limited(self, graph: Graph, limits: Limits) -> bool:
        """Whether the memory decides which form of the graph a run uses."""
        memory = limits.memory
        if self.on_several_gpus and memory is not None and memory.place is not Place.DEVICE:
            raise no_memory_error()
        return self._on(graph).too_large if memory is None else memory.place is not Place.DEVICE

    @property
    def _runs_on_own_ids(self) -> bool:
        return all(array.name != GIVEN_IDS for array in self._program.arrays)

    def _request(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Request:
        from gdsl.backends.cuda.graph_placement import Request

        return Request(self._graphs, self._device, self.plan, graph, self.widths, bindings, memory)

    def leave(self, graph: Graph) -> None:
        """Free what runs on the graph have on the GPU; a later run brings it there again."""
        self._device.acquire(None)
        try:
            self._graphs.free(graph, self._device)
        finally:
            self._device.release(True)

    def _free_memory(self, graph: Graph) -> bool:
        """Free memory that is not in use; whether another try is worthwhile."""
        return self._graphs.free_unused(self._device) or self._use_own_ids(graph)

    def _use_own_ids(self, graph: Graph) -> bool:
        """Use the graph's ids from now on; False if that was so before, or if other ids were requested."""
        record, layout = self._on(graph), self.plan.layout
        if layout is None or layout.always:
            return False
        if record.enactor is not None and record.enactor.on_device.numbering is None:
            return False
        record.as_given, record.enactor = True, None
        self._latest = None
        return True

    def _use_host(self, graph: Graph) -> bool:
        """Keep the edge lists of the graph in the host's memory from now on; False if that was so before, or if the
        program needs other ids."""
        record = self._on(graph)
        if record.too_large or not self._runs_on_own_ids or self.is_alternative:
            return False
        from gdsl.backends.cuda.building import release

        record.too_large, record.enactor, record.with_arrays = True, None, None
        self._latest = None
        self._graphs.free(graph, self._device)
        release(graph)
        return True

    def _goes_to_host(self, graph: Graph, bindings: Bindings) -> bool:
        """Whether the edge lists certainly do not fit on the device; they are in the host's memory from now on."""
        if self.on_several_gpus or not self._runs_on_own_ids:
            return False
        from gdsl.backends.cuda.graph_placement import exceeds_device

        return exceeds_device(self._request(graph, bindings, None)) and self._use_host(graph)
