"""By how much the best knobs that a search finds beat what the program does by itself: whether `auto` decides well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.graphs import BenchmarkGraph
from bench.measure import Measurement
from bench.works import WORKS
from gdsl.api.tuner import Tuner
from gdsl.api.tuning_outcome import TuningOutcome
from gdsl.program_files import read_file

MOST_LEFT = 0.10
"""The part of the time that knobs may save where all is left to `auto`; where they save more, what decides is to be
mended, and not the row to be tuned."""


def tune_row(measurement: Measurement, graph: BenchmarkGraph, backend: str, seconds: float) -> TuningOutcome:
    """Search for `seconds` on the first source. Raises GdslError E0909 where a knob changes a result."""
    work = WORKS[measurement.row.work]
    values = work.values(graph, graph.sources[0] if work.takes_source else None)
    return Tuner(read_file(str(work.program)), graph.graph, values, backend, seconds).search()


def entry(found: TuningOutcome) -> dict[str, Any]:
    """What a search has found, for the JSON document."""
    return {
        "auto_ms": found.auto_ms,
        "tuned_ms": found.tuned_ms,
        "gain": found.gain,
        "knobs": list(found.knobs),
        "tries": len(found.tries),
        "stop": found.stop.value,
        "auto_is_good": found.gain <= MOST_LEFT,
    }


def lines(measurements: Sequence[Measurement]) -> list[str]:
    """A line for each row that was tuned, those last in which too much is left."""
    tuned = [(each.row.title, each.tuned) for each in measurements if each.tuned is not None]
    said = []
    for title, found in sorted(tuned, key=lambda pair: pair[1].gain):
        figures = f"{found.auto_ms:.3f} ms as it is, {found.tuned_ms:.3f} tuned, {100 * found.gain:.1f} % less"
        verdict = "auto is to be mended" if found.gain > MOST_LEFT else "auto is good"
        words = " ".join(found.knobs) or "no knobs"
        said.append(f"{title}: {figures}: {verdict} ({words}; {len(found.tries)} tries, {found.stop.value})")
    return said
