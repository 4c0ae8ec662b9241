"""Numbers in text files that their type cannot hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.columns import RowsOf
from gdsl.graph.number_text import ONE_KIND, is_rounded, problem_of_real, words_of
from gdsl.graph.text import Text, TextLines, short

_ZEROS = b"0" * 200
_TINY = re.compile(rb"[eE]-0*[1-9][0-9][0-9]|0{200}")
"""Every text of a number that is not 0 and closer to it than float64 can be has one of these."""
_PIECE = 1 << 15
"""Values that are examined together."""


def refuse_overflow(
    text: Text,
    rows_of: RowsOf,
    names: Sequence[str],
    columns: Sequence[NDArray[Any]],
    delimiter: str | None,
    exact: bool = False,
) -> None:
    """Raise GdslError E0705 for the first number that float64 cannot hold and that was read as an infinity or as 0; if
    `exact` also for whole numbers that float64 rounds.

    The file is read again, and only where there may be such numbers.
    """
    reals = {place: values for place, values in enumerate(columns) if values.dtype.kind == "f"}
    tiny = any(not values.all() for values in reals.values()) and _may_underflow(text)
    suspects = {
        place: result for place, values in reals.items() if (result := _suspects(values, exact, tiny)) is not None
    }
    if not suspects:
        return
    rows = np.logical_or.reduce(list(suspects.values()))
    with TextLines(text) as lines:
        for at, line in enumerate(rows_of(lines)):
            if at >= len(rows) or not rows[at]:
                continue
            words = words_of(line, delimiter)
            for place, result in suspects.items():
                if not result[at] or place >= len(words):
                    continue
                word = words[place]
                if (problem := problem_of_real(word)) is not None:
                    raise lines.error("E0705", f"{names[place]}: `{short(word)}` {problem[0]}", problem[1])
                if exact and is_rounded(word):
                    message = f"{names[place]}: float64 rounds `{short(word)}`, and other values are not whole numbers"
                    raise lines.error("E0705", message, ONE_KIND)


def _may_underflow(text: Text) -> bool:
    """Whether the text has a number of hundreds of zeros after the point, or a large negative exponent."""
    with TextLines(text) as lines:
        for block in lines.blocks():
            if isinstance(block, Exception):
                raise lines.refused(block) from None
            # Searching for plain bytes is much faster than for the pattern.
            if (b"e-" in block or b"E-" in block or _ZEROS in block) and _TINY.search(block):
                return True
    return False


def _suspects(values: NDArray[Any], exact: bool, tiny: bool) -> NDArray[np.bool_] | None:
    """Which values are infinite or, if `exact`, may be rounded whole numbers or, if `tiny`, are 0; None if none are.
    Examined in pieces that fit in a processor's cache."""
    limit = 2.0**53 if exact else np.inf
    pieces = (values[first : first + _PIECE] for first in range(0, len(values), _PIECE))
    if not any((np.abs(piece) >= limit).any() or (tiny and not piece.all()) for piece in pieces):
        return None
    result: NDArray[np.bool_] = np.greater_equal(np.abs(values), limit)
    return result | (values == 0) if tiny else result
