"""The CSR of a graph: built, checked, transposed, searched for loops, parallel edges and opposites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.arguments import attribute_arrays, flag, id_array
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.immutable import Values, filled_immutable, immutable
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import bad_array, too_large
from gdsl.graph.ordering import bits_for, library_for, ordered, sort_of
from gdsl.graph.vertices import WIDE_FROM, Names, check_range, id_dtype, packed, vertex_count

LARGEST_DEGREE = 2**31 - 1
_FEW = 1 << 14
"""Fewer edges are transposed by NumPy, which takes no longer; importing SciPy would take as long as the rest of a small
run."""


@dataclass(frozen=True, slots=True)
class Csr:
    """Edges by source, then by destination, then as given; undirected ones both ways, an undirected loop once.

    offsets: int64[V+1]; columns: int32 or int64[E]; attributes: each [E]; vertex_attributes: each [V]. All of them are
    copied into read-only memory.
    """

    offsets: NDArray[Any]
    columns: NDArray[Any]
    directed: bool
    attributes: Mapping[str, NDArray[Any]]
    vertex_attributes: Mapping[str, NDArray[Any]]
    names: Names | None = None

    def __post_init__(self) -> None:
        fields = {
            "offsets": immutable(self.offsets, np.dtype(np.int64)),
            "columns": immutable(self.columns, id_dtype(self.num_vertices)),
            "attributes": Values(self.attributes),
            "vertex_attributes": Values(self.vertex_attributes),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def num_vertices(self) -> int:
        """V, the number of vertices."""
        return len(self.offsets) - 1


def checked_csr(
    offsets: ArrayLike,
    columns: ArrayLike,
    directed: bool,
    attributes: Mapping[str, ArrayLike],
    vertex_attributes: Mapping[str, ArrayLike],
) -> Csr:
    """The CSR of a caller's arrays, after checking everything that native code relies on.

    Raises GdslError E0707, E0709 or E0711, TypeError for other arguments of a wrong kind.
    """
    directed = flag("directed", directed)
    starts, ends = id_array(offsets, "offsets").astype(np.int64, copy=False), id_array(columns, "columns")
    degrees = np.diff(starts)
    if not len(starts) or starts[0] != 0 or starts[-1] != len(ends) or (degrees < 0).any():
        raise bad_array(
            "offsets is not valid for a CSR", f"offsets ascends from 0 to the number of columns, {len(ends):,}"
        )
    if degrees.max(initial=0) > LARGEST_DEGREE:
        raise too_large("a vertex has more edges than int32 can count")
    check_range(ends, "columns", vertex_count(len(degrees)))
    descents = np.flatnonzero(ends[1:] < ends[:-1]) + 1
    if len(descents) and (starts[np.searchsorted(starts, descents)] != descents).any():
        raise bad_array(
            "columns is not valid for a CSR", "the columns of each vertex ascend; Graph.from_edges sorts them"
        )
    edge_values = attribute_arrays(attributes, len(ends), "edge")
    vertex_values = attribute_arrays(vertex_attributes, len(degrees), "vertex")
    if not directed:
        in_offsets, in_sources, _ = transpose(starts, ends.astype(id_dtype(len(degrees)), copy=False))
        if not (np.array_equal(in_offsets, starts) and np.array_equal(in_sources, ends)):
            raise bad_array("an edge has no opposite", "leave out directed=False, or use Graph.from_edges")
    return Csr(starts, ends, directed, edge_values, vertex_values)


def csr_of(edges: EdgeList) -> Csr:
    """The CSR of `edges`: undirected ones stored both ways, then sorted unless they are sorted.

    Without attributes parallel edges are interchangeable, so any sort of the pairs will do.

    Raises GdslError E0708 when it does not fit in memory, E0709 when a degree does not fit int32.
    """
    sources, destinations, attributes = edges.sources, edges.destinations, edges.attributes
    stored = len(sources) * (1 if edges.directed else 2)
    require_memory(8 * (edges.num_vertices + 1) * 3 + stored * 40, f"a graph of {edges.num_vertices:,} vertices")
    values: Mapping[str, NDArray[Any]] = {}
    is_large = len(sources) >= _FEW
    if edges.directed and is_large and _ascending(sources, destinations):
        offsets, columns, values = _offsets(sources, edges.num_vertices), destinations, attributes
    elif not attributes and edges.num_vertices < WIDE_FROM and is_large and library_for(stored) is None:
        keys = edge_keys(sources, destinations, not edges.directed)
        offsets, columns = pairs_in_order(keys, edges.num_vertices)
    else:
        offsets, columns, values = ordered(sources, destinations, edges.num_vertices, attributes, not edges.directed)
    if len(columns) > LARGEST_DEGREE and int(np.diff(offsets).max()) > LARGEST_DEGREE:
        raise too_large("a vertex has more edges than int32 can count")
    csr = Csr(offsets, columns, edges.directed, values, edges.vertex_attributes, edges.names)
    if len(columns) > LARGEST_DEGREE and edges.directed and int(np.bincount(columns).max()) > LARGEST_DEGREE:
        raise too_large("more edges enter a vertex than int32 can count")
    return csr


def edge_keys(sources: NDArray[Any], destinations: NDArray[Any], both_ways: bool) -> NDArray[np.int64]:
    """Source and destination of each edge, of int32 ids, in one number; with `both_ways` also those of the opposites,
    except for loops."""
    forward: NDArray[np.int64] = sources.astype(np.int64) << 32
    forward |= destinations
    if not both_ways:
        return forward
    other = sources != destinations
    backward = destinations[other].astype(np.int64) << 32
    backward |= sources[other]
    return np.concatenate([forward, backward])


def pairs_in_order(
    keys: NDArray[np.int64], num_vertices: int, unique: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(offsets, columns) of the edges that `edge_keys` made, which are sorted in place; with `unique`, parallel edges
    become one."""
    sort_of(len(keys))(keys, 0, 32 + bits_for(num_vertices))
    if unique:
        keys = keys[first_of_equals(np, keys)]

    def fill(target: NDArray[Any]) -> None:
        np.copyto(target.view(np.int32), keys, casting="unsafe")  # keeps the lower half

    return _offsets(keys >> 32, num_vertices), filled_immutable(len(keys), np.dtype(np.int32), fill)


def lists_by(module: Any, keys: Any, num_vertices: int) -> tuple[Any, Any]:
    """(offsets, columns) as int32, of sorted keys on a GPU; `module` is cupy."""
    offsets = module.searchsorted(keys, module.arange(num_vertices + 1, dtype=np.int64) << 32)
    return offsets.astype(np.int32), keys.astype(np.int32)


def first_of_equals(module: Any, keys: Any) -> Any:
    """Whether each of some sorted numbers is the first of equal ones."""
    first = module.empty(len(keys), bool)
    first[:1] = True
    module.not_equal(keys[1:], keys[:-1], out=first[1:])
    return first


def transposed_by(module: Any, offsets: Any, columns: Any) -> tuple[Any, Any, Any]:
    """What `transpose` gives, of int32, with numpy or cupy as `module`; fewer than 2^31 edges."""
    order = module.argsort(columns, kind="stable")
    ends = module.arange(len(offsets), dtype=np.int32)
    in_offsets = module.searchsorted(columns[order], ends)
    sources = module.searchsorted(offsets[1:], order.astype(np.int32), side="right")
    return tuple(part.astype(np.int32) for part in (in_offsets, sources, order))


def transpose(offsets: NDArray[np.int64], columns: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(in_offsets, in_sources, in_edge_ids) of a CSR, each list ascending by source, then by edge id."""
    count, num_edges = len(offsets) - 1, len(columns)
    if num_edges < _FEW:
        order = np.argsort(columns, kind="stable").astype(id_dtype(num_edges))
        return _offsets(columns, count), edge_sources(offsets, columns)[order], order
    from scipy import sparse

    edge_ids = np.arange(num_edges, dtype=id_dtype(num_edges))
    csc = sparse.csr_array((edge_ids, columns, offsets), shape=(count, count)).tocsc()
    return csc.indptr, csc.indices, csc.data


def edge_sources(offsets: NDArray[Any], columns: NDArray[Any]) -> NDArray[Any]:
    """The source of each edge of a CSR, in the dtype of `columns`."""
    vertices = np.arange(len(offsets) - 1, dtype=columns.dtype)
    return np.repeat(vertices, np.diff(offsets))


def first_without_opposite(csr: Csr) -> int | None:
    """The lowest edge id u→v of which there are more than of v→u, whatever `csr.directed` says; None for none."""
    count, sources = csr.num_vertices, edge_sources(csr.offsets, csr.columns)
    if library_for(len(sources)) is not None:  # building the lists of the opposites is faster than sorting pairs
        offsets, columns, _ = ordered(csr.columns, sources, count, {})
        if np.array_equal(offsets, csr.offsets) and np.array_equal(columns, csr.columns):
            return None
    forward, backward = packed(sources, csr.columns, count), packed(csr.columns, sources, count)
    sort_of(len(backward))(backward, 0, bits_for(count * count))
    if np.array_equal(forward, backward):
        return None
    rank_among_equals = np.arange(len(forward)) - np.searchsorted(forward, forward, side="left")
    opposites = np.searchsorted(backward, forward, side="right") - np.searchsorted(backward, forward, side="left")
    return int(np.argmax(rank_among_equals >= opposites))


def edges_of(csr: Csr) -> EdgeList:
    """The edges of `csr` by id; of an undirected one each once, from the lower to the higher end."""
    sources, destinations = edge_sources(csr.offsets, csr.columns), csr.columns
    attributes = dict(csr.attributes)
    if not csr.directed:
        once = sources <= destinations
        sources, destinations = sources[once], destinations[once]
        attributes = {name: values[once] for name, values in attributes.items()}
    vertex_attributes = dict(csr.vertex_attributes)
    return EdgeList(sources, destinations, csr.num_vertices, csr.directed, attributes, vertex_attributes, csr.names)


def _ascending(leading: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether the pairs are sorted; of most unsorted lists the first few show it."""
    for last in (_FEW, len(leading)):
        first, second = leading[:last], other[:last]
        falls = second[1:] < second[:-1]
        falls &= first[1:] == first[:-1]
        falls |= first[1:] < first[:-1]
        if falls.any():
            return False
    return True


def _offsets(ids: NDArray[Any], num_vertices: int) -> NDArray[np.int64]:
    """Where the list of each vertex begins, and where the last one ends."""
    ends = np.zeros(num_vertices + 1, dtype=np.int64)
    np.cumsum(np.bincount(ids, minlength=num_vertices), out=ends[1:])
    return ends


def loops_of(columns: NDArray[Any], sources: NDArray[Any]) -> NDArray[np.bool_]:
    """bool[E]: which edges lead from a vertex to itself."""
    return np.asarray(columns == sources)


def repeated_of(columns: NDArray[Any], sources: NDArray[Any]) -> NDArray[np.bool_]:
    """bool[E]: which edges, ordered by source and then by destination, repeat the one before."""
    repeated = np.zeros(len(columns), dtype=bool)
    repeated[1:] = (columns[1:] == columns[:-1]) & (sources[1:] == sources[:-1])
    return repeated


def first_loop_or_parallel(columns: NDArray[Any], sources: NDArray[Any]) -> int | None:
    """The lowest id of an edge that is a loop or repeats the one before, None without any. `columns` and `sources` are
    the ends of the edges, [E], in the order of the CSR."""
    result = loops_of(columns, sources) | repeated_of(columns, sources)
    return int(np.argmax(result)) if result.any() else None


def pair_edges(
    csr: tuple[NDArray[np.int64], NDArray[Any]], csc: tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]
) -> NDArray[Any]:
    """For each edge id the edge that leads back, or -1; of the type of the CSC's edge ids.

    The k-th of the edges from u to v is paired with the k-th of those from v to u, in the order of their ids; a
    self-loop is its own. `csr` is (offsets, columns), `csc` (in_offsets, in_sources, in_edge_ids).
    """
    (offsets, columns), (in_offsets, in_sources, in_edge_ids) = csr, csc
    reverse = np.full(len(columns), -1, dtype=in_edge_ids.dtype)
    if np.array_equal(in_offsets, offsets) and np.array_equal(in_sources, columns):
        # Both orders are by (vertex, neighbor, id), so the edge that leads back has the same place.
        reverse[in_edge_ids] = np.arange(len(columns), dtype=in_edge_ids.dtype)
        return reverse
    count = len(offsets) - 1
    forward_pairs = packed(edge_sources(offsets, columns), columns, count)
    backward_pairs = packed(edge_sources(in_offsets, columns), in_sources, count)
    rank_among_equals = np.arange(len(backward_pairs)) - np.searchsorted(backward_pairs, backward_pairs, side="left")
    paired = np.searchsorted(forward_pairs, backward_pairs, side="left") + rank_among_equals
    exists = paired < np.searchsorted(forward_pairs, backward_pairs, side="right")
    reverse[in_edge_ids[exists]] = paired[exists]
    return reverse


def undirected_csr(edges: EdgeList, what: str, fix: str, first: int = 0) -> Csr:
    """The undirected graph of edges that are listed both ways. Raises E0704 for the first that is not; `what` is
    what the message calls the file or matrix, and `first` the number of its first vertex."""
    csr = csr_of(edges)
    edge = first_without_opposite(csr)
    if edge is None and "weight" in csr.attributes:
        edge = _first_weight_that_differs(csr)
    if edge is not None:
        source, destination = int(np.searchsorted(csr.offsets, edge, side="right")) - 1, int(csr.columns[edge])
        source, destination = source + first, destination + first
        message = f"{what} is not symmetric: ({source}, {destination}) and ({destination}, {source}) differ"
        raise GdslError.single("E0704", message, fix=fix)
    return Csr(csr.offsets, csr.columns, False, csr.attributes, csr.vertex_attributes)


def _first_weight_that_differs(csr: Csr) -> int | None:
    weights = csr.attributes["weight"]
    _, _, in_edge_ids = transpose(csr.offsets, csr.columns)
    # In a symmetric graph CSC position i is the opposite of edge i, parallel edges in their order.
    opposite = weights[in_edge_ids]
    differs = (weights != opposite) & ~((weights != weights) & (opposite != opposite))
    return int(np.argmax(differs)) if differs.any() else None
