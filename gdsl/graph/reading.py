"""Graphs from files of any known format."""

from __future__ import annotations

import difflib
import itertools
import os
import re
from dataclasses import replace

from gdsl.diagnostics import GdslError, printable
from gdsl.graph.both_ways import notice_both_ways
from gdsl.graph.content_format import format_by_content, guessed_format, looks_like_adjacency
from gdsl.graph.csr import Csr, csr_of, edges_of
from gdsl.graph.dimacs import read_dimacs
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.edge_list_files import read_edge_list
from gdsl.graph.errors import no_memory, with_fix
from gdsl.graph.generators import generated_edges, looks_like_generator, refuse_for_generators
from gdsl.graph.gml import read_gml
from gdsl.graph.graphml import read_graphml
from gdsl.graph.matrix_market import read_matrix_market
from gdsl.graph.memory import available_memory
from gdsl.graph.metis import read_metis
from gdsl.graph.pajek import read_pajek
from gdsl.graph.postponed import Postponed, in_order
from gdsl.graph.sparse_matrices import read_npz
from gdsl.graph.text import require_file
from gdsl.graph.transformations import GraphOptions
from gdsl.graph.wanted import Columns, refuse_columns
from gdsl.graph_names import BY_NETWORKX, COMPRESSED, SUFFIXES, come_along

_LIKE_A_SPEC = re.compile(r"(?:[A-Za-z_]{2,}:[0-9]\S*|rmat|grid|uniform)")
_GENERATORS = "graphs are made by rmat:16, grid:300 or uniform:1000:5000, where no file has such a name"
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AS_FOUND = Columns()
_INSTEAD = "--undirected (undirected=True) stores every edge of any graph both ways"
_MOST_FILES = 1000
"""Files of a directory that are looked at for a similar name."""
_OTHERS = (".zst", ".zip", ".7z", ".lz4", ".tar", ".tgz", ".z")
"""What is packed in ways that are not read here."""
_SAY_THE_FORMAT = (
    "--format FORMAT (format='FORMAT') says it, such as --format edges; any other file that NetworkX reads comes in by "
    "gdsl.Graph.from_networkx(networkx.read_…(path))"
)
_NO_EDGES = (".lgl", ".hgr", ".co")
"""Files of numbers that look like edges: lists by vertex, hypergraphs, coordinates."""
_BY_IGRAPH = "igraph reads it: gdsl.Graph.from_igraph(igraph.Graph.Read_Lgl(path, directed=False))"
FORMATS = (
    *("mtx", "gr", "npz", "csv", "tsv", "edges", "metis", "parquet", "arrow", "graphml", "gml", "pajek"),
    *BY_NETWORKX,
)
READ_ONLY = ("metis", "pajek", *BY_NETWORKX)
"""Formats that are read and not written."""
_LISTS, TABLE_KINDS, XML_KINDS = ("csv", "tsv", "edges"), ("parquet", "arrow"), ("graphml", "gml")
_OF_NEIGHBORS = ("adjlist", "multiline-adjlist")
"""Formats that do not say whether edges have a direction."""
KEEP_NAMES = ("csv", "tsv", "parquet", "arrow", "graphml", "gml")
_ONCE = {"mtx": "a `symmetric` Matrix Market file", "gr": "such a DIMACS file"}
"""Formats whose undirected files have each edge once, and what notices call them."""
UNCOMPRESSED = ("npz", "parquet", "arrow")
"""Formats that are compressed themselves, or read in no order."""


def meant_by(name: str) -> str:
    """The path that `name` means: a file of that name, else the graph that comes with gdsl (``karate``)."""
    if not _BARE.fullmatch(name) or (os.path.lexists(name) and not os.path.isdir(name)):
        return name
    return come_along().get(name, name)


def _refuse_format(name: str) -> None:
    """Raise E0712 for a graph that is made, or comes with gdsl, where its name would be that of a file."""
    if looks_like_generator(name) or meant_by(name) != name:
        message = f"format says how a file is read, and {name} is no file here"
        raise GdslError.single("E0712", message, fix="leave out --format (format=)", place=name)


def _require_file(name: str) -> None:
    """Raise E0701 for what is no regular file; of one that there is not, with what was probably meant."""
    try:
        require_file(name)
    except GdslError as error:
        [problem] = error.diagnostics
        if problem.fix is not None or os.path.lexists(name):
            raise
        near = _near(name)
        fix = f"did you mean {near}?" if near is not None else _GENERATORS if _LIKE_A_SPEC.fullmatch(name) else None
        if fix is None:
            raise
        raise GdslError([replace(problem, fix=fix)]) from None


def _near(name: str) -> str | None:
    """The file beside, or the graph that comes with gdsl, whose name is most like `name`."""
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


def format_of(path: str, wanted: str | None = None) -> str:
    """The format of the file at `path`: `wanted`, or what its name says. Raises GdslError E0702."""
    if wanted is not None:
        if wanted not in FORMATS:
            raise GdslError.single("E0702", f"unknown format `{wanted}`", fix=f"one of {', '.join(FORMATS)}")
        return wanted
    name = os.path.basename(path).lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    found = SUFFIXES.get(os.path.splitext(name)[1])
    if found is None or (found in UNCOMPRESSED and path.lower().endswith(COMPRESSED)):
        known = ", ".join(SUFFIXES)
        without = ", ".join(suffix for suffix, kind in SUFFIXES.items() if kind in UNCOMPRESSED)
        note = f"known are {known}, all but {without} also with {', '.join(COMPRESSED)} behind them"
        suffix = os.path.splitext(name)[1]
        packed = suffix in _OTHERS
        fix = f"unpack it first: files with {', '.join(_OTHERS)} are not read" if packed else _SAY_THE_FORMAT
        if suffix == ".lgl":
            fix = _BY_IGRAPH
        raise GdslError.single("E0702", "the name does not say the graph's format", notes=(note,), fix=fix, place=path)
    return found


def read_graph(
    path: str | os.PathLike[str],
    options: GraphOptions,
    wanted: str | None = None,
    one_based: bool | None = None,
    num_vertices: int | None = None,
    columns: Columns = _AS_FOUND,
    directed: bool | None = None,
) -> Csr | Postponed:
    """The graph that `path` names; `Graph.read` says what the arguments mean."""
    name = os.fspath(path)
    if wanted is None and looks_like_generator(name) and not os.path.exists(name):
        refuse_for_generators(one_based or directed is not None, num_vertices)
        refuse_columns("a generated graph", columns, name)
        return in_order(generated_edges(name), options)
    if wanted is None:
        name = meant_by(name)
    elif format_of(name, wanted) and not os.path.lexists(name):
        _refuse_format(name)
    _require_file(name)
    kind = _kind_of(name, wanted)
    if kind == "edges":
        kind = format_by_content(name, wanted)
    if kind not in (*_LISTS, *TABLE_KINDS):
        refuse_columns("this format", columns, name)
    says_it = directed is not None and kind not in _OF_NEIGHBORS
    if kind not in (*_LISTS, *TABLE_KINDS) and (one_based or num_vertices is not None or says_it):
        message = "one_based, num_vertices and directed are for edge lists; this format says all of it itself"
        raise GdslError.single("E0712", message, fix=_INSTEAD if directed is not None else None, place=name)
    if directed and options.undirected:
        raise GdslError.single("E0712", "directed and undirected are given together", fix="give one of them")
    try:
        found = _read(name, kind, one_based, num_vertices, options.compact, columns, directed)
        if isinstance(found, EdgeList) and kind in _ONCE and options.dedup is None:
            notice_both_ways(found, printable(name), _ONCE[kind])
        elif isinstance(found, EdgeList) and kind in _LISTS and options.dedup is None and directed is None:
            notice_both_ways(found, printable(name), "an undirected edge list", int(one_based or 0))
        if isinstance(found, Csr):
            return found if options.changes_nothing else csr_of(options.apply_to_edges(edges_of(found)))
        return in_order(found, options)
    except MemoryError:
        raise no_memory("the graph", os.path.getsize(name) * 4, available_memory() or 0, name) from None
    except GdslError as error:
        if kind in _LISTS and error.code == "E0705" and error.diagnostics[0].fix is None and looks_like_adjacency(name):
            error = with_fix(error, "--format adjlist (format='adjlist') reads lines of a vertex and its neighbors")
        placed = (replace(diagnostic, place=diagnostic.place or name) for diagnostic in error.diagnostics)
        raise GdslError(placed, error.source) from None


def _kind_of(path: str, wanted: str | None) -> str:
    """The format of the file at `path`, which there is. Raises E0702, with the format that its beginning suggests."""
    try:
        return format_of(path, wanted)
    except GdslError as error:
        guess = guessed_format(path) if wanted is None else None
        if guess is None or path.lower().endswith(_NO_EDGES):
            raise
        raise with_fix(error, f"--format {guess} (format='{guess}'), which its beginning suggests") from None


def _read(
    path: str,
    kind: str,
    one_based: bool | None,
    num_vertices: int | None,
    compact: bool,
    columns: Columns,
    directed: bool | None,
) -> EdgeList | Csr:
    if kind == "mtx":
        return read_matrix_market(path)
    if kind == "gr":
        return read_dimacs(path)
    if kind == "npz":
        return read_npz(path)
    if kind == "metis":
        return read_metis(path)
    if kind in TABLE_KINDS:
        from gdsl.graph.table_files import read_table_file

        return read_table_file(path, kind, columns, bool(one_based), num_vertices, compact, directed)
    if kind == "graphml":
        return read_graphml(path)
    if kind == "gml":
        return read_gml(path)
    if kind == "pajek":
        return read_pajek(path)
    if kind in BY_NETWORKX:
        from gdsl.graph.networkx_files import read_networkx_file

        return read_networkx_file(path, kind, bool(directed))
    return read_edge_list(path, one_based, num_vertices, compact, columns, directed)
