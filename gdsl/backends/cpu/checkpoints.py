"""The state of a run by several workers between two passes of an outermost loop, from which it can go on.

Each worker stores the values of its own vertices and edges, all scalars, and the members of sets that it owns; of
graphs that the schedule has built, an equal share of what they are made of (`StoredGraph`). Together that is everything
that a run has in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl import cache
from gdsl.diagnostics import GdslError
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Program, Repeat, While
from gdsl.ir.traversal import all_steps


class Moment(IntEnum):
    """Why generated code calls the host."""

    BEFORE = 0
    AFTER = 1
    PASS_ENDED = 2
    SET = 3
    COMPLETE = 4
    RESTORED = 5
    SET_RESTORED = 6
    GRAPH = 7
    GRAPH_SIZES = 8
    GRAPH_RESTORED = 9


NO_PART = -1
"""The size of a part of a graph that is the input graph's."""


@dataclass
class StoredGraph:
    """One worker's share of a graph that the schedule has built, from which all workers build it again.

    sizes: the number of vertices; of edges that have ends of their own, as those of a contraction have, or `NO_PART`;
    and of edges with these ends that the graph has, or `NO_PART` where it has all. The rest is in the order of edges.
    """

    sizes: NDArray[np.int64]
    columns: NDArray[Any]
    sources: NDArray[Any]
    edges: NDArray[Any]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The parts by name."""
        return {"sizes": self.sizes, "columns": self.columns, "sources": self.sources, "edges": self.edges}


@dataclass
class RunState:
    """What one worker has of a run.

    loop, passes: the outermost loop of the schedule that the run is in, and how many passes it has had; passes_of_loop:
    how many it is to have, where they are counted. iterations: the passes of all outermost loops so far. data: arrays
    (of a worker's own vertices or edges) and scalars, as they are in memory, by name. sets: by number the worker's own
    members of frontiers. graphs: those that the schedule has built, by number. program, boundaries: a key of the
    program, and the shares, which must be the same to go on.
    """

    program: str
    rank: int
    boundaries: NDArray[np.int64]
    loop: int
    passes: int
    passes_of_loop: int
    iterations: int
    data: dict[str, NDArray[Any]]
    sets: dict[int, NDArray[Any]] = field(default_factory=dict)
    graphs: dict[int, StoredGraph] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        program: Program,
        share: GraphShare,
        loop: int,
        passes: int,
        passes_of_loop: int,
        iterations: int,
        data: dict[str, NDArray[Any]],
    ) -> RunState:
        """The state of a worker, without its sets and graphs."""
        key = cache.program_key(program)
        return cls(key, share.rank, share.boundaries, loop, passes, passes_of_loop, iterations, data)

    def check(self, program: Program, share: GraphShare) -> None:
        """Raise E0809 unless this is a state of `program` on this share."""
        if self.program != cache.program_key(program):
            raise self.unfit("is that of another program, or of one that was compiled by another gdsl")
        if self.rank != share.rank or not np.array_equal(self.boundaries, share.boundaries):
            raise self.unfit("is that of another share of the graph")
        loops = {step.loop for step in all_steps(program.schedule) if isinstance(step, While | Repeat)}
        if self.loop not in loops or min(self.passes, self.passes_of_loop, self.iterations) < 0:
            raise self.unfit("is that of no loop of the program")

    def check_data(self, name: str, dtype: np.dtype[Any], length: int) -> None:
        """Raise E0809 unless there are so many values of an array or scalar, of this type."""
        values = self.data.get(name)
        if values is None or values.dtype != dtype or values.shape != (length,):
            raise self.unfit(f"does not have the values of {name}")

    def members(self, number: int, dtype: np.dtype[Any], first: int, last: int) -> NDArray[Any]:
        """A set of ids from `first` to before `last`. Raises E0809 for another, or none."""
        members = self.sets.get(number)
        if members is None or members.dtype != dtype or members.ndim != 1 or len(members) > last - first:
            raise self.unfit("does not have a set of vertices or edges")
        if len(members) and (int(members.min()) < first or int(members.max()) >= last):
            raise self.unfit("has vertices or edges of other workers")
        return members

    def graph(self, number: int, most_vertices: int, most_edges: int) -> StoredGraph:
        """A graph that the schedule has built. Raises E0809 if there is none, or if it is too large."""
        stored = self.graphs.get(number)
        if stored is not None and stored.sizes.dtype == np.int64 and stored.sizes.shape == (3,):
            vertices, ends, some = stored.sizes.tolist()
            edges = most_edges if ends == NO_PART else ends
            if 0 <= vertices <= most_vertices and NO_PART <= ends <= most_edges and NO_PART <= some <= edges:
                return stored
        raise self.unfit("does not have a graph that the schedule has built")

    def unfit(self, what: str) -> GdslError:
        """E0809: the run cannot go on from this state."""
        message = f"what the checkpoint has of worker {self.rank} {what}"
        return GdslError.single("E0809", message, fix="begin the run again, in another folder")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as arrays by name, such as `numpy.savez` stores without pickles."""
        counters = [self.rank, self.loop, self.passes, self.passes_of_loop, self.iterations]
        arrays: dict[str, NDArray[Any]] = {"counters": np.array(counters, np.int64), "boundaries": self.boundaries}
        arrays["program"] = np.array(self.program)
        arrays |= {f"data {name}": values for name, values in self.data.items()}
        for number, graph in self.graphs.items():
            arrays |= {f"graph {number} {part}": values for part, values in graph.arrays().items()}
        return arrays | {f"set {number}": members for number, members in self.sets.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> RunState:
        """The state of what `arrays` gave."""
        rank, loop, passes, passes_of_loop, iterations = (int(each) for each in arrays["counters"])
        data = {name.partition(" ")[2]: arrays[name] for name in arrays if name.startswith("data ")}
        sets = {int(name.partition(" ")[2]): arrays[name] for name in arrays if name.startswith("set ")}
        numbers = [int(name.split()[1]) for name in arrays if name.startswith("graph ") and name.endswith(" sizes")]
        parts = {
            number: {name.split()[2]: arrays[name] for name in arrays if name.startswith(f"graph {number} ")}
            for number in numbers
        }
        graphs = {number: StoredGraph(**each) for number, each in parts.items()}
        boundaries = np.asarray(arrays["boundaries"], np.int64)
        key = str(arrays["program"])
        return cls(key, rank, boundaries, loop, passes, passes_of_loop, iterations, data, sets, graphs)


class Checkpoints(Protocol):
    """What becomes of the state of each worker. All workers answer alike; what is raised ends the run on all."""

    def due(self, iterations: int) -> bool:
        """Whether the state is taken after this many passes of the outermost loops."""
        ...

    def save(self, state: RunState) -> None:
        """Take the state, whose arrays are copies."""
        ...


def equal_share(values: NDArray[Any], rank: int, size: int) -> NDArray[Any]:
    """A copy of the elements that worker `rank` of `size` stores of an array that all of them have: n / size of n."""
    return values[len(values) * rank // size : len(values) * (rank + 1) // size].copy()


def own_part(values: NDArray[Any], own: slice | None) -> NDArray[Any]:
    """A copy of the elements `own` of an array, or of a scalar's one value (None)."""
    return (values if own is None else values[own]).copy()
