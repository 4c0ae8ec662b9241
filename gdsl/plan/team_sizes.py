"""Decides how many blocks run for one value where a launch runs for many.

Alone a block waits for no other at its barriers, so that as many values as there are blocks side by side are quickest
done by a block each. Of fewer values each has more blocks, as far as the graph is work for them. On large graphs whose
searches are wide it is all the same for the time (H200, rmat20: 37 ms for 1,024 searches by a block each, 34 by four
each), and fewer teams take less memory.
"""

from __future__ import annotations

WORK = 1 << 15
"""Vertices and edges that keep a block busy."""
LARGE, SEVERAL = 1 << 24, 4
"""From so many vertices and edges on a wide graph is large, and a team has so many blocks."""


def blocks_a_team(values: int, blocks: int, elements: int, narrow: bool) -> int:
    """Of `blocks` side by side, for so many values on a graph of so many vertices and edges; `narrow`: whether searches
    on it go through small frontiers."""
    least = SEVERAL if elements >= LARGE and not narrow else 1
    return max(least, min(blocks // max(values, 1), elements // WORK), 1)
