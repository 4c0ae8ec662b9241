"""Edges sent to the workers that own their sources, and what else makes a share of them.

Two passes over the edges: the first counts degrees, by blocks of vertices of equal size, and finds the boundaries; the
second sends each edge to the owner of its source, which puts them in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.csr import LARGEST_DEGREE, Csr
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.group import Group, objects
from gdsl.graph.messages import too_large
from gdsl.graph.numbering import NumberedNames, Route
from gdsl.graph.ordering import with_opposites
from gdsl.graph.shares import GraphShare, equal_shares
from gdsl.graph.vertices import Names, id_dtype, packed

_SPARSE = 4
"""Degrees are counted one by one where there are so many times more vertices than edges."""


def share_of(group: Group, edges: EdgeList, names: NumberedNames | None) -> GraphShare:
    """The share of this worker of the graph whose edges the workers have, in the order of their ranks. Raises E0709."""
    num_vertices, directed = edges.num_vertices, edges.directed
    sources, destinations, values = edges.sources, edges.destinations, edges.attributes
    with group.agreement():
        if not directed:
            sources, destinations, values = with_opposites(sources, destinations, values)
    boundaries, edge_boundaries = _boundaries(group, sources, num_vertices)
    if int(edge_boundaries[-1]) > LARGEST_DEGREE and directed:
        _boundaries(group, destinations, num_vertices)  # refuses vertices that too many edges enter
    with group.agreement():
        route = Route(group, _owners(boundaries, sources))
    first, last = (int(each) for each in boundaries[group.rank : group.rank + 2])
    dtype = id_dtype(num_vertices)
    sources, destinations = (
        np.concatenate(route.send(ends.astype(dtype, copy=False))) for ends in (sources, destinations)
    )
    values = {name: np.concatenate(route.send(each)) for name, each in values.items()}
    with group.agreement():
        offsets, columns, values = _lists(sources, destinations, values, first, last - first, num_vertices)
    owned = _names_of_owned(group, names, boundaries)
    of_vertices = {name: each[first:last] for name, each in edges.vertex_attributes.items()}
    with group.agreement():
        return GraphShare(
            group.rank,
            boundaries,
            edge_boundaries,
            offsets,
            columns,
            directed=directed,
            attributes=values,
            vertex_attributes=of_vertices,
            names=owned,
        )


def _owners(boundaries: NDArray[np.int64], vertices: NDArray[Any]) -> NDArray[np.int64]:
    return np.searchsorted(boundaries, vertices, side="right").astype(np.int64) - 1


def _boundaries(group: Group, sources: NDArray[Any], num_vertices: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The boundaries between the vertices of workers, and between the edges that leave these: those of `equal_shares`.

    Raises E0709 for a vertex with too many edges."""
    size, rank = group.size, group.rank
    starts = num_vertices * np.arange(size + 1, dtype=np.int64) // size
    first, last = int(starts[rank]), int(starts[rank + 1])
    degrees = np.zeros(last - first, np.int64)
    if group.any(num_vertices > _SPARSE * len(sources)):
        vertices, counts = np.unique(sources, return_counts=True)
        cuts = np.searchsorted(vertices, starts[1:-1])
        here = group.exchange(np.split(vertices.astype(np.int64), cuts))
        for part, each in zip(here, group.exchange(np.split(counts.astype(np.int64), cuts)), strict=True):
            degrees[part - first] += each
    else:
        for each in group.exchange(np.split(np.bincount(sources, minlength=num_vertices), starts[1:-1])):
            degrees += each
    with group.agreement():
        if degrees.max(initial=0) > LARGEST_DEGREE:
            raise too_large("a vertex has more edges than int32 can count")
    totals = group.gather(int(degrees.sum()))
    edges, before = sum(totals), sum(totals[:rank])
    if not edges:
        return equal_shares(np.zeros(num_vertices + 1, np.int64), size), np.zeros(size + 1, np.int64)
    offsets = np.full(len(degrees) + 1, before, np.int64)
    offsets[1:] += np.cumsum(degrees)
    boundaries, edge_boundaries = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    boundaries[-1], edge_boundaries[-1] = num_vertices, edges
    places = np.searchsorted(offsets, np.arange(1, size) * edges // size)
    found = [(first + int(place), int(offsets[place])) if place < len(offsets) else None for place in places]
    for number, candidates in enumerate(zip(*group.gather(found), strict=True), start=1):
        boundaries[number], edge_boundaries[number] = next(each for each in candidates if each is not None)
    return boundaries, edge_boundaries


def _lists(
    sources: NDArray[Any],
    destinations: NDArray[Any],
    values: dict[str, NDArray[Any]],
    first: int,
    count: int,
    num_vertices: int,
) -> tuple[NDArray[np.int64], NDArray[Any], dict[str, NDArray[Any]]]:
    """The lists of `count` vertices from `first` on, each ascending, parallel edges as they come."""
    sources = sources - sources.dtype.type(first)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=count), out=offsets[1:])
    keys = packed(sources, destinations, num_vertices)
    if not values:
        keys.sort()
        return offsets, (keys % max(num_vertices, 1)).astype(destinations.dtype), {}
    order = np.argsort(keys, kind="stable")
    return offsets, destinations[order], {name: each[order] for name, each in values.items()}


def _names_of_owned(group: Group, names: NumberedNames | None, boundaries: NDArray[np.int64]) -> Names | None:
    """The names of the vertices that this worker owns."""
    if names is None:
        return None
    route = Route(group, _owners(boundaries, names.ids))
    ids, values = (np.concatenate(route.send(each)) for each in (names.ids, names.values))
    return Names(values[np.argsort(ids)].tolist())


def shares_of_csr(group: Group, csr: Csr | None) -> GraphShare:
    """The share of this worker of a graph that worker 0 has as a whole."""
    facts = None
    if csr is not None:
        boundaries = equal_shares(csr.offsets, group.size)
        kinds = [{name: each.dtype for name, each in of.items()} for of in (csr.attributes, csr.vertex_attributes)]
        facts = boundaries, csr.offsets[boundaries], csr.directed, kinds, csr.names is not None
    found = group.first(facts)
    assert found is not None
    boundaries, edge_boundaries, directed, (of_edges, of_vertices), named = found
    num_vertices = int(boundaries[-1])

    def send(values: NDArray[Any] | None, dtype: Any, cuts: NDArray[np.int64]) -> NDArray[Any]:
        nothing = np.zeros(0, dtype)
        parts = [nothing] * group.size if values is None else np.split(values.astype(dtype, copy=False), cuts)
        return group.exchange(parts)[0]

    vertices, edges = boundaries[1:-1], edge_boundaries[1:-1]
    degrees = send(None if csr is None else np.diff(csr.offsets), np.int64, vertices)
    columns = send(None if csr is None else csr.columns, id_dtype(num_vertices), edges)
    attributes = {
        name: send(None if csr is None else csr.attributes[name], kind, edges) for name, kind in of_edges.items()
    }
    vertex_attributes = {
        name: send(None if csr is None else csr.vertex_attributes[name], kind, vertices)
        for name, kind in of_vertices.items()
    }
    names = None
    if named:
        all_names = None if csr is None or csr.names is None else objects(csr.names)
        names = Names(send(all_names, object, vertices).tolist())
    offsets = np.zeros(len(degrees) + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    return GraphShare(
        group.rank,
        boundaries,
        edge_boundaries,
        offsets,
        columns,
        directed=directed,
        attributes=attributes,
        vertex_attributes=vertex_attributes,
        names=names,
    )
