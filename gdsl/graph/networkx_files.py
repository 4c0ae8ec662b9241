"""Files that NetworkX reads: GEXF, JSON, adjacency lists.

The memory for a file is estimated before NetworkX reads it, and content that NetworkX would silently drop or merge is
refused.
"""

from __future__ import annotations

import io
import re
from typing import Any
from xml.parsers import expat

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.extras import first_line, required
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.element_attributes import ElementAttributes, edge_list_of
from gdsl.graph.file_bytes import bytes_of, empty, text_of
from gdsl.graph.json_graphs import read_json
from gdsl.graph.list_checks import after_first_vertex
from gdsl.graph.messages import edited, quiet, refused_file
from gdsl.graph.number_text import is_number, is_rounded, problem_of_real
from gdsl.graph.vertices import Names

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


CALLED = {"gexf": "a GEXF file", "json": "a JSON file of a graph", "adjlist": "an adjacency list"}
"""The formats, and their names in messages."""
_FUNCTIONS = {"gexf": "read_gexf", "json": "node_link_graph", "adjlist": "read_adjlist"}
"""The functions of NetworkX that read them."""
_EXTRA = "gdsl[networkx]"
_BYTES_PER_BYTE = {"gexf": 80, "json": 160, "adjlist": 150}
"""Memory that NetworkX and its libraries need for each byte of text, for the shortest text of a node."""
_ID = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DEEP = "it is nested too deeply"


def read_networkx_file(path: str, kind: str, directed: bool) -> EdgeList:
    """The graph in the file at `path`, which is one of `CALLED`, with the attributes that are numbers.

    Nodes that are whole numbers keep them: as ids where they are 0 to V-1, else as names. Adjacency lists, which do not
    state it, are `directed` or not. Raises GdslError E0705 or E0710 for files that NetworkX does not read, E0708 for
    graphs that do not fit in memory, E0907 without NetworkX.
    """
    networkx = required("networkx", _EXTRA, CALLED[kind])
    content = bytes_of(path, _BYTES_PER_BYTE[kind])
    if not content.strip():
        raise empty(path)
    try:
        with quiet():
            if kind == "adjlist":
                graph = _adjacency(networkx, content, directed, path)
            else:
                graph = (read_gexf if kind == "gexf" else read_json)(networkx, content, path)
    except (GdslError, MemoryError):
        raise
    except RecursionError:
        raise _not_read(path, kind, _DEEP) from None
    except (IndexError, StopIteration):
        raise _not_read(path, kind, "it ends early") from None
    except KeyError as error:
        name = printable(str(error.args[0] if error.args else error))[:60]
        raise _not_read(path, kind, f"`{name}` is missing") from None
    except Exception as error:  # any exception of a library
        raise _not_read(path, kind, first_line(error)) from None
    return _edges(graph, kind, path)


def _not_read(path: str, kind: str, why: str) -> GdslError:
    fix = (
        "--format FORMAT (format='FORMAT') if it has another format; else read it in another way and convert it by "
        f"gdsl.Graph.from_networkx, such as after networkx.{_FUNCTIONS[kind]}"
    )
    return GdslError.single("E0710", f"this is not {CALLED[kind]} that can be read: {why}", fix=fix, place=path)


def _edges(graph: Any, kind: str, path: str) -> EdgeList:
    """The edges of a graph of NetworkX that was read from a file."""
    nodes, numbers = _numbered(list(graph.nodes(data=True)))
    count = len(nodes)
    of_nodes, of_edges = ElementAttributes("node", path), ElementAttributes("edge", path)
    if kind == "gexf":  # NetworkX stores the defaults separately
        of_nodes.defaults.update(graph.graph.get("node_default", {}))
        of_edges.defaults.update(graph.graph.get("edge_default", {}))
    for place, (_, data) in enumerate(nodes):
        _add(of_nodes, place, data)
    pairs = []
    for place, (source, target, data) in enumerate(graph.edges(data=True)):
        pairs.append((numbers[source], numbers[target]))
        _add(of_edges, place, data)
    ids = [node for node, _ in nodes]
    if of_nodes.on_all("label", count) == [str(node) for node in ids]:
        of_nodes.remove("label")
    edges = edge_list_of(pairs, ids, graph.is_directed(), of_nodes, of_edges, path)
    if edges.names is None and any(node != at for at, node in enumerate(ids)):
        edges.names = Names(ids)
    return edges


def _numbered(nodes: list[tuple[Any, Any]]) -> tuple[list[tuple[Any, Any]], dict[Any, int]]:
    """The nodes in the order of their ids, as whole numbers where all of them are, and the id of each original node."""
    of_texts = all(isinstance(node, str) and _ID.fullmatch(node) for node, _ in nodes)
    if not of_texts and not all(type(node) is int for node, _ in nodes):
        return nodes, {node: place for place, (node, _) in enumerate(nodes)}
    numbered_nodes = [(int(node), node, data) for node, data in nodes]
    if all(0 <= number < len(nodes) for number, _, _ in numbered_nodes):
        numbered_nodes.sort(key=lambda each: each[0])
    numbers = {node: place for place, (_, node, _) in enumerate(numbered_nodes)}
    return [(number, data) for number, _, data in numbered_nodes], numbers


def _add(attributes: ElementAttributes, place: int, data: dict[Any, Any]) -> None:
    for name, value in data.items():
        if value is None or not isinstance(name, str):
            continue
        if not isinstance(value, (str, bool, int, float)):
            value = ""  # an attribute with a value that is not a number is left out
        attributes.add(name, place, value)


def _lines(content: bytes, path: str) -> list[str]:
    """The lines that are neither blank nor comments, which begin with a mark."""
    text = text_of(content, path)
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _delimiter(lines: list[str]) -> str | None:
    if not lines or any(" " in line.strip() for line in lines[:100]):
        return None
    return next((mark for mark in "\t,;" if mark in lines[0]), None)


def _adjacency(networkx: Any, content: bytes, directed: bool, path: str) -> Any:
    lines = _lines(content, path)
    if after_first_vertex(lines):
        fix = "put a blank in place of it: " + edited(path, "'s/:/ /'")
        raise refused_file(path, "each line has a `:` after its vertex, which belongs to no name", fix)
    # No comments are left; otherwise NetworkX would cut names at the mark.
    return networkx.parse_adjlist(
        lines, comments="\0", delimiter=_delimiter(lines), create_using=networkx.DiGraph if directed else networkx.Graph
    )
