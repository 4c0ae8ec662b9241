"""Which graph, ids, memory and kernels a run of a compiled program uses on a GPU, and what is kept for the next one."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.cuda.degree_order import reads_saved
from gdsl.backends.cuda.graph_cache import GraphCache, LoadedModule
from gdsl.backends.cuda.observed_forms import ObservedForms
from gdsl.backends.cuda.observed_gpus import ObservedGpus
from gdsl.backends.cuda.observed_order import ObservedOrder
from gdsl.backends.cuda.planning import plan_of
from gdsl.backends.gpus import no_memory_error
from gdsl.backends.interface import Bindings, Limits
from gdsl.graph.graph import Graph
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse, Place
from gdsl.plan import alternatives, heuristics, work_order
from gdsl.plan.graph_class import GENERAL, REVISITED, GraphClass
from gdsl.plan.renumbering import can_be_put, is_worth, looking_up
from gdsl.types import Widths

if TYPE_CHECKING:
    from typing import Self

    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.graph_placement import Request
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.codegen.generated import CudaText
    from gdsl.plan.alternatives import Alternative
    from gdsl.plan.nodes import Plan


class ExecutableForms:
    """A compiled program and its other forms. If the order of a loop or the size of a block depends on the graph, there
    are further executables for other graphs, created when they are first needed. Runs observe whether another order of
    work is better (`observed_order`), and whether another form is (`observed_forms`)."""

    def __init__(
        self,
        device: CudaDevice,
        graphs: GraphCache,
        build: Callable[[Program, Widths, bool, GraphClass, int], Self],
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
        self._device, self._graphs, self._build = device, graphs, build
        self.generated, self.widths, self._teams, self._instances = generated, widths, teams, instances
        self._program, self._plan, self._graph_class = program, plan, graph_class
        self.on_several_gpus = self.with_lanes = False
        self.build_alone: Callable[[], Self] | None = None
        """Of a program on several GPUs: creates the executable for the first one."""
        self._alone: Self | None = None
        self.build_seconds = 0.0
        """What compiling took, now or before."""
        self._first_ms = {False: 0.0, True: 0.0}
        """What first runs of other forms have taken at most beside the run, if they were compiled before, or for it."""
        self.is_built: Callable[[Program, Widths, GraphClass], bool] | None = None
        """Whether another program has been compiled before."""
        self._forms: weakref.WeakKeyDictionary[Graph, ObservedForms] | None = None
        """What runs on each graph have shown of other forms; None if there are none."""
        if graph_class == GENERAL and not (teams or instances) and alternatives.may_differ(program):
            self._forms = weakref.WeakKeyDictionary()
        self._best: weakref.WeakKeyDictionary[Graph, Self] = weakref.WeakKeyDictionary()
        """Forms that runs on a graph have shown to be faster than this one."""
        self._tried: weakref.WeakKeyDictionary[Graph, tuple[Alternative, Self, bool]] = weakref.WeakKeyDictionary()
        """Forms that are being tried, and whether the graph had its vertices by degree before."""
        self.is_alternative = False
        """Whether this is one of these: if there is no memory for it, the program runs as it is."""
        self.blocks_each = 0
        """The most blocks that runs have on each multiprocessor; 0: as many as are useful."""
        self._gpus: weakref.WeakKeyDictionary[Graph, ObservedGpus] = weakref.WeakKeyDictionary()
        """What runs on each graph have shown of the GPUs to use."""
        self.kernels = LoadedModule(self._device, cubin)
        self._enactors: weakref.WeakKeyDictionary[Graph, Enactor] = weakref.WeakKeyDictionary()
        self._with_arrays: weakref.WeakKeyDictionary[Graph, Enactor] = weakref.WeakKeyDictionary()
        """The same for runs with the caller's own arrays of edges, which are not reordered."""
        self._latest: tuple[weakref.ref[Enactor], frozenset[str], MemoryUse | None] | None = None
        """The enactor that ran last, which inputs were the graph's own, and which memory it may use: the choice of an
        enactor depends on these."""
        self._within: weakref.WeakKeyDictionary[Graph, tuple[MemoryUse | None, frozenset[str], Enactor]]
        self._within = weakref.WeakKeyDictionary()
        """The enactor of the last run with a choice of memory, or without enough of it."""
        self._too_large: weakref.WeakSet[Graph] = weakref.WeakSet()
        """Graphs whose edge lists do not fit on the device."""
        self._as_given: weakref.WeakSet[Graph] = weakref.WeakSet()
        """Graphs without enough memory for other ids."""
        self._renamed: Self | None = None
        self._is_open = graph_class == GENERAL and heuristics.depends_on_graph(program)
        """Whether there are others for classes of graphs."""
        self._others: dict[GraphClass, Self] = {}
        self._orders: weakref.WeakKeyDictionary[Graph, ObservedOrder] | None = None
        """What runs on each graph have shown of the order of work; None if they cannot show anything."""
        if self._is_open and not (teams or instances) and work_order.observed_loop(program) is not None:
            self._orders = weakref.WeakKeyDictionary()
        self._choices: weakref.WeakKeyDictionary[Graph, Self] = weakref.WeakKeyDictionary()
        """The executable for each graph: finding it takes a walk over the program."""

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

    def _executable_of(self, graph: Graph) -> Self | None:
        """This executable or the one in its place, whichever has run on the graph."""
        gpus = self._gpus.get(graph)
        if gpus is not None and gpus.is_alone and self._alone is not None:
            return self._alone._executable_of(graph)
        if graph in self._best:
            return self._best[graph]._executable_of(graph)
        observed = self._orders.get(graph) if self._orders is not None else None
        if observed is not None and observed.ran_near_far:
            return self._from_near_to_far()._executable_of(graph)
        if self._has_run_on(graph):
            return self
        others = (each._executable_of(graph) for each in (*self._others.values(), self._renamed) if each is not None)
        return next((executable for executable in others if executable is not None), None)

    def _has_run_on(self, graph: Graph) -> bool:
        return graph in self._enactors or graph in self._with_arrays or graph in self._within

    def _order_on(self, graph: Graph) -> ObservedOrder:
        """What runs on the graph have shown."""
        assert self._orders is not None
        order = self._orders.get(graph)
        if order is None:
            order = self._orders[graph] = ObservedOrder(graph.num_edges)
        return order

    def _gpus_on(self, graph: Graph, limits: Limits) -> ObservedGpus | None:
        """What runs on the graph have shown; None if they cannot show anything."""
        if self.build_alone is None or limits.memory is not None:
            return None
        found = self._gpus.get(graph)
        if found is None:
            found = self._gpus[graph] = ObservedGpus()
        return found

    def _on_first_gpu(self) -> Self:
        """The executable for that alone, created when it is first needed."""
        if self._alone is None:
            assert self.build_alone is not None
            self._alone = self.build_alone()
        return self._alone

    def leave(self, graph: Graph) -> None:
        """Free what runs on the graph have on the GPU; a later run brings it there again."""
        self._device.acquire(None)
        try:
            self._graphs.free(graph, self._device)
        finally:
            self._device.release(True)

    def _for_class(self, graph_class: GraphClass) -> Self:
        """The executable for a class of graphs, created when it is first needed."""
        if graph_class not in self._others:
            self._others[graph_class] = self._build(self._program, self.widths, False, graph_class, 0)
        return self._others[graph_class]

    def _from_near_to_far(self) -> Self:
        """The executable for graphs whose edges are visited too often otherwise."""
        return self._for_class(REVISITED)

    def _in_order(self, graph: Graph) -> Self:
        """This executable, or that for another order of work if runs on the graph have shown that it is better."""
        observed = self._orders.get(graph) if self._orders is not None else None
        return self._from_near_to_far() if observed is not None and observed.is_near_far else self

    def _forms_on(self, graph: Graph, limits: Limits) -> ObservedForms | None:
        """What runs on the graph have shown; None if they cannot show anything."""
        if self._forms is None or self.on_several_gpus or limits.max_iterations is not None:
            return None
        if limits.memory is not None or graph in self._too_large:
            return None
        found = self._forms.get(graph)
        if found is None:
            found = self._forms[graph] = ObservedForms()
        return found

    def _with(self, graph: Graph, forms: Iterable[Alternative]) -> tuple[Program, GraphClass]:
        """The program in these forms, and the class of graphs that it is built for."""
        program = self._program
        for each in forms:
            program = each.applied(program)
        suited = self._in_order(graph)
        suited = suited._for_graph(graph) if suited is self else suited
        return program, heuristics.relevant(program, suited._graph_class)

    def _forget(self, graph: Graph) -> None:
        """Free the memory of runs on the graph: another form has its place."""
        for form in (*self._others.values(),):  # other threads add some
            form._forget(graph)
        if self._renamed is not None:
            self._renamed._forget(graph)
        for enactors in (self._enactors, self._with_arrays, self._within):
            enactors.pop(graph, None)
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

    def _is_limited(self, graph: Graph, limits: Limits) -> bool:
        """Whether the memory decides which form of the graph a run uses."""
        memory = limits.memory
        if self.on_several_gpus and memory is not None and memory.place is not Place.DEVICE:
            raise no_memory_error()
        return graph in self._too_large if memory is None else memory.place is not Place.DEVICE

    def _uses_other_ids(self, graph: Graph, bindings: Bindings) -> bool:
        """Whether this run uses other ids by a kernel of its own."""
        layout = self.plan.layout
        if layout is None or not layout.apart or graph in self._as_given or not can_be_put(layout, bindings.own):
            return False
        return is_worth(layout, graph.num_vertices, graph.num_edges, partial(reads_saved, graph))

    def _with_other_ids(self) -> Self:
        """The executable for that, created when it is first needed."""
        if self._renamed is None:
            self._renamed = self._build(looking_up(self._program), self.widths, False, GENERAL, 0)
            self._renamed.blocks_each = self.blocks_each
        return self._renamed

    def _free_memory(self, graph: Graph) -> bool:
        """Free memory that is not in use; whether another try is worthwhile."""
        return self._graphs.free_unused(self._device) or self._use_own_ids(graph)

    def _use_own_ids(self, graph: Graph) -> bool:
        """Use the graph's ids from now on; False if that was so before, or if other ids were requested."""
        enactor, layout = self._enactors.get(graph), self.plan.layout
        if layout is None or layout.always or (enactor is not None and enactor.on_device.numbering is None):
            return False
        self._as_given.add(graph)
        self._enactors.pop(graph, None)
        self._latest = None
        return True

    def _use_host(self, graph: Graph) -> bool:
        """Keep the edge lists of the graph in the host's memory from now on; False if that was so before, or if the
        program needs other ids."""
        if graph in self._too_large or not self._runs_on_own_ids or self.is_alternative:
            return False
        from gdsl.backends.cuda.building import release

        self._too_large.add(graph)
        for enactors in (self._enactors, self._with_arrays):
            enactors.pop(graph, None)
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

    def _place_again(self, graph: Graph) -> bool:
        """Divide the edge lists of the graph again, by the memory that is free now."""
        forms: tuple[ExecutableForms, ...] = (self, *self._others.values())
        former = [form._within.pop(graph, None) for form in forms]
        return former.count(None) < len(former)

    def _request(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Request:
        from gdsl.backends.cuda.graph_placement import Request

        return Request(self._graphs, self._device, self.plan, graph, self.widths, bindings, memory)

    def _form_within(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Self:
        """The executable for a run that may use this memory: another one if edge lists are in the host's, and that
        matters to the program."""
        graph_class = heuristics.in_host(self._program, self._graph_class)
        if graph_class == self._graph_class or self.on_several_gpus:
            return self
        from gdsl.backends.cuda.graph_placement import is_in_host

        return self._for_class(graph_class) if is_in_host(self._request(graph, bindings, memory)) else self

    @property
    def _runs_on_own_ids(self) -> bool:
        return all(array.name != GIVEN_IDS for array in self._program.arrays)

    def _for_graph(self, graph: Graph) -> Self:
        """The executable for the graph, this one or another."""
        if not self._is_open:
            return self
        chosen = self._choices.get(graph)
        if chosen is None:
            original = self._graphs.graph(graph, self.widths, self._device)
            counts = graph.num_vertices, graph.num_edges, original.largest_degree
            graph_class = heuristics.class_for(self._program, *counts, self._device.dynamic_shared_limit())
            if graph_class == GENERAL:
                return self
            chosen = self._choices[graph] = self._for_class(graph_class)
        return chosen

    def _enactor(self, graph: Graph, bindings: Bindings, limits: Limits) -> Enactor:
        if self._is_limited(graph, limits):
            return self._enactor_within(graph, bindings, limits.memory)
        layout = self.plan.layout
        put = layout is None or can_be_put(layout, bindings.own)
        enactors = self._enactors if put else self._with_arrays
        enactor = enactors.get(graph)
        if enactor is None or enactor.on_device.is_replaced:
            from gdsl.backends.cuda.enactor import Enactor

            if limits.memory is None and self._goes_to_host(graph, bindings):
                return self._enactor_within(graph, bindings, None)
            on_device = self._on_device(graph) if put else self._graphs.graph(graph, self.widths, self._device)
            made = self._device, self.kernels.get, self.plan, self.generated, on_device
            enactor = enactors[graph] = Enactor(*made, blocks_each=self.blocks_each)
        self._latest = weakref.ref(enactor), bindings.own, limits.memory
        return enactor

    def _enactor_within(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Enactor:
        """The enactor for a run that may use this memory. Raises E0912 and E0914."""
        form = self._form_within(graph, bindings, memory)
        if form is not self:
            enactor = form._enactor_within(graph, bindings, memory)
            self._latest = form._latest
            return enactor
        former = self._within.get(graph)
        if former is None or former[:2] != (memory, bindings.own) or former[2].on_device.is_replaced:
            from gdsl.backends.cuda.enactor import Enactor
            from gdsl.backends.cuda.graph_placement import graph_within

            self._within.pop(graph, None)  # its memory may be needed
            on_device = graph_within(self._request(graph, bindings, memory))
            enactor = Enactor(self._device, self.kernels.get, self.plan, self.generated, on_device)
            former = self._within[graph] = memory, bindings.own, enactor
        self._latest = weakref.ref(former[2]), bindings.own, memory
        return former[2]

    def _on_device(self, graph: Graph) -> GraphOnDevice:
        """The graph, with other ids if that is worthwhile."""
        original, layout = self._graphs.graph(graph, self.widths, self._device), self.plan.layout
        if layout is None or layout.apart or graph in self._as_given:
            return original
        if not is_worth(layout, graph.num_vertices, graph.num_edges, partial(reads_saved, graph)):
            return original
        renumbered = self._graphs.by_degree(original, graph, self._device)
        if layout.of_edges:
            renumbered.edges_as_given()  # before the run allocates its memory, in the order of `needs`
        return renumbered
