"""The memory of this machine."""

from __future__ import annotations

from gdsl.backends.interface import Space
from gdsl.graph.memory import available_memory, whole_memory


def machine_space() -> Space:
    """What it has, and what can be had of it without swapping."""
    return Space("this machine", whole_memory(), available_memory())
