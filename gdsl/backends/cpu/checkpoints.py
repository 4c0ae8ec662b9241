"""The state of a run by several workers between two passes of an outermost loop, from which it can go on.

Each worker has the values of its own vertices and edges, all scalars, and the members of sets that it owns; together
they are everything that a run has in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl import cache
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Program


class Moment(IntEnum):
    """Why generated code calls the host."""

    BEFORE = 0
    AFTER = 1
    PASS_ENDED = 2
    SET = 3
    COMPLETE = 4
    RESTORED = 5
    SET_RESTORED = 6


@dataclass
class RunState:
    """What one worker has of a run.

    loop, passes: the outermost loop of the schedule that the run is in, and how many passes it has had; passes_of_loop:
    how many it is to have, where they are counted. iterations: the passes of all outermost loops so far. data: arrays
    (of a worker's own vertices or edges) and scalars, as they are in memory, by name. sets: by number the worker's own
    members of frontiers. program, boundaries: a key of the program, and the shares, which must be the same to go on.
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
        """The state of a worker, without its sets."""
        key = cache.program_key(program)
        return cls(key, share.rank, share.boundaries, loop, passes, passes_of_loop, iterations, data)

    def check(self, program: Program, share: GraphShare) -> None:
        """Raise ValueError unless this is a state of `program` on this share."""
        if self.program != cache.program_key(program):
            raise ValueError("the state is that of another program, or of one that was compiled by another gdsl")
        if self.rank != share.rank or not np.array_equal(self.boundaries, share.boundaries):
            raise ValueError("the state is that of another share of the graph")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as arrays by name, such as `numpy.savez` stores without pickles."""
        counters = [self.rank, self.loop, self.passes, self.passes_of_loop, self.iterations]
        arrays: dict[str, NDArray[Any]] = {"counters": np.array(counters, np.int64), "boundaries": self.boundaries}
        arrays["program"] = np.array(self.program)
        arrays |= {f"data {name}": values for name, values in self.data.items()}
        return arrays | {f"set {number}": members for number, members in self.sets.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> RunState:
        """The state of what `arrays` gave."""
        rank, loop, passes, passes_of_loop, iterations = (int(each) for each in arrays["counters"])
        data = {name.partition(" ")[2]: arrays[name] for name in arrays if name.startswith("data ")}
        sets = {int(name.partition(" ")[2]): arrays[name] for name in arrays if name.startswith("set ")}
        boundaries = np.asarray(arrays["boundaries"], np.int64)
        return cls(str(arrays["program"]), rank, boundaries, loop, passes, passes_of_loop, iterations, data, sets)


class Checkpoints(Protocol):
    """What becomes of the state of each worker. All workers answer alike; what is raised ends the run on all."""

    def due(self, iterations: int) -> bool:
        """Whether the state is taken after this many passes of the outermost loops."""
        ...

    def save(self, state: RunState) -> None:
        """Take the state, whose arrays are copies."""
        ...


def own_part(values: NDArray[Any], own: slice | None) -> NDArray[Any]:
    """A copy of what a worker stores of an array or scalar."""
    return (values if own is None else values[own]).copy()
