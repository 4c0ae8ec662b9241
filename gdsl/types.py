"""The scalar types of the language: one enumeration that every stage shares."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ScalarType(Enum):
    """A type that one value of a program can have.

    ``VERTEX`` and ``EDGE`` are as wide as the graph needs (32 or 64 bits); every other type has a fixed width.
    """

    BOOL = "bool"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    VERTEX = "vertex"
    EDGE = "edge"

    @property
    def is_signed(self) -> bool:
        """Whether this is a signed integer type."""
        return self in (ScalarType.INT32, ScalarType.INT64)

    @property
    def is_integer(self) -> bool:
        """Whether arithmetic on this type is integer arithmetic (ids and bool are not integers)."""
        return self in (ScalarType.INT32, ScalarType.UINT32, ScalarType.INT64, ScalarType.UINT64)

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self in (ScalarType.FLOAT32, ScalarType.FLOAT64)

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic is defined on this type."""
        return self.is_integer or self.is_float

    @property
    def is_id(self) -> bool:
        """Whether values of this type are vertex or edge ids, with ``none`` among them."""
        return self in (ScalarType.VERTEX, ScalarType.EDGE)

    @property
    def bits(self) -> int | None:
        """Width in bits; None for ids, whose width the graph decides."""
        widths = {"bool": 8, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64, "float32": 32, "float64": 64}
        return widths.get(self.value)


@dataclass(frozen=True, slots=True)
class Widths:
    """How many bits (32 or 64) the ids of vertices and of edges have in memory."""

    vertex: int
    edge: int

    @staticmethod
    def both(bits: int) -> Widths:
        """The same width for vertices and edges."""
        return Widths(bits, bits)

    def of(self, kind: ScalarType) -> int:
        """The width of a type in bits."""
        ids = {ScalarType.VERTEX: self.vertex, ScalarType.EDGE: self.edge}
        return kind.bits or ids[kind]

    def __str__(self) -> str:
        if self.vertex == self.edge:
            return f"{self.vertex}-bit ids"
        return f"{self.vertex}-bit ids of vertices and {self.edge}-bit ids of edges"
