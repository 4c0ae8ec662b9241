"""The text of the statement, or of the head of a block, in which a message has its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 200


def statements_around(plain: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The offsets of what may be the statement around a place, the shortest first: up to the nearest braces, beyond
    those of a set, and the head of a loop with `;` in its parentheses. `plain` is a text without comments."""
    seen: set[tuple[int, int]] = set()
    for skipped_before, skipped_behind in ((0, 0), (1, 1), (0, 1), (1, 0), (0, 2)):
        low, high = _low(plain, start, skipped_before), _high(plain, end, skipped_behind)
        for found in ((low, high), _head(plain, start, end), (low, start if plain[start:end] == "{" else end)):
            if found is None:
                continue
            first, last = _trimmed(plain, *found)
            if last - first <= _LONGEST and first < last and (first, last) not in seen:
                seen.add((first, last))
                yield first, last


def _low(plain: str, start: int, skipped: int) -> int:
    at = start
    for _ in range(skipped + 1):
        at = max(plain.rfind(sign, 0, at) for sign in ";{}")
        if at < 0:
            return 0
        if plain[at] == ";":
            break
    return at + 1


def _high(plain: str, end: int, skipped: int) -> int:
    at = end
    ends = re.compile(r"[;{}]")
    for number in range(skipped + 1):
        found = ends.search(plain, at)
        if found is None:
            return len(plain)
        if found.group() == ";" or number == skipped:
            return found.end() if found.group() == ";" else found.start()
        at = found.end()
    return at


def _head(plain: str, start: int, end: int) -> tuple[int, int] | None:
    """A `for (…; …; …)` around the place."""
    begun = list(re.finditer(r"\bfor\s*\(", plain[max(0, start - 120) : end + 8]))
    if not begun:
        return None
    first = begun[-1].start() + max(0, start - 120)
    close = plain.find("{", first)
    return (first, close) if first <= start <= close else None


def _trimmed(plain: str, low: int, high: int) -> tuple[int, int]:
    stretch = plain[low:high]
    return low + len(stretch) - len(stretch.lstrip()), high - (len(stretch) - len(stretch.rstrip()))
