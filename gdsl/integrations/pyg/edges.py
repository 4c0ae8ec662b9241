"""What a sampler is given: a `Data`, a `HeteroData` or stores of PyTorch Geometric, or a graph of gdsl, as edges by
type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData

from gdsl.graph import Graph
from gdsl.integrations.pyg.lists import Ends, Ids, Pointers, ids_of

ONE = "node"
"""The type of all nodes of a graph without types."""
ONE_TO_ONE = (ONE, "edge", ONE)


@dataclass(frozen=True)
class Edges:
    """The edges of one type: source, target, the ends of each edge among the nodes of their types, [E]; of_edges:
    attributes by name, tensors."""

    source: Ends
    target: Ends
    of_edges: Mapping[str, Any]

    def weights(self, name: str) -> Any:
        """The weight of each edge, [E]. Raises ValueError."""
        values = self.of_edges[name].detach().cpu()
        if values.dtype in (torch.float16, torch.bfloat16):
            values = values.to(torch.float32)
        if values.dim() > 1 and values.numel() == len(self.source):
            values = values.reshape(-1)
        if values.dim() != 1 or values.is_complex():
            raise ValueError(f"{name} must have one real number for each edge")
        return values.numpy()

    def check_weights(self, weight: Any, name: str) -> None:
        """Raise ValueError for weights, [E], that are negative or not finite."""
        invalid = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
        if len(invalid):
            first = invalid[0]
            source, target = ids_of(self.source)[first], ids_of(self.target)[first]
            of_edge = f"{name} of edge {first}, from {source} to {target},"
            raise ValueError(f"weights are finite and not negative; {of_edge} is {weight[first]}")


@dataclass(frozen=True)
class TypedGraph:
    """sizes: the number of nodes by type. of_nodes: their attributes by name, by type. edges: by type, a triple.
    of_either: attributes of a graph with as many nodes as edges, whose values may belong to either."""

    sizes: Mapping[str, int]
    of_nodes: Mapping[str, Mapping[str, Any]]
    edges: Mapping[tuple[str, str, str], Edges]
    has_types: bool
    of_either: frozenset[str] = frozenset()

    def times(self, name: str) -> tuple[dict[str, Ids], dict[tuple[str, str, str], Ids]]:
        """The time of each node by type, and of each edge by type: one of them is empty. Raises ValueError."""
        nodes = {kind: _times(name, values[name]) for kind, values in self.of_nodes.items() if name in values}
        edges = {kind: _times(name, own.of_edges[name]) for kind, own in self.edges.items() if name in own.of_edges}
        if name in self.of_either:  # as PyTorch Geometric decides it
            nodes, edges = ({}, edges) if "edge" in name else (nodes, {})
        if nodes and edges:
            raise ValueError(f"time_attr={name!r} is an attribute of both nodes and edges")
        if not nodes and not edges:
            raise ValueError(f"time_attr={name!r} is an attribute of neither nodes nor edges")
        return nodes, edges


def typed_graph(data: object) -> TypedGraph:
    """The edges of `data`. Raises TypeError for anything that is not a graph, ValueError for a graph whose edges are
    not an `edge_index` of its nodes."""
    if isinstance(data, Graph):
        source, target = data.edges
        of_nodes = {name: torch.from_numpy(np.array(values)) for name, values in data.vertex_attributes.items()}
        of_edges = {name: torch.from_numpy(np.array(values)) for name, values in data.attributes.items()}
        edges = Edges(source.astype(np.int64), target.astype(np.int64), of_edges)
        return TypedGraph({ONE: data.num_vertices}, {ONE: of_nodes}, {ONE_TO_ONE: edges}, False)
    if isinstance(data, HeteroData):
        sizes = {kind: int(data[kind].num_nodes or 0) for kind in data.node_types}
        of_nodes = {kind: _tensors(data[kind], data[kind].is_node_attr) for kind in data.node_types}
        edges_by_type = {kind: _edges(data[kind]) for kind in data.edge_types}
        for (source_kind, _, target_kind), edges in edges_by_type.items():
            check_ends(edges.source, sizes[source_kind], source_kind)
            check_ends(edges.target, sizes[target_kind], target_kind)
        return TypedGraph(sizes, of_nodes, edges_by_type, True)
    if not isinstance(data, Data):
        raise TypeError(
            "gdsl.pyg.Sampler takes a Data, a HeteroData, a gdsl.Graph, or a tuple (feature store, graph store), "
            f"not {type(data).__name__}"
        )
    own, of_nodes = _edges(data), _tensors(data, data.is_node_attr)
    of_either: dict[str, Any] = {}
    if data.num_nodes == data.num_edges:
        of_either = {**of_nodes, **own.of_edges}
    own, of_nodes = replace(own, of_edges={**own.of_edges, **of_either}), {**of_nodes, **of_either}
    sizes = {ONE: int(data.num_nodes or 0)}
    return TypedGraph(sizes, {ONE: of_nodes}, {ONE_TO_ONE: own}, False, frozenset(of_either))


def _edges(store: Any) -> Edges:
    index = store.edge_index if "edge_index" in store else None
    if index is None and "adj_t" in store:
        raise ValueError("gdsl.pyg.Sampler takes the edges from edge_index, and this graph has only adj_t")
    index = torch.empty((2, 0), dtype=torch.long) if index is None else index
    source, target = np.array(index.as_subclass(torch.Tensor).cpu().numpy(), np.int64)
    return Edges(source, target, _tensors(store, store.is_edge_attr))


def _tensors(store: Any, belongs: Any) -> dict[str, Any]:
    names = [name for name in store.keys() if isinstance(store[name], torch.Tensor) and name != "edge_index"]  # noqa: SIM118
    return {name: store[name] for name in names if belongs(name)}


def check_ends(ends: Ends, size: int, kind: str) -> None:
    """Raise ValueError for ends that are not nodes of this type. Grouped ends are."""
    if not isinstance(ends, Pointers) and len(ends) and not (ends.min() >= 0 and ends.max() < size):
        of_type = "" if kind == ONE else f" of type {kind!r}"
        raise ValueError(f"edges lead to nodes {ends.min()} to {ends.max()}{of_type}, of which there are {size}")


def _times(name: str, values: Any) -> Ids:
    if values.dim() != 1 or values.is_floating_point() or values.is_complex():
        raise ValueError(f"{name} must have one integer for each node or edge")
    times: Ids = values.cpu().numpy().astype(np.int64)
    return times
