"""Feature stores and graph stores of PyTorch Geometric, and graphs in them; import it after `pytest.importorskip`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data, EdgeAttr, FeatureStore, GraphStore, HeteroData, TensorAttr
from torch_geometric.sampler import NodeSamplerInput

import gdsl

LAYOUTS = ("coo", "csc", "csr")
WRITES = ("author", "writes", "paper")
CITES = ("paper", "cites", "paper")


class Features(FeatureStore):
    """Tensors in a dict; `read` has the names of those that were asked for as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: dict[Any, Any] = {}
        self.read: list[str] = []

    def _put_tensor(self, tensor: Any, attr: TensorAttr) -> bool:
        self.tensors[attr.group_name, attr.attr_name] = tensor
        return True

    def _get_tensor(self, attr: TensorAttr) -> Any:
        tensor = self.tensors[attr.group_name, attr.attr_name]
        if attr.index is None:
            self.read.append(attr.attr_name)
            return tensor
        return tensor[attr.index]

    def _remove_tensor(self, attr: TensorAttr) -> bool:
        return self.tensors.pop((attr.group_name, attr.attr_name), None) is not None

    def _get_tensor_size(self, attr: TensorAttr) -> Any:
        return tuple(self.tensors[attr.group_name, attr.attr_name].shape)

    def get_all_tensor_attrs(self) -> list[TensorAttr]:
        return [TensorAttr(*key) for key in self.tensors]


class Edges(GraphStore):
    """Edge indices by type and layout, in a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.indices: dict[Any, Any] = {}

    def _put_edge_index(self, edge_index: Any, edge_attr: EdgeAttr) -> bool:
        self.indices[edge_attr.edge_type, edge_attr.layout.value] = (edge_index, edge_attr)
        return True

    def _get_edge_index(self, edge_attr: EdgeAttr) -> Any:
        return self.indices[edge_attr.edge_type, edge_attr.layout.value][0]

    def _remove_edge_index(self, edge_attr: EdgeAttr) -> bool:
        return self.indices.pop((edge_attr.edge_type, edge_attr.layout.value), None) is not None

    def get_all_edge_attrs(self) -> list[EdgeAttr]:
        return [attr for _, attr in self.indices.values()]


def pointers(ids: Any, count: int) -> Any:
    return torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(ids, minlength=count).cumsum(0)])


def put(store: Any, kind: Any, index: Any, size: tuple[int, int], layout: str, *, sized: bool = True) -> Any:
    """Put these edges into the store; returns the place in `index` of each edge of the layout."""
    order = torch.arange(index.size(1))
    row, col = index
    if layout == "csc":
        order = torch.from_numpy(np.lexsort((row.numpy(), col.numpy())))
        parts = (row[order], pointers(col, size[1]))
    elif layout == "csr":
        order = torch.from_numpy(np.lexsort((col.numpy(), row.numpy())))
        parts = (pointers(row, size[0]), col[order])
    else:
        parts = (row, col)
    store.put_edge_index(parts, edge_type=kind, layout=layout, size=size if sized else None)
    return order


def awkward(nodes: int = 40, edges: int = 300) -> Data:
    """Self-loops, parallel edges, a hub, and some nodes without edges."""
    random = torch.Generator().manual_seed(nodes)
    index = torch.randint(max(nodes - 5, 1), (2, edges), generator=random)
    index[1, : edges // 3] = 0
    weight = torch.randint(0, 4, (edges,), generator=random).float()
    time, since = torch.arange(nodes) // 2, torch.randint(0, 9, (edges,), generator=random)
    return Data(x=torch.arange(nodes), edge_index=index, num_nodes=nodes, weight=weight, time=time, since=since)


def stores_of(data: Data, layout: str, *, group: str | None = None) -> tuple[tuple[Features, Edges], Any]:
    """The same graph in stores, and the number in `data` of each of its edges there."""
    features, graph = Features(), Edges()
    order = put(graph, None, data.edge_index, (data.num_nodes, data.num_nodes), layout)
    for name in ("x", "time"):
        features.put_tensor(data[name], group_name=group, attr_name=name, index=None)
    for name in ("weight", "since"):
        features.put_tensor(data[name][order], group_name=(None, None), attr_name=name, index=None)
    return (features, graph), order


def papers() -> HeteroData:
    random = torch.Generator().manual_seed(3)
    data = HeteroData()
    data["paper"].x = torch.arange(50)
    data["author"].x = torch.arange(50, 80)
    data["paper"].time = torch.arange(50)
    for kind, count in ((WRITES, 200), (CITES, 300), (("paper", "by", "author"), 150), (("paper", "has", "topic"), 0)):
        ends = [
            torch.randint({"paper": 50, "author": 30}.get(name, 1), (count,), generator=random) for name in kind[::2]
        ]
        data[kind].edge_index = torch.stack(ends)
        data[kind].weight = torch.rand(count, generator=random)
    data["topic"].x = torch.arange(6)
    return data


def stores_with_types(data: HeteroData, layouts: Any = LAYOUTS, *, sized: bool = True) -> Any:
    features, graph, orders = Features(), Edges(), {}
    for name in data.node_types:
        for attribute in set(data[name].keys()) & {"x", "time"}:
            features.put_tensor(data[name][attribute], group_name=name, attr_name=attribute, index=None)
    for place, kind in enumerate(data.edge_types):
        size = (data[kind[0]].num_nodes, data[kind[2]].num_nodes)
        orders[kind] = put(graph, kind, data[kind].edge_index, size, layouts[place % len(layouts)], sized=sized)
        weight = data[kind].weight[orders[kind]]
        features.put_tensor(weight, group_name=kind, attr_name="weight", index=None)
    return (features, graph), orders


def sampler(data: Any, counts: Any, **options: Any) -> Any:
    return gdsl.pyg.Sampler(data, counts, backend="cpu", **{"key": 12, **options})


def of_nodes(data: Any, counts: Any, seeds: Any, time: Any = None, kind: str | None = None, **options: Any) -> Any:
    given = NodeSamplerInput(None, torch.as_tensor(seeds), time, input_type=kind)
    return sampler(data, counts, **options).sample_from_nodes(given)
