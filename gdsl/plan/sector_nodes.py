"""What a push fetches beside the memory that it touches; see `sectors`."""

from __future__ import annotations

from gdsl.operations import Over
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Beside:
    """What lies beside elements of `arrays`, and beside these `lists`, or where they begin."""

    lists: tuple[Over, ...]
    arrays: tuple[str, ...]
