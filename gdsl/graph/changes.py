"""Files with edges to insert into a graph or to delete from it: edge lists and tables, whose ends are vertices of the
graph, by id or, if it has names, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.graph import Graph
from gdsl.graph.messages import collecting
from gdsl.graph.reading import read_edges, request_of, require_list

_OF_LISTS = ("one_based", "source_column", "target_column", "weight_column")


def updated_by_files(graph: Graph, insert: str | None, delete: str | None, options: dict[str, Any]) -> Graph:
    """`graph` with the edges of the file `insert`, which has a value for each of its attributes of edges, and without
    those of the file `delete`, of which only the ends matter. `options` are those that `graph` was read with.

    Raises GdslError E07xx with the file that is at fault.
    """
    for path, word in ((delete, "delete"), (insert, "insert")):  # one by one: an error is about one of them
        if path is not None:
            edges = _edges_in(path, graph, options)
            if word == "insert":
                _check_attributes(path, edges, graph)
            with _naming(path, options):
                ends = _ends(path, edges, graph)
                graph = graph.updated(**{word: (*ends, edges.attributes) if word == "insert" else ends})
    return graph


def _edges_in(path: str, graph: Graph, options: dict[str, Any]) -> EdgeList:
    """The edges of a file, in its order. Numbers are names where vertices have names, and ids otherwise."""
    require_list(request_of(path))
    own = {name: options[name] for name in _OF_LISTS if options.get(name) is not None}
    if graph.names is None:
        own["num_vertices"] = graph.num_vertices
    with collecting():  # notices are about graphs
        request = request_of(path, **own)
        try:
            return read_edges(replace(request, options=replace(request.options, compact=graph.names is not None)))
        except GdslError as error:
            if error.code in ("E0707", "E0709"):
                raise GdslError([replace(each, fix=_kept(graph)) for each in error.diagnostics]) from None
            if error.code != "E0712" or graph.names is not None:
                raise
            named = read_edges(request_of(path, **{**own, "num_vertices": None, "one_based": None}))
            if named.names is None:
                raise
            message = f"vertices have names here, such as {shown(named.names[0])}, and the graph has only ids"
            raise GdslError.single("E0717", message, fix="write the ids of the graph", place=path) from None


def _kept(graph: Graph) -> str:
    """What helps against an id that is not a vertex: advice about the file alone would be about the wrong one."""
    return f"give ends among the {graph.num_vertices:,} vertices of the graph, or read it with more (--num-vertices N)"


def _ends(path: str, edges: EdgeList, graph: Graph) -> tuple[Any, Any]:
    if edges.names is None or graph.names is None:
        return edges.sources, edges.destinations
    names = edges.names
    return tuple([names[end] for end in ends.tolist()] for ends in (edges.sources, edges.destinations))  # type: ignore[return-value]


def _check_attributes(path: str, edges: EdgeList, graph: Graph) -> None:
    """Raise E0717 unless the inserted edges have the attributes that edges of the graph have, and no others."""
    own, given = [*graph.attributes], [*edges.attributes]
    missing = [name for name in own if name not in given]
    unknown = [name for name in given if name not in own]
    if missing and len(edges.sources):
        message = f"the inserted edges have no `{missing[0]}`, which all edges of the graph have"
        columns = " ".join(["source", "target", *own])
        raise GdslError.single("E0717", message, fix=f"add a column, as in `{columns}`", place=path)
    if unknown:
        message = f"the inserted edges have `{printable(unknown[0])}`, which the edges of the graph do not have"
        have = ", ".join(own) or "none"
        raise GdslError.single(
            "E0717", message, notes=(f"attributes of edges: {have}",), fix="leave it out", place=path
        )
    edges.attributes = {name: edges.attributes[name] for name in own if name in edges.attributes}


@contextmanager
def _naming(path: str, options: dict[str, Any]) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except GdslError as error:
        notes = ("ids count from 0 in this message",) if options.get("one_based") else ()
        found = [replace(each, place=each.place or path, notes=each.notes + notes) for each in error.diagnostics]
        raise GdslError(found) from None
