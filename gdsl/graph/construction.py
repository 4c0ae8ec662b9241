"""Lists of edges, and the CSR and CSC made of them by stable counting sorts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdsl.diagnostics import shown, type_name
from gdsl.graph.arrays import host_array
from gdsl.graph.errors import bad_array, bad_id, too_large
from gdsl.graph.graph import Graph, id_dtype
from gdsl.graph.memory import require_memory
from gdsl.numerals import is_whole

LARGEST_NUM_VERTICES = 3_037_000_499
"""More vertices are refused: two ids no longer pack into one int64, and degrees are int32 anyway."""

_LARGEST_DEGREE = 2**31 - 1
_FEW = 1 << 14
"""Fewer edges are sorted by NumPy, which takes no longer; to import SciPy takes as long as all else of a small run."""


@dataclass(slots=True)
class EdgeList:
    """Edges in the order given, ids from 0 and known to be in range.

    sources, destinations: int32 or int64[n]; attributes: each [n]; with directed=False an edge stands for both ways.
    """

    sources: NDArray[Any]
    destinations: NDArray[Any]
    num_vertices: int
    directed: bool
    attributes: dict[str, NDArray[Any]] = field(default_factory=dict)
    vertex_attributes: dict[str, NDArray[Any]] = field(default_factory=dict)


def edges_from_arrays(
    sources: ArrayLike,
    destinations: ArrayLike,
    num_vertices: int | None,
    attributes: Mapping[str, ArrayLike],
    directed: bool,
    vertex_attributes: Mapping[str, ArrayLike],
) -> EdgeList:
    """The list of edges that a caller's arrays describe, checked.

    Raises GdslError E0707, E0709 or E0711, TypeError for other arguments of a wrong kind.
    """
    directed = flag("directed", directed)
    source_ids, destination_ids = _ids(sources, "sources"), _ids(destinations, "destinations")
    if len(source_ids) != len(destination_ids):
        raise bad_array(
            f"sources has {len(source_ids):,} elements, destinations {len(destination_ids):,}",
            "give one source and one destination for each edge",
        )
    count = check_ids(source_ids, destination_ids, vertex_count(num_vertices))
    edge_values = _all_values(attributes, len(source_ids), "edge")
    vertex_values = _all_values(vertex_attributes, count, "vertex")
    return EdgeList(source_ids, destination_ids, count, directed, edge_values, vertex_values)


def checked_csr(
    offsets: ArrayLike,
    columns: ArrayLike,
    directed: bool,
    attributes: Mapping[str, ArrayLike],
    vertex_attributes: Mapping[str, ArrayLike],
) -> tuple[NDArray[Any], NDArray[Any], bool, dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """The parts of a graph, after everything that native code relies on was seen to hold. Raises as above."""
    directed = flag("directed", directed)
    starts, ends = _ids(offsets, "offsets").astype(np.int64, copy=False), _ids(columns, "columns")
    degrees = np.diff(starts)
    if not len(starts) or starts[0] != 0 or starts[-1] != len(ends) or (degrees < 0).any():
        raise bad_array(
            "offsets is not that of a CSR", f"offsets ascends from 0 to the number of columns, {len(ends):,}"
        )
    if degrees.max(initial=0) > _LARGEST_DEGREE:
        raise too_large("a vertex has more edges than int32 can count")
    check_range(ends, "columns", vertex_count(len(degrees)))
    descents = np.flatnonzero(ends[1:] < ends[:-1]) + 1
    if len(descents) and (starts[np.searchsorted(starts, descents)] != descents).any():
        raise bad_array(
            "columns is not that of a CSR", "the columns of each vertex ascend; Graph.from_edges sorts them"
        )
    edge_values = _all_values(attributes, len(ends), "edge")
    vertex_values = _all_values(vertex_attributes, len(degrees), "vertex")
    if not directed:
        in_offsets, in_sources, _ = transpose(starts, ends.astype(id_dtype(len(degrees)), copy=False))
        if not (np.array_equal(in_offsets, starts) and np.array_equal(in_sources, ends)):
            raise bad_array("an edge has no opposite", "leave out directed=False, or use Graph.from_edges")
    return starts, ends, directed, edge_values, vertex_values


def flag(name: str, value: object) -> bool:
    """A bool of the caller's. Raises TypeError."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def vertex_count(value: int | None) -> int | None:
    """A number of vertices of the caller's. Raises TypeError, GdslError E0709 or E0711."""
    if value is None:
        return None
    if not is_whole(value):
        raise TypeError(f"num_vertices must be a whole number, not {shown(value)}")
    count = int(value)
    if count < 0:
        raise bad_array(f"num_vertices is {shown(count)}", "give a number that is not negative, or leave it out")
    if count > LARGEST_NUM_VERTICES:
        raise too_large(f"{shown(count)} vertices; at most {LARGEST_NUM_VERTICES:,} are possible")
    return count


def check_ids(sources: NDArray[Any], destinations: NDArray[Any], num_vertices: int | None) -> int:
    """The number of vertices, after every id was found to be in range; the largest id plus one if it is None.

    Raises GdslError E0707 for the first id out of range, E0709 for too many vertices.
    """
    largest = -1
    for name, ids in (("sources", sources), ("destinations", destinations)):
        largest = max(largest, check_range(ids, name, num_vertices))
    count = largest + 1 if num_vertices is None else int(num_vertices)
    if count > LARGEST_NUM_VERTICES:
        raise too_large(f"{count:,} vertices; at most {LARGEST_NUM_VERTICES:,} are possible")
    return count


def check_range(ids: NDArray[Any], name: str, num_vertices: int | None) -> int:
    """The largest of `ids`, -1 for none. Raises GdslError E0707 for the first one out of range."""
    if len(ids) == 0:
        return -1
    largest = int(ids.max())
    if ids.min() < 0 or (num_vertices is not None and largest >= num_vertices):
        limit = num_vertices if num_vertices is not None else LARGEST_NUM_VERTICES
        place = int(np.argmax((ids < 0) | (ids >= limit)))
        raise bad_id(int(ids[place]), f"{name}[{place}]", num_vertices)
    return largest


def build(edges: EdgeList) -> Graph:
    """The graph of `edges`: undirected ones stored both ways, then two stable counting sorts, O(V + E).

    Raises GdslError E0708 when it does not fit in memory, E0709 when a degree does not fit int32.
    """
    sources, destinations, attributes = edges.sources, edges.destinations, edges.attributes
    stored = len(sources) * (1 if edges.directed else 2)
    require_memory(8 * (edges.num_vertices + 1) * 3 + stored * 40, f"a graph of {edges.num_vertices:,} vertices")
    if not edges.directed:
        sources, destinations, attributes = _both_ways(sources, destinations, attributes)
    offsets, columns, order = _sorted_rows(sources, destinations, edges.num_vertices)
    if edges.num_vertices and int(np.diff(offsets).max()) > _LARGEST_DEGREE:
        raise too_large("a vertex has more edges than int32 can count")
    ordered = {name: values[order] for name, values in attributes.items()}
    graph = Graph._made(offsets, columns, edges.directed, ordered, edges.vertex_attributes)
    if len(columns) > _LARGEST_DEGREE and edges.directed and int(np.bincount(columns).max()) > _LARGEST_DEGREE:
        raise too_large("more edges enter a vertex than int32 can count")
    return graph


def transpose(offsets: NDArray[np.int64], columns: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(in_offsets, in_sources, in_edge_ids) of a CSR, each list ascending by source, then by edge id."""
    count, num_edges = len(offsets) - 1, len(columns)
    if num_edges < _FEW:
        order = np.argsort(columns, kind="stable").astype(id_dtype(num_edges))
        return _offsets(columns, count), np.repeat(np.arange(count), np.diff(offsets))[order], order
    from scipy import sparse

    edge_ids = np.arange(num_edges, dtype=id_dtype(num_edges))
    csc = sparse.csr_array((edge_ids, columns, offsets), shape=(count, count)).tocsc()
    return csc.indptr, csc.indices, csc.data


def first_without_opposite(graph: Graph) -> int:
    """The lowest edge id u→v of which there are more than of v→u; the graph must not be symmetric."""
    destinations = np.repeat(np.arange(graph.num_vertices, dtype=np.int64), graph.in_degrees)
    forward = packed(graph.edge_sources, graph.columns, graph.num_vertices)
    backward = packed(destinations, graph.in_sources, graph.num_vertices)
    place_among_equals = np.arange(graph.num_edges) - np.searchsorted(forward, forward, side="left")
    opposites = np.searchsorted(backward, forward, side="right") - np.searchsorted(backward, forward, side="left")
    return int(np.argmax(place_among_equals >= opposites))


def packed(leading: NDArray[Any], other: NDArray[Any], num_vertices: int) -> NDArray[np.int64]:
    """Two ids in one number that orders like the pair."""
    pairs = leading.astype(np.int64)
    pairs *= num_vertices
    pairs += other
    return pairs


def _sorted_rows(
    sources: NDArray[Any], destinations: NDArray[Any], num_vertices: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(offsets, columns, order): a radix sort by destination, then by source, each digit one of SciPy's conversions."""
    if len(sources) < _FEW:
        order = np.lexsort((destinations, sources))
        return _offsets(sources, num_vertices), destinations[order], order
    from scipy import sparse

    positions = np.arange(len(sources), dtype=id_dtype(len(sources)))
    matrix = sparse.coo_array((positions, (sources, destinations)), shape=(num_vertices, num_vertices))
    matrix.has_canonical_format = True  # SciPy would otherwise sum parallel edges.
    rows = matrix.tocsc().tocsr()
    return rows.indptr, rows.indices, rows.data


def _offsets(ids: NDArray[Any], num_vertices: int) -> NDArray[np.int64]:
    """Where the list of each vertex begins, with the end of the last one behind them."""
    ends = np.zeros(num_vertices + 1, dtype=np.int64)
    np.cumsum(np.bincount(ids, minlength=num_vertices), out=ends[1:])
    return ends


def _both_ways(
    sources: NDArray[Any], destinations: NDArray[Any], attributes: Mapping[str, NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]:
    """Each edge followed by its opposite, so that parallel edges keep their order in both lists; loops stay single."""
    keep = np.ones(2 * len(sources), dtype=bool)
    keep[1::2] = sources != destinations
    starts = np.stack([sources, destinations], axis=1).reshape(-1)[keep]
    ends = np.stack([destinations, sources], axis=1).reshape(-1)[keep]
    return starts, ends, {name: np.repeat(values, 2)[keep] for name, values in attributes.items()}


def _ids(values: ArrayLike, name: str) -> NDArray[Any]:
    array = _array(values, name)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise bad_array(f"{name} has the type {type_name(array.dtype)}", "vertex ids are integers")
    if array.dtype.kind == "u" and int(array.max()) > np.iinfo(np.int64).max:
        raise bad_id(int(array.max()), f"{name}[{int(array.argmax())}]", None)
    if array.dtype.itemsize < 4:
        return array.astype(np.int32)
    # An unsigned type of 64 bits would become a float beside a signed one.
    wanted = np.dtype(np.int64) if array.dtype.itemsize == 8 else array.dtype.newbyteorder("=")
    return array.astype(wanted, copy=False)


def _all_values(given: Mapping[str, ArrayLike], length: int, over: str) -> dict[str, NDArray[Any]]:
    if not isinstance(given, Mapping):
        raise TypeError(f"attributes are arrays by name, not {shown(given)}")
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"the name of an attribute is a str, not {shown(name)}")
    return {name: _values(values, name, length, over) for name, values in given.items()}


def _values(values: ArrayLike, name: str, length: int, over: str) -> NDArray[Any]:
    array = _array(values, name)
    if len(array) != length:
        raise bad_array(f"{name} has {len(array):,} elements", f"give one value for each {over}: {length:,}")
    is_number = array.dtype.kind in "biuf" and array.dtype.itemsize <= 8
    if array.size and not is_number:
        message = f"{name} has the type {type_name(array.dtype)}"
        raise bad_array(message, "values are booleans, integers or real numbers of at most 64 bits")
    if not is_number:
        return np.zeros(0)
    native = array.dtype.newbyteorder("=")
    # SciPy has no sparse matrices of float16, and every such number is a float32.
    return np.array(array, dtype=np.float32 if native == np.float16 else native)


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = host_array(values, name)
    except ValueError as error:
        raise bad_array(f"{name} {error}", "give a sequence of numbers") from None
    if array.ndim != 1:
        raise bad_array(f"{name} has {array.ndim} dimensions", "give an array of one dimension")
    return array
