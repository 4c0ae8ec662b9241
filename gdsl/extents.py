"""How many elements an array or a buffer has: small expressions over what is known when a run begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from gdsl.operations import Domain


class Size(Enum):
    """A number that the graph, the grid or the generated text decides."""

    VERTICES = "V"
    EDGES = "E"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True)
class Extent:
    """A number of elements."""

    def value(self, sizes: Mapping[Size, int]) -> int:
        """The number, given every size that it speaks of."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Fixed(Extent):
    """Always the same number."""

    number: int

    def value(self, sizes: Mapping[Size, int]) -> int:
        """The number itself."""
        return self.number

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class Of(Extent):
    """One of the sizes."""

    size: Size

    def value(self, sizes: Mapping[Size, int]) -> int:
        """That size."""
        return sizes[self.size]

    def __str__(self) -> str:
        return self.size.value


@dataclass(frozen=True, slots=True)
class Sum(Extent):
    """All of the terms together."""

    terms: tuple[Extent, ...]

    def value(self, sizes: Mapping[Size, int]) -> int:
        """Their sum."""
        return sum(term.value(sizes) for term in self.terms)

    def __str__(self) -> str:
        return f"({' + '.join(map(str, self.terms))})"


@dataclass(frozen=True, slots=True)
class Times(Extent):
    """A multiple."""

    factor: int
    of: Extent

    def value(self, sizes: Mapping[Size, int]) -> int:
        """The product."""
        return self.factor * self.of.value(sizes)

    def __str__(self) -> str:
        return f"{self.factor} * {self.of}"


@dataclass(frozen=True, slots=True)
class Parts(Extent):
    """How many parts of `part` elements there are, the last one perhaps smaller where `started` parts count."""

    of: Extent
    part: int
    started: bool = True

    def value(self, sizes: Mapping[Size, int]) -> int:
        """The quotient, rounded up for `started` parts, else down."""
        whole = self.of.value(sizes)
        return -(-whole // self.part) if self.started else whole // self.part

    def __str__(self) -> str:
        return f"{'ceil' if self.started else 'floor'}({self.of} / {self.part})"


VERTICES, EDGES = Of(Size.VERTICES), Of(Size.EDGES)


def of_domain(domain: Domain) -> Extent:
    """One element for each vertex, or for each edge."""
    return VERTICES if domain is Domain.VERTEX else EDGES


def of_graph(num_vertices: int, num_edges: int) -> dict[Size, int]:
    """The sizes that a graph decides."""
    return {Size.VERTICES: num_vertices, Size.EDGES: num_edges}
