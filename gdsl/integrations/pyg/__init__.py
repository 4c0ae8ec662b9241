"""`gdsl.pyg`: samples of neighborhoods for PyTorch Geometric.

from torch_geometric.loader import NodeLoader
loader = NodeLoader(data, gdsl.pyg.Sampler(data, num_neighbors=[10, 5]), batch_size=128)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdsl.extras import required

if TYPE_CHECKING:
    from gdsl.integrations.pyg.sampler import Sampler

__all__ = ["Sampler"]


def __getattr__(name: str) -> object:
    """Import the sampler when it is first used. Raises E0907 if PyTorch or PyTorch Geometric is missing."""
    if name != "Sampler":
        raise AttributeError(f"gdsl.pyg has no attribute {name!r}")
    required("torch", "torch", "gdsl.pyg")
    required("torch_geometric", "gdsl[pyg]", "gdsl.pyg")
    from gdsl.integrations.pyg.sampler import Sampler

    globals()[name] = Sampler
    return Sampler
