"""The cuda backend: generated CUDA, compiled by NVRTC, kept in the cache, run on the current GPU."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gdsl import cache
from gdsl.backends import failures, processes
from gdsl.backends.cuda import nvrtc, plan_of, wide_pairs
from gdsl.backends.cuda.loaded import Loaded
from gdsl.backends.cuda.named import Named
from gdsl.backends.interface import Availability, Bindings, Build, Limits, Need, Outcome, Space
from gdsl.backends.many import Bounds, Part
from gdsl.diagnostics import GdslError
from gdsl.garbage import uncollected
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program, Tuning
from gdsl.plan import suiting
from gdsl.plan.layouts import can_be_put, is_worth, looking_up
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.line import Flight
    from gdsl.backends.cuda.many import Many
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.codegen.cuda.generated import Generated
    from gdsl.plan.nodes import Plan

_INSTALL = "pip install 'gdsl[cuda13]' (or 'gdsl[cuda12]' for a driver older than 580), on a machine with an NVIDIA GPU"
_DEVICE = "an NVIDIA GPU and its driver, passed on to the container if in one; gdsl[cuda12] for a driver older than 580"


class CudaBackend:
    """Runs programs on the current GPU."""

    name = "cuda"

    def __init__(self) -> None:
        self._devices: dict[int, CudaDevice] = {}
        self._graphs: dict[tuple[int, Widths, int], GraphOnDevice] = {}
        self._by_degree: dict[tuple[int, Widths, int], GraphOnDevice] = {}
        self._renumberings: dict[tuple[int, Widths], Callable[[str], Any]] = {}
        self._answers: dict[int, Availability] = {}
        self._process = processes.current

    def availability(self) -> Availability:
        """Whether CuPy is installed, a device answers and there is NVRTC."""
        is_own = self._process == processes.current
        if self._devices and not is_own:
            return Availability(False, failures.FORKED, failures.SPAWN)
        try:
            import cupy

            if self._answers and is_own:
                answer = self._answers.get(cupy.cuda.runtime.getDevice())
                if answer is not None:  # it has answered before; its properties take a millisecond
                    return answer
            count = cupy.cuda.runtime.getDeviceCount()
        except ImportError:
            return Availability(False, "CuPy is not installed", _INSTALL)
        except Exception as error:  # the driver's errors come in several classes
            first = (str(error).splitlines() or ["no answer"])[0]
            return Availability(False, f"no CUDA device answers ({first})", _DEVICE)
        if count == 0:
            return Availability(False, "no CUDA device answers", _DEVICE)
        try:
            nvrtc.require()
        except Exception as error:
            return Availability(False, str(error).splitlines()[0], _INSTALL)
        number = cupy.cuda.runtime.getDevice()
        self._answers[number] = Named(number)
        return self._answers[number]

    def stays(self) -> bool:
        """Not in a forked process, which has no device any more."""
        return self._process == processes.current

    def build(self, program: Program, id_bits: int) -> CudaExecutable:
        """As `build_for`, with ids of `id_bits` bits."""
        return self.build_for(program, Widths.both(id_bits))

    def build_for(self, program: Program, widths: Widths, teams: bool = False) -> CudaExecutable:
        """Generate and compile, or take both from the cache, which keeps what the driver has loaded; `teams`: in the
        form for many values at once, which `many` runs."""
        device = self.device()
        form = ("teams",) if teams else ()
        key = (cache.program_key(program), str(widths), *form, device.architecture, *nvrtc.identity(), *nvrtc.OPTIONS)
        cached: Any = cache.load("cuda", key)
        if cached is not None:
            # The driver's errors come in several classes; what it refuses is compiled again.
            with contextlib.suppress(Exception):
                generated, cubin = cached
                return CudaExecutable(self, program, None, generated, cubin, widths, teams)
        from gdsl.codegen.cuda.generate import generate

        with uncollected():
            plan = plan_of(program, teams=teams)
            wide_pairs.check(plan, widths, device.architecture)
            generated = generate(plan, widths)
        cubin = nvrtc.compile_to_cubin(generated.text, device.architecture, f"{program.name}.cu")
        device.hand_over_cubin()  # now, not in the midst of calls
        executable = CudaExecutable(self, program, plan, generated, cubin, widths, teams)
        cache.store("cuda", key, (generated, cubin))
        return executable

    def needs(
        self, program: Program, widths: Widths, graph: Graph, bindings: Bindings, free: int | None
    ) -> tuple[Need, ...]:
        """By the buffers of the plan that suits the graph on a large GPU, and of its numbering, if there is room."""
        from gdsl.backends.cuda.needing import needs_of

        return needs_of(program, widths, graph, bindings, free)

    def space(self) -> Space:
        """The memory of the current GPU; what CuPy holds of it unused is free."""
        device = self.device()
        free, total = device.memory()
        return Space(self.availability().detail, total, free)

    def device(self) -> CudaDevice:
        """The GPU that is CuPy's current one in this thread."""
        import cupy

        from gdsl.backends.cuda.device import CudaDevice

        self._process = processes.current
        number = int(cupy.cuda.Device().id)
        if number not in self._devices:
            self._devices.setdefault(number, CudaDevice())
        return self._devices[number]

    def place(self, graph: Graph) -> None:
        """Put its edges in order on the current GPU, behind runs that nobody waits for."""
        from gdsl.backends.cuda.building import place

        device = self.device()
        device.let_line_pass()
        place(device.cupy, device.id, graph)

    def graph(self, graph: Graph, widths: Widths, device: CudaDevice) -> GraphOnDevice:
        """The graph on `device`, as long as the graph lives."""
        from gdsl.backends.cuda.memory import GraphOnDevice

        key = (id(graph), widths, device.id)
        if key not in self._graphs:
            self._graphs[key] = GraphOnDevice(device, graph, widths)
            weakref.finalize(graph, self._graphs.pop, key, None)
        return self._graphs[key]

    def by_degree(self, given: GraphOnDevice, graph: Graph, device: CudaDevice) -> GraphOnDevice:
        """The same graph with its vertices by falling degree, as long as the graph lives. Raises E0912."""
        from gdsl.backends.cuda.numbering import Kernels, Renumbered

        key = (id(graph), given.widths, device.id)
        if key not in self._by_degree:
            kernels = Kernels(device, self._renumbering(device, given.widths))
            self._by_degree[key] = Renumbered(kernels, given, graph)
            weakref.finalize(graph, self._by_degree.pop, key, None)
        return self._by_degree[key]

    def _renumbering(self, device: CudaDevice, widths: Widths) -> Callable[[str], Any]:
        """The kernels that number vertices, made once a machine."""
        from gdsl.backends.cuda.numbering import text_for

        if (device.id, widths) not in self._renumberings:
            cubin = nvrtc.kept_cubin("renumbering", text_for(widths), device.architecture)
            self._renumberings[device.id, widths] = Loaded(device, cubin).get
        return self._renumberings[device.id, widths]

    def let_go(self, device: CudaDevice) -> bool:
        """Free what programs worked in on any graph of `device`, where no run is going on; whether there was any."""
        from gdsl.backends.cuda.workroom import Workroom

        found = [on_device.work for key, on_device in list(self._graphs.items()) if key[2] == device.id]
        return any(list(map(Workroom.let_go, found)))


class CudaExecutable:
    """A compiled program, on the GPU that was current when it was made; `generated.text` is its source.

    Where the order of a loop or the size of a block is left to the graph, there is another one for graphs that ask for
    it, made at the first.
    """

    def __init__(
        self,
        backend: CudaBackend,
        program: Program,
        plan: Plan | None,
        generated: Generated,
        cubin: bytes,
        widths: Widths,
        teams: bool = False,
    ) -> None:
        """`plan` is None where the text comes from the cache, whose plan is made again at the first run."""
        self.backend, self.generated, self.widths, self._teams = backend, generated, widths, teams
        self._program, self._plan = program, plan
        self._device = backend.device()
        self.kernels = Loaded(self._device, cubin)
        self._enactors: weakref.WeakKeyDictionary[Graph, Enactor] = weakref.WeakKeyDictionary()
        self._with_arrays: weakref.WeakKeyDictionary[Graph, Enactor] = weakref.WeakKeyDictionary()
        """The same for runs on arrays of edges that are the caller's, which are not put in another order."""
        self._latest: tuple[weakref.ref[Enactor], frozenset[str]] | None = None
        """Who ran last, and which inputs were the graph's own then, on which it hangs who runs on a graph."""
        self._as_given: weakref.WeakSet[Graph] = weakref.WeakSet()
        """The graphs for which there is no memory for other ids."""
        self._renamed: CudaExecutable | None = None
        self._open = program if suiting.has_choice(program) else None
        self._others: dict[Tuning, CudaExecutable] = {}  # for graphs that ask for them
        self._many: Many | None = None
        self._asking: weakref.WeakKeyDictionary[Graph, CudaExecutable] = weakref.WeakKeyDictionary()
        """By graph which of these it asks for: to find out takes a walk over the program."""

    @property
    def plan(self) -> Plan:
        """What the text was generated from."""
        if self._plan is None:
            self._plan = plan_of(self._program, again=True, teams=self._teams)
        return self._plan

    def run_many(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """By teams, where the program has that form."""
        from gdsl.backends.cuda.many import Many

        self._many = self._many or Many()
        return self._many.run(self, graph, bound, limits, bounds)

    def build(self, graph: Graph) -> Build:
        """Of the program that suits the graph, with the resources of its kernels."""
        ran = self._ran_on(graph)
        assert ran is not None
        kept = ran._enactors if graph in ran._enactors else ran._with_arrays
        return kept[graph].build()

    def _ran_on(self, graph: Graph) -> CudaExecutable | None:
        """This one or one of the others that stand for it, whichever has run on the graph."""
        if graph in self._enactors or graph in self._with_arrays:
            return self
        others = (each._ran_on(graph) for each in (*self._others.values(), self._renamed) if each is not None)
        return next((found for found in others if found is not None), None)

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run on the GPU; raises GdslError when the run fails or is stopped, KeyboardInterrupt on Ctrl-C."""
        enactor = self._at_hand(graph, bindings.own)
        if enactor is None:
            if graph not in self._enactors and graph not in self._with_arrays:  # it has not run here before
                suited = self._suited(graph)
                if suited is not self:
                    return suited.run(graph, bindings, limits)
            if self._looks_up(graph, bindings):
                try:
                    return self._looking_up().run(graph, bindings, limits)
                except GdslError as error:
                    if error.code != "E0912" or not self._keeps_ids(graph):
                        raise
        device, whole = self._device, False
        asked = limits.timeout and time.monotonic()
        device.take(limits.timeout)  # as `reserved` does, by fewer calls
        try:
            limits = limits if asked is None else limits.since(asked)
            try:
                outcome = (enactor or self._enactor(graph, bindings)).run(bindings, limits)
            except GdslError as error:
                if error.code != "E0912":
                    raise
                outcome = self._run_in_less(graph, bindings, limits, error)
            whole = True
            return outcome
        finally:
            device.give(whole)

    def submit(self, graph: Graph, bindings: Bindings, limits: Limits) -> Flight | None:
        """Queue a run and do not wait for it; None where `run` must do."""
        enactor = self._at_hand(graph, bindings.own)
        if enactor is None:
            if graph not in self._enactors:
                suited = self._suited(graph)
                if suited is not self:
                    return suited.submit(graph, bindings, limits)
            if self._looks_up(graph, bindings):
                return self._looking_up().submit(graph, bindings, limits)
        device, whole = self._device, False
        asked = limits.timeout and time.monotonic()
        device.take(limits.timeout, joins=enactor is not None or graph in self._enactors)
        try:
            limits = limits if asked is None else limits.since(asked)
            enactor = enactor or self._enactor(graph, bindings)
            flight = enactor.submit(device, graph, bindings, limits) if enactor.can_fly(bindings) else None
            whole = True
            return flight
        except GdslError as error:
            whole = True  # nothing of it goes on, and those in line are not to be stopped
            if error.code != "E0912":
                raise
            return None
        finally:
            device.give(whole)

    def _at_hand(self, graph: Graph, own: frozenset[str] = frozenset()) -> Enactor | None:
        """Whose turn it was last, where that was on this graph with these inputs of its own: he runs this as well."""
        latest = self._latest  # once: other threads put theirs here
        if latest is None or latest[1] != own:
            return None
        found = latest[0]()
        return found if found is not None and found.on_device.graph() is graph else None

    def _run_in_less(self, graph: Graph, bindings: Bindings, limits: Limits, error: GdslError) -> Outcome:
        """Run where there was no memory for it, for which others give up some."""
        for makes_room in (self._lets_go, self._keeps_ids):
            if not makes_room(graph):
                raise error
            try:
                return self._enactor(graph, bindings).run(bindings, limits)
            except GdslError as found:
                if found.code != "E0912":
                    raise
                error = found
        raise error

    def _looks_up(self, graph: Graph, bindings: Bindings) -> bool:
        """Whether this run is one on other ids by a kernel of its own."""
        layout = self.plan.layout
        if layout is None or not layout.apart or graph in self._as_given or not can_be_put(layout, bindings.own):
            return False
        largest = self.backend.graph(graph, self.widths, self._device).largest_degree
        return is_worth(layout, graph.num_vertices, graph.num_edges, largest)

    def _looking_up(self) -> CudaExecutable:
        """What does so, made when it is first needed."""
        if self._renamed is None:
            self._renamed = self.backend.build_for(looking_up(self._program), self.widths)
        return self._renamed

    def _lets_go(self, graph: Graph) -> bool:
        """Free what nobody works in at the moment; whether another try is worth it."""
        return self.backend.let_go(self._device) or self._keeps_ids(graph)

    def _keeps_ids(self, graph: Graph) -> bool:
        """From now on run on the ids of the graph; whether that was not so, and nobody has asked for others."""
        enactor, layout = self._enactors.get(graph), self.plan.layout
        if layout is None or layout.always or (enactor is not None and enactor.on_device.numbering is None):
            return False
        self._as_given.add(graph)
        self._enactors.pop(graph, None)
        self._latest = None
        return True

    def _suited(self, graph: Graph) -> CudaExecutable:
        """This one, or another where the graph asks for it."""
        if self._open is None:
            return self
        asked = self._asking.get(graph)
        if asked is None:
            given = self.backend.graph(graph, self.widths, self._device)
            counts = graph.num_vertices, graph.num_edges, given.largest_degree
            program = suiting.suited(self._open, counts, self._device.lendable())
            if program is self._open:
                return self
            asked = self._others.get(program.tuning) or self.backend.build_for(program, self.widths)
            self._others[program.tuning] = self._asking[graph] = asked
        return asked

    def _enactor(self, graph: Graph, bindings: Bindings) -> Enactor:
        layout = self.plan.layout
        put = layout is None or can_be_put(layout, bindings.own)
        kept = self._enactors if put else self._with_arrays
        found = kept.get(graph)
        if found is None:
            from gdsl.backends.cuda.enactor import Enactor

            on_device = self._on_device(graph) if put else self.backend.graph(graph, self.widths, self._device)
            found = kept[graph] = Enactor(self._device, self.kernels.get, self.plan, self.generated, on_device)
        self._latest = weakref.ref(found), bindings.own
        return found

    def _on_device(self, graph: Graph) -> GraphOnDevice:
        """The graph, on other ids where that is worth it."""
        given, layout = self.backend.graph(graph, self.widths, self._device), self.plan.layout
        if layout is None or layout.apart or graph in self._as_given:
            return given
        if not is_worth(layout, graph.num_vertices, graph.num_edges, given.largest_degree):
            return given
        made = self.backend.by_degree(given, graph, self._device)
        if layout.of_edges:
            made.edges_as_given()  # before the run has its own memory, as `needs` has it
        return made
