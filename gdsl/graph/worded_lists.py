"""Edge lists that are more than plain numbers: names, quotes, text, columns that are left out. What a column is, is
known when all of it has been read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.column_names import ends_fix
from gdsl.graph.columns import is_number, is_whole, problem_of, whole_value
from gdsl.graph.edge_list_head import Head, header_fix
from gdsl.graph.fields import records
from gdsl.graph.list_values import ListValues
from gdsl.graph.names import Names
from gdsl.graph.notices import notice
from gdsl.graph.text import TextLines, printable, short
from gdsl.records import dataclass

_ROWS = 1 << 14
"""Rows that are looked at together."""
_FEW = 5
_TYPES = frozenset(("directed", "undirected"))


@dataclass(frozen=True, slots=True)
class Worded:
    """The columns of such a list: ids, or numbers of names; `type_says`: what a column of Gephi's says of all edges."""

    sources: NDArray[Any]
    destinations: NDArray[Any]
    names: Names | None
    attributes: dict[str, NDArray[Any]]
    type_says: str | None


def rows_of_list(lines: TextLines, head: Head) -> Iterator[list[str]]:
    """The values of each row behind the header, the empty ones that rows end with left out."""
    found = records(lines, head.mark, iter(lines))
    if head.in_row:
        next(found)
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    trailing = head.columns is None and width > 2 and head.first is not None and not head.first[-1]
    width -= trailing
    for values in found:
        if len(values) > width and not any(values[width:]):
            del values[width:]
        if len(values) != width:
            _refuse_width(lines, head, values, width)
        yield values


def read_worded(path: str, head: Head, directed: bool | None, large_ids: bool) -> Worded:
    """The list at `path`. `directed`: what the caller says; `large_ids`: whether ids may be of any size.

    Raises GdslError E0705 or E0710 with file and line.
    """
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    if width < 2 and head.first is not None:
        with TextLines(path) as lines:
            lines.number = head.first_line
            note = "a line holds two ids, between blanks, commas or semicolons"
            raise lines.error("E0705", f"`{printable(head.first[0])}` is not an edge", notes=(note,))
    values = _value_columns(path, head)
    ends = head.columns.ends if head.columns is not None else (0, 1)
    with TextLines(path) as lines:
        ids = _Ids(head, ends)
        waiting: list[list[str]] = []
        numbers: list[int] = []
        for row in rows_of_list(lines, head):
            ids.add(lines, row)
            waiting.append(row)
            numbers.append(lines.number)
            if len(waiting) == _ROWS:
                _append(values, waiting, numbers)
                waiting, numbers = [], []
        _append(values, waiting, numbers)
        sources, destinations, names = ids.found(lines, large_ids)
        attributes, type_says = _attributes(lines, head, values, directed)
        return Worded(sources, destinations, names, attributes, type_says)


def _value_columns(path: str, head: Head) -> dict[int, ListValues]:
    """The columns that may be attributes, by their places."""
    if head.columns is not None:
        names = {place: str(head.columns.names[place]) for place in head.columns.values}
    else:
        count = len(head.first or ()) - (head.first is not None and not head.first[-1])
        if count > 3:
            refuse_unnamed(path, head, count)
        names = {2: "weight"} if count == 3 else {}
    return {place: ListValues(name, name == "weight" and head.columns is not None) for place, name in names.items()}


def refuse_unnamed(path: str, head: Head, width: int) -> NoReturn:
    """Raise E0705 for more columns than are known without names."""
    with TextLines(path) as lines:
        lines.number = head.first_line
        if head.ragged:
            message = "lines have different numbers of values, as in an adjacency list, and an edge has two ends"
            raise lines.error("E0705", message, "Graph.from_networkx(networkx.read_adjlist(FILE)) reads such lists")
        message = f"the line has {width} values; without names for them at most 3 are known"
        raise lines.error("E0705", message, header_fix(path, width, head.mark))


def _append(values: dict[int, ListValues], rows: list[list[str]], numbers: list[int]) -> None:
    for place, column in values.items():
        column.append([row[place] for row in rows], numbers)


def _refuse_width(lines: TextLines, head: Head, values: list[str], width: int) -> NoReturn:
    count = f"{len(values)} value{'s' if len(values) != 1 else ''}"
    told = "names" if head.in_row else "has"
    line = (head.mark or " ").join(values)
    fix = None
    if any(word.startswith(("#", "%")) for word in values[1:]):
        fix = "a comment is a line of its own, which starts with # or %"
    elif len(values) > width and head.mark is None:
        fix = "put values that hold blanks in double quotes"
    elif len(values) > width:
        fix = 'put values that hold the separator in double quotes, such as "Smith, John"'
    first = f"the first line {told} {width} columns"
    raise lines.error("E0705", f"the line has {count}, and {first}: `{short(line)}`", fix)


def ids_of(
    lines: TextLines, head: Head, ends: tuple[int, int], rows: Iterator[list[str]]
) -> tuple[NDArray[Any], NDArray[Any], Names | None]:
    """Sources and destinations of `rows`, and the names where the ends are some."""
    ids = _Ids(head, ends)
    for row in rows:
        ids.add(lines, row)
    return ids.found(lines, False)


class _Ids:
    """The ends of the rows, each word with a number by the order in which they appear."""

    def __init__(self, head: Head, ends: tuple[int, int]) -> None:
        self._head, self._ends = head, ends
        self._numbers: dict[str, int] = {}
        self._sources, self._destinations = array("q"), array("q")
        self._firsts: dict[str, tuple[int, str, str]] = {}

    def add(self, lines: TextLines, row: list[str]) -> None:
        """The ends of a row."""
        known = self._numbers
        before = len(known)
        source, destination = row[self._ends[0]], row[self._ends[1]]
        self._sources.append(known.setdefault(source, len(known)))
        self._destinations.append(known.setdefault(destination, len(known)))
        if len(known) != before:
            for called, word in (("source", source), ("destination", destination)):
                if not is_whole(word):
                    self._note(lines, called, word)

    def _note(self, lines: TextLines, called: str, word: str) -> None:
        allowed = self._head.certain or self._head.dicts
        if not word and allowed:
            raise lines.error("E0705", f"{called}: `` is no name of a vertex", "give each edge both ends")
        if not word.isprintable() and allowed:
            message = f"{called}: `{printable(word)}` is no name of a vertex: it has a character that is not printed"
            raise lines.error("E0705", message, "remove that character, such as a line end or a no-break space")
        self._firsts.setdefault("real" if is_number(word) else "name", (lines.number, called, word))
        self._firsts.setdefault("first", (lines.number, called, word))
        if not allowed:
            refuse_names(lines, self._head, called, word)

    def found(self, lines: TextLines, large: bool) -> tuple[NDArray[Any], NDArray[Any], Names | None]:
        """Sources, destinations, and the names where they are some."""
        sources, destinations = (np.array(end, np.int64) for end in (self._sources, self._destinations))
        words = list(self._numbers)
        if "name" in self._firsts:
            line, _, word = self._firsts["name"]
            whole = next((each for each in words if is_number(each)), None)
            if whole is not None:
                notice(
                    f"{printable(lines.path)}: the ends are names, `{printable(whole)}` among them, "
                    f"as `{printable(word)}` in line {line} is no number"
                )
            return sources, destinations, Names(words)
        if "real" in self._firsts:
            lines.number, called, word = self._firsts["real"]
            message = f"{called}: `{printable(word)}` is not a whole number"
            raise lines.error(
                "E0705", message, "write ids as whole numbers, such as 1: numpy.savetxt has fmt='%d' for it"
            )
        values: NDArray[Any]
        if large:
            # Python's own numbers are of any size; of equal ones NumPy makes one.
            values = np.array([*map(whole_value, words), None], object)[:-1]
            narrow = all(problem_of(word, np.int64) is None for word in words)
            values = values.astype(np.int64) if narrow else values
        else:
            for word in words:
                problem = problem_of(word, np.int64)
                if problem is not None:
                    self._refuse_large(lines, word, problem)
            values = np.array([*map(whole_value, words)], np.int64)
        return values[sources], values[destinations], None

    def _refuse_large(self, lines: TextLines, word: str, problem: str) -> NoReturn:
        number = self._numbers[word]
        places = (np.flatnonzero(np.array(end) == number) for end in (self._sources, self._destinations))
        at, called = min(
            (int(each[0]), name) for each, name in zip(places, ("source", "destination"), strict=True) if len(each)
        )
        with TextLines(lines.path) as again:
            for place, _ in enumerate(rows_of_list(again, self._head)):
                if place == at:
                    break
            fix = "--compact (compact=True) takes ids of any size, and counts only the vertices that have an edge"
            raise again.error("E0705", f"{called}: `{printable(word)}` {problem}", fix)


def refuse_names(lines: TextLines, head: Head, called: str, word: str) -> NoReturn:
    """Raise E0705 for a name where only ids are certain."""
    message = f"{called}: `{printable(word)}` is not a whole number"
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    first = header_fix(lines.path, width, head.mark)
    if head.in_row and head.columns is not None:
        named = ends_fix(head.columns.header, head.columns.ends)
        fix = f"if line 1 names the columns, say which are the ends: {named}; if it is an edge, {first}"
        raise lines.error("E0705", message, fix)
    raise lines.error("E0705", message, None if is_number(word) else f"where vertices have names, {first}")


def _attributes(
    lines: TextLines, head: Head, values: dict[int, ListValues], directed: bool | None
) -> tuple[dict[str, NDArray[Any]], str | None]:
    found: dict[str, NDArray[Any]] = {}
    left: list[str] = []
    type_says = None
    for column in values.values():
        types = set(column.words)
        if column.name.lower() == "type" and types and types <= _TYPES:
            type_says = _type_of(lines, types, directed)
            left.append(column.name)
            continue
        numbers = column.found(lines, len(values) == 1 and types != {""})
        if numbers is None:
            left.append(column.name)
        else:
            found[column.name] = numbers
    unnamed = 0 if head.columns is None else head.columns.unnamed
    if left or unnamed:
        called = [f"`{printable(name)}`" for name in left[:_FEW]]
        called += ["…"] if len(left) > _FEW else []
        called += [f"{unnamed} without a name"] if unnamed else []
        what = "columns are" if len(left) + unnamed > 1 else "column is"
        text = f"{printable(lines.path)}: {', '.join(called)}: the {what} left out"
        notice(f"{text}, as only numbers are attributes" if left else text)
    return found, type_says


def _type_of(lines: TextLines, types: set[str], directed: bool | None) -> str | None:
    if len(types) == 2 and directed is None:
        message = "the column `Type` says that some edges are directed and others are not"
        raise lines.error(
            "E0705", message, "--directed or --undirected (directed=True, undirected=True) decides for all"
        )
    return next(iter(types)) if len(types) == 1 else None
