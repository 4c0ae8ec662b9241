"""Decides where the arrays of runs on several GPUs are, from what runs have shown.

Arrays are in parts, one on each GPU, so that all GPUs have as much to do in near memory. While the first GPU is alone
(`plan.solo_rounds`), half of what it accesses is far; if all of it were near, it would be worth being alone in larger
passes as well. So if more than half of a run is passes that are small enough for that, the next run has all arrays on
the first GPU, if there is room. If it takes less time, so do all that follow; if not, arrays are in parts again. Times
are those of kernels alone. On a graph whose vertices are numbered by degree, all GPUs have work in most passes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.backends.interface import TraceRecord
from gdsl.plan.fusion import flattened
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.solo_rounds import solo_loops

LEAST_MS = 1.0
"""Shorter runs do not make up for allocating memory once more."""


@dataclasses.dataclass(slots=True)
class ObservedPlacement:
    """Of one program's runs on one graph."""

    sites: frozenset[int]
    """The operators of loops whose small passes one GPU may run alone."""
    is_near: bool = False
    """Whether the next run has all arrays on the first GPU."""
    settled: bool = False
    """Whether no run changes that any more."""
    _in_parts_ms: float = 0.0

    def asks(self, ms: float) -> bool:
        """Whether a run that took so many milliseconds shows something."""
        return not self.settled and ms >= LEAST_MS

    def note_in_parts(self, ms: float, records: Iterable[TraceRecord], most_members: float) -> None:
        """A run with arrays in parts took so many milliseconds, and has this trace. Passes of up to `most_members` are
        small."""
        small = (each for each in records if each.site in self.sites and each.frontier_size <= most_members)
        small_ms = sum((each.time_ms or 0.0) + (each.before_ms or 0.0) for each in small)
        self._in_parts_ms, self.is_near = ms, small_ms > ms / 2

    def note_near(self, ms: float) -> None:
        """A run with all arrays on the first GPU took so many milliseconds."""
        self.is_near, self.settled = ms < self._in_parts_ms, True

    def give_up(self) -> None:
        """There is no room on the first GPU."""
        self.is_near, self.settled = False, True


def placement_of(plan: Plan) -> ObservedPlacement | None:
    """For the runs of a plan; None if it has no loop that matters."""
    inside = (step for loop in solo_loops(plan) for step in loop.body if isinstance(step, Operation))
    sites = frozenset(each.step.site for step in inside for each in flattened(step))
    return ObservedPlacement(sites) if sites else None
