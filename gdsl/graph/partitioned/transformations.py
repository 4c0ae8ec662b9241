"""The options of `Graph.read` for edges that several workers have.

All of them but `compact` concern edges between the same two ends alone, so each pair of ends has an owner, by its hash,
to which its edges go in their order; there the options are those of one process.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, printable
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.generators import mixed
from gdsl.graph.group import Group, objects
from gdsl.graph.numbering import NumberedNames, Route, number_by_value, owners_of
from gdsl.graph.reading import notice_pairs, pairs_both_ways
from gdsl.graph.transformations import GraphOptions
from gdsl.graph.vertices import id_dtype, packed


def by_pairs(group: Group, edges: EdgeList) -> EdgeList:
    """The edges, those with the same two ends with one worker and in their order. Changes `edges`, to save memory."""
    count, size = edges.num_vertices, np.uint64(group.size)

    def owner(sources: NDArray[Any], destinations: NDArray[Any]) -> NDArray[Any]:
        pairs = packed(np.minimum(sources, destinations), np.maximum(sources, destinations), count)
        return mixed(pairs.view(np.uint64)) % size

    route = Route(group, owners_of(group, owner, edges.sources, edges.destinations))
    dtype = id_dtype(count)
    edges.sources = np.concatenate(route.send(edges.sources.astype(dtype, copy=False)))
    edges.destinations = np.concatenate(route.send(edges.destinations.astype(dtype, copy=False)))
    edges.attributes = {name: np.concatenate(route.send(each)) for name, each in edges.attributes.items()}
    return edges


def without_repeated(group: Group, edges: EdgeList) -> EdgeList:
    """The edges, each pair of ends once."""
    edges = by_pairs(group, edges)
    with group.agreement():
        return _become(edges, GraphOptions(dedup="first").apply_to_edges(edges))


def notice_both_ways(
    group: Group, edges: EdgeList, names: NumberedNames | None, place: str, what: str, first: int
) -> EdgeList:
    """Report edges of an undirected file that are listed both ways; the edges, as `by_pairs` has sent them."""
    if edges.directed:
        return edges
    edges = by_pairs(group, edges)
    with group.agreement():
        both = pairs_both_ways(edges)
    counts = group.gather(len(both))
    if sum(counts):
        smallest = min(each for each in group.gather(int(both[0]) if len(both) else None) if each is not None)
        low, high = (_called(group, names, vertex, first) for vertex in divmod(smallest, max(edges.num_vertices, 1)))
        notice_pairs(sum(counts), low, high, place, what)
    return edges


def _called(group: Group, names: NumberedNames | None, vertex: int, first: int) -> object:
    """What a notice calls a vertex."""
    if names is None:
        return vertex + first
    here = np.flatnonzero(names.ids == vertex)
    return group.first(printable(str(names.values[here[0]])) if len(here) else None)


def changed(
    group: Group, edges: EdgeList, names: NumberedNames | None, options: GraphOptions
) -> tuple[EdgeList, NumberedNames | None]:
    """The edges and names with these options. Changes `edges`, to save memory. Raises GdslError E0712."""
    if options.weights is not None:
        edges.attributes = {name: values for name, values in edges.attributes.items() if name != "weight"}
    if options.undirected or options.dedup is not None or options.reverse_arcs:
        edges = by_pairs(group, edges)
    with group.agreement():
        edges = _become(edges, replace(options, compact=False, weights=None).apply_to_edges(edges))
    if options.dedup == "sum":
        edges.attributes = {
            name: of.astype(np.result_type(*group.gather(of.dtype)), copy=False)
            for name, of in edges.attributes.items()
        }
    if options.compact:
        edges, names = _compact(group, edges, names)
    with group.agreement():
        return _become(edges, GraphOptions(weights=options.weights).apply_to_edges(edges)), names


def _become(edges: EdgeList, other: EdgeList) -> EdgeList:
    """`edges`, with the contents of `other`: whoever holds the object keeps no arrays alive that are not needed."""
    for each in fields(edges):
        setattr(edges, each.name, getattr(other, each.name))
    return edges


def _compact(group: Group, edges: EdgeList, names: NumberedNames | None) -> tuple[EdgeList, NumberedNames | None]:
    """The edges without the vertices that have none; these keep their ids as names, or the names that they have."""
    used = np.unique(np.concatenate([edges.sources, edges.destinations]))
    ids, numbered = number_by_value(group, used)
    count = numbered.count
    if count == edges.num_vertices:
        return edges, names
    sources, destinations = (
        ids[np.searchsorted(used, ends)].astype(id_dtype(count)) for ends in (edges.sources, edges.destinations)
    )
    vertex_attributes = edges.vertex_attributes
    if vertex_attributes:
        all_used = np.unique(np.concatenate(group.gather(used)))
        vertex_attributes = {name: values[all_used] for name, values in vertex_attributes.items()}
    changed = replace(
        edges, sources=sources, destinations=destinations, num_vertices=count, vertex_attributes=vertex_attributes
    )
    return _become(edges, changed), numbered if names is None else _renumbered(group, names, numbered)


def _renumbered(group: Group, names: NumberedNames, numbered: NumberedNames) -> NumberedNames:
    """The names of the vertices of `numbered`, whose values are the old ids, for their new ids."""
    old = numbered.values.astype(np.int64)
    to_here, to_there = Route(group, names.ids % group.size), Route(group, old % group.size)
    ids, values = (np.concatenate(to_here.send(each)) for each in (names.ids, names.values))
    order = np.argsort(ids)
    asked = to_there.send(old)
    answers = [values[order][np.searchsorted(ids[order], part)] for part in asked]
    return NumberedNames(numbered.ids, objects(to_there.answer(answers)), numbered.count)


def each_once(group: Group, edges: EdgeList, what: str, fix: str, first: int = 0) -> EdgeList:
    """The undirected edges that are listed both ways, each once. Raises E0704 as `undirected_csr` does."""
    edges = by_pairs(group, edges)
    asymmetries = group.gather(_asymmetries(edges))
    for kind in range(2):  # entries that are missing come before weights that differ
        places = [each[kind] for each in asymmetries if each[kind] is not None]
        if places:
            source, destination = divmod(min(place for place in places if place is not None), edges.num_vertices)
            source, destination = source + first, destination + first
            message = f"{what} is not symmetric: ({source}, {destination}) and ({destination}, {source}) differ"
            raise group.agreed(GdslError.single("E0704", message, fix=fix))
    once = edges.sources <= edges.destinations
    values = {name: each[once] for name, each in edges.attributes.items()}
    return replace(
        edges, sources=edges.sources[once], destinations=edges.destinations[once], directed=False, attributes=values
    )


def _asymmetries(edges: EdgeList) -> tuple[int | None, int | None]:
    """The lowest pair u→v, `packed`, of which there are more than of v→u; and that where the weights of the k-th of
    both differ."""
    forward = packed(edges.sources, edges.destinations, edges.num_vertices)
    backward = packed(edges.destinations, edges.sources, edges.num_vertices)
    order, opposites = np.argsort(forward, kind="stable"), np.argsort(backward, kind="stable")
    if not np.array_equal(forward[order], backward[opposites]):
        pairs, counts = np.unique(forward, return_counts=True)
        others, other_counts = np.unique(backward, return_counts=True)
        places = np.minimum(np.searchsorted(others, pairs), len(others) - 1)
        more = counts > np.where(others[places] == pairs, other_counts[places], 0)
        return int(pairs[np.argmax(more)]), None
    if "weight" not in edges.attributes:
        return None, None
    one, other = (edges.attributes["weight"][each] for each in (order, opposites))
    differs = (one != other) & ~((one != one) & (other != other))
    return None, int(forward[order][np.argmax(differs)]) if differs.any() else None
