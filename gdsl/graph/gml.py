"""GML files: one pass over their words, in memory proportional to what the file holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import name2codepoint
from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.element_attributes import ElementAttributes, edge_list_of
from gdsl.graph.file_bytes import bytes_of, empty, text_of
from gdsl.graph.number_text import is_number, is_whole, problem_of_real
from gdsl.graph.text import printable

_WORD = re.compile(
    r'[ \t\r\n\f\v]+|(?:(?<=\n)|\A)#[^\n]*|"(?P<text>[^"]*)"|(?P<mark>[\[\]])|(?P<word>[^\s"\[\]]+)|(?P<odd>.)'
)
_FLAT = re.compile(r'[^\[\]"#]*\]')
"""The rest of a list without texts, comments and lists inside."""
_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,9}));")
_ENDLESS = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_INSIDE = {"": {"graph": "graph"}, "graph": {"node": "node", "edge": "edge"}}
"""The lists that are read, by the list that contains them; all others are skipped."""
_BYTES_PER_BYTE = 12
"""Memory for each byte of text: the graph and the text itself."""


def read_gml(path: str) -> EdgeList:
    """The graph in the file at `path`, with the attributes that are numbers.

    The vertices are called by their attribute `name`, else `label`, else their ids, unless these are 0, 1, …. Raises
    GdslError E0705 or E0710 for mistakes and for a second graph.
    """
    content = bytes_of(path, _BYTES_PER_BYTE)
    if not content:
        raise empty(path)
    return _Reader(path, text_of(content, path)).read()


class _Reader:
    """Keys and values, one after the other."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text
        self._nodes, self._edges = ElementAttributes("node", path), ElementAttributes("edge", path)
        self._ids: dict[int, int] = {}
        self._ends: list[tuple[int, int, int]] = []
        self._position = 0
        self._graphs, self._directed = 0, False
        self._checked_keys: set[str] = set()
        self._element: dict[str, Any] = {}
        self._repeated: list[tuple[str, Any]] = []

    def read(self) -> EdgeList:
        self._read_lists()
        if not self._graphs:
            raise GdslError.single("E0710", "a GML file with a mistake: there is no graph in it", place=self._path)
        ends = [self._vertices(*edge) for edge in self._ends]
        return edge_list_of(ends, list(self._ids), self._directed, self._nodes, self._edges, self._path)

    def _error(self, message: str, at: int, fix: str | None = None) -> GdslError:
        line = self._text.count("\n", 0, at) + 1
        return GdslError.single("E0705", f"a GML file with a mistake: {message}", fix=fix, place=f"{self._path}:{line}")

    def _words(self) -> Iterator[tuple[str, str, int]]:
        """(kind, word, place) of each word; kinds are text, mark and word."""
        while match := _WORD.match(self._text, self._position):
            self._position = match.end()
            kind = match.lastgroup
            if kind == "odd":
                raise self._error("syntax error, a quotation mark without its end", match.start())
            if kind is not None:
                yield kind, match[kind], match.start()

    def _read_lists(self) -> None:
        around = [""]
        key, at = None, 0
        for kind, word, at in self._words():
            inside = around[-1]
            if kind == "mark" and word == "]":
                if key is not None or len(around) == 1:
                    raise self._error("syntax error, unexpected `]`", at)
                around.pop()
                self._end_list(inside, at)
            elif key is None:
                if kind != "word" or not _KEY.fullmatch(word):
                    raise self._error(f"syntax error, `{printable(word)}` is not a key", at)
                key = word
            elif kind == "mark":
                name = _INSIDE.get(inside, {}).get(key, "skipped")
                self._begin_list(name, at)
                if name not in ("node", "edge") or not self._take_flat(name, at):
                    around.append(name)
                key = None
            else:
                self._take(inside, key, kind, word, at)
                key = None
        if key is not None or len(around) > 1:
            raise self._error("syntax error, the file ends before its last list is closed", at)

    def _begin_list(self, name: str, at: int) -> None:
        if name == "graph":
            self._graphs += 1
            if self._graphs > 1:
                line = self._text.count("\n", 0, at) + 1
                message = "this GML file has something that gdsl does not support: a second graph"
                fix = "write each graph into a file of its own"
                raise GdslError.single("E0705", message, fix=fix, place=f"{self._path}:{line}")
        elif name in ("node", "edge"):
            self._element, self._repeated = {}, []

    def _take_flat(self, name: str, at: int) -> bool:
        """Read the whole list that begins here, if it has only keys and numbers, as most have."""
        match = _FLAT.match(self._text, self._position)
        words = match[0][:-1].split() if match is not None else []
        if match is None or len(words) % 2:
            return False
        element: dict[str, Any] = {}
        for key, word in zip(words[::2], words[1::2], strict=True):
            if key not in self._checked_keys and not _KEY.fullmatch(key):
                return False
            self._checked_keys.add(key)
            if not (word.isascii() and word.isdigit() and len(word) < 19):
                if not is_number(word) or key in element:
                    return False
                element[key] = self._number(key, word, at)
            elif key in element:
                return False
            else:
                element[key] = int(word)
        self._element = element
        self._position = match.end()
        self._end_list(name, at)
        return True

    def _take(self, inside: str, key: str, kind: str, word: str, at: int) -> None:
        if inside == "skipped" or not inside:
            return
        value: Any = _characters(word) if kind == "text" else self._number(key, word, at)
        if inside == "graph":
            if key == "directed":
                if value not in (0, 1):
                    raise self._error(f"`directed` is `{printable(word)}`", at, "write directed 0 or directed 1")
                self._directed = value == 1
        elif key in self._element:
            self._repeated.append((key, value))
        else:
            self._element[key] = value

    def _end_list(self, name: str, at: int) -> None:
        if name == "node":
            number = self._whole("id", at, "a node")
            if number in self._ids:
                raise self._error(f"Duplicate node id {number}", at, "give each node its own")
            place = self._ids[number] = len(self._ids)
            self._add(self._nodes, place)
        elif name == "edge":
            source, target = self._whole("source", at, "an edge"), self._whole("target", at, "an edge")
            self._ends.append((source, target, at))
            self._add(self._edges, len(self._ends) - 1)

    def _add(self, attributes: ElementAttributes, place: int) -> None:
        for key, value in (*self._element.items(), *self._repeated):
            attributes.add(key, place, value)

    def _whole(self, key: str, at: int, what: str) -> int:
        value = self._element.pop(key, None)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int):
            verb = "has no" if value is None else "has no number as its"
            raise self._error(f"{what} {verb} `{key}`", at, f"write {key} and a whole number")
        return value

    def _vertices(self, source: int, target: int, at: int) -> tuple[int, int]:
        for end in (source, target):
            if end not in self._ids:
                raise self._error(f"an edge has the end {end}, and no node has this id", at, f"add node [ id {end} ]")
        return self._ids[source], self._ids[target]

    def _number(self, key: str, word: str, at: int) -> float | int:
        if is_whole(word):
            if len(word.lstrip("+-").lstrip("0")) > 20:
                raise self._error(f"{printable(key)}: `{printable(word)}` does not fit in 64 bits", at)
            return int(word)
        if not is_number(word) and not _ENDLESS.fullmatch(word):
            raise self._error(f"syntax error, `{printable(word)}` is neither a number nor quoted", at)
        if not _ENDLESS.fullmatch(word) and (problem := problem_of_real(word)) is not None:
            raise self._error(f"{printable(key)}: `{printable(word)}` {problem[0]}", at, problem[1])
        return float(word)


def _characters(text: str) -> str:
    """`text` with its character entities replaced."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(result: re.Match[str]) -> str:
    if result[3]:
        number = {"apos": ord("'")}.get(result[3], name2codepoint.get(result[3], 0))
    else:
        number = int(result[1]) if result[1] else int(result[2], 16)
    if not 0 < number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return result[0]
    return chr(number)
