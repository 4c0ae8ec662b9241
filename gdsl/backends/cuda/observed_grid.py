"""How many blocks a multiprocessor runs of a program on a graph have, by what earlier ones have shown.

All blocks wait for each other at every barrier, the longer the more there are: a microsecond more with four blocks a
multiprocessor than with one. What takes thousands of short operators, as peeling a graph does, gains by fewer blocks;
what moves many bytes an operator loses. No number that is known of a graph before a run tells the two apart: frontiers
may be small on graphs of any kind. So a run whose operators are short on average is followed by one with a single block
a multiprocessor, and later runs have what took less time an operator. Results are the same with any number of blocks,
but for the rounding of float sums, as with any other order of calls.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SHORT = 20_000
"""Nanoseconds of an operator on average up to which a microsecond less at its barrier is worth a try."""
SEVERAL = 64
"""Operators of a run from which on their average says something."""
GAIN = 0.97
"""The part of the time an operator below which few blocks stay."""


@dataclass
class ObservedGrid:
    """The blocks of the next run: `usual` or `few` of them."""

    usual: int
    few: int
    blocks: int = field(init=False)
    settled: bool = False
    _runs: int = 0
    _usual_ns: float = 0.0

    def __post_init__(self) -> None:
        self.blocks = self.usual
        self.settled = self.few >= self.usual

    def note(self, operators: int, nanoseconds: int) -> None:
        """A run with `blocks` has had so many operators, and its kernel has taken so long. The first one finds a cold
        cache and makes what is kept with the graph, so the second is compared."""
        self._runs += 1
        if self.settled or self._runs == 1:
            return
        mean = nanoseconds / max(operators, 1)
        if self.blocks == self.usual:
            self._usual_ns = mean
            self.settled = operators < SEVERAL or mean > SHORT
            self.blocks = self.usual if self.settled else self.few
        else:
            self.settled = True
            self.blocks = self.few if mean < GAIN * self._usual_ns else self.usual
