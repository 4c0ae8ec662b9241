"""Sparse tensors of PyTorch; nothing here needs PyTorch itself."""

from __future__ import annotations

from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.graph.arrays import host_array
from gdsl.graph.csr import Csr
from gdsl.graph.device_edges import entries_on_gpu
from gdsl.graph.errors import bad_array
from gdsl.graph.postponed import LARGE, Postponed
from gdsl.graph.sparse_matrices import csr_of_entries

_FIX = "a tensor of the layout torch.sparse_coo, sparse_csr or sparse_csc, such as tensor.to_sparse()"
_COMPRESSED = {
    "sparse_csr": ("csr", "crow_indices", "col_indices"),
    "sparse_csc": ("csc", "ccol_indices", "row_indices"),
}


def layout_of(tensor: Any) -> str | None:
    """The layout of a tensor of PyTorch, such as ``sparse_csr``; None for anything else."""
    if isinstance(tensor, type) or type(tensor).__module__.partition(".")[0] != "torch":
        return None
    return str(getattr(tensor, "layout", "")).rpartition(".")[2] or None


def csr_of_torch(tensor: Any, directed: bool) -> Csr:
    """The CSR of a sparse tensor, its parallel entries kept; with directed=False it must be symmetric.

    Raises GdslError E0704 for a tensor that is no graph, E0711 for what is no such tensor.
    """
    layout = layout_of(tensor)
    if layout not in (*_COMPRESSED, "sparse_coo"):
        what = f"a tensor of the layout {layout}" if layout else type(tensor).__name__
        raise bad_array(f"{what} is not a sparse tensor of PyTorch that can be a graph", _FIX)
    shape = tuple(int(size) for size in tensor.shape)
    if len(shape) != 2 or tensor.ndim != 2:
        sizes = " × ".join(f"{size:,}" for size in shape)
        raise GdslError.single("E0704", f"the matrix is {sizes}; a graph's matrix is square")
    plain = tensor.detach()
    if layout == "sparse_coo":
        # Those with an underscore do not ask for parallel entries to be summed first.
        indices = plain._indices()
        parts = {"data": plain._values(), "row": indices[0], "col": indices[1]}
        return csr_of_entries("coo", shape, _host(parts), directed)
    kind, starts, others = _COMPRESSED[layout]
    parts = {"data": plain.values(), "indices": getattr(plain, others)(), "indptr": getattr(plain, starts)()}
    return csr_of_entries(kind, shape, _host(parts), directed)


def large_tensor_on_gpu(tensor: Any) -> Postponed | None:
    """The graph of a large sparse tensor on a GPU, from which nothing is fetched first; None for any other."""
    layout = layout_of(tensor)
    if layout not in (*_COMPRESSED, "sparse_coo") or tensor.device.type != "cuda" or tensor.ndim != 2:
        return None
    plain = tensor.detach()
    if plain.shape[0] != plain.shape[1] or plain._nnz() < LARGE:
        return None
    entries = plain if layout == "sparse_coo" else plain.to_sparse_coo()
    indices = entries._indices()
    return entries_on_gpu(indices[0], indices[1], entries._values(), int(plain.shape[0]))


def _host(parts: dict[str, Any]) -> dict[str, Any]:
    arrays = {}
    for name, values in parts.items():
        try:
            arrays[name] = host_array(values, name)
        except ValueError as error:
            raise bad_array(f"{name} of the tensor {error}", "tensor.float().cpu()") from None
    return arrays
