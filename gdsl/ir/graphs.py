"""Graphs that a schedule makes, and what runs on them.

`vertices`, `edges`, lists, degrees and counts are everywhere those of the graph around: of the innermost `On`, as its
graph was when it began, else of the graph that the program was given.
"""

from __future__ import annotations

from gdsl.ir.expressions import Node
from gdsl.ir.operators import Step
from gdsl.operations import NeighborOperation
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Graph(Node):
    """A variable that holds a graph; before it is given one, the graph that the program was given."""

    name: str


@dataclass(frozen=True, slots=True)
class SameGraph(Step):
    """`name` becomes the graph around."""

    name: str


@dataclass(frozen=True, slots=True)
class Subgraph(Step):
    """`name` becomes the graph around with the edges in the frontier `edges` alone; ids stay what they are."""

    name: str
    edges: str


@dataclass(frozen=True, slots=True)
class Weights(Node):
    """The array whose values become one by `operation` where edges become one; it begins with its identity."""

    array: str
    type: Type
    operation: NeighborOperation


@dataclass(frozen=True, slots=True)
class Contract(Step):
    """`name` becomes the graph around with all vertices of one `label` as one vertex.

    The new ids go by ascending label (`none` last), and `label` of each old vertex becomes its new id. Of all edges
    between two new vertices one is left, numbered by source, then by destination; its element in `weights` becomes
    what the operation makes of theirs; sums of integers wrap. Other elements keep their values.
    """

    name: str
    label: str
    label_type: Type
    weights: Weights | None

    @property
    def arrays(self) -> tuple[str, ...]:
        """What is given new values."""
        return (self.label,) if self.weights is None else (self.label, self.weights.array)


@dataclass(frozen=True, slots=True)
class On(Step):
    """`on graph { … }`."""

    graph: str
    body: tuple[Step, ...]


GraphStep = SameGraph | Subgraph | Contract
"""What gives a variable another graph."""
