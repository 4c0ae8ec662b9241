"""`gdsl.pyg.Sampler` over stores that lack something, or say what cannot be.

Like `test_pyg_sampler.py`, this needs PyTorch, which CI does not install.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: see CONTRIBUTING.md")
pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'gdsl[pyg]'")

from torch_geometric.data import EdgeAttr  # noqa: E402

import gdsl  # noqa: E402
from tests.support.pyg_stores import (  # noqa: E402
    CITES,
    WRITES,
    Edges,
    Features,
    of_nodes,
    sampler,
)

pytestmark = pytest.mark.filterwarnings("ignore:Using 'NeighborSampler' without a 'pyg-lib'")


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
