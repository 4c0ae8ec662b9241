"""Changes to a graph while it is built: both directions, no parallel edges or loops, random weights, reverse arcs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.arguments import flag
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.generators import endpoint_weights
from gdsl.graph.ordering import order_of
from gdsl.graph.vertices import Names, id_dtype, packed
from gdsl.numerals import whole_number


def with_reverse_arcs(edges: EdgeList) -> EdgeList:
    """`edges`, and after them an arc v→u with zeros as its values for each arc u→v that has no opposite.

    Of parallel arcs, the k-th that leads back is the opposite of the k-th.
    """
    if not edges.directed:
        return edges
    count = edges.num_vertices
    arcs = packed(edges.sources, edges.destinations, count)
    kinds, first, numbers = np.unique(arcs, return_index=True, return_counts=True)
    opposites = packed(edges.destinations[first], edges.sources[first], count)
    places = np.minimum(np.searchsorted(kinds, opposites), max(len(kinds) - 1, 0))
    num_opposites = np.where(kinds[places] == opposites, numbers[places], 0) if len(kinds) else numbers
    missing = np.repeat(first, np.maximum(numbers - num_opposites, 0))
    values = {name: np.concatenate([of, np.zeros(len(missing), of.dtype)]) for name, of in edges.attributes.items()}
    sources = np.concatenate([edges.sources, edges.destinations[missing]])
    destinations = np.concatenate([edges.destinations, edges.sources[missing]])
    return replace(edges, sources=sources, destinations=destinations, attributes=values)


LARGEST_RANDOM_WEIGHT = 64
_DEDUP = ("first", "sum", "min", "max")
_RANDOM = re.compile(r"random:([0-9]+)(?::([0-9]+))?")


class _MadeOfEdges(Protocol):
    """The part of `Graph` that this lower module needs."""

    def _edge_list(self) -> EdgeList: ...

    @classmethod
    def _from_edge_list(cls: type[MadeOfEdges], edges: EdgeList) -> MadeOfEdges: ...


MadeOfEdges = TypeVar("MadeOfEdges", bound=_MadeOfEdges)


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Changes to a graph before it is built.

    undirected: every arc becomes an undirected edge; an arc and its opposite with the same attributes become one.
    weights: `random:SEED` or `random:SEED:LARGEST`, weights from 1 to 64 (LARGEST) by a hash of the two ends, the same
        in both directions and on every machine; they replace the weights that there were. They are int32, or int64
        where the length of a path might not fit that.
    loops: False leaves self-loops out.
    dedup: `first`, `sum`, `min` or `max`: parallel edges become one, at the place of the first, with what the first one
        has, the sum of every attribute, or what the one with the smallest or largest weight has (NaN never wins). In an
        undirected graph all edges between two ends are parallel, whichever way they were given (so `undirected` with
        `sum` is A + Aᵀ).
    compact: vertices without an edge are left out; the others keep their order, and their ids as names.
    reverse_arcs: for each arc that has no opposite there is one with zeros as its values, as `max_flow` needs of a
        network of one-way arcs.
    Raises GdslError E0712 for any other words.
    """

    undirected: bool = False
    weights: str | None = None
    dedup: str | None = None
    loops: bool = True
    compact: bool = False
    reverse_arcs: bool = False

    def __post_init__(self) -> None:
        if self.dedup is not None and not (isinstance(self.dedup, str) and self.dedup in _DEDUP):
            _refuse(f"dedup is {shown(self.dedup)}", f"dedup is one of {', '.join(_DEDUP)}")
        if self.weights is not None:
            self.random_weights()
        if self.undirected and self.reverse_arcs:
            _refuse("undirected and reverse_arcs both add the opposites of arcs", "leave out one of them")

    @property
    def changes_nothing(self) -> bool:
        """Whether these are the defaults."""
        return self == GraphOptions()

    def random_weights(self) -> tuple[int, int]:
        """(seed, largest) of `weights`."""
        match = _RANDOM.fullmatch(self.weights) if isinstance(self.weights, str) else None
        if match is None:
            _refuse(
                f"weights is {shown(self.weights)}", "weights is random:SEED or random:SEED:LARGEST, such as random:1"
            )
        seed, largest = whole_number(match[1]), whole_number(match[2] or str(LARGEST_RANDOM_WEIGHT))
        if seed >= 2**64 or not 1 <= largest < 2**31:
            _refuse(
                f"weights is {shown(self.weights)}", "the seed is below 2^64, the largest weight from 1 to 2^31 - 1"
            )
        return seed, largest

    def apply_to_edges(self, edges: EdgeList) -> EdgeList:
        """`edges` with these changes."""
        if self.weights is not None:
            edges = _with_attributes(
                edges, {name: values for name, values in edges.attributes.items() if name != "weight"}
            )
        if not self.loops:
            edges = _select(edges, edges.sources != edges.destinations)
        if self.undirected:
            edges = _undirected(edges, paired=self.dedup is None)
        if self.dedup is not None:
            edges = _without_parallels(edges, self.dedup)
        if self.reverse_arcs:
            edges = with_reverse_arcs(edges)
        if self.compact:
            edges = _compact(edges)
        if self.weights is not None:
            seed, largest = self.random_weights()
            weights: NDArray[Any] = endpoint_weights(edges.sources, edges.destinations, seed, largest)
            if largest * edges.num_vertices >= 2**31:
                weights = weights.astype(np.int64)
            edges = _with_attributes(edges, {**edges.attributes, "weight": weights})
        return edges

    def apply(self, graph: MadeOfEdges) -> MadeOfEdges:
        """The graph of `graph`'s edges with these changes; of two parallel ones the first is the one with the lower
        id."""
        return graph if self.changes_nothing else graph._from_edge_list(self.apply_to_edges(graph._edge_list()))


def options_of(
    undirected: object, weights: Any, dedup: Any, loops: object, compact: object, reverse_arcs: object
) -> GraphOptions:
    """The options of a caller's arguments. Raises TypeError, GdslError E0712."""
    keep_loops, is_compact = flag("loops", loops), flag("compact", compact)
    is_undirected = flag("undirected", undirected)
    return GraphOptions(is_undirected, weights, dedup, keep_loops, is_compact, flag("reverse_arcs", reverse_arcs))


def _refuse(message: str, fix: str) -> NoReturn:
    raise GdslError.single("E0712", message, fix=fix)


def _with_attributes(edges: EdgeList, attributes: dict[str, NDArray[Any]]) -> EdgeList:
    return replace(edges, attributes=attributes)


def _select(edges: EdgeList, keep: Any, directed: bool | None = None) -> EdgeList:
    """The edges that a mask or a list of places selects."""
    return replace(
        edges,
        sources=edges.sources[keep],
        destinations=edges.destinations[keep],
        directed=edges.directed if directed is None else directed,
        attributes={name: values[keep] for name, values in edges.attributes.items()},
    )


def _undirected(edges: EdgeList, paired: bool) -> EdgeList:
    """Each arc as an undirected edge; paired: the k-th u→v and the k-th v→u with the same attributes become one."""
    if not edges.directed:
        return edges
    if not paired:
        return _select(edges, slice(None), directed=False)
    backward = edges.sources > edges.destinations
    digits = [backward, *(_bits(values) for values in edges.attributes.values()), _end_pairs(edges)]
    order, starts = _groups(digits)
    keep = np.ones(len(order), dtype=bool)
    # Groups are of one direction each; a group of forward arcs comes right before its opposites.
    sizes = np.diff(starts, append=len(order))
    first = order[starts]
    is_backward = backward[first]
    follows = np.zeros(len(starts), dtype=bool)
    same = np.ones(max(len(starts) - 1, 0), dtype=bool)
    for digit in digits[1:]:
        values = digit[first]
        same &= values[1:] == values[:-1]
    follows[1:] = same & is_backward[1:] & ~is_backward[:-1]
    matched = np.zeros(len(starts), dtype=np.int64)
    matched[1:] = sizes[:-1]
    matched *= follows
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    keep[order] = rank >= np.repeat(matched, sizes)
    return _select(edges, keep, directed=False)


def _without_parallels(edges: EdgeList, rule: str) -> EdgeList:
    """One edge of each set of parallel ones, at the place of the first; `min` and `max` take the chosen one's
    attributes."""
    leading, other = edges.sources, edges.destinations
    if not edges.directed:
        leading, other = np.minimum(leading, other), np.maximum(leading, other)
    order, starts = order_of(leading, other, edges.num_vertices)
    if len(starts) == len(order):
        return edges
    first = order[starts]
    attributes: dict[str, NDArray[Any]]
    if rule == "sum":
        attributes = {name: _sums(name, values[order], starts) for name, values in edges.attributes.items()}
    else:
        chosen = first
        if rule in ("min", "max") and "weight" in edges.attributes:
            chosen = _extreme(edges.attributes["weight"], order, starts, rule == "max")
        attributes = {name: values[chosen] for name, values in edges.attributes.items()}
    by_place = np.argsort(first)
    kept_edges = _select(_with_attributes(edges, {}), first[by_place])
    return _with_attributes(kept_edges, {name: values[by_place] for name, values in attributes.items()})


def _extreme(weights: NDArray[Any], order: NDArray[Any], starts: NDArray[Any], largest: bool) -> NDArray[Any]:
    """The place of the smallest (largest) weight of each group, the first of equals; NaN only if all are NaN."""
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    ordered = weights[order]
    if largest:  # -x of a float keeps NaN last; ~x reverses the order of integers and booleans, and never overflows
        ordered = -ordered if ordered.dtype.kind == "f" else ~ordered
    # lexsort is stable and puts NaN last.
    chosen: NDArray[Any] = order[np.lexsort((ordered, group))[starts]]
    return chosen


def _compact(edges: EdgeList) -> EdgeList:
    """`edges` without the vertices that have no edge."""
    used = np.zeros(edges.num_vertices, dtype=bool)
    used[edges.sources] = True
    used[edges.destinations] = True
    if used.all():
        return edges
    used_ids = np.flatnonzero(used)
    ids = np.cumsum(used) - 1
    dtype = id_dtype(len(used_ids))
    return replace(
        edges,
        sources=ids[edges.sources].astype(dtype),
        destinations=ids[edges.destinations].astype(dtype),
        num_vertices=len(used_ids),
        vertex_attributes={name: values[used_ids] for name, values in edges.vertex_attributes.items()},
        names=Names(
            used_ids.tolist() if edges.names is None else [edges.names[vertex] for vertex in used_ids.tolist()]
        ),
    )


def _sums(name: str, values: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "b":
        return np.logical_or.reduceat(values, starts)
    if values.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            of_floats: NDArray[Any] = np.add.reduceat(values, starts, dtype=np.float64).astype(values.dtype)
        if (np.isinf(of_floats) & ~np.logical_or.reduceat(np.isinf(values), starts)).any():
            _refuse(f"the sum of `{name}` over parallel edges does not fit {values.dtype}", "dedup min or first")
        return of_floats
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    sums = np.add.reduceat(values, starts, dtype=wide)
    approximate_sums = np.add.reduceat(values, starts, dtype=np.float64)
    if len(approximate_sums) and np.abs(approximate_sums - sums.astype(np.float64)).max() > 2.0**62:
        _refuse(f"the sum of `{name}` over parallel edges does not fit {np.dtype(wide)}", "dedup min or first")
    narrow = np.iinfo(values.dtype)
    fits = not len(sums) or (sums.min() >= narrow.min and sums.max() <= narrow.max)
    return sums.astype(values.dtype) if fits else sums


def _end_pairs(edges: EdgeList) -> NDArray[np.int64]:
    """The two ends of each edge, the lower first, in one number."""
    low, high = np.minimum(edges.sources, edges.destinations), np.maximum(edges.sources, edges.destinations)
    return packed(low, high, edges.num_vertices)


def _groups(digits: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """(order, starts): a stable order in which equal rows of `digits` (the last one leads) are adjacent."""
    order = np.lexsort(digits)
    different = np.zeros(len(order), dtype=bool)
    different[:1] = True
    for digit in digits:
        ordered = digit[order]
        different[1:] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(different)


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    """Floats as the integers of their bits, so that NaN equals itself."""
    return values.view(f"i{values.dtype.itemsize}") if values.dtype.kind == "f" else values
