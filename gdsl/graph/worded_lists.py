"""Edge lists that hold more than plain numbers: names, quotes, text, columns that are left out. All values of a column
decide what it is."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.diagnostics import printable as printable_path
from gdsl.graph import list_rows
from gdsl.graph.edge_list_head import Head
from gdsl.graph.group import ALONE, Group, objects
from gdsl.graph.list_values import MISSING, SAYS, ListValues
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import notice
from gdsl.graph.number_text import is_number, is_whole, problem_of, whole_value
from gdsl.graph.numbering import NumberedNames, number_by_appearance
from gdsl.graph.text import TextLines, TextPart, printable
from gdsl.graph.text_parts import read_in_order, read_records
from gdsl.graph.vertices import Names
from gdsl.records import dataclass

_WORDS, _CHARACTERS = 1 << 16, 1 << 22
"""Words that are processed together, and their total length at most."""
_CHECK_INTERVAL = 1 << 24
"""Characters of names after which available memory is checked again."""
_DECIDES = "--directed (directed=True) or --undirected (undirected=True) decides for all"


@dataclass(frozen=True, slots=True)
class Worded:
    """The columns of such a list: ids, or numbers of names; `type_statement`: what a column of types says about all
    edges."""

    sources: NDArray[Any]
    destinations: NDArray[Any]
    names: Names | NumberedNames | None
    attributes: dict[str, NDArray[Any]]
    type_statement: str | None = None
    left_out: tuple[str, ...] = ()
    """Columns that are left out."""


def read_worded(
    part: TextPart, head: Head, decided: bool, large_ids: bool, group: Group = ALONE
) -> tuple[Worded, TextPart]:
    """The rows of `part`, and this part, which other rows before it may move. `decided`: whether the caller says
    what is directed;
    `large_ids`: whether ids may be of any size.

    Raises GdslError E0705 or E0710 with file and line.
    """
    path = part.path
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    if width < 2 and head.first is not None:
        with group.agreement(), TextLines(path) as lines:
            lines.number = head.first_line
            note = "a line holds two ids, between blanks, commas or semicolons"
            fix = list_rows.width_fix(lines, head)
            raise lines.error("E0705", f"`{printable(head.first[0])}` is not an edge", fix, (note,))
    words, part = read_in_order(group, part, lambda assumed: _read_words(assumed, head))
    group.raise_first(words.error)
    with TextLines(part) as lines:
        lines.gap, lines.number = group.first(words.gap or None) or 0, group.max(words.number)
        facts = _join(group.gather(words.ids.facts()), lines.gap)
        for column in words.values.values():
            column.join(group)
        with group.agreement():
            ids = words.ids.numbers(lines, facts, large_ids)
        with group.agreement():
            attributes, type_statement, left_out = _attributes(lines, words.values, decided)
    names: Names | NumberedNames | None = None
    if facts.has_names:
        ids, names = words.ids.names(group)
    sources, destinations = (ids[end] for end in words.ids.ends())
    return Worded(sources, destinations, names, attributes, type_statement, left_out), part


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a part, by column. gap: its first empty line, 0 without any. number: its last line. error: that of
    a word in its last rows."""

    ids: _Ids
    values: dict[int, ListValues]
    gap: int
    number: int
    error: GdslError | None


def _read_words(assumed: TextPart, head: Head) -> tuple[tuple[_Words, TextPart], TextPart]:
    """The words of a part, the part, and what the next one begins with."""
    (words, lines, pending), part = read_records(assumed, lambda part: _words_of(part, head))
    following = replace(lines.following(), pending=pending)
    return (words, part), following


def _words_of(part: TextPart, head: Head) -> tuple[_Words, TextLines, bool]:
    """The words of a part, its lines, closed, and whether no row follows the first empty line."""
    values = _value_columns(part.path, head)
    width = len(head.columns.header) if head.columns is not None else len(head.first or ())
    ends = head.columns.ends if head.columns is not None else (0, 1)
    with TextLines(part) as lines:
        ids = _Ids(head, ends)
        batch: list[list[str]] = []
        numbers: list[int] = []
        length, last_row = 0, part.number
        for row in list_rows.rows_of_list(lines, head):
            batch.append(row)
            numbers.append(last_row := lines.number)
            length += sum(map(len, row))
            if len(batch) * width >= _WORDS or length >= _CHARACTERS:
                ids.add(lines, batch, numbers)
                _append(values, batch, numbers)
                batch, numbers, length = [], [], 0
        number, error = lines.number, None
        try:
            ids.add(lines, batch, numbers)
        except GdslError as raised:  # errors of whole rows come first, in the parts of other workers, too
            error, lines.number = raised, number
        _append(values, batch, numbers)
    pending = lines.gap > last_row or (part.pending and last_row == part.number)
    return _Words(ids, values, lines.gap, number, error), lines, pending


def _value_columns(path: str, head: Head) -> dict[int, ListValues]:
    """The columns that may be attributes, by their places."""
    if head.columns is not None:
        names = {place: str(head.columns.names[place]) for place in head.columns.values}
    else:
        count = len(head.first or ()) - (head.first is not None and not head.first[-1])
        if count > 3:
            list_rows.refuse_unnamed(path, head, count)
        names = {2: "weight"} if count == 3 else {}
    return {place: ListValues(name, name == "weight" and head.columns is not None) for place, name in names.items()}


def _append(values: dict[int, ListValues], rows: list[list[str]], numbers: list[int]) -> None:
    for place, column in values.items() if rows else ():
        column.append([row[place] for row in rows], numbers)


def ids_of(
    lines: TextLines, head: Head, ends: tuple[int, int], rows: Iterator[list[str]]
) -> tuple[NDArray[Any], NDArray[Any], Names | None]:
    """The sources and the destinations of `rows`, [E] each, and the names of vertices if the ends are names; then these
    are ids from 0."""
    ids = _Ids(head, ends)
    for row in rows:
        ids.add(lines, [row], [lines.number])
    facts = replace(ids.facts(), gap=lines.gap)
    values: NDArray[Any] = ids.numbers(lines, facts, False)
    names: Names | None = None
    if facts.has_names:
        values, names = ids.names(ALONE)
    sources, destinations = (values[end] for end in ids.ends())
    return sources, destinations, names


class _Ids:
    """The ends of the rows; words are numbered in order of appearance."""

    def __init__(self, head: Head, ends: tuple[int, int]) -> None:
        self._head, self._ends = head, ends
        self._numbers: dict[str, int] = {}
        self._sources, self._destinations = array("q"), array("q")
        self._firsts: dict[str, tuple[int, str, str]] = {}
        self._length, self._next_check = 0, _CHECK_INTERVAL

    def _require_memory(self, lines: TextLines, length: int) -> None:
        self._length += length
        if self._length >= self._next_check:
            self._next_check += _CHECK_INTERVAL
            require_memory(self._length, f"names of {self._length:,} characters", lines.path)

    def add(self, lines: TextLines, rows: Sequence[Sequence[str]], line_numbers: Sequence[int]) -> None:
        """Add the ends of some rows."""
        known, first, second = self._numbers, *self._ends
        number_of = known.setdefault
        add_source, add_destination = self._sources.append, self._destinations.append
        for row, line in zip(rows, line_numbers, strict=True):
            num_known = len(known)
            source, destination = row[first], row[second]
            add_source(number_of(source, num_known))
            add_destination(number_of(destination, len(known)))
            if len(known) != num_known:
                self._require_memory(lines, len(source) + len(destination))
                for called, word in (("source", source), ("destination", destination)):
                    if not is_whole(word):
                        self._note_word(lines, line, called, word)

    def _note_word(self, lines: TextLines, line: int, called: str, word: str) -> None:
        lines.number, current = line, lines.number
        allowed = self._head.certain or self._head.dicts
        if not word and allowed:
            raise lines.error("E0705", f"the {called} is missing", "give each edge both ends, or remove the line")
        if not word.isprintable() and allowed:
            message = f"{called}: `{printable(word)}` is not a name of a vertex: it has a character that is not printed"
            raise lines.error("E0705", message, "remove that character, such as a line end or a no-break space")
        self._firsts.setdefault("real" if is_number(word) else "name", (line, called, word))
        if not allowed:
            list_rows.refuse_names(lines, self._head, called, word)
        lines.number = current

    def facts(self) -> _Facts:
        """What decides whether the ends are names."""
        words, doubtful = self._numbers, self._head.doubtful
        texts = (each for each in words if not is_number(each))
        missing = present = None
        if "name" in self._firsts:
            for each in texts:
                if each.lower() in MISSING:
                    missing = missing or each
                else:
                    present = present or each
        number = next((each for each in words if is_number(each)), None)
        repeated = frozenset(each for each in doubtful if each in words)
        return _Facts(dict(self._firsts), number, missing, present is None, repeated)

    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sources and destinations, as places among the words in order of appearance."""
        return np.array(self._sources, np.int64), np.array(self._destinations, np.int64)

    def names(self, group: Group) -> tuple[NDArray[np.int64], Any]:
        """The number of each word of this worker, in order of appearance in the whole file, and the names: `Names` of a
        process that reads alone."""
        words = list(self._numbers)
        if group.alone:
            return np.arange(len(words)), Names(words)
        self._numbers = {}  # which takes more memory than the words
        return number_by_appearance(group, words)

    def numbers(self, lines: TextLines, facts: _Facts, large: bool) -> NDArray[Any]:
        """The whole number that each word is; none where the words are names.

        Raises E0705 where the words are neither, or name no vertices.
        """
        words = list(self._numbers)
        if facts.has_names:
            self._check_names(lines, facts)
            return np.zeros(0, np.int64)
        if "real" in facts.firsts:
            lines.number, called, word = facts.firsts["real"]
            message = f"{called}: `{printable(word)}` is not a whole number"
            raise lines.error("E0705", message, list_rows.WHOLE)
        problems = ((word, problem_of(word, np.int64)) for word in words)
        word, problem = next(((word, problem) for word, problem in problems if problem is not None), ("", None))
        if large:
            # as Python's own numbers, of any size
            values = objects(map(whole_value, words))
            return values.astype(np.int64) if problem is None else values
        if problem is not None:
            self._refuse_large(lines, word, problem)
        return np.array([*map(whole_value, words)], np.int64)

    def _check_names(self, lines: TextLines, facts: _Facts) -> None:
        line, _, word = facts.firsts["name"]
        self._refuse_other_words(lines, facts)
        repeated = next((each for each in self._head.doubtful if each in facts.repeated), None)
        if repeated is not None:
            lines.number = line
            list_rows.refuse_header(
                lines, self._head, f"`{printable(repeated)}` is the name of a column, and of a vertex"
            )
        if facts.number is not None:
            notice(
                f"{printable_path(lines.path)}: the ends are names, `{printable(facts.number)}` among them, "
                f"as `{printable(word)}` in line {line} is not a number"
            )

    def _refuse_other_words(self, lines: TextLines, facts: _Facts) -> None:
        """Raise E0705 where words that are not numbers mean missing values, or belong to a second list; report names
        that may mean missing values."""
        line, called, word = facts.firsts["name"]
        missing, has_numbers = facts.missing, facts.number is not None
        lines.number, current = line, lines.number
        if missing is not None and facts.all_missing and has_numbers:
            fix = "give each edge both ends, or remove the line"
            raise lines.error("E0705", f"the {called} is missing: `{printable(word)}`", fix)
        if 0 < facts.gap < line and has_numbers:
            message = "a second list begins after an empty line: names follow ids"
            raise lines.error("E0705", message, list_rows.second_list_fix(lines))
        lines.number = current
        if missing is not None:
            notice(f"{printable_path(lines.path)}: `{printable(missing)}` is read as the name of a vertex")

    def _refuse_large(self, lines: TextLines, word: str, problem: str) -> NoReturn:
        number = self._numbers[word]
        places = (np.flatnonzero(np.array(end) == number) for end in (self._sources, self._destinations))
        at, called = min(
            (int(each[0]), name) for each, name in zip(places, ("source", "destination"), strict=True) if len(each)
        )
        with TextLines(lines.part) as reopened:
            for place, _ in enumerate(list_rows.rows_of_list(reopened, self._head)):
                if place == at:
                    break
            raise reopened.error("E0705", f"{called}: `{printable(word)}` {problem}", list_rows.COMPACT)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of the words of the ends.

    firsts: the first name and the first number that is not whole, each with its line and what its end is called.
    number, missing: the first word that is a number, and that may mean a missing value. all_missing: whether no other
    word is a name. repeated: words that the header has, too. gap: the first empty line among the rows, 0 without any.
    """

    firsts: dict[str, tuple[int, str, str]]
    number: str | None
    missing: str | None
    all_missing: bool
    repeated: frozenset[str]
    gap: int = 0

    @property
    def has_names(self) -> bool:
        """Whether the ends are names."""
        return "name" in self.firsts


def _join(facts: list[_Facts], gap: int) -> _Facts:
    """What is known of the words of all workers, by rank; `gap` is that of the file."""
    firsts: dict[str, tuple[int, str, str]] = {}
    for each in facts:
        firsts = {**each.firsts, **firsts}
    number = next((each.number for each in facts if each.number is not None), None)
    missing = next((each.missing for each in facts if each.missing is not None), None)
    all_missing = all(each.all_missing for each in facts)
    return _Facts(firsts, number, missing, all_missing, frozenset().union(*(each.repeated for each in facts)), gap)


def _attributes(
    lines: TextLines, values: dict[int, ListValues], decided: bool
) -> tuple[dict[str, NDArray[Any]], str | None, tuple[str, ...]]:
    result: dict[str, NDArray[Any]] = {}
    left_out: list[str] = []
    type_statement = None
    for column in values.values():
        types = set(column.words)
        stated = {word: SAYS.get(column.name.lower(), {}).get(word) for word in column.words}
        kinds = set(stated.values())
        if len(kinds) > 1 and "undirected" in kinds and not decided:
            lines.number = max(column.words[next(w for w in stated if stated[w] == kind)] for kind in kinds)
            what = "undirected, and not what others are" if None in kinds else "directed and others are not"
            message = f"the column `{printable(column.name)}` says that some edges are {what}"
            raise lines.error("E0705", message, _DECIDES)
        if types and None not in kinds:
            type_statement = kinds.pop() if len(kinds) == 1 else None
            continue
        numbers = column.to_numbers(lines, len(values) == 1 and types != {""})
        if numbers is None:
            left_out.append(column.name)
        else:
            result[column.name] = numbers
    return result, type_statement, tuple(left_out)
