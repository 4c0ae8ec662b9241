"""Where the words and digits of a block of text are, found for all of its bytes side by side.

The value of up to four digits that end at a byte is made for every byte at once; a number is what stands at its last
digit, and four, eight … bytes before. A block is small enough for all of this to lie in the processor's cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_DIGITS = 18
"""More may not fit in an int64."""
BEFORE = 32
"""Ends of lines in front of a block, so that looking back from its first number stays inside."""
_SPACE, _TAB, _END = (ord(mark) for mark in " \t\n")


@dataclass(frozen=True, slots=True)
class Words:
    """Words in their order, none of them empty: the place in front of each, and that of its last byte."""

    before: NDArray[np.int64]
    last: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Marks:
    """Bytes within words that are no digits: their places, what they are, and in which of the words they stand.

    column: where there is one in each line, all of them in one column, which this is; else -1.
    """

    places: NDArray[np.int64]
    bytes: NDArray[np.uint8]
    words: NDArray[np.int64]
    column: int = -1


@dataclass(frozen=True, slots=True)
class Block:
    """The bytes of some lines, of which each has `width` words.

    fours: for each digit the value of it and of the up to three digits right before it.
    marks: what in the words is no digit; None where there is nothing.
    """

    text: NDArray[np.uint8]
    fours: NDArray[np.uint16]
    width: int
    words: Words
    marks: Marks | None

    def column(self, place: int) -> tuple[Words, Marks | None]:
        """The words at `place` in each line, and the marks in them, whose `words` are then places among these."""
        own = Words(self.words.before[place :: self.width], self.words.last[place :: self.width])
        if self.marks is None:
            return own, None
        if self.marks.column >= 0:
            rows = np.arange(len(own.last))
            return own, Marks(self.marks.places, self.marks.bytes, rows, 0) if self.marks.column == place else None
        rows, places = np.divmod(self.marks.words, self.width)
        chosen = places == place
        if not chosen.any():
            return own, None
        return own, Marks(self.marks.places[chosen], self.marks.bytes[chosen], rows[chosen])

    def value(self, last: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The numbers of `length` digits that end at `last`; no longer than what fits."""
        found = self.fours.take(last).astype(np.uint64)
        found *= length > 0
        for before in range(4, int(length.max(initial=0)), 4):
            part = self.fours.take(last - before).astype(np.uint64)
            part *= length > before
            part *= np.uint64(10**before)
            found += part
        return found


def block_of(lines: bytes, width: int, delimiter: str | None) -> Block | None:
    """The block of whole lines of `width` words, between blanks or with `delimiter` behind all words but the last of a
    line; None where they are anything else."""
    if not lines.endswith(b"\n"):
        return None
    text = np.frombuffer(b"\n" * BEFORE + lines, np.uint8)
    offsets = text - np.uint8(ord("0"))
    is_digit = offsets < 10
    ends = text == _END
    rows = np.count_nonzero(ends) - BEFORE
    parts = np.count_nonzero(text == ord(delimiter)) if delimiter else 0
    if parts != (rows * (width - 1) if delimiter else 0):
        return None
    known = np.count_nonzero(is_digit) + np.count_nonzero(text == _SPACE) + parts + rows + BEFORE
    inside = is_digit if known == len(text) else _inside(text, ends, delimiter)
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    words = Words(edges[0::2], edges[1::2])
    if len(words.last) != rows * width or not _in_lines(text, ends, words, width, delimiter):
        return None
    marks = None if inside is is_digit else _marks(text, np.flatnonzero(inside & ~is_digit), words, width)
    return Block(text, _fours(offsets, is_digit), width, words, marks)


def lists_of(lines: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """(numbers, how many of them each line has) of whole lines of digits between blanks; None where they are anything
    else, or numbers have more digits than any int64."""
    if not lines.endswith(b"\n"):
        return None
    text = np.frombuffer(b"\n" * BEFORE + lines, np.uint8)
    offsets = text - np.uint8(ord("0"))
    is_digit = offsets < 10
    ends = np.flatnonzero(text == _END)[BEFORE:]
    blanks = np.count_nonzero(text == _SPACE) + np.count_nonzero(text == _TAB)
    if np.count_nonzero(is_digit) + blanks + len(ends) + BEFORE != len(text):
        return None
    edges = np.flatnonzero(is_digit[1:] != is_digit[:-1])
    words = Words(edges[0::2], edges[1::2])
    length = words.last - words.before
    if length.max(initial=0) > MOST_DIGITS:
        return None
    numbers = Block(text, _fours(offsets, is_digit), 1, words, None).value(words.last, length).view(np.int64)
    return numbers, np.diff(np.searchsorted(words.last, ends), prepend=0)


def _inside(text: NDArray[np.uint8], ends: NDArray[np.bool_], delimiter: str | None) -> NDArray[np.bool_]:
    """Which bytes stand in words."""
    between: NDArray[np.bool_] = ends | (text == _SPACE) | (text == _TAB)
    if delimiter:
        between |= text == ord(delimiter)
    np.logical_not(between, out=between)
    return between


def _in_lines(
    text: NDArray[np.uint8], ends: NDArray[np.bool_], words: Words, width: int, delimiter: str | None
) -> bool:
    """Whether `width` of the words stand in each line, and the delimiter right behind all of these but the last."""
    last = words.last[width - 1 :: width]
    if not (text.take(last + 1) == _END).all():  # blanks at the ends of lines
        places = np.flatnonzero(ends)[BEFORE:]
        if not ((last < places).all() and (places[:-1] <= words.before[width::width]).all()):
            return False
    if delimiter is None:
        return True
    behind = (text.take(words.last[place::width] + 1) == ord(delimiter) for place in range(width - 1))
    return all(found.all() for found in behind)


def _marks(text: NDArray[np.uint8], places: NDArray[np.int64], words: Words, width: int) -> Marks | None:
    if not len(places):
        return None
    marks = text.take(places)
    if len(places) * width == len(words.last):  # as points are, most often
        column = int(np.searchsorted(words.last, places[0])) % width
        inside = words.before[column::width] < places
        inside &= places <= words.last[column::width]
        if inside.all():
            return Marks(places, marks, np.arange(column, len(words.last), width), column)
    return Marks(places, marks, np.searchsorted(words.last, places))


def _fours(offsets: NDArray[np.uint8], is_digit: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """For each digit the value of it and of the up to three digits right before it."""
    present = is_digit.view(np.uint8)
    single = offsets * present
    twos = single.copy()
    twos[1:] += single[:-1] * np.uint8(10)
    twos *= present
    fours = twos.astype(np.uint16)
    leading = (twos[:-2] * present[1:-1]).astype(np.uint16)
    leading *= np.uint16(100)
    fours[2:] += leading
    return fours
