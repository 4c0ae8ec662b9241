"""Decides in which order of work a program runs on a graph, from what its runs on it have shown.

Begin in the order as given. If a run visits too many edges (`plan.work_order.MOST_VISITS` of each), it stops and begins
again from near to far, and so do later runs. If that took less time than the visits that were made in vain, nothing the
order as given could do would have been faster, and the order is settled. If it took longer, it is unknown how long the
order as given had needed: the next run has this order once more, for as many visits as fit in that time. It comes to
its end, and the order as given is settled, or it stops, and the other one is. So an attempt costs at most as much as
the run that it is compared with, and each is made once.

The passes of the stopped run also say which code begins again. Where they have an edge for each thread, it does without
lists of few members, which take registers: in the mean, and most of them a fourth of that. (A power law beside a grid
has a few passes of most edges, and then hundreds of few.)

Runs of few visits (in a small component) say nothing about the others. Times are those of kernels alone: a first launch
also loads its code.

Begin again rather than continue: the state that was reached would do, as any order of visits ends in the same values,
but the kernel that continues has to be compiled first, which takes longer than all that a continuation could save.
"""

from __future__ import annotations

import dataclasses

from gdsl.plan.graph_class import LARGE
from gdsl.plan.work_order import MOST_VISITS

LEAST_VISITS = LARGE
"""Fewer visits than this do not make up for compiling another kernel: they take a fraction of a millisecond."""


class TooManyVisitsError(Exception):
    """A run was stopped since its first loop had visited so many edges in so many passes, after `ms` milliseconds: it
    can begin again in another order of work. `usual`: the edges of a median pass."""

    def __init__(self, visits: int, ms: float, passes: int, usual: int) -> None:
        super().__init__(visits, ms, passes, usual)
        self.visits, self.ms, self.passes, self.usual = visits, ms, passes, usual


@dataclasses.dataclass(slots=True)
class ObservedOrder:
    """The order of work on one graph, of `num_edges` stored edges."""

    num_edges: int
    threads: int = 1 << 62
    """Those for which a wide pass has an edge each."""
    most_visits: int = 0
    """Edges that a run in the order as given may visit before it is stopped; 0: any number."""
    is_wide: bool = False
    """Whether the visits that were made in vain were made in wide passes."""
    is_near_far: bool = False
    """Whether runs begin from near to far."""
    needs_run: bool = False
    """Whether the next run is waited for, since it will show something: on a graph that is not small."""
    ran_near_far: bool = False
    """Whether the last run was from near to far."""
    line: str = ""
    """What was chosen, and why."""
    _stopped: tuple[int, float] | None = None
    """Visits and milliseconds of the run that was stopped last."""
    _near_far_ms: float | None = None
    """Milliseconds of a run from near to far, which the next one in the order as given is compared with."""

    def __post_init__(self) -> None:
        self.most_visits = self._usual
        self.needs_run = MOST_VISITS * self.num_edges >= LEAST_VISITS

    @property
    def _usual(self) -> int:
        return max(MOST_VISITS * self.num_edges, LEAST_VISITS)

    def note_as_given(self, visits: int, ms: float) -> None:
        """A run in the order as given came to its end, in so many milliseconds."""
        self.needs_run = self.ran_near_far = False
        if self._near_far_ms is not None and visits > self._usual and self.most_visits:
            if ms <= self._near_far_ms:
                self.most_visits = 0
                self.line = f"order: as_given, {_took(ms)} where near_far {_took(self._near_far_ms)}"
            else:
                self._settle(f"{_took(self._near_far_ms)} where as_given {_took(ms)}")
        elif self.most_visits:
            self.line = f"order: as_given, {self._each(visits)}"

    def note_stop(self, visits: int, ms: float, passes: int, usual: int) -> None:
        """A run in the order as given was stopped after so many visits, milliseconds and passes; it begins again.
        `usual`: the edges of a median pass."""
        if self._stopped is None:
            self.is_wide = visits >= self.threads * passes and usual >= self.threads // 4
        self._stopped = visits, ms
        if self._near_far_ms is not None:
            self._settle(f"{_took(self._near_far_ms)} where as_given had made {self._each(visits)} and was not done")
        else:
            self.line = f"order: near_far, since as_given was stopped after {self._each(visits)} ({ms:.3g} ms)"

    def note_near_far(self, ms: float) -> None:
        """A run from near to far took so many milliseconds."""
        self.ran_near_far = True
        if self.is_near_far or self._stopped is None:
            return
        visits, spent = self._stopped
        if ms <= spent or spent <= 0:
            self._settle(f"since as_given makes more than {self._each(visits)}")
        else:
            self._near_far_ms, self.needs_run = ms, True
            self.most_visits = max(self._usual, int(visits * (ms / spent)))

    def give_up(self) -> None:
        """There is no memory for the other order."""
        self.is_near_far = self.ran_near_far = self.needs_run = False
        self.most_visits = 0
        self.line = "order: as_given, since there is no memory for near_far"

    def _settle(self, why: str) -> None:
        """From near to far from now on."""
        self.is_near_far, self.needs_run = True, False
        self.line = f"order: near_far, {why}"

    def _each(self, visits: int) -> str:
        return f"{visits / max(self.num_edges, 1):.1f} visits of each edge"


def _took(ms: float) -> str:
    return f"took {ms:.3g} ms"
