"""A table of text, with a bar behind each of its rows."""

from __future__ import annotations

from collections.abc import Sequence

_BAR = "█"
_PARTS = " ▏▎▍▌▋▊▉"
_LEAST, _MOST = 10, 40
"""Characters of a full bar, where there is little room and where there is much."""

Row = tuple[str, ...]


def aligned(head: Row, rows: Sequence[Row], shares: Sequence[float], width: int, left: tuple[int, ...]) -> list[str]:
    """The lines of `head` and `rows`, at most `width` characters long where there is room: each column as wide as its
    widest cell, to the left where `left` has its place, and behind each row a bar for its share, from 0 to 1; no bars
    where there are no `shares`."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    room = max(_LEAST, min(_MOST, width - sum(widths) - 2 * len(widths)))
    lines = []
    for number, row in enumerate((head, *rows)):
        cells = [cell.ljust(widths[at]) if at in left else cell.rjust(widths[at]) for at, cell in enumerate(row)]
        bar = _bar(shares[number - 1], room) if number and shares else ""
        lines.append("  ".join([*cells, bar]).rstrip())
    return lines


def _bar(share: float, room: int) -> str:
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    return _BAR * (eighths // 8) + (_PARTS[eighths % 8] if eighths % 8 else "")
