"""The edges that each vertex of a sample may be continued by, and the programs that draw from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.compiling import compile as compiled
from gdsl.backends import registry
from gdsl.graph import Graph

if TYPE_CHECKING:
    from gdsl.api.program import Program

PROGRAMS = Path(__file__).parent / "programs"
LATEST = np.iinfo(np.int64).max
"""The time of a slot without a limit."""

Ids = NDArray[Any]
"""Numbers of vertices or edges, int32 or int64."""


@cache
def program(name: str) -> Program:
    """A program of this package, compiled once for each process."""
    return compiled(PROGRAMS / f"{name}.gdsl")


@dataclass(frozen=True)
class Pointers:
    """One end of edges that are grouped by it: the edges of v are those from `offsets[v]` to `offsets[v + 1]`.

    offsets: int64[V+1], ascending from 0.
    """

    offsets: Ids

    def __len__(self) -> int:
        """The number of edges."""
        return int(self.offsets[-1])

    @cached_property
    def ids(self) -> Ids:
        """This end of each edge, int64[E]."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def ascends(self, other: Ids) -> bool:
        """Whether the other ends ascend in each group."""
        descents = np.flatnonzero(other[1:] < other[:-1]) + 1
        return bool((self.offsets[np.searchsorted(self.offsets, descents)] == descents).all())

    def up_to(self, count: int) -> Ids:
        """The offsets for `count` vertices, of which those beyond V have no edges."""
        return np.append(self.offsets, np.full(count + 1 - len(self.offsets), self.offsets[-1]))


Ends = Ids | Pointers


def ids_of(ends: Ends) -> Ids:
    """One end of each edge, [E]."""
    return ends.ids if isinstance(ends, Pointers) else ends


@dataclass(frozen=True)
class Slots:
    """Vertices of a sample, in order of appearance.

    vertex: int64[S]. salt: int64[S], which tells apart draws for the same vertex. limit: int64[S], the latest time of
    an edge, or None. All are where the lists are.
    """

    vertex: Any
    salt: Any
    limit: Any = None


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

    graph: from the vertex that is continued to the one that joins. arrays: what its arrays are of, NumPy or, if
    programs run on a GPU, CuPy. offsets, far: its CSR. given: the number of each of its edges in the data, int64[E].
    sums: running sums of the weights of each list, float64[E]; None: all weigh the same. times: int64[E], or None; all
    are 0 unless `is_timed`.
    """

    graph: Graph
    backend: str
    sums: Any = None
    times: Any = None
    is_timed: bool = False
    arrays: Any = np
    offsets: Any = None
    far: Any = None
    given: Any = None
    _buffers: dict[tuple[str, int], Any] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        near: Ends,
        far: Ends,
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
        graph = _graph(near, ids_of(far), num_vertices, attributes)
        lists = cls(graph, backend, is_timed=time is not None)
        if weight is not None or time is not None:
            values = {} if weight is not None else {"weight": np.ones(graph.num_edges, np.int32)}
            lists.sums = program("running_weights").run(graph, values, backend=backend).arrays["sum"]
            lists.times = np.zeros(graph.num_edges, np.int64) if time is None else graph.attributes["time"]
        lists._place()
        return lists

    def _place(self) -> None:
        """Put the arrays where programs run."""
        if registry.choose(self.backend).backend.name == "cuda":
            import cupy

            self.arrays = cupy
        convert = self.arrays.asarray
        self.offsets, self.far = convert(self.graph.offsets), convert(self.graph.columns)
        self.given = convert(self.graph.attributes["given"])
        self.sums = None if self.sums is None else convert(self.sums)
        self.times = None if self.times is None else convert(self.times)

    def draw(self, slots: Slots, how: Draws) -> tuple[Any, Any]:
        """The slots that edges were drawn for, ascending, and these edges of `graph`."""
        largest = int(self.graph.out_degrees.max(initial=0))
        if how.count < 0 and not how.latest:
            return self._all(slots)
        wanted = largest if how.count < 0 else how.count if how.replace else min(how.count, largest)
        count = len(slots.vertex)
        if not (wanted and count):
            return self.arrays.zeros(0, np.int64), self.arrays.zeros(0, np.int64)
        picked = self.arrays.asarray(self._run(slots, how, wanted)).reshape(-1)[: count * wanted]
        at = self.arrays.flatnonzero(picked)
        return at // wanted, picked[at] - 1

    def _run(self, slots: Slots, how: Draws, wanted: int) -> Any:
        """What the program for these lists picks: its edges plus 1, `wanted` for each slot."""
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
            limit = self.arrays.full(count, LATEST) if slots.limit is None else slots.limit
            values |= {"sum": self.sums, "time": self.times, "latest": how.latest}
            values["limit"] = self._buffer("limit", width, limit)
        return program(name).run(self.graph, values, backend=self.backend).arrays["picked"]

    def _buffer(self, name: str, width: int, values: Any) -> Any:
        """An input with these values first, in memory that is used again: a run costs what the sample does."""
        buffer = self._buffers.get((name, width))
        if buffer is None:
            buffer = self._buffers[name, width] = self.arrays.zeros((self.graph.num_vertices, width), np.int64)
        buffer.reshape(-1)[: len(values)] = values
        return buffer

    def _all(self, slots: Slots) -> tuple[Any, Any]:
        """Every edge of each slot's list that has weight and is not too late."""
        slot, edge = self.within(slots.vertex)
        keep = self.arrays.ones(len(edge), bool)
        if self.sums is not None:
            is_first = self.offsets[slots.vertex][slot] == edge
            keep &= self.sums[edge] > self.arrays.where(is_first, 0, self.sums[edge - 1])
        if slots.limit is not None:
            keep &= self.times[edge] <= slots.limit[slot]
        return slot[keep], edge[keep]

    def within(self, vertices: Any) -> tuple[Any, Any]:
        """The lists of these vertices, one after the other: the place in `vertices` of each owner, and the edge."""
        first = self.offsets[vertices]
        ends = self.arrays.cumsum(self.offsets[vertices + 1] - first)
        place = self.arrays.arange(int(ends[-1]) if len(vertices) else 0)
        owner = self.arrays.searchsorted(ends, place, side="right")
        return owner, place - ends[owner] + self.offsets[vertices + 1][owner]

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs, which finds its own places for it."""
        state = {**self.__dict__, "_buffers": {}, "arrays": None, "offsets": None, "far": None, "given": None}
        return {**state, "sums": on_host(self.sums), "times": on_host(self.times)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Continue there."""
        self.__dict__.update(state)
        self.arrays = np
        self._place()


def _graph(near: Ends, far: Ids, num_vertices: int, attributes: dict[str, NDArray[Any]]) -> Graph:
    """The graph of these edges; edges that are grouped and in order already are not sorted again."""
    if isinstance(near, Pointers) and near.ascends(far):
        return Graph(near.up_to(num_vertices), far, directed=True, attributes=attributes)
    return Graph.from_edges(ids_of(near), far, num_vertices=num_vertices, attributes=attributes)


def on_host(values: Any) -> Any:
    """`values` as an array of NumPy."""
    return values.get() if hasattr(values, "get") else values
