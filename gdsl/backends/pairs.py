"""Converts pairs as generated code stores them (`stored_pair` of the runtime) to two arrays of results."""

from __future__ import annotations

from typing import Any

import numpy

from gdsl.backends.interface import Pair, Scalar
from gdsl.types import Type, Widths

Words = Any
"""Unsigned integers of 64 bits, NumPy or CuPy."""


def words_of(kind: Type, widths: Widths) -> int:
    """The values that an element is stored as: the words of 64 bits of a pair, one of any other type."""
    return widths.of(kind) // 64 if kind.is_pair else 1


def unpacked(words: Words, kind: Type, widths: Widths) -> Pair:
    """Both parts of the pairs in `words`, one or two for each pair, as new arrays; `words`, which may fill most of a
    GPU's memory, are not changed. It takes no more memory than `bytes_of_parts`."""
    if words_of(kind, widths) == 1:
        halves = words.view(numpy.uint32)  # the first part has the high half
        ranks = (halves[1::2], halves[0::2])
    else:
        ranks = (words[0::2], words[1::2])
    return Pair(*(_values(rank, part, widths) for rank, part in zip(ranks, kind.parts, strict=True)))


def bytes_of_parts(kind: Type, widths: Widths, count: int) -> int:
    """The most bytes that `unpacked` allocates for `count` pairs: both parts, and a part of floats once more."""
    sizes = [1 if part is Type.BOOL else widths.of(part) // 8 for part in kind.parts]
    floats = [size for size, part in zip(sizes, kind.parts, strict=True) if part.is_float]
    return count * (sum(sizes) + max(floats, default=0))


def first_of(values: Any) -> Scalar | Pair:
    """The first value of an array, or of the two of a `Pair`, as Python numbers."""
    if isinstance(values, Pair):
        return Pair(values.first[0].item(), values.second[0].item())
    number: Scalar = values[0].item()
    return number


def _values(ranks: Words, kind: Type, widths: Widths) -> Any:
    """The values of one part from their ranks (`rank_of` of the runtime)."""
    if kind is Type.BOOL:
        return ranks.astype(numpy.bool_)
    bits = widths.of(kind)
    unsigned = numpy.dtype(f"u{bits // 8}").type
    words, sign = ranks.astype(unsigned), unsigned(1 << (bits - 1))
    if kind.is_float:  # of negative numbers all bits are flipped, of others only the sign
        flipped = words >> unsigned(bits - 1)
        flipped -= unsigned(1)
        flipped |= sign
        words ^= flipped
    elif kind.is_signed:
        words ^= sign
    return words.view(numpy.dtype(f"i{bits // 8}" if kind.is_id else kind.name))
