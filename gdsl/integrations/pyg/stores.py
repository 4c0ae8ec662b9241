"""The graph in a `FeatureStore` and a `GraphStore` of PyTorch Geometric, which keep graphs elsewhere than in `Data`.

Edges are read once, in the layout that is nearest to what samples need; attributes are read only if they are used.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any

import numpy as np
import torch
from torch_geometric.data import FeatureStore, GraphStore

from gdsl.integrations.pyg.edges import ONE, ONE_TO_ONE, Edges, TypedGraph, check_ends
from gdsl.integrations.pyg.lists import Ends, Ids, Pointers, ids_of

_LAYOUTS = {"forward": ("csc", "coo", "csr"), "backward": ("csr", "coo", "csc")}
"""The lists of edges to a node are a CSC, those of edges from it a CSR. PyTorch Geometric reads them in this order, so
edges have the same numbers."""


def graph_of_stores(stores: tuple[Any, ...], direction: str) -> TypedGraph:
    """The graph in (feature store, graph store), for samples in this direction.

    Raises TypeError for anything but two such stores, ValueError for edges that are missing or invalid, or whose nodes
    cannot be counted.
    """
    if len(stores) != 2 or not (isinstance(stores[0], FeatureStore) and isinstance(stores[1], GraphStore)):
        given = ", ".join(type(store).__name__ for store in stores)
        raise TypeError(f"gdsl.pyg.Sampler takes stores as (feature store, graph store), not ({given})")
    features, graph = stores
    read = {kind: _StoredEdges(graph, attrs, direction) for kind, attrs in _edge_types(graph).items()}
    if None not in read:
        return _with_types(features, read)
    return _with_one_type(features, read[None])


def _edge_types(graph: GraphStore) -> dict[Any, list[Any]]:
    """What the store says about its edges, by type. Raises ValueError."""
    kinds = defaultdict(list)
    for attr in graph.get_all_edge_attrs():
        kinds[attr.edge_type].append(attr)
    if not kinds:
        raise ValueError("the graph store has no edge index of any type")
    if None in kinds and len(kinds) > 1:
        raise ValueError("the graph store has edges with a type and edges without one")
    for kind in kinds.keys() - {None}:
        if not (isinstance(kind, tuple) and len(kind) == 3 and all(isinstance(name, str) for name in kind)):
            raise ValueError(f"edge types of a graph store are triples of names, not {kind!r}")
    return kinds


class _StoredEdges:
    """The edges of one type: the ends of each, and what is known about the number of nodes there (by end)."""

    def __init__(self, graph: GraphStore, attrs: list[Any], direction: str) -> None:
        order = _LAYOUTS[direction]
        first, *others = sorted(attrs, key=lambda attr: order.index(attr.layout.value))
        self.words = "" if first.edge_type is None else f" of type {first.edge_type!r}"
        self.source, self.target = self._ends(graph, first)
        sizes = [_size(attr.size, self.words) for attr in attrs]  # some stores learn it when they are read
        self.declared = [{count for size in sizes if (count := size[end]) is not None} for end in range(2)]
        self._others = [attr for attr in others if attr.layout is not first.layout]
        self._graph = graph

    def __len__(self) -> int:
        return len(self.source)

    def check_order(self, name: str) -> None:
        """Raise ValueError if edges have different orders in several layouts: those of `name` have one of them."""
        for attr in self._others:
            for ours, other in zip((self.source, self.target), self._ends(self._graph, attr), strict=True):
                if not np.array_equal(ids_of(ours), ids_of(other)):
                    raise ValueError(
                        f"the graph store has edges{self.words} in several layouts that order them differently, so the "
                        f"edges that the values of {name!r} belong to are unknown; remove one of the layouts"
                    )

    def pointed(self, end: int) -> int | None:
        """How many nodes there are by the pointers of a CSC or CSR; None if this end has none."""
        ends = (self.source, self.target)[end]
        return len(ends.offsets) - 1 if isinstance(ends, Pointers) else None

    def edges(self, sizes: tuple[int, int], names: tuple[str, str], of_edges: Mapping[str, Any]) -> Edges:
        """Edges between so many nodes of types with these names. Raises ValueError if they lead elsewhere."""
        for end, (ends, size) in enumerate(zip((self.source, self.target), sizes, strict=True)):
            if (self.pointed(end) or 0) > size:
                raise ValueError(f"the edges{self.words} have pointers for {self.pointed(end)} nodes, and size {size}")
            check_ends(ends, size, names[end])
        return Edges(self.source, self.target, of_edges)

    def _ends(self, graph: GraphStore, attr: Any) -> tuple[Ends, Ends]:
        layout = attr.layout.value
        what = f"the {layout.upper()} of edges{self.words}"
        try:
            parts = graph.get_edge_index(attr)
        except KeyError as error:
            raise ValueError(f"{what} is listed in the graph store, which does not have it") from error
        if len(parts) != 2:
            raise ValueError(f"{what} has {len(parts)} tensors, not 2")
        first, second = (_ids(part, what) for part in parts)
        if layout == "coo":
            if len(first) != len(second):
                raise ValueError(f"{what} has {len(first)} sources and {len(second)} targets")
            return first, second
        return (first, _pointers(second, first, what)) if layout == "csc" else (_pointers(first, second, what), second)


def _size(size: Any, words: str) -> tuple[int | None, int | None]:
    """What a store says about the numbers of sources and targets. Raises ValueError."""
    if size is None:
        return None, None
    try:
        source, target = (None if count is None else operator.index(count) for count in size)
    except (TypeError, ValueError):
        source = target = -1
    if min(source or 0, target or 0) < 0:
        raise ValueError(f"the size of the edges{words} is two numbers of nodes, not {size!r}")
    return source, target


def _ids(values: Any, what: str) -> Ids:
    """An end of edges, or pointers, without a copy if they are on the host. Raises ValueError."""
    if isinstance(values, torch.Tensor):
        values = values.detach().as_subclass(torch.Tensor).cpu().numpy()
    ids: Ids = np.asarray(values)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(f"{what} has {ids.dtype} with {ids.ndim} dimensions, not integers with one")
    return ids


def _pointers(offsets: Ids, others: Ids, what: str) -> Pointers:
    offsets = offsets.astype(np.int64, copy=False)
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(others) or (np.diff(offsets) < 0).any():
        raise ValueError(f"{what} has pointers that do not ascend from 0 to its number of edges, {len(others)}")
    return Pointers(offsets)


class _StoredTensors(Mapping[str, Any]):
    """Attributes in a feature store by name, of `count` nodes or edges, read when they are used.

    attrs: those that may be meant. belongs: whether one of them is. check: called with a name before it is read.
    """

    def __init__(
        self,
        features: FeatureStore,
        attrs: list[Any],
        belongs: Callable[[Any], bool],
        count: int,
        what: str,
        check: Callable[[str], None] | None = None,
    ) -> None:
        self._features, self._count, self._what, self._check = features, count, what, check
        self._attrs: dict[str, list[Any]] = defaultdict(list)
        for attr in attrs:
            self._attrs[attr.attr_name].append(attr)
        self._belongs = belongs

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._attrs if name in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(map(self._belongs, self._attrs.get(name, ())))

    def __getitem__(self, name: str) -> Any:
        attrs = [attr for attr in self._attrs.get(name, ()) if self._belongs(attr)]
        if not attrs:
            raise KeyError(name)
        if len(attrs) > 1:
            groups = " and ".join(repr(attr.group_name) for attr in attrs)
            raise ValueError(f"the feature store has {name!r} in several groups, {groups}")
        if self._check is not None:
            self._check(name)
        attr = copy(attrs[0])
        attr.index = None
        values = self._features.get_tensor(attr)
        if isinstance(values, np.ndarray) and values.dtype.kind in "biufc":
            values = torch.from_numpy(values)
        if not isinstance(values, torch.Tensor) or not values.dim() or values.layout is not torch.strided:
            raise ValueError(
                f"the feature store has {name!r} as {type(values).__name__}, not as a dense tensor with rows"
            )
        if len(values) != self._count:
            raise ValueError(f"the feature store has {len(values)} values of {name!r} for {self._count} {self._what}")
        return values


def _with_one_type(features: FeatureStore, stored: _StoredEdges) -> TypedGraph:
    """A graph without types. Groups of the feature store mean nothing unless they are tuples, which are of edges."""
    attrs, num_edges = features.get_all_tensor_attrs(), len(stored)
    of_either = [attr for attr in attrs if not isinstance(attr.group_name, tuple)]
    size = _size_of_all(features, of_either, stored)

    def of_edges(attr: Any) -> bool:
        return isinstance(attr.group_name, tuple) or size == num_edges or _rows(features, attr) == num_edges

    def of_nodes(attr: Any) -> bool:
        return not isinstance(attr.group_name, tuple) and (size == num_edges or not of_edges(attr))

    node_values = _StoredTensors(features, attrs, of_nodes, size, "nodes")
    edge_values = _StoredTensors(features, attrs, of_edges, num_edges, "edges", stored.check_order)
    edges = stored.edges((size, size), (ONE, ONE), edge_values)
    names = frozenset(attr.attr_name for attr in of_either) if size == num_edges else frozenset()
    return TypedGraph({ONE: size}, {ONE: node_values}, {ONE_TO_ONE: edges}, False, names)


def _size_of_all(features: FeatureStore, attrs: list[Any], stored: _StoredEdges) -> int:
    """The number of nodes: as declared, or else the only number of rows that are not of edges, or that of pointers.

    Raises ValueError if it is unknown.
    """
    if declared := stored.declared[0] | stored.declared[1]:
        return int(max(declared))
    rows = {_rows(features, attr) for attr in attrs} - {None, len(stored)}
    pointed = [count for end in range(2) if (count := stored.pointed(end)) is not None]
    candidates = [count for count in rows if count is not None] if len(rows) == 1 else pointed
    if not candidates:
        raise ValueError(f"the number of nodes is unknown; {_GIVE_SIZE}")
    return max(candidates)


def _with_types(features: FeatureStore, read: dict[Any, _StoredEdges]) -> TypedGraph:
    attrs = features.get_all_tensor_attrs()
    groups = [attr.group_name for attr in attrs if isinstance(attr.group_name, str)]
    names = dict.fromkeys([*groups, *(name for kind in read for name in (kind[0], kind[2]))])
    sizes = {name: _size_of(name, features, attrs, read) for name in names}

    def of_group(group: Any) -> Callable[[Any], bool]:
        return lambda attr: attr.group_name == group

    of_nodes = {
        name: _StoredTensors(features, attrs, of_group(name), size, f"nodes of type {name!r}")
        for name, size in sizes.items()
    }
    edges = {}
    for kind, stored in read.items():
        what = f"edges of type {kind!r}"
        of_edges = _StoredTensors(features, attrs, of_group(kind), len(stored), what, stored.check_order)
        near, far = kind[0], kind[2]
        edges[kind] = stored.edges((sizes[near], sizes[far]), (near, far), of_edges)
    return TypedGraph(sizes, of_nodes, edges, True)


def _size_of(name: str, features: FeatureStore, attrs: list[Any], read: dict[Any, _StoredEdges]) -> int:
    """The number of nodes of this type: as declared, or else that of rows in the feature store, or of pointers.

    Raises ValueError if it is unknown, or declared differently.
    """
    ends = [(stored, end) for kind, stored in read.items() for end in range(2) if kind[2 * end] == name]
    declared = {size for stored, end in ends for size in stored.declared[end]}
    if len(declared) > 1:
        counts = " and ".join(map(str, sorted(declared)))
        raise ValueError(f"edges in the graph store have different sizes for nodes of type {name!r}: {counts}")
    rows = (_rows(features, attr) for attr in attrs if attr.group_name == name)
    pointed = (stored.pointed(end) for stored, end in ends)
    size = next((size for size in [*declared, *rows] if size is not None), None)
    size = max((count for count in pointed if count is not None), default=None) if size is None else size
    if size is None:
        raise ValueError(f"the number of nodes of type {name!r} is unknown; {_GIVE_SIZE}")
    return int(size)


_GIVE_SIZE = "give put_edge_index a size=, or put a tensor with a row for each of them into the feature store"


def _rows(features: FeatureStore, attr: Any) -> int | None:
    size = features.get_tensor_size(copy(attr))
    return int(size[0]) if size else None
