"""The types of values: data that every stage shares, so that another type is another value and no new class."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar


class Kind(Enum):
    """What a type is made for; types of one kind differ in their width, and ids in what they are of."""

    BOOL = "bool"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    ID = "id"


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """The type of one value. There is one object for each type, so that types are compared by identity.

    ``VERTEX`` and ``EDGE`` are as wide as the graph needs (32 or 64 bits); every other type has a fixed width.
    """

    name: str
    """As programs write it."""
    kind: Kind
    bits: int | None
    """Width in bits; None for ids, whose width the graph decides."""

    BOOL: ClassVar[Type]
    INT32: ClassVar[Type]
    UINT32: ClassVar[Type]
    INT64: ClassVar[Type]
    UINT64: ClassVar[Type]
    FLOAT32: ClassVar[Type]
    FLOAT64: ClassVar[Type]
    VERTEX: ClassVar[Type]
    EDGE: ClassVar[Type]

    @staticmethod
    def named(name: str) -> Type:
        """The type that programs call `name`; raises KeyError where there is none."""
        return _NAMED[name]

    @staticmethod
    def all() -> tuple[Type, ...]:
        """Every type of the language."""
        return tuple(_NAMED.values())

    @property
    def is_signed(self) -> bool:
        """Whether this is a signed integer type."""
        return self.kind is Kind.SIGNED

    @property
    def is_integer(self) -> bool:
        """Whether arithmetic on this type is integer arithmetic (ids and bool are not integers)."""
        return self.kind is Kind.SIGNED or self.kind is Kind.UNSIGNED

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self.kind is Kind.FLOAT

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic is defined on this type."""
        return self.is_integer or self.is_float

    @property
    def is_id(self) -> bool:
        """Whether values of this type are vertex or edge ids, with ``none`` among them."""
        return self.kind is Kind.ID

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """A copy is the type itself."""
        return Type.named, (self.name,)


Type.BOOL = Type("bool", Kind.BOOL, 8)
Type.INT32 = Type("int32", Kind.SIGNED, 32)
Type.UINT32 = Type("uint32", Kind.UNSIGNED, 32)
Type.INT64 = Type("int64", Kind.SIGNED, 64)
Type.UINT64 = Type("uint64", Kind.UNSIGNED, 64)
Type.FLOAT32 = Type("float32", Kind.FLOAT, 32)
Type.FLOAT64 = Type("float64", Kind.FLOAT, 64)
Type.VERTEX = Type("vertex", Kind.ID, None)
Type.EDGE = Type("edge", Kind.ID, None)

_INTEGERS = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64)
_NAMED = {made.name: made for made in (Type.BOOL, *_INTEGERS, Type.FLOAT32, Type.FLOAT64, Type.VERTEX, Type.EDGE)}


@dataclass(frozen=True, slots=True)
class Widths:
    """How many bits (32 or 64) the ids of vertices and of edges have in memory."""

    vertex: int
    edge: int

    @staticmethod
    def both(bits: int) -> Widths:
        """The same width for vertices and edges."""
        return Widths(bits, bits)

    def of(self, kind: Type) -> int:
        """The width of a type in bits."""
        ids = {Type.VERTEX: self.vertex, Type.EDGE: self.edge}
        return kind.bits or ids[kind]

    def __str__(self) -> str:
        if self.vertex == self.edge:
            return f"{self.vertex}-bit ids"
        return f"{self.vertex}-bit ids of vertices and {self.edge}-bit ids of edges"
