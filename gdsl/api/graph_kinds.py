"""What graph a program was tuned on, in a few numbers, and whether another one is like it."""

from __future__ import annotations

import math

from gdsl.graph import Graph
from gdsl.records import dataclass

_SIZE, _DEGREE, _SKEW = 4.0, 2.0, 8.0
"""By which factor sizes, mean degrees and skews may differ. Factors and not classes: then no two graphs that are nearly
the same lie on two sides of a border. Hubs grow with their graph, so skews may differ most."""


@dataclass(frozen=True, slots=True)
class GraphKind:
    """A graph as far as knobs depend on it. edges: as stored. largest_degree: of the edges that leave a vertex.

    Whether it has weights is not asked: a program that takes some has them in each of its runs, the graph's or the
    caller's, and one that takes none does not see them.
    """

    vertices: int
    edges: int
    largest_degree: int
    directed: bool

    @property
    def mean_degree(self) -> float:
        """Edges a vertex."""
        return self.edges / max(self.vertices, 1)

    @property
    def skew(self) -> float:
        """How many times as long as the mean list the longest is: 1 where all are of one length."""
        return max(self.largest_degree, 1) / max(self.mean_degree, 1.0)

    def unlike(self, other: GraphKind) -> str | None:
        """What sets a graph of this kind apart from `other`, in words; None where they are alike."""
        if self.directed is not other.directed:
            return f"one is {_directed(self)}, the other {_directed(other)}"
        if _far(self.vertices, other.vertices, _SIZE):
            return f"{_count(self.vertices)} vertices to {_count(other.vertices)}"
        if _far(self.mean_degree, other.mean_degree, _DEGREE):
            return f"{self.mean_degree:.3g} edges a vertex to {other.mean_degree:.3g}"
        if _far(self.skew, other.skew, _SKEW):
            return f"a largest degree of {_count(self.largest_degree)} to one of {_count(other.largest_degree)}"
        return None

    def distance(self, other: GraphKind) -> float:
        """How far apart two kinds that are alike are, in parts of what is allowed."""
        pairs = (
            (self.vertices, other.vertices, _SIZE),
            (self.mean_degree, other.mean_degree, _DEGREE),
            (self.skew, other.skew, _SKEW),
        )
        return sum(abs(_apart(one, two)) / math.log(most) for one, two, most in pairs)

    def __str__(self) -> str:
        sizes = f"{_count(self.vertices)} vertices, {_count(self.edges)} edges"
        return f"{sizes}, degrees to {_count(self.largest_degree)}, {_directed(self)}"


def kind_of(graph: Graph) -> GraphKind:
    """The kind of `graph`: O(V)."""
    degrees = graph.out_degrees
    largest = int(degrees.max()) if len(degrees) else 0
    return GraphKind(graph.num_vertices, graph.num_edges, largest, graph.directed)


def _directed(kind: GraphKind) -> str:
    return "directed" if kind.directed else "undirected"


def _apart(one: float, two: float) -> float:
    return math.log(max(one, 1.0) / max(two, 1.0))


def _far(one: float, two: float, most: float) -> bool:
    return abs(_apart(one, two)) > math.log(most) * (1 + 1e-9)


def _count(number: int) -> str:
    return f"{number:,}"
