"""The cuda backend: generated CUDA, compiled by NVRTC, kept in the cache, run on the current GPU."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, cast

from gdsl import cache
from gdsl.backends import failures, needs, placement, processes
from gdsl.backends.cuda import nvrtc, packaged
from gdsl.backends.cuda.degree_order import reads_saved
from gdsl.backends.cuda.executable import CudaExecutable
from gdsl.backends.cuda.graph_cache import GraphCache
from gdsl.backends.cuda.planning import check_wide_pairs, class_on, plan_of, require_fused
from gdsl.backends.interface import Availability, Bindings, Need, Space
from gdsl.graph.graph import Graph
from gdsl.interpreter import uncollected
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse
from gdsl.plan import heuristics
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.renumbering import can_be_in_host, can_be_put, is_worth, looking_up
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.codegen.generated import CudaText
    from gdsl.plan.nodes import Plan

_INSTALL = "pip install 'gdsl[cuda13]' (or 'gdsl[cuda12]' for a driver older than 580), on a machine with an NVIDIA GPU"
_DEVICE = "an NVIDIA GPU and its driver, passed on to the container if in one; gdsl[cuda12] for a driver older than 580"


class _Form(TypedDict):
    """The form of plans, as `plan_of` takes it."""

    several_gpus: bool
    lanes: bool


class CudaBackend:
    """Runs programs on the current GPU."""

    name = "cuda"

    def __init__(self, gpus: tuple[int, ...] = (), lanes: bool = False) -> None:
        """`gpus`: the numbers of those that run together; none: the current one alone. `lanes`: each writes a lane of
        the trace."""
        self.gpus, self._lanes = gpus, lanes
        self._on_current: CudaBackend = self
        """The backend that runs programs on the current GPU alone."""
        self._groups: dict[tuple[tuple[int, ...], bool], CudaBackend] = {}
        self._devices: dict[int, CudaDevice] = {}
        self._graphs = GraphCache()
        self._answers: dict[int, Availability] = {}
        self._process = processes.current

    def availability(self) -> Availability:
        """Whether CuPy is installed, a device answers, and NVRTC can be loaded or packages bring machine code."""
        is_own = self._process == processes.current
        if self._devices and not is_own:
            return Availability(False, failures.FORKED, failures.SPAWN)
        try:
            import cupy

            if self._answers and is_own:
                answer = self._answers.get(cupy.cuda.runtime.getDevice())
                if answer is not None:  # it has answered before; querying its properties takes a millisecond
                    return answer
            count = cupy.cuda.runtime.getDeviceCount()
        except ImportError:
            return Availability(False, "CuPy is not installed", _INSTALL)
        except Exception as error:  # the driver's errors come in several classes
            first = (str(error).splitlines() or ["no answer"])[0]
            return Availability(False, f"no CUDA device answers ({first})", _DEVICE)
        if count == 0:
            return Availability(False, "no CUDA device answers", _DEVICE)
        number = cupy.cuda.runtime.getDevice()
        try:
            nvrtc.require()
        except Exception as error:
            if not packaged.have_code_for(f"sm_{cupy.cuda.Device(number).compute_capability}"):
                return Availability(False, str(error).splitlines()[0], _INSTALL)
        self._answers[number] = _GpuAvailability(number)
        return self._answers[number]

    def on_gpus(self, gpus: tuple[int, ...], lanes: bool = False) -> CudaBackend:
        """The backend that runs programs on these GPUs together, or on the only one that is named. With `lanes` each
        writes a lane of the trace, on the same devices with the same graphs."""
        if (gpus, lanes) not in self._groups:
            group = CudaBackend(gpus, lanes)
            group._on_current = self
            if lanes:
                plain = self.on_gpus(gpus)
                group._devices, group._graphs, group._answers = plain._devices, plain._graphs, plain._answers
            self._groups.setdefault((gpus, lanes), group)
        return self._groups[gpus, lanes]

    def gpu_count(self) -> int:
        """How many GPUs this machine has."""
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount())

    @property
    def _several(self) -> bool:
        return len(self.gpus) > 1

    def stays(self) -> bool:
        """Not in a forked process, which has no device any more."""
        return self._process == processes.current

    def keeps_arrays(self) -> bool:
        """Where their checks can be compiled."""
        return nvrtc.is_there()

    def build(
        self,
        program: Program,
        widths: Widths | int,
        teams: bool = False,
        graph: GraphClass = GENERAL,
        instances: int = 0,
    ) -> CudaExecutable:
        """Generate and compile, or take both from the cache, which stores what the driver has loaded; `teams`: the form
        for batches; `graph`: the graphs that it is for; `instances`: the form for so many words of values at a time."""
        with self._on_first():
            return self._built(program, Widths.both(widths), teams, graph, instances)

    @property
    def _form(self) -> _Form:
        return {"several_gpus": self._several, "lanes": self._lanes}

    def _on_first(self) -> contextlib.AbstractContextManager[object]:
        """Let the first of this backend's GPUs be the current one."""
        if not self.gpus:
            return contextlib.nullcontext()
        import cupy

        return cast("contextlib.AbstractContextManager[object]", cupy.cuda.Device(self.gpus[0]))

    def _built(
        self, program: Program, widths: Widths, teams: bool, graph: GraphClass, instances: int
    ) -> CudaExecutable:
        device, started = self.device(), time.monotonic()
        if self._several:
            require_fused(program)
        key = self._key(program, widths, teams, graph, instances)
        cached: Any = cache.load("cuda", key)
        if cached is not None:
            # The driver's errors come in several classes; what it refuses is compiled again.
            with contextlib.suppress(Exception):
                generated, cubin, seconds = cached
                return self._executable(program, None, generated, cubin, widths, (teams, instances), graph, seconds)
        from gdsl.codegen.cuda.generate import generate

        with uncollected():
            plan = plan_of(program, teams=teams, graph=graph, instances=instances, **self._form)
            check_wide_pairs(plan, widths, device.architecture)
            generated = generate(plan, widths)
        words = packaged.words_of(program, widths, graph, teams=teams, several_gpus=self._several, instances=instances)
        name = f"{program.name}.cu"
        cubin = packaged.machine_code(generated.text, device.architecture, name, words, program.source_name)
        seconds = time.monotonic() - started
        device.hand_over_cubin()  # now rather than in the middle of calls
        executable = self._executable(program, plan, generated, cubin, widths, (teams, instances), graph, seconds)
        cache.store("cuda", key, (generated, cubin, seconds))
        return executable

    def _key(
        self, program: Program, widths: Widths, teams: bool, graph: GraphClass, instances: int
    ) -> tuple[cache.KeyPart, ...]:
        """What the machine code depends on."""
        forms = (*(["teams"] if teams else []), *(name for name, is_on in self._form.items() if is_on))
        forms += (f"{instances} words of values",) if instances else ()
        form = (*forms, *graph.facts)
        compilers = (*packaged.identity(program.source_name), *nvrtc.identity(), *nvrtc.OPTIONS)
        return (cache.program_key(program), str(widths), *form, self.device().architecture, *compilers)

    def _is_built(self, program: Program, widths: Widths, graph: GraphClass) -> bool:
        """Whether the machine code is in the cache."""
        return cache.get("cuda", self._key(program, widths, False, graph, 0)) is not None

    def _executable(
        self,
        program: Program,
        plan: Plan | None,
        generated: CudaText,
        cubin: bytes,
        widths: Widths,
        many: tuple[bool, int],
        graph: GraphClass,
        seconds: float,
    ) -> CudaExecutable:
        """`seconds`: what compiling took, now or before."""
        executable = CudaExecutable(
            self.device(), self._graphs, self.build, program, plan, generated, cubin, widths, *many, graph
        )
        executable.on_several_gpus, executable.with_lanes = self._several, self._lanes
        executable.build_seconds, executable.is_built = seconds, self._is_built
        if self._several and not self._lanes and len(set(self.gpus)) == len(self.gpus):
            executable.build_alone = partial(self._built_alone, program, widths)
        return executable

    def _built_alone(self, program: Program, widths: Widths) -> CudaExecutable:
        """The program for the first of the GPUs, which runs of that GPU share."""
        with self._on_first():
            return self._on_current.build(program, widths)

    def needs(
        self,
        program: Program,
        widths: Widths,
        graph: Graph,
        bindings: Bindings,
        free: int | None,
        memory: MemoryUse | None = None,
    ) -> tuple[Need, ...]:
        """By the buffers of the plan that suits the graph on a large GPU, and of its numbering, if there is room."""
        if self._several:
            require_fused(program)
        return _needs_of(program, widths, graph, bindings, free, memory, self._page_bytes, self._form)

    def _page_bytes(self) -> int | None:
        """Of the GPU that is here, as runs divide edge lists on it."""
        return self.device().page_bytes() if self.availability().ok else placement.PAGE

    def space(self) -> Space:
        """The memory of the current GPU; memory in CuPy's pool that is unused counts as free."""
        with self._on_first():
            free, total = self.device().memory()
        name = self.availability().detail
        if self.gpus:
            name = f"{_listed(self.gpus)}, {name}"
        return Space(name, total, free)

    def device(self) -> CudaDevice:
        """The GPU that is CuPy's current one in this thread, or the GPUs of this backend."""
        import cupy

        if self.gpus:
            return self._device_of_gpus()

        from gdsl.backends.cuda.device import CudaDevice

        self._process = processes.current
        number = int(cupy.cuda.Device().id)
        if number not in self._devices:
            self._devices.setdefault(number, CudaDevice())
        return self._devices[number]

    def _device_of_gpus(self) -> CudaDevice:
        import cupy

        first = self.gpus[0]
        if first not in self._devices:
            self._process = processes.current
            with cupy.cuda.Device(first):
                self._devices.setdefault(first, _device_of(self.gpus))
        return self._devices[first]

    def place(self, graph: Graph) -> None:
        """Sort its edges on the current GPU, after queued runs. Without NVRTC the host does it."""
        if not nvrtc.is_there():
            return
        from gdsl.backends.cuda.building import place

        with self._on_first():
            device = self.device()
            device.drain_queue()
            place(device.cupy, device.id, graph)


def _device_of(gpus: tuple[int, ...]) -> CudaDevice:
    """The device for these GPUs, the first of which is the current one."""
    if len(gpus) > 1:
        from gdsl.backends.cuda.several_gpus import SeveralGpus

        return SeveralGpus(gpus)
    from gdsl.backends.cuda.device import CudaDevice

    return CudaDevice()


def _listed(gpus: tuple[int, ...]) -> str:
    numbers = ", ".join(map(str, gpus))
    return f"GPUs {numbers}" if len(gpus) > 1 else f"GPU {numbers}"


class _GpuAvailability(Availability):
    """A GPU that answers. Its name, which takes a millisecond to query, is queried when it is read."""

    _number: int
    _name = ""

    def __init__(self, number: int) -> None:
        super().__init__(True, "")
        object.__setattr__(self, "_number", number)

    @property
    def detail(self) -> str:
        """The name of the device."""
        import cupy

        if not self._name:
            name = cupy.cuda.runtime.getDeviceProperties(self._number)["name"]
            object.__setattr__(self, "_name", name.decode() if isinstance(name, bytes) else str(name))
        return self._name


def _needs_of(
    program: Program,
    widths: Widths,
    graph: Graph,
    bindings: Bindings,
    free: int | None,
    memory: MemoryUse | None,
    page_bytes: Callable[[], int | None],
    form: _Form,
) -> tuple[Need, ...]:
    """By the buffers of the plan that suits the graph on a large GPU, and of its renumbering, if `free` bytes
    suffice; if not even the first do, edge lists are in the memory of the host."""
    from gdsl.backends.cuda.memory import largest_degree_of, sizes_of

    counts = graph.num_vertices, graph.num_edges, largest_degree_of(graph)
    plan, more = (
        _plan_on(program, graph, counts[2], form),
        (widths, sizes_of(graph, bindings), graph.directed, bindings.inputs),
    )
    own = needs.on_a_device(plan, *more, bindings.own)
    candidates, layout = [own], plan.layout
    worth = partial(is_worth, num_vertices=counts[0], num_edges=counts[1], saved=partial(reads_saved, graph))
    if layout is not None and worth(layout) and can_be_put(layout, bindings.own):
        other = _plan_on(looking_up(program), graph, counts[2], form) if layout.apart else plan
        assert other.layout is not None
        renumbered = needs.on_other_ids(other, other.layout, *more)
        candidates = [renumbered] if layout.always else [renumbered, own]
    plan = _plan_on(program, graph, counts[2], form, in_host=True)
    in_host, layout = [needs.on_a_device(plan, *more, bindings.own)], plan.layout
    if layout is not None and can_be_in_host(plan, layout) and worth(layout):
        in_host.insert(0, needs.on_other_ids_in_host(plan, layout, *more, counts[2]))
    decision = placement.decide(candidates, in_host, free, memory)
    if decision.placement is not None:
        decision = placement.decide(candidates, in_host, free, memory, page_bytes())
    total_needs = decision.needs
    return total_needs if memory is None or memory.limit is None else (*total_needs, placement.gaps(total_needs))


def _plan_on(program: Program, graph: Graph, largest_degree: int, form: _Form, in_host: bool = False) -> Plan:
    """The plan in this `form` for a graph with this largest degree; `in_host`: with edge lists in the memory of the
    host."""
    graph_class = class_on(program, graph, largest_degree)
    graph_class = heuristics.in_host(program, graph_class) if in_host else graph_class
    return plan_of(program, graph=graph_class, **form)
