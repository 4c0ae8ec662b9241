"""What a run would allocate, without running anything."""

from __future__ import annotations

from typing import Any

from gdsl.backends.gpus import GpuNeed
from gdsl.backends.interface import Need
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
