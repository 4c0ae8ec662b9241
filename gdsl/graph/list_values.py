"""Attribute columns of edge lists: numbers if all values are numbers, else text, which is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.group import Group
from gdsl.graph.number_text import (
    AS_REALS,
    ONE_KIND,
    are_whole,
    is_number,
    is_rounded,
    problem_of,
    problem_of_real,
    whole_value,
)
from gdsl.graph.text import TextLines, printable

MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?", "-", r"\n"))
"""Words, in lower case, for a missing value."""
SAYS = {
    "type": {"directed": "directed", "undirected": "undirected"},
    "directed": {"true": "directed", "false": "undirected"},
}
"""Columns that state whether each edge is directed, as Gephi and igraph write them."""
_FEW_WORDS, _MANY_WORDS = 3, 1000
"""So many different words of a column are kept: enough to see that it does not state the kind of all edges, and in a
column with such a name to find the words that do."""
_SURELY_EXACT = 15
"""Characters of whole numbers that fit in every type."""
_EXACT = 2**53
"""Whole numbers up to here are exact as float64."""


class ListValues:
    """The values of one column, as they are read."""

    def __init__(self, name: str, required: bool) -> None:
        """`required`: whether text instead of numbers is an error."""
        self.name, self.required = name, required
        self.count = self.numbers = 0
        self.first_text: tuple[int, str] | None = None
        """The line and the word of the first value that is not a number."""
        self.missing: int | None = None
        """The line of the first value that is empty."""
        self.words: dict[str, int] = {}
        """Its first words in lower case, and the line of each."""
        self._most_words = _MANY_WORDS if name.lower() in SAYS else _FEW_WORDS
        self._parts: list[NDArray[Any]] = []
        self._types: set[str] = set()
        """The kinds of types of these, of NumPy."""
        self._firsts: dict[str, tuple[int, str]] = {}

    def append(self, words: Sequence[str], line_numbers: Sequence[int]) -> None:
        """Add the values of some rows."""
        self.count += len(words)
        if len(self.words) < self._most_words:
            for word, line in zip(words, line_numbers, strict=True):
                self.words.setdefault(word.lower(), line)
        whole = are_whole(words)
        if whole or all(map(is_number, words)):
            self.numbers += len(words)
            if self.first_text is None and self.missing is None:
                self._parts.append(self._wholes(words, line_numbers) if whole else self._reals(words, line_numbers))
                self._types.add(self._parts[-1].dtype.kind)
            return
        for word, line in zip(words, line_numbers, strict=True):
            if is_number(word):
                self.numbers += 1
            elif word.lower() in MISSING:
                self.missing = self.missing or line
            elif self.first_text is None:
                self.first_text = line, word

    def join(self, group: Group) -> None:
        """Make what is known of the values here known of the values of all workers, in their order."""
        mine = (self.count, self.numbers, self.first_text, self.missing, self.words, self._types, self._firsts)
        self.count = self.numbers = 0
        self.first_text, self.missing, self.words, self._types, self._firsts = None, None, {}, set(), {}
        for count, numbers, first_text, missing, words, types, firsts in group.gather(mine):
            self.count += count
            self.numbers += numbers
            self.first_text = self.first_text or first_text
            self.missing = self.missing or missing
            self.words = {**words, **self.words}
            self._types |= types
            self._firsts = {**firsts, **self._firsts}

    def _wholes(self, words: Sequence[str], line_numbers: Sequence[int]) -> NDArray[Any]:
        if max(map(len, words)) <= _SURELY_EXACT:
            small = np.array(list(map(int, words)), np.int64)
            if "negative" not in self._firsts and small.min() < 0:
                place = int(np.argmax(small < 0))
                self._firsts["negative"] = line_numbers[place], words[place]
            return small
        for word, line in zip(words, line_numbers, strict=True):
            if len(word) > _SURELY_EXACT and (problem_of(word, np.int64) or abs(whole_value(word)) > _EXACT):
                self._note_large(word, line)
            elif word[0] == "-" and word.strip("-0"):
                self._firsts.setdefault("negative", (line, word))
        if "too large" in self._firsts:
            return np.zeros(len(words), np.int64)  # the column is refused
        values = [whole_value(word) for word in words]
        return np.array(values, np.int64 if max(values) < 2**63 else object)

    def _note_large(self, word: str, line: int) -> None:
        if problem_of(word, np.int64) is not None:
            kind = "too large" if problem_of(word, np.uint64) is not None else "unsigned"
            self._firsts.setdefault(kind, (line, word))
            if kind == "too large":
                return
        elif word[0] == "-":
            self._firsts.setdefault("negative", (line, word))
        if is_rounded(word):
            self._firsts.setdefault("inexact", (line, word))

    def _reals(self, words: Sequence[str], line_numbers: Sequence[int]) -> NDArray[np.float64]:
        values = np.array([float(word) for word in words])
        for place in np.flatnonzero(~(np.abs(values) < _EXACT) | (values == 0)).tolist():
            word, line = words[place], line_numbers[place]
            if problem_of_real(word) is not None:
                self._firsts.setdefault("not a float64", (line, word))
            elif is_rounded(word):
                self._firsts.setdefault("inexact", (line, word))
        return values

    def to_numbers(self, lines: TextLines, sole: bool) -> NDArray[Any] | None:
        """The numbers of the column; None for one of text. `sole`: it is the only attribute.

        Raises GdslError E0705 where a few values differ in kind from the others.
        """
        mistake = self.required or 2 * self.numbers > self.count
        if self.first_text is not None and (mistake or (sole and (self.numbers or _with_marks(self.first_text[1])))):
            line, word = self.first_text
            self._refuse(lines, line, f"`{printable(word)}` is not a number", _fix_of(word))
        if self.missing is not None and (self.required or (sole and self.numbers)):
            self._refuse(lines, self.missing, "the value is missing", "fill the empty cells, or leave the column out")
        if self.first_text is not None or self.missing is not None:
            return None
        return self._numbers(lines)

    def _numbers(self, lines: TextLines) -> NDArray[Any]:
        none: NDArray[Any] = np.zeros(0, np.int64)  # a part of a file may have no rows
        firsts = self._firsts
        if "f" in self._types:
            rounded = [firsts[kind] for kind in ("inexact", "too large", "not a float64") if kind in firsts]
            if rounded:
                self._refuse_real(lines, *min(rounded))
            return np.concatenate([part.astype(np.float64) for part in (none, *self._parts)])
        if "too large" in firsts:
            kind = "int64" if firsts["too large"][1][0] == "-" else "uint64"
            small = "too small" if kind == "int64" else "too large"
            self._refuse(lines, *_quoting(firsts["too large"], f"is {small} for {kind}"), AS_REALS)
        if "unsigned" in firsts:
            if "negative" in firsts:
                self._refuse(lines, *_quoting(firsts["negative"], "is too small for uint64"), AS_REALS)
            return np.concatenate([part.astype(np.uint64) for part in (none, *self._parts)])
        return np.concatenate((none, *self._parts))

    def _refuse_real(self, lines: TextLines, line: int, word: str) -> NoReturn:
        if (problem := problem_of_real(word)) is not None:
            self._refuse(lines, line, f"`{printable(word)}` {problem[0]}", problem[1])
        message_end = f"float64 rounds `{printable(word)}`, and other values are not whole numbers"
        self._refuse(lines, line, message_end, ONE_KIND)

    def _refuse(self, lines: TextLines, line: int, message_end: str, fix: str | None) -> NoReturn:
        lines.number = line
        raise lines.error("E0705", f"{printable(self.name)}: {message_end}", fix)


def _quoting(first: tuple[int, str], message_end: str) -> tuple[int, str]:
    line, word = first
    return line, f"`{printable(word)}` {message_end}"


def _fix_of(word: str) -> str:
    """The fix for a value that is not a number among numbers."""
    if is_number(word.replace(",", ".", 1)) and word.count(",") == 1 and len(word.partition(",")[2]) != 3:
        read = "pandas.read_csv(FILE, sep=';', decimal=',')"
        return f"numbers have a decimal point, not a comma: {read}.to_csv(NEW, index=False)"
    if _with_marks(word):
        read = "pandas.read_csv(FILE, thousands=',')"
        return f"write numbers without marks between thousands: {read}.to_csv(NEW, index=False)"
    return "correct it, or leave the column out"


def _with_marks(word: str) -> bool:
    """Whether `word` would be a number without commas, quotes or blanks in it."""
    return is_number(word.replace(",", "").replace("'", "").replace(" ", ""))
