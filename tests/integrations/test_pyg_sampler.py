"""`gdsl.pyg.Sampler` in the cases of PyTorch Geometric's own tests of its samplers and loaders.

CI does not install PyTorch, whose wheels bring gigabytes of CUDA; `CONTRIBUTING.md` says how to run these.
"""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: see CONTRIBUTING.md")
pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'gdsl[pyg]'")

from torch_geometric.data import Data  # noqa: E402
from torch_geometric.loader import (  # noqa: E402
    LinkLoader,
    LinkNeighborLoader,
    NeighborLoader,
    NodeLoader,
)
from torch_geometric.utils import is_undirected  # noqa: E402

from tests.support.pyg_data import (  # noqa: E402
    ALICE,
    BOB,
    CAROL,
    DAVE,
    MAPPED,
    fits,
    lists,
    of_nodes,
    pairs,
    random_data,
    sampler,
    team,
)

pytestmark = pytest.mark.filterwarnings("ignore:Using 'NeighborSampler' without a 'pyg-lib'")


def test_one_neighbor() -> None:
    found = lists(of_nodes(team(), [1], [BOB]))
    assert found == {"node": [1, 0], "row": [1], "col": [0], "edge": [0], "batch": None, "nodes": [1, 1], "edges": [1]}
    found = lists(of_nodes(team(), [1], [ALICE]))
    assert found == {"node": [0], "row": [], "col": [], "edge": [], "batch": None, "nodes": [1, 0], "edges": [0]}


def test_backward_is_forward_on_the_reversed_graph() -> None:
    for counts, weights in (([1], None), ([1, 1], [1.0, 0.0, 1.0]), ([1, 1], [0.0, 1.0, 1.0])):
        options = {} if weights is None else {"weight_attr": "weight"}
        attributes = {} if weights is None else {"weight": torch.tensor(weights)}
        for seed in (ALICE, CAROL):
            ours = of_nodes(team(**attributes), counts, [seed], sample_direction="backward", **options)
            theirs = of_nodes(team(reverse=True, **attributes), counts, [seed], **options)
            assert torch.equal(ours.node, theirs.node) and torch.equal(ours.edge, theirs.edge)
            assert torch.equal(ours.row, theirs.col) and torch.equal(ours.col, theirs.row)
    assert ours.node.tolist() == [CAROL, DAVE]


@pytest.mark.parametrize("attribute", ["time", "edge_time"])
def test_small_temporal_sample(attribute: str) -> None:
    data = team(time=torch.tensor([0, 1, 2, 3]), edge_time=torch.tensor([1, 2, 3]))
    assert of_nodes(data, [2, 2], [BOB], [1], time_attr=attribute).node.tolist() == [BOB, ALICE]
    late = of_nodes(data, [2, 2], [DAVE], [1], time_attr=attribute)
    assert late.node.tolist() == [DAVE] and late.num_sampled_edges == [0, 0]


@pytest.mark.parametrize("subgraph_type", ["directional", "bidirectional", "induced"])
@pytest.mark.parametrize("filter_per_worker", [None, True, False])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_node_loader(dtype: Any, filter_per_worker: bool | None, subgraph_type: str) -> None:
    data = random_data(100, 500, dtype)
    loader = NodeLoader(
        data,
        sampler(data, [5, 5], subgraph_type=subgraph_type),
        batch_size=20,
        filter_per_worker=filter_per_worker,
    )
    assert len(loader) == 5 and loader([0]).n_id[:1].tolist() == [0]
    for turn, batch in enumerate(loader):
        assert batch.n_id.size() == (batch.num_nodes,) and torch.equal(batch.x, batch.n_id)
        assert batch.input_id.numel() == batch.batch_size == 20
        assert batch.x[:20].tolist() == list(range(turn * 20, turn * 20 + 20))
        assert batch.edge_index.min() >= 0 and batch.edge_index.max() < batch.num_nodes
        if subgraph_type == "bidirectional":
            assert is_undirected(batch.edge_index)
        else:
            fits(batch, data)
            assert torch.equal(batch.edge_attr, batch.e_id)


def test_neighbor_loader_counts_by_hop() -> None:
    index = torch.tensor([[2, 3, 4, 5, 7, 7, 10, 11, 12, 13], [0, 1, 2, 3, 2, 3, 7, 7, 7, 7]])
    data = Data(edge_index=index, num_nodes=14)
    loader = NeighborLoader(data, [1, 2, 4], neighbor_sampler=sampler(data, [1, 2, 4]), batch_size=2)
    batch = next(iter(loader))
    assert batch.num_sampled_nodes == [2, 2, 3, 4] and batch.num_sampled_edges == [2, 4, 4]


def test_edges_in_batches_are_those_of_the_data() -> None:
    data = Data(edge_index=MAPPED, num_nodes=12)
    for batch in NeighborLoader(data, [1], neighbor_sampler=sampler(data, [1]), batch_size=2, shuffle=True):
        fits(batch, data)
    loader = LinkNeighborLoader(data, [1], MAPPED, neighbor_sampler=sampler(data, [1]), batch_size=2, shuffle=True)
    for batch in loader:
        fits(batch, data)


def test_weighted_loader() -> None:
    index = torch.tensor([[1, 3, 0, 4], [2, 2, 1, 3]])
    data = Data(num_nodes=5, edge_index=index, edge_weight=torch.tensor([0.0, 1.0, 0.0, 1.0]))
    weighted = sampler(data, [1, 1], weight_attr="edge_weight")
    [batch] = NodeLoader(data, weighted, input_nodes=torch.tensor([2]))
    assert batch.n_id.tolist() == [2, 3, 4]
    assert batch.n_id[batch.edge_index].tolist() == [[3, 4], [2, 3]]


@pytest.mark.parametrize("counts", [[-1, -1], [1, 1]])
def test_times_of_edges(counts: list[int]) -> None:
    index = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 4], [1, 0, 2, 1, 3, 2, 4, 3]])
    data = Data(edge_index=index, edge_time=torch.arange(8), num_nodes=5)
    temporal = sampler(data, counts, time_attr="edge_time")
    found = 0
    for batch in NodeLoader(data, temporal, input_time=torch.full((5,), 4), batch_size=1):
        assert batch.edge_time.numel() == batch.num_edges and (batch.edge_time <= 4).all()
        found += batch.num_edges
    assert found
    with pytest.raises(ValueError, match="no times of their own"):
        next(iter(NodeLoader(data, temporal)))


@pytest.mark.parametrize("subgraph_type", ["directional", "bidirectional"])
@pytest.mark.parametrize("ratio", [None, 1.0])
def test_link_loader(subgraph_type: str, ratio: float | None) -> None:
    data = random_data(50, 200)
    data = Data(edge_index=data.edge_index, x=torch.arange(100), edge_attr=data.edge_attr)
    labels = torch.cat([torch.ones(200), torch.zeros(200)])
    edges = torch.cat([data.edge_index, data.edge_index + 50], dim=1)
    loader = LinkLoader(
        data,
        sampler(data, [-1, -1], subgraph_type=subgraph_type),
        edge_label_index=edges,
        edge_label=labels if ratio is None else None,
        neg_sampling_ratio=ratio,
        batch_size=40,
        shuffle=True,
    )
    assert len(loader) == 10
    for batch in loader:
        assert torch.equal(batch.x, batch.n_id) and batch.input_id.numel() == 40
        assert batch.edge_label_index.size(1) == (40 if ratio is None else 80)
        if ratio is not None:
            assert batch.edge_label.tolist() == [1.0] * 40 + [0.0] * 40
        given = batch.n_id[batch.edge_label_index][:, :40]
        assert torch.equal(given, edges[:, batch.input_id])
        if ratio is None:
            asked = batch.edge_label_index[:, batch.edge_label == 1]
            assert pairs(asked) <= pairs(batch.edge_index), "all edges into the ends are there"
            assert not pairs(batch.edge_label_index[:, batch.edge_label == 0]) & pairs(batch.edge_index)


def test_labels_of_links_keep_their_type() -> None:
    data = random_data(30, 100)
    loader = LinkLoader(
        data, sampler(data, [-1]), edge_label=torch.ones(100, dtype=torch.long), neg_sampling_ratio=1.0, batch_size=25
    )
    for batch in loader:
        assert batch.edge_label.dtype == torch.long
        assert batch.edge_label.tolist() == [1] * 25 + [0] * 25


def test_links_with_times() -> None:
    data = Data(x=torch.randn(10, 5), edge_index=random_data(10, 123).edge_index, time=torch.arange(10))
    times = torch.max(data.time[data.edge_index[0]], data.time[data.edge_index[1]])
    loader = LinkLoader(data, sampler(data, [-1], time_attr="time"), edge_label_time=times, batch_size=1)
    for batch in loader:
        assert batch.edge_label_index.size() == (2, 1) and batch.edge_label_time.size() == (1,)
        assert (batch.time <= batch.edge_label_time).all()


def test_links_without_edges() -> None:
    links = random_data(100, 100).edge_index
    for data in (Data(num_nodes=100), Data(num_nodes=100, edge_index=torch.empty((2, 0), dtype=torch.long))):
        for counts in ([], [3]):
            for batch in LinkLoader(data, sampler(data, counts), edge_label_index=links, batch_size=20):
                assert batch.input_id.numel() == 20 and batch.edge_label_index.size(1) == 20
                assert batch.num_nodes == batch.edge_label_index.unique().numel()


@pytest.mark.parametrize(("disjoint", "temporal"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("amount", [1, 2])
def test_triplets(disjoint: bool, temporal: bool, amount: int) -> None:
    data = random_data(100, 400)
    data.edge_label_index = random_data(99, 100).edge_index
    times = None
    if temporal:
        data.time = torch.arange(100)
        times = data.time[data.edge_label_index].max(dim=0).values + 50
    loader = LinkLoader(
        data,
        sampler(data, [-1, -1], disjoint=disjoint, time_attr="time" if temporal else None),
        edge_label_index=data.edge_label_index,
        edge_label_time=times,
        neg_sampling={"mode": "triplet", "amount": amount},
        batch_size=20,
        shuffle=True,
    )
    for batch in loader:
        assert torch.equal(batch.x[batch.src_index], data.edge_label_index[0, batch.input_id])
        assert torch.equal(batch.x[batch.dst_pos_index], data.edge_label_index[1, batch.input_id])
        assert batch.dst_neg_index.size() == ((20,) if amount == 1 else (20, amount))
        assert batch.dst_neg_index.min() >= 0 and batch.dst_neg_index.max() < batch.num_nodes
        if disjoint:
            assert sorted(batch.src_index.tolist()) == list(range(20))
            assert batch.dst_pos_index.min() == 20 and batch.dst_pos_index.max() == 39
            assert batch.dst_neg_index.min() == 40 and batch.dst_neg_index.max() == 39 + 20 * amount
            assert batch.batch[: 40 + 20 * amount].tolist() == list(range(20)) * (2 + amount)
        if temporal:
            assert (batch.time <= batch.seed_time[batch.batch]).all()
