"""Decides how many blocks a search has on a graph, from what its runs on it have shown.

A pass takes as many rounds of memory accesses as it has edges for each thread. Then all threads wait for each other,
which takes longer the more they are. On roads a search is thousands of passes of few edges: few blocks take less time.
On trees and meshes the passes are fewer, and have more edges than few blocks have threads. The numbers of vertices and
edges do not tell which it is. So the first run has few blocks where there are few edges a vertex, and many elsewhere
and on forests, most of which are shallow; later ones have as many as would have taken the fewest rounds. Nothing is
compiled again. Runs that reached few vertices say nothing about the others.

The code for deep graphs (`graph_class`) has small blocks and keeps few members as lists, for small passes, too. Where
most passes are wide, later runs have the code for any graph, which is there already (`ExecutableForms`).
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

WAITING = 512
"""So many more threads of each multiprocessor make a barrier longer by about a round. By the times of thirteen searches
on grids, meshes, trees, k-mers, random geometric graphs and power laws with one, two and four blocks each (H200), a
round takes 1.3 microseconds, and two blocks of 256 threads wait .7 longer than one, four 2 longer than two."""
_RUNS = 8
"""If so many runs have reached few vertices, the blocks stay as they are."""


class Work(NamedTuple):
    """What operators did: their `members` together, and the `visits` of each, of edges, or members if it walks none."""

    members: int
    visits: NDArray[numpy.int64]

    @property
    def usual(self) -> int:
        """The median of the visits."""
        return int(numpy.median(self.visits)) if len(self.visits) else 0


@dataclasses.dataclass(slots=True)
class ObservedBlocks:
    """The blocks of a grid on one graph: of `threads`, one to `most` on each of the `multiprocessors`, `first` of them
    in the first run; unless it `observes`, in all of them."""

    multiprocessors: int
    most: int
    first: int
    threads: int
    num_vertices: int
    observes: bool = True
    runs_left: int = _RUNS
    is_wide: bool = False
    """Whether a run has shown that most operators have an edge for each thread of one block on each multiprocessor."""

    def __post_init__(self) -> None:
        if self.most == 1 or not self.observes:
            self.runs_left = 0

    def note(self, work: Work) -> int:
        """The blocks of each multiprocessor in the next run, after one that did this work."""
        self.runs_left -= 1
        if 2 * work.members < self.num_vertices:
            return self.first
        self.runs_left = 0
        self.is_wide = work.usual >= self.multiprocessors * self.threads
        return min(range(1, self.most + 1), key=lambda each: self._rounds(work.visits, each))

    def _rounds(self, visits: NDArray[numpy.int64], each: int) -> float:
        """Of a mean operator with `each` blocks on each multiprocessor, waiting at its end included."""
        threads = each * self.threads
        rounds = float(numpy.ceil(visits / (threads * self.multiprocessors)).mean())
        return rounds + threads / WAITING
