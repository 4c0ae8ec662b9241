"""GraphML and GML, by igraph."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.extras import first_line, required
from gdsl.graph.compressed import LONGEST_MAGIC, decompressing
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.gml_parts import as_igraph_reads
from gdsl.graph.graphml_parts import refuse_passed_over
from gdsl.graph.igraph_graphs import NAME, edges_of_igraph
from gdsl.graph.longest import require_short_pieces
from gdsl.graph.memory import require_memory
from gdsl.graph.quiet import quiet
from gdsl.graph.text import empty, file_size, unreadable

_CALLED = {"graphml": "a GraphML file", "gml": "a GML file"}
"""The formats, and what messages call such a file."""

_ERROR = re.compile(r"^Error at \S+: (?P<said>.*?)(?:\.? -- [^-]*)?$", re.DOTALL)
_LINE = re.compile(r",? ?\b[Ll]ine (\d+):? ?")
_NO_GRAPH = "Graph index was too large"
"""What igraph says of a GraphML file without a graph."""
_GML_KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NOT_IN_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no such file can hold."""
_AMPERSAND = "&#38;"
_CHUNK = 1 << 20
_LEAST = float(np.finfo(np.float64).tiny)
"""Numbers nearer to 0 igraph refuses to read."""
_EXACT = 2**53 - 1
"""Whole numbers up to here are exact in igraph, which has floats only: 2^53 may have been 2^53 + 1."""


def read_xml(path: str, kind: str) -> EdgeList:
    """The graph in the file at `path`, with the attributes that are numbers; numbers that are all whole are integers.

    The vertices are called by their attribute `name`, else by their labels (GML) or ids, unless these only count.
    Raises GdslError E0705 or E0710 with what igraph says of a file with mistakes, E0705 for what it would pass over,
    E0907 without igraph.
    """
    file_size(path)
    igraph = required("igraph", "gdsl[igraph]", _CALLED[kind])
    reader = igraph.Graph.Read_GraphML if kind == "graphml" else igraph.Graph.Read_GML
    with tempfile.TemporaryDirectory(prefix="gdsl-") as folder:
        plain = _plain(path, folder)
        if os.path.getsize(plain) == 0:
            raise empty(path)
        require_short_pieces(plain, kind, path)
        if kind == "gml" and (changed := as_igraph_reads(plain, path)) is not None:
            plain = str(Path(folder, "changed"))
            Path(plain).write_bytes(changed)
        try:
            with quiet() as heard:
                found = reader(plain)
        except igraph.InternalError as error:
            raise _malformed(path, kind, str(error)) from None
        except UnicodeDecodeError:
            raise GdslError.single("E0710", f"this is not {_CALLED[kind]}: it is no text", place=path) from None
        if kind == "graphml":
            refuse_passed_over(plain, path, heard)
            _with_ampersands(found)
    named_by = _named_by(found)
    _tidy(found.vs, named_by)
    _tidy(found.es, named_by, weight="weight")
    return edges_of_igraph(found, named_by)


def _plain(path: str, folder: str) -> str:
    """The path of a copy, not compressed: what was looked through is what is read, whoever writes meanwhile."""
    try:
        with open(path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            text: Any = decompressing(raw, start) or raw
            target, size = Path(folder, "plain"), 0
            with contextlib.closing(text), target.open("wb") as file:
                while chunk := text.read(_CHUNK):
                    size += len(chunk)
                    require_memory(2 * size, "the graph", path)  # which will take more than its text
                    file.write(chunk)
    except GdslError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise unreadable(path, error) from None
        raise GdslError.single("E0710", f"the compressed data is damaged: {first_line(error)}", place=path) from None
    except Exception as error:  # of one of the three libraries
        raise GdslError.single("E0710", f"the compressed data is damaged: {first_line(error)}", place=path) from None
    return str(target)


def _malformed(path: str, kind: str, said: str) -> GdslError:
    match = _ERROR.match(" ".join(said.split()))
    words = match["said"] if match else " ".join(said.split())
    line = _LINE.search(words)
    place = f"{path}:{line[1]}" if line else path
    words = printable(_LINE.sub("", words, count=1).strip()[:300])
    words = "there is no graph in it" if words == _NO_GRAPH else words
    return GdslError.single("E0705" if line else "E0710", f"{_CALLED[kind]} with a mistake: {words}", place=place)


def _named_by(graph: Any) -> str | None:
    """The attribute that has the vertices' names; None where they only count the vertices."""
    count = graph.vcount()
    for name in (NAME, "label", "id"):
        if name not in graph.vs.attributes():
            continue
        values = graph.vs[name]
        if name == "label" and (len(set(map(str, values))) < count or "" in values):
            continue  # of labels several may be alike
        if name == "id" and all(_counts(value, place) for place, value in enumerate(values)):
            return None
        return name
    return None


def _counts(value: Any, place: int) -> bool:
    """Whether an id is no more than a place."""
    return value == place or value in (str(place), f"n{place}")


def _with_ampersands(graph: Any) -> None:
    """`&` in ids and in names of attributes, each of which igraph gives as `&#38;`."""
    for sequence in (graph.vs, graph.es):
        for name in sequence.attributes():
            if _AMPERSAND in name:
                sequence[name.replace(_AMPERSAND, "&")] = sequence[name]
                del sequence[name]
        if "id" in sequence.attributes():
            sequence["id"] = [
                value.replace(_AMPERSAND, "&") if isinstance(value, str) else value for value in sequence["id"]
            ]


def _tidy(sequence: Any, named_by: str | None, weight: str = "") -> None:
    """Numbers that are all whole as integers, as which they were written; what is without a `weight` has 1."""
    for name in sequence.attributes():
        values = sequence[name]
        if name == "id" and name != named_by:
            del sequence[name]
            continue
        if not values or not all(isinstance(value, float) for value in values):
            continue
        numbers = np.array(values)
        if name == weight:
            numbers[np.isnan(numbers)] = 1
        whole = np.isfinite(numbers).all() and (np.abs(numbers) <= _EXACT).all() and (numbers % 1 == 0).all()
        sequence[name] = numbers.astype(np.int64).tolist() if whole else numbers.tolist()


def refuse_inexact(kind: str, graph: Any, path: str) -> None:
    """Raise E0715 for names and attributes of a `Graph` that such a file cannot hold, or that are read as others."""
    _refuse_names(kind, graph, path)
    _refuse_called_so(kind, graph, path)
    for name, values in (*graph.attributes.items(), *graph.vertex_attributes.items()):
        if _NOT_IN_TEXT.search(name) or (kind == "gml" and not _GML_KEY.fullmatch(name)):
            only = ", only letters and digits" if kind == "gml" else ""
            message = f"{_CALLED[kind]} cannot hold {shown(name)} as the name of an attribute{only}"
            raise GdslError.single("E0715", message, fix="write a .graphml file", place=path)
        if (
            values.dtype.kind in "iu"
            and len(values)
            and not -_EXACT <= int(values.min()) <= int(values.max()) <= _EXACT
        ):
            message = f"{_CALLED[kind]} keeps whole numbers below 2^53, and `{name}` has larger ones"
            raise GdslError.single("E0715", message, fix="write a .parquet or .csv file", place=path)
        if values.dtype.kind == "f" and ((values != 0) & (np.abs(values) < _LEAST)).any():
            message = f"{_CALLED[kind]} cannot hold numbers between 0 and {_LEAST:.3g}, and `{name}` has such"
            raise GdslError.single("E0715", message, fix="write a .parquet or .csv file", place=path)


def _refuse_names(kind: str, graph: Any, path: str) -> None:
    """Those that are neither all text nor all numbers."""
    if graph.names is None:
        return
    kinds = {type(name) for name in graph.names}
    if kinds <= {str}:
        odd = next((name for name in graph.names if _NOT_IN_TEXT.search(name)), None)
    elif kinds <= {int}:
        odd = next((name for name in graph.names if abs(name) > _EXACT), None)
    else:
        odd = next((name for name in graph.names if kinds > {float} or type(name) is not float), None)
    if odd is not None:
        message = f"{_CALLED[kind]} cannot hold {shown(odd)} as the name of a vertex beside the others"
        raise GdslError.single("E0715", message, fix="write a .parquet file", place=path)


def _refuse_called_so(kind: str, graph: Any, path: str) -> None:
    """Attributes that are read as names, or not at all, by what they are called; and missing weights, which are 1."""
    taken = ["id", *(["source", "target"] if kind == "gml" else [])]
    of_vertices = ["id", NAME, *(["label"] if graph.names is None else [])]
    found = [name for name in graph.attributes if name in taken]
    found += [name for name in graph.vertex_attributes if name in of_vertices]
    if found:
        message = f"{_CALLED[kind]} cannot hold an attribute that is called `{found[0]}`, which means something there"
        raise GdslError.single("E0715", message, fix="give the attribute another name", place=path)
    weights = graph.attributes.get("weight")
    if weights is not None and weights.dtype.kind == "f" and np.isnan(weights).any():
        message = f"in {_CALLED[kind]} NaN is a missing weight, which is read as 1"
        raise GdslError.single("E0715", message, fix="write a .parquet or .csv file", place=path)
