"""What every node of the syntax tree has, and what names refer to."""

from __future__ import annotations

from enum import Enum

from gdsl.operations import Domain
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Node:
    """What every node has: its place in the text."""

    span: Span


class SymbolKind(Enum):
    """What a name refers to."""

    PARAM = "param"
    ARRAY = "array"
    SCALAR = "scalar"
    FUNCTOR = "functor"
    FUNCTION = "function"
    PROCEDURE = "procedure"
    TYPE = "type"
    FRONTIER = "frontier"
    GRAPH = "graph"
    HISTORY = "history"
    BUCKETS = "set of buckets"
    LOCAL = "local"
    """A `let` or `var`."""
    LOOP_VARIABLE = "loop variable"
    LIST_VARIABLE = "loop variable over a list"
    """The neighbor, or the edge to it, at which a loop over a list of edges is."""
    FUNCTION_PARAMETER = "function parameter"
    VERTEX = "vertex of the functor"
    SOURCE = "source of the edge"
    DESTINATION = "destination of the edge"
    EDGE = "edge of the functor"
    COMMON = "common neighbor"
    SOURCE_EDGE = "edge from the source"
    DESTINATION_EDGE = "edge from the destination"
    NEAR = "near"
    FAR = "far"
    BUILTIN = "built-in"
    """`iteration`, `place`, `id`, `num_vertices`, `num_edges`, `vertices`, `edges`, and functions like `min`."""
    MISTAKEN = "name whose declaration has a mistake"
    """Its uses are not reported again."""

    @property
    def with_article(self) -> str:
        """The word in a sentence."""
        return f"an {self.value}" if self.value[0] in "aeiou" else f"a {self.value}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declaration as its uses see it.

    `span` is where the name is declared (`NOWHERE` for what the language provides). `unique` is the name, with a number
    after it where a functor or the schedule declares the same name in several blocks. `mutable` is true of `var`s,
    of scalars and of arrays. `domain` is set for arrays and frontiers, `count` for arrays of several values an element
    (how many, as it was written). `automatic` are buckets whose width finds itself: they have no levels to ask for.

    `graph` is set for frontiers and graphs: what their elements are elements of, as `check/graphs.py` explains.
    """

    kind: SymbolKind
    name: str
    span: Span
    type: Type | None = None
    domain: Domain | None = None
    is_input: bool = False
    mutable: bool = False
    unique: str = ""
    graph: str = ""
    count: Node | None = None
    automatic: bool = False
