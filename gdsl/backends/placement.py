"""Where the edge lists of a run are: in the memory of the GPU, in that of the host, or the first part in one and the
rest in the other.

Edge lists are the arrays with a value for each edge that no run changes: the parts of a graph, and its attributes of
edges. All other memory of a run is the GPU's. A list that is divided has consecutive addresses; as vertices may be
numbered by falling degree, its first part has the lists of hubs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gdsl.backends.interface import Need
from gdsl.diagnostics import GdslError
from gdsl.memory_use import MemoryUse, Place
from gdsl.numerals import readable_bytes
from gdsl.records import dataclass

PAGE = 2 << 20
"""Bytes of the pages of a GPU: a list is divided between two of them."""
_UNIT = 512
"""A GPU's memory is allocated in such units."""
_OTHERS = 1 << 16
"""Bytes for what no plan names: the gaps between aligned buffers, and the words of kernels that copy results."""
_SPARE = 32
"""One part in so many of the free memory is left to the driver where a run may use all of it."""


@dataclass(frozen=True, slots=True)
class Placement:
    """How much of the edge lists stays in the GPU's memory: `resident` of `whole` bytes, the same share of each list,
    in whole pages of `page` bytes."""

    resident: int
    whole: int
    page: int = PAGE

    def resident_bytes(self, nbytes: int) -> int:
        """The bytes at the beginning of a list of `nbytes` that stay there."""
        if not self.whole:
            return 0
        return nbytes * min(self.resident, self.whole) // self.whole // self.page * self.page


class Decision(NamedTuple):
    """What `decide` chose: the number of the candidate, what the run takes, and where its edge lists are; None: all in
    the GPU's memory."""

    candidate: int
    needs: tuple[Need, ...]
    placement: Placement | None


def allocated_bytes(needs: Sequence[Need]) -> int:
    """Bytes of the GPU's memory that a run with these needs allocates at most."""
    return sum(need.nbytes if need.host_bytes else -(-need.nbytes // _UNIT) * _UNIT for need in needs) + _OTHERS


def gaps(needs: Sequence[Need]) -> Need:
    """What `allocated_bytes` adds to the buffers."""
    return Need("run.gaps", "gaps between buffers", "", allocated_bytes(needs) - sum(need.nbytes for need in needs))


def least_limit(needs: Sequence[Need]) -> int:
    """The smallest limit with which a run works: no edge list is in the GPU's memory."""
    return allocated_bytes([need for need in needs if not need.is_list])


def decide(
    on_device: Sequence[Sequence[Need]],
    in_host: Sequence[Sequence[Need]],
    room: int | None,
    memory: MemoryUse | None = None,
    page: int | None = PAGE,
) -> Decision:
    """The first of the candidates `on_device`, the best one first, that takes at most `room` bytes of the GPU's memory
    (None: unknown, which is as much as it takes); otherwise the first of `in_host` that does so with its edge lists in
    the memory of the host, and as much of them in the GPU's as there is room for. `page` is None if lists cannot be
    divided.

    If nothing fits, the answer is the last of `in_host`. The candidate's number counts those `on_device` first.
    """
    place = Place.AUTO if memory is None else memory.place
    is_limited = memory is not None and memory.limit is not None
    if place is not Place.HOST:
        for number, needs in enumerate(on_device):
            taken = allocated_bytes(needs) if is_limited else sum(need.nbytes for need in needs)
            if room is None or taken <= room:
                return Decision(number, tuple(needs), None)
    has_lists = any(need.nbytes for need in in_host[-1] if need.is_list)
    if on_device and (place is Place.DEVICE or (place is Place.AUTO and not has_lists)):
        return Decision(len(on_device) - 1, tuple(on_device[-1]), None)
    usable = room if room is None or is_limited else room - room // _SPARE
    fitting = (number for number, needs in enumerate(in_host) if usable is None or least_limit(needs) <= usable)
    number = next(fitting, len(in_host) - 1)
    chosen = in_host[number]
    lists = sum(need.nbytes for need in chosen if need.is_list)
    left = 0 if usable is None or page is None or place is Place.HOST else usable - least_limit(chosen)
    placement = Placement(max(min(left, lists), 0), lists, page or PAGE)
    return Decision(len(on_device) + number, tuple(placed(need, placement) for need in chosen), placement)


def placed(need: Need, placement: Placement) -> Need:
    """`need` with an edge list where `placement` has it."""
    whole = need.nbytes + need.host_bytes
    if not need.is_list or not whole:
        return need
    resident = placement.resident_bytes(whole)
    return dataclasses.replace(need, nbytes=resident, host_bytes=whole - resident)


def line_of(needs: Sequence[Need], memory: MemoryUse | None) -> str:
    """One line that says which edge lists are in the memory of the host, and why; empty if there are none."""
    lists = [need for need in needs if need.host_bytes]
    if not lists:
        return ""
    names = ", ".join(need.name.partition(".")[2] for need in lists)
    there, here = (sum(sizes) for sizes in zip(*((need.host_bytes, need.nbytes) for need in lists), strict=True))
    resident = f", and {readable_bytes(here)} of them on the GPU" if here else ""
    if memory is not None and memory.place is Place.HOST:
        why = "as requested"
    elif memory is not None and memory.limit is not None:
        why = f"since the run may use {readable_bytes(memory.limit)} of the GPU's memory"
    else:
        why = "since they do not fit in the GPU's memory"
    return f"memory: {readable_bytes(there)} of edge lists ({names}) are in the host's memory{resident}, {why}"


def on_host(needs: Callable[[], Sequence[Need]], memory: MemoryUse, backend: str) -> str:
    """What `memory` means for a backend that runs in the memory of the host: a limit for what the run allocates, and
    nothing else. Returns a line about what has no effect; raises E0914 for a limit that is too small."""
    if memory.limit is None:
        return f"memory: {memory} changes nothing on the {backend} backend, which runs in the memory of the host"
    needed = sum(need.nbytes for need in needs())
    if needed > memory.limit:
        raise GdslError.single(
            "E0914",
            f"the run needs {needed:,} bytes of memory besides the graph, and it may use {memory.limit:,}",
            fix=f"use --memory {needed} (from Python: memory={needed}) or more, or a smaller graph",
            notes=["gdslc run --dry-run lists what needs it (from Python: program.dry_run)"],
        )
    return ""


def too_small(needs: Sequence[Need], limit: int) -> GdslError:
    """E0914 for a limit below `least_limit`."""
    least = least_limit(needs)
    largest = sorted((need for need in needs if need.nbytes and not need.is_list), key=lambda need: -need.nbytes)[:3]
    buffers = ", ".join(f"{need.name} ({readable_bytes(need.nbytes)})" for need in largest)
    return GdslError.single(
        "E0914",
        f"the run needs {least:,} bytes of the GPU's memory even if all edge lists are in the host's, "
        f"and it may use {limit:,}",
        fix=f"use --memory {least} (from Python: memory={least}) or more, or a smaller graph",
        notes=[f"the largest arrays that stay on the GPU: {buffers}"] if buffers else [],
    )
