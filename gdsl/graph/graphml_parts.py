"""What of a GraphML file igraph's reader passes over without a word, and would make it another graph."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable
from typing import IO
from xml.parsers import expat

from gdsl.diagnostics import GdslError, printable

_SUSPECTS = re.compile(rb"<(?:[\w.-]{1,99}:)?(?P<kind>graph|hyperedge)[\s/>]|\sdirected\s*=")
_DROPPED = ("Unknown attribute key", "Missing attribute key")
"""How igraph's warnings begin where data has a key that was not declared for its element, or none."""
_NUMBERS = {"boolean", "int", "long", "float", "double"}
_CHUNK = 1 << 20


def refuse_passed_over(path: str, place: str, heard: Iterable[str]) -> None:
    """Raise E0705 for the file at `path` if it has more than one graph, hyperedges, edges that are directed where
    the graph is not, or not where it is, or data of vertices or edges that may be a number and has no key that is
    theirs. It is one that igraph has read; `heard` is what it has warned of."""
    with open(path, "rb") as file:
        if any(each.startswith(_DROPPED) for each in heard) or _is_suspect(file):
            _Parts(place).read(file)


def _is_suspect(file: IO[bytes]) -> bool:
    """Whether a closer look may find anything. Most files have one graph and say nothing more."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        graphs = 0
        for found in _SUSPECTS.finditer(text):
            graphs += found["kind"] == b"graph"
            if graphs > 1 or found["kind"] != b"graph":
                return True
    return False


class _Parts:
    """The elements of a file, one after the other."""

    def __init__(self, place: str) -> None:
        self._place, self._graphs, self._default = place, 0, ""
        self._keys: dict[str, dict[str, str]] = {}
        self._around: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = lambda name: self._around.pop()

    def read(self, file: IO[bytes]) -> None:
        """All of them. Raises E0705."""
        try:
            while chunk := file.read(_CHUNK):
                self._parser.Parse(chunk)
        except expat.ExpatError:  # of what igraph takes all the same
            return

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind == "graph":
            self._graphs += 1
            if self._graphs > 1:
                raise self._refused("a second graph, and one is read", "write each graph into a file of its own")
            self._default = _told(attributes.get("edgedefault", "undirected") == "directed")
        elif kind == "hyperedge":
            raise self._refused("a hyperedge, and edges have two ends", "write an edge for each pair that it joins")
        elif kind == "edge" and "directed" in attributes:
            own = _told(attributes["directed"].strip() in ("true", "1"))
            if own != self._default:
                ends = " to ".join(printable(attributes.get(end, "?"))[:60] for end in ("source", "target"))
                what = f"the edge from {ends} is {own}, and the graph's edges are {self._default}"
                raise self._refused(what, "write a directed graph, with undirected edges both ways")
        elif kind == "key" and self._around == ["graphml"]:  # others igraph does not see
            self._keys[attributes.get("id", "")] = attributes
        elif kind == "data" and self._around and self._around[-1] in ("node", "edge"):
            self._require_key(self._around[-1], attributes.get("key", ""))
        self._around.append(kind)

    def _require_key(self, owner: str, key: str) -> None:
        """Data without a key of its own kind of element is dropped; what is no number is not kept in any case."""
        declared = self._keys.get(key)
        if declared is not None:
            of, has = declared.get("for", "all"), declared.get("attr.type", "string")
            if of == owner or has not in _NUMBERS:
                return
        who = "an edge" if owner == "edge" else "a node"
        if not key:
            raise self._refused(f"{who} with data without a key", 'name its key: <data key="…">')
        called = printable(key)[:60]
        told = f"which is declared for {printable(of)[:20]!r}" if declared is not None else "which is not declared"
        fix = f'declare it at the beginning: <key id="{called}" for="{owner}" attr.name="…" attr.type="double"/>'
        raise self._refused(f"{who} with data of the key `{called}`, {told}", fix)

    def _refused(self, what: str, fix: str) -> GdslError:
        place = f"{self._place}:{self._parser.CurrentLineNumber}"
        return GdslError.single("E0705", f"this GraphML file has what no graph here has: {what}", fix=fix, place=place)


def _told(is_directed: bool) -> str:
    return "directed" if is_directed else "undirected"
