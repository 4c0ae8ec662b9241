"""`--classes`: how gdsl compares with the best of its peers over classes of graphs, and where it is behind."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.measure import Measurement


def read_peer_times(path: Path) -> dict[str, dict[str, float]]:
    """Milliseconds by row and peer, `{"bfs-rgg": {"GSWITCH": 9.1}}`. Raises ValueError for anything else."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise ValueError(f'{path}: expected an object of rows, as {{"bfs-rgg": {{"GSWITCH": 9.1}}}}')
    for row, times in document.items():
        if not isinstance(times, dict) or not all(_is_time(time) for time in times.values()):
            raise ValueError(f"{path}: {row!r} must have positive milliseconds by peer, not {times!r}")
    return document


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def add_peer_times(measurements: Iterable[Measurement], times: Mapping[str, Mapping[str, float]]) -> None:
    """Put times from a file beside those that were measured."""
    for measurement in measurements:
        measurement.peers.update(times.get(measurement.row.name, {}))


def speedup(measurement: Measurement) -> float | None:
    """The best peer's time divided by ours; None where one of them is missing or the result is wrong."""
    if measurement.problem is not None or not measurement.ms or not measurement.peers:
        return None
    return min(measurement.peers.values()) / measurement.ms


def geometric_mean(values: Sequence[float]) -> float:
    """Of at least one positive number."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def lines(measurements: Sequence[Measurement]) -> list[str]:
    """The geometric mean of all speedups, by work and by graph, then the rows that are behind; the worst come first."""
    known = [(measurement, value) for measurement in measurements if (value := speedup(measurement)) is not None]
    if not known:
        return ["no row has both a time and a peer's: --peer-times FILE reads those of peers"]
    behind = [(value, measurement) for measurement, value in known if value < 1]
    mean = geometric_mean([value for _, value in known])
    said = [f"{len(known)} rows with peers: {mean:.2f}x the best peer, first on {len(known) - len(behind)}"]
    said.append(f"by work: {_means((measurement.row.work, value) for measurement, value in known)}")
    said.append(f"by graph: {_means((Path(measurement.row.graph).name, value) for measurement, value in known)}")
    for value, measurement in sorted(behind, key=lambda pair: pair[0]):
        best = min(measurement.peers, key=lambda name: measurement.peers[name])
        theirs = f"{best} {measurement.peers[best]:.3f} ({value:.2f}x)"
        said.append(f"behind: {measurement.row.title} {measurement.ms:.3f} ms, {theirs}")
    return said


def _means(speedups: Iterable[tuple[str, float]]) -> str:
    groups: dict[str, list[float]] = {}
    for name, value in speedups:
        groups.setdefault(name, []).append(value)
    means = sorted((geometric_mean(values), name) for name, values in groups.items())
    return ", ".join(f"{name} {value:.2f}x" for value, name in means)
