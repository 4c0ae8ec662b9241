"""What a search for knobs has tried and found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gdsl.api.schedules import Words

HOPELESS = 3.0
"""A run that takes this many times as long as the best setting is stopped, and not repeated."""
BEFORE = "as before"
"""The name of the knob for a try of all words of an earlier search."""


class Verdict(Enum):
    """The outcome of a try."""

    KEPT = "kept"
    NOT_FASTER = "not faster"
    STOPPED = f"stopped: more than {HOPELESS:g} times as long"
    NO_ROOM = "not enough memory"


@dataclass(frozen=True, slots=True)
class Try:
    """A setting of one knob, tried with the best setting of the others. knob: its name; word: the setting, empty:
    untuned. ms, best_ms: medians of its runs and of those of the best setting meanwhile; ms is None if no run
    completed."""

    knob: str
    word: str
    verdict: Verdict
    ms: float | None
    best_ms: float

    @property
    def gain(self) -> float | None:
        """The part of the time that it saves; negative if it is slower."""
        return None if self.ms is None or not self.best_ms else 1 - self.ms / self.best_ms


class Stop(Enum):
    """Why a search ended."""

    DONE = "no knob gives more"
    TIME = "the time is up"
    INTERRUPTED = "interrupted"


@dataclass
class TuningOutcome:
    """The result of a search. knobs: the best words, none if nothing is faster than the untuned program; auto_ms,
    tuned_ms: medians of a run without and with them; stop: why the search ended."""

    knobs: Words = ()
    auto_ms: float = 0.0
    tuned_ms: float = 0.0
    tries: list[Try] = field(default_factory=list)
    stop: Stop = Stop.DONE

    @property
    def gain(self) -> float:
        """The part of the time that the knobs save."""
        return 1 - self.tuned_ms / self.auto_ms if self.auto_ms else 0.0
