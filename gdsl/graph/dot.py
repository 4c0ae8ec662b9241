"""DOT files, by pydot and NetworkX, which passes over subgraphs and takes ports for parts of names."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any

from gdsl.graph.columns import is_number
from gdsl.graph.errors import refused_file


def read_dot(networkx: Any, content: bytes, path: str) -> Any:
    """The graph of NetworkX that a DOT file holds, with the nodes and edges of its subgraphs.

    Raises GdslError E0705, and whatever pydot raises.
    """
    import pydot

    said = io.StringIO()  # pydot prints what is wrong
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        found = pydot.graph_from_dot_data(content.decode("utf-8-sig"))
    if not found:
        lines = [line for line in said.getvalue().splitlines() if line.strip(" ^")]
        raise ValueError(lines[-1] if lines else "pydot finds no graph in it")
    if len(found) > 1:
        raise refused_file(
            path, f"this file holds {len(found):,} graphs, and one is read", "write each into its own file"
        )
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
                raise refused_file(path, message, "write the weight on each edge")
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
