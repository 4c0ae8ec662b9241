"""The memory of this machine."""

from __future__ import annotations

from gdsl.backends.interface import Space
from gdsl.graph.memory import available_memory, whole_memory


def machine_space() -> Space:
    """Its total memory, and what is available without swapping."""
    return Space("this machine", whole_memory(), available_memory())
