"""Writes graphs as GraphML and GML.

Numbers are written with the digits that restore them, and attributes with their types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.element_attributes import NAME
from gdsl.graph.graph import Graph

_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_FILE_KINDS = {"graphml": "a GraphML file", "gml": "a GML file"}
"""The formats, and their names in messages."""
_GML_KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NOT_IN_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no such file can hold."""
_KINDS = {"b": "boolean", "i": "long", "u": "long", "f": "double"}


def write_graphml(stream: IO[bytes], graph: Graph) -> None:
    """Write `graph`, whose names are all str or all numbers."""
    _write(stream, _graphml(graph))


def write_gml(stream: IO[bytes], graph: Graph) -> None:
    """Write `graph` as GML, with bools as 0 and 1."""
    _write(stream, _gml(graph))


def _write(stream: IO[bytes], lines: Iterator[str]) -> None:
    for line in lines:
        stream.write(line.encode())


def _columns(graph: Graph) -> tuple[dict[str, list[Any]], dict[str, NDArray[Any]]]:
    """The attributes of the vertices and of the edges, undirected ones once."""
    of_vertices = {name: values.tolist() for name, values in graph.vertex_attributes.items()}
    if graph.names is not None:
        of_vertices[NAME] = list(graph.names)
    return of_vertices, graph._edge_list().attributes


def _graphml(graph: Graph) -> Iterator[str]:
    of_vertices, of_edges = _columns(graph)
    edges = graph._edge_list()
    yield _GRAPHML
    for owner, columns in (("node", of_vertices), ("edge", of_edges)):
        for place, (name, values) in enumerate(columns.items()):
            kind = "string" if name in of_vertices and _are_words(values) else _KINDS[np.asarray(values).dtype.kind]
            yield f'  <key id="{owner[0]}{place}" for="{owner}" attr.name={quoteattr(name)} attr.type="{kind}"/>\n'
    yield f'  <graph edgedefault="{"directed" if graph.directed else "undirected"}">\n'
    for vertex, data in enumerate(_rows(of_vertices, graph.num_vertices, _graphml_text)):
        yield _element("node", f'id="n{vertex}"', data)
    ends = zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True)
    values_by_name = {name: values.tolist() for name, values in of_edges.items()}
    for (source, target), data in zip(ends, _rows(values_by_name, len(edges.sources), _graphml_text), strict=True):
        yield _element("edge", f'source="n{source}" target="n{target}"', data)
    yield "  </graph>\n</graphml>\n"


def _element(kind: str, words: str, data: list[str]) -> str:
    inside = "".join(f'<data key="{kind[0]}{place}">{text}</data>' for place, text in enumerate(data))
    return f"    <{kind} {words}>{inside}</{kind}>\n"


def _gml(graph: Graph) -> Iterator[str]:
    of_vertices, of_edges = _columns(graph)
    edges = graph._edge_list()
    yield f"graph\n[\n  directed {int(graph.directed)}\n"
    for vertex, data in enumerate(_rows(of_vertices, graph.num_vertices, _gml_text)):
        words = "".join(f" {name} {text}" for name, text in zip(of_vertices, data, strict=True))
        yield f"  node [ id {vertex}{words} ]\n"
    ends = zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True)
    values_by_name = {name: values.tolist() for name, values in of_edges.items()}
    for (source, target), data in zip(ends, _rows(values_by_name, len(edges.sources), _gml_text), strict=True):
        words = "".join(f" {name} {text}" for name, text in zip(of_edges, data, strict=True))
        yield f"  edge [ source {source} target {target}{words} ]\n"
    yield "]\n"


def _rows(columns: dict[str, list[Any]], count: int, text: Callable[[Any], str]) -> Iterator[list[str]]:
    return ([text(values[place]) for values in columns.values()] for place in range(count))


def _are_words(values: Any) -> bool:
    return isinstance(values, list) and any(isinstance(value, str) for value in values)


def _graphml_text(value: Any) -> str:
    if isinstance(value, str):
        return escape(value, {"\r": "&#13;"})
    return str(value).lower() if isinstance(value, bool) else _number(value)


def _gml_text(value: Any) -> str:
    if isinstance(value, str):
        return f'"{escape(value, {chr(34): "&quot;"})}"'
    return _number(value)


def _number(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Inf" if value > 0 else "-Inf"
    return repr(value) if isinstance(value, float) else str(int(value))


def refuse_unwritable(kind: str, graph: Graph, path: str) -> None:
    """Raise E0715 for names and attributes of `graph` that such a file cannot hold, or that would be read as something
    else."""
    _refuse_names(kind, graph, path)
    _refuse_reserved_names(kind, graph, path)
    for name in (*graph.attributes, *graph.vertex_attributes):
        if _NOT_IN_TEXT.search(name) or (kind == "gml" and not _GML_KEY.fullmatch(name)):
            only = ", only letters and digits" if kind == "gml" else ""
            message = f"{_FILE_KINDS[kind]} cannot hold {shown(name)} as the name of an attribute{only}"
            raise GdslError.single("E0715", message, fix="write a .graphml file", place=path)


def _refuse_names(kind: str, graph: Graph, path: str) -> None:
    """Raise E0715 for names that are neither all text nor all numbers."""
    if graph.names is None:
        return
    kinds = {type(name) for name in graph.names}
    unwritable = None
    if kinds <= {str}:
        unwritable = next((name for name in graph.names if _NOT_IN_TEXT.search(name)), None)
    elif not kinds <= {int}:
        unwritable = next((name for name in graph.names if kinds > {float} or type(name) is not float), None)
    if unwritable is not None:
        message = f"{_FILE_KINDS[kind]} cannot hold {shown(unwritable)} as the name of a vertex next to the others"
        raise GdslError.single("E0715", message, fix="write a .parquet file", place=path)


def _refuse_reserved_names(kind: str, graph: Graph, path: str) -> None:
    """Raise E0715 for attributes whose names readers take for names, ids or ends."""
    of_edges = ["source", "target"] if kind == "gml" else []
    of_vertices = [NAME, *(["label"] if graph.names is None else []), *(["id"] if kind == "gml" else [])]
    reserved = [name for name in graph.attributes if name in of_edges]
    reserved += [name for name in graph.vertex_attributes if name in of_vertices]
    if reserved:
        message = f"{_FILE_KINDS[kind]} cannot hold an attribute called `{reserved[0]}`, which has a meaning there"
        raise GdslError.single("E0715", message, fix="give the attribute another name", place=path)
