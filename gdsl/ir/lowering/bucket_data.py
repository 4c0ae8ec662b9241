"""What lowering knows of buckets that were declared."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Buckets:
    """What buckets by the array `array` need, with the names of functors: `place` gives a vertex its level, `find`
    looks for the least one, `take` has the vertices of the level popped, `keep` all others."""

    array: str
    type: Type
    waiting: str
    levels: str
    width: str
    popped: str
    least: str
    place: str
    find: str
    take: str
    keep: str


@dataclass(frozen=True, slots=True)
class FreeBuckets:
    """What buckets whose width finds itself need: the frontier of all that wait, the scalars of the least and the
    largest value among them and of the bound that is chosen, and functors: `measure` finds the former, `take` has those
    up to the bound, `keep` all others."""

    name: str
    waiting: str
    nearest: str
    farthest: str
    bound: str
    measure: str
    take: str
    keep: str
