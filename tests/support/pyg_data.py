"""Small graphs of PyTorch Geometric and what tests compare of samples; import it after `pytest.importorskip`."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Data
from torch_geometric.sampler import NodeSamplerInput

import gdsl

ALICE, BOB, CAROL, DAVE = range(4)
MAPPED = torch.tensor([[0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 5], [1, 2, 3, 4, 5, 8, 6, 7, 9, 10, 6, 11]])


def sampler(data: Any, counts: list[int], **options: Any) -> Any:
    return gdsl.pyg.Sampler(data, counts, backend="cpu", **{"key": 12, **options})


def of_nodes(data: Any, counts: list[int], seeds: list[int], time: list[Any] | None = None, **options: Any) -> Any:
    times = None if time is None else torch.tensor(time)
    return sampler(data, counts, **options).sample_from_nodes(NodeSamplerInput(None, torch.tensor(seeds), times))


def team(*, reverse: bool = False, **attributes: Any) -> Data:
    """Alice works with Bob and leads Carol, who works with Dave."""
    index = torch.tensor([[ALICE, ALICE, CAROL], [BOB, CAROL, DAVE]])
    return Data(edge_index=index.flip(0) if reverse else index, num_nodes=4, **attributes)


def random_data(nodes: int, edges: int, dtype: Any = torch.int64) -> Data:
    generator = torch.Generator().manual_seed(nodes)
    index = torch.randint(nodes, (2, edges), generator=generator).to(dtype)
    return Data(x=torch.arange(nodes), edge_index=index, edge_attr=torch.arange(edges))


def lists(out: Any) -> dict[str, Any]:
    names = ("node", "row", "col", "edge", "batch")
    found = {name: None if getattr(out, name) is None else getattr(out, name).tolist() for name in names}
    return {**found, "nodes": out.num_sampled_nodes, "edges": out.num_sampled_edges}


def pairs(index: Any) -> set[tuple[int, int]]:
    return set(zip(*index.tolist(), strict=True))


def fits(batch: Any, data: Any) -> None:
    """Assert that a batch is a part of `data`."""
    assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, batch.e_id].to(torch.int64))
