"""Decides how many blocks run for one value where a launch runs for many.

Alone a block waits for no other at its barriers, so that as many values as there are blocks side by side are quickest
done by a block each. Of fewer values each has more blocks, as far as the graph is work for them.
"""

from __future__ import annotations

WORK = 1 << 15
"""Vertices and edges that keep a block busy."""


def blocks_a_team(values: int, blocks: int, elements: int) -> int:
    """Of `blocks` side by side, for so many values on a graph of so many vertices and edges."""
    return max(1, min(blocks // max(values, 1), elements // WORK))
