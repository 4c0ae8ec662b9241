"""The types of values: data that every stage shares, so that another type is another value and no new class."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar


class Kind(Enum):
    """The kind of a type; types of one kind differ in their width, and ids in their domain."""

    BOOL = "bool"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    ID = "id"
    PAIR = "pair"


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """The type of one value. There is one object for each type, so that types are compared by identity.

    ``VERTEX`` and ``EDGE`` are as wide as the graph needs (32 or 64 bits); every other type has a fixed width.
    """

    name: str
    """As programs write it."""
    kind: Kind
    bits: int | None
    """Width in bits; None for ids, whose width the graph decides, and for pairs: see `Widths.of`."""
    parts: tuple[Type, ...] = ()
    """The two types of a pair."""

    BOOL: ClassVar[Type]
    INT32: ClassVar[Type]
    UINT32: ClassVar[Type]
    INT64: ClassVar[Type]
    UINT64: ClassVar[Type]
    FLOAT32: ClassVar[Type]
    FLOAT64: ClassVar[Type]
    VERTEX: ClassVar[Type]
    EDGE: ClassVar[Type]
    INT8: ClassVar[Type]
    UINT8: ClassVar[Type]
    INT16: ClassVar[Type]
    UINT16: ClassVar[Type]

    @staticmethod
    def named(name: str) -> Type:
        """The type that programs call `name`; raises KeyError where there is none."""
        return _NAMED[name] if name in _NAMED else _PAIRS[name]

    @staticmethod
    def pair(first: Type, second: Type) -> Type:
        """The pairs of two simple types."""
        return _PAIRS[_pair_name(first, second)]

    @staticmethod
    def all() -> tuple[Type, ...]:
        """Every simple type of the language: all but pairs."""
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

    @property
    def is_pair(self) -> bool:
        """Whether values of this type are pairs."""
        return self.kind is Kind.PAIR

    @property
    def holds_float(self) -> bool:
        """Whether this is a floating-point type, or a pair with one."""
        return self.is_float or any(part.is_float for part in self.parts)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Type.named({self.name!r})"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """A copy is the type itself."""
        return _named, (self.name,)


Type.BOOL = Type("bool", Kind.BOOL, 8)
Type.INT32 = Type("int32", Kind.SIGNED, 32)
Type.UINT32 = Type("uint32", Kind.UNSIGNED, 32)
Type.INT64 = Type("int64", Kind.SIGNED, 64)
Type.UINT64 = Type("uint64", Kind.UNSIGNED, 64)
Type.FLOAT32 = Type("float32", Kind.FLOAT, 32)
Type.FLOAT64 = Type("float64", Kind.FLOAT, 64)
Type.VERTEX = Type("vertex", Kind.ID, None)
Type.EDGE = Type("edge", Kind.ID, None)

Type.INT8 = Type("int8", Kind.SIGNED, 8)
Type.UINT8 = Type("uint8", Kind.UNSIGNED, 8)
Type.INT16 = Type("int16", Kind.SIGNED, 16)
Type.UINT16 = Type("uint16", Kind.UNSIGNED, 16)
IN_MEMORY_ALONE = (Type.UINT8, Type.INT8, Type.UINT16, Type.INT16)
"""Types that no program names: arrays may be stored so whose values are of wider types. Narrower ones come first."""

_INTEGERS = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64)
WHOLE_WORDS = (*_INTEGERS, Type.FLOAT32, Type.FLOAT64, Type.VERTEX)
"""Types of 4 and 8 bytes, which one access reads or writes."""
_NAMED = {made.name: made for made in (Type.BOOL, *_INTEGERS, Type.FLOAT32, Type.FLOAT64, Type.VERTEX, Type.EDGE)}


def _pair_name(first: Type, second: Type) -> str:
    return f"({first.name}, {second.name})"


_PAIRS = {
    _pair_name(first, second): Type(_pair_name(first, second), Kind.PAIR, None, (first, second))
    for first in _NAMED.values()
    for second in _NAMED.values()
}


def _named(name: str) -> Type:
    """The type of that name, also one that no program names."""
    return next((each for each in IN_MEMORY_ALONE if each.name == name), None) or Type.named(name)


TYPE_CLASSES = {
    "number": (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64, Type.FLOAT32, Type.FLOAT64),
    "integer": (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64),
    "real": (Type.FLOAT32, Type.FLOAT64),
}
"""The types that a type parameter admits, by the name of the class in its declaration; narrower ones come first."""


def widened(type_: Type) -> Type:
    """The type of a sum of many values of a number type: int64, uint64 or float64."""
    wide = {Kind.SIGNED: Type.INT64, Kind.UNSIGNED: Type.UINT64, Kind.FLOAT: Type.FLOAT64}
    return wide[type_.kind]


@dataclass(frozen=True, slots=True)
class Widths:
    """How many bits (32 or 64) the ids of vertices and of edges have in memory."""

    vertex: int
    edge: int

    @staticmethod
    def both(bits: int | Widths) -> Widths:
        """One width for both vertices and edges; widths are what they are."""
        return bits if isinstance(bits, Widths) else Widths(bits, bits)

    def of(self, kind: Type) -> int:
        """The width of a type in bits. A pair is one word of 64 bits where neither part is wider than 32, else two."""
        if kind.is_pair:
            return 64 if max(self.of(part) for part in kind.parts) <= 32 else 128
        ids = {Type.VERTEX: self.vertex, Type.EDGE: self.edge}
        return kind.bits or ids[kind]

    def __str__(self) -> str:
        if self.vertex == self.edge:
            return f"{self.vertex}-bit ids"
        return f"{self.vertex}-bit ids of vertices and {self.edge}-bit ids of edges"
