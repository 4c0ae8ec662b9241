"""Files that other libraries and tools read: by the suffixes of their names and by how they begin, with the call or the
command that makes a graph of them."""

from __future__ import annotations

import re

from gdsl.graph.messages import filtered, in_shell

ARCHIVES = (".zst", ".zip", ".7z", ".lz4", ".tar", ".tgz", ".z")
"""Suffixes of archives and compressions that are not supported."""
_NUMPY = (
    "gdsl.Graph.from_edges(*numpy.load({file}).T) for an array of pairs, "
    "gdsl.Graph.from_scipy(scipy.sparse.csr_array(numpy.load({file}))) for a matrix"
)
_MATLAB = "gdsl.Graph.from_scipy(scipy.io.loadmat({file})['A']), with the name of the matrix in place of A"
_EXCEL = "gdsl.Graph.from_table(pandas.read_excel({file}))"
_HDF = "gdsl.Graph.from_table(pandas.read_hdf({file}))"
_PICKLE = "gdsl.Graph.from_networkx(pickle.load(open({file}, 'rb'))) for a graph of NetworkX, if you trust the file"
_SQL = "gdsl.Graph.from_table(pandas.read_sql('SELECT * FROM edges', sqlite3.connect({file}))), with the table's name"
_CALLS = {
    ".lgl": "gdsl.Graph.from_igraph(igraph.Graph.Read_Lgl({file}, directed=False))",
    ".ncol": "gdsl.Graph.from_igraph(igraph.Graph.Read_Ncol({file}, directed=False))",
    ".dl": "gdsl.Graph.from_igraph(igraph.Graph.Read_DL({file}))",
    ".npy": _NUMPY,
    ".mat": _MATLAB,
    ".orc": "gdsl.Graph.from_table(pandas.read_orc({file}))",
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _EXCEL),
    **dict.fromkeys((".h5", ".hdf5"), _HDF),
    **dict.fromkeys((".pkl", ".pickle", ".gpickle"), _PICKLE),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), _SQL),
}
_BEGINNINGS = tuple(
    (re.compile(pattern, re.DOTALL), what, call)
    for pattern, what, call in (
        (rb"\x93NUMPY", "an array of NumPy", _NUMPY),
        (rb"MATLAB [57]\.", "a file of MATLAB", _MATLAB),
        (rb"\x89HDF\r\n", "an HDF5 file", _HDF),
        (rb"SQLite format 3\0", "an SQLite database", _SQL),
        (rb"\x80[\x02-\x05][\x95}\]c(]", "a pickle of Python", _PICKLE),
    )
)
_COMPRESSIONS = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_7ZIP = b"7z\xbc\xaf\x27\x1c"


def call_for(suffix: str, path: str) -> str | None:
    """The call that reads files with this suffix; None where none is known."""
    call = _CALLS.get(suffix)
    return None if call is None else f"it is read by {call.format(file=repr(path))}"


def meaning_of(start: bytes, path: str) -> tuple[str, str] | None:
    """What the file is that begins with `start`, and what to do with it; None where that is unknown."""
    for pattern, what, call in _BEGINNINGS:
        if pattern.match(start):
            return f"this is {what}", f"it is read by {call.format(file=repr(path))}"
    for magic, program in _COMPRESSIONS.items():
        if start.startswith(magic):
            return f"this file is compressed by {program}", f"unpack it first: {filtered(path, f'{program} -dc')}"
    if start.startswith(_7ZIP):
        return "this is an archive of files", f"unpack it first: 7z x {in_shell(path)}"
    return None
