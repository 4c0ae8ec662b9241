"""JSON files of graphs: node-link, adjacency and Cytoscape's form, read by NetworkX after their form was checked, as it
reports what it does not expect in words of Python. Other common forms are refused with the call that reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NoReturn

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.graph.file_bytes import text_of
from gdsl.graph.messages import edited, refused_file
from gdsl.graph.number_text import problem_of_real
from gdsl.graph_names import COMPRESSED

_ENDS = {"from": "source", "to": "target", "src": "source", "dst": "target", "start": "source", "end": "target"}
"""What others call the ends of an edge, and what NetworkX does."""
_AS_NODES_AND_LINKS = "write it by json.dump(networkx.node_link_data(graph), file)"
_OPENING = dict(zip(COMPRESSED, ("gzip.open", "bz2.open", "lzma.open"), strict=True))
_MISFORMED = (AttributeError, IndexError, KeyError, StopIteration, TypeError)
"""What NetworkX raises for objects of another form."""


def read_json(networkx: Any, content: bytes, path: str) -> Any:
    """The graph of NetworkX that a JSON file holds.

    Raises GdslError E0705 for other forms, E0710 for what is no JSON, and any exception of NetworkX.
    """
    data = _data(text_of(content, path), path)
    if not isinstance(data, dict):
        _refuse_list(data, path)
    if "adjacency" in data:
        return _formed(networkx, "adjacency_graph", "adjacency_data", data, path)
    if "elements" in data:
        graph = _formed(networkx, "cytoscape_graph", "cytoscape_data", data, path)
        if graph.number_of_nodes() != len(data["elements"]["nodes"]):
            fix = "give each node its own, and call the ends of edges by them"
            raise refused_file(path, "two nodes have the same `id`, or an edge has an end that no node has", fix)
        return graph
    links = next((word for word in ("links", "edges") if word in data), None)
    if links is None or not isinstance(data.get("nodes"), list) or not isinstance(data[links], list):
        message = "this JSON holds no graph: no lists `nodes` and `links` or `edges`, no `adjacency`, no `elements`"
        raise refused_file(path, message, _fix_of_object(data, path))
    _check_nodes(data["nodes"], path)
    _check_links(data[links], path)
    renamed = {**data, "links": data[links]}
    if links == "edges":
        renamed.pop("edges", None)
    graph = networkx.node_link_graph(renamed, edges="links")
    if graph.number_of_nodes() > len(data["nodes"]):
        *_, stranger = graph.nodes
        message = f"an edge has the end {printable(str(stranger))[:60]}, and no node has this `id`"
        raise refused_file(path, message, "call the ends by the `id` of their nodes; without ids they are 0, 1, …")
    return graph


def _data(text: str, path: str) -> Any:
    def real(word: str) -> float:
        if (problem := problem_of_real(word)) is not None:
            raise refused_file(path, f"{word[:60]} {problem[0]}", problem[1])
        return float(word)

    try:
        return json.loads(text, parse_float=real)
    except json.JSONDecodeError as error:
        fix = None
        if error.msg == "Extra data" and error.colno == 1 and text.lstrip().startswith("{"):
            fix = f"if each line is an edge: gdsl.Graph.from_table(pandas.read_json({path!r}, lines=True))"
        message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]} (column {error.colno})"
        raise GdslError.single("E0710", message, fix=fix, place=f"{path}:{error.lineno}") from None
    except GdslError:
        raise
    except ValueError:  # of Python, for integers of thousands of digits
        raise refused_file(path, "a number has thousands of digits", "write it as a number of 64 bits") from None


def _refuse_list(data: Any, path: str) -> NoReturn:
    """Raise E0705 or E0710 for JSON that is no object, with the call that reads a list of edges."""
    widths = {len(row) for row in data if isinstance(row, list)} if isinstance(data, list) else set()
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        fix = f"gdsl.Graph.from_table(pandas.read_json({path!r})) reads them if each is an edge"
        raise refused_file(path, "this JSON is a list of objects, not a graph", fix)
    if widths in ({2}, {3}) and all(isinstance(row, list) for row in data):
        names = ["source", "target", "weight"][: max(widths)]
        table = f"pandas.DataFrame({_loaded(path)}, columns={names})"
        fix = f"gdsl.Graph.from_table({table}) reads them as edges"
        raise refused_file(path, f"this JSON is a list of lists of {max(widths)} values, not a graph", fix)
    message = "this JSON holds no graph: its outermost value is not an object"
    raise GdslError.single(
        "E0710", message, fix="write it by json.dump(networkx.node_link_data(graph), file)", place=path
    )


def _fix_of_object(data: dict[str, Any], path: str) -> str:
    rows = list(data.values())
    inner = [value for row in rows if isinstance(row, dict) for value in row.values()]
    of_lists = all(isinstance(row, list) for row in rows)
    if rows and (of_lists or (inner and all(isinstance(row, dict) for row in (*rows, *inner)))):
        call = f"gdsl.Graph.from_networkx(networkx.DiGraph({_loaded(path)}))"
        return f"if these are the neighbors of each vertex: {call}"
    return _AS_NODES_AND_LINKS


def _loaded(path: str) -> str:
    """The expression that loads the file."""
    opening = _OPENING.get(os.path.splitext(path.lower())[1], "open")
    return f"json.load({opening}({path!r}))"


def _formed(networkx: Any, reader: str, writer: str, data: dict[str, Any], path: str) -> Any:
    """What a function of NetworkX reads from `data`. Raises E0705 where the form is not what `writer` writes."""
    try:
        read: Callable[[Any], Any] = getattr(networkx, reader)
        return read(_with_values(data) if reader == "cytoscape_graph" else data)
    except _MISFORMED:
        message = f"this JSON does not have the form that networkx.{writer} writes"
        raise refused_file(path, message, f"write it by json.dump(networkx.{writer}(graph), file)") from None


def _check_nodes(nodes: list[Any], path: str) -> None:
    ids = set()
    for place, node in enumerate(nodes):
        if not isinstance(node, dict):
            message = f"node number {place} is not an object, but {shown(node)}"
            raise refused_file(path, message, 'write each node as an object, such as {"id": "a"}')
        key = node.get("id", place)
        if not _is_name(key):
            message = f"the `id` of node number {place} is {shown(key)}"
            raise refused_file(path, message, "give each node a text or a number")
        ids.add(str(key))
    if len(ids) < len(nodes):
        raise refused_file(path, "two nodes have the same `id`", "give each node its own")


def _is_name(value: Any) -> bool:
    if isinstance(value, list):  # a tuple in Python
        return all(map(_is_name, value))
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _check_links(links: list[Any], path: str) -> None:
    for place, link in enumerate(links):
        if not isinstance(link, dict):
            message = f"edge number {place} is not an object, but {shown(link)}"
            raise refused_file(path, message, 'write each edge as an object, such as {"source": "a", "target": "b"}')
        if missing := [end for end in ("source", "target") if end not in link]:
            fix = "give each edge both ends"
            others = {_ENDS[word]: word for word in link if word in _ENDS}
            if len(others) == 2:
                names = "; ".join(f's/"{word}" *:/"{end}":/g' for end, word in others.items())
                fix = "call the ends so: " + edited(path, f"'{names}'")
            raise refused_file(path, f"edge number {place} has no `{missing[0]}`", fix)
        if strange := next((end for end in ("source", "target") if not _is_name(link[end])), None):
            message = f"the `{strange}` of edge number {place} is {shown(link[strange])}"
            raise refused_file(path, message, "call the ends by the `id` of their nodes; without ids they are 0, 1, …")


def _with_values(data: dict[str, Any]) -> dict[str, Any]:
    """Cytoscape's elements, with the `value` of nodes that only NetworkX writes, by which edges refer to them."""
    elements = data["elements"]
    nodes = [{"data": {"value": node["data"]["id"], **node["data"]}} for node in elements["nodes"]]
    edges = [{"data": edge["data"]} for edge in elements.get("edges", ())]
    return {**data, "data": [], "elements": {"nodes": nodes, "edges": edges}}
