"""Sparse tensors and edge indices of PyTorch, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest
from graph_cases import stored

import gdsl
from gdsl import Graph

torch = pytest.importorskip("torch")


def parallel():
    """Two edges 0→1 and one 1→2."""
    places = torch.tensor([[0, 1, 0], [1, 2, 1]])
    return torch.sparse_coo_tensor(places, torch.tensor([1.0, 2.0, 3.0]), (3, 3), check_invariants=True)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_layouts():
    tensor = parallel()
    assert stored(Graph.from_torch(tensor)) == [(0, 1, 1.0), (0, 1, 3.0), (1, 2, 2.0)]
    merged = tensor.coalesce()
    for made in (merged, merged.to_sparse_csr(), merged.to_sparse_csc(), merged.clone().requires_grad_()):
        assert stored(Graph.from_torch(made)) == [(0, 1, 4.0), (1, 2, 2.0)]
        assert gdsl.samples.bfs(made, source=0, backend="reference").distance.tolist() == [0, 1, 2]
    assert not Graph.from_torch(merged + merged.t(), directed=False).directed


@pytest.mark.filterwarnings("ignore:Sparse")
def test_what_is_refused():
    tensor = parallel()
    wide = torch.sparse_coo_tensor(torch.tensor([[0], [1]]), torch.tensor([1.0]), (3, 4), check_invariants=True)
    cases = [(torch.eye(3), "layout strided"), (wide, "3 × 4"), (tensor.to(torch.bfloat16), "bfloat16")]
    cases += [
        (tensor.to(torch.complex64), "complex"),
        (torch.eye(4).to_sparse_bsr((2, 2)), "sparse_bsr"),
        (5, "int is not"),
    ]
    for given, said in cases:
        with pytest.raises(gdsl.GdslError, match="E07") as caught:
            Graph.from_torch(given)
        assert said in str(caught.value)
    with pytest.raises(gdsl.GdslError, match=r"E0704.*not symmetric"):
        Graph.from_torch(tensor, directed=False)


def test_inputs_and_results():
    graph = Graph.from_edges(*torch.tensor([[0, 1], [1, 2]]), weights=torch.tensor([1.0, 2.0]))
    weights = torch.tensor([2.0, 3.0])
    result = gdsl.samples.sssp(graph, source=0, weight=weights, backend="reference")
    back = torch.from_dlpack(result.distance)
    assert back.tolist() == [0.0, 2.0, 5.0] and back.data_ptr() == result.distance.ctypes.data
    for bad in (weights.clone().requires_grad_(), weights.to(torch.bfloat16), weights.to_sparse(), weights.to("meta")):
        with pytest.raises(gdsl.GdslError, match="E0607"):
            gdsl.samples.sssp(graph, source=0, weight=bad, backend="reference")
    assert np.asarray(back).dtype == np.float32
