"""The nodes of the kernel plan that say what the device counts, and asks of that."""

from __future__ import annotations

from enum import Enum

from gdsl.records import dataclass


class Measure(Enum):
    """What the device counts."""

    SIZE = "members"
    EDGES = "edges of the members"
    UNVISITED = "edges not yet visited"
    VERTICES = "V"


@dataclass(frozen=True, slots=True)
class Compare:
    """`factor` × `left` is more than (or, not `strict`, at least) `right`."""

    left: Measure
    factor: int
    right: Measure
    strict: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """A test with a memory: it turns true where all of `enter` hold and stays so while all of `stay` do."""

    enter: tuple[Compare, ...]
    stay: tuple[Compare, ...]
