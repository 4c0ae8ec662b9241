"""Files that are no graphs: one clear message with file and line, never a traceback, a crash or a huge allocation."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tracemalloc
import zipfile

import numpy as np
import pytest
from graph_cases import assert_same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, GraphOptions, rmat, write
from gdsl.graph import text as text_module

BANNER = "%%MatrixMarket matrix coordinate {} {}\n"
GENERAL = BANNER.format("integer", "general")
PATTERN = BANNER.format("pattern", "general")


def refused(tmp_path, name, content, **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GdslError) as caught:
        Graph.read(path, **options)
    error = caught.value
    assert len(error.diagnostics) == 1
    place = error.diagnostics[0].place
    assert place.startswith(str(path))
    assert "Traceback" not in str(error)
    return error.code, place.removeprefix(str(path)), str(error)


@pytest.mark.parametrize(
    ("code", "place", "part", "content"),
    [
        ("E0716", "", "empty", ""),
        ("E0703", ":1", "not a Matrix Market", "hello\n"),
        ("E0703", ":1", "not a Matrix Market", "1 2\n2 3\n"),
        ("E0703", ":1", "first line", "%%MatrixMarket matrix coordinate\n1 1 1\n"),
        ("E0703", ":1", "first line", "%%MatrixMarket vector coordinate real general\n1 1\n"),
        ("E0703", ":1", "layout `list`", "%%MatrixMarket matrix list real general\n"),
        ("E0703", ":1", "values `quaternion`", BANNER.format("quaternion", "general")),
        ("E0703", ":1", "symmetry `odd`", BANNER.format("real", "odd")),
        ("E0704", ":1", "dense", "%%MatrixMarket matrix array real general\n1 1\n1\n"),
        ("E0704", ":1", "complex", BANNER.format("complex", "general") + "1 1 1\n1 1 1 1\n"),
        ("E0704", ":1", "skew-symmetric", BANNER.format("real", "skew-symmetric") + "1 1 0\n"),
        ("E0704", ":1", "hermitian", BANNER.format("real", "hermitian") + "1 1 0\n"),
        ("E0704", ":2", "rectangular", PATTERN + "2 3 1\n1 1\n"),
        ("E0706", ":1", "ends before", PATTERN),
        ("E0706", ":2", "ends before", PATTERN + "% only a comment\n"),
        ("E0703", ":2", "rows columns entries", PATTERN + "2 2\n1 1\n"),
        ("E0703", ":2", "rows columns entries", PATTERN + "2 2 x\n1 1\n"),
        ("E0703", ":2", "rows columns entries", PATTERN + "2 2 1 1\n1 1\n"),
        ("E0703", ":2", "rows columns entries", PATTERN + "2 2 -1\n"),
        ("E0704", ":2", "the matrix is rectangular", PATTERN + "99999999999999999999 1 1\n1 1\n"),
        ("E0709", ":2", "too large", PATTERN + "4000000000 4000000000 1\n1 1\n"),
        ("E0706", ":2", "more than the file", PATTERN + "3 3 100000000000\n1 1\n"),
        ("E0706", ":3", "ends after 1", PATTERN + "3 3 2\n1 1\n"),
        ("E0706", ":4", "goes on", PATTERN + "3 3 1\n1 1\n2 2\n"),
        ("E0705", ":3", "`x` is not a whole", PATTERN + "3 3 1\n1 x\n"),
        ("E0705", ":3", "1 value", PATTERN + "3 3 1\n1\n\n\n\n"),
        ("E0705", ":3", "3 values", PATTERN + "3 3 1\n1 1 1\n"),
        ("E0705", ":4", "`1.5` is not a whole", GENERAL + "3 3 2\n1 1 1\n1 2 1.5\n"),
        ("E0705", ":3", "is too large", GENERAL + "3 3 1\n1 1 99999999999999999999\n"),
        ("E0705", ":3", "`0x1` is not a number", BANNER.format("real", "general") + "3 3 1\n1 1 0x1\n"),
        ("E0707", ":4", "count from 0", PATTERN + "3 3 2\n1 1\n0 1\n"),
        ("E0707", ":6", "1 … 3", PATTERN + "3 3 2\n1 1\n\n\n1 4\n"),
        ("E0707", ":3", "not a vertex", PATTERN + "3 3 1\n-1 1\n"),
        ("E0706", ":3", "no line end", PATTERN + "30 30 1\n1 1"),
        ("E0710", "", "binary", GENERAL + "1 1 1\n1 1 1\0\n"),
        ("E0710", "", "binary", b"\x7fELF\x00\x01" * 99),
    ],
)
def test_matrix_market(tmp_path, code, place, part, content):
    found = refused(tmp_path, "a.mtx", content)
    assert found[:2] == (code, place)
    assert part in found[2]


@pytest.mark.parametrize(
    ("code", "place", "part", "content", "options"),
    [
        ("E0716", "", "empty", "", {}),
        ("E0716", ":3", "no edges", "# nothing\n\n# more\n", {}),
        ("E0705", ":3", "`x`", "# c\n0 1\n1 x\n", {}),
        ("E0705", ":2", "1 value", "0 1\n1 # alone\n", {}),
        ("E0705", ":1", "not an edge", "0\n", {}),
        ("E0705", ":1", "4 values", "0 1 2 3\n", {}),
        ("E0705", ":2", "2 values", "0 1 2\n1 2\n", {}),
        ("E0705", ":3", "`y`", "0 1 2\n1 2 1.5\n2 0 y\n", {}),
        ("E0705", ":1", "`0.5`", "0.5 1\n", {}),
        ("E0707", ":2", "count from 0", "0 1\n1 -2\n", {}),
        ("E0707", ":3", "0-based", "# c\n1 1\n0 2\n", {"one_based": True}),
        ("E0707", ":2", "1-based", "1 1\n2 3\n", {"num_vertices": 3}),
        ("E0707", ":2", "0 … 2", "1 1\n2 7\n", {"num_vertices": 3}),
        ("E0709", ":1", "too large", "0 4000000000000000000\n", {}),
        ("E0705", ":1", "too large", "0 40000000000000000000\n", {}),
        ("E0710", "", "binary", b"0 1\n\0\0", {}),
        ("E0702", "", "unknown format", "0 1\n", {"format": "xml"}),
    ],
)
def test_edge_lists(tmp_path, code, place, part, content, options):
    if code == "E0702":
        with pytest.raises(GdslError, match=code):
            Graph.read(tmp_path / "a.txt", **options)
        return
    found = refused(tmp_path, "a.txt", content, **options)
    assert found[:2] == (code, place)
    assert part in found[2]


@pytest.mark.parametrize(
    ("code", "place", "part", "content"),
    [
        ("E0703", ":1", "p sp", "a 1 2 3\n"),
        ("E0703", ":2", "p sp", "c x\np cnf 1 2\n"),
        ("E0703", ":1", "p sp", "c x\n"),
        ("E0706", ":1", "more than the file", "p sp 3 99999999999\n"),
        ("E0706", ":2", "ends after 1", "p sp 3 2\na 1 2 1234567890\n"),
        ("E0706", ":3", "goes on", "p sp 3 1\na 1 2 3\na 1 2 3\n"),
        ("E0706", ":2", "no line end", "p sp 3 1\na 1 2 3"),
        ("E0705", ":2", "neither", "p sp 3 1\ne 1 2 3\n"),
        ("E0705", ":2", "2 values", "p sp 3 1\na 1 2   \n"),
        ("E0705", ":2", "`x`", "p sp 3 1\na 1 x 3\n"),
        ("E0707", ":3", "count from 0", "p sp 3 2\na 1 2 3\na 0 1 2\n"),
        ("E0707", ":3", "1 … 3", "p sp 3 2\na 1 2 3\na 1 4 2\n"),
        ("E0709", ":1", "too large", "p sp 99999999999 1\na 1 2 3\n"),
    ],
)
def test_dimacs(tmp_path, code, place, part, content):
    found = refused(tmp_path, "a.gr", content)
    assert found[:2] == (code, place)
    assert part in found[2]


def test_names_that_lead_nowhere(tmp_path):
    for name, code in (("none.mtx", "E0701"), ("none", "E0701"), ("", "E0701"), ("a\0b.mtx", "E0701")):
        with pytest.raises(GdslError, match=code):
            Graph.read(str(tmp_path / name) if name else "")
    (tmp_path / "d.mtx").mkdir()
    os.mkfifo(tmp_path / "pipe.mtx")
    for name in ("d.mtx", "pipe.mtx"):
        with pytest.raises(GdslError, match="E0701"):
            Graph.read(tmp_path / name)
    (tmp_path / "a.dat").write_text("0 1\n")
    with pytest.raises(GdslError, match="E0702"):
        Graph.read(tmp_path / "a.dat")
    (tmp_path / "a.mtx").write_text(PATTERN + "1 1 0\n")
    with pytest.raises(GdslError, match="E0712"):
        Graph.read(tmp_path / "a.mtx", one_based=True)
    with pytest.raises(GdslError, match="E0712"):
        Graph.read(tmp_path / "a.mtx", weights="heavy")


@pytest.mark.parametrize(
    ("name", "weights"), [("a.mtx", None), ("a.mtx", "random:1"), ("a.gr", "random:1"), ("a.npz", "random:1")]
)
def test_cut_off_anywhere(tmp_path, name, weights):
    """A file that is cut off gives its graph or an error: never another graph."""
    graph = GraphOptions(weights=weights).apply(rmat(3, 2))
    path = tmp_path / name
    write(graph, path)
    whole = Graph.read(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        try:
            assert_same(Graph.read(path), whole)
        except GdslError as error:
            assert error.code in ("E0703", "E0704", "E0705", "E0706", "E0710", "E0716"), error


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_cut_off_compressed(tmp_path, compress):
    path = tmp_path / "a.mtx.z"
    content = compress(f"{PATTERN}9 9 2\n1 2\n3 4\n".encode())
    for length in range(1, len(content), 3):
        path.write_bytes(content[:length])
        with pytest.raises(GdslError):
            Graph.read(path, format="mtx")


JUNK = (b"junk\n", b"0 1\n", b"\x00junk", b"BZ", b"\x1f", b"\xfd7zXZ", b"x" * 300_000)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_something_behind_compressed_data(tmp_path, compress):
    """Refused, and not passed over; what follows may be compressed, as `cat a.gz b.gz` makes it."""
    path = tmp_path / "a.txt.z"
    content = compress(b"0 1\n1 2\n")
    for junk in (*JUNK, content[:-1], content + b"!", content[:1]):
        path.write_bytes(content + junk)
        with pytest.raises(GdslError, match=r"followed by|damaged or cut off"):
            Graph.read(path, format="edges")
    path.write_bytes(content + b"not compressed")
    with pytest.raises(GdslError, match="the compressed data is followed by something else"):
        Graph.read(path, format="edges")
    path.write_bytes(content + compress(b"2 3\n") + compress(b""))
    assert Graph.read(path, format="edges").num_edges == 3


def test_xz_may_be_filled_up(tmp_path):
    path = tmp_path / "a.txt.xz"
    for behind in (bytes(4), bytes(400_000), bytes(8) + lzma.compress(b"2 3\n") + bytes(4)):
        path.write_bytes(lzma.compress(b"0 1\n1 2\n") + behind)
        assert Graph.read(path).num_edges == (2 if not behind.strip(b"\0") else 3)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_long_compressed_text(tmp_path, compress):
    """More than is read at a time, and in several streams."""
    rows = [f"{v} {v + 1}\n" for v in range(120_000)]
    path = tmp_path / "a.txt.z"
    path.write_bytes(b"".join(compress("".join(rows[i : i + 50_000]).encode()) for i in range(0, 120_000, 50_000)))
    assert Graph.read(path, format="edges").num_edges == 120_000


ORIGINALS = {
    "a.mtx": f"{GENERAL}% c\n4 4 3\n1 2 5\n3 4 -6\n2 2 7\n".encode(),
    "a.gr": b"c x\np sp 4 2\na 1 2 5\na 4 3 6\n",
    "a.csv": b"s,t,w\n0,1,2\n3,1,0.5\n",
    "a.txt": b"# c\n0 1 2\n3 1 5\n",
    "a.txt.gz": gzip.compress(b"0 1\n2 3\n", mtime=0),
    "a.mtx.xz": lzma.compress(f"{PATTERN}9 9 2\n1 2\n3 4\n".encode()),
}


def npz_bytes():
    target = io.BytesIO()
    sparse.save_npz(target, sparse.csr_array(np.array([[0, 1.5], [2, 0]])))
    return target.getvalue()


ORIGINALS["a.npz"] = npz_bytes()


@pytest.mark.parametrize("name", ORIGINALS)
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@pytest.mark.sampled(9)
def test_damaged_bytes(tmp_path, name, data):
    content = bytearray(ORIGINALS[name])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        byte = data.draw(st.one_of(st.integers(0, 255), st.sampled_from(b"0129 \n-.,eE%#x")))
        content[place : place + data.draw(st.integers(0, 1))] = bytes([byte])
    path = tmp_path / name
    path.write_bytes(bytes(content))
    try:
        Graph.read(path)
    except GdslError as error:
        assert error.code.startswith("E07")


def test_headers_that_lie_allocate_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 10**9)
    # The entries fit in no file of this size; the vertices would need 8 GB for their offsets alone.
    files = {
        "a.mtx": PATTERN + "1000 1000 50000000000\n1 1\n",
        "b.mtx": PATTERN + "1000000000 1000000000 1\n1 1\n",
        "c.gr": "p sp 1000000000 1\na 1 1 1\n",
        "d.txt": "0 1000000000\n",
        "e.mtx.gz": gzip.compress(f"{PATTERN}1000 1000 50000000000\n1 1\n".encode()),
        "f.npz": lying_npz(),
    }
    for name, content in files.items():
        tracemalloc.start()
        code, _, _ = refused(tmp_path, name, content)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert code in ("E0706", "E0708"), name
        assert peak < 30e6, name


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("a.mtx", PATTERN + f"{'9' * 20} {'9' * 20} 1\n1 1\n", "E0709", "the graph is too large"),
        ("a.mtx", PATTERN + f"3 3 {'9' * 20}\n1 1\n", "E0706", "more than the file can hold"),
        ("a.gr", f"p sp {'9' * 20} 1\na 1 2 5\n", "E0709", "the graph is too large"),
        ("a.gr", f"p sp 3 {'9' * 20}\na 1 2 5\n", "E0706", "more than the file can hold"),
        ("a.graph", f"{'9' * 20} 1\n2\n1\n", "E0709", "the graph is too large"),
        ("a.graph", f"2 {'9' * 20}\n2\n1\n", "E0706", "more than the file can hold"),
    ],
)
def test_counts_of_twenty_digits_are_counts(tmp_path, name, content, code, said):
    found, _, text = refused(tmp_path, name, content)
    assert found == code and said in text


def test_no_fix_names_a_count_that_no_graph_has(tmp_path):
    _, _, text = refused(tmp_path, "a.txt", f"{'9' * 20} {'9' * 20} 3\n1 2\n2 3\n3 1\n")
    assert "--num-vertices" not in text


def lying_npz():
    """An archive whose array `data` says it has 10**12 elements."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(npz_bytes())) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, header.getvalue() if name == "data.npy" else old.read(name))
    return target.getvalue()


def test_bombs_stop_early(tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "MOST_BLANK_LINES", 1000)
    blanks = gzip.compress(b"\n" * 5_000_000)
    assert refused(tmp_path, "a.txt.gz", blanks)[0] == "E0710"
    assert refused(tmp_path, "a.txt.xz", lzma.compress(b"1" * 3_000_000))[0] == "E0710"
    assert refused(tmp_path, "a.txt.bz2", bz2.compress(b"\0" * 3_000_000))[0] == "E0710"
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 10**7)
    assert refused(tmp_path, "b.txt.gz", gzip.compress(b"1 2\n" * 1_000_000))[0] == "E0708"


@pytest.mark.parametrize(
    "arrays",
    [
        {"format": b"csr"},
        {"format": b"csr", "shape": [2, 2], "data": [1.0], "indices": [5], "indptr": [0, 1, 1]},
        {"format": b"csr", "shape": [2, 2], "data": [1.0], "indices": [-1], "indptr": [0, 1, 1]},
        {"format": b"csr", "shape": [2, 2], "data": [1.0], "indices": [1], "indptr": [0, 7, 1]},
        {"format": b"coo", "shape": [2, 2], "data": [1.0], "row": [0], "col": [9]},
        {"format": b"coo", "shape": [2, 3], "data": [1.0], "row": [0], "col": [1]},
        {"format": b"coo", "shape": [2, 2], "data": [1j], "row": [0], "col": [1]},
        {"format": b"odd", "shape": [2, 2]},
        {"vertices": [1, 2]},
    ],
)
def test_npz_of_something_else(tmp_path, arrays):
    target = io.BytesIO()
    np.savez(target, **{name: np.array(value) for name, value in arrays.items()})
    assert refused(tmp_path, "a.npz", target.getvalue())[0] in ("E0704", "E0707", "E0710", "E0711")


def test_npz_with_objects_is_not_unpickled(tmp_path):
    target = io.BytesIO()
    np.savez(target, allow_pickle=True, data=np.array([{}], dtype=object), format=np.array(b"csr"))
    assert refused(tmp_path, "a.npz", target.getvalue())[0] == "E0710"
