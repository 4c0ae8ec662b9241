"""Rows of edge lists whose ends are names: the same rows with a number for each name."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from gdsl.graph.columns import words_of
from gdsl.graph.text import TextLines, printable, short


def numbered_rows(
    lines: TextLines,
    rows: Iterator[str],
    columns: Sequence[str],
    ends: tuple[int, int],
    delimiter: str | None,
    mark: str | None,
    ids: dict[str, int],
) -> Iterator[str]:
    """`rows` with numbers at `ends`, counted as the names appear and kept in `ids`; values stand between `mark`s in
    `rows`, and between `delimiter`s in what is given. Raises GdslError E0705 or E0710."""
    for row in rows:
        words = words_with_names(lines, row, mark)
        if len(words) != len(columns):
            message = f"the line has {len(words)} values, and the first line names {len(columns)} columns"
            raise lines.error("E0705", f"{message}: `{short(row)}`")
        for place in ends:
            if not words[place] or not words[place].isprintable():
                raise lines.error("E0705", f"{columns[place]}: `{printable(words[place])}` is no name of a vertex")
            words[place] = str(ids.setdefault(words[place], len(ids)))
        odd = next((place for place, word in enumerate(words) if len(word.split()) != 1), None)
        if odd is not None:  # which would be no value, or two, between blanks
            raise lines.error("E0705", f"{columns[odd]}: `{printable(words[odd])}` is not a number")
        lines.line = (delimiter or " ").join(words).encode("utf-8", "replace").decode("latin-1")
        yield lines.line


def words_with_names(lines: TextLines, line: str, mark: str | None) -> list[str]:
    """The values of a line; those in double quotes may hold the mark between values. Raises E0710 for what is not
    UTF-8, in which two names might read alike."""
    try:
        text = line.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        raise lines.error("E0710", "the line is not UTF-8", "save the file as UTF-8") from None
    if mark is None:
        return words_of(text, None)
    try:
        [words] = csv.reader([text], delimiter=mark, skipinitialspace=True)
    except csv.Error:  # of a value that is longer than any name
        raise lines.error("E0710", f"this is no text of edges: the line has {len(line):,} bytes") from None
    return [word.strip() for word in words]
