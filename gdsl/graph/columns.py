"""Lines of text as columns of numbers, with a message for every line that is anything else."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.text import TextLines, printable, readable, short

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)

ENDS = (("source", "destination"), ("source", "target"), ("src", "dst"), ("from", "to"))
"""What headers and tables call the two ends. The first pair is what gdsl writes, beside attributes of any name."""

UNDIRECTED_ENDS = ("end", "other_end")
"""What gdsl calls the two ends of undirected edges."""

RowsOf = Callable[[TextLines], Iterator[str]]
"""Reads the head of a file, then gives the lines of its edges; a second look at a file goes through this."""


def is_whole(word: str) -> bool:
    """Whether `word` is a whole number in decimal ASCII digits."""
    return _WHOLE.fullmatch(word) is not None


def is_number(word: str) -> bool:
    """Whether `word` is a number as files hold it: decimal ASCII digits, a point, an exponent; or nan or inf."""
    return _REAL.fullmatch(word) is not None or _NOT_FINITE.fullmatch(word) is not None


def is_count(word: str) -> bool:
    """Whether `word` is a number of things as a header states it."""
    return word.isascii() and word.isdigit() and len(word) < 20


def read_columns(
    lines: TextLines, rows: Iterator[str], names: Sequence[str], types: Sequence[type], delimiter: str | None
) -> tuple[NDArray[Any], ...]:
    """The numbers of `rows` by column; `names` are what messages call the columns.

    NumPy's own reader does the work: it is exact about what a number is and how many stand in a line, where SciPy's
    mmread takes `1.5` for 1, ignores what follows, and crashes on some damaged files.
    Raises GdslError E0705 for a line that is anything else.
    """
    fields = np.dtype([(f"f{place}", kind) for place, kind in enumerate(types)])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            warnings.simplefilter("ignore", UserWarning)
            table = np.loadtxt(rows, dtype=fields, comments=None, delimiter=delimiter, ndmin=1)
    except (ValueError, DeprecationWarning, OverflowError):
        raise _malformed(lines, names, types, delimiter) from None
    return tuple(np.ascontiguousarray(table[name]) for name in fields.names or ())


def _malformed(lines: TextLines, names: Sequence[str], types: Sequence[type], delimiter: str | None) -> GdslError:
    words = words_of(readable(lines.line), delimiter)
    expected = ", ".join(names)
    for word, name, kind in zip(words, names, types, strict=False):
        problem = problem_of(word, kind)
        if problem:
            return lines.error("E0705", f"{name}: `{printable(word)}` {problem}", notes=(f"a line holds {expected}",))
    count = f"{len(words)} value{'s' if len(words) != 1 else ''}"
    return lines.error("E0705", f"the line holds {count}: `{short(lines.line)}`", notes=(f"expected {expected}",))


def words_of(line: str, delimiter: str | None) -> list[str]:
    """The values of a line without the blanks around them."""
    return [word.strip() for word in line.split(delimiter)]


def problem_of(word: str, kind: type) -> str | None:
    """What is wrong with `word` where a number of the type `kind` stands, or None."""
    if kind is np.float64:
        if not is_number(word):
            return "is not a number"
        return "is too large for a float64" if _overflows(word) else None
    if not is_whole(word):
        return "is not a whole number"
    limits = np.iinfo(kind)
    # No type has more than 20 digits, and Python refuses to convert thousands of them.
    digits = word.lstrip("+-").lstrip("0") or "0"
    value = int(digits[:21]) * (-1 if word.startswith("-") else 1)
    if value < limits.min:
        return f"is too small for {np.dtype(kind)}"
    return f"is too large for {np.dtype(kind)}" if value > limits.max else None


def _overflows(word: str) -> bool:
    return bool(np.isinf(float(word))) and _NOT_FINITE.fullmatch(word) is None


def find_row(path: str, rows_of: RowsOf, place: int) -> TextLines:
    """The file at `path`, closed, with data row `place` (from 0) as the last line read."""
    with TextLines(path) as lines:
        for at, _ in enumerate(rows_of(lines)):
            if at == place:
                break
        return lines


def refuse_overflow(
    path: str, rows_of: RowsOf, names: Sequence[str], columns: Sequence[NDArray[Any]], delimiter: str | None
) -> None:
    """Raise GdslError E0705 for the first number beyond float64, of which the reader made an infinity.

    The file is read again, and only where there are infinities at all.
    """
    endless = {place: np.isinf(values) for place, values in enumerate(columns) if values.dtype.kind == "f"}
    endless = {place: found for place, found in endless.items() if found.any()}
    if not endless:
        return
    rows = np.logical_or.reduce(list(endless.values()))
    with TextLines(path) as lines:
        for at, line in enumerate(rows_of(lines)):
            if at >= len(rows) or not rows[at]:
                continue
            words = words_of(line, delimiter)
            for place, found in endless.items():
                if found[at] and place < len(words) and _overflows(words[place]):
                    message = f"{names[place]}: `{short(words[place])}` is too large for a float64"
                    raise lines.error("E0705", message, "write inf where infinity is meant")
