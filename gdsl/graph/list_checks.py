"""Rows of an edge list that are not edges: counts, sections, brackets, and marks between or after the ends."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.columns import RowsOf
from gdsl.graph.group import Group
from gdsl.graph.messages import edited
from gdsl.graph.number_text import is_count
from gdsl.graph.text import TextLines, TextPart, short
from gdsl.graph.vertices import LARGEST_NUM_VERTICES

_FEWEST = 2
"""So many rows show what a line above them is."""


def is_count_line(first: Sequence[int], num_rows: int, largest: int) -> bool:
    """Whether the first of `num_rows` rows says how many vertices and edges follow: `39 85`, or `39 39 85`.

    `largest` is the largest id of the others."""
    count = num_rows - 1
    if count >= _FEWEST and len(first) == 3 and first[1] == count and first[0] in (largest, largest + 1):
        return True  # the third number is a flag for directions or weights
    if count < _FEWEST or any(size < largest for size in first[:-1]):
        return False
    # The edges of an undirected graph may be listed twice, or counted twice.
    twice = first[0] in (largest, largest + 1) and first[-1] in (2 * count, count / 2)
    return bool(first[-1] == count or twice)


def refuse_count_line(path: str, columns: Sequence[NDArray[Any]], line: int, mark: str | None, group: Group) -> None:
    """Raise E0705 where the first row, in `line`, is not an edge but the numbers of vertices and edges. `columns`:
    sources, destinations and perhaps weights, of the part that a worker of a group reads."""
    counts = group.gather(len(columns[0]))
    total = sum(counts)
    if total < 2:
        return
    is_first = group.rank == next(rank for rank, count in enumerate(counts) if count)
    values = group.first([column[:1].tolist()[0] for column in columns] if is_first else None)
    assert values is not None
    if any(each != each or each % 1 for each in values):
        return
    first = [*map(int, values)]
    if not {total - 1, 2 * total - 2, (total - 1) / 2} & set(first[1:]):
        return
    others = [ids[int(is_first) :] for ids in columns[:2]]
    here = (min(map(np.min, others)), max(map(np.max, others))) if len(others[0]) else None
    ranges = group.gather(here)
    lowest = int(min(each[0] for each in ranges if each is not None))
    largest = int(max(each[1] for each in ranges if each is not None))
    if is_count_line(first, total, largest):
        with TextLines(path) as lines:
            for _ in lines:
                if lines.number == line:
                    break
            row = f"`{short(lines.line)}`"
            message = f"{row} seems to be the numbers of vertices and edges: {total - 1:,} edges follow"
            header = (mark or " ").join(("source", "target", "weight")[: len(columns)])
            fix = count_line_fix(path, [str(each) for each in first], lowest > 0 and largest == first[0])
            error = lines.error("E0705", message, f"{fix}; if it is an edge, put `# {header}` above it")
            raise group.agreed(error)


def count_line_fix(path: str, first: Sequence[str], one_based: bool | None = None, num_lines: int = 1) -> str | None:
    """How to leave out `num_lines` first lines of counts; None where they are not counts. `one_based`: whether the ids
    count from 1."""
    if not all(map(is_count, first)) or int(first[0]) > LARGEST_NUM_VERTICES:
        return None
    pronoun, subject, place = (
        ("it", "the first line is", "1") if num_lines == 1 else ("them", "the first lines are", f"1,{num_lines}")
    )
    remove = f"remove {pronoun} by {edited(path, f'{place}d')}"
    options = f"--num-vertices {first[0]} (num_vertices={first[0]})"
    if one_based:
        options = f"--num-vertices {first[0]} --one-based (num_vertices={first[0]}, one_based=True)"
    elif one_based is None:
        options += ", also --one-based (one_based=True) if ids count from 1"
    return f"if {subject} the numbers of vertices and edges, {remove}, and give {options}"


def may_be_counts(first: Sequence[str], num_rows: int) -> bool:
    """Whether a line above `num_rows` others may hold counts, the number of vertices first."""
    sizes = [int(word) if is_count(word) else -1 for word in first]
    return sizes[0] > 0 and (
        len(sizes) == 1 or any(size in (num_rows, 2 * num_rows, num_rows / 2) for size in sizes[1:])
    )


def refuse_sections(
    part: TextPart,
    rows_of: RowsOf,
    gap: int,
    sources: NDArray[np.int64],
    destinations: NDArray[np.int64],
    group: Group,
) -> None:
    """Raise E0705 where the rows above the empty line `gap` seem to be ids and names of vertices: each id once, from 0
    or 1 on, and only these below. The rows are those of the part that a worker of a group reads."""
    with TextLines(part) as lines:
        count = 0
        for _ in rows_of(lines):
            if lines.number > gap:
                break
            count += 1
    above, below = sources[:count], np.concatenate([sources[count:], destinations[count:]])
    counts, start = group.gather(count), group.first(int(above[0]) if count else None)
    total, here = sum(counts), sum(counts[: group.rank])
    if total < _FEWEST or start not in (0, 1):
        return
    ascends = bool((above == np.arange(start + here, start + here + count)).all())
    others = [each for each in group.gather((below.min(), below.max()) if len(below) else None) if each is not None]
    if group.any(not ascends) or not others:
        return
    if min(each[0] for each in others) < start or max(each[1] for each in others) >= start + total:
        return
    message = "an empty line, above which each id is once: those lines seem to name the vertices"
    path = part.path
    one, other = edited(path, f"1,{gap}d"), edited(path, f"{gap}d")
    fix = f"remove them by {one}; if they are edges, remove the empty line: {other}"
    raise group.agreed(GdslError.single("E0705", message, fix=fix, place=f"{path}:{gap}"))


_BETWEEN = ("<->", "-->", "->", "=>", "--", "→", "-", ":")
_BOTH_WAYS = ("<->", "--")
_BRACKETED = re.compile(r"\s*[\[({].*[\])}][,;]?\s*")
_BRACKETS = re.compile(r"[][(){}]")
_ENDED = re.compile(r"\s*[^\s,;]+(?:\s+[^\s,;]+)+\s*[,;]\s*|\s*[^\s,;]+(?:,[^\s,;]+)+\s*;\s*")
_VERTEX = re.compile(r"[^\s:]+:(\s|$)")
_IN_SINGLE_QUOTES = re.compile(r"\s*'[^']*'\s*[,;|\s]\s*'[^']*'.*")
_OTHER_BLANK = re.compile(r"(?![ \t])\s")


def refuse_marks(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows between blanks that all have such a mark at the same place."""
    after_vertex = after_first_vertex(texts)
    mark = ":" if after_vertex else _mark_between(texts)
    if mark is None:
        return
    pattern = ":" if after_vertex else f" *{mark} *"
    fix = "put a blank in place of it: " + edited(lines.path, shlex.quote(f"s/{pattern}/ /"))
    if mark in _BOTH_WAYS:
        fix += ", and give --undirected (undirected=True)"
    elif after_vertex:
        fix += ", and give --format adjlist (format='adjlist') where neighbors follow"
    raise lines.error("E0705", f"`{short(texts[0])}`: each line has the mark `{mark}`, which is not a vertex", fix)


def refuse_brackets(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows in brackets, as Python and others print pairs: these would be part of names."""
    if not all(_BRACKETED.fullmatch(text) for text in texts):
        return
    fix = "write each edge in a line of its own"
    if all(len(_BRACKETS.findall(text)) == 2 for text in texts):
        fix = "remove them: " + edited(lines.path, "'s/[][(){}]//g; s/[,;] *$//'")
    raise lines.error("E0705", f"`{short(texts[0])}`: each line is in brackets, which belong to no vertex", fix)


def refuse_line_ends(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows between blanks or commas that all end with one more mark, as in other languages' code: it
    would part off an empty column, or be the only separator."""
    if not all(_ENDED.fullmatch(text) for text in texts):
        return
    mark = texts[0].rstrip()[-1]
    fix = "remove it: " + edited(lines.path, f"'s/ *{mark} *$//'")
    raise lines.error("E0705", f"`{short(texts[0])}`: each line ends with `{mark}`, which ends no edge", fix)


def refuse_single_quotes(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows with both ends in single quotes, which would make names of them."""
    rows = texts[1:] or texts
    if not all(_IN_SINGLE_QUOTES.fullmatch(text) for text in rows):
        return
    fix = "put double quotes in place of them: " + edited(lines.path, """"s/'/\\"/g\"""")
    message = f"`{short(rows[0])}`: each value is in single quotes, which quote nothing"
    raise lines.error("E0705", message, fix)


def refuse_blanks(lines: TextLines, texts: Sequence[str]) -> None:
    """Raise E0705 for rows whose values are separated by blanks of Unicode alone, such as no-break spaces."""
    if not all(_OTHER_BLANK.search(text.strip()) and not {" ", "\t"} & {*text.strip()} for text in texts):
        return
    blank = _OTHER_BLANK.search(texts[0].strip())
    assert blank is not None
    what = "no-break spaces" if blank[0] == "\u00a0" else f"the blank U+{ord(blank[0]):04X}"
    code = "".join(f"\\x{byte:02x}" for byte in blank[0].encode())
    fix = "put blanks in place of them: " + edited(lines.path, f"'s/{code}/ /g'")
    raise lines.error("E0705", f"`{short(texts[0])}`: the values are separated by {what}, which separate nothing", fix)


def after_first_vertex(texts: Sequence[str]) -> bool:
    """Whether the first word of each line ends with a colon."""
    return bool(texts) and all(_VERTEX.match(text.lstrip()) for text in texts)


def _mark_between(texts: Sequence[str]) -> str | None:
    """The mark between the two ends, with or without blanks around it."""
    rows = [text.split() for text in texts]
    for mark in _BETWEEN:
        if all(len(row) > 2 and row[1] == mark for row in rows):
            return mark
        if all(len(row) == 1 and row[0].count(mark) == 1 and row[0].strip(mark) == row[0] for row in rows):
            return mark
    return None
