"""Parts of files and of generated graphs, read by the workers of a communicator into the shares of one graph.

The shares describe exactly the graph that `Graph.read` reads: the same ids (of names, too: these are numbered as they
appear in the file, as one process numbers them), the same lists in the same order, the same values and errors. Two
lines are drawn: the lines of a text file may have 64 KiB at most (one process takes some longer ones), and NetworkX's
formats, XML, GML, Pajek and compressed text cannot be read in parts. Those one worker reads and sends to the others.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError, printable, shell_word
from gdsl.graph.archives import DIRECTED_KEY, Matrix, Parts, matrix_of, open_parts
from gdsl.graph.dimacs import read_dimacs
from gdsl.graph.edge_list import EdgeList, edges_from_arrays
from gdsl.graph.file_bytes import is_compressed
from gdsl.graph.generators import edges_of_spec
from gdsl.graph.group import Group, NotInPartsError
from gdsl.graph.matrix_market import read_matrix_market
from gdsl.graph.messages import collecting, notice
from gdsl.graph.metis import SYMMETRIC, read_part_of_metis
from gdsl.graph.numbering import NumberedNames
from gdsl.graph.partitioned.owners import share_of, shares_of_csr
from gdsl.graph.partitioned.transformations import changed, each_once, notice_both_ways, without_repeated
from gdsl.graph.reading import LISTS, TABLE_KINDS, Request, read_graph, read_rows, request_of
from gdsl.graph.shares import GraphShare
from gdsl.graph.sparse_matrices import checked_starts, indices_below
from gdsl.graph.vertices import id_dtype

_CALLED = {
    "graphml": "GraphML files",
    "gml": "GML files",
    "pajek": "Pajek files",
    "dot": "DOT files",
    "gexf": "GEXF files",
    "json": "JSON files",
}
"""The formats that are not read in parts, in notices."""
_COMPRESSED = "compressed files"


def read(path: str | os.PathLike[str], communicator: Communicator, **options: Any) -> GraphShare:
    """The share of this worker of the graph that `path` names; all workers call this with the same arguments.

    `options` are those of `Graph.read`, and so are the names of generated graphs. Every worker needs the file, and
    memory for its part: of the edges, of the vertices and of their names. Boundaries give each worker an equal share of
    the edges. Raises what `Graph.read` raises, the same on all workers, and E0807 where a worker ends.
    """
    group = Group(communicator)
    try:
        with contextlib.nullcontext() if group.rank == 0 else collecting():
            return _read(path, group, options)
    except BaseException as error:
        if not group.has_agreed:  # the others wait for this worker
            communicator.abort(error)
        raise


def _read(path: str | os.PathLike[str], group: Group, options: dict[str, Any]) -> GraphShare:
    with group.agreement():
        request = request_of(path, **options)
    try:
        try:
            return _in_parts(request, group)
        except NotInPartsError as error:
            return _by_one(request, str(error), group)
    except (GdslError, MemoryError) as error:
        if request.kind is None:
            raise
        if isinstance(error, MemoryError) and group.has_agreed:
            raise group.agreed(group.gather(request.error(error))[0]) from None
        raise request.error(error) from None


def _in_parts(request: Request, group: Group) -> GraphShare:
    names: NumberedNames | None = None
    if request.kind is None:
        with group.agreement():
            edges = edges_of_spec(request.name, group)
        edges = without_repeated(group, edges)
    else:
        edges, names = _part_of_file(request, request.kind, group)
    if request.both_ways is not None:
        edges = notice_both_ways(group, edges, names, printable(request.name), *request.both_ways)
    edges, names = changed(group, edges, names, request.options)
    return share_of(group, edges, names)


def _part_of_file(request: Request, kind: str, group: Group) -> tuple[EdgeList, NumberedNames | None]:
    path = request.name
    if kind not in (*LISTS, *TABLE_KINDS, *_READERS):
        raise NotInPartsError(_CALLED.get(kind, f"files in the format {kind}"))
    with group.agreement():
        compressed = is_compressed(path)
    if compressed and kind != "npz":
        raise NotInPartsError(_COMPRESSED)
    if kind in _READERS:
        return _READERS[kind](path, group), None
    edges, names = read_rows(request, kind, group)
    assert names is None or isinstance(names, NumberedNames)
    return edges, names


def _by_one(request: Request, what: str, group: Group) -> GraphShare:
    """The shares of a graph that the first worker reads."""
    fix = f"gdslc graph convert {shell_word(request.name)} NEW.parquet"
    if what == _COMPRESSED:
        fix = "decompress it"
    if group.size > 1:
        text = f"{what} are not read in parts: worker 0 reads all of it, and sends it to the others"
        notice(f"{printable(request.name)}: {text}; to share the memory, {fix} first")
    csr = None
    with group.agreement():
        if group.rank == 0:
            result = read_graph(request)
            csr = result.csr() if hasattr(result, "csr") else result
    return shares_of_csr(group, csr)


def _read_metis(path: str, group: Group) -> EdgeList:
    return each_once(group, read_part_of_metis(path, group), *SYMMETRIC, first=1)


_LAYOUTS = ("csr", "csc", "coo")


def read_part_of_npz(path: str, group: Group) -> EdgeList:
    """The edges of the entries that this worker reads, in the order of ranks; each once, from the lower to the higher
    end, if gdsl saved the matrix of an undirected graph.

    Raises GdslError E07xx; NotInPartsError for other layouts."""
    with group.agreement(), open_parts(path) as parts:
        matrix = matrix_of(parts, group.size)
        if matrix.layout not in _LAYOUTS:
            raise NotInPartsError(f"matrices in the layout {matrix.layout.upper()}")
        if "coords" in matrix.headers and matrix.headers["coords"].order != "C":
            raise NotInPartsError("coordinates in Fortran's order")
        [count] = matrix.headers["data"].shape
        first, last = group.part(count)
        rows, columns = _ends(parts, matrix, count, first, last)
        values = parts.slice("data", first, last)
    ends = []
    for name, indices in (rows, columns):
        with group.agreement():
            ends.append(indices_below(indices, name, matrix.size, first))
    attributes = {} if values.dtype.kind == "b" else {"weight": values}
    edges = edges_from_arrays(ends[0], ends[1], matrix.size, attributes, True, {}, group)
    fix = f"the file says that it is undirected: without its part `{DIRECTED_KEY}` it is directed"
    return edges if matrix.directed else each_once(group, edges, "the matrix", fix)


def _ends(
    parts: Parts, matrix: Matrix, count: int, first: int, last: int
) -> tuple[tuple[str, NDArray[Any]], tuple[str, NDArray[Any]]]:
    """Rows and columns of the entries `first` … `last`-1 of `count`, each with the name of its array."""
    if "coords" in matrix.headers:
        both = (parts.slice("coords", start + first, start + last) for start in (0, count))
        return ("row", next(both)), ("col", next(both))
    if matrix.layout == "coo":
        return ("row", parts.slice("row", first, last)), ("col", parts.slice("col", first, last))
    dtype = id_dtype(matrix.size)
    numbers, before = [np.zeros(0, dtype)], 0
    for starts in checked_starts(parts.pieces("indptr"), count):
        inside = np.clip(starts, first, last)
        lengths = inside[1:] - inside[:-1]
        numbers.append(np.repeat(np.arange(before, before + len(lengths), dtype=dtype), lengths))
        before += len(lengths)
    major = "indptr", np.concatenate(numbers)
    minor = "indices", parts.slice("indices", first, last)
    return (major, minor) if matrix.layout == "csr" else (minor, major)


_READERS: dict[str, Callable[[str, Group], EdgeList]] = {
    "mtx": read_matrix_market,
    "gr": read_dimacs,
    "npz": read_part_of_npz,
    "metis": _read_metis,
}
"""The readers of formats that say everything about their graphs."""
