"""Which warps take the members of a sweep where these are few; see `warp_halves`."""

from __future__ import annotations

from enum import Enum


class Warps(Enum):
    """Which of the grid's warps have work where there is little, before the others have any."""

    ALL = "all"
    """Each takes as few members as there can be."""
    FIRST = "the first half"
    LAST = "the last half"
