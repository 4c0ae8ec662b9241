"""`gdsl.pyg.Sampler` beyond what PyTorch Geometric tests of its own samplers: keys, functors, types, and mistakes.

Like `test_pyg_sampler.py`, this needs PyTorch, which CI does not install.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: see CONTRIBUTING.md")
pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'gdsl[pyg]'")

from torch_geometric.data import Data, HeteroData  # noqa: E402
from torch_geometric.loader import (  # noqa: E402
    LinkLoader,
    NodeLoader,
)
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput  # noqa: E402
from torch_geometric.utils import k_hop_subgraph  # noqa: E402

import gdsl  # noqa: E402
from gdsl.backends import registry  # noqa: E402
from tests.support import pages  # noqa: E402
from tests.support.pyg_data import (  # noqa: E402
    lists,
    of_nodes,
    pairs,
    random_data,
    sampler,
    team,
)

pytestmark = pytest.mark.filterwarnings("ignore:Using 'NeighborSampler' without a 'pyg-lib'")


def test_all_neighbors_are_the_subgraph_of_so_many_hops() -> None:
    data = random_data(60, 150)
    for hops in range(4):
        found = of_nodes(data, [-1] * hops, [3, 7])
        nodes, index, *_ = k_hop_subgraph([3, 7], hops, data.edge_index, num_nodes=60)
        assert sorted(found.node.tolist()) == nodes.tolist()
        assert pairs(found.node[torch.stack([found.row, found.col])]) <= pairs(index)


def test_the_key_decides() -> None:
    data = random_data(80, 900)

    def edges(**options: Any) -> list[int]:
        return of_nodes(data, [3, 2], [0, 5, 9], **options).edge.tolist()

    assert edges(key=4) == edges(key=4) == edges(key=4 + 2**64) != edges(key=5)
    torch.manual_seed(1)
    first, second = edges(key=None), edges(key=None)
    torch.manual_seed(1)
    assert first == edges(key=None) != second
    later = sampler(data, [3, 2], key=4)
    later.key = 5
    assert later.sample_from_nodes(NodeSamplerInput(None, torch.tensor([0, 5, 9]))).edge.tolist() == edges(key=5)
    assert (
        edges(key=4)
        == gdsl.pyg.Sampler(data, [3, 2], key=4, backend="reference")
        .sample_from_nodes(NodeSamplerInput(None, torch.tensor([0, 5, 9])))
        .edge.tolist()
    )


def test_negative_edges_are_functions_of_the_key_too() -> None:
    data = random_data(80, 300)

    def negatives(key: int | None, rows: list[int]) -> list[int]:
        links = EdgeSamplerInput(None, torch.tensor(rows), torch.tensor([4, 5, 6]))
        out = sampler(data, [2], key=key).sample_from_edges(links, NegativeSampling("binary"))
        return out.node[out.metadata[1]][:, 3:].reshape(-1).tolist()

    before = torch.get_rng_state()
    assert negatives(3, [1, 2, 3]) == negatives(3, [1, 2, 3]) != negatives(4, [1, 2, 3])
    assert negatives(3, [1, 2, 3]) != negatives(3, [1, 2, 7])
    assert torch.equal(before, torch.get_rng_state())
    assert negatives(None, [1, 2, 3]) != negatives(None, [1, 2, 3])


def test_a_functor_gives_the_weights() -> None:
    data = random_data(30, 200)
    data.weight = torch.rand(200)
    data.hot = torch.rand(30) < 0.5
    data.pos = torch.rand(30, 3)
    ways = [
        ("(src, dst, e) => weight[e]", data.weight),
        ("(u, v, x) => hot[u] && !hot[v]", (data.hot[data.edge_index[0]] & ~data.hot[data.edge_index[1]]).double()),
        ("(src, dst, e) => pos[src][2] * weight[e];", data.pos[data.edge_index[0], 2] * data.weight),
        ("(src, dst, e) => src < dst ? 1 : 0", (data.edge_index[0] < data.edge_index[1]).double()),
    ]
    for functor, weights in ways:
        data.wanted = weights
        seeds = list(range(30))
        ours = of_nodes(data, [2, 2], seeds, bias=functor)
        assert ours.edge.tolist() == of_nodes(data, [2, 2], seeds, weight_attr="wanted").edge.tolist()
        assert (weights[ours.edge] > 0).all() and len(ours.edge)


@pytest.mark.parametrize("nodes", [1, 5])
def test_graphs_with_as_many_nodes_as_edges(nodes: int) -> None:
    """An attribute may belong to either; weights and functors say which, times are decided by name."""
    index = torch.stack([torch.arange(nodes), (torch.arange(nodes) + 1) % nodes])
    data = Data(edge_index=index, weight=torch.arange(nodes).float(), time=torch.arange(nodes), num_nodes=nodes)
    everyone = list(range(nodes))
    heavy = [edge for edge in everyone if edge > 0]
    assert sorted(of_nodes(data, [1], everyone, weight_attr="weight").edge.tolist()) == heavy
    assert sorted(of_nodes(data, [1], everyone, bias="(s, d, e) => weight[e]").edge.tolist()) == heavy
    assert sorted(of_nodes(data, [1], everyone, bias="(s, d, e) => weight[s]").edge.tolist()) == heavy
    targets = [
        (edge + 1) % nodes for edge in of_nodes(data, [1], everyone, bias="(s, d, e) => weight[d]").edge.tolist()
    ]
    assert sorted(targets) == heavy
    assert of_nodes(data, [1], []).node.tolist() == []
    early = of_nodes(data, [1], everyone, [0] * nodes, time_attr="time")
    assert early.edge.tolist() == [0]


def test_the_latest_edges() -> None:
    data = random_data(20, 200)
    data.time = torch.arange(200) // 2
    found = of_nodes(data, [2], [0, 1], [60, 90], time_attr="time", temporal_strategy="last")
    for place, (seed, end) in enumerate([(0, 60), (1, 90)]):
        into = torch.nonzero((data.edge_index[1] == seed) & (data.time <= end)).reshape(-1)
        times = found.edge[found.batch[found.col] == place]
        assert sorted(data.time[times].tolist()) == sorted(data.time[into].tolist())[-2:]


def test_seeds_have_the_time_of_their_nodes() -> None:
    data = random_data(40, 300)
    data.time = torch.arange(40)
    found = of_nodes(data, [3, 3], [30, 10, 10], time_attr="time")
    assert (data.time[found.node] <= torch.tensor([30, 10, 10])[found.batch]).all()
    assert found.metadata == (None, None)


def test_a_graph_of_gdsl_and_a_sampler_that_travels() -> None:
    data = random_data(20, 90)
    graph = gdsl.Graph.from_edges(*data.edge_index.numpy(), num_vertices=20)
    found = of_nodes(graph, [2, 2], [1, 2])
    sources, targets = (torch.from_numpy(np.array(ends)) for ends in graph.edges)
    assert torch.equal(found.node[found.row], sources[found.edge].long())
    assert torch.equal(found.node[found.col], targets[found.edge].long())
    one = sampler(data, [2, 2])
    seeds = NodeSamplerInput(None, torch.tensor([1, 2, 1]))
    assert lists(pickle.loads(pickle.dumps(one)).sample_from_nodes(seeds)) == lists(one.sample_from_nodes(seeds))
    assert one.sample_from_nodes(seeds).node[:3].tolist() == [1, 2, 1]


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_first_available", lambda failed: registry.Choice(registry.get("cpu")))
    pages.run_page(pages.ROOT / "docs" / "pyg.md")


def test_workers_of_a_loader() -> None:
    data = random_data(60, 300)
    one = sampler(data, [3, 3])
    here, there = (
        [batch.e_id.tolist() for batch in NodeLoader(data, one, batch_size=20, num_workers=count)] for count in (0, 2)
    )
    assert here == there


def papers(*, times: bool = False) -> HeteroData:
    """Authors who write papers, which cite each other."""
    generator = torch.Generator().manual_seed(3)
    data = HeteroData()
    data["paper"].x, data["author"].x = torch.arange(50), torch.arange(30)

    def ends(sources: int, targets: int, count: int) -> Any:
        both = [torch.randint(size, (count,), generator=generator) for size in (sources, targets)]
        return torch.stack(both)

    data["paper", "cites", "paper"].edge_index = ends(50, 50, 300)
    data["author", "writes", "paper"].edge_index = ends(30, 50, 120)
    data["paper", "by", "author"].edge_index = data["author", "writes", "paper"].edge_index.flip(0)
    for kind in data.edge_types:
        data[kind].edge_attr = torch.arange(data[kind].num_edges)
    if times:
        data["paper"].time = torch.arange(50)
    return data


@pytest.mark.parametrize("subgraph_type", ["directional", "induced"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("disjoint", [False, True])
def test_types_of_nodes_and_edges(subgraph_type: str, direction: str, disjoint: bool) -> None:
    data = papers()
    counts = {kind: [4, 2] for kind in data.edge_types} | {("author", "writes", "paper"): [3, 1]}
    one = sampler(data, counts, subgraph_type=subgraph_type, sample_direction=direction, disjoint=disjoint)
    found = dict.fromkeys(data.edge_types, 0)
    for batch in NodeLoader(data, one, input_nodes="paper", batch_size=10):
        assert torch.equal(batch["paper"].x[:10], batch["paper"].input_id)
        for kind in data.edge_types:
            ends = torch.stack(
                [batch[name].n_id[row] for name, row in zip(kind[::2], batch[kind].edge_index, strict=True)]
            )
            assert torch.equal(ends, data[kind].edge_index[:, batch[kind].e_id])
            assert torch.equal(batch[kind].edge_attr, batch[kind].e_id)
            found[kind] += batch[kind].num_edges
            if disjoint:
                trees = [batch[name].batch[row] for name, row in zip(kind[::2], batch[kind].edge_index, strict=True)]
                assert torch.equal(*trees)
            if subgraph_type == "directional":
                seen = batch[kind].edge_index[1 if direction == "forward" else 0].bincount()
                assert seen.max() <= counts[kind][0]
                assert sum(batch[kind].num_sampled_edges) == batch[kind].num_edges
    assert all(found.values())
    again = next(iter(NodeLoader(data, one, input_nodes="paper", batch_size=10)))
    first = next(iter(NodeLoader(data, one, input_nodes="paper", batch_size=10)))
    assert torch.equal(again["author"].n_id, first["author"].n_id)


def test_types_draw_independently() -> None:
    data = HeteroData()
    data["a"].num_nodes = data["b"].num_nodes = 40
    index = torch.stack([torch.arange(40).repeat(40), torch.arange(40).repeat_interleave(40)])
    for kind in (("b", "one", "a"), ("b", "two", "a")):
        data[kind].edge_index = index
    out = sampler(data, [3]).sample_from_nodes(NodeSamplerInput(None, torch.arange(40), input_type="a"))
    assert not torch.equal(*out.edge.values())


def test_links_between_types_and_their_times() -> None:
    data = papers(times=True)
    kind = ("author", "writes", "paper")
    times = data["paper"].time[data[kind].edge_index[1]]
    loader = LinkLoader(
        data,
        sampler(data, [4, 3], time_attr="time"),
        edge_label_index=kind,
        edge_label_time=times,
        neg_sampling="binary",
        batch_size=20,
    )
    for batch in loader:
        assert batch[kind].edge_label_index.shape == (2, 40)
        given = batch[kind].edge_label_index[:, :20]
        ends = torch.stack([batch["author"].n_id[given[0]], batch["paper"].n_id[given[1]]])
        assert torch.equal(ends, data[kind].edge_index[:, batch[kind].input_id])
        late = batch[kind].edge_label_time[:20][batch["paper"].batch]
        assert (batch["paper"].time <= late).all()
    with pytest.raises(ValueError, match="no times of their own"):
        next(iter(NodeLoader(data, sampler(data, [1], time_attr="time"), input_nodes="author")))


@pytest.mark.parametrize(
    ("error", "words", "make"),
    [
        (TypeError, "feature store", lambda: sampler((object(), object()), [1])),
        (ValueError, "edge type", lambda: sampler(team(), {("a", "to", "a"): [1]})),
        (ValueError, "edge type", lambda: sampler(papers(), {("paper", "by", "author"): [1]})),
        (ValueError, "no nodes of the type None", lambda: of_nodes(papers(), [1], [0])),
        (NotImplementedError, "one type", lambda: sampler(papers(), [1], bias="(a, b, e) => 1")),
        (TypeError, "not int", lambda: sampler(1, [1])),
        (ValueError, "adj_t", lambda: sampler(Data(adj_t=torch.eye(2).to_sparse_csr(), num_nodes=2), [1])),
        (ValueError, "from -1", lambda: sampler(team(), [-2])),
        (ValueError, "neither nodes nor edges", lambda: sampler(team(), [1], time_attr="time")),
        (ValueError, "one integer for each", lambda: sampler(team(time=torch.rand(4)), [1], time_attr="time")),
        (ValueError, "not an attribute of edges", lambda: sampler(team(), [1], weight_attr="weight")),
        (ValueError, "give one of them", lambda: sampler(team(), [1], weight_attr="weight", bias="(a, b, e) => 1")),
        (ValueError, "needs a time_attr", lambda: sampler(team(), [1], temporal_strategy="last")),
        (ValueError, "'first'", lambda: sampler(team(), [1], temporal_strategy="first")),
        (ValueError, "sideways", lambda: sampler(team(), [1], sample_direction="sideways")),
        (ValueError, "such as", lambda: sampler(team(), [1], bias="weight")),
        (ValueError, "such as", lambda: sampler(team(), [1], bias="(s, d, e) => { value 1; }")),
        (gdsl.GdslError, "speed", lambda: sampler(team(), [1], bias="(src, dst, e) => speed[e]")),
        (
            ValueError,
            "bias of edge 0, from 0 to 1, is -1",
            lambda: sampler(team(), [1], bias="(src, dst, e) => -1"),
        ),
        (ValueError, "such as .* it is 5", lambda: sampler(team(), 5)),
        (ValueError, "it is 'ab'", lambda: sampler(team(), "ab")),
        (ValueError, "it is None", lambda: sampler(papers(), None)),
        (ValueError, "from -1", lambda: sampler(team(), [float("nan")])),
        (ValueError, "from -1", lambda: sampler(team(), [[1, 2]])),
        (ValueError, "float32 in 1", lambda: of_nodes(team(), [1], [0.5])),
        (ValueError, "bool in 1", lambda: of_nodes(team(), [1], [True])),
        (ValueError, "int64 in 2", lambda: of_nodes(team(), [1], [[0]])),
        (
            ValueError,
            "2 seeds, and times of the shape",
            lambda: of_nodes(team(time=torch.arange(4)), [1], [0, 1], [1], time_attr="time"),
        ),
        (gdsl.GdslError, "E07", lambda: sampler(Data(edge_index=torch.tensor([[0], [9]]), num_nodes=2), [1])),
        (TypeError, "float", lambda: sampler(team(), [1], key=0.5)),
        (ValueError, "float32", lambda: of_nodes(team(time=torch.arange(4)), [1], [0], [0.5], time_attr="time")),
        (IndexError, "the seed 7 is not one of the graph's 4 nodes", lambda: of_nodes(team(), [1], [7])),
        (ValueError, "no time_attr", lambda: of_nodes(team(), [1], [0], [1])),
    ],
)
def test_mistakes(error: type[Exception], words: str, make: Any) -> None:
    with pytest.raises(error, match=words) as caught:
        make()
    assert len(str(caught.value)) < 700
