"""The edges that each vertex of a sample may be continued by, and the programs that draw from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.compiling import compile as compiled
from gdsl.graph import Graph

if TYPE_CHECKING:
    from gdsl.api.program import Program

PROGRAMS = Path(__file__).parent / "programs"
LATEST = np.iinfo(np.int64).max
"""The time of a slot without a limit."""

Ids = NDArray[np.int64]


@cache
def program(name: str) -> Program:
    """A program of this package, compiled once for each process."""
    return compiled(PROGRAMS / f"{name}.gdsl")


@dataclass(frozen=True)
class Slots:
    """Vertices of a sample, in order of appearance.

    vertex: int64[S]. salt: int64[S], which tells apart draws for the same vertex. limit: int64[S], the latest time of
    an edge, or None.
    """

    vertex: Ids
    salt: Ids
    limit: Ids | None = None


@dataclass(frozen=True)
class Draws:
    """How edges are drawn: `count` for each slot (below 0: all), with repetition or not, at random or the latest ones,
    by the numbers `key` and `hop`."""

    count: int
    replace: bool
    latest: bool
    key: int
    hop: int


@dataclass
class NeighborLists:
    """Lists of edges in a graph of their own, in which the list of a vertex has the edges that are drawn from.

    graph: from the vertex that is continued to the one that joins. given: the number of each of its edges in the data,
    int64[E]. sums: running sums of the weights of each list, float64[E], on the host or the GPU; None: all weigh the
    same. times: int64[E], or None.
    """

    graph: Graph
    given: Ids
    backend: str
    sums: Any = None
    times: Any = None
    _buffers: dict[tuple[str, int], Any] = field(default_factory=dict)
    _zeros: Callable[..., Any] = np.zeros

    @classmethod
    def build(
        cls,
        near: Ids,
        far: Ids,
        num_vertices: int,
        backend: str,
        weight: NDArray[Any] | None = None,
        time: Ids | None = None,
    ) -> NeighborLists:
        """Lists of the edges from `near` to `far`. Raises GdslError for ends that are not vertices, and for weights
        that are negative or not finite."""
        attributes: dict[str, NDArray[Any]] = {"given": np.arange(len(near))}
        attributes |= {} if weight is None else {"weight": weight}
        attributes |= {} if time is None else {"time": time}
        graph = Graph.from_edges(near, far, num_vertices=num_vertices, attributes=attributes)
        lists = cls(graph, np.asarray(graph.attributes["given"]), backend)
        if weight is not None:
            lists.sums = program("running_weights").run(graph, backend=backend).arrays["sum"]
        elif time is not None:
            ones = np.ones(graph.num_edges, np.int32)
            lists.sums = program("running_weights").run(graph, {"weight": ones}, backend=backend).arrays["sum"]
        if time is not None:
            lists.times = graph.attributes["time"]
        elif weight is not None:
            lists.times = np.zeros(graph.num_edges, np.int64)
        return lists

    def draw(self, slots: Slots, how: Draws) -> tuple[Ids, Ids]:
        """The slots that edges were drawn for, ascending, and these edges of `graph`."""
        largest = int(self.graph.out_degrees.max(initial=0))
        if how.count < 0 and not how.latest:
            return self._all(slots)
        wanted = largest if how.count < 0 else how.count if how.replace else min(how.count, largest)
        count = len(slots.vertex)
        if not (wanted and count):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        picked = self._run(slots, how, wanted).reshape(-1)[: count * wanted]
        picked = np.asarray(picked.get() if hasattr(picked, "get") else picked)
        at = np.flatnonzero(picked)
        return at // wanted, picked[at] - 1

    def _run(self, slots: Slots, how: Draws, wanted: int) -> Any:
        """What the program for these lists picks, where the graph is: its edges plus 1, `wanted` for each slot."""
        vertices, count = self.graph.num_vertices, len(slots.vertex)
        width = -(-count // vertices)
        values: dict[str, Any] = {
            "slots": count,
            "width": width,
            "room": -(-count * wanted // vertices),
            "k": wanted,
            "replace": how.replace,
            "key": how.key,
            "hop": how.hop,
            "member": self._buffer("member", width, slots.vertex),
            "salt": self._buffer("salt", width, slots.salt),
        }
        name = "uniform_neighbors"
        if self.sums is not None:
            name = "weighted_neighbors"
            limit = np.full(count, LATEST) if slots.limit is None else slots.limit
            values |= {"sum": self.sums, "time": self.times, "latest": how.latest}
            values["limit"] = self._buffer("limit", width, limit)
        picked = program(name).run(self.graph, values, backend=self.backend).arrays["picked"]
        if not isinstance(picked, np.ndarray) and self._zeros is np.zeros:
            self._stay_on_the_gpu()
        return picked

    def _buffer(self, name: str, width: int, values: Ids) -> Any:
        """An input with these values first, in memory that is used again: a run costs what the sample does."""
        buffer = self._buffers.get((name, width))
        if buffer is None:
            buffer = self._buffers[name, width] = self._zeros((self.graph.num_vertices, width), np.int64)
        if isinstance(buffer, np.ndarray):
            buffer.reshape(-1)[: len(values)] = values
        else:
            buffer.reshape(-1)[: len(values)].set(np.ascontiguousarray(values))
        return buffer

    def _stay_on_the_gpu(self) -> None:
        """Keep the inputs where the graph is, once a run was on a GPU."""
        import cupy

        self._buffers.clear()
        self._zeros = cupy.zeros
        if self.times is not None:
            self.times = cupy.asarray(self.times)

    def _all(self, slots: Slots) -> tuple[Ids, Ids]:
        """Every edge of each slot's list that has weight and is not too late."""
        slot, edge = self.within(slots.vertex)
        keep = np.ones(len(edge), bool)
        if self.sums is not None:
            sums = _on_host(self.sums)
            first = self.graph.offsets[slots.vertex][slot] == edge
            keep &= sums[edge] > np.where(first, 0, sums[edge - 1])
        if slots.limit is not None:
            keep &= self.times_on_host()[edge] <= slots.limit[slot]
        return slot[keep], edge[keep]

    def within(self, vertices: Ids) -> tuple[Ids, Ids]:
        """The lists of these vertices, one after the other: the place in `vertices` of each owner, and the edge."""
        first, degree = self.graph.offsets[vertices], self.graph.out_degrees[vertices].astype(np.int64)
        owner = np.repeat(np.arange(len(vertices)), degree)
        before = np.cumsum(degree) - degree
        return owner, np.arange(len(owner)) - before[owner] + first[owner]

    def times_on_host(self) -> Ids:
        """The times as an array of NumPy."""
        times: Ids = _on_host(self.times)
        return times

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; its inputs are in its own memory."""
        state = {**self.__dict__, "_buffers": {}, "_zeros": np.zeros}
        return {**state, "sums": _on_host(self.sums), "times": _on_host(self.times)}


def _on_host(values: Any) -> Any:
    return values.get() if hasattr(values, "get") else values
