"""What a graph holds on the device, and how values are laid out there and here."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy

from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.backends.cuda.workroom import Workroom
from gdsl.backends.interface import Bindings
from gdsl.codegen.structs import element_dtype
from gdsl.extents import Sizes, of_graph
from gdsl.graph.graph import Graph
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.numbering import Numbering


class GraphOnDevice:
    """A graph's arrays on one device, in ids of one width; each part is brought over when it is first needed. Beside
    them the memory that programs work in while they run on it."""

    numbering: Numbering | None = None
    """How its ids are related to those of the caller, where they are others."""

    def __init__(self, device: Device, graph: Graph, widths: Widths) -> None:
        self.device, self.graph, self.widths = device, weakref.ref(graph), widths
        degrees = max(int(graph.out_degrees.max(initial=0)), 0)
        self.largest_degree = degrees if not graph.directed else max(degrees, int(graph.in_degrees.max(initial=0)))
        self._parts: dict[str, Buffer] = {}
        self._attributes: dict[int, tuple[Any, Buffer]] = {}
        self.work = Workroom(device)

    def part(self, name: str, element: Type) -> Buffer:
        """One of the members of `graph_slice`, whose elements are ids of vertices or of edges."""
        if name == "neighbors":  # of the caller's graph, whose edges lie in the order of their ids
            return self.part("columns", element)
        if name not in self._parts:
            kind = element_dtype(element, self.widths)
            self._parts[name] = self.device.upload(self._host(name).astype(kind, copy=False))
        return self._parts[name]

    def parts_held(self) -> set[str]:
        """What has been brought over by now."""
        return set(self._parts)

    def drop_parts(self, names: set[str]) -> None:
        """Let these be brought over anew where somebody needs them."""
        for name in names:
            del self._parts[name]

    def take_made_ms(self) -> float | None:
        """What it took to number the vertices anew, in milliseconds; 0 where that was done before, None where it is not
        done."""
        return None

    def attribute(self, values: Any, dtype: Any) -> Buffer:
        """An array that is the graph's own, which does not change, as values of `dtype`: it is brought over once."""
        kept = self._attributes.get(id(values))
        if kept is None:
            kept = self._attributes[id(values)] = values, self.device.upload(values.astype(dtype, copy=False))
        return kept[1]

    def _host(self, name: str) -> Any:
        graph = self.graph()
        assert graph is not None
        if name == "edge_ids":
            return numpy.arange(graph.num_edges)
        return host_part(graph, name)


def host_part(graph: Graph, name: str) -> Any:
    """A member of `graph_slice` as the graph has it."""
    return getattr(graph, "in_edge_ids" if name == "in_edges" else name)


def host_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The dtype of a type's values on the host; ids are signed there, so that `none` is -1."""
    return numpy.dtype(f"i{widths.of(kind) // 8}" if kind.is_id else kind.name)


def value_dtype(kind: Type, widths: Widths) -> numpy.dtype[Any]:
    """The same, of pairs that of the words that they take."""
    return numpy.dtype(numpy.uint64) if kind.is_pair else host_dtype(kind, widths)


def sizes_of(graph: Graph, bindings: Bindings) -> Sizes:
    """The sizes that extents speak of."""
    return of_graph(graph.num_vertices, graph.num_edges, bindings.params)
