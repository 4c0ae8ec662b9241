"""The rows of an edge list with names, quotes or text, and what is wrong with a row of any edge list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from gdsl.graph.column_names import begins_list, ends_fix
from gdsl.graph.edge_list_head import SAMPLE, Head, header_fix
from gdsl.graph.fields import records
from gdsl.graph.list_checks import count_line_fix, may_be_counts
from gdsl.graph.messages import edited, filtered
from gdsl.graph.number_text import is_number
from gdsl.graph.text import TextLines, printable, short

COMPACT = "where ids are keys, --compact (compact=True) takes any, and counts only the vertices that have an edge"
WHOLE = "write ids as whole numbers, such as 1: numpy.savetxt has fmt='%d' for it"


def rows_of_list(lines: TextLines, head: Head) -> Iterator[list[str]]:
    """The values of each row after the header, without the empty ones at the end of rows."""
    result = records(lines, head.mark, iter(lines))
    if head.in_row and lines.begins:
        next(result)
        lines.watch_gaps()
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    trailing = head.columns is None and width > 2 and head.first is not None and not head.first[-1]
    width -= trailing
    last_gap = 0 if lines.part.pending else lines.gap
    names_columns = head.in_row and head.columns is not None and (head.certain or head.columns.known)
    header = list(head.columns.header) if head.columns is not None and names_columns else None
    for values in result:
        if len(values) > width and not any(values[width:]):
            del values[width:]
        if lines.gap and lines.gap != last_gap:
            last_gap = lines.gap
            if begins_list(values):
                raise lines.error("E0705", "a second list begins after an empty line", second_list_fix(lines))
        if values == header:
            raise lines.error(
                "E0705", "this line names the columns again, as the first one does", _without_headers(lines.path)
            )
        if len(values) != width:
            _refuse_width(lines, head, values, width)
        lines.watch_gaps()
        yield values


def refuse_unnamed(path: str, head: Head, width: int) -> NoReturn:
    """Raise E0705 for more columns than a list without a header may have."""
    with TextLines(path) as lines:
        lines.number = head.first_line
        if len({*map(len, head.sample)}) > 1:
            message = "lines have different numbers of values, and an edge has two ends"
            raise lines.error("E0705", message, width_fix(lines, head))
        message = f"the line has {width} values; without names for them at most 3 are known"
        raise lines.error("E0705", message, header_fix(path, head, width))


def _refuse_width(lines: TextLines, head: Head, values: list[str], width: int) -> NoReturn:
    count = f"{len(values)} value{'s' if len(values) != 1 else ''}"
    verb = "names" if head.in_row else "has"
    line = (head.mark or " ").join(values)
    fix = width_fix(lines, head)
    if any(word.startswith(("#", "%")) for word in values[1:]):
        fix = "a comment is a line of its own, which starts with # or %"
    elif fix is None and len(values) == width + 1 and head.in_row and head.mark in (None, "\t"):
        sign = r"\t" if head.mark else " "
        command = edited(lines.path, f"'1s/^/row{sign}/'")
        fix = f"if rows have names in front, name their column, too: {command}"
    elif fix is None and len(values) > width and head.mark is None and not all(map(is_number, values)):
        fix = "put values that hold blanks in double quotes"
    elif fix is None and len(values) > width and head.mark is not None:
        fix = 'put values that hold the separator in double quotes, such as "Smith, John"'
    first = f"the first line {verb} {width} columns"
    raise lines.error("E0705", f"the line has {count}, and {first}: `{short(line)}`", fix)


def width_fix(lines: TextLines, head: Head) -> str | None:
    """The fix for a line among lines of other widths, in a list without a header."""
    if lines.gap and lines.gap == lines.number - 1:
        return gap_fix(lines.path, lines.gap)
    widths = [len(row) for row in head.sample]
    if head.columns is not None or len(set(widths)) < 2 or head.first is None:
        return None
    if widths[:2] == [1, 1] and len(set(widths[2:])) == 1 and widths[2] > 1:
        return count_line_fix(lines.path, head.first, num_lines=2)
    if len(set(widths[1:])) == 1:
        is_all = len(head.sample) <= SAMPLE
        return (
            count_line_fix(lines.path, head.first) if not is_all or may_be_counts(head.first, len(widths) - 1) else None
        )
    if len(set(widths[:-1])) == 1:
        return None
    return "--format adjlist (format='adjlist') reads lines of a vertex and its neighbors"


def _without_headers(path: str) -> str:
    """How to leave out repetitions of the first line that is no comment, which files that are joined have."""
    command = filtered(path, """awk '$0 == head { next } head == "" && !/^[#%]/ { head = $0 } { print }'""")
    return f"where files were joined, keep the first one: {command}"


def second_list_fix(lines: TextLines) -> str:
    """How to leave out what follows the first empty line."""
    command = edited(lines.path, f"'{lines.gap},$d'")
    return f"a file holds one list; remove the second one: {command}"


def gap_fix(path: str, gap: int) -> str:
    """How to leave out what is above the empty line `gap`."""
    part = f"{gap} is empty, and a file holds one list: if the lines above it name the vertices"
    return f"line {part}, remove them: {edited(path, f'1,{gap}d')}"


def refuse_names(lines: TextLines, head: Head, called: str, word: str) -> NoReturn:
    """Raise E0705 for a name where ids are expected."""
    message = f"{called}: `{printable(word)}` is not a whole number"
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    first = header_fix(lines.path, head, width)
    if head.in_row and head.columns is not None:
        refuse_header(lines, head, message)
    if head.gap > lines.number:
        raise lines.error("E0705", message, gap_fix(lines.path, head.gap))
    raise lines.error("E0705", message, WHOLE if is_number(word) else f"where vertices have names, {first}")


def refuse_header(lines: TextLines, head: Head, message: str) -> NoReturn:
    """Raise E0705 where the first line may name the columns or be an edge."""
    assert head.columns is not None
    width = len(head.columns.header)
    named = ends_fix(head.columns.header, head.columns.ends)
    edge = header_fix(lines.path, head, width)
    fix = f"if line 1 names the columns, say which are the ends: {named}; if it is an edge, {edge}"
    raise lines.error("E0705", message, fix)
