"""Graphs from files: which format a file has, by its name and its content, and the reader for it."""

from __future__ import annotations

import difflib
import itertools
import os
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, printable, shown
from gdsl.files import path_name
from gdsl.graph.archives import read_npz
from gdsl.graph.arguments import directions, flag
from gdsl.graph.column_names import Columns, columns_of, refuse_columns
from gdsl.graph.csr import Csr, csr_of, edges_of
from gdsl.graph.dimacs import read_dimacs
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.edge_list_files import read_edge_list
from gdsl.graph.file_bytes import require_file
from gdsl.graph.generators import edges_of_spec, looks_like_generator, refuse_for_generators
from gdsl.graph.gml import read_gml
from gdsl.graph.graphml import read_graphml
from gdsl.graph.group import ALONE, Group
from gdsl.graph.guessed_formats import format_by_content, guessed_format, looks_like_adjacency
from gdsl.graph.lazy_csr import LazyCsr, csr_or_lazy
from gdsl.graph.matrix_market import read_matrix_market
from gdsl.graph.memory import available_memory
from gdsl.graph.messages import no_memory, notice, with_fix
from gdsl.graph.metis import read_metis
from gdsl.graph.no_graph import refuse_no_graph
from gdsl.graph.numbering import NumberedNames
from gdsl.graph.other_files import ARCHIVES, call_for
from gdsl.graph.pajek import read_pajek
from gdsl.graph.transformations import GraphOptions, options_of
from gdsl.graph.vertices import Names, packed, vertex_count
from gdsl.graph_names import BY_NETWORKX, COMPRESSED, SUFFIXES, come_along
from gdsl.records import dataclass


def notice_both_ways(edges: EdgeList, place: str, what: str, first: int = 1) -> None:
    """Report edges of the undirected file at `place` that are listed both as (u, v) and (v, u), and how to merge them.

    `what` is what the notice calls the file. Ids in the notice count from `first`, as in the file.
    """
    both = pairs_both_ways(edges)
    if len(both):
        ends = divmod(int(both[0]), max(edges.num_vertices, 1))
        low, high = (each + first if edges.names is None else printable(str(edges.names[each])) for each in ends)
        notice_pairs(len(both), low, high, place, what)


def pairs_both_ways(edges: EdgeList) -> NDArray[np.int64]:
    """The pairs of ends, `packed`, in ascending order, between which undirected edges are listed in both directions."""
    sources, destinations = edges.sources, edges.destinations
    backward, forward = sources > destinations, sources < destinations
    if edges.directed or not backward.any() or not forward.any():
        return np.zeros(0, np.int64)
    forward_pairs = packed(sources[forward], destinations[forward], edges.num_vertices)
    backward_pairs = packed(destinations[backward], sources[backward], edges.num_vertices)
    return np.intersect1d(forward_pairs, backward_pairs)


def notice_pairs(number: int, low: object, high: object, place: str, what: str) -> None:
    """Report `number` of such pairs, of which (low, high) is the first."""
    count = "1 edge is" if number == 1 else f"{number:,} edges are"
    example = f"({low}, {high}) and ({high}, {low})"
    also = "" if number == 1 else " among them"
    notice(
        f"{place}: {what} has each edge once, and here {count} there in both directions, {example}{also}: "
        "each counts as two parallel edges; --dedup first (dedup='first') makes them one"
    )


_LIKE_A_SPEC = re.compile(r"(?:[A-Za-z_]{2,}:[0-9]\S*|rmat|grid|uniform)")
_GENERATORS = "rmat:16, grid:300 and uniform:1000:5000 generate graphs, where no file has such a name"
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNSPECIFIED = Columns()
_UNDIRECTED_FIX = "--undirected (undirected=True) stores every edge of any graph both ways"
_MOST_FILES = 1000
"""Files of a directory that are compared with a misspelled name."""
_FORMAT_FIX = (
    "--format FORMAT (format='FORMAT') says it, such as --format edges; any other file that NetworkX reads can be "
    "converted by gdsl.Graph.from_networkx(networkx.read_…(path))"
)
_NOT_EDGE_LISTS = (".lgl", ".hgr", ".co")
"""Files of numbers that look like edges: lists by vertex, hypergraphs, coordinates."""
FORMATS = (
    *("mtx", "gr", "npz", "csv", "tsv", "edges", "metis", "parquet", "arrow", "graphml", "gml", "pajek"),
    *BY_NETWORKX,
)
_OTHER_NAMES = {
    **dict.fromkeys(("matrixmarket", "market"), "mtx"),
    **dict.fromkeys(("edgelist", "list", "text"), "edges"),
    **dict.fromkeys(("scipy", "npy", "numpy"), "npz"),
    "feather": "arrow",
    "graphviz": "dot",
    "adjacency": "adjlist",
}
"""What others call some of the formats."""
READ_ONLY = ("metis", "pajek", *BY_NETWORKX)
"""Formats that are read and not written."""
LISTS, TABLE_KINDS, XML_KINDS = ("csv", "tsv", "edges"), ("parquet", "arrow"), ("graphml", "gml")
_ADJACENCY_FORMATS = ("adjlist", "multiline-adjlist")
"""Formats that do not say whether edges have a direction."""
KEEP_NAMES = ("csv", "tsv", "parquet", "arrow", "graphml", "gml")
_EDGES_ONCE = {"mtx": "a `symmetric` Matrix Market file", "gr": "such a DIMACS file"}
"""Formats whose undirected files have each edge once, and their names in notices."""
UNCOMPRESSED = ("npz", "parquet", "arrow")
"""Formats that compress their own data, or are not read sequentially."""


_READERS: dict[str, Callable[[str], EdgeList | Csr]] = {
    "mtx": read_matrix_market,
    "gr": read_dimacs,
    "npz": read_npz,
    "metis": read_metis,
    "graphml": read_graphml,
    "gml": read_gml,
    "pajek": read_pajek,
}
"""The readers of formats that say everything about their graphs."""


def resolve_graph_name(name: str) -> str:
    """The path that `name` means: a file of that name, else the graph that comes with gdsl (``karate``)."""
    if not _BARE_NAME.fullmatch(name) or (os.path.lexists(name) and not os.path.isdir(name)):
        return name
    return come_along().get(name, name)


def _refuse_format(name: str) -> None:
    """Raise E0712 for a generated graph, or one that comes with gdsl, together with a format of files."""
    if looks_like_generator(name) or resolve_graph_name(name) != name:
        message = f"format says how a file is read, and {name} is not a file here"
        raise GdslError.single("E0712", message, fix="leave out --format (format=)", place=name)


def _require_file(name: str) -> None:
    """Raise E0701 unless `name` is a regular file; for a missing file with a suggestion."""
    try:
        require_file(name)
    except GdslError as error:
        [problem] = error.diagnostics
        if problem.fix is not None or os.path.lexists(name):
            raise
        closest = _closest_name(name)
        fix = (
            f"did you mean {closest}?" if closest is not None else _GENERATORS if _LIKE_A_SPEC.fullmatch(name) else None
        )
        if fix is None:
            raise
        raise GdslError([replace(problem, fix=fix)]) from None


def _closest_name(name: str) -> str | None:
    """The file in the same directory, or the graph that comes with gdsl, whose name is most like `name`."""
    folder, word = os.path.split(name)
    try:
        with os.scandir(folder or os.curdir) as entries:
            files = [entry.name for entry in itertools.islice(entries, _MOST_FILES)]
    except (OSError, ValueError):
        return None
    graphs = [file for file in files if file.endswith((*SUFFIXES, *COMPRESSED))]
    close = difflib.get_close_matches(word[:100], graphs, n=1, cutoff=0.7)
    if close:
        return printable(os.path.join(folder, close[0]))
    close = difflib.get_close_matches(os.path.splitext(word)[0][:100], come_along(), n=1, cutoff=0.7)
    return f"{close[0]}, a graph that comes with gdsl" if close else None


def _meant(format_name: str) -> str:
    """The format that another name of one means, or all of them."""
    word = format_name.lower().strip().lstrip(".").replace("_", "").replace("-", "")
    near = SUFFIXES.get(f".{word}") or _OTHER_NAMES.get(word)
    if near is None:
        near = next(iter(difflib.get_close_matches(word[:100], FORMATS, n=1, cutoff=0.7)), None)
    return f"one of {', '.join(FORMATS)}" if near is None else f"did you mean {near}?"


def format_of(path: str, format_name: str | None = None) -> str:
    """The format of the file at `path`: `format_name`, or that of its name. Raises GdslError E0702."""
    if format_name is not None:
        if format_name not in FORMATS:
            raise GdslError.single("E0702", f"unknown format `{printable(format_name)}`", fix=_meant(format_name))
        return format_name
    name = os.path.basename(path).lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    result = SUFFIXES.get(os.path.splitext(name)[1])
    if result is None or (result in UNCOMPRESSED and path.lower().endswith(COMPRESSED)):
        suffixes = ", ".join(SUFFIXES)
        without = ", ".join(suffix for suffix, kind in SUFFIXES.items() if kind in UNCOMPRESSED)
        note = f"known are {suffixes}, all but {without} also followed by {', '.join(COMPRESSED)}"
        suffix = os.path.splitext(name)[1]
        fix = call_for(suffix, path) or _FORMAT_FIX
        if suffix in ARCHIVES:
            fix = f"unpack it first: files with {', '.join(ARCHIVES)} are not read"
        raise GdslError.single("E0702", "the name does not show the graph's format", notes=(note,), fix=fix, place=path)
    return result


@dataclass(frozen=True, slots=True)
class Request:
    """A graph to read: the file `name` in the format `kind`, or the generated graph `name` where `kind` is None; and
    the options of `Graph.read`."""

    name: str
    kind: str | None
    options: GraphOptions
    one_based: bool | None = None
    num_vertices: int | None = None
    columns: Columns = _UNSPECIFIED
    directed: bool | None = None

    @property
    def both_ways(self) -> tuple[str, int] | None:
        """What a notice of edges that are listed both ways calls the file, and the number of its first vertex; None
        where there is no such notice."""
        if self.options.dedup is not None or self.kind is None:
            return None
        if self.kind in _EDGES_ONCE:
            return _EDGES_ONCE[self.kind], 1
        is_list = self.kind in LISTS and self.directed is None
        return ("an undirected edge list", int(self.one_based or 0)) if is_list else None

    def error(self, error: GdslError | MemoryError) -> GdslError:
        """What the caller gets for an error of a reader."""
        name, kind = self.name, self.kind
        if isinstance(error, MemoryError):
            return no_memory("the graph", os.path.getsize(name) * 4, available_memory() or 0, name)
        if kind in LISTS and error.code == "E0705" and error.diagnostics[0].fix is None and looks_like_adjacency(name):
            error = with_fix(error, "--format adjlist (format='adjlist') reads lines of a vertex and its neighbors")
        with_places = (replace(diagnostic, place=diagnostic.place or name) for diagnostic in error.diagnostics)
        return GdslError(with_places, error.source)


def request_of(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that users expect
    one_based: bool | None = None,
    num_vertices: int | None = None,
    directed: bool | None = None,
    undirected: bool = False,
    weights: str | None = None,
    dedup: str | None = None,
    loops: bool = True,
    compact: bool = False,
    reverse_arcs: bool = False,
    source_column: str | None = None,
    target_column: str | None = None,
    weight_column: str | None = None,
) -> Request:
    """The graph that `path` names; `Graph.read` says what the arguments mean. Raises GdslError E07xx, TypeError for
    arguments of a wrong kind."""
    name = path_name(path, "a graph's path is a str or a path-like object")
    if format is not None and not isinstance(format, str):
        raise TypeError(f"format must be a str, not {shown(format)}")
    arcs, _ = directions(directed, undirected, None)
    options = options_of(undirected, weights, dedup, loops, compact, reverse_arcs)
    columns = columns_of(source_column, target_column, weight_column)
    one_based = None if one_based is None else flag("one_based", one_based)
    num_vertices = vertex_count(num_vertices)
    if format is None and looks_like_generator(name) and not os.path.exists(name):
        refuse_for_generators(one_based or arcs is not None, num_vertices)
        refuse_columns("a generated graph", columns, name)
        return Request(name, None, options)
    if format is None:
        name = resolve_graph_name(name)
    elif format_of(name, format) and not os.path.lexists(name):
        _refuse_format(name)
    _require_file(name)
    kind = _kind_of(name, format)
    refuse_no_graph(name, kind)
    if kind == "edges":
        kind = format_by_content(name, format)
    if kind not in (*LISTS, *TABLE_KINDS):
        refuse_columns("this format", columns, name)
    sets_direction = arcs is not None and kind not in _ADJACENCY_FORMATS
    if kind not in (*LISTS, *TABLE_KINDS) and (one_based or num_vertices is not None or sets_direction):
        message = "one_based, num_vertices and directed are for edge lists; this format says all of it itself"
        raise GdslError.single("E0712", message, fix=_UNDIRECTED_FIX if arcs is not None else None, place=name)
    if arcs and options.undirected:
        raise GdslError.single("E0712", "directed and undirected are given together", fix="give one of them")
    return Request(name, kind, options, one_based, num_vertices, columns, arcs)


def read_graph(request: Request) -> Csr | LazyCsr:
    """The graph of a request. Raises GdslError E07xx."""
    if request.kind is None:
        return csr_or_lazy(edges_of_spec(request.name), request.options)
    options = request.options
    try:
        result = _read(request, request.kind)
        if isinstance(result, EdgeList) and request.both_ways is not None:
            what, first = request.both_ways
            notice_both_ways(result, printable(request.name), what, first)
        if isinstance(result, Csr):
            return result if options.changes_nothing else csr_of(options.apply_to_edges(edges_of(result)))
        return csr_or_lazy(result, options)
    except (MemoryError, GdslError) as error:
        raise request.error(error) from None


def require_list(request: Request) -> None:
    """Raise E0702 unless a request is for an edge list or a table."""
    if request.kind not in (*LISTS, *TABLE_KINDS):
        message = "edges to insert or to delete are in an edge list or a table"
        fix = f"gdslc graph convert {printable(request.name)} edges.csv"
        raise GdslError.single("E0702", message, fix=fix, place=request.name)


def read_edges(request: Request) -> EdgeList:
    """The edges of a request for an edge list or a table, in the order of the file. Raises GdslError E07xx."""
    assert request.kind is not None
    try:
        result = _read(request, request.kind)
    except (MemoryError, GdslError) as error:
        raise request.error(error) from None
    assert isinstance(result, EdgeList)
    return result


def _kind_of(path: str, format_name: str | None) -> str:
    """The format of the existing file at `path`. Raises E0702, with the format that its beginning suggests."""
    try:
        return format_of(path, format_name)
    except GdslError as error:
        guess = guessed_format(path) if format_name is None else None
        if guess is None or path.lower().endswith(_NOT_EDGE_LISTS):
            raise
        raise with_fix(error, f"--format {guess} (format='{guess}'), which its beginning suggests") from None


def _read(request: Request, kind: str) -> EdgeList | Csr:
    if kind in _READERS:
        return _READERS[kind](request.name)
    if kind in BY_NETWORKX:
        from gdsl.graph.networkx_files import read_networkx_file

        return read_networkx_file(request.name, kind, bool(request.directed))
    edges, names = read_rows(request, kind, ALONE)
    assert names is None or isinstance(names, Names)
    edges.names = names
    return edges


def read_rows(request: Request, kind: str, group: Group) -> tuple[EdgeList, Names | NumberedNames | None]:
    """The edges in the part of an edge list or a table that a worker of a group reads, and the names of vertices."""
    path, one_based, num_vertices, columns = request.name, request.one_based, request.num_vertices, request.columns
    directed, compact = request.directed, request.options.compact
    if kind in TABLE_KINDS:
        from gdsl.graph.table_files import read_table_file

        return read_table_file(path, kind, columns, bool(one_based), num_vertices, compact, directed, group)
    undirected = request.options.undirected
    return read_edge_list(path, one_based, num_vertices, compact, columns, directed, undirected, group)
