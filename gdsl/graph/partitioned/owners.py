"""Edges sent to the workers that own their sources, and what else makes a share of them.

Two passes over the edges: the first counts degrees, by blocks of vertices of equal size, and finds the boundaries; the
second sends each edge to the owner of its source, which puts them in order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.csr import LARGEST_DEGREE, Csr
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.group import Group, objects
from gdsl.graph.messages import too_large
from gdsl.graph.numbering import NumberedNames, Route, owners_of
from gdsl.graph.ordering import bits_for, sort_of
from gdsl.graph.shares import GraphShare, equal_shares
from gdsl.graph.vertices import Names, id_dtype

_NOTHING: NDArray[Any] = np.zeros(0, np.int32)
"""In the place of arrays that are no longer needed; an empty part of one would keep it in memory."""
_PIECE = 1 << 20
"""Edges that are looked at together, to save memory."""


def share_of(group: Group, edges: EdgeList, names: NumberedNames | None) -> GraphShare:
    """The share of this worker of the graph whose edges the workers have, in the order of their ranks. `edges` is
    emptied on the way, to save memory. Raises E0709."""
    directed = edges.directed
    if not directed:
        # Parallel edges keep their order in both lists, as one end of all of them is the lower one.
        edges.sources, edges.destinations = (
            np.minimum(edges.sources, edges.destinations),
            np.maximum(edges.sources, edges.destinations),
        )
    boundaries, edge_boundaries = _boundaries(group, edges)
    first, last = (int(each) for each in boundaries[group.rank : group.rank + 2])
    names_of_owned = _names_of_owned(group, names, boundaries)
    of_vertices = {name: each[first:last] for name, each in edges.vertex_attributes.items()}
    arrived = _sent(group, edges, boundaries)
    with group.agreement():
        offsets, columns, values = _lists(arrived, first, last - first)
        return GraphShare(
            group.rank,
            boundaries,
            edge_boundaries,
            offsets,
            columns,
            directed=directed,
            attributes=values,
            vertex_attributes=of_vertices,
            names=names_of_owned,
        )


def _owners(boundaries: NDArray[np.int64], vertices: NDArray[Any]) -> NDArray[np.int64]:
    return np.searchsorted(boundaries, vertices, side="right").astype(np.int64) - 1


def _sent(group: Group, edges: EdgeList, boundaries: NDArray[np.int64]) -> EdgeList:
    """The edges that leave the vertices of this worker. Empties `edges`."""
    dtype = id_dtype(edges.num_vertices)
    low, high, values = edges.sources.astype(dtype, copy=False), edges.destinations.astype(dtype, copy=False), {}
    names = list(edges.attributes)
    attributes, edges.sources, edges.destinations, edges.attributes = edges.attributes, _NOTHING, _NOTHING, {}
    ways = [Route(group, owners_of(group, lambda ends: _owners(boundaries, ends), low))]
    other: NDArray[Any] | None = None
    if not edges.directed:
        if group.any(bool((low == high).any())):
            other = np.flatnonzero(low != high)
        ends = high if other is None else high[other]
        ways.append(Route(group, owners_of(group, lambda ends: _owners(boundaries, ends), ends)))

    def send(forward: NDArray[Any], backward: NDArray[Any]) -> NDArray[Any]:
        parts = ways[0].send(forward)
        if len(ways) > 1:
            parts += ways[1].send(backward if other is None else backward[other])
        return np.concatenate(parts)

    sources = send(low, high)
    if edges.directed:
        low = _NOTHING
        destinations = send(high, high)
    else:
        destinations = send(high, low)
    low = high = _NOTHING
    for name in names:
        each = attributes.pop(name)
        values[name] = send(each, each)
    return replace(edges, sources=sources, destinations=destinations, attributes=values)


def _boundaries(group: Group, edges: EdgeList) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The boundaries between the vertices of workers, and between the edges that leave these: those of `equal_shares`.

    Raises E0709 for a vertex with too many edges."""
    num_vertices, size, rank = edges.num_vertices, group.size, group.rank
    starts = num_vertices * np.arange(size + 1, dtype=np.int64) // size
    degrees = _degrees(group, edges.sources, num_vertices, starts)
    if not edges.directed:
        degrees += _degrees(group, edges.destinations, num_vertices, starts)
        loops = edges.sources[edges.sources == edges.destinations]
        degrees -= _degrees(group, loops, num_vertices, starts)
    elif group.sum(len(edges.sources)) > LARGEST_DEGREE:
        entering = _degrees(group, edges.destinations, num_vertices, starts)
        with group.agreement():
            if entering.max(initial=0) > LARGEST_DEGREE:
                raise too_large("more edges enter a vertex than int32 can count")
    with group.agreement():
        if degrees.max(initial=0) > LARGEST_DEGREE:
            raise too_large("a vertex has more edges than int32 can count")
    totals = group.gather(int(degrees.sum()))
    num_edges, before = sum(totals), sum(totals[:rank])
    if not num_edges:
        return starts, np.zeros(size + 1, np.int64)
    offsets = np.full(len(degrees) + 1, before, np.int64)
    offsets[1:] += np.cumsum(degrees)
    boundaries, edge_boundaries = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    boundaries[-1], edge_boundaries[-1] = num_vertices, num_edges
    places = np.searchsorted(offsets, np.arange(1, size) * num_edges // size)
    boundary_edges = [
        (int(starts[rank] + place), int(offsets[place])) if place < len(offsets) else None for place in places
    ]
    for number, candidates in enumerate(zip(*group.gather(boundary_edges), strict=True), start=1):
        boundaries[number], edge_boundaries[number] = next(each for each in candidates if each is not None)
    return boundaries, edge_boundaries


def _degrees(group: Group, sources: NDArray[Any], num_vertices: int, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of all workers' edges leave each vertex of this worker's block, which `starts` divide."""
    first, last = (int(each) for each in starts[group.rank : group.rank + 2])
    degrees = np.zeros(last - first, np.int64)
    if group.any(num_vertices > len(sources)):  # an array of all vertices takes more memory than the edges do
        vertices, counts = np.unique(sources, return_counts=True)
        cuts = np.searchsorted(vertices, starts[1:-1])
        here = group.exchange(np.split(vertices.astype(np.int64), cuts))
        for part, each in zip(here, group.exchange(np.split(counts.astype(np.int64), cuts)), strict=True):
            degrees[part - first] += each
        return degrees
    counts, piece = np.zeros(num_vertices, np.int64), max(_PIECE, num_vertices)
    for at in range(0, len(sources), piece):
        counts += np.bincount(sources[at : at + piece], minlength=num_vertices)
    for each in group.exchange(np.split(counts, starts[1:-1])):
        degrees += each
    return degrees


def _lists(edges: EdgeList, first: int, count: int) -> tuple[NDArray[np.int64], NDArray[Any], dict[str, NDArray[Any]]]:
    """The lists of `count` vertices from `first` on, each ascending, parallel edges as they come. Empties `edges`."""
    width, destinations, values = max(edges.num_vertices, 1), edges.destinations, edges.attributes
    keys = edges.sources.astype(np.int64)
    edges.sources, edges.destinations, edges.attributes = _NOTHING, _NOTHING, {}
    keys -= first
    keys *= width
    keys += destinations
    if values:
        order = np.argsort(keys, kind="stable")
        columns = destinations[order]
        keys = keys[order]
        for name in list(values):
            values[name] = values[name][order]
    else:
        columns = destinations
        sort_of(len(keys))(keys, 0, bits_for(count * width))
        for at in range(0, len(keys), _PIECE):
            columns[at : at + _PIECE] = keys[at : at + _PIECE] % width
    return np.searchsorted(keys, np.arange(count + 1) * width).astype(np.int64), columns, values


def _names_of_owned(group: Group, names: NumberedNames | None, boundaries: NDArray[np.int64]) -> Names | None:
    """The names of the vertices that this worker owns."""
    if names is None:
        return None
    route = Route(group, _owners(boundaries, names.ids))
    ids, values = (np.concatenate(route.send(each)) for each in (names.ids, names.values))
    return Names(values[np.argsort(ids)].tolist())


def shares_of_csr(group: Group, csr: Csr | None) -> GraphShare:
    """The share of this worker of a graph that worker 0 has as a whole."""
    facts = group.first(None if csr is None else _facts(csr, group.size))
    assert facts is not None
    boundaries, edge_boundaries, directed, (of_edges, of_vertices), named = facts
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


def _facts(csr: Csr, size: int) -> tuple[Any, ...]:
    """The boundaries, whether it is directed, the types of the attributes, and whether vertices have names."""
    boundaries = equal_shares(csr.offsets, size)
    kinds = [{name: each.dtype for name, each in of.items()} for of in (csr.attributes, csr.vertex_attributes)]
    return boundaries, csr.offsets[boundaries], csr.directed, kinds, csr.names is not None
