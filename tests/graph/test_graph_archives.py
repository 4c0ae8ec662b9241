"""`.npz` archives that hold anything: the right graph, or one message with the file and the entry."""

from __future__ import annotations

import io
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
from graph_cases import assert_same, stored
from scipy import sparse

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, describe, rmat, write

MATRIX = sparse.coo_array(([1.5, -2.0, 3.0, 4.0], ([0, 1, 1, 3], [1, 0, 3, 3])), shape=(4, 4))


def saved(path, arrays):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.savez_compressed(path, **{name: np.array(value) for name, value in arrays.items()})
    return path


def refused(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GdslError) as caught:
            Graph.read(path, **options)
    assert len(caught.value.diagnostics) == 1
    assert caught.value.diagnostics[0].place == str(path)
    return caught.value.code, str(caught.value)


def arrays_of(layout, **changes):
    matrix = MATRIX.tobsr((2, 2)) if layout == "bsr" else MATRIX.asformat(layout)
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(layout, ("indices", "indptr"))
    arrays = {name: getattr(matrix, name) for name in ("data", *names)}
    arrays.update(format=layout.encode(), shape=matrix.shape)
    arrays.update(changes)
    return {name: value for name, value in arrays.items() if value is not None}


@pytest.mark.parametrize("layout", ["coo", "csr", "csc", "bsr", "dia"])
def test_every_layout_is_the_same_graph(layout, tmp_path):
    expected = Graph.from_scipy(MATRIX)
    assert_same(expected, Graph.read(saved(tmp_path / "a.npz", arrays_of(layout))))
    matrix = MATRIX.tobsr((2, 1)) if layout == "bsr" else MATRIX.asformat(layout)
    assert_same(expected, Graph.from_scipy(matrix))
    sparse.save_npz(tmp_path / "b.npz", matrix, compressed=False)
    assert_same(expected, Graph.read(tmp_path / "b.npz"))
    empty = sparse.coo_array((3, 3), dtype=np.int8).asformat(layout)
    assert describe(Graph.from_scipy(empty)).edges == 0


DAMAGES = [
    # CSR of MATRIX: indptr 0 1 3 3 4, indices 1 0 3 3
    ("csr", {"indices": [1, 0, 4, 3]}, "E0707", "indices[2] is 4, but there are 4 vertices"),
    ("csr", {"indices": [1, 0, -1, 3]}, "E0707", "indices[2] is -1"),
    ("csr", {"indices": [1.0, 0.5, 3.0, 3.0]}, "E0711", "indices has the type float64"),
    ("csr", {"indices": [[1, 0, 3, 3]]}, "E0711", "indices has 2 dimensions"),
    ("csr", {"indices": np.array([1, 0, 3, 2**63], dtype=np.uint64)}, "E0711", "9223372036854775808"),
    ("csr", {"indices": ["1", "0", "3", "3"]}, "E0711", "indices has the type"),
    ("csr", {"indices": [1, 0, 3]}, "E0711", "data has 4 elements, indices 3"),
    ("csr", {"indices": [1, 0, 3, 3, 3]}, "E0711", "data has 4 elements, indices 5"),
    ("csr", {"indptr": [0, 3, 1, 3, 4]}, "E0711", "indptr[2] is 1, less than the 3 before it"),
    ("csr", {"indptr": [1, 1, 3, 3, 4]}, "E0711", "indptr[0] is 1"),
    ("csr", {"indptr": [-1, 1, 3, 3, 4]}, "E0711", "indptr[0] is -1"),
    ("csr", {"indptr": [0, 1, 3, 3, 5]}, "E0711", "indptr ends with 5"),
    ("csr", {"indptr": [0, 1, 3, 4]}, "E0711", "indptr has 4 elements"),
    ("csr", {"indptr": []}, "E0711", "indptr has 0 elements"),
    ("csr", {"indptr": [0.0, 1.0, 3.0, 3.5, 4.0]}, "E0711", "indptr has the type float64"),
    ("csr", {"indptr": [0, 1, 3, 3, 2**62]}, "E0711", "indptr ends with"),
    ("csr", {"data": [1.0, 2.0, 3.0]}, "E0711", "data has 3 elements"),
    ("csr", {"data": [[1.0, 2.0, 3.0, 4.0]]}, "E0711", "data has the shape (1, 4)"),
    ("csr", {"data": [1j, 2j, 3j, 4j]}, "E0704", "complex"),
    ("csr", {"data": ["a", "b", "c", "d"]}, "E0711", "data has the type"),
    ("csr", {"data": np.zeros(4, dtype="M8[s]")}, "E0711", "data has the type"),
    ("csr", {"data": np.zeros(4, dtype="i4, i4")}, "E0711", "data has the type records"),
    ("csr", {"indices": np.zeros(4, dtype="i4, i4")}, "E0711", "indices has the type records"),
    ("csr", {"data": None}, "E0710", "no part `data`"),
    ("csr", {"indptr": None}, "E0710", "no part `indptr`"),
    ("csr", {"shape": None}, "E0710", "no part `shape`"),
    ("csr", {"shape": (4, 5)}, "E0704", "4 × 5"),
    ("csr", {"shape": (4,)}, "E0704", "shape"),
    ("csr", {"shape": (4, 4, 4)}, "E0704", "shape"),
    ("csr", {"shape": (-4, -4)}, "E0704", "shape"),
    ("csr", {"shape": (4.0, 4.0)}, "E0704", "shape"),
    ("csr", {"shape": (10**15, 10**15)}, "E0709", "too large"),
    ("csr", {"shape": (10**9, 10**9)}, "E0711", "indptr has 5 elements"),
    ("csr", {"format": b"xyz"}, "E0710", "layout `xyz`"),
    ("csr", {"format": [b"csr", b"csr"]}, "E0710", "`format`"),
    ("csr", {"format": 3}, "E0710", "`format`"),
    ("csr", {"gdsl_directed": "no"}, "E0710", "`gdsl_directed`"),
    ("csr", {"gdsl_directed": [False, True]}, "E0710", "`gdsl_directed`"),
    ("csc", {"indices": [1, 0, 7, 3]}, "E0707", "indices[2] is 7"),
    ("csc", {"indptr": [0, 2, 1, 3, 4]}, "E0711", "indptr[2] is 1"),
    ("coo", {"row": [0, 1, 1, 4]}, "E0707", "row[3] is 4"),
    ("coo", {"col": [0, 1, -3, 1]}, "E0707", "col[2] is -3"),
    ("coo", {"col": [0, 1, 1]}, "E0711", "row has 4 elements"),
    ("coo", {"row": [0.5, 1, 1, 3]}, "E0711", "row has the type float64"),
    ("coo", {"data": [1.0]}, "E0711", "data has 1 elements"),
    ("coo", {"row": [[0, 1, 1, 3]]}, "E0711", "row has 2 dimensions"),
    ("coo", {"row": None, "coords": [[0], [1], [2]]}, "E0704", "coords"),
    # BSR of MATRIX: two block rows of 2 × 2 blocks
    ("bsr", {"indices": [0, 1, 2]}, "E0707", "indices[2] is 2"),
    ("bsr", {"indices": [0, -1, 1]}, "E0707", "indices[1] is -1"),
    ("bsr", {"indices": [0, 1]}, "E0711", "data has 3 blocks"),
    ("bsr", {"indptr": [0, 5, 3]}, "E0711", "indptr[2] is 3"),
    ("bsr", {"indptr": [0, 1, 2, 2, 3]}, "E0711", "indptr has 5 elements"),
    ("bsr", {"data": np.ones((3, 3, 3))}, "E0711", "do not tile"),
    ("bsr", {"data": np.ones((3, 0, 2))}, "E0711", "shape (3, 0, 2)"),
    ("bsr", {"data": np.ones(3)}, "E0711", "shape (3,)"),
    ("dia", {"offsets": [0, 0, 1, 2]}, "E0711", "twice"),
    ("dia", {"offsets": [0.5, 1, 2]}, "E0711", "offsets has the type"),
    ("dia", {"offsets": [0]}, "E0711", "offsets 1 elements"),
    ("dia", {"data": np.ones(4)}, "E0711", "shape (4,)"),
]  # fmt: skip


@pytest.mark.parametrize(("layout", "changes", "code", "part"), DAMAGES)
def test_damaged_matrices(layout, changes, code, part, tmp_path):
    found, text = refused(saved(tmp_path / "a.npz", arrays_of(layout, **changes)))
    assert (found, part in text) == (code, True), text


def test_matrices_in_memory_are_checked_as_well():
    matrix = MATRIX.tobsr((2, 2))
    matrix.indices[-1] = 9
    with pytest.raises(GdslError, match=r"indices\[2\] is 9"):
        Graph.from_scipy(matrix)
    matrix = MATRIX.tocsr()
    matrix.indptr[1] = 1000
    with pytest.raises(GdslError, match="indptr"):
        Graph.from_scipy(matrix)


def test_what_is_unusual_and_right(tmp_path):
    def weights(**changes):
        return Graph.read(saved(tmp_path / "a.npz", arrays_of("coo", **changes))).attributes["weight"]

    # Outside of the matrix DIA data is no entry; parallel entries, stored zeros, NaN and other byte orders are kept.
    far = {"offsets": [-(2**40), 1, 2**40], "data": np.ones((3, 9))}
    assert Graph.read(saved(tmp_path / "a.npz", arrays_of("dia", **far))).num_edges == 3
    assert weights(row=[1, 1, 1, 3], col=[0, 0, 0, 3], data=[0.0, 0.0, 2.0, 1.0]).tolist() == [0, 0, 2, 1]
    assert np.isnan(weights(data=[np.nan, 1.0, 2.0, 3.0])[0])
    assert weights(data=np.array([1, 2, 3, 4], dtype=">i8")).dtype == np.dtype(np.int64)
    assert weights(data=np.array([1, 2, 3, 4], dtype=np.float16)).dtype == np.dtype(np.float32)
    assert weights(row=np.array([0, 1, 1, 3], dtype=">u2"), format="coo").tolist() == [1.5, -2, 3, 4]
    coords = saved(tmp_path / "b.npz", arrays_of("coo", row=None, col=None, coords=[MATRIX.row, MATRIX.col]))
    assert_same(Graph.from_scipy(MATRIX), Graph.read(coords))


ONE_SIDED = [
    ([0, 1], [1, 2], [1.0, 1.0]),
    ([0, 1, 1], [1, 0, 2], [1.0, 1.0, 1.0]),
    ([1, 0], [0, 1], [1.0, 2.0]),
    ([1, 1, 0], [0, 0, 1], [1.0, 1.0, 1.0]),
    ([2], [0], [True]),
]


@pytest.mark.parametrize(("rows", "columns", "values"), ONE_SIDED)
def test_a_one_sided_matrix_is_never_called_undirected(rows, columns, values, tmp_path):
    arrays = {"row": rows, "col": columns, "data": values, "shape": (3, 3), "format": b"coo"}
    code, text = refused(saved(tmp_path / "a.npz", {**arrays, "gdsl_directed": False}))
    assert code == "E0704"
    assert "not symmetric" in text
    graph = Graph.read(saved(tmp_path / "b.npz", arrays))
    assert graph.directed
    assert graph.num_edges == len(rows)
    # That is asked for: every edge both ways.
    assert Graph.read(tmp_path / "b.npz", undirected=True).is_symmetric()


def test_undirected_graphs_keep_their_parallel_edges(tmp_path):
    graph = Graph.from_edges([0, 1, 1, 2, 0], [1, 0, 1, 2, 1], 4, [1, np.nan, 3, 4, 0.5], directed=False)
    write(graph, tmp_path / "a.npz")
    again = Graph.read(tmp_path / "a.npz")
    assert_same(graph, again)
    assert_same(Graph.read(tmp_path / "a.npz", undirected=True), again)
    write(Graph.from_edges([0, 1], [1, 0], 2, [True, False]), tmp_path / "b.npz")
    assert stored(Graph.read(tmp_path / "b.npz")) == [(0, 1, 1), (1, 0, 0)]


class _Trap:
    def __reduce__(self):
        return (pytest.fail, ("the archive was unpickled",))


@pytest.mark.parametrize("name", ["data", "indices", "indptr", "format", "shape", "gdsl_directed"])
def test_objects_are_never_unpickled(name, tmp_path):
    trap = np.empty(1, dtype=object)
    trap[0] = _Trap()
    assert refused(saved(tmp_path / "a.npz", arrays_of("csr", **{name: trap})))[0] == "E0710"


def members(layout="csr"):
    target = io.BytesIO()
    np.savez(target, **{name: np.array(value) for name, value in arrays_of(layout).items()})
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(path, parts, method=zipfile.ZIP_DEFLATED):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", method) as archive:
        warnings.simplefilter("ignore")
        for name, content in parts:
            archive.writestr(name, content)
    return path


def header(shape, descr="<f8"):
    target = io.BytesIO()
    np.lib.format.write_array_header_1_0(target, {"descr": descr, "fortran_order": False, "shape": shape})
    return target.getvalue()


@pytest.mark.parametrize(
    ("code", "content"),
    [
        ("E0706", header((10**12,))),
        ("E0706", header((2**62, 2**62))),
        ("E0706", header((5,)) + bytes(32)),
        ("E0710", header((-4,)) + bytes(32)),
        ("E0710", header((3,)) + bytes(32)),
        ("E0711", header((2**62,), "|V0")),
        ("E0710", header((4,), "|O") + b"cos\nsystem\n"),
        ("E0710", b"\x93NUMPY\x01\x00\xff\xff{"),
        ("E0710", b"\x93NUMPY\x09\x00" + bytes(64)),
        ("E0710", header((4,))[:40]),
        ("E0710", b"\x93NUMPY\x01\x00\x40\x1f" + b"(" * 8000),
        ("E0710", b"not an array"),
        ("E0710", b""),
    ],
)
def test_parts_that_lie(code, content, tmp_path):
    for name in ("data.npy", "indptr.npy", "shape.npy"):
        parts = {**members(), name: content}
        found, _ = refused(zipped(tmp_path / "a.npz", parts.items()))
        assert found == code or (code, name) == ("E0711", "shape.npy")


def test_archives_that_are_no_archives(tmp_path):
    parts = members()
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert refused(zipped(tmp_path / "a.npz", parts.items(), method))[0] == "E0710"
    twice = [*parts.items(), ("data.npy", parts["data.npy"])]
    assert "same name" in refused(zipped(tmp_path / "a.npz", twice))[1]
    whole = zipped(tmp_path / "b.npz", parts.items()).read_bytes()
    for content in (b"PK\x03\x04" * 30, b"\x1f\x8b" * 99, b"0 1\n" * 99, whole[:-1], whole[: len(whole) // 2]):
        (tmp_path / "a.npz").write_bytes(content)
        assert refused(tmp_path / "a.npz")[0] == "E0710"
    (tmp_path / "a.npz").write_bytes(b"")
    assert refused(tmp_path / "a.npz")[0] == "E0716"
    # What does not belong to the matrix is not even looked at.
    assert_same(Graph.from_scipy(MATRIX), Graph.read(zipped(tmp_path / "a.npz", [*parts.items(), ("x.npy", b"junk")])))


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 10**8)
    bombs = {
        "data.npy": header((6_000_000,)) + bytes(48_000_000),
        "indices.npy": header((6_000_000,), "<i8") + bytes(48_000_000),
        "format.npy": header((), "|S48000000") + bytes(48_000_000),
    }
    for name, content in bombs.items():
        path = zipped(tmp_path / "a.npz", {**members(), name: content}.items())
        tracemalloc.start()
        code, _ = refused(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert code == ("E0710" if name == "format.npy" else "E0708")
        assert peak < 5e6, name
    # Vertices without an entry cost memory as well; the message has the file.
    arrays = {"row": [0], "col": [0], "data": [1], "shape": (10**9, 10**9), "format": b"coo"}
    assert refused(saved(tmp_path / "b.npz", arrays))[0] == "E0708"


@pytest.mark.slow
def test_lists_that_do_not_fit_are_not_unpacked(tmp_path):
    """All lengths are compared first, and where the rows begin is read before what is in them."""
    large, many = header((6_000_000,)) + bytes(48_000_000), header((6_000_000,), "<i8") + bytes(48_000_000)
    cases = [
        {"data.npy": large},
        {"indices.npy": many},
        {"data.npy": large, "indices.npy": many},  # of which the rows have fewer
        {"indptr.npy": many},
        {"shape.npy": many},
    ]
    for case in cases:
        path = zipped(tmp_path / "a.npz", {**members(), **case}.items())
        assert path.stat().st_size < 200_000
        tracemalloc.start()
        code, _ = refused(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert code in ("E0711", "E0704") and peak < 5e6, case.keys()


@pytest.mark.slow
def test_every_damaged_byte(tmp_path):
    """A changed byte gives the same graph or an error: archives carry checksums."""
    path = tmp_path / "a.npz"
    write(rmat(2, 2), path)
    whole, content = Graph.read(path), path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            again = Graph.read(path)
        except GdslError as error:
            assert error.diagnostics[0].place == str(path)
            continue
        assert (again.offsets.tolist(), again.columns.tolist()) == (whole.offsets.tolist(), whole.columns.tolist())
