"""The cpu backend: C++ with OpenMP, compiled by the compiler of the machine."""

from __future__ import annotations

from gdsl.backends.cpu.planning import plan_of, source_text
from gdsl.backends.interface import Backend

__all__ = ["create_backend", "plan_of", "source_text"]


def create_backend() -> Backend:
    """The cpu backend."""
    from gdsl.backends.cpu.backend import CpuBackend

    return CpuBackend()
