"""Sorts the edges of large graphs on the GPU, where the result stays for later runs.

Several threads each copy a piece into pinned memory that the GPU reads; while one piece is copied, keys are created
from the earlier ones. Then the GPU sorts the keys. The host gets its arrays the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from gdsl.backends.cuda.memory_errors import memory_error
from gdsl.graph.csr import first_of_equals, lists_by, transposed_by
from gdsl.graph.graph import Graph
from gdsl.graph.immutable import filled_immutable
from gdsl.graph.lazy_csr import LazyCsr
from gdsl.resources import resource_text

_PIECE = 1 << 23
"""Bytes that a thread copies at a time."""
_THREADS = 8
_NONE = numpy.iinfo(numpy.int64).max
"""Greater than all keys, for edges that are left out."""
_BYTES_PER_EDGE = 32
"""Bytes per edge: keys, the memory for sorting them, the kept keys, and the columns."""
_BYTES_PER_EDGE_TURNED = 36
_BYTES_PER_EDGE_WITH_VALUES = 48
"""The same with the positions of the edges; without values."""


@dataclass(slots=True)
class Parts:
    """Arrays of one graph, of int32, on the device with this number, by their names in `GraphOnDevice.part`."""

    device: int
    arrays: dict[str, Any]
    attributes: dict[str, Any]
    """Values of the edges by name, in the graph's types."""

    def attribute(self, name: str, dtype: Any) -> Any | None:
        """Those values as `dtype`, which the host has found to represent them."""
        buffer = self.attributes.get(name)
        return None if buffer is None else buffer.astype(dtype, copy=False)

    def find(self, cupy: Any, name: str, directed: bool) -> Any | None:
        """The array of this name, if it exists or can be derived here."""
        if name in ("in_offsets", "in_sources", "in_edges") and name not in self.arrays and directed:
            offsets, columns = self.arrays["offsets"], self.arrays["columns"]
            if not _fits(cupy, columns.size * _BYTES_PER_EDGE_TURNED):
                return None
            try:
                sorted_arrays = transposed_by(cupy, offsets, columns)
            except Exception as error:
                if not _lacks_memory(cupy, error):
                    raise
                return None
            self.arrays.update(zip(("in_offsets", "in_sources", "in_edges"), sorted_arrays, strict=True))
        return self.arrays.get(name)


def place(cupy: Any, device: int, graph: Graph) -> None:
    """Sort the edges of `graph`, if that was postponed and there is enough memory; otherwise the host does it."""
    edges = graph._lazy_csr
    if edges is None:
        return
    if edges.on_gpu:
        ends: Any = edges.edges.sources
        edges = edges if int(ends.device.id) == device else edges.on_host()
    stored, originals = len(edges.edges.sources) * (1 if edges.directed else 2), edges.edges.attributes
    each = (
        _BYTES_PER_EDGE_WITH_VALUES + 2 * sum(of.itemsize for of in originals.values())
        if originals
        else _BYTES_PER_EDGE
    )
    if not _fits(cupy, stored * each + edges.edges.num_vertices * 16):
        return
    try:
        offsets, columns, order = _in_order(cupy, edges)
        values = {name: uploaded(cupy, of)[order] for name, of in originals.items()}
        of_host = fetched(cupy, offsets).astype(numpy.int64), fetched(cupy, columns)
        retained = {name: fetched(cupy, of) for name, of in values.items()}
    except Exception as error:
        if not _lacks_memory(cupy, error):
            raise
        return
    graph._keep(edges.build(*of_host, retained), Parts(device, {"offsets": offsets, "columns": columns}, values))


def release(graph: Graph) -> None:
    """Free what `place` has kept on the GPU; the host has it, too."""
    if isinstance(graph._parts, Parts):
        graph.__dict__["_parts"] = None


def _lacks_memory(cupy: Any, error: Exception) -> bool:
    """Whether that is why something failed: CuPy, Thrust or the driver say so, or the host has none."""
    return isinstance(error, MemoryError) or memory_error(cupy, error) is not None


def _fits(cupy: Any, needed: int) -> bool:
    free, _ = cupy.cuda.runtime.memGetInfo()
    return bool(needed <= free + cupy.get_default_memory_pool().free_bytes())


def _in_order(cupy: Any, edges: LazyCsr) -> tuple[Any, Any, Any]:
    """(offsets, columns, and the original position of each edge if edges have attributes)."""
    keys, order = uploaded_keys(cupy, edges), None
    if edges.edges.attributes:
        order = cupy.argsort(keys, kind="stable")
        keys = keys[order]
        if not edges.directed:
            order >>= 1  # each edge is followed by its opposite
    else:
        keys.sort()
    count = int(cupy.searchsorted(keys, cupy.full(1, _NONE, numpy.int64))[0])
    retained: Any = slice(count)
    if edges.unique:
        retained = cupy.empty(len(keys), bool)
        retained[:count], retained[count:] = first_of_equals(cupy, keys[:count]), False
    offsets, columns = lists_by(cupy, keys[retained], edges.edges.num_vertices)
    return offsets, columns, None if order is None else order[retained]


def uploaded_keys(cupy: Any, edges: LazyCsr) -> Any:
    """The keys (`edge_keys`) of all edges on the GPU, for an undirected graph in both directions: of edges with
    attributes adjacent, as parallel edges keep their order in the lists of both ends."""
    sources, destinations = edges.edges.sources, edges.edges.destinations
    count, at_once = len(sources), _PIECE // 8
    both = not edges.directed
    keys = cupy.empty(count * (2 if both else 1), numpy.int64)
    ways = [keys[::2], keys[1::2]] if edges.edges.attributes else [keys[:count], keys[count:]]
    files = ("edge_keys.cu.in", "opposite_keys.cu.in") if both else ("edge_keys.cu.in",)
    body = "".join(resource_text("templates", "cuda", file) for file in files)
    outputs = "int64 k, int64 o" if both else "int64 k"
    kernel = cupy.ElementwiseKernel("int32 s, int32 d, bool loops", outputs, body, "keys_of_edges")
    loops = numpy.bool_(edges.options.loops)
    if edges.on_gpu:
        kernel(sources, destinations, loops, *(ways if both else [keys]))
        return keys
    rooms = [cupy.empty(2 * at_once, numpy.int32) for _ in range(_THREADS)]

    def send(worker: int, stream: Any, here: Any, pointer: int) -> None:
        there, staged = rooms[worker], here.view(numpy.int32)
        for first, last in _pieces(worker, count, at_once):
            stream.synchronize()
            length = last - first
            staged[:length], staged[at_once : at_once + length] = sources[first:last], destinations[first:last]
            for place in (0, at_once):
                _copy(cupy, there.data.ptr + 4 * place, pointer + 4 * place, 4 * length, stream, out=True)
            sorted_arrays = [way[first:last] for way in ways] if both else [keys[first:last]]
            with stream:
                kernel(there[:length], there[at_once : at_once + length], loops, *sorted_arrays)

    _by_threads(cupy, send)
    return keys


def uploaded(cupy: Any, values: Any) -> Any:
    """A one-dimensional array of the host on the GPU; one that is there already unchanged."""
    if not isinstance(values, numpy.ndarray):
        return values
    sorted_arrays, originals = cupy.empty(len(values), values.dtype), numpy.ascontiguousarray(values).view(numpy.uint8)

    def send(worker: int, stream: Any, here: Any, pointer: int) -> None:
        for first, last in _pieces(worker, len(originals), _PIECE):
            stream.synchronize()
            here[: last - first] = originals[first:last]
            _copy(cupy, sorted_arrays.data.ptr + first, pointer, last - first, stream, out=True)

    _by_threads(cupy, send)
    return sorted_arrays


def fetched(cupy: Any, array: Any) -> Any:
    """A one-dimensional array of the GPU on the host, read-only."""
    length = int(array.nbytes)
    cupy.cuda.get_current_stream().synchronize()

    def fill(target: Any) -> None:
        def fetch(worker: int, stream: Any, here: Any, pointer: int) -> None:
            for first, last in _pieces(worker, length, _PIECE):
                _copy(cupy, pointer, array.data.ptr + first, last - first, stream, out=False)
                stream.synchronize()
                target[first:last] = here[: last - first]

        _by_threads(cupy, fetch)

    return filled_immutable(array.size, array.dtype, fill)


def _pieces(worker: int, count: int, at_once: int) -> Iterator[tuple[int, int]]:
    """The pieces of one of the threads."""
    for first in range(worker * at_once, count, at_once * _THREADS):
        yield first, min(first + at_once, count)


def _by_threads(cupy: Any, work: Callable[[int, Any, Any, int], None]) -> None:
    """Call `work(number, stream, pinned bytes, their address)` on all threads, and wait."""
    from concurrent.futures import ThreadPoolExecutor

    device = int(cupy.cuda.runtime.getDevice())
    cupy.cuda.get_current_stream().synchronize()

    def run(worker: int) -> None:
        with cupy.cuda.Device(device):
            stream = cupy.cuda.Stream(non_blocking=True)
            memory = cupy.cuda.alloc_pinned_memory(_PIECE)
            try:
                work(worker, stream, numpy.frombuffer(memory, numpy.uint8, _PIECE), int(memory.ptr))
            finally:  # what it works on may be released, also after an error
                stream.synchronize()

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(run, range(_THREADS)))


def _copy(cupy: Any, target: int, source: int, nbytes: int, stream: Any, out: bool) -> None:
    runtime = cupy.cuda.runtime
    way = runtime.memcpyHostToDevice if out else runtime.memcpyDeviceToHost
    runtime.memcpyAsync(target, source, nbytes, way, stream.ptr)
