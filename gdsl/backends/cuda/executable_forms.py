"""Which form of a compiled program runs on a graph on a GPU, and what runs there have shown of other forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from gdsl.backends.cuda.compiled_form import CompiledForm
from gdsl.backends.cuda.graph_cache import GraphCache
from gdsl.backends.cuda.observed_forms import ObservedForms
from gdsl.backends.cuda.observed_gpus import ObservedGpus
from gdsl.backends.cuda.observed_order import ObservedOrder
from gdsl.backends.cuda.planning import class_on
from gdsl.backends.interface import Bindings, Limits
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse
from gdsl.plan import alternatives, heuristics, work_order
from gdsl.plan.graph_class import GENERAL, REVISITED, WIDE, GraphClass
from gdsl.plan.occupancy import LISTING
from gdsl.plan.renumbering import can_be_put, looking_up
from gdsl.plan.small_frontiers import is_listed
from gdsl.plan.walking import operations
from gdsl.types import Widths

if TYPE_CHECKING:
    from typing import Self

    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.codegen.generated import CudaText
    from gdsl.plan.alternatives import Alternative
    from gdsl.plan.nodes import Plan


class ExecutableForms(CompiledForm):
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
        """As of CompiledForm; `build` creates another form."""
        super().__init__(device, graphs, program, plan, generated, cubin, widths, teams, instances, graph_class)
        self._build = build
        self.build_alone: Callable[[], Self] | None = None
        """Of a program on several GPUs: creates the executable for the first one."""
        self.is_built: Callable[[Program, Widths, GraphClass], bool] | None = None
        """Whether another program has been compiled before."""
        self.build_seconds = 0.0
        """What compiling took, now or before."""
        self._first_ms = {False: 0.0, True: 0.0}
        """What first runs of other forms have taken at most beside the run, if they were compiled before, or for it."""
        self._alone: Self | None = None
        self._renamed: Self | None = None
        self._others: dict[GraphClass, Self] = {}
        one_of_all = graph_class == GENERAL and not (teams or instances)
        self._has_others = graph_class == GENERAL and heuristics.depends_on_graph(program)
        """Whether there are others for classes of graphs."""
        self._tries_forms = one_of_all and alternatives.may_differ(program)
        self._observes_order = self._has_others and one_of_all and work_order.observed_loop(program) is not None

    # Other forms, created when they are first needed

    def _for_class(self, graph_class: GraphClass) -> Self:
        """The executable for a class of graphs."""
        if graph_class not in self._others:
            self._others[graph_class] = self._build(self._program, self.widths, False, graph_class, 0)
        return self._others[graph_class]

    def _from_near_to_far(self, graph: Graph) -> Self:
        """The executable for a graph whose edges are visited too often otherwise."""
        order = self._on(graph).order
        return self._for_class(WIDE if order is not None and order.is_wide else REVISITED)

    def _with_other_ids(self) -> Self:
        """The executable for other ids by a kernel of its own."""
        if self._renamed is None:
            self._renamed = self._build(looking_up(self._program), self.widths, False, GENERAL, 0)
            self._renamed.blocks_each = self.blocks_each
        return self._renamed

    def _on_first_gpu(self) -> Self:
        """The executable for the first of several GPUs alone."""
        if self._alone is None:
            assert self.build_alone is not None
            self._alone = self.build_alone()
        return self._alone

    def _with(self, graph: Graph, forms: Iterable[Alternative]) -> tuple[Program, GraphClass]:
        """The program in these forms, and the class of graphs that it is built for."""
        program = self._program
        for each in forms:
            program = each.applied(program)
        suited = self._in_order(graph)
        suited = suited._for_graph(graph) if suited is self else suited
        return program, heuristics.relevant(program, suited._graph_class)

    # What runs have shown

    def _order_on(self, graph: Graph) -> ObservedOrder | None:
        """What runs on the graph have shown of the order of work; None if they cannot show anything."""
        if not self._observes_order:
            return None
        record = self._on(graph)
        if record.order is None:
            threads = LISTING * self._device.multiprocessors * max(len(self._device.gpu_numbers), 1)
            record.order = ObservedOrder(graph.num_edges, threads)
        return record.order

    def _gpus_on(self, graph: Graph, limits: Limits) -> ObservedGpus | None:
        """What runs on the graph have shown of the GPUs to use; None if they cannot show anything."""
        if self.build_alone is None or limits.memory is not None:
            return None
        record = self._on(graph)
        if record.gpus is None:
            record.gpus = ObservedGpus()
        return record.gpus

    def _forms_on(self, graph: Graph, limits: Limits) -> ObservedForms | None:
        """What runs on the graph have shown of other forms; None if they cannot show anything."""
        if not self._tries_forms or self.on_several_gpus or limits.max_iterations is not None:
            return None
        record = self._on(graph)
        if limits.memory is not None or record.too_large:
            return None
        if record.forms is None:
            record.forms = ObservedForms()
        return record.forms

    # The form for a graph

    def _executable_of(self, graph: Graph) -> Self | None:
        """This executable or the one in its place, whichever has run on the graph."""
        record = self._on(graph)
        if record.gpus is not None and record.gpus.is_alone and self._alone is not None:
            return self._alone._executable_of(graph)
        if record.best is not None:
            return record.best._executable_of(graph)
        if record.order is not None and record.order.ran_near_far:
            return self._from_near_to_far(graph)._executable_of(graph)
        if record.has_run:
            return self
        others = (each._executable_of(graph) for each in (*self._others.values(), self._renamed) if each is not None)
        return next((executable for executable in others if executable is not None), None)

    def _in_order(self, graph: Graph) -> Self:
        """This executable, or that for another order of work if runs on the graph have shown that it is better."""
        order = self._on(graph).order
        return self._from_near_to_far(graph) if order is not None and order.is_near_far else self

    def _for_graph(self, graph: Graph) -> Self:
        """The executable for the graph, this one or another."""
        if not self._has_others:
            return self
        record = self._on(graph)
        if record.suited is None:
            original = self._graphs.graph(graph, self.widths, self._device)
            room = self._device.dynamic_shared_limit()
            graph_class = class_on(self._program, graph, original.largest_degree, room)
            if graph_class == GENERAL:
                return self
            record.suited = self._for_class(graph_class)
        return record.suited

    def _note_passes(self, graph: Graph, ran: Self) -> None:
        """After a run of `ran` on the graph, that for deep graphs perhaps: where that keeps few
        members as lists, and its passes are wide, this one runs from now on."""
        enactor = ran._on(graph).enactor
        if self.on_several_gpus or enactor is None or not enactor.has_wide_passes or not ran._graph_class.deep:
            return
        if any(map(is_listed, operations(ran.plan))):
            self._on(graph).suited = self
            ran._forget(graph)

    def _uses_other_ids(self, graph: Graph, bindings: Bindings) -> bool:
        """Whether this run uses other ids by a kernel of its own."""
        layout = self.plan.layout
        if layout is None or not layout.apart or self._on(graph).as_given or not can_be_put(layout, bindings.own):
            return False
        return self._is_worth(graph)

    def _enactor_within(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Enactor:
        """As of CompiledForm, by another form if edge lists are in the host's memory, and that matters to the
        program."""
        graph_class = heuristics.in_host(self._program, self._graph_class)
        if graph_class != self._graph_class and not self.on_several_gpus:
            from gdsl.backends.cuda.graph_placement import is_in_host

            if is_in_host(self._request(graph, bindings, memory)):
                form = self._for_class(graph_class)
                enactor = form._enactor_within(graph, bindings, memory)
                self._latest = form._latest
                return enactor
        return super()._enactor_within(graph, bindings, memory)

    def _forget(self, graph: Graph) -> None:
        for form in list(self._others.values()):  # other threads add some
            form._forget(graph)
        if self._renamed is not None:
            self._renamed._forget(graph)
        super()._forget(graph)

    def _place_again(self, graph: Graph) -> bool:
        """Divide the edge lists of the graph again, by the memory that is free now."""
        forms: tuple[CompiledForm, ...] = (self, *self._others.values())
        records = [form._on(graph) for form in forms]
        placed = any(record.within is not None for record in records)
        for record in records:
            record.within = None
        return placed
