"""Writes graphs to files: to a temporary file that is then renamed, so that no file is ever half a graph."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
from collections.abc import Callable, Iterator
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.files import path_name, whole_file
from gdsl.graph.archives import DIRECTED_KEY
from gdsl.graph.column_names import ENDS, UNDIRECTED_ENDS, is_column_name
from gdsl.graph.dimacs import refuse_other_problems
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.graph import Graph
from gdsl.graph.list_checks import is_count_line
from gdsl.graph.number_text import is_number
from gdsl.graph.reading import READ_ONLY, TABLE_KINDS, UNCOMPRESSED, XML_KINDS, format_of
from gdsl.graph.vertices import Names
from gdsl.graph_names import COMPRESSED, SUFFIXES

_LISTS = ("csv", "tsv")
_ROWS = 1 << 16
_QUOTED = re.compile(r"""^[ #%/]| $|"| [#%]""")
"""Names that must be quoted to be read unchanged."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
_ID = re.compile(r"0|[1-9][0-9]{0,17}")
_MARKS = re.compile(r"""[\s,;#%"]""")


def format_to_write(name: str, format_name: str | None = None) -> str:
    """The format in which the file `name` is written: `format_name`, or that of its name. Raises E0702."""
    try:
        kind = format_of(name, format_name)
    except GdslError:
        if format_name is not None:
            raise
        shorter = next((name[: -len(end)] for end in COMPRESSED if name.lower().endswith(end)), name)
        kind = SUFFIXES.get(os.path.splitext(shorter.lower())[1], "")
        if shorter != name and kind in UNCOMPRESSED:
            message, fix = f"this format ({kind}) compresses its own data", f"write {printable(shorter)}"
            raise GdslError.single("E0702", message, fix=fix, place=name) from None
        suffixes = ", ".join(suffix for suffix, kind in SUFFIXES.items() if kind not in READ_ONLY and kind != "gr")
        message = "the name does not show the format to write"
        raise GdslError.single("E0702", message, fix=f"end it in one of {suffixes}, .gr", place=name) from None
    if format_name is None:
        refuse_other_problems(name)
    if kind in READ_ONLY:
        fix = "write a .mtx or .graphml file"
        raise GdslError.single("E0702", f"files of this format ({kind}) are read, not written", fix=fix, place=name)
    if kind in UNCOMPRESSED and name.lower().endswith(COMPRESSED):
        raise GdslError.single("E0702", f"this format ({kind}) compresses its own data", place=name)
    return kind


def write(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write `graph` to `path` in the format of its name (or `format`), compressed where the name says so.

    Matrix Market keeps everything but attributes other than `weight`; `.npz` likewise; DIMACS holds arcs with whole
    weights; edge lists hold edges, undirected ones once and marked as such, `.csv` and `.tsv` with all attributes under
    a first line of names, and with the names of the vertices; so do `.parquet`, `.feather` and `.arrow`. GraphML and
    GML keep the attributes of vertices as well. An existing file is replaced
    only by a whole one; links are followed, devices and pipes written directly.
    Raises GdslError E0702, E0714 or E0715.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"write takes a gdsl.Graph, not {shown(graph)}")
    name = path_name(path, "a graph's path is a str or a path-like object")
    kind = format_to_write(name, format)
    _check_fits(graph, kind, name)
    writers: dict[str, Callable[[Graph, IO[bytes]], None]] = {
        "mtx": _write_matrix_market,
        "gr": _write_dimacs,
        "npz": _write_npz,
        "csv": lambda graph, stream: _write_edges(graph, stream, ",", header=True),
        "tsv": lambda graph, stream: _write_edges(graph, stream, "\t", header=True),
        "edges": lambda graph, stream: _write_edges(graph, stream, " ", header=False),
        "parquet": lambda graph, stream: _write_table(graph, stream, "parquet"),
        "arrow": lambda graph, stream: _write_table(graph, stream, "arrow"),
        "graphml": lambda graph, stream: _write_markup(graph, stream, "graphml"),
        "gml": lambda graph, stream: _write_markup(graph, stream, "gml"),
    }
    try:
        with whole_file(name) as file, _compressing(file, name) as stream:
            writers[kind](graph, stream)
    except OSError as error:
        reason = error.strerror or str(error)
        raise GdslError.single("E0714", f"the graph cannot be written: {reason}", place=name) from None


def _check_fits(graph: Graph, kind: str, path: str) -> None:
    """E0715 for graphs that the format cannot hold."""
    others = [name for name in graph.attributes if name != "weight"]
    if kind not in (*_LISTS, *TABLE_KINDS, *XML_KINDS) and others:
        message = f"this format keeps only `weight` of an edge, and the graph also has {', '.join(others)}"
        raise GdslError.single("E0715", message, fix="write a .csv or .parquet file", place=path)
    if graph.vertex_attributes and kind not in XML_KINDS:
        names = ", ".join(graph.vertex_attributes)
        message = f"this format keeps no attributes of vertices, and the graph has {names}"
        raise GdslError.single("E0715", message, fix="write a .graphml file", place=path)
    if kind in TABLE_KINDS:
        from gdsl.graph.table_files import refuse_names_of_ends

        _check_characters(graph, path)
        refuse_names_of_ends(graph.directed, graph.attributes, path)
    if kind in (*_LISTS, *TABLE_KINDS) and graph.names is not None:
        _refuse_equal_texts(graph.names, path)
    if kind in XML_KINDS:
        from gdsl.graph.markup import refuse_unwritable

        refuse_unwritable(kind, graph, path)
    unnameable = [
        name
        for name in graph.attributes
        if not is_column_name(name) or _MARKS.search(name) or (name != "weight" and name.lower() == "weight")
    ]
    if kind in ("csv", "tsv") and unnameable:
        message = f"the first line of an edge list cannot hold {unnameable[0]!r} as the name of a column"
        raise GdslError.single("E0715", message, fix="give the attribute another name", place=path)
    if kind in ("csv", "tsv") and graph.names is not None:
        _check_names(graph, path)
    weights = graph.attributes.get("weight")
    if kind == "gr" and (weights is None or weights.dtype.kind not in "iu"):
        message = "a DIMACS file needs whole weights"
        raise GdslError.single("E0715", message, fix="--weights random:SEED gives the edges weights", place=path)
    format_ = {"mtx": "Matrix Market", "gr": "DIMACS"}.get(kind)
    if format_ and weights is not None and weights.dtype == np.uint64 and weights.max(initial=0) > 2**63 - 1:
        raise GdslError.single("E0715", f"a {format_} file keeps whole weights below 2^63", place=path)


def _check_names(graph: Graph, path: str) -> None:
    """E0715 for names of vertices that would be read differently from a list."""
    assert graph.names is not None
    names = list(map(str, graph.names))
    unwritable = next((name for name in names if not name or not name.isprintable()), None)
    if unwritable is not None:
        message = f"an edge list cannot hold {shown(unwritable)} as the name of a vertex"
        raise GdslError.single("E0715", message, fix="write a .txt file, which has ids", place=path)
    if not all(map(is_number, names)):
        used = graph.out_degrees + graph.in_degrees > 0
        names = [name for name, has_edge in zip(names, used.tolist(), strict=True) if has_edge]
    # If all are numbers, they are read as ids.
    if names and all(map(is_number, names)):
        unwritable = next((name for name in names if not _ID.fullmatch(name)), None)
        if unwritable is not None:
            message = f"all names are numbers, which an edge list takes for ids, and {shown(unwritable)} is not an id"
            raise GdslError.single("E0715", message, fix="write a .parquet or .graphml file", place=path)


def _refuse_equal_texts(names: Names, path: str) -> None:
    """E0715 for names that differ only by type, such as 1 and "1"."""
    texts: set[str] = set()
    for name in map(str, names):
        if name in texts:
            message = f"two vertices have names that both read {shown(name)}, and would be one vertex in the file"
            raise GdslError.single("E0715", message, fix="write a .npz or .mtx file, which has ids", place=path)
        texts.add(name)


def _check_characters(graph: Graph, path: str) -> None:
    """E0715 for a name with characters that tables cannot hold."""
    names = (*graph.attributes, *graph.vertex_attributes, *map(str, graph.names or ()))
    unwritable = next((name for name in names if _NO_TEXT.search(name)), None)
    if unwritable is not None:
        message = f"this format cannot hold a character of the name {shown(unwritable)}"
        raise GdslError.single("E0715", message, fix="give it another name", place=path)


@contextlib.contextmanager
def _compressing(file: IO[bytes], path: str) -> Iterator[IO[bytes]]:
    name = path.lower()
    stream: Any
    if name.endswith(".gz"):
        stream = gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0)
    elif name.endswith(".bz2"):
        stream = bz2.BZ2File(file, "wb")
    elif name.endswith(".xz"):
        stream = lzma.LZMAFile(file, "wb")  # noqa: SIM115 - closed below
    else:
        yield file
        return
    with stream:
        yield stream


class _FailureKeeper(io.RawIOBase):
    """Passes bytes on and stores a failure: mmwrite's C++ stream would hide it, and an archive would fail again when
    closed."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self.failure: OSError | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self.failure is None:
            try:
                self._stream.write(data)
            except OSError as error:
                self.failure = error
        return len(data)


def _write_matrix_market(graph: Graph, stream: IO[bytes]) -> None:
    from scipy.io import mmwrite
    from scipy.sparse import coo_array

    weights = graph.attributes.get("weight")
    field: Literal["pattern", "real", "integer"]
    field = "pattern" if weights is None else "real" if weights.dtype.kind == "f" else "integer"
    symmetry: Literal["general", "symmetric"] = "general" if graph.directed else "symmetric"
    if not graph.num_edges:
        # mmwrite would declare the missing values as real
        sizes = f"{graph.num_vertices} {graph.num_vertices} 0"
        stream.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{sizes}\n".encode())
        return
    values = np.ones(graph.num_edges, dtype=np.int8) if weights is None else weights
    shape = (graph.num_vertices, graph.num_vertices)
    matrix = coo_array((values, (graph.edge_sources, graph.columns)), shape=shape)
    target: Any = _FailureKeeper(stream)
    mmwrite(target, matrix, field=field, symmetry=symmetry)
    if target.failure is not None:
        raise target.failure


def _write_npz(graph: Graph, stream: IO[bytes]) -> None:
    """Write the parts of scipy.sparse.save_npz, and whether the graph is directed."""
    weights = graph.attributes.get("weight")
    target: Any = _FailureKeeper(stream)
    directed: Any = {DIRECTED_KEY: np.array(graph.directed)}
    np.savez_compressed(
        target,
        indices=graph.columns,
        indptr=graph.offsets.astype(np.int32) if graph.id_bits == 32 else graph.offsets,
        format=np.array(b"csr"),
        shape=np.array([graph.num_vertices] * 2),
        data=np.ones(graph.num_edges, dtype=bool) if weights is None else _as_numbers(weights),
        **directed,
    )
    if target.failure is not None:
        raise target.failure


def _write_dimacs(graph: Graph, stream: IO[bytes]) -> None:
    stream.write(f"p sp {graph.num_vertices} {graph.num_edges}\n".encode())
    ends = (graph.edge_sources + np.int64(1), graph.columns + np.int64(1), graph.attributes["weight"])
    _write_rows(stream, ends, " ", "a ")


def _write_edges(graph: Graph, stream: IO[bytes], delimiter: str, header: bool) -> None:
    edges = graph._edge_list()
    # Every reader takes a third value for the weight, so it follows the ends.
    names = sorted(edges.attributes, key=lambda name: name != "weight")
    if header or not graph.num_edges:
        # Without one, a list of no edges would be an empty file, which no reader takes for a graph.
        ends = ENDS[0] if graph.directed else UNDIRECTED_ENDS
        stream.write((delimiter.join([*ends, *names]) + "\n").encode())
    elif not graph.directed:
        stream.write(b"# undirected\n")
    if not header and len(edges.sources):
        if edges.num_vertices > _largest(edges) + 1:
            stream.write(f"# Nodes: {edges.num_vertices} Edges: {len(edges.sources)}\n".encode())
        if _has_count_line(edges) or _resembles_matrix(edges):
            # So that the first edge is not taken for the numbers of vertices and edges, nor all for a matrix.
            stream.write(f"# source target{' weight' * bool(names)}\n".encode())
    columns = [
        _as_numbers(column)
        for column in (edges.sources, edges.destinations, *(edges.attributes[name] for name in names))
    ]
    if header and graph.names is not None:
        quoted_names = np.array([_quote(str(name), delimiter) for name in graph.names], dtype=object)
        columns[:2] = [quoted_names[column] for column in columns[:2]]
    _write_rows(stream, tuple(columns), delimiter, "")


def _largest(edges: EdgeList) -> int:
    return int(max(edges.sources.max(initial=-1), edges.destinations.max(initial=-1)))


def _has_count_line(edges: EdgeList) -> bool:
    """Whether the first edge would be read as the numbers of vertices and edges."""
    if len(edges.sources) < 2:
        return False
    columns = [edges.sources, edges.destinations, *edges.attributes.values()]
    largest = int(max(edges.sources[1:].max(), edges.destinations[1:].max()))
    return is_count_line([column[0].item() for column in columns], len(edges.sources), largest)


def _resembles_matrix(edges: EdgeList) -> bool:
    """Whether the edges are three with a weight each, and all numbers are 0 or 1."""
    columns = [edges.sources, edges.destinations, *edges.attributes.values()]
    return len(columns) == len(edges.sources) == 3 and all(np.isin(column, (0, 1)).all() for column in columns)


def _write_table(graph: Graph, stream: IO[bytes], kind: str) -> None:
    from gdsl.graph.table_files import write_table_file

    write_table_file(stream, kind, graph._edge_list())


def _write_markup(graph: Graph, stream: IO[bytes], kind: Literal["graphml", "gml"]) -> None:
    from gdsl.graph import markup  # here, as it imports XML's tools, and these `urllib.request`

    (markup.write_graphml if kind == "graphml" else markup.write_gml)(stream, graph)


def _quote(name: str, delimiter: str) -> str:
    if delimiter not in name and not _QUOTED.search(name):
        return name
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _as_numbers(column: NDArray[Any]) -> NDArray[Any]:
    """Booleans as 0 and 1: a matrix of booleans has no weights for its readers."""
    return column.astype(np.int8) if column.dtype.kind == "b" else column


def _write_rows(stream: IO[bytes], columns: tuple[NDArray[Any], ...], delimiter: str, prefix: str) -> None:
    """Write each row as text, numbers with the shortest digits that restore them."""
    for start in range(0, len(columns[0]), _ROWS):
        parts = [map(str, column[start : start + _ROWS].tolist()) for column in columns]
        stream.write("".join(f"{prefix}{delimiter.join(row)}\n" for row in zip(*parts, strict=True)).encode())
