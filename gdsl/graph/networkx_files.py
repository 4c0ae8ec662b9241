"""Files that NetworkX reads: GEXF, DOT, JSON, adjacency lists, graph6, sparse6, LEDA.

What a file takes in memory is estimated before NetworkX gets it, and what NetworkX would pass over or join without a
word is refused.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gdsl.diagnostics import GdslError, printable
from gdsl.extras import first_line, required
from gdsl.graph.columns import is_number, is_whole
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.element_attributes import ElementAttributes, named_by
from gdsl.graph.errors import too_large
from gdsl.graph.ids import LARGEST_NUM_VERTICES, id_dtype
from gdsl.graph.memory import require_memory
from gdsl.graph.names import Names
from gdsl.graph.plain_bytes import bytes_of
from gdsl.graph.quiet import quiet
from gdsl.graph.text import empty

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
"""The formats, and what messages call such a file."""
_EXTRA = "gdsl[networkx]"
_BYTES_PER_BYTE = {"gexf": 80, "dot": 1000, "json": 80, "adjlist": 150, "multiline-adjlist": 150, "leda": 100}
"""What NetworkX and the library behind it take for each byte of text, where there is least of it for a node."""
_BYTES_PER_NODE, _BYTES_PER_EDGE = 500, 400
_ID = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DEEP = "it is nested too deeply"


def read_networkx_file(path: str, kind: str, directed: bool) -> EdgeList:
    """The graph in the file at `path`, which is one of `CALLED`, with the attributes that are numbers.

    Nodes that are whole numbers keep them: as ids where they are 0 to V-1, else as names. Adjacency lists, which do
    not say it, are `directed` or not. Raises GdslError E0705 or
    E0710 for what NetworkX does not read, E0708 for what does not fit in memory, E0907 without NetworkX (or pydot).
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
                graph = _ADJACENCY[kind](networkx, content, directed)
            else:
                graph = _READERS[kind](networkx, content, path)
    except (GdslError, MemoryError):
        raise
    except RecursionError:
        raise _not_read(path, kind, _DEEP) from None
    except Exception as error:  # of a library, for whatever is in the file
        raise _not_read(path, kind, first_line(error)) from None
    return _edges(graph, kind, path)


def _not_read(path: str, kind: str, why: str) -> GdslError:
    return GdslError.single("E0710", f"this is not {CALLED[kind]} that can be read: {why}", place=path)


def _refused(path: str, message: str, fix: str) -> GdslError:
    return GdslError.single("E0705", message, fix=fix, place=path)


def _edges(graph: Any, kind: str, path: str) -> EdgeList:
    """The edges of a graph of NetworkX that was read from a file."""
    nodes, numbers = _numbered(list(graph.nodes(data=True)))
    count = len(nodes)
    of_nodes, of_edges = ElementAttributes("node", path), ElementAttributes("edge", path)
    untyped = kind in ("dot", "leda")
    for place, (_, data) in enumerate(nodes):
        _add(of_nodes, place, data, untyped)
    pairs = []
    for place, (source, target, data) in enumerate(graph.edges(data=True)):
        pairs.append((numbers[source], numbers[target]))
        _add(of_edges, place, data, untyped)
    ids = [node for node, _ in nodes]
    if of_nodes.on_all("label", count) == [str(node) for node in ids]:
        of_nodes.remove("label")
    names, attribute = named_by(of_nodes, ids, path)
    if kind in ("graph6", "sparse6") or (attribute is None and all(node == at for at, node in enumerate(ids))):
        names = None
    elif attribute is None:
        names = Names(ids)
    ends = np.array(pairs, id_dtype(count)).reshape(-1, 2)
    sources, destinations = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    vertices = of_nodes.arrays(count, attribute)
    return EdgeList(sources, destinations, count, graph.is_directed(), of_edges.arrays(len(ends)), vertices, names)


def _numbered(nodes: list[tuple[Any, Any]]) -> tuple[list[tuple[Any, Any]], dict[Any, int]]:
    """The nodes in the order of their ids, called by whole numbers where all are, and the id of each as it was."""
    of_texts = all(isinstance(node, str) and _ID.fullmatch(node) for node, _ in nodes)
    if not of_texts and not all(type(node) is int for node, _ in nodes):
        return nodes, {node: place for place, (node, _) in enumerate(nodes)}
    called = [(int(node), node, data) for node, data in nodes]
    if all(0 <= number < len(nodes) for number, _, _ in called):
        called.sort(key=lambda each: each[0])
    numbers = {node: place for place, (_, node, _) in enumerate(called)}
    return [(number, data) for number, _, data in called], numbers


def _add(attributes: ElementAttributes, place: int, data: dict[Any, Any], untyped: bool) -> None:
    for name, value in data.items():
        if value is None or not isinstance(name, str):
            continue
        if isinstance(value, str):
            text = value.strip().strip('"') if untyped else value
            number = untyped and is_number(text)
            value = (int(text) if is_whole(text) and len(text) < 21 else float(text)) if number else value
        elif not isinstance(value, (bool, int, float)):
            value = ""  # what is no number on one element is no attribute of a graph here
        attributes.add(name, place, value)


def _gexf(networkx: Any, content: bytes, path: str) -> Any:
    if b"<!ENTITY" in content:
        raise _refused(path, "this GEXF file has entities of its own", "write the characters themselves")
    return networkx.read_gexf(io.BytesIO(content))


def _json(networkx: Any, content: bytes, path: str) -> Any:
    def real(word: str) -> float:
        if math.isinf(value := float(word)):
            raise ValueError(f"{word[:60]} is too large for a float64")
        return value

    data = json.loads(content.decode("utf-8-sig"), parse_float=real)
    if not isinstance(data, dict):
        raise ValueError("it is no object")
    if "adjacency" in data:
        return networkx.adjacency_graph(data)
    if "elements" in data:
        return networkx.cytoscape_graph({**data, "data": []})
    links = next((word for word in ("links", "edges") if word in data), None)
    if links is None or not isinstance(data.get("nodes"), list):
        message = "this JSON holds no graph: no `nodes` with `links` or `edges`, no `adjacency`, no `elements`"
        raise _refused(path, message, "write it by json.dump(networkx.node_link_data(graph), file)")
    renamed = {**data, "links": data[links]}
    if links == "edges":
        renamed.pop("edges", None)
    count = len({str(node.get("id", place)) for place, node in enumerate(data["nodes"])})
    if count < len(data["nodes"]):
        raise _refused(path, "two nodes have the same `id`", "give each node its own")
    graph = networkx.node_link_graph(renamed, edges="links")
    if graph.number_of_nodes() > len(data["nodes"]):
        *_, stranger = graph.nodes
        message = f"an edge has the end {printable(str(stranger))[:60]}, and no node has this `id`"
        raise _refused(path, message, "call the ends by the `id` of their nodes; without ids they are 0, 1, …")
    return graph


def _lines(content: bytes) -> list[str]:
    """Lines that hold something. A comment is a line that begins with its mark."""
    text = content.decode("utf-8-sig")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _delimiter(lines: list[str]) -> str | None:
    return next((mark for mark in "\t,;" if lines and mark in lines[0]), None) if _has_no_blank(lines) else None


def _has_no_blank(lines: list[str]) -> bool:
    return not any(" " in line.strip() for line in lines[:100])


def _adjacency(networkx: Any, content: bytes, directed: bool) -> Any:
    lines = _lines(content)
    # There is no comment left: NetworkX would cut names at the mark.
    return networkx.parse_adjlist(
        lines, comments="\0", delimiter=_delimiter(lines), create_using=_kind(networkx, directed)
    )


def _multiline_adjacency(networkx: Any, content: bytes, directed: bool) -> Any:
    lines = _lines(content)
    return networkx.parse_multiline_adjlist(iter(lines), comments="\0", create_using=_kind(networkx, directed))


def _kind(networkx: Any, directed: bool) -> Any:
    return networkx.DiGraph if directed else networkx.Graph


def _only_line(content: bytes, path: str) -> bytes:
    lines = [line for line in content.split(b"\n") if line.strip()]
    if len(lines) > 1:
        message = f"this file holds {len(lines):,} graphs, and one is read"
        raise _refused(path, message, f"take one of them: head -n 1 {printable(path)} > FILE")
    return lines[0].rstrip(b"\r")


def _graph6(networkx: Any, content: bytes, path: str) -> Any:
    line = _only_line(content, path).removeprefix(b">>graph6<<")
    count, behind = _count_of(line)
    bits = int.from_bytes(bytes(max(each - 63, 0) & 63 for each in behind), "big").bit_count() if behind else 0
    _require(count, bits, path)
    return networkx.from_graph6_bytes(line)


def _sparse6(networkx: Any, content: bytes, path: str) -> Any:
    line = _only_line(content, path).removeprefix(b">>sparse6<<")
    count, behind = _count_of(line.removeprefix(b":"))
    width = max(count - 1, 1).bit_length()
    _require(count, 6 * len(behind) // (width + 1) + 1, path)
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
    if nodes > LARGEST_NUM_VERTICES:
        raise too_large(f"{nodes:,} vertices; at most {LARGEST_NUM_VERTICES:,} are possible", path)
    needed = nodes * _BYTES_PER_NODE + edges * _BYTES_PER_EDGE
    require_memory(needed, f"a graph of {nodes:,} vertices and up to {edges:,} edges", path)


def _leda(networkx: Any, content: bytes, path: str) -> Any:
    lines = [line for line in content.decode("utf-8-sig").splitlines() if line and not line.startswith("#")]
    nodes = int(lines[4])
    edges = int(lines[5 + nodes])
    graph = networkx.parse_leda(lines)
    if graph.number_of_nodes() != nodes:
        message = f"of {nodes:,} nodes only {graph.number_of_nodes():,} have a label of their own, which is their name"
        raise _refused(path, message, "give each node its own label, or none (|{}|)")
    if graph.number_of_edges() != edges:
        message = f"{edges - graph.number_of_edges():,} of {edges:,} edges are parallel to others, which NetworkX drops"
        raise _refused(path, message, "write an edge list, which keeps them")
    labels = [data["label"].strip() for _, _, data in graph.edges(data=True)]
    if labels and all(is_number(label) for label in labels):
        for _, _, data in graph.edges(data=True):
            data["weight"] = data.pop("label")
    return graph


def _dot(networkx: Any, content: bytes, path: str) -> Any:
    import pydot

    said = io.StringIO()  # pydot prints what is wrong
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        found = pydot.graph_from_dot_data(content.decode("utf-8-sig"))
    if not found:
        lines = [line for line in said.getvalue().splitlines() if line.strip(" ^")]
        raise ValueError(lines[-1] if lines else "pydot finds no graph in it")
    if len(found) > 1:
        raise _refused(path, f"this file holds {len(found):,} graphs, and one is read", "write each into its own file")
    whole = found[0]
    directed, strict = whole.get_type() == "digraph", bool(whole.get_strict())
    kinds = {
        (False, False): "MultiGraph",
        (False, True): "Graph",
        (True, False): "MultiDiGraph",
        (True, True): "DiGraph",
    }
    graph = getattr(networkx, kinds[directed, strict])()
    for part in _parts(whole):
        _add_part(graph, part, path)
    return graph


def _parts(graph: Any) -> Iterator[Any]:
    """A graph of pydot, and the subgraphs in it, whose nodes and edges are the graph's."""
    waiting = [graph]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(part.get_subgraph_list())


def _add_part(graph: Any, part: Any, path: str) -> None:
    for node in part.get_node_list():
        name = _dot_name(node.get_name())
        attributes = node.get_attributes()
        if name == "edge":
            odd = next((key for key, value in attributes.items() if is_number(str(value).strip('"'))), None)
            if odd == "weight":
                message = "this DOT file gives edges a default `weight`, which NetworkX does not apply"
                raise _refused(path, message, "write the weight on each edge")
        if name not in ("node", "edge", "graph", "\\n"):
            graph.add_node(name)
            graph.nodes[name].update(attributes)
    for edge in part.get_edge_list():
        attributes = dict(edge.get_attributes())
        for source in _dot_ends(edge.get_source()):
            for target in _dot_ends(edge.get_destination()):
                graph.add_edge(source, target)
                data = graph.get_edge_data(source, target)
                (list(data.values())[-1] if graph.is_multigraph() else data).update(attributes)


def _dot_ends(end: Any) -> list[str]:
    """The names of an end of an edge, which may be a set of nodes."""
    if isinstance(end, str):
        return [_dot_name(end)]
    nodes = end["nodes"] if "nodes" in end else [node.get_name() for node in end.get_node_list()]
    return [_dot_name(name) for name in nodes]


def _dot_name(word: str) -> str:
    """A name without its quotes, and without the port behind it."""
    if word.startswith('"'):
        quoted = re.match(r'"((?:[^"\\]|\\.)*)"', word, re.DOTALL)
        return quoted[1].replace('\\"', '"') if quoted else word
    return word.partition(":")[0]


_READERS: dict[str, Callable[[Any, bytes, str], Any]] = {
    "gexf": _gexf,
    "dot": _dot,
    "json": _json,
    "graph6": _graph6,
    "sparse6": _sparse6,
    "leda": _leda,
}
_ADJACENCY: dict[str, Callable[[Any, bytes, bool], Any]] = {
    "adjlist": _adjacency,
    "multiline-adjlist": _multiline_adjacency,
}
