"""The edges and attributes of what a sampler is given: a `Data` of PyTorch Geometric, or a graph of gdsl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData

from gdsl.graph import Graph
from gdsl.integrations.pyg.lists import Ids


@dataclass(frozen=True)
class Edges:
    """source, target: the ends of each edge, int64[E]. of_nodes, of_edges: attributes by name, tensors."""

    source: Ids
    target: Ids
    num_nodes: int
    of_nodes: Mapping[str, Any]
    of_edges: Mapping[str, Any]

    def times(self, name: str, far: Ids) -> tuple[Ids, Ids | None]:
        """The time of each edge, int64[E], and that of each node if it is the nodes that have it: then an edge has the
        time of its end `far`. Raises ValueError."""
        of_nodes = name in self.of_nodes
        if not of_nodes and name not in self.of_edges:
            raise ValueError(f"time_attr={name!r} is an attribute of neither nodes nor edges")
        values = (self.of_nodes if of_nodes else self.of_edges)[name]
        if values.dim() != 1 or values.is_floating_point() or values.is_complex():
            raise ValueError(f"{name} must have one integer for each {'node' if of_nodes else 'edge'}")
        times = values.cpu().numpy().astype(np.int64)
        return (times[far], times) if of_nodes else (times, None)

    def weights(self, name: str) -> Any:
        """The weight of each edge, [E]. Raises ValueError."""
        if name not in self.of_edges:
            raise ValueError(f"weight_attr={name!r} is not an attribute of edges")
        values = self.of_edges[name].detach().cpu()
        if values.dtype in (torch.float16, torch.bfloat16):
            values = values.to(torch.float32)
        if values.dim() > 1 and values.numel() == len(self.source):
            values = values.reshape(-1)
        if values.dim() != 1:
            raise ValueError(f"{name} must have one number for each edge")
        return values.numpy()


def edges_of(data: object) -> Edges:
    """The edges of `data`. Raises NotImplementedError for heterogeneous graphs and remote ones, TypeError for anything
    else that is not a graph, ValueError for a graph whose edges are not an `edge_index`."""
    if isinstance(data, Graph):
        source, target = data.edges
        of_nodes = {name: torch.from_numpy(np.array(values)) for name, values in data.vertex_attributes.items()}
        of_edges = {name: torch.from_numpy(np.array(values)) for name, values in data.attributes.items()}
        return Edges(source.astype(np.int64), target.astype(np.int64), data.num_vertices, of_nodes, of_edges)
    if isinstance(data, (HeteroData, tuple)):
        kind = "a heterogeneous graph" if isinstance(data, HeteroData) else "a feature store and a graph store"
        raise NotImplementedError(
            f"gdsl.pyg.Sampler takes one graph as a Data, and not {kind}; Data.to_homogeneous helps"
        )
    if not isinstance(data, Data):
        raise TypeError(
            f"gdsl.pyg.Sampler takes a Data of PyTorch Geometric or a gdsl.Graph, and not {type(data).__name__}"
        )
    if data.edge_index is None and "adj_t" in data:
        raise ValueError("gdsl.pyg.Sampler takes the edges from data.edge_index, and this graph has only adj_t")
    index = torch.empty((2, 0), dtype=torch.long) if data.edge_index is None else data.edge_index
    source, target = np.array(index.as_subclass(torch.Tensor).cpu().numpy(), np.int64)
    names = [name for name in data.keys() if isinstance(data[name], torch.Tensor) and name != "edge_index"]  # noqa: SIM118
    of_nodes = {name: data[name] for name in names if data.is_node_attr(name)}
    of_edges = {name: data[name] for name in names if data.is_edge_attr(name)}
    return Edges(source, target, int(data.num_nodes or 0), of_nodes, of_edges)
