"""Which columns of a list seem to be the ends, and whether a first line that names them may be an edge itself."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from gdsl.graph.column_names import ENDS, UNDIRECTED_ENDS
from gdsl.graph.number_text import is_number, is_whole

_SURE = {*ENDS, UNDIRECTED_ENDS}
_MOST_COLUMNS = 32
"""Columns of which each pair is looked at."""


def likely_ends(sample: Sequence[Sequence[str]], width: int) -> tuple[int, int]:
    """The places of the columns that are most likely the ends in rows such as those of `sample`, without a header.

    Numbers in the first two columns are the ends. Names are where two columns share values, or else not in a column
    that has fewer different values than those beside it, as the middle one in `A interacts B`.
    """
    width = min(width, _MOST_COLUMNS)
    rows = [row for row in sample if len(row) >= width]
    if not rows or width < 3:
        return 0, 1
    columns = [[row[place] for row in rows] for place in range(width)]
    whole = [all(map(is_whole, column)) for column in columns]
    text = [not any(map(is_number, column)) and all(column) for column in columns]
    values = [set(column) for column in columns]
    if (whole[0] and whole[1]) or (text[0] and text[1] and values[0] & values[1]):
        return 0, 1
    unlike = not (text[0] and text[1])
    pairs = list(itertools.combinations(range(width), 2))
    alike = [
        pair for kinds in ((text, whole) if unlike else (text,)) for pair in pairs if all(kinds[at] for at in pair)
    ]
    best = max(alike, key=lambda pair: len(values[pair[0]] & values[pair[1]]), default=(0, 1))
    if values[best[0]] & values[best[1]]:
        return best
    if unlike:
        return alike[0] if alike else (0, 1)
    middle = text[2] and len(rows) > 1 and len(values[1]) < min(len(values[0]), len(values[2]))
    return (0, 2) if middle else (0, 1)


def may_be_edge(words: tuple[str, str], rows: Sequence[tuple[str, str]]) -> bool:
    """Whether a first line that seems to name the ends as `words` may be an edge: below it are ends that differ from
    these as little as the two do from each other, by one character, such as `v3` below `v1` and `v2`."""
    if is_sure(words):
        return False
    front = _common_front(*words)
    rest = _common_front(*(word[len(front) :][::-1] for word in words))[::-1]
    same = len(front) + len(rest)
    if not same or any(len(word) != same + 1 for word in words):
        return False
    return any(value.startswith(front) and value.endswith(rest) and len(value) > same for row in rows for value in row)


def is_sure(words: tuple[str, str]) -> bool:
    """Whether two words can hardly be vertices, as `source` and `target`."""
    first, second = (word.lower() for word in words)
    return (first, second) in _SURE


def _common_front(one: str, other: str) -> str:
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(first for first, _ in alike)
