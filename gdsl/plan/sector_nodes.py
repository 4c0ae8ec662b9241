"""What sweeps fetch before it is asked for; see `sectors` and `rows_ahead`."""

from __future__ import annotations

from gdsl.operations import Over
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Beside:
    """What lies beside elements of `arrays`, and beside these `lists`, or where they begin."""

    lists: tuple[Over, ...]
    arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """What a thread fetches for the vertex that it takes next: its `lists`, where its lists `begins` begin, and its
    elements of `arrays`."""

    lists: tuple[Over, ...]
    begins: tuple[Over, ...]
    arrays: tuple[str, ...]
