"""Large graphs whose edges are put in order when something first needs it, on the host or on a GPU.

A program on a GPU orders them there, in a tenth of the time, and keeps the result; everything else has the host do it.
Only work that cannot fail except for lack of memory is deferred, and only with the same result on both sides: edges of
which parallel ones become one or keep their order. Without attributes any order of parallel edges will do. Edges on a
GPU never come to the host in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.arguments import attribute_arrays, flag
from gdsl.graph.arrays import is_on_gpu, on_gpu
from gdsl.graph.csr import LARGEST_DEGREE, Csr, csr_of, edge_keys, pairs_in_order
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.immutable import Values
from gdsl.graph.memory import require_memory
from gdsl.graph.threads import by_threads
from gdsl.graph.transformations import GraphOptions
from gdsl.graph.vertices import WIDE_FROM, vertex_count

UNCHANGED = GraphOptions()
_SHARED_ATTRIBUTES = ("num_vertices", "attributes", "vertex_attributes", "names")
LARGE = 1 << 22
"""Fewer edges are put in order immediately, which takes a tenth of a second."""
_BYTES_PER_EDGE = 40
_MOST_COPY_THREADS, _PIECE = 8, 1 << 22


@dataclass(frozen=True, slots=True)
class LazyCsr:
    """Edges in memory of their own, and changes to apply to them. They may be on a GPU, in arrays of CuPy."""

    edges: EdgeList
    options: GraphOptions

    @property
    def directed(self) -> bool:
        """Whether the resulting graph is directed."""
        return self.edges.directed and not self.options.undirected

    @property
    def unique(self) -> bool:
        """Whether parallel edges become one: the first, which without attributes equals any other."""
        return self.options.dedup is not None

    @property
    def on_gpu(self) -> bool:
        """Whether the ends are on a GPU."""
        return not isinstance(self.edges.sources, np.ndarray)

    def on_host(self) -> LazyCsr:
        """A copy with all arrays on the host."""
        edges = self.edges
        values = {name: _to_host(of) for name, of in edges.attributes.items()}
        sources, destinations = _to_host(edges.sources), _to_host(edges.destinations)
        return replace(self, edges=replace(edges, sources=sources, destinations=destinations, attributes=values))

    def csr(self) -> Csr:
        """The CSR, built on the host."""
        edges = self.on_host().edges if self.on_gpu else self.edges
        if edges.attributes or not self.unique:
            return csr_of(self.options.apply_to_edges(edges))
        sources, destinations = edges.sources, edges.destinations
        if not self.options.loops:
            other = sources != destinations
            sources, destinations = sources[other], destinations[other]
        keys = edge_keys(sources, destinations, not self.directed)
        offsets, columns = pairs_in_order(keys, edges.num_vertices, unique=True)
        return self.build(offsets, columns, {})

    def build(self, offsets: NDArray[Any], columns: NDArray[Any], attributes: Mapping[str, NDArray[Any]]) -> Csr:
        """The CSR of edges that were put in order elsewhere."""
        return Csr(offsets, columns, self.directed, attributes, self.edges.vertex_attributes, self.edges.names)

    def changed(self, options: GraphOptions) -> LazyCsr | None:
        """This with `options` applied on top; None where there are none, or they cannot be deferred."""
        if options.changes_nothing or (self.edges.attributes and options.undirected and self.directed):
            return None  # the first of an edge and its opposite would depend on their order
        mine = self.options
        combined_options = replace(
            options,
            undirected=mine.undirected or options.undirected,
            dedup=mine.dedup or options.dedup,
            loops=mine.loops and options.loops,
        )
        return defer(self.edges, combined_options)


def csr_or_lazy(edges: EdgeList, options: GraphOptions = UNCHANGED) -> Csr | LazyCsr:
    """The graph of `edges`, which are in memory of their own, changed: now or later."""
    if (lazy := defer(edges, options)) is not None:
        return lazy
    changed = options.apply_to_edges(edges)
    return defer(changed, UNCHANGED) or csr_of(changed)


def attributes_of(csr: Csr | LazyCsr) -> dict[str, Any]:
    """The initial attributes of a `Graph` of this CSR, by name."""
    if isinstance(csr, Csr):
        attributes = {"_csr": csr, "num_edges": len(csr.columns), "_lazy_csr": None, "directed": csr.directed}
        return {**attributes, **{name: getattr(csr, name) for name in _SHARED_ATTRIBUTES}}
    of_vertices, names = Values(csr.edges.vertex_attributes), csr.edges.names
    attributes = {"_lazy_csr": csr, "directed": csr.directed, "num_vertices": csr.edges.num_vertices}
    of_edges = {} if csr.edges.attributes else {"attributes": Values({})}
    return {**attributes, **of_edges, "vertex_attributes": of_vertices, "names": names}


def defer(edges: EdgeList, options: GraphOptions) -> LazyCsr | None:
    """`edges`, in memory of their own, to be changed and put in order later; None where that must be done now.

    Raises GdslError E0708 where there is no memory for it.
    """
    stored = len(edges.sources) * (1 if edges.directed and not options.undirected else 2)
    small = len(edges.sources) < LARGE or stored >= min(LARGEST_DEGREE, WIDE_FROM) or edges.num_vertices >= WIDE_FROM
    # Without `dedup`, arcs and their opposites are paired one by one.
    pairs = options.undirected and edges.directed and options.dedup is None
    combined = bool(edges.attributes) and options.dedup not in (None, "first")
    if small or pairs or combined or options.weights is not None or options.compact or options.reverse_arcs:
        return None
    if edges.sources.dtype != np.int32 or edges.destinations.dtype != np.int32:
        return None
    value_bytes = sum(values.itemsize for values in edges.attributes.values())
    needed = 24 * (edges.num_vertices + 1) + stored * (_BYTES_PER_EDGE + value_bytes)
    require_memory(needed, f"a graph of {edges.num_vertices:,} vertices")
    return LazyCsr(edges, options)


def with_own_memory(edges: EdgeList) -> EdgeList:
    """`edges` of a caller's arrays; copied if they may be deferred."""
    if len(edges.sources) < LARGE or edges.num_vertices >= WIDE_FROM:
        return edges
    return replace(edges, sources=_copy_ids(edges.sources), destinations=_copy_ids(edges.destinations))


def _to_host(values: Any) -> NDArray[Any]:
    return values if isinstance(values, np.ndarray) else np.asarray(values.get())


def _copy_ids(ids: NDArray[Any]) -> NDArray[np.int32]:
    """A copy of `ids`, by several threads: one would take as long as a GPU takes for everything that follows."""
    copies = np.empty(len(ids), np.int32)

    def copy(first: int) -> None:
        np.copyto(copies[first : first + _PIECE], ids[first : first + _PIECE], casting="unsafe")

    by_threads(copy, range(0, len(ids), _PIECE), _MOST_COPY_THREADS)
    return copies


def lazy_csr_on_gpu(
    sources: Any,
    destinations: Any,
    num_vertices: int | None,
    attributes: Mapping[str, Any],
    directed: bool,
    vertex_attributes: Mapping[str, Any],
) -> LazyCsr | None:
    """The large graph of edges on a GPU, which are copied there; None where the host must check them: where they are
    few, or are unusable, which it reports."""
    if not (is_on_gpu(sources) and is_on_gpu(destinations)):
        return None
    try:
        ends: list[Any] = [_ids(sources), _ids(destinations)]
        if ends[0] is None or ends[1] is None or len(ends[0]) != len(ends[1]) or len(ends[0]) < LARGE:
            return None
        with ends[0].device:
            count = _count(ends, vertex_count(num_vertices))
            if count is None:
                return None
            values: dict[str, Any] = {name: _values(value, name, len(ends[0])) for name, value in attributes.items()}
            if any(result is None for result in values.values()):
                return None
            owned = [end.astype(np.int32) for end in ends]
    except ValueError:  # of unreadable arrays
        return None
    of_vertices = attribute_arrays(vertex_attributes, count, "vertex")
    return defer(EdgeList(owned[0], owned[1], count, flag("directed", directed), values, of_vertices), UNCHANGED)


def lazy_csr_of_matrix(matrix: Any) -> LazyCsr | None:
    """The large graph of a matrix of `cupyx.scipy.sparse`, or None."""
    size, columns = matrix.shape
    if size != columns or matrix.nnz < LARGE or matrix.format not in ("coo", "csr", "csc"):
        return None
    entries = matrix.tocoo()
    return entries_on_gpu(entries.row, entries.col, entries.data, size)


def entries_on_gpu(rows: Any, columns: Any, values: Any, size: int) -> LazyCsr | None:
    """The large graph of the entries of a matrix of `size` rows and columns, or None; booleans are not weights."""
    weights = {} if str(values.dtype).endswith("bool") else {"weight": values}
    return lazy_csr_on_gpu(rows, columns, size, weights, True, {})


def _ids(values: Any) -> Any | None:
    result = on_gpu(values)
    return result if result.ndim == 1 and result.dtype.kind in "iu" else None


def _count(ends: list[Any], num_vertices: int | None) -> int | None:
    """The number of vertices; None where an id is out of range or needs 64 bits."""
    largest = max(int(end.max()) for end in ends)
    lowest = min(int(end.min()) for end in ends)
    count = largest + 1 if num_vertices is None else num_vertices
    return count if lowest >= 0 and largest < count < WIDE_FROM else None


def _values(value: Any, name: str, length: int) -> Any | None:
    """A copy of an attribute, on the GPU if it is there."""
    if not is_on_gpu(value):
        return attribute_arrays({name: value}, length, "edge")[name]
    result = on_gpu(value)
    fits = result.ndim == 1 and len(result) == length and result.dtype.kind in "biuf" and result.dtype != np.float16
    return result.copy() if fits else None
