"""`gdsl.pyg.Sampler` over feature stores and graph stores of PyTorch Geometric: beside the same graph as `Data`.

Like `test_pyg_sampler.py`, this needs PyTorch, which CI does not install.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: see CONTRIBUTING.md")
pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'gdsl[pyg]'")

from torch_geometric.loader import (  # noqa: E402
    LinkLoader,
    LinkNeighborLoader,
    NeighborLoader,
    NodeLoader,
)
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput  # noqa: E402

from tests.support.pyg_stores import (  # noqa: E402
    LAYOUTS,
    WRITES,
    Edges,
    Features,
    awkward,
    of_nodes,
    papers,
    put,
    sampler,
    stores_of,
    stores_with_types,
)

pytestmark = pytest.mark.filterwarnings("ignore:Using 'NeighborSampler' without a 'pyg-lib'")

WAYS: list[tuple[dict[str, Any], bool]] = [
    ({}, False),
    ({"disjoint": True, "replace": True}, False),
    ({"subgraph_type": "induced"}, False),
    ({"subgraph_type": "bidirectional"}, False),
    ({"weight_attr": "weight"}, False),
    ({"bias": "(src, dst, e) => weight[e] * (1 + x[src]) / out_degree(src)"}, False),
    ({"time_attr": "time"}, False),
    ({"time_attr": "since"}, True),
    ({"time_attr": "since", "weight_attr": "weight"}, True),
    ({"time_attr": "since", "temporal_strategy": "last"}, True),
]


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("options", "timed"), WAYS)
def test_samples_are_those_of_the_same_data(options: dict[str, Any], timed: bool, layout: str, direction: str) -> None:
    """Without parallel edges, whose order the layouts may change, the same key draws the same edges."""
    data = awkward()
    first = np.unique(data.edge_index.numpy(), axis=1, return_index=True)[1]
    kept = torch.from_numpy(np.sort(first))
    for name in ("edge_index", "weight", "since"):
        data[name] = data[name][..., kept]
    stores, order = stores_of(data, layout)
    seeds, times = [0, 3, 39, 0, 17], torch.tensor([4, 6, 8, 2, 5]) if timed else None
    ours = of_nodes(stores, [4, 3], seeds, times, sample_direction=direction, **options)
    same = of_nodes(data, [4, 3], seeds, times, sample_direction=direction, **options)
    assert torch.equal(ours.node, same.node) and torch.equal(ours.row, same.row) and torch.equal(ours.col, same.col)
    if options.get("subgraph_type") != "bidirectional":
        assert torch.equal(order[ours.edge], same.edge)
    assert ours.num_sampled_nodes == same.num_sampled_nodes
    assert (ours.batch is None) == (same.batch is None)


@pytest.mark.parametrize(("nodes", "edges"), [(1, 0), (1, 1), (1, 3), (2, 1), (7, 7), (30, 0), (40, 300)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_awkward_graphs(nodes: int, edges: int, layout: str) -> None:
    """Every edge is an edge of the data, with its own number, and all are drawn that lead to a seed."""
    data = awkward(nodes, edges)
    stores, order = stores_of(data, layout)
    seeds = torch.arange(nodes)
    for options in ({}, {"weight_attr": "weight"}, {"time_attr": "time"}):
        out = of_nodes(stores, [-1], seeds, **options)
        ends = out.node[torch.stack([out.row, out.col])]
        assert torch.equal(ends, data.edge_index[:, order[out.edge]])
        keep = torch.ones(edges, dtype=torch.bool)
        if "weight_attr" in options:
            keep = data.weight > 0
        if "time_attr" in options:
            keep = data.time[data.edge_index[0]] <= data.time[data.edge_index[1]]
        assert sorted(order[out.edge].tolist()) == keep.nonzero().view(-1).tolist()
    [batch] = NodeLoader((Features(), stores[1]), sampler(stores, [2]), input_nodes=seeds, batch_size=nodes)
    assert batch.n_id.tolist()[:nodes] == seeds.tolist()


@pytest.mark.parametrize("group", [None, "default"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_loaders_read_features_from_the_store(layout: str, group: str | None) -> None:
    data = awkward()
    (features, graph), order = stores_of(data, layout, group=group)
    for name in ("weight", "since"):
        features.remove_tensor(group_name=(None, None), attr_name=name, index=None)
    stores = (features, graph)
    one = sampler(stores, [3, 2], disjoint=True)
    for loader in (
        NodeLoader(stores, one, input_nodes=torch.arange(40), batch_size=16, shuffle=True),
        NeighborLoader(stores, [], input_nodes=torch.arange(40), neighbor_sampler=one, batch_size=16),
    ):
        for batch in loader:
            assert torch.equal(batch.x, batch.n_id) and torch.equal(batch.time, batch.n_id // 2)
            assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, order[batch.e_id]])
            assert torch.equal(*batch.batch[batch.edge_index])
            assert sum(batch.num_sampled_nodes) == batch.num_nodes
    links = data.edge_index[:, :60]
    for ratio in ("binary", {"mode": "triplet", "amount": 2}):
        for maker in (
            LinkLoader(stores, one, (None, links), neg_sampling=ratio, batch_size=25),
            LinkNeighborLoader(stores, [], (None, links), neighbor_sampler=one, neg_sampling=ratio, batch_size=25),
        ):
            for batch in maker:
                if ratio == "binary":
                    given = batch.edge_label_index[:, : len(batch.input_id)]
                else:
                    given = torch.stack([batch.src_index, batch.dst_pos_index])
                assert torch.equal(batch.x[given], links[:, batch.input_id])


@pytest.mark.parametrize("layouts", [LAYOUTS, ("csr", "csc"), ("coo",)])
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(
    "options", [{}, {"disjoint": True}, {"weight_attr": "weight"}, {"time_attr": "time"}, {"subgraph_type": "induced"}]
)
def test_types_of_nodes_and_edges(options: dict[str, Any], direction: str, layouts: Any) -> None:
    data = papers()
    stores, orders = stores_with_types(data, layouts)
    counts = {kind: [4, 2] for kind in data.edge_types} | {WRITES: [3, 1]}
    one = sampler(stores, counts, sample_direction=direction, **options)
    found = 0
    for batch in NodeLoader(stores, one, input_nodes="paper", batch_size=25):
        assert torch.equal(batch["paper"].x[:25], batch["paper"].input_id)
        for kind, edges in batch.edge_items():
            ends = [batch[name].n_id[row] for name, row in zip(kind[::2], edges.edge_index, strict=True)]
            assert torch.equal(torch.stack(ends), data[kind].edge_index[:, orders[kind][edges.e_id]])
            found += edges.num_edges
            if not options.get("subgraph_type"):
                near = edges.edge_index[1 if direction == "forward" else 0]
                assert near.bincount().max() <= counts[kind][0] if len(near) else True
        if "time_attr" in options:
            assert (batch["paper"].time <= batch["paper"].time[:25][batch["paper"].batch]).all()
        assert torch.equal(batch["author"].x, batch["author"].n_id + 50)
    assert found


def test_links_between_types() -> None:
    data = papers()
    stores, orders = stores_with_types(data, ("coo",))
    times = data["paper"].time[data[WRITES].edge_index[1]]
    one = sampler(stores, [4, 3], time_attr="time")
    for given in (WRITES, (WRITES, None), (WRITES, data[WRITES].edge_index)):
        loader = LinkLoader(stores, one, given, edge_label_time=times, neg_sampling="binary", batch_size=50)
        for batch in loader:
            ends = batch[WRITES].edge_label_index[:, :50]
            found = torch.stack([batch["author"].n_id[ends[0]], batch["paper"].n_id[ends[1]]])
            assert torch.equal(found, data[WRITES].edge_index[:, batch[WRITES].input_id])
            late = batch[WRITES].edge_label_time[:50][batch["paper"].batch]
            assert (batch["paper"].time <= late).all()
    assert len(orders) == 4


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_key_decides(layout: str) -> None:
    stores, _ = stores_of(awkward(), layout)
    links = EdgeSamplerInput(None, torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6]))

    def edges(**options: Any) -> list[list[int]]:
        one = sampler(stores, [3, 2], **options)
        negative = one.sample_from_edges(links, NegativeSampling("binary"))
        return [of_nodes(stores, [3, 2], [0, 5], **options).edge.tolist(), negative.node.tolist()]

    assert edges(key=4) == edges(key=4) != edges(key=5)
    torch.manual_seed(1)
    first = edges(key=None)
    assert first != edges(key=None)
    torch.manual_seed(1)
    assert first == edges(key=None)


def test_workers_get_a_copy_of_the_edges_and_not_the_stores() -> None:
    stores, _ = stores_of(awkward(), "csc")
    one = sampler(stores, [3, 2], weight_attr="weight")
    state = pickle.dumps(one)
    assert b"Features" not in state
    given = NodeSamplerInput(None, torch.arange(9))
    assert torch.equal(pickle.loads(state).sample_from_nodes(given).edge, one.sample_from_nodes(given).edge)


def test_only_what_is_used_is_read() -> None:
    (features, graph), _ = stores_of(awkward(), "coo")
    for options, read in (({}, []), ({"weight_attr": "weight"}, ["weight"]), ({"time_attr": "time"}, ["time"])):
        features.read.clear()
        sampler((features, graph), [2], **options)
        assert features.read == read


def test_numbers_of_edges_are_those_of_the_preferred_layout() -> None:
    """As PyTorch Geometric prefers them; where the order decides whose an attribute is, the orders must agree."""
    data = awkward()
    (features, graph), order = stores_of(data, "csc")
    put(graph, None, data.edge_index, (40, 40), "coo")
    out = of_nodes((features, graph), [-1], [0])
    assert torch.equal(out.node[torch.stack([out.row, out.col])], data.edge_index[:, order[out.edge]])
    back = of_nodes((features, graph), [-1], [0], sample_direction="backward")
    assert torch.equal(back.node[torch.stack([back.row, back.col])], data.edge_index[:, back.edge])
    with pytest.raises(ValueError, match="several layouts"):
        sampler((features, graph), [2], weight_attr="weight")
    put(graph, None, data.edge_index[:, order], (40, 40), "coo")
    sampler((features, graph), [2], weight_attr="weight")


def test_data_are_stores_themselves() -> None:
    data, typed = awkward(), papers()
    seeds = torch.tensor([0, 3])
    assert torch.equal(of_nodes((data, data), [3, 2], seeds).edge, of_nodes(data, [3, 2], seeds).edge)
    ours = of_nodes((typed, typed), [3, 2], seeds, kind="paper", time_attr="time")
    same = of_nodes(typed, [3, 2], seeds, kind="paper", time_attr="time")
    assert all(torch.equal(ours.edge[kind], same.edge[kind]) for kind in typed.edge_types)


def test_the_store_of_one_process_of_pytorch_geometric() -> None:
    from torch_geometric.distributed import LocalFeatureStore, LocalGraphStore

    data = awkward()
    graph = LocalGraphStore.from_data(torch.arange(300), data.edge_index, 40)
    features = LocalFeatureStore.from_data(torch.arange(40), data.x.view(-1, 1))
    [batch] = NodeLoader(
        (features, graph), sampler((features, graph), [3, 2]), input_nodes=torch.tensor([0, 3, 5]), batch_size=3
    )
    given = data.edge_index[:, graph.get_edge_id(edge_type=None, layout="coo")[batch.e_id]]
    assert torch.equal(batch.n_id[batch.edge_index], given)
    assert torch.equal(batch.x.view(-1), batch.n_id)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_ids_of_either_width_and_arrays_of_numpy(layout: str, dtype: Any) -> None:
    data = awkward()
    (features, graph), _ = stores_of(data, layout)
    narrow = Edges()
    for (kind, _), (parts, attr) in graph.indices.items():
        narrow.put_edge_index(tuple(part.to(dtype) for part in parts), edge_type=kind, layout=layout, size=attr.size)
    features.put_tensor(data.time.numpy(), group_name=None, attr_name="time", index=None)
    wide = of_nodes((features, graph), [3], [0, 4], time_attr="time")
    assert torch.equal(of_nodes((features, narrow), [3], [0, 4], time_attr="time").edge, wide.edge)


def test_sizes_that_are_not_declared() -> None:
    """Rows in the feature store come first, then pointers; a node without either is an error."""
    data = papers()
    stores, _ = stores_with_types(data, sized=False)
    assert sampler(stores, [1]).num_nodes == {"paper": 50, "author": 30, "topic": 6}
    one = awkward()
    (features, _), _ = stores_of(one, "coo")
    for layout in LAYOUTS:
        graph = Edges()
        put(graph, None, one.edge_index, (40, 40), layout, sized=False)
        assert sampler((features, graph), [1]).num_nodes == 40
        if layout != "coo":
            assert sampler((Features(), graph), [1]).num_nodes == 40
    with pytest.raises(ValueError, match="number of nodes is unknown; give put_edge_index a size"):
        graph = Edges()
        put(graph, None, one.edge_index, (40, 40), "coo", sized=False)
        sampler((Features(), graph), [1])
    with pytest.raises(ValueError, match="number of nodes of type 'author' is unknown"):
        graph = Edges()
        put(graph, WRITES, data[WRITES].edge_index, (30, 50), "csc", sized=False)
        sampler((Features(), graph), [1])
