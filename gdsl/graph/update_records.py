"""What updates of a graph changed, remembered for results that are continued on a later graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_MOST_RECORDS = 1024
"""So many updates are remembered."""


@dataclass(frozen=True, slots=True)
class Record:
    """What one update changed: `before` identifies the graph that it was applied to, `inserted` and `deleted` are the
    ends of edges, ascending and each once, and `example` is a deleted edge."""

    before: object
    inserted: Array
    deleted: Array
    example: tuple[int, int] | None

    @property
    def size(self) -> int:
        """The number of ends."""
        return len(self.inserted) + len(self.deleted)


@dataclass(frozen=True, slots=True)
class Changes:
    """What several updates together changed, as in a `Record`."""

    inserted: Array
    deleted: Array
    example: tuple[int, int] | None

    @property
    def ends(self) -> Array:
        """The ends of all changed edges, ascending and each once."""
        return np.union1d(self.inserted, self.deleted)


def recorded(record: Record, earlier: tuple[Record, ...], num_vertices: int) -> tuple[Record, ...]:
    """The earlier records and this one, as many as there is room for: together at most as many ends as there are
    vertices, or this one."""
    records, room = [record], max(num_vertices - record.size, 0)
    for each in reversed(earlier[-_MOST_RECORDS + 1 :]):
        room -= each.size
        if room < 0:
            break
        records.append(each)
    return tuple(records[::-1])


def since(records: tuple[Record, ...], identity: object, last: object) -> Changes | None:
    """What changed between the graphs of two identities, of which `last` is that of the updated graph; None if that is
    not known."""
    if identity is last:
        none = np.zeros(0, np.int32)
        return Changes(none, none, None)
    start = next((place for place, each in enumerate(records) if each.before is identity), None)
    if start is None:
        return None
    later = records[start:]
    example = next((each.example for each in later if each.example is not None), None)
    inserted, deleted = (_union([getattr(each, part) for each in later]) for part in ("inserted", "deleted"))
    return Changes(inserted, deleted, example)


def _union(parts: list[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
