"""The cuda backend: generated CUDA, compiled by NVRTC, kept in the cache, run on the current GPU."""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import TYPE_CHECKING, Any

from gdsl import cache
from gdsl.backends.cuda import nvrtc, plan_of, wide_pairs
from gdsl.backends.interface import Availability, Bindings, Limits, Outcome
from gdsl.garbage import uncollected
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan import orders
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.codegen.cuda.generated import Generated
    from gdsl.plan.nodes import Plan

_INSTALL = "pip install 'gdsl[cuda13]' (or 'gdsl[cuda12]' for a driver older than 580), on a machine with an NVIDIA GPU"
_SPAWN = "start workers with multiprocessing.get_context('spawn')"


class CudaBackend:
    """Runs programs on the current GPU."""

    name = "cuda"

    def __init__(self) -> None:
        self._devices: dict[int, CudaDevice] = {}
        self._graphs: dict[tuple[int, Widths, int], GraphOnDevice] = {}
        self._process = os.getpid()

    def availability(self) -> Availability:
        """Whether CuPy is installed, a device answers and there is NVRTC."""
        if self._devices and self._process != os.getpid():
            return Availability(False, "this process was forked from one that uses the GPU", _SPAWN)
        try:
            import cupy

            count = cupy.cuda.runtime.getDeviceCount()
        except ImportError:
            return Availability(False, "CuPy is not installed", _INSTALL)
        except Exception as error:  # the driver's errors come in several classes
            first = (str(error).splitlines() or ["no answer"])[0]
            return Availability(False, f"no CUDA device answers ({first})", _INSTALL)
        if count == 0:
            return Availability(False, "no CUDA device answers", _INSTALL)
        try:
            nvrtc.require()
        except Exception as error:
            return Availability(False, str(error).splitlines()[0], _INSTALL)
        name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"]
        return Availability(True, name.decode() if isinstance(name, bytes) else str(name))

    def build(self, program: Program, id_bits: int) -> CudaExecutable:
        """Generate and compile, or take both from the cache, which keeps what the driver has loaded."""
        from gdsl.backends.cuda import stored

        device, widths = self.device(), Widths.both(id_bits)
        key = (cache.program_key(program), str(widths), device.architecture, *nvrtc.identity(), *nvrtc.OPTIONS)
        kept = stored.get(key)
        if kept is not None:
            plan = plan_of(program, again=True)
            # The driver's errors come in several classes; what it refuses is made anew.
            with contextlib.suppress(Exception):
                return CudaExecutable(self, program, plan, *kept, widths)
        from gdsl.codegen.cuda.generate import generate

        with uncollected():
            plan = plan_of(program)
            wide_pairs.check(plan, widths, device.architecture)
            generated = generate(plan, widths)
        cubin = nvrtc.compile_to_cubin(generated.text, device.architecture, f"{program.name}.cu")
        executable = CudaExecutable(self, program, plan, generated, cubin, widths)
        stored.put(key, (generated, cubin))
        return executable

    def device(self) -> CudaDevice:
        """The GPU that is CuPy's current one in this thread."""
        import cupy

        from gdsl.backends.cuda.device import CudaDevice

        self._process = os.getpid()
        number = int(cupy.cuda.Device().id)
        if number not in self._devices:
            self._devices.setdefault(number, CudaDevice())
        return self._devices[number]

    def graph(self, graph: Graph, widths: Widths, device: CudaDevice) -> GraphOnDevice:
        """The graph on `device`, as long as the graph lives."""
        from gdsl.backends.cuda.memory import GraphOnDevice

        key = (id(graph), widths, device.id)
        if key not in self._graphs:
            self._graphs[key] = GraphOnDevice(device, graph, widths)
            weakref.finalize(graph, self._graphs.pop, key, None)
        return self._graphs[key]


class CudaExecutable:
    """A compiled program, on the GPU that was current when it was made; `generated.text` is its source.

    Where the order of a loop is left to the graph, there is another one for graphs that ask for it, made at the first.
    """

    def __init__(
        self,
        backend: CudaBackend,
        program: Program,
        plan: Plan,
        generated: Generated,
        cubin: bytes,
        widths: Widths,
    ) -> None:
        self.backend, self.plan, self.generated, self.widths = backend, plan, generated, widths
        self._device = backend.device()
        self._module = self._device.load(cubin)
        self._kernels: dict[str, Any] = {}
        self._open = program if orders.has_choice(program) else None
        self._ordered: CudaExecutable | None = None

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run on the GPU; raises GdslError when the run fails or is stopped, KeyboardInterrupt on Ctrl-C."""
        from gdsl.backends.cuda.enactor import Enactor
        from gdsl.backends.cuda.memory import bytes_needed, sizes_of

        device = self._device
        suited = self._suited(graph)
        if suited is not self:
            return suited.run(graph, bindings, limits)
        with device.reserved(limits.timeout):
            device.require(bytes_needed(self.plan, sizes_of(graph, bindings), self.widths))
            on_device = self.backend.graph(graph, self.widths, device)
            return Enactor(device, self._kernel, self.plan, self.generated, graph, on_device).run(bindings, limits)

    def _suited(self, graph: Graph) -> CudaExecutable:
        """This one, or the other where the graph asks for it."""
        if self._open is None:
            return self
        largest = self.backend.graph(graph, self.widths, self._device).largest_degree
        program = orders.suited(self._open, graph.num_vertices, graph.num_edges, largest)
        if program is self._open:
            return self
        if self._ordered is None:
            self._ordered = self.backend.build(program, self.widths.vertex)
        return self._ordered

    def _kernel(self, name: str) -> Any:
        if name not in self._kernels:
            self._kernels[name] = self._module.get_function(name)
        return self._kernels[name]
