"""A compiled program on a GPU: which graph, ids and kernels a call runs with."""

from __future__ import annotations

import dataclasses
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.batch import Bounds, Part, one_after_the_other
from gdsl.backends.cuda.graph_cache import GraphCache, LoadedModule
from gdsl.backends.cuda.observed_order import ObservedOrder, TooManyVisitsError
from gdsl.backends.cuda.planning import plan_of
from gdsl.backends.interface import Bindings, Build, Limits, Outcome
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse, Place
from gdsl.plan import heuristics, work_order
from gdsl.plan.graph_class import GENERAL, REVISITED, GraphClass
from gdsl.plan.renumbering import can_be_put, is_worth, looking_up
from gdsl.plan.teams import refusal
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.graph_placement import Request
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.backends.cuda.stream_queue import InFlightRun
    from gdsl.backends.cuda.teams import TeamRuns
    from gdsl.codegen.cuda.generated import Generated
    from gdsl.plan.nodes import Plan


class CudaExecutable:
    """A compiled program, on the GPU that was current when it was created; `generated.text` is its source.

    If the order of a loop or the size of a block depends on the graph, there are further executables for other graphs,
    created when they are first needed. Runs observe whether another order of work is better (`observed_order`).
    """

    def __init__(
        self,
        device: CudaDevice,
        graphs: GraphCache,
        build: Callable[[Program, Widths, bool, GraphClass], CudaExecutable],
        program: Program,
        plan: Plan | None,
        generated: Generated,
        cubin: bytes,
        widths: Widths,
        teams: bool = False,
        graph_class: GraphClass = GENERAL,
    ) -> None:
        """`plan` is None if the text comes from the cache; the plan is rebuilt when it is first needed. `graph_class`:
        the graphs that it is for."""
        self._device, self._graphs, self._build = device, graphs, build
        self.generated, self.widths, self._teams = generated, widths, teams
        self._program, self._plan, self._graph_class = program, plan, graph_class
        self.on_several_gpus = False
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
        self._renamed: CudaExecutable | None = None
        self._is_open = graph_class == GENERAL and heuristics.depends_on_graph(program)
        """Whether there are others for classes of graphs."""
        self._others: dict[GraphClass, CudaExecutable] = {}
        self._batches: BatchRuns | None = None
        self._orders: weakref.WeakKeyDictionary[Graph, ObservedOrder] | None = None
        """What runs on each graph have shown of the order of work; None if they cannot show anything."""
        if self._is_open and not teams and work_order.observed_loop(program) is not None:
            self._orders = weakref.WeakKeyDictionary()
        self._choices: weakref.WeakKeyDictionary[Graph, CudaExecutable] = weakref.WeakKeyDictionary()
        """The executable for each graph: finding it takes a walk over the program."""

    @property
    def plan(self) -> Plan:
        """The plan of the text."""
        if self._plan is None:
            self._plan = plan_of(
                self._program,
                verify=False,
                teams=self._teams,
                several_gpus=self.on_several_gpus,
                graph=self._graph_class,
            )
        return self._plan

    def run_batch(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """By teams, if the program has that form."""
        self._batches = self._batches or BatchRuns()
        return self._batches.run(self, graph, bound, limits, bounds)

    def build(self, graph: Graph) -> Build:
        """Of the executable that the graph uses, with the resources of its kernels."""
        ran = self._executable_of(graph)
        assert ran is not None
        enactors = ran._enactors if graph in ran._enactors else ran._with_arrays
        build = (ran._within[graph][2] if graph in ran._within else enactors[graph]).build()
        observed = self._orders.get(graph) if self._orders is not None else None
        if observed is None or not observed.line:
            return build
        return dataclasses.replace(build, facts=(*build.facts, ("order", observed.line.removeprefix("order: "))))

    def _executable_of(self, graph: Graph) -> CudaExecutable | None:
        """This executable or the one in its place, whichever has run on the graph."""
        observed = self._orders.get(graph) if self._orders is not None else None
        if observed is not None and observed.ran_near_far:
            return self._from_near_to_far()._executable_of(graph)
        if self._has_run_on(graph):
            return self
        others = (each._executable_of(graph) for each in (*self._others.values(), self._renamed) if each is not None)
        return next((executable for executable in others if executable is not None), None)

    def _has_run_on(self, graph: Graph) -> bool:
        return graph in self._enactors or graph in self._with_arrays or graph in self._within

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run on the GPU; raises GdslError if the run fails or is stopped, KeyboardInterrupt on Ctrl-C."""
        if self._orders is None or self.on_several_gpus or limits.max_iterations is not None:
            return self._run(graph, bindings, limits)
        observed = self._order_on(graph)
        started = limits.timeout and time.monotonic()
        if not observed.is_near_far:
            try:
                outcome = self._run(graph, bindings, limits, observed.most_visits)
            except TooManyVisitsError as stop:
                observed.note_stop(stop.visits, stop.ms)
                self._latest = None  # its memory is not needed any more
            else:
                observed.note_as_given(outcome.visits, outcome.kernel_ms)
                outcome.order_line = observed.line
                return outcome
        ordered = self._from_near_to_far()
        try:
            outcome = ordered._run(graph, bindings, limits.since(started))
        except GdslError as error:
            if error.code != "E0912":
                raise
            observed.give_up()
            outcome = self._run(graph, bindings, limits.since(started))
        else:
            observed.note_near_far(outcome.kernel_ms)
        outcome.order_line = observed.line
        return outcome

    def _order_on(self, graph: Graph) -> ObservedOrder:
        """What runs on the graph have shown."""
        assert self._orders is not None
        order = self._orders.get(graph)
        if order is None:
            order = self._orders[graph] = ObservedOrder(graph.num_edges)
        return order

    def _from_near_to_far(self) -> CudaExecutable:
        """The executable for graphs whose edges are visited too often otherwise, created when it is first needed."""
        if REVISITED not in self._others:
            self._others[REVISITED] = self._build(self._program, self.widths, False, REVISITED)
        return self._others[REVISITED]

    def _in_order(self, graph: Graph) -> CudaExecutable:
        """This executable, or that for another order of work if runs on the graph have shown that it is better."""
        observed = self._orders.get(graph) if self._orders is not None else None
        return self._from_near_to_far() if observed is not None and observed.is_near_far else self

    def _run(self, graph: Graph, bindings: Bindings, limits: Limits, most_visits: int = 0) -> Outcome:
        """Run in one order of work; `most_visits` as in `Enactor.run`."""
        enactor = self._latest_enactor(graph, bindings.own, limits.memory)
        if enactor is None:
            if not self._has_run_on(graph):
                suited = self._for_graph(graph)
                if suited is not self:
                    return suited._run(graph, bindings, limits, most_visits)
            if not self._is_limited(graph, limits) and self._uses_other_ids(graph, bindings):
                try:
                    return self._with_other_ids()._run(graph, bindings, limits, most_visits)
                except GdslError as error:
                    if error.code != "E0912" or not self._use_own_ids(graph):
                        raise
        device, whole = self._device, False
        started = limits.timeout and time.monotonic()
        device.acquire(limits.timeout)  # as `reserved` does, with fewer calls
        try:
            limits = limits if started is None else limits.since(started)
            try:
                outcome = (enactor or self._enactor(graph, bindings, limits)).run(bindings, limits, most_visits)
            except GdslError as error:
                if error.code != "E0912":
                    raise
                outcome = self._run_with_less_memory(graph, bindings, limits, most_visits, error)
            whole = True
            return outcome
        finally:
            device.release(whole)

    def submit(self, graph: Graph, bindings: Bindings, limits: Limits) -> InFlightRun | None:
        """Queue a run without waiting for it; None if `run` has to be used."""
        if self._orders is not None and limits.max_iterations is None:
            if self._order_on(graph).needs_run:
                return None
            if self._in_order(graph) is not self:
                return self._in_order(graph).submit(graph, bindings, limits)
        if self._is_limited(graph, limits):
            return None
        enactor = self._latest_enactor(graph, bindings.own)
        if enactor is None:
            if graph not in self._enactors:
                suited = self._for_graph(graph)
                if suited is not self:
                    return suited.submit(graph, bindings, limits)
            if self._uses_other_ids(graph, bindings):
                return self._with_other_ids().submit(graph, bindings, limits)
        device, whole = self._device, False
        started = limits.timeout and time.monotonic()
        device.acquire(limits.timeout, joins=enactor is not None or graph in self._enactors)
        try:
            limits = limits if started is None else limits.since(started)
            enactor = enactor or self._enactor(graph, bindings, limits)
            run = enactor.submit(device, graph, bindings, limits) if enactor.can_queue(bindings) else None
            whole = True
            return run
        except GdslError as error:
            whole = True  # nothing of it is in progress, and queued runs must not be stopped
            if error.code != "E0912":
                raise
            return None
        finally:
            device.release(whole)

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
            raise GdslError.single(
                "E0923",
                "the option memory is for runs on one GPU: several GPUs keep the whole graph in their memories",
                fix="leave out memory, or run on one GPU",
            )
        return graph in self._too_large if memory is None else memory.place is not Place.DEVICE

    def _run_with_less_memory(
        self, graph: Graph, bindings: Bindings, limits: Limits, most_visits: int, error: GdslError
    ) -> Outcome:
        """Run after freeing memory of others, on the graph's own ids, or with edge lists in the host's memory."""
        error.__traceback__ = error.__context__ = None  # their frames hold memory of the run that failed
        steps: tuple[Callable[[Graph], bool], ...] = self._free_memory, self._place_again
        if not self._is_limited(graph, limits):
            steps = self._free_memory, self._use_own_ids
            if limits.memory is None and not self.on_several_gpus:
                steps = (*steps, self._use_host)
        for makes_room in steps:
            if not makes_room(graph):
                continue
            try:
                return self._enactor(graph, bindings, limits).run(bindings, limits, most_visits)
            except GdslError as failure:
                if failure.code != "E0912":
                    raise
                failure.__traceback__ = failure.__context__ = None
                error = failure
        raise error

    def _uses_other_ids(self, graph: Graph, bindings: Bindings) -> bool:
        """Whether this run uses other ids by a kernel of its own."""
        layout = self.plan.layout
        if layout is None or not layout.apart or graph in self._as_given or not can_be_put(layout, bindings.own):
            return False
        largest = self._graphs.graph(graph, self.widths, self._device).largest_degree
        return is_worth(layout, graph.num_vertices, graph.num_edges, largest)

    def _with_other_ids(self) -> CudaExecutable:
        """The executable for that, created when it is first needed."""
        if self._renamed is None:
            self._renamed = self._build(looking_up(self._program), self.widths, False, GENERAL)
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
        if graph in self._too_large or not self._runs_on_own_ids:
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
        former = [form._within.pop(graph, None) for form in (self, *self._others.values())]
        return former.count(None) < len(former)

    def _request(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> Request:
        from gdsl.backends.cuda.graph_placement import Request

        return Request(self._graphs, self._device, self.plan, graph, self.widths, bindings, memory)

    def _form_within(self, graph: Graph, bindings: Bindings, memory: MemoryUse | None) -> CudaExecutable:
        """The executable for a run that may use this memory: another one if edge lists are in the host's, and that
        matters to the program."""
        graph_class = heuristics.in_host(self._program, self._graph_class)
        if graph_class == self._graph_class or self.on_several_gpus:
            return self
        from gdsl.backends.cuda.graph_placement import is_in_host

        if not is_in_host(self._request(graph, bindings, memory)):
            return self
        if graph_class not in self._others:
            self._others[graph_class] = self._build(self._program, self.widths, False, graph_class)
        return self._others[graph_class]

    @property
    def _runs_on_own_ids(self) -> bool:
        return all(array.name != GIVEN_IDS for array in self._program.arrays)

    def _for_graph(self, graph: Graph) -> CudaExecutable:
        """The executable for the graph, this one or another."""
        if not self._is_open:
            return self
        started = self._choices.get(graph)
        if started is None:
            original = self._graphs.graph(graph, self.widths, self._device)
            counts = graph.num_vertices, graph.num_edges, original.largest_degree
            graph_class = heuristics.class_for(self._program, *counts, self._device.dynamic_shared_limit())
            if graph_class == GENERAL:
                return self
            started = self._others.get(graph_class) or self._build(self._program, self.widths, False, graph_class)
            self._others[graph_class] = self._choices[graph] = started
        return started

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
            enactor = enactors[graph] = Enactor(self._device, self.kernels.get, self.plan, self.generated, on_device)
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
        if not is_worth(layout, graph.num_vertices, graph.num_edges, original.largest_degree):
            return original
        renumbered = self._graphs.by_degree(original, graph, self._device)
        if layout.of_edges:
            renumbered.edges_as_given()  # before the run allocates its memory, in the order of `needs`
        return renumbered


_LIMITED = "since the graph does not fit in the GPU's memory, or its memory is limited"


class BatchRuns:
    """What an executable runs for many values of params: a form of the program for teams of blocks."""

    def __init__(self) -> None:
        self._forms: dict[tuple[int, GraphClass], tuple[Program, CudaExecutable]] = {}
        """By the program's identity and the class of graphs; the program is kept alive with it, as a graph may need
        another one."""
        self._runs: weakref.WeakKeyDictionary[Graph, TeamRuns] = weakref.WeakKeyDictionary()
        """Those of the last call on each graph."""

    def run(
        self, executable: CudaExecutable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part]:
        """Run with each of `bound`: by teams, or one after the other if the program has no form for them."""
        why = refusal(executable.plan)
        if why is not None or not graph.num_vertices:
            return one_after_the_other(executable, graph, bound, limits, bounds, f"since {why}" if why else "")
        if executable._is_limited(graph, limits):
            return one_after_the_other(executable, graph, bound, limits, bounds, _LIMITED)
        started = limits.timeout and time.monotonic()
        try:
            chosen, on_device = _for_graph(executable, graph, bound[0], limits)
        except GdslError as error:
            if error.code != "E0912":
                raise
            return one_after_the_other(executable, graph, bound, limits, bounds, _LIMITED)
        form, device = self._form_of(executable, chosen), executable._device
        from gdsl.backends.cuda.teams import TeamRuns

        runs = self._runs.get(graph)
        if runs is None or runs.plan is not form.plan or runs.on_device is not on_device:
            free_unused = partial(executable._graphs.free_unused, device)
            runs = TeamRuns(device, form.kernels.get, form.plan, form.generated, on_device, free_unused)
            self._runs[graph] = runs
        return runs.run(bound, limits.since(started), bounds)

    def _form_of(self, executable: CudaExecutable, chosen: CudaExecutable) -> CudaExecutable:
        """The form of `chosen` for teams."""
        program, graph_class = chosen._program, chosen._graph_class
        key = id(program), graph_class
        if key not in self._forms:
            self._forms[key] = program, executable._build(program, executable.widths, True, graph_class)
        return self._forms[key][1]


def _for_graph(
    executable: CudaExecutable, graph: Graph, bindings: Bindings, limits: Limits
) -> tuple[CudaExecutable, GraphOnDevice]:
    """The executable for the graph, as for a single call, and the graph with the ids it has there. Raises E0802 if the
    device is not free in time."""
    suited = executable._in_order(graph)
    suited = executable._for_graph(graph) if suited is executable else suited
    if suited is not executable:
        return _for_graph(suited, graph, bindings, limits)
    if executable._uses_other_ids(graph, bindings):
        return _for_graph(executable._with_other_ids(), graph, bindings, limits)
    with executable._device.reserved(limits.timeout):
        try:
            return executable, executable._enactor(graph, bindings, limits).on_device
        except GdslError as error:
            if error.code != "E0912" or not executable._free_memory(graph):
                raise
            return executable, executable._enactor(graph, bindings, limits).on_device
