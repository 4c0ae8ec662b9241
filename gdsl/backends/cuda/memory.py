"""A graph's arrays on the device, and the scratch memory that programs share there."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.backends.cuda.building import Parts
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.hoisted_graphs import HoistedGraphs
from gdsl.backends.cuda.protocol import Buffer, Device, Room
from gdsl.backends.interface import Bindings
from gdsl.backends.needs import shared_part
from gdsl.codegen.structs import element_dtype
from gdsl.extents import Sizes, of_graph
from gdsl.graph.graph import Graph
from gdsl.resources import filled_text
from gdsl.types import Type, Widths

_UNEVEN = 1.1
"""How many times as many edges as the mean a part may have that counts as an equal one."""

if TYPE_CHECKING:
    from gdsl.backends.cuda.numbering import Numbering, Places


class ScratchMemory:
    """The memory in which programs work while they run on a graph, one program at a time, whatever its layout."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._room: Room | None = None
        self._copies: list[Buffer] = []
        """Of which each GPU has its own."""
        self.user: object = None
        """The program whose content it still holds."""
        self._near: dict[tuple[int, int], Any] = {}
        self._largest: weakref.ref[Any] | None = None
        self.users: weakref.WeakSet[Any] = weakref.WeakSet()
        """The run memories of programs that have run on the graph."""

    def acquire(self, user: object, sizes: Sequence[int], copied: Sequence[int], filled: int = 0) -> Sequence[Buffer]:
        """Memory with any content for `user` alone, until another program acquires it: buffers of these `sizes`, of
        which the last `filled` are filled from the beginning, and after them those of which each GPU has its own.
        Raises E0912."""
        former, copies = self._room, self._copies[: len(copied)]
        self._room, self._copies, self.user = None, [], None
        self._room = self._device.room(sizes, former, filled)
        for place, nbytes in enumerate(copied):
            if place < len(copies) and copies[place].nbytes >= nbytes:
                self._copies.append(copies[place])
            else:
                copies[place:] = []  # before others are allocated
                self._copies.append(self._device.allocate_copies(nbytes))
        self.user = user
        return [*self._room.buffers, *self._copies]

    def held_bytes(self) -> int:
        """The bytes that it has at the moment."""
        buffers = self._room.buffers if self._room is not None else ()
        gpus = max(len(self._device.gpu_numbers), 1)
        return sum(each.nbytes for each in buffers) + gpus * sum(each.nbytes for each in self._copies)

    def near_rooms(self, sizes: Sequence[int]) -> Sequence[Any]:
        """A `near_room` for each of these sizes, or None, the same for all programs, until unused memory is freed."""
        found = []
        for place, nbytes in enumerate(sizes):
            if (place, nbytes) not in self._near:
                self._near[place, nbytes] = self._device.near_room(nbytes)
            found.append(self._near[place, nbytes])
        return found

    def keep_large(self, user: Any) -> None:
        """`user` keeps much memory for its next run, which only one program on this graph may do."""
        former = self._largest() if self._largest is not None else None
        if former is not None and former is not user:
            former.free_unused()
        self._largest = weakref.ref(user)

    def invalidate(self) -> None:
        """The content is not reusable: the run of its user was stopped."""
        self.user = None

    def free_unused(self) -> bool:
        """Free memory that no run uses at the moment; whether there was any."""
        had_any = self._room is not None or any(each is not None for each in self._near.values())
        self._room, self._copies, self._near, self.user = None, [], {}, None
        for user in self.users:
            user.free_unused()
        return had_any


class GraphOnDevice:
    """A graph's arrays on one device, in ids of one width; each part is uploaded when it is first needed. With it, the
    scratch memory of programs that run on it."""

    numbering: Numbering | None = None
    """The relation of its ids to the caller's, if they differ."""
    is_replaced = False
    """Whether another object has the graph now, and the memory of this one is free."""
    memory_line = ""
    """One line about edge lists in the host's memory, for `Outcome.memory_line`."""
    made_ms: float | None = None
    """Milliseconds spent on numbering the vertices by degree; 0 after a run has reported it, None if they are not
    renumbered."""

    def __init__(self, device: Device, graph: Graph, widths: Widths) -> None:
        self.device, self.graph, self.widths = device, weakref.ref(graph), widths
        self.directed = graph.directed
        self.largest_degree = largest_degree_of(graph)
        self._parts: dict[str, Buffer] = {}
        self._attributes: dict[int, tuple[Any, Buffer]] = {}
        self.scratch = ScratchMemory(device)
        self.hoisted = HoistedGraphs(device)

    @property
    def source(self) -> Graph:
        """The graph that it is of; the caller of a run holds it."""
        graph = self.graph()
        assert graph is not None
        return graph

    def part(self, name: str, element: Type) -> Buffer:
        """A member of `graph_slice`, whose elements are ids of vertices or of edges."""
        name = shared_part(name, self.directed)
        if name not in self._parts:
            self._parts[name] = self._create_part(name, element_dtype(element, self.widths))
        return self._parts[name]

    def is_even(self, parts: int) -> bool:
        """Whether so many equal parts of the vertices, in the order of their ids, have about as many edges each."""
        if parts < 2:  # the graph may be a worker's share
            return False
        graph = self.source
        return are_even((graph.offsets, graph.in_offsets) if graph.directed else (graph.offsets,), parts)

    def parts_held(self) -> set[str]:
        """The parts that have been uploaded."""
        return set(self._parts)

    def drop_parts(self, names: set[str]) -> None:
        """Drop these parts; they are uploaded again when they are needed."""
        for name in names:
            del self._parts[name]

    def free(self) -> None:
        """Free its memory: another object has the graph from now on."""
        self.is_replaced = True
        self._parts, self._attributes = {}, {}
        self.hoisted.free_unused()
        self.scratch.free_unused()

    def edges_as_given(self) -> Places | None:
        """The caller's id of each edge, if the vertices are renumbered."""
        return None

    def _create_part(self, name: str, kind: numpy.dtype[Any]) -> Buffer:
        graph = self.source
        placed = (
            self._find_on_gpu(lambda cupy, parts: parts.find(cupy, name, self.directed)) if kind.itemsize == 4 else None
        )
        if placed is not None:
            return self.device.upload(placed)
        if not _can_derive(name, self.directed) or not graph.num_edges:
            return self.device.upload(self._host(name, kind))
        offsets, columns = (self._parts.get(part) or self._list(part) for part in ("offsets", "columns"))
        counts = graph.num_vertices, graph.num_edges
        return _derived(self.device, name, (offsets, columns), counts, self.widths)

    def _list(self, name: str) -> Buffer:
        """Offsets or columns, which are only kept if a program reads them."""
        element = Type.EDGE if name == "offsets" else Type.VERTEX
        return self.device.upload(self._host(name, element_dtype(element, self.widths)))

    def _find_on_gpu(self, find: Callable[[Any, Parts], Any | None]) -> Any | None:
        """What `find` finds on the GPU, if the graph was built there."""
        graph = self.graph()
        parts = graph._parts if graph is not None else None
        if not isinstance(parts, Parts) or not isinstance(self.device, CudaDevice) or parts.device != self.device.id:
            return None
        return find(self.device.cupy, parts)

    def attribute(self, values: Any, dtype: Any, of_edges: str | None = None) -> Buffer:
        """An array of the graph, which never changes, as values of `dtype`: it is uploaded once. `of_edges`: the name
        of the attribute, if it is one of edges."""
        stored = self._attributes.get(id(values))
        if stored is None:
            stored = self._attributes[id(values)] = values, self.upload_values(values, dtype, of_edges)
        return stored[1]

    def upload_values(self, values: Any, dtype: Any, of_edges: str | None) -> Buffer:
        """An array of the graph as values of `dtype`, as `attribute` uploads it, but not kept."""
        placed = self._find_on_gpu(lambda _, parts: parts.attribute(of_edges, dtype)) if of_edges is not None else None
        return self.device.upload(values.astype(dtype, copy=False) if placed is None else placed)

    def _host(self, name: str, kind: numpy.dtype[Any]) -> Any:
        """The ids as `kind`, which is unsigned. Ids of the same width are not copied: for a large graph the host may
        have no room."""
        graph = self.source
        if name == "edge_ids":
            return numpy.arange(graph.num_edges, dtype=kind)
        ids = getattr(graph, "in_edge_ids" if name == "in_edges" else name)
        return ids.view(kind) if ids.itemsize == kind.itemsize else ids.astype(kind)


def are_even(lists: Iterable[Any], parts: int) -> bool:
    """Whether equal parts of the vertices have about as many edges each, given the offsets of their lists."""
    bounds = [sum(int(offsets[(len(offsets) - 1) * part // parts]) for offsets in lists) for part in range(parts + 1)]
    return max(end - begin for begin, end in pairwise(bounds)) * parts <= _UNEVEN * bounds[-1]


def largest_degree_of(graph: Graph) -> int:
    """The most edges of a vertex in either direction."""
    degrees = int(graph.out_degrees.max(initial=0))
    return degrees if not graph.directed else max(degrees, int(graph.in_degrees.max(initial=0)))


def host_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The dtype of a type's values on the host; ids are signed there, so that `none` is -1."""
    return numpy.dtype(f"i{widths.of(kind) // 8}" if kind.is_id else kind.name)


def value_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The dtype of a type's values on the host; for pairs that of the words that they take."""
    return numpy.dtype(numpy.uint64) if kind.is_pair else host_dtype(kind, widths)


def sizes_of(graph: Graph, bindings: Bindings) -> Sizes:
    """The sizes that extents refer to."""
    return of_graph(graph.num_vertices, graph.num_edges, bindings.params)


def _can_derive(name: str, directed: bool) -> bool:
    """Whether a kernel derives the part `name` of such a graph from its lists."""
    return name == "edge_sources" or (name == "in_edges" and not directed)


def _derived(
    device: Device, name: str, lists: tuple[Buffer, Buffer], counts: tuple[int, int], widths: Widths
) -> Buffer:
    """That part of a graph with `counts` vertices and edges, whose `lists` are offsets and columns. The host would take
    minutes for 2^31 edges, and as much memory again. Raises E0912."""
    array = device.allocate_constant(counts[1] * (widths.vertex if name == "edge_sources" else widths.edge) // 8)
    text = graph_parts_text(widths)
    pointers = (numpy.uint64(buffer.pointer) for buffer in (*lists, array))
    device.compute(text, name, counts[1], (*pointers, *map(numpy.uint64, counts)))
    device.publish(array)
    return array


def graph_parts_text(widths: Widths) -> str:
    """The kernels that derive parts of a graph from its lists."""
    return filled_text("templates", "cuda", "graph_parts.cu.in", vertex=widths.vertex, edge=widths.edge)
