"""A graph on the device with vertices numbered by falling degree; `gdsl.plan.renumbering` says when a run uses one."""

from __future__ import annotations

import time

import numpy

from gdsl.backends.cuda.hoisted_graphs import HoistedGraphs
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels, Numbering, Places
from gdsl.backends.cuda.owned_chunks import dealt_out
from gdsl.backends.cuda.protocol import Buffer
from gdsl.backends.needs import shared_part
from gdsl.codegen.structs import element_dtype
from gdsl.graph.graph import Graph
from gdsl.plan.renumbering import MADE_ON_DEVICE
from gdsl.types import Type


class RenumberedGraph(GraphOnDevice):
    """A graph with its vertices numbered by falling degree. Lists ascend by the new ids; parallel edges keep their
    order.

    made_ms: milliseconds that this took, until a run has reported them.
    """

    numbering: Numbering

    def __init__(self, kernels: Kernels, original: GraphOnDevice, graph: Graph) -> None:
        """Raises E0912 if there is not enough memory."""
        # No parts of the original are kept.
        self.device, self.graph, self.widths = original.device, original.graph, original.widths
        self.largest_degree, self.scratch = original.largest_degree, original.scratch
        self.hoisted = HoistedGraphs(original.device)
        self._parts, self._given = {}, original
        self._edges_as_given: Places | None = None
        self._kernels, self.directed = kernels, graph.directed
        self._vertices, self._edges = graph.num_vertices, graph.num_edges
        self.device.require(_bytes(graph, original))
        before = original.parts_held()
        for name in ("offsets", "columns"):
            original.part(name, _ELEMENTS[name])
        self._wait()
        started = time.perf_counter()
        in_offsets = original.part("in_offsets", Type.EDGE) if graph.directed else None
        offsets = original.part("offsets", Type.EDGE)
        lengths, gpus = self.device.chunk_lengths(graph.num_vertices), len(self.device.gpu_numbers)
        lists = (graph.offsets, graph.in_offsets) if graph.directed else (graph.offsets,)
        chunks = dealt_out(lists, lengths, gpus)
        self.numbering = Numbering(kernels, offsets, in_offsets, graph.num_vertices, self.widths, chunks)
        self._make_lists(original, backward=False)
        if graph.directed:
            self._make_lists(original, backward=True)
        self._wait()
        original.drop_parts(original.parts_held() - before)  # no run uses it yet, and perhaps none will
        self.made_ms = (time.perf_counter() - started) * 1e3

    def edges_as_given(self) -> Places:
        """The caller's id of each edge, computed when it is first needed. Raises E0912."""
        if self._edges_as_given is None:
            width = element_dtype(Type.EDGE, self.widths).itemsize
            before, original = self._given.parts_held(), self._given
            lists = [of.part(name, _ELEMENTS[name]) for of in (original, self) for name in ("offsets", "columns")]
            buffer = self.device.allocate(width * self._edges)
            self._wait()
            started = time.perf_counter()
            pointers = (each.pointer for each in (*lists, self.numbering.order, buffer))
            self._kernels.start("places_of_edges", *pointers, self._vertices)
            self._wait()
            original.drop_parts(original.parts_held() - before)
            self.made_ms = (self.made_ms or 0.0) + (time.perf_counter() - started) * 1e3
            self._edges_as_given = Places(buffer, self._edges, Type.EDGE)
        return self._edges_as_given

    def is_even(self, parts: int) -> bool:
        """The vertices have been dealt out to several GPUs."""
        return parts > 1

    def part(self, name: str, element: Type) -> Buffer:
        """A member of `graph_slice` of the renumbered graph."""
        name = shared_part(name, self.directed)
        if name not in self._parts:
            self._parts[name] = self._of_lists(name, element)
        return self._parts[name]

    def _make_lists(self, original: GraphOnDevice, backward: bool) -> None:
        """Create the lists by sorting the edges by their ends; `backward`: those of the edges that enter a vertex."""
        names = ("in_offsets", "in_sources") if backward else ("offsets", "columns")
        keys, count = self.device.allocate(8 * self._edges), self._vertices
        ends = original.part("offsets", Type.EDGE), original.part("columns", Type.VERTEX), self.numbering.rank
        self._kernels.start("keys_of_edges", *(end.pointer for end in ends), keys.pointer, count, int(backward))
        self.device.sort(keys, self._edges)
        offsets, columns = (self._new(name) for name in names)
        self._kernels.start("lists_of_keys", keys.pointer, offsets.pointer, columns.pointer, count, self._edges)
        self.device.publish(offsets)
        self.device.publish(columns)
        self._parts.update(zip(names, (offsets, columns), strict=True))

    def _of_lists(self, name: str, element: Type) -> Buffer:
        if name == "edge_sources":
            sources = self._new(name)
            offsets = self.part("offsets", Type.EDGE)
            self._kernels.start("sources_of_lists", offsets.pointer, sources.pointer, self._vertices)
            self.device.publish(sources)
            return sources
        if name == "edge_ids":
            ids = self._new(name)
            self._kernels.start("count_up", ids.pointer, self._edges)
            self.device.publish(ids)
            return ids
        assert name not in MADE_ON_DEVICE
        values = getattr(self._host_graph(), "in_edge_ids" if name == "in_edges" else name)
        return self.device.upload(values.astype(element_dtype(element, self.widths), copy=False))

    def _host_graph(self) -> Graph:
        """The same graph on the host, for parts that are rarely needed."""
        kinds = {name: element_dtype(_ELEMENTS[name], self.widths) for name in ("offsets", "columns")}
        counts = {"offsets": self._vertices + 1, "columns": self._edges}
        offsets, columns = (self.device.fetch(self._parts[name], kinds[name], counts[name]) for name in kinds)
        return Graph(offsets.astype(numpy.int64), columns.astype(numpy.int64), directed=self.directed)

    def _new(self, name: str) -> Buffer:
        count = self._vertices + 1 if name.endswith("offsets") else self._edges
        return self.device.allocate_constant(element_dtype(_ELEMENTS[name], self.widths).itemsize * count)

    def _wait(self) -> None:
        self.device.end()
        self.device.wait(None)


_ELEMENTS = {
    "offsets": Type.EDGE,
    "columns": Type.VERTEX,
    "in_offsets": Type.EDGE,
    "in_sources": Type.VERTEX,
    "edge_sources": Type.VERTEX,
    "edge_ids": Type.EDGE,
}


def _bytes(graph: Graph, original: GraphOnDevice) -> int:
    """The bytes needed to create it: names, lists, and the edges' ends twice while they are sorted."""
    vertex, edge = (original.widths.of(kind) // 8 for kind in (Type.VERTEX, Type.EDGE))
    lists = (graph.num_vertices + 1) * edge + graph.num_edges * vertex
    return 2 * vertex * graph.num_vertices + lists * (2 if graph.directed else 1) + 16 * graph.num_edges
