"""What a run would allocate, without running anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdsl.backends import registry
from gdsl.backends.gpus import GpuNeed, gpu_numbers_elsewhere, gpus_of, no_memory_error, spread_over
from gdsl.backends.interface import Need, Space
from gdsl.backends.placement import line_of, on_host
from gdsl.backends.registry import Choice
from gdsl.memory_use import MemoryUse, Place
from gdsl.records import dataclass
from gdsl.types import Widths


@dataclass(frozen=True, slots=True)
class DryRun:
    """A run that was only checked: the program, its params and inputs are right, and this is what it would allocate.

    backend: its name; backend_line: why it was chosen. widths: of the ids of vertices and edges.
    needs: the buffers, in the order of the plan; those of a first run, when the device has nothing of the graph,
    including what numbering the vertices by degree takes if such a run would do so and there is room.
    device: the memory's owner. total, free: its bytes; None where the system does not say.
    memory_line: one line about edge lists that would be in the memory of the host, for a run on a GPU; else empty.
    gpus: of a run on several GPUs, what each of them would hold; results for the caller are on the first.
    """

    backend: str
    backend_line: str
    widths: Widths
    needs: tuple[Need, ...]
    device: str
    total: int | None
    free: int | None
    memory_line: str = ""
    gpus: tuple[GpuNeed, ...] = ()

    @property
    def needed(self) -> int:
        """Bytes of all buffers together, without those in the memory of the host."""
        return sum(need.nbytes for need in self.needs)

    @property
    def needed_of_host(self) -> int:
        """Bytes of edge lists that would be in the memory of the host, for a run on a GPU."""
        return sum(need.host_bytes for need in self.needs)

    @property
    def fits(self) -> bool | None:
        """Whether there is enough memory; None if that is unknown."""
        if self.free is None:
            return None
        if self.gpus:
            return all(each.free is None or each.needed <= each.free for each in self.gpus)
        return self.needed <= self.free

    def as_document(self) -> dict[str, Any]:
        """This dry run as a document for JSON; bytes are whole numbers."""
        buffers = [
            {
                "name": need.name,
                "what": need.what,
                "elements": need.elements,
                "bytes": need.nbytes,
                **({"there": need.there} if need.there else {}),
                **({"host_bytes": need.host_bytes} if need.host_bytes else {}),
            }
            for need in self.needs
        ]
        return {
            "device": self.device,
            "total": self.total,
            "free": self.free,
            "needed": self.needed,
            "fits": self.fits,
            **({"needed_of_host": self.needed_of_host} if self.needed_of_host else {}),
            "ids": {"vertex": self.widths.vertex, "edge": self.widths.edge},
            "buffers": buffers,
            **({"gpus": [{"gpu": g.gpu, "needed": g.needed, "free": g.free} for g in self.gpus]} if self.gpus else {}),
        }


@dataclass(frozen=True, slots=True)
class Target:
    """Where a run would be: on a backend of this machine, called `name`, or with a size of memory perhaps elsewhere; on
    the GPUs with these numbers; with this use of memory."""

    choice: Choice
    name: str
    is_elsewhere: bool
    numbers: tuple[int, ...]
    use: MemoryUse | None
    limit: int | None
    """Bytes that each GPU has, as the caller says."""

    def space(self) -> Space:
        """The memory there: what the backend says, or what the caller does, on each of the GPUs."""
        if self.limit is None:
            return self.choice.backend.space()
        together = (len(set(self.numbers)) or 1) * self.limit
        return Space("as requested", together, together)

    def dry_run(self, widths: Widths, needs: tuple[Need, ...], space: Space) -> DryRun:
        """The dry run of a program that `needs` this."""
        backend, use = self.choice.backend.name, self.use
        line = line_of(needs, use)
        if use is not None and self.limit is None and backend != "cuda":
            line = on_host(lambda: needs, use, backend)
        spread = spread_over(needs, self.numbers, space.free) if len(self.numbers) > 1 else ()
        return DryRun(backend, self.choice.line, widths, needs, space.name, space.total, space.free, line, spread)


def target_of(backend: str, use: MemoryUse | None, gpus: int | str | Sequence[int] | None) -> Target:
    """Where a run with these options would be. Raises what `Program.run` raises for options that are not possible."""
    numbers = gpus_of(backend)
    limit = None if use is None else use.limit
    is_elsewhere = limit is not None and (backend == "cuda" or (bool(numbers) and gpus is None))
    if is_elsewhere and (gpus is not None or numbers):
        numbers = gpu_numbers_elsewhere(numbers if gpus is None else gpus)
    elif gpus is not None:
        backend = registry.on_gpus(backend, gpus)
        numbers = gpus_of(backend)
    if len(numbers) > 1:
        if use is not None and use.place is Place.HOST:
            raise no_memory_error()
        use = MemoryUse(Place.DEVICE)  # their edge lists stay on the GPUs
    on_these = f"cuda:{','.join(map(str, numbers))}" if len(numbers) > 1 else "cuda"
    choice = Choice(registry.get(on_these)) if is_elsewhere else registry.choose(backend)
    return Target(choice, backend, is_elsewhere, numbers, use, limit)
