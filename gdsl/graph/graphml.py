"""GraphML files, by the XML parser that comes with Python: one pass, in memory proportional to what the file holds."""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from gdsl.diagnostics import GdslError, printable
from gdsl.extras import first_line
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.element_attributes import ElementAttributes, edge_list_of
from gdsl.graph.file_bytes import chunks_of, empty
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import notice
from gdsl.graph.number_text import is_number, is_whole, problem_of_real
from gdsl.records import dataclass

_LONGEST = 1 << 20
"""Bytes that a tag, a comment or a value may have."""
_MOST_DIGITS = 20
_BYTES_PER_BYTE = 8
"""Memory of a graph for each byte of its text."""
_WHOLE, _REAL = ("int", "long"), ("float", "double")
_BOOLS = {"true": True, "1": True, "false": False, "0": False}
_DIRECTED = {"directed": True, "undirected": False}
_INFINITE = {"inf": "inf", "+inf": "inf", "-inf": "-inf", "infinity": "inf", "+infinity": "inf", "-infinity": "-inf"}


def read_graphml(path: str) -> EdgeList:
    """The graph in the file at `path`, with the attributes that are numbers, each of the type that its key declares.

    The vertices are called by their attribute `name`, else `label`, else their ids, unless these are 0, 1, …. Raises
    GdslError E0705 or E0710 for mistakes, for a second graph, hyperedges, and data whose key is not declared.
    """
    return _Reader(path).read()


@dataclass(frozen=True, slots=True)
class _Key:
    name: str
    kind: str
    owner: str


class _Reader:
    """The elements of a file, one after the other."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._graphs, self._directed = 0, False
        self._around: list[str] = []
        self._keys: dict[tuple[str, str], _Key] = {}
        self._key: list[_Key] = []
        self._nodes, self._edges = ElementAttributes("node", path), ElementAttributes("edge", path)
        self._ids: dict[str, int] = {}
        self._at = 0
        self._ends: list[int] = []
        self._unresolved_ends: list[tuple[int, str, int]] = []
        self._data: str | None = None
        self._text: list[str] | None = None
        self._length = 0
        self._undeclared: dict[tuple[str, str], tuple[int, list[str]]] = {}
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entities

    def read(self) -> EdgeList:
        try:
            self._parse()
        except expat.ExpatError as error:
            reason = printable(expat.errors.messages.get(error.code, first_line(error)))
            raise self._error("E0705", f"a GraphML file with a mistake: {reason}", line=error.lineno) from None
        except (LookupError, ValueError) as error:  # from Python's codecs, for the encoding in the first line
            reason = f"a GraphML file with a mistake: {first_line(error)}"
            raise GdslError.single("E0710", reason, fix="save the file as UTF-8", place=self._path) from None
        if not self._graphs:
            raise GdslError.single("E0710", "a GraphML file with a mistake: there is no graph in it", place=self._path)
        self._refuse_undeclared()
        for place, node, line in self._unresolved_ends:
            if node not in self._ids:
                message = f"an edge has the end `{printable(node)[:60]}`, and there is no such node"
                fix = f'add <node id="{printable(node)[:60]}"/>'
                raise self._error("E0705", message, fix, line)
            self._ends[place] = self._ids[node]
        return edge_list_of(self._ends, list(self._ids), self._directed, self._nodes, self._edges, self._path)

    def _parse(self) -> None:
        size = 0
        for chunk in chunks_of(self._path):
            require_memory(_BYTES_PER_BYTE * (size + len(chunk)), "the graph", self._path)
            self._parser.Parse(chunk)
            size += len(chunk)
            if size - self._parser.CurrentByteIndex > _LONGEST + len(chunk):
                raise self._error("E0710", "this is not a graph: a single tag or comment has more than a million bytes")
        if not size:
            raise empty(self._path)
        self._parser.Parse(b"", True)

    def _error(self, code: str, message: str, fix: str | None = None, line: int | None = None) -> GdslError:
        place = f"{self._path}:{line or self._parser.CurrentLineNumber}"
        return GdslError.single(code, message, fix=fix, place=place)

    def _refused(self, what: str, fix: str) -> GdslError:
        return self._error("E0705", f"this GraphML file has something that gdsl does not support: {what}", fix)

    def _refuse_entities(self, *_: Any) -> None:
        raise self._refused("entities of its own", "write the characters themselves")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        owner = self._around[-1] if self._around else ""
        if kind == "edge" and owner == "graph":
            self._add_edge(attributes)
        elif kind == "node" and owner == "graph":
            self._add_node(attributes)
        elif kind == "data" and owner in ("node", "edge"):
            self._begin_data(owner, attributes.get("key", ""))
        elif kind == "key":
            self._declare(attributes)
        elif kind == "default" and owner == "key":
            self._text, self._length = [], 0
        elif kind == "graph":
            self._begin_graph(attributes)
        elif kind == "hyperedge":
            raise self._refused("a hyperedge, and edges have two ends", "write an edge for each pair that it joins")
        self._around.append(kind)

    def _end(self, tag: str) -> None:
        kind = self._around.pop()
        if kind == "data" and self._data is not None:
            key, self._data = self._data, None
            self._take(self._around[-1], key, "".join(self._text or ()))
            self._text = None
        elif kind == "default" and self._text is not None and self._key:
            self._take_default("".join(self._text))
            self._text = None
        elif kind == "key":
            self._key = []

    def _characters(self, text: str) -> None:
        if self._text is not None and self._around[-1] in ("data", "default"):
            self._length += len(text)
            if self._length > _LONGEST:
                raise self._error("E0710", "this is not a graph: a single value has more than a million characters")
            self._text.append(text)

    def _begin_graph(self, attributes: dict[str, str]) -> None:
        self._graphs += 1
        if self._graphs > 1:
            raise self._refused("a second graph", "write each graph into a file of its own")
        if "edgedefault" not in attributes:
            notice(f"{printable(self._path)}: the graph has no `edgedefault`: its edges are undirected")
        word = attributes.get("edgedefault", "undirected").strip()
        if word not in _DIRECTED:
            message = f"`edgedefault` is {printable(word)[:60]!r}"
            raise self._error("E0705", message, 'write edgedefault="directed" or edgedefault="undirected"')
        self._directed = _DIRECTED[word]

    def _add_node(self, attributes: dict[str, str]) -> None:
        name = attributes.get("id")
        if name is None:
            raise self._error("E0705", "a node has no id", 'give each node its own: <node id="…"/>')
        if name in self._ids:
            raise self._error("E0705", f"two nodes have the id `{printable(name)[:60]}`", "give each its own")
        self._at = self._ids[name] = len(self._ids)

    def _add_edge(self, attributes: dict[str, str]) -> None:
        for word in ("source", "target"):
            name = attributes.get(word)
            if name is None:
                raise self._error("E0705", f"an edge has no {word}", 'write <edge source="…" target="…"/>')
            place = self._ids.get(name)
            if place is None:
                self._unresolved_ends.append((len(self._ends), name, self._parser.CurrentLineNumber))
                place = -1
            self._ends.append(place)
        if "directed" in attributes:
            is_directed = attributes["directed"].strip() in ("true", "1")
            if is_directed != self._directed:
                ends = " to ".join(printable(attributes[end])[:60] for end in ("source", "target"))
                what = (
                    f"the edge from {ends} is {_word(is_directed)}, and the graph's edges are {_word(self._directed)}"
                )
                raise self._refused(what, "write a directed graph, with undirected edges both ways")

    def _declare(self, attributes: dict[str, str]) -> None:
        owner, key = attributes.get("for", "all"), attributes.get("id", "")
        name = attributes.get("attr.name") or key
        declared = _Key(name, attributes.get("attr.type", "string").strip().lower(), owner)
        self._key = [declared]
        for each in ("node", "edge") if owner == "all" else (owner,):
            self._keys[each, key] = declared

    def _begin_data(self, owner: str, key: str) -> None:
        if not key:
            element = "an edge" if owner == "edge" else "a node"
            raise self._refused(f"{element} with data without a key", 'name its key: <data key="…">')
        self._data, self._text, self._length = key, [], 0
        if (owner, key) not in self._keys:
            self._undeclared.setdefault((owner, key), (self._parser.CurrentLineNumber, []))

    def _take(self, owner: str, key: str, text: str) -> None:
        declared = self._keys.get((owner, key))
        if declared is None:
            texts = self._undeclared[owner, key][1]
            if not any(_rank(text) <= _rank(each) for each in texts):
                texts.append(text)
            return
        value = self._value(declared, text)
        if value is None:
            return
        if owner == "node":
            self._nodes.add(declared.name, self._at, value)
        else:
            self._edges.add(declared.name, len(self._ends) // 2 - 1, value)

    def _take_default(self, text: str) -> None:
        declared = self._key[0]
        value = self._value(declared, text)
        if value is not None:
            for owner, of in (("node", self._nodes), ("edge", self._edges)):
                if declared.owner in (owner, "all"):
                    of.defaults[declared.name] = value

    def _value(self, key: _Key, text: str) -> Any:
        """The value of `text`, of the type of its key; None for no value."""
        if key.kind not in (*_WHOLE, *_REAL, "boolean"):
            return text
        word = text.strip()
        if key.kind in _WHOLE and word.isascii() and word.isdigit() and len(word) < _MOST_DIGITS:
            return int(word)
        if not word:
            return None
        if key.kind == "boolean":
            result = _BOOLS.get(word.lower())
            if result is not None:
                return result
        elif is_whole(word):
            if key.kind in _REAL:
                return self._real(key, word)
            if len(word.lstrip("+-").lstrip("0")) > _MOST_DIGITS:
                raise self._error("E0705", f"{printable(key.name)[:60]}: `{word[:30]}…` does not fit in 64 bits")
            return int(word)
        else:
            word = _INFINITE.get(word.lower(), word)
            if is_number(word):
                value = self._real(key, word)
                if key.kind in _REAL:
                    return value
                if isinstance(value, float) and value.is_integer():
                    return int(value)
        kind = ("boolean", "long", "double", "string")[_rank(text)]
        message = (
            f"`{printable(word)[:60]}` is not a value of type {key.kind}, the type of `{printable(key.name)[:60]}`"
        )
        if kind == "string" and key.name == "weight" and key.owner != "node":
            point = re.fullmatch(r"[+-]?[0-9]+,[0-9]+", word)  # text is no weight, whatever its declaration
            fix = "write a point in place of the comma" if point else "correct it, or give the attribute another name"
        else:
            fix = f'declare the key with attr.type="{kind}"'
        raise self._error("E0705", message, fix)

    def _real(self, key: _Key, word: str) -> float | int:
        """The float that `word` is; a 64-bit int where a float would change the number."""
        value = float(word)
        if (problem := problem_of_real(word)) is not None:
            raise self._error("E0705", f"{printable(key.name)[:60]}: `{word[:60]}` {problem[0]}", problem[1])
        if is_whole(word) and abs(value) < 2.0**64 and int(word) != value:
            return int(word)
        return value

    def _refuse_undeclared(self) -> None:
        """Raise E0705 for the first data whose key is not declared for its element."""
        for (owner, key), (line, texts) in self._undeclared.items():
            element, called = "an edge" if owner == "edge" else "a node", printable(key)[:60]
            other = next((of.owner for (_, each), of in self._keys.items() if each == key), None)
            why = f"which is declared for {printable(other)[:20]!r}" if other else "which is not declared"
            kind = ("boolean", "long", "double", "string")[max(map(_rank, texts), default=3)]
            fix = f'<key id="{called}" for="{owner}" attr.name="{called}" attr.type="{kind}"/>'
            what = f"{element} with data of the key `{called}`, {why}"
            message = f"this GraphML file has something that gdsl does not support: {what}"
            raise self._error("E0705", message, f"declare it at the beginning: {fix}", line)


def _rank(text: str) -> int:
    """The index in (boolean, long, double, string) of the type that the value `text` needs."""
    word = text.strip()
    if word.lower() in ("true", "false"):
        return 0
    if is_whole(word):
        return 1
    return 2 if is_number(word) or word.lower() in _INFINITE else 3


def _word(is_directed: bool) -> str:
    return "directed" if is_directed else "undirected"
