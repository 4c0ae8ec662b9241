"""GEXF files, read by NetworkX after their nodes and edges were checked: it makes nodes of ends that are none, one of
two with the same id, and reports other mistakes as Python does."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.parsers import expat

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.messages import refused_file
from gdsl.graph.number_text import is_number, is_rounded, problem_of_real

_GEXF_1_2 = b"http://www.gexf.net/1.2draft"
_KNOWN = (_GEXF_1_2, b"http://www.gexf.net/1.1draft", b"http://gexf.net/1.3")
_NAMESPACE = re.compile(rb"""(https?://(?:www\.)?gexf\.net/1\.[0-9](?:draft)?)((?:/viz)?(?=["']))""")
_BARE = re.compile(rb"""(<gexf\b)(?![^<>]*\sxmlns=)""")
_EDGE_TYPES = ("directed", "undirected", "mutual")
_PYTHON = re.compile(r"(?:invalid literal for int\(\) with base 10|could not convert string to float): (.*)", re.DOTALL)


def read_gexf(networkx: Any, content: bytes, path: str) -> Any:
    """The graph of NetworkX that a GEXF file holds.

    Raises GdslError E0705 for mistakes, E0710 for what is no XML, and any exception of NetworkX.
    """
    if b"\0" in content:
        raise GdslError.single("E0710", "this is not a GEXF file", fix="save the file as UTF-8", place=path)
    if b"<!ENTITY" in content:
        raise refused_file(path, "this GEXF file has entities of its own", "write the characters themselves")
    _Checked(content, path)
    try:
        return networkx.read_gexf(io.BytesIO(_known_namespace(content)))
    except KeyError as error:
        if error.args != (None,):
            raise
        raise refused_file(path, "it has times and no `timeformat`", 'write timeformat="double" in <graph …>') from None
    except ValueError as error:
        if (python := _PYTHON.match(str(error))) is None:
            raise
        message = f"a value is not of the type of its attribute: {python[1][:60]}"
        raise refused_file(path, message, "correct it, or call the attribute a string") from None


def _known_namespace(content: bytes) -> bytes:
    """The file with a namespace of GEXF that NetworkX knows: others, or none, mean the same."""
    content = _BARE.sub(rb'\1 xmlns="' + _GEXF_1_2 + b'"', content, count=1)
    return _NAMESPACE.sub(lambda result: result[0] if result[1] in _KNOWN else _GEXF_1_2 + result[2], content)


class _Checked:
    """A walk over the elements of a file that raises E0705 for the first mistake in a node or an edge."""

    def __init__(self, content: bytes, path: str) -> None:
        self._path = path
        self._directed = False
        self._ids: set[str] = set()
        self._ends: list[tuple[str, int]] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            message = f"this is not XML: {expat.ErrorString(error.code)}"
            raise GdslError.single("E0710", message, place=f"{path}:{error.lineno}") from None
        for end, line in self._ends:
            if end not in self._ids:
                message = f"an edge has the end {shown(end)}, and no node has this id"
                raise self._error(message, "call the ends by the ids of their nodes, or add the node", line)

    def _error(self, message: str, fix: str, line: int | None = None) -> GdslError:
        place = f"{self._path}:{line or self._parser.CurrentLineNumber}"
        return GdslError.single("E0705", message, fix=fix, place=place)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind == "graph":
            default = attributes.get("defaultedgetype", "undirected")
            if default not in _EDGE_TYPES:
                raise self._error(f"`defaultedgetype` is {shown(default)}", f"write one of {', '.join(_EDGE_TYPES)}")
            self._directed = default == "directed"
        elif kind == "attributes" and attributes.get("class") not in ("node", "edge"):
            raise self._error(f"the `class` of attributes is {shown(attributes.get('class'))}", "write node or edge")
        elif kind == "node":
            if "id" not in attributes:
                raise self._error("a node has no id", 'give each node its own: <node id="…"/>')
            if attributes["id"] in self._ids:
                raise self._error(f"two nodes have the id {shown(attributes['id'])}", "give each its own")
            self._ids.add(attributes["id"])
        elif kind == "edge":
            self._edge(attributes)

    def _edge(self, attributes: dict[str, str]) -> None:
        weight = attributes.get("weight", "1").strip()
        if not is_number(weight):
            fix = "give numbers, or another name to this attribute"
            raise self._error(f"the weight {shown(weight)} is not a number", fix)
        if problem_of_real(weight) is not None or is_rounded(weight):
            message = f"the weight {weight[:60]} does not fit in float64, by which NetworkX reads weights of GEXF"
            raise self._error(message, "write a GraphML file (networkx.write_graphml)")
        for end in ("source", "target"):
            if end not in attributes:
                raise self._error(f"an edge has no {end}", 'write <edge source="…" target="…"/>')
            self._ends.append((attributes[end], self._parser.CurrentLineNumber))
        kind = attributes.get("type", "mutual")
        if kind not in _EDGE_TYPES:
            raise self._error(f"the `type` of an edge is {shown(kind)}", f"write one of {', '.join(_EDGE_TYPES)}")
        if (kind == "directed" and not self._directed) or (kind == "undirected" and self._directed):
            default = "directed" if self._directed else "undirected"
            fix = f'write defaultedgetype="{kind}" if all are; else a directed graph, with undirected edges both ways'
            raise self._error(f"an edge is {kind}, and the graph's edges are {default}", fix)
