"""Files that NetworkX reads: GEXF, JSON, adjacency lists.

The memory for a file is estimated before NetworkX reads it, and content that NetworkX would silently drop or merge is
refused.
"""

from __future__ import annotations

import re
from typing import Any

from gdsl.diagnostics import GdslError, printable
from gdsl.extras import first_line, required
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.element_attributes import ElementAttributes, edge_list_of
from gdsl.graph.file_bytes import bytes_of, empty, text_of
from gdsl.graph.gexf import read_gexf
from gdsl.graph.json_graphs import read_json
from gdsl.graph.list_checks import after_first_vertex
from gdsl.graph.messages import edited, quiet, refused_file
from gdsl.graph.vertices import Names

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
