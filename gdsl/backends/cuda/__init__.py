"""The cuda backend."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gdsl.backends.cuda.planning import class_on, neighbors_of, plan_of, require_fused, source_text

if TYPE_CHECKING:
    from gdsl.backends.cuda.backend import CudaBackend

__all__ = ["class_on", "create_backend", "neighbors_of", "plan_of", "require_fused", "source_text"]


@cache
def create_backend() -> CudaBackend:
    """The only cuda backend of the process."""
    from gdsl.backends.cuda.backend import CudaBackend

    return CudaBackend()
