"""What a run may use of a GPU's memory: the option `memory`."""

from __future__ import annotations

from enum import Enum

from gdsl.diagnostics import shown
from gdsl.numerals import byte_count, is_whole, readable_bytes
from gdsl.records import dataclass


class Place(Enum):
    """Where the edge lists of a graph are while a program runs on it."""

    AUTO = "auto"
    DEVICE = "device"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The choice of a caller.

    place: AUTO keeps the edge lists in the GPU's memory if everything fits there, and otherwise as much of them as
    does; DEVICE keeps all of them there; HOST keeps them in the memory of the host. limit: the most bytes of the GPU's
    memory that the run may use; None: what is free.
    """

    place: Place = Place.AUTO
    limit: int | None = None

    def __str__(self) -> str:
        return self.place.value if self.limit is None else readable_bytes(self.limit)


_WORDS = {place.value: None if place is Place.AUTO else MemoryUse(place) for place in Place}


def memory_use(value: object) -> MemoryUse | None:
    """What ``memory=value`` means: auto, device, host, a number of bytes, or one with a unit (2GB, 500MB, 1.5GiB); None
    for auto. Raises TypeError for other types, ValueError for other words and negative numbers."""
    if value is None or isinstance(value, MemoryUse):
        return value
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        try:
            return MemoryUse(limit=byte_count(value))
        except ValueError:
            words = ", ".join(_WORDS)
            raise ValueError(
                f"memory must be {words} or a size such as 2GB, 500MB or 1.5GiB, not {shown(value)}"
            ) from None
    if not is_whole(value):
        raise TypeError(f"memory must be a number of bytes, a size such as '2GB', or 'host', not {shown(value)}")
    limit = int(value)  # type: ignore[call-overload]
    if limit < 0:
        raise ValueError(f"memory must be a number of bytes from 0 on, not {shown(limit)}")
    return MemoryUse(limit=limit)
