"""Decides how many blocks a search has on a graph of few edges for each vertex, from what its runs on it have shown.

On roads such a search is thousands of passes of few members: few blocks wait for each other in less time. On trees and
meshes of as few edges the passes are fewer, and have more members than few blocks have threads. The numbers of vertices
and edges do not tell which it is, so the first run has few blocks, and later ones have many if its operators had enough
members. Forests are an exception: most are shallow, so the first run has many blocks, and later ones few if its
operators had few members. Nothing is compiled again. Runs that reached few vertices say nothing about the others.
"""

from __future__ import annotations

import dataclasses

_SHARE = 4
"""Passes are uneven: where the mean operator has a fourth as many members as few blocks have threads, most of the
members are in operators that have more than these."""
_RUNS = 8
"""If so many runs have reached few vertices, the blocks stay as they are."""


@dataclasses.dataclass(slots=True)
class ObservedBlocks:
    """The blocks of a grid on one graph: `few` or `many`, with `first` of them at first; each block has so many
    `threads`."""

    few: int
    many: int
    threads: int
    num_vertices: int
    first: int
    runs_left: int = _RUNS

    def __post_init__(self) -> None:
        if self.few >= self.many:
            self.runs_left = 0

    def note(self, members: int, operators: int) -> int:
        """The blocks of the next run, after one whose `operators` had so many `members` together."""
        self.runs_left -= 1
        if 2 * members < self.num_vertices:
            return self.first
        self.runs_left = 0
        return self.many if _SHARE * members >= operators * self.few * self.threads else self.few
