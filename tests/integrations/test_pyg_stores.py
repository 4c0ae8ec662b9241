"""`gdsl.pyg.Sampler` over feature stores and graph stores of PyTorch Geometric: beside the same graph as `Data`.

Like `test_pyg_sampler.py`, this needs PyTorch, which CI does not install.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: see CONTRIBUTING.md")
pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'gdsl[pyg]'")

from torch_geometric.data import Data, EdgeAttr, FeatureStore, GraphStore, HeteroData, TensorAttr  # noqa: E402
from torch_geometric.loader import (  # noqa: E402
    LinkLoader,
    LinkNeighborLoader,
    NeighborLoader,
    NodeLoader,
)
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput  # noqa: E402

import gdsl  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using 'NeighborSampler' without a 'pyg-lib'")
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


def one_index(parts: Any, layout: str = "coo", size: Any = (4, 4), kind: Any = None) -> Any:
    graph = Edges()
    graph.put_edge_index(tuple(map(torch.tensor, parts)), edge_type=kind, layout=layout, size=size)
    return Features(), graph


def with_tensor(name: str, values: Any, group: Any = None, kind: Any = None) -> Any:
    features, graph = one_index(([0, 1, 2], [1, 2, 3]), kind=kind)
    features.put_tensor(values, group_name=group, attr_name=name, index=None)
    return features, graph


def with_sizes(papers: int) -> Any:
    features, graph = one_index(([0], [0]), kind=CITES, size=(4, 4))
    graph.put_edge_index(torch.zeros(2, 1, dtype=torch.long), edge_type=WRITES, layout="coo", size=(4, papers))
    return features, graph


def with_and_without_types() -> Any:
    features, graph = one_index(([0], [0]), kind=CITES)
    graph.put_edge_index(torch.zeros(2, 1, dtype=torch.long), edge_type=None, layout="coo", size=(4, 5))
    return features, graph


class Forgetful(Edges):
    """Lists edges that it does not have."""

    def _get_edge_index(self, edge_attr: EdgeAttr) -> Any:
        return None


def forgetful() -> Any:
    graph = Forgetful()
    graph.put_edge_index(torch.zeros(2, 1), edge_type=CITES, layout="csr", size=(1, 1))
    return Features(), graph


@pytest.mark.parametrize(
    ("error", "words", "make"),
    [
        (TypeError, r"not \(Edges, Features\)", lambda: sampler((Edges(), Features()), [1])),
        (TypeError, r"not \(Features\)", lambda: sampler((Features(),), [1])),
        (ValueError, "no edge index of any type", lambda: sampler((Features(), Edges()), [1])),
        (ValueError, "the CSR of edges of type .* does not have it", lambda: sampler(forgetful(), [1])),
        (ValueError, "with a type and edges without", lambda: sampler(with_and_without_types(), [1])),
        (ValueError, "triples of names, not 'cites'", lambda: sampler(one_index(([0], [0]), kind="cites"), [1])),
        (ValueError, "different sizes .* 'paper': 4 and 5", lambda: sampler(with_sizes(5), [1])),
        (ValueError, "3 sources and 2 targets", lambda: sampler(one_index(([0, 1, 2], [1, 2])), [1])),
        (ValueError, "float32", lambda: sampler(one_index(([0.0], [1.0])), [1])),
        (ValueError, "bool", lambda: sampler(one_index(([True], [True])), [1])),
        (ValueError, "has 3 tensors, not 2", lambda: sampler(one_index(([0], [1], [2])), [1])),
        *(
            (ValueError, "two numbers of nodes", lambda size=size: sampler(one_index(([0], [1]), size=size), [1]))
            for size in (4, (4,), (4, 4, 4), (4.0, 4.0), (-1, 4))
        ),
        (ValueError, "2 dimensions", lambda: sampler(one_index(([[0]], [[1]])), [1])),
        (ValueError, "lead to nodes 9 to 9, of which there are 4", lambda: sampler(one_index(([0], [9])), [1])),
        (ValueError, "-1", lambda: sampler(one_index(([-1], [0]), kind=CITES), [1])),
        (ValueError, "ascend from 0 to", lambda: sampler(one_index(([0, 0], [0, 2, 1, 1, 2]), "csc"), [1])),
        (ValueError, "ascend from 0 to", lambda: sampler(one_index(([0, 0], [0]), "csc"), [1])),
        (ValueError, "ascend from 0 to", lambda: sampler(one_index(([0, 1, 1, 1, 1], [0, 0]), "csr"), [1])),
        (ValueError, "pointers for 5 nodes", lambda: sampler(one_index(([0], [0, 1, 1, 1, 1, 1]), "csc"), [1])),
        (ValueError, "neither nodes nor edges", lambda: sampler(one_index(([0], [1])), [1], time_attr="time")),
        (ValueError, "not an attribute of edges", lambda: sampler(one_index(([0], [1])), [1], weight_attr="weight")),
        (
            ValueError,
            "5 values of 'time' for 4 nodes",
            lambda: sampler(with_tensor("time", torch.arange(5)), [1], time_attr="time"),
        ),
        (
            ValueError,
            "5 values of 'time' for 4 nodes of type 'paper'",
            lambda: sampler(with_tensor("time", torch.arange(5), "paper", CITES), [1], time_attr="time"),
        ),
        (
            ValueError,
            "2 values of 'weight' for 3 edges of type",
            lambda: sampler(with_tensor("weight", torch.ones(2), CITES, CITES), [1], weight_attr="weight"),
        ),
        (
            ValueError,
            "weight of edge 1, from 1 to 2, is -1",
            lambda: sampler(with_tensor("weight", torch.tensor([1.0, -1.0, 0.0])), [1], weight_attr="weight"),
        ),
        (
            ValueError,
            "one integer for each",
            lambda: sampler(with_tensor("time", torch.rand(4)), [1], time_attr="time"),
        ),
        (
            ValueError,
            "not as a dense tensor",
            lambda: sampler(with_tensor("time", torch.tensor(3), "paper", CITES), [1], time_attr="time"),
        ),
        (gdsl.GdslError, "speed", lambda: sampler(one_index(([0], [1])), [1], bias="(src, dst, e) => speed[e]")),
        (NotImplementedError, "one type", lambda: sampler(with_sizes(4), [1], bias="(a, b, e) => 1")),
        (ValueError, "edge type", lambda: sampler(one_index(([0], [1]), kind=CITES), {CITES: [1], WRITES: [1]})),
        (ValueError, "for heterogeneous graphs", lambda: sampler(one_index(([0], [1])), {CITES: [1]})),
        (ValueError, "hops", lambda: sampler(with_sizes(4), {CITES: [1, 2], WRITES: [1]})),
        (IndexError, "the seed 4 is not one of the graph's 4 nodes", lambda: of_nodes(one_index(([0], [1])), [1], [4])),
        (
            ValueError,
            "no nodes of the type 'venue'",
            lambda: of_nodes(one_index(([0], [1]), kind=CITES), [1], [0], kind="venue"),
        ),
    ],
)
def test_mistakes(error: type[Exception], words: str, make: Callable[[], Any]) -> None:
    with pytest.raises(error, match=words) as caught:
        make()
    assert len(str(caught.value)) < 700
    assert issubclass(error, gdsl.GdslError) or "\n" not in str(caught.value)
