"""The class of a graph: the facts that plans depend on, which a backend measures before it runs a program.

A plan is built for any graph (`GENERAL`) or for graphs of a class, which has one or more of the facts below. Nothing
but speed depends on it: a plan for one class is correct on every graph. Each fact is measured from the numbers of
vertices and stored edges and the largest degree. `heuristics` leaves out facts that make no difference to a program,
so that it is compiled once for all graphs that it treats alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.records import dataclass

LONG_LIST = 512
"""Edges that give each thread of a block one: shorter lists are not worth sharing among blocks."""
EDGES_PER_VERTEX = 6
"""A planar graph (a map, a mesh, a triangulation) has fewer than three edges per vertex, each stored both ways."""
MANY_VERTICES = 1 << 17
"""On planar graphs a search has about as many levels as the square root: hundreds from here on, each with a few hundred
vertices at most. A shorter search does not make up for compiling another kernel."""
WARP_LIST = 32
"""One edge for each lane of a warp."""
LARGE = 1 << 20
"""Several vertices for each thread that a large GPU holds at a time, and arrays of the vertices beyond its L2 cache."""
MANY_EDGES = 1 << 24
"""With fewer edges, the values of all vertices stay in the L2 cache of a large GPU."""
SKEW = 64
"""A hub has at least so many times as many edges as the mean."""


@dataclass(frozen=True, slots=True)
class GraphClass:
    """The facts that hold of all graphs of the class; without any: of all graphs."""

    bounded: bool = False
    """No vertex has a long list (`LONG_LIST`)."""
    narrow: bool = False
    """Bounded and with few edges per vertex (`EDGES_PER_VERTEX`): the frontiers of a search are small."""
    deep: bool = False
    """Narrow and with many vertices (`MANY_VERTICES`): searches have many levels."""
    short_lists: bool = False
    """Bounded by `WARP_LIST`, and large (`LARGE`)."""
    hubs: bool = False
    """Many edges (`MANY_EDGES`), and vertices with far more of them than the mean (`SKEW`)."""
    revisited: bool = False
    """A loop of the program in the order as given visits each edge of it more than twice. Not measured: runs observe
    it."""
    wide_passes: bool = False
    """Revisited, in passes of more edges than there are threads. Not measured: the run that is stopped has shown it."""
    host_lists: bool = False
    """Its edge lists are in the memory of the host: a GPU reads them over a link, which is fast in whole lines of 128
    bytes. Not measured, but where the run has them."""

    def has(self, fact: str) -> bool:
        """Whether the fact of this name holds."""
        return bool(getattr(self, _field(fact)))

    @property
    def facts(self) -> tuple[str, ...]:
        """The names of what holds, as `gdslc compile --graph-class` has them, without what follows from another one."""
        holding = [name for name in FACTS if self.has(name)]
        implied = {other for name in holding for other in _IMPLIED[name]}
        return tuple(name for name in holding if name not in implied)

    def __str__(self) -> str:
        return ", ".join(self.facts) or "general"


GENERAL = GraphClass()
"""Any graph."""
REVISITED = GraphClass(revisited=True)
"""Graphs on which runs begin again from near to far."""
WIDE = GraphClass(revisited=True, wide_passes=True)
"""Those of them whose passes have many edges."""
FACTS = {
    "bounded": f"no vertex has {LONG_LIST} edges or more",
    "narrow": f"bounded, with fewer than {EDGES_PER_VERTEX} edges per vertex",
    "deep": f"narrow, with {MANY_VERTICES:,} vertices or more",
    "short-lists": f"no vertex has more than {WARP_LIST} edges, and there are {LARGE:,} vertices or more",
    "hubs": f"{MANY_EDGES:,} edges or more, and a vertex with {SKEW} times as many as the mean",
    "revisited": "a worklist in the order as given has visited each edge more than twice",
    "wide-passes": "revisited, in passes of more edges than there are threads",
    "host-lists": "edge lists in the memory of the host",
}
"""What each fact says, by its name."""
_IMPLIED = {
    "bounded": (),
    "narrow": ("bounded",),
    "deep": ("bounded", "narrow"),
    "short-lists": ("bounded",),
    "hubs": (),
    "revisited": (),
    "wide-passes": ("revisited",),
    "host-lists": (),
}


def class_of(facts: Iterable[str]) -> GraphClass:
    """The class of graphs of which these facts hold, by their names in `FACTS`, and those that follow from them."""
    names = {implied for name in facts for implied in (name, *_IMPLIED[name])}
    return dataclasses.replace(GENERAL, **{_field(name): True for name in names})


def measure(num_vertices: int, num_edges: int, largest_degree: int) -> GraphClass:
    """The class of a graph with so many vertices and stored edges."""
    narrow = is_narrow(num_vertices, num_edges, largest_degree)
    return GraphClass(
        bounded=largest_degree < LONG_LIST,
        narrow=narrow,
        deep=narrow and num_vertices >= MANY_VERTICES,
        short_lists=num_vertices >= LARGE and largest_degree <= WARP_LIST,
        hubs=num_edges >= MANY_EDGES and largest_degree * num_vertices >= SKEW * num_edges,
    )


def is_narrow(num_vertices: int, num_edges: int, largest_degree: int) -> bool:
    """Whether searches on such a graph go through many small frontiers."""
    return num_edges < EDGES_PER_VERTEX * num_vertices and largest_degree < LONG_LIST


def is_forest(num_vertices: int, num_edges: int) -> bool:
    """Whether an undirected graph has no more edges, each stored both ways, than a forest has."""
    return num_edges < 2 * num_vertices


def _field(name: str) -> str:
    return name.replace("-", "_")
