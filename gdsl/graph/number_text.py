"""Numbers as text files write them: what counts as one, which type holds it, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.numerals import underflows

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
SAFE_DIGITS: dict[type, int] = {np.int32: 9, np.int64: 18, np.uint64: 19}
"""Whole numbers of so many digits always fit."""

AS_REALS = (
    "no type holds all whole numbers of the column: leave it out, or write all with a decimal point to round them"
)
ONE_KIND = "write all values of the column as whole numbers, or all with a decimal point"


def is_whole(word: str) -> bool:
    """Whether `word` is a whole number in decimal ASCII digits."""
    return _WHOLE.fullmatch(word) is not None


def are_whole(words: Sequence[str]) -> bool:
    """Whether all of them are whole numbers in decimal ASCII digits."""
    return all(map(_WHOLE.fullmatch, words))


def is_number(word: str) -> bool:
    """Whether `word` is a number: decimal ASCII digits, a point, an exponent; or nan or inf."""
    return _REAL.fullmatch(word) is not None or _NOT_FINITE.fullmatch(word) is not None


_MOST_DIGITS = 40


def is_count(word: str) -> bool:
    """Whether `word` is a count in a header: digits only, and no more than a message shows."""
    return word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS


def whole_value(word: str) -> int:
    """The whole number `word`, with any number of leading zeros. Raises ValueError for thousands of digits."""
    value = int(word.lstrip("+-").lstrip("0") or "0")
    return -value if word.startswith("-") else value


def is_rounded(word: str) -> bool:
    """Whether `word` is a whole number that float64 rounds."""
    return is_whole(word) and len(word.lstrip("+-0")) < 400 and int(float(word)) != whole_value(word)


def overflows(word: str) -> bool:
    """Whether the real number `word` is too large for a float64."""
    return bool(np.isinf(float(word))) and _NOT_FINITE.fullmatch(word) is None


def problem_of_real(word: str) -> tuple[str, str] | None:
    """Why float64 cannot hold the number `word`, as the end of a message, and a fix; None where it can."""
    if overflows(word):
        return "is too large for a float64", "write inf where infinity is meant"
    if underflows(word):
        return "is too close to 0 for a float64", "write 0 where zero is meant"
    return None


def problem_of(word: str, kind: type) -> str | None:
    """Why `word` is not a number of the type `kind`, as the end of a message; None where it is one."""
    if kind is np.float64:
        if not is_number(word):
            return "is not a number"
        problem = problem_of_real(word)
        return problem and problem[0]
    if not is_whole(word):
        return "is not a whole number"
    if len(word) <= SAFE_DIGITS[kind] and word[0] != "-":
        return None
    limits = np.iinfo(kind)
    # No type has more than 20 digits, and Python refuses to convert thousands of them.
    digits = word.lstrip("+-").lstrip("0") or "0"
    value = int(digits[:21]) * (-1 if word.startswith("-") else 1)
    if value < limits.min:
        return f"is too small for {np.dtype(kind)}"
    return f"is too large for {np.dtype(kind)}" if value > limits.max else None


def words_of(line: str, delimiter: str | None) -> list[str]:
    """The values of a line without the blanks around them."""
    return [word.strip() for word in line.split(delimiter)]


def narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """int64 values as int32 where all of them fit."""
    if values.dtype != np.int64:
        return values
    limits = np.iinfo(np.int32)
    fits = not len(values) or (limits.min <= values.min() and values.max() <= limits.max)
    return values.astype(np.int32) if fits else values


def whole_values(values: NDArray[Any]) -> NDArray[Any]:
    """int32 values as int64: a program takes its type from them, and sums may be larger than each of them."""
    return values.astype(np.int64) if values.dtype == np.int32 else values
