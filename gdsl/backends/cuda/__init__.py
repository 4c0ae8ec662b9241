"""The cuda backend."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gdsl.backends.cuda.planning import neighbors_of, plan_of, source_text

if TYPE_CHECKING:
    from gdsl.backends.cuda.backend import CudaBackend

__all__ = ["create_backend", "neighbors_of", "plan_of", "source_text"]


@cache
def create_backend() -> CudaBackend:
    """The only cuda backend of the process."""
    from gdsl.backends.cuda.backend import CudaBackend

    return CudaBackend()
