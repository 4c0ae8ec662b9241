"""What backends keep of graphs on devices, and the kernels they have loaded there."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gdsl.backends.cuda import packaged
from gdsl.graph.graph import Graph
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.host_graph import HostGraph
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.backends.placement import Placement


class LoadedKernel:
    """A kernel, `ptr` for the driver; it keeps its module loaded."""

    __slots__ = ("_module", "ptr")

    def __init__(self, module: LoadedModule, ptr: int) -> None:
        self._module, self.ptr = module, ptr


class LoadedModule:
    """The kernels of a cubin; each is looked up once.

    When the last of them is dropped, the device gets the module: Python may find that out during a run, and before the
    driver unloads anything it would wait for the end of that run.
    """

    def __init__(self, device: CudaDevice, cubin: bytes, load: Callable[[bytes], Any] | None = None) -> None:
        """`load`: what loads it, if that is not `load` of the device."""
        self._module = (load or device.load)(cubin)
        self._functions: dict[str, Any] = {}
        weakref.finalize(self, device.unload_later, self._module, self._functions).atexit = False

    def get(self, name: str) -> LoadedKernel:
        """The kernel called `name`."""
        if name not in self._functions:
            self._functions[name] = self._module.get_function(name)
        return LoadedKernel(self, self._functions[name].ptr)


class GraphCache:
    """The graphs on all devices, each for as long as the graph exists."""

    def __init__(self) -> None:
        self._graphs: dict[tuple[int, Widths, int], GraphOnDevice] = {}
        self._by_degree: dict[tuple[int, Widths, int], GraphOnDevice] = {}
        self._in_host: dict[tuple[int, Widths, int], HostGraph] = {}
        self._renumbering: dict[tuple[int, Widths], Callable[[str], Any]] = {}

    def graph(self, graph: Graph, widths: Widths, device: CudaDevice) -> GraphOnDevice:
        """The graph on `device`."""
        from gdsl.backends.cuda.memory import GraphOnDevice

        key = (id(graph), widths, device.id)
        if key not in self._graphs:
            self._graphs[key] = GraphOnDevice(device, graph, widths)
            weakref.finalize(graph, self._graphs.pop, key, None)
        return self._graphs[key]

    def by_degree(self, original: GraphOnDevice, graph: Graph, device: CudaDevice) -> GraphOnDevice:
        """`graph` on the device with its vertices by falling degree. Raises E0912."""
        from gdsl.backends.cuda.numbering import Kernels
        from gdsl.backends.cuda.renumbered_graph import RenumberedGraph

        key = (id(graph), original.widths, device.id)
        if key not in self._by_degree:
            kernels = Kernels(device, self._renumbering_kernels(device, original.widths))
            self._by_degree[key] = RenumberedGraph(kernels, original, graph)
            weakref.finalize(graph, self._by_degree.pop, key, None)
        return self._by_degree[key]

    def is_by_degree(self, graph: Graph, widths: Widths, device: CudaDevice) -> bool:
        """Whether the graph is there with its vertices by degree."""
        return (id(graph), widths, device.id) in self._by_degree

    def free_by_degree(self, graph: Graph, widths: Widths, device: CudaDevice) -> None:
        """Free it, if it is there; a later run makes it again."""
        renumbered = self._by_degree.pop((id(graph), widths, device.id), None)
        if renumbered is not None:
            renumbered.free()

    def in_host(self, graph: Graph, widths: Widths, device: CudaDevice) -> HostGraph | None:
        """`graph` with its edge lists in the host's memory, if a run has used it there."""
        return self._in_host.get((id(graph), widths, device.id))

    def place_in_host(
        self, graph: Graph, widths: Widths, device: CudaDevice, placement: Placement, budget: int | None
    ) -> HostGraph:
        """`graph` with its edge lists in the host's memory, in the place of any that is there; with its vertices by
        falling degree if `budget` is the number of bytes of the device's memory that this may take. Raises E0912."""
        from gdsl.backends.cuda.host_graph import HostGraph
        from gdsl.backends.cuda.numbering import Kernels
        from gdsl.backends.cuda.renumbered_host_graph import RenumberedHostGraph

        key = (id(graph), widths, device.id)
        former = self._in_host.pop(key, None)
        if former is not None:
            former.free()
        else:
            weakref.finalize(graph, self._in_host.pop, key, None)
        if budget is None:
            host_graph = HostGraph(device, graph, widths, placement)
        else:
            kernels = Kernels(device, self._renumbering_kernels(device, widths))
            host_graph = RenumberedHostGraph(kernels, graph, widths, placement, budget)
        self._in_host[key] = host_graph
        return host_graph

    def free(self, graph: Graph, device: CudaDevice) -> None:
        """Free what `graph` has on `device`, as a whole."""
        for graphs in (self._by_degree, self._graphs):
            for key in [key for key in graphs if (key[0], key[2]) == (id(graph), device.id)]:
                graphs.pop(key).free()

    def _renumbering_kernels(self, device: CudaDevice, widths: Widths) -> Callable[[str], Any]:
        """The kernels that number vertices, compiled once per machine."""
        from gdsl.backends.cuda.numbering import text_for

        if (device.id, widths) not in self._renumbering:
            text = text_for(widths, bool(device.gpu_numbers))
            cubin = packaged.cached_code("renumbering", text, device.architecture)
            self._renumbering[device.id, widths] = LoadedModule(device, cubin, device.load_on_each).get
        return self._renumbering[device.id, widths]

    def free_unused(self, device: CudaDevice) -> bool:
        """Free the scratch memory of `device`'s graphs, and what is made of them again when it is needed, while no run
        uses it; whether there was any."""
        graphs = [*self._graphs.items(), *self._by_degree.items(), *self._in_host.items()]
        graphs_here = [on_device for key, on_device in graphs if key[2] == device.id]
        freed = [pool.free_unused() for each in graphs_here for pool in (each.scratch, each.hoisted)]
        return any(freed)
