"""The number of elements of an array or a buffer: small expressions over what is known when a run begins."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from gdsl.operations import Domain
from gdsl.records import dataclass

MOST_VALUES = 2**31 - 1
"""The most values of an element of an array."""
TRACE_CAPACITY = 1 << 16
"""Records of a trace that are kept: those of the first operators."""


class Size(Enum):
    """A number that the graph, the grid or the generated text decides."""

    VERTICES = "V"
    EDGES = "E"
    BLOCKS = "blocks"


Sizes: TypeAlias = "Mapping[Size | str, int]"
"""What is known when a run begins: the sizes, and by name the params that say how many values an element has."""


@dataclass(frozen=True, slots=True)
class Extent:
    """A number of elements."""

    def value(self, sizes: Sizes) -> int:
        """The number, given every size in it."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Fixed(Extent):
    """Always the same number."""

    number: int

    def value(self, sizes: Sizes) -> int:
        """The number itself."""
        return self.number

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class Of(Extent):
    """One of the sizes."""

    size: Size

    def value(self, sizes: Sizes) -> int:
        """The size that this refers to, of a graph with these `sizes`."""
        return sizes[self.size]

    def __str__(self) -> str:
        return self.size.value


@dataclass(frozen=True, slots=True)
class Sum(Extent):
    """The sum of all terms."""

    terms: tuple[Extent, ...]

    def value(self, sizes: Sizes) -> int:
        """The sum, for a graph with these `sizes`."""
        return sum(term.value(sizes) for term in self.terms)

    def __str__(self) -> str:
        return f"({' + '.join(map(str, self.terms))})"


@dataclass(frozen=True, slots=True)
class Times(Extent):
    """A multiple."""

    factor: int
    of: Extent

    def value(self, sizes: Sizes) -> int:
        """The product, for a graph with these `sizes`."""
        return self.factor * self.of.value(sizes)

    def __str__(self) -> str:
        return f"{self.factor} * {self.of}"


@dataclass(frozen=True, slots=True)
class Values(Extent):
    """`of` times the value of the param `count`."""

    count: str
    of: Extent

    def value(self, sizes: Sizes) -> int:
        """The number of values of all elements, for a graph and params with these `sizes`."""
        return sizes[self.count] * self.of.value(sizes)

    def __str__(self) -> str:
        return f"{self.count} * {self.of}"


@dataclass(frozen=True, slots=True)
class Parts(Extent):
    """The number of parts of `part` elements; an incomplete last part counts if `started`."""

    of: Extent
    part: int
    started: bool = True

    def value(self, sizes: Sizes) -> int:
        """The quotient, rounded up if `started`, otherwise down."""
        whole = self.of.value(sizes)
        return -(-whole // self.part) if self.started else whole // self.part

    def __str__(self) -> str:
        return f"{'ceil' if self.started else 'floor'}({self.of} / {self.part})"


def sizes_in(extent: Extent) -> frozenset[Size]:
    """The sizes on which it depends."""
    if isinstance(extent, Of):
        return frozenset((extent.size,))
    if isinstance(extent, Sum):
        return frozenset().union(*map(sizes_in, extent.terms))
    return sizes_in(extent.of) if isinstance(extent, Times | Values | Parts) else frozenset()


VERTICES, EDGES = Of(Size.VERTICES), Of(Size.EDGES)


def of_domain(domain: Domain) -> Extent:
    """One element for each vertex, or for each edge."""
    return VERTICES if domain is Domain.VERTEX else EDGES


def of_array(domain: Domain, count: int | str | None) -> Extent:
    """One element for each vertex or edge, or `count` of them: a number, or the name of a param."""
    if count is None:
        return of_domain(domain)
    return Times(count, of_domain(domain)) if isinstance(count, int) else Values(count, of_domain(domain))


def of_graph(num_vertices: int, num_edges: int, params: Mapping[str, object]) -> dict[Size | str, int]:
    """The sizes of a graph, and the params that may say how many values an element has."""
    counts: dict[Size | str, int] = {name: value for name, value in params.items() if isinstance(value, int)}
    return counts | {Size.VERTICES: num_vertices, Size.EDGES: num_edges}
