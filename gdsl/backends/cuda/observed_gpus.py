"""Decides whether runs on several GPUs are left to the first one, from what runs have shown.

Each operator costs several GPUs some 10 to 20 µs more than one: barriers of 2.7 µs for 2.2, accesses of another GPU's
memory of which each waits for the one before, and a counter to which all GPUs add. That does not matter if operators
take much longer. If a run has many short ones, one GPU may be faster, however large the graph is, and only a run shows
whether it is. So after a run whose operators take less than `SHORT_MS` on average, the next one is made by the first
GPU alone, as with `gpus=1`, if the graph fits there. The faster of both ways is kept.
"""

from __future__ import annotations

import dataclasses

LEAST_MS = 1.0
"""Shorter runs do not make up for another form of the program, and for the graph once more on the first GPU."""
SHORT_MS = 0.1
"""On average, of an operator."""


@dataclasses.dataclass(slots=True)
class ObservedGpus:
    """Of one program's runs on one graph."""

    is_alone: bool = False
    """Whether the next run is one of the first GPU alone."""
    _settled: bool = False
    """Whether no run changes that any more."""
    _together_ms: float = 0.0

    def note_together(self, ms: float, operators: int) -> None:
        """A run on all GPUs took so many milliseconds, in which so many operators ran."""
        if not self._settled and ms >= LEAST_MS:
            self._together_ms, self.is_alone = ms, ms < SHORT_MS * operators

    def note_alone(self, ms: float) -> None:
        """A run on the first GPU took so many milliseconds."""
        if not self._settled:
            self.is_alone, self._settled = ms < self._together_ms, True

    def give_up(self) -> None:
        """There is no room on the first GPU."""
        self.is_alone, self._settled = False, True
