"""What a run would take, found without running anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gdsl.backends.interface import Need
from gdsl.types import Widths


@dataclass(frozen=True, slots=True)
class DryRun:
    """A run that was not made: the program, its params and inputs are right, and this is what it would allocate.

    backend: its name; backend_line: why it was taken. widths: of the ids of vertices and edges.
    needs: the buffers, in the order of the plan; those of a first run, before which nothing of the graph lies there,
    with what it takes to number the vertices by degree where such a run would do so and there is room.
    device: whose memory it is. total, free: its bytes, and those that nobody has; None where the system does not say.
    """

    backend: str
    backend_line: str
    widths: Widths
    needs: tuple[Need, ...]
    device: str
    total: int | None
    free: int | None

    @property
    def needed(self) -> int:
        """Bytes of all buffers together."""
        return sum(need.nbytes for need in self.needs)

    @property
    def fits(self) -> bool | None:
        """Whether there is that much; None where nobody knows."""
        return None if self.free is None else self.needed <= self.free

    def as_document(self) -> dict[str, Any]:
        """The same for JSON; bytes are whole numbers."""
        buffers = [
            {
                "name": need.name,
                "what": need.what,
                "elements": need.elements,
                "bytes": need.nbytes,
                **({"there": need.there} if need.there else {}),
            }
            for need in self.needs
        ]
        return {
            "device": self.device,
            "total": self.total,
            "free": self.free,
            "needed": self.needed,
            "fits": self.fits,
            "ids": {"vertex": self.widths.vertex, "edge": self.widths.edge},
            "buffers": buffers,
        }
