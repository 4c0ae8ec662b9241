"""Files that NetworkX reads: GEXF, DOT, JSON, adjacency lists, graph6, sparse6, LEDA.

The memory for a file is estimated before NetworkX reads it, and content that NetworkX would silently drop or merge is
refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.extras import first_line, required
from gdsl.graph.dot import read_dot
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.element_attributes import ElementAttributes, edge_list_of
from gdsl.graph.file_bytes import bytes_of, empty, text_of
from gdsl.graph.gexf import read_gexf
from gdsl.graph.json_graphs import read_json
from gdsl.graph.list_checks import after_first_vertex
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import edited, filtered, quiet, refused_file
from gdsl.graph.number_text import is_count, is_number, is_whole
from gdsl.graph.vertices import Names, require_countable

CALLED = {
    "gexf": "a GEXF file",
    "dot": "a DOT file",
    "json": "a JSON file of a graph",
    "adjlist": "an adjacency list",
    "multiline-adjlist": "an adjacency list of several lines a node",
    "graph6": "a graph6 file",
    "sparse6": "a sparse6 file",
    "leda": "a LEDA file",
}
"""The formats, and their names in messages."""
_FUNCTIONS = {
    "gexf": "read_gexf",
    "dot": "nx_pydot.read_dot",
    "json": "node_link_graph",
    "adjlist": "read_adjlist",
    "multiline-adjlist": "read_multiline_adjlist",
    "graph6": "read_graph6",
    "sparse6": "read_sparse6",
    "leda": "read_leda",
}
"""The functions of NetworkX that read them."""
_EXTRA = "gdsl[networkx]"
_BYTES_PER_BYTE = {"gexf": 80, "dot": 1000, "json": 160, "adjlist": 150, "multiline-adjlist": 150, "leda": 100}
"""Memory that NetworkX and its libraries need for each byte of text, for the shortest text of a node."""
_BYTES_PER_NODE, _BYTES_PER_EDGE = 500, 400
_ID = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DEEP = "it is nested too deeply"


_INFINITE = re.compile(r"""(?<![\w'"])inf(?![\w'"])""")


def read_networkx_file(path: str, kind: str, directed: bool) -> EdgeList:
    """The graph in the file at `path`, which is one of `CALLED`, with the attributes that are numbers.

    Nodes that are whole numbers keep them: as ids where they are 0 to V-1, else as names. Adjacency lists, which do not
    state it, are `directed` or not. Raises GdslError E0705 or E0710 for files that NetworkX does not read, E0708 for
    graphs that do not fit in memory, E0907 without NetworkX (or pydot).
    """
    networkx = required("networkx", _EXTRA, CALLED[kind])
    if kind == "dot":
        required("pydot", "pydot", CALLED[kind])
    content = bytes_of(path, _BYTES_PER_BYTE.get(kind, 20))
    if not content.strip():
        raise empty(path)
    try:
        with quiet():
            if kind in _ADJACENCY:
                graph = _ADJACENCY[kind](networkx, content, directed, path)
            else:
                graph = _READERS[kind](networkx, content, path)
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
    untyped = kind in ("dot", "leda")
    if kind == "gexf":  # NetworkX stores the defaults separately
        of_nodes.defaults.update(graph.graph.get("node_default", {}))
        of_edges.defaults.update(graph.graph.get("edge_default", {}))
    for place, (_, data) in enumerate(nodes):
        _add(of_nodes, place, data, untyped)
    pairs = []
    for place, (source, target, data) in enumerate(graph.edges(data=True)):
        pairs.append((numbers[source], numbers[target]))
        _add(of_edges, place, data, untyped)
    ids = [node for node, _ in nodes]
    if of_nodes.on_all("label", count) == [str(node) for node in ids]:
        of_nodes.remove("label")
    edges = edge_list_of(pairs, ids, graph.is_directed(), of_nodes, of_edges, path)
    if kind in ("graph6", "sparse6"):
        edges.names = None
    elif edges.names is None and any(node != at for at, node in enumerate(ids)):
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


def _add(attributes: ElementAttributes, place: int, data: dict[Any, Any], untyped: bool) -> None:
    for name, value in data.items():
        if value is None or not isinstance(name, str):
            continue
        if isinstance(value, str):
            text = value.strip().strip('"') if untyped else value
            number = untyped and is_number(text)
            value = (int(text) if is_whole(text) and len(text) < 21 else float(text)) if number else text
        elif not isinstance(value, (bool, int, float)):
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
        lines, comments="\0", delimiter=_delimiter(lines), create_using=_kind(networkx, directed)
    )


def _multiline_adjacency(networkx: Any, content: bytes, directed: bool, path: str) -> Any:
    lines = [_with_data(line, path) for line in _lines(content, path)]
    try:
        return networkx.parse_multiline_adjlist(iter(lines), comments="\0", create_using=_kind(networkx, directed))
    except TypeError as error:
        if "must be a mapping" not in str(error):  # NetworkX raises it, too
            raise
        message = "what follows a neighbor is not a dictionary of its values"
        raise refused_file(path, message, "write it as in: b {'weight': 3}") from None


def _with_data(line: str, path: str) -> str:
    """`line` with the dictionary that ends it as NetworkX reads it: it silently drops any other."""
    front, brace, rest = line.partition("{")
    if not brace:
        return line
    text = _INFINITE.sub("1e999", brace + rest)
    try:
        is_fine = isinstance(ast.literal_eval(text), dict)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        is_fine = False
    if not is_fine:
        message = f"this is not a dictionary of plain values: `{printable(text)[:60]}`"
        raise refused_file(path, message, "networkx.write_graphml writes all values")
    return front + text


def _kind(networkx: Any, directed: bool) -> Any:
    return networkx.DiGraph if directed else networkx.Graph


_GRAPH6 = re.compile(rb"(?:>>graph6<<)?([?-~]*)")
_SPARSE6 = re.compile(rb"(?:>>sparse6<<)?(:?[?-~]*)")


def _only_line(content: bytes, form: re.Pattern[bytes], path: str) -> bytes:
    """The line of the only graph, without a header. Raises E0710 for a character of no six bits, which NetworkX takes
    for some."""
    lines = [line for line in content.split(b"\n") if line.strip()]
    if len(lines) > 1:
        message = f"this file holds {len(lines):,} graphs, and only one can be read"
        raise refused_file(path, message, f"take one of them: {filtered(path, 'sed -n 1p')}")
    line = lines[0].rstrip()
    found = form.match(line)
    assert found is not None
    if found.end() < len(line):
        character = shown(line[found.end() :].decode("utf-8", "replace")[0])
        message = f"{character} is none of the characters from ? to ~ that such a file is written in"
        raise GdslError.single("E0710", message, place=f"{path}:{content[: content.index(line)].count(10) + 1}")
    return found[1]


def _graph6(networkx: Any, content: bytes, path: str) -> Any:
    line = _only_line(content, _GRAPH6, path)
    count, rest = _count_of(line)
    bits = int.from_bytes(bytes(max(each - 63, 0) & 63 for each in rest), "big").bit_count() if rest else 0
    _require(count, bits, path)
    return networkx.from_graph6_bytes(line)


def _sparse6(networkx: Any, content: bytes, path: str) -> Any:
    line = _only_line(content, _SPARSE6, path)
    count, rest = _count_of(line.removeprefix(b":"))
    width = max(count - 1, 1).bit_length()
    _require(count, 6 * len(rest) // (width + 1) + 1, path)
    return networkx.from_sparse6_bytes(line)


def _count_of(line: bytes) -> tuple[int, bytes]:
    """The number of nodes that a line of graph6 or sparse6 begins with, and what follows it."""
    if not line.startswith(b"~"):
        return (line[0] - 63, line[1:]) if line else (0, b"")
    size, start = (6, 2) if line[1:2] == b"~" else (3, 1)
    count = 0
    for each in line[start : start + size]:
        count = count << 6 | (each - 63) & 63
    return count, line[start + size :]


def _require(nodes: int, edges: int, path: str) -> None:
    require_countable(nodes, path)
    needed = nodes * _BYTES_PER_NODE + edges * _BYTES_PER_EDGE
    require_memory(needed, f"a graph of {nodes:,} vertices and up to {edges:,} edges", path)


def _leda_count(line: str, path: str) -> int:
    if not is_count(line.strip()):
        raise refused_file(path, f"{shown(line)} is not a number of nodes or edges", "write it as LEDA does, such as 3")
    return int(line)


def _leda(networkx: Any, content: bytes, path: str) -> Any:
    lines = [line for line in text_of(content, path).splitlines() if line and not line.startswith("#")]
    nodes = _leda_count(lines[4], path)
    first = 6 + nodes
    edges = _leda_count(lines[first - 1], path)
    for place, line in enumerate(lines[first : first + edges]):
        for end in line.split()[:2]:
            if not (is_count(end) and 1 <= int(end) <= nodes):
                message = f"edge number {place} has the end {shown(end)}, and nodes are numbered 1 … {nodes:,}"
                raise refused_file(path, message, "write SOURCE TARGET REVERSAL |{LABEL}| for each edge")
    graph = networkx.parse_leda(lines)
    if graph.number_of_nodes() != nodes:
        message = f"of {nodes:,} nodes only {graph.number_of_nodes():,} have a label of their own, which is their name"
        raise refused_file(path, message, "give each node its own label, or none (|{}|)")
    if graph.number_of_edges() != edges:
        message = f"{edges - graph.number_of_edges():,} of {edges:,} edges are parallel to others, which NetworkX drops"
        raise refused_file(path, message, "write an edge list, which keeps them")
    labels = [data["label"].strip() for _, _, data in graph.edges(data=True)]
    if labels and all(is_number(label) for label in labels):
        for _, _, data in graph.edges(data=True):
            data["weight"] = data.pop("label")
    return graph


_READERS: dict[str, Callable[[Any, bytes, str], Any]] = {
    "gexf": read_gexf,
    "dot": read_dot,
    "json": read_json,
    "graph6": _graph6,
    "sparse6": _sparse6,
    "leda": _leda,
}
_ADJACENCY: dict[str, Callable[[Any, bytes, bool, str], Any]] = {
    "adjlist": _adjacency,
    "multiline-adjlist": _multiline_adjacency,
}
