"""A compiled program on a GPU: which graph, ids and kernels a call runs with."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.batch import Bounds, Part, one_after_the_other
from gdsl.backends.cuda.graph_cache import GraphCache, LoadedModule
from gdsl.backends.cuda.planning import plan_of
from gdsl.backends.interface import Bindings, Build, Limits, Outcome
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program, Tuning
from gdsl.plan import heuristics
from gdsl.plan.renumbering import can_be_put, is_worth, looking_up
from gdsl.plan.teams import refusal
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.backends.cuda.stream_queue import InFlightRun
    from gdsl.backends.cuda.teams import TeamRuns
    from gdsl.codegen.cuda.generated import Generated
    from gdsl.plan.nodes import Plan


class CudaExecutable:
    """A compiled program, on the GPU that was current when it was created; `generated.text` is its source.

    If the order of a loop or the size of a block depends on the graph, there are further executables for other graphs,
    created when they are first needed.
    """

    def __init__(
        self,
        device: CudaDevice,
        graphs: GraphCache,
        build: Callable[[Program, Widths, bool], CudaExecutable],
        program: Program,
        plan: Plan | None,
        generated: Generated,
        cubin: bytes,
        widths: Widths,
        teams: bool = False,
    ) -> None:
        """`plan` is None if the text comes from the cache; the plan is rebuilt when it is first needed."""
        self._device, self._graphs, self._build = device, graphs, build
        self.generated, self.widths, self._teams = generated, widths, teams
        self._program, self._plan = program, plan
        self.kernels = LoadedModule(self._device, cubin)
        self._enactors: weakref.WeakKeyDictionary[Graph, Enactor] = weakref.WeakKeyDictionary()
        self._with_arrays: weakref.WeakKeyDictionary[Graph, Enactor] = weakref.WeakKeyDictionary()
        """The same for runs with the caller's own arrays of edges, which are not reordered."""
        self._latest: tuple[weakref.ref[Enactor], frozenset[str]] | None = None
        """The enactor that ran last, and which inputs were the graph's own, on which the choice of an enactor
        depends."""
        self._as_given: weakref.WeakSet[Graph] = weakref.WeakSet()
        """Graphs without enough memory for other ids."""
        self._renamed: CudaExecutable | None = None
        self._open = program if heuristics.has_choice(program) else None
        self._others: dict[Tuning, CudaExecutable] = {}  # for graphs that need them
        self._batches: BatchRuns | None = None
        self._choices: weakref.WeakKeyDictionary[Graph, CudaExecutable] = weakref.WeakKeyDictionary()
        """The executable for each graph: finding it takes a walk over the program."""

    @property
    def plan(self) -> Plan:
        """The plan of the text."""
        if self._plan is None:
            self._plan = plan_of(self._program, verify=False, teams=self._teams)
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
        return enactors[graph].build()

    def _executable_of(self, graph: Graph) -> CudaExecutable | None:
        """This executable or the one in its place, whichever has run on the graph."""
        if graph in self._enactors or graph in self._with_arrays:
            return self
        others = (each._executable_of(graph) for each in (*self._others.values(), self._renamed) if each is not None)
        return next((found for found in others if found is not None), None)

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run on the GPU; raises GdslError if the run fails or is stopped, KeyboardInterrupt on Ctrl-C."""
        enactor = self._latest_enactor(graph, bindings.own)
        if enactor is None:
            if graph not in self._enactors and graph not in self._with_arrays:  # it has not run here before
                suited = self._for_graph(graph)
                if suited is not self:
                    return suited.run(graph, bindings, limits)
            if self._uses_other_ids(graph, bindings):
                try:
                    return self._with_other_ids().run(graph, bindings, limits)
                except GdslError as error:
                    if error.code != "E0912" or not self._use_own_ids(graph):
                        raise
        device, whole = self._device, False
        started = limits.timeout and time.monotonic()
        device.acquire(limits.timeout)  # as `reserved` does, with fewer calls
        try:
            limits = limits if started is None else limits.since(started)
            try:
                outcome = (enactor or self._enactor(graph, bindings)).run(bindings, limits)
            except GdslError as error:
                if error.code != "E0912":
                    raise
                outcome = self._run_with_less_memory(graph, bindings, limits, error)
            whole = True
            return outcome
        finally:
            device.release(whole)

    def submit(self, graph: Graph, bindings: Bindings, limits: Limits) -> InFlightRun | None:
        """Queue a run without waiting for it; None if `run` has to be used."""
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
            enactor = enactor or self._enactor(graph, bindings)
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

    def _latest_enactor(self, graph: Graph, own: frozenset[str] = frozenset()) -> Enactor | None:
        """The enactor that ran last, if that was on this graph with the same own inputs: it runs this as well."""
        latest = self._latest  # read once: other threads replace it
        if latest is None or latest[1] != own:
            return None
        found = latest[0]()
        return found if found is not None and found.on_device.graph() is graph else None

    def _run_with_less_memory(self, graph: Graph, bindings: Bindings, limits: Limits, error: GdslError) -> Outcome:
        """Run after freeing memory of others, or on the graph's own ids."""
        for makes_room in (self._free_memory, self._use_own_ids):
            if not makes_room(graph):
                raise error
            try:
                return self._enactor(graph, bindings).run(bindings, limits)
            except GdslError as found:
                if found.code != "E0912":
                    raise
                error = found
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
            self._renamed = self._build(looking_up(self._program), self.widths, False)
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

    def _for_graph(self, graph: Graph) -> CudaExecutable:
        """The executable for the graph, this one or another."""
        if self._open is None:
            return self
        started = self._choices.get(graph)
        if started is None:
            original = self._graphs.graph(graph, self.widths, self._device)
            counts = graph.num_vertices, graph.num_edges, original.largest_degree
            program = heuristics.suited(self._open, counts, self._device.lendable())
            if program is self._open:
                return self
            started = self._others.get(program.tuning) or self._build(program, self.widths, False)
            self._others[program.tuning] = self._choices[graph] = started
        return started

    def _enactor(self, graph: Graph, bindings: Bindings) -> Enactor:
        layout = self.plan.layout
        put = layout is None or can_be_put(layout, bindings.own)
        enactors = self._enactors if put else self._with_arrays
        found = enactors.get(graph)
        if found is None:
            from gdsl.backends.cuda.enactor import Enactor

            on_device = self._on_device(graph) if put else self._graphs.graph(graph, self.widths, self._device)
            found = enactors[graph] = Enactor(self._device, self.kernels.get, self.plan, self.generated, on_device)
        self._latest = weakref.ref(found), bindings.own
        return found

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


class BatchRuns:
    """What an executable runs for many values of params: a form of the program for teams of blocks."""

    def __init__(self) -> None:
        self._forms: dict[int, tuple[Program, CudaExecutable]] = {}
        """By the program's identity; the program is kept alive with it, as a graph may need another one."""
        self._runs: weakref.WeakKeyDictionary[Graph, TeamRuns] = weakref.WeakKeyDictionary()
        """Those of the last call on each graph."""

    def run(
        self, executable: CudaExecutable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part]:
        """Run with each of `bound`: by teams, or one after the other if the program has no form for them."""
        why = refusal(executable.plan)
        if why is not None or not graph.num_vertices:
            return one_after_the_other(executable, graph, bound, limits, bounds, f"since {why}" if why else "")
        started = limits.timeout and time.monotonic()
        program, on_device = _for_graph(executable, graph, bound[0], limits)
        form, device = self._form_of(executable, program), executable._device
        from gdsl.backends.cuda.teams import TeamRuns

        runs = self._runs.get(graph)
        if runs is None or runs.plan is not form.plan or runs.on_device is not on_device:
            free_unused = partial(executable._graphs.free_unused, device)
            runs = TeamRuns(device, form.kernels.get, form.plan, form.generated, on_device, free_unused)
            self._runs[graph] = runs
        return runs.run(bound, limits.since(started), bounds)

    def _form_of(self, executable: CudaExecutable, program: Program) -> CudaExecutable:
        if id(program) not in self._forms:
            form = executable._build(program, executable.widths, True)
            self._forms[id(program)] = program, form
        return self._forms[id(program)][1]


def _for_graph(
    executable: CudaExecutable, graph: Graph, bindings: Bindings, limits: Limits
) -> tuple[Program, GraphOnDevice]:
    """The program that suits the graph, as for a single call, and the graph with the ids it has there. Raises E0802 if
    the device is not free in time."""
    suited = executable._for_graph(graph)
    if suited is not executable:
        return _for_graph(suited, graph, bindings, limits)
    if executable._uses_other_ids(graph, bindings):
        return _for_graph(executable._with_other_ids(), graph, bindings, limits)
    with executable._device.reserved(limits.timeout):
        try:
            return executable._program, executable._enactor(graph, bindings).on_device
        except GdslError as error:
            if error.code != "E0912" or not executable._free_memory(graph):
                raise
            return executable._program, executable._enactor(graph, bindings).on_device
