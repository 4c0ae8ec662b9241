"""Blocks of text as columns of numbers, many at once.

What is read here is the usual text alone: decimal digits, a minus, a point and an exponent of `e`. For a block with
anything else in it the answer is None, and the exact reader (`columns`) takes it, which knows what all the rest means,
or what is wrong with it. What is read is what the exact reader would make of it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.digits import MOST_DIGITS, Block, Marks, Words, block_of

_MOST_OF_A_REAL = 19
"""More may not fit in a uint64."""
_MINUS, _PLUS, _POINT, _E, _LARGE_E = (ord(mark) for mark in "-+.eE")
_POWERS = np.array([10**power for power in range(_MOST_OF_A_REAL + 1)], np.uint64)
_EXACT = 22
"""10^22 is the largest power of ten that is a float64, and 2^53 the last of all whole numbers that are."""
_EXACT_POWERS = np.array([10.0**power for power in range(_EXACT + 1)])
_EXTENDED = 27
"""The same of numbers with 64 binary digits, as some processors have them."""
_HAS_EXTENDED = np.finfo(np.longdouble).nmant == 63 and np.dtype(np.longdouble).itemsize == 16
_EXTENDED_POWERS = np.cumprod(np.array([1] + [10] * _EXTENDED, np.longdouble))
_LOW_BITS, _HALFWAY = np.uint64(0x7FF), np.uint64(0x400)

Column = NDArray[Any]


def columns_of(lines: bytes, types: Sequence[type], delimiter: str | None) -> tuple[Column, ...] | None:
    """The values of whole lines by column, or None where anything unusual stands in them.

    `types` are int32, int64, uint64 or float64; a column of int64 whose values fit is given as int32.
    """
    block = block_of(lines, len(types), delimiter)
    if block is None:
        return None
    columns = []
    for place, kind in enumerate(types):
        column = _reals(block, *block.column(place)) if kind is np.float64 else _wholes(block, place, kind)
        if column is None:
            return None
        columns.append(column)
    return tuple(columns)


def _wholes(block: Block, place: int, kind: type) -> Column | None:
    """Words of digits, perhaps behind a minus."""
    words, marks = block.column(place)
    length = words.last - words.before
    negative = None
    if marks is not None:
        if not ((marks.bytes == _MINUS).all() and (marks.places == words.before[marks.words] + 1).all()):
            return None
        negative = marks.words
        length[negative] -= 1
    if length.min(initial=1) < 1 or length.max(initial=1) > MOST_DIGITS:
        return None
    values = block.value(words.last, length).view(np.int64)
    if negative is not None:
        values[negative] *= -1
    return _fitted(values, kind)


def _fitted(values: NDArray[np.int64], kind: type) -> Column | None:
    """`values` in the type of their column; None where they do not fit."""
    smallest, largest = int(values.min(initial=0)), int(values.max(initial=0))
    if kind is np.uint64:
        return values.astype(np.uint64) if smallest >= 0 else None
    narrow = np.iinfo(np.int32)
    if narrow.min <= smallest and largest <= narrow.max:
        return values.astype(np.int32)
    return None if kind is np.int32 else values


@dataclass(frozen=True, slots=True)
class _Parts:
    """Of each word: whether a minus stands before it, the places of its point and of its `e`, -1 where there is none,
    and the sign behind that, 0 where there is none. None: there is none in any word."""

    negative: NDArray[np.bool_] | None
    point: NDArray[np.int64] | None
    exponent: NDArray[np.int64] | None
    sign: NDArray[np.int64] | None


def _parts(words: Words, marks: Marks | None) -> _Parts | None:
    """None where marks are others than these, or stand elsewhere."""
    if marks is None:
        return _Parts(None, None, None, None)
    is_point = marks.bytes == _POINT
    if marks.column >= 0 and is_point.all():
        return _Parts(None, marks.places, None, None)
    rows = len(words.last)
    point, exponent = np.full(rows, -1, np.int64), np.full(rows, -1, np.int64)
    is_exponent = (marks.bytes == _E) | (marks.bytes == _LARGE_E)
    for places, chosen in ((point, is_point), (exponent, is_exponent)):
        places[marks.words[chosen]] = marks.places[chosen]
        if np.count_nonzero(places >= 0) != np.count_nonzero(chosen):  # there were two in one word
            return None
    is_minus, is_plus = marks.bytes == _MINUS, marks.bytes == _PLUS
    before = is_minus & (marks.places == words.before[marks.words] + 1)
    behind = (is_minus | is_plus) & (marks.places == exponent[marks.words] + 1)
    if not (is_point | is_exponent | before | behind).all():
        return None
    negative, sign = np.zeros(rows, np.bool_), np.zeros(rows, np.int64)
    negative[marks.words[before]] = True
    sign[marks.words[behind]] = np.where(is_minus[behind], -1, 1)
    return _Parts(negative, point, exponent if is_exponent.any() else None, sign)


def _reals(block: Block, words: Words, marks: Marks | None) -> Column | None:
    """Words of digits, perhaps with a minus before, a point within and an exponent behind."""
    parts = _parts(words, marks)
    powers = _exponents(block, words, parts) if parts is not None else None
    if parts is None or powers is None:
        return None
    last = words.last
    if parts.exponent is not None:
        last = np.where(parts.exponent >= 0, parts.exponent - 1, last)
    point = last + 1 if parts.point is None else np.where(parts.point >= 0, parts.point, last + 1)
    whole, fraction = point - 1 - words.before, np.maximum(last - point, 0)
    if parts.negative is not None:
        whole -= parts.negative
    if whole.min(initial=0) < 0 or (point > last + 1).any() or (whole + fraction).min(initial=1) < 1:
        return None
    powers = powers - fraction
    fits = (whole <= _MOST_OF_A_REAL) & (fraction <= _MOST_OF_A_REAL)
    if not fits.all():
        whole, fraction = np.where(fits, whole, 0), np.where(fits, fraction, 1)
    front = block.value(point - 1, whole)
    fits &= (whole + fraction <= _MOST_OF_A_REAL) | (front == 0)
    found, sure = _scaled(front * _POWERS.take(fraction) + block.value(last, fraction), powers)
    if parts.negative is not None:
        np.negative(found, out=found, where=parts.negative)
    sure &= fits
    for row in np.flatnonzero(~sure).tolist():
        found[row] = float(block.text[words.before[row] + 1 : words.last[row] + 1].tobytes())
    return found


def _exponents(block: Block, words: Words, parts: _Parts) -> NDArray[np.int64] | None:
    """The powers of ten that stand behind `e`, 0 where there is none; None where one is no number."""
    if parts.exponent is None or parts.sign is None:
        return np.zeros(len(words.last), np.int64)
    has_exponent = parts.exponent >= 0
    length = np.where(has_exponent, words.last - parts.exponent - (parts.sign != 0), 0)
    if length[has_exponent].min() < 1 or length.max() > 4:
        return None
    found = block.value(words.last, length).view(np.int64)
    return np.where(parts.sign < 0, -found, found)


def _scaled(digits: NDArray[np.uint64], power: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """digits · 10^power as float64, and where that is certain to be the nearest one.

    Where both factors are float64 the processor rounds the exact product or quotient, once. With 64 binary digits it
    rounds twice, which is the same unless the first result lies in the middle between two float64.
    """
    size = np.abs(power)
    sure = (digits <= np.uint64(1 << 53)) & (size <= _EXACT)
    if sure.all() or not _HAS_EXTENDED:
        factor, exact = _EXACT_POWERS.take(np.minimum(size, _EXACT)), digits.astype(np.float64)
        return np.where(power < 0, exact / factor, exact * factor), sure
    factor, exact = _EXTENDED_POWERS.take(np.minimum(size, _EXTENDED)), digits.astype(np.longdouble)
    found = np.where(power < 0, exact / factor, exact * factor)
    middle = (found.view(np.uint64)[0::2] & _LOW_BITS) == _HALFWAY
    return found.astype(np.float64), (size <= _EXTENDED) & ~middle
