"""The node of the plan that says how a program may run on other ids of the vertices; `layouts` makes it."""

from __future__ import annotations

from gdsl.plan.storage import Buffer
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Renumbering:
    """How the program may run on other ids of the vertices; see `layouts`."""

    always: bool
    """Whether it does so on every graph, and not just on those for which it is worth it."""
    looks_up: bool
    """Whether it is a program of its own that does so, which looks up the ids that were given
    (`gdsl.ir.ids`)."""
    keeps: bool
    """Whether it is one whose blocks keep the first values in their own memory (`first_values`)."""
    ids: tuple[str, ...]
    """The data at the border whose values are ids."""
    arrays: tuple[str, ...]
    """The arrays of vertices at the border, which are put into the other order."""
    of_edges: tuple[str, ...]
    """The inputs of edges, which are put into it where they are the graph's own, or where `always` is said."""
    buffers: tuple[Buffer, ...]
    """What it holds beside the buffers of a run."""

    @property
    def apart(self) -> bool:
        """Whether it is a program of its own."""
        return self.looks_up or self.keeps
