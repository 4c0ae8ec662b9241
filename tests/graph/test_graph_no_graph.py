"""Files that hold no graph, under names of each format: one message says what they are and how to get the graph."""

from __future__ import annotations

import gzip
import io
import pickle
import tarfile
import zipfile

import numpy as np
import pytest

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph

NAMES = (
    *("a.mtx", "a.gr", "a.col", "a.npz", "a.graph", "a.csv", "a.txt", "a.parquet", "a.feather", "a.graphml", "a.gml"),
    *("a.net", "a.gexf", "a.json", "a.adjlist", "a.multiline-adjlist", "a.g6", "a.s6", "a.lgr"),
)
NOT_GRAPHS = {
    "a web page": b"\n<!DOCTYPE html>\n<html><body>Not found</body></html>\n",
    "the message of a server": b'<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>',
    "a pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "a pointer of git-annex": b"/annex/objects/SHA256E-s31390--f50d.mtx\n",
    "a PDF document": b"%PDF-1.4\n1 0 obj\n",
}


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(GdslError) as caught:
        Graph.read(path)
    [problem] = caught.value.diagnostics
    return problem


@pytest.mark.parametrize("name", NAMES)
def test_what_failed_downloads_leave(tmp_path, name):
    for what, content in NOT_GRAPHS.items():
        problem = refused(tmp_path / name, content)
        assert (problem.code, problem.message) == ("E0710", f"this is {what}, not a graph")
        assert problem.fix
    assert refused(tmp_path / name, b"404: Not Found").message == "this is the message of a server, not a graph"


def test_also_compressed(tmp_path):
    problem = refused(tmp_path / "a.mtx.gz", gzip.compress(NOT_GRAPHS["a web page"]))
    assert problem.message == "this is a web page, not a graph"


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("a.npz", "a.parquet", "a.feather")])
def test_archives(tmp_path, name):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("graph/a.mtx"), io.BytesIO())
    for content, command in ((buffer.getvalue(), "tar -xf"), (b"PK\x03\x04\x14\0" + b"x" * 60, "unzip")):
        problem = refused(tmp_path / name, content)
        assert problem.code == "E0710"
        assert f"{command} {tmp_path / name}" in problem.fix


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("name", ["a.csv", "a.mtx", "a.json", "a.gexf", "a.graphml"])
@pytest.mark.parametrize(
    ("content", "what", "fix"),
    [
        (saved(np.array([[0, 1]])), "an array of NumPy", "gdsl.Graph.from_edges(*numpy.load("),
        (b"MATLAB 5.0 MAT-file, Platform: posix", "a file of MATLAB", "gdsl.Graph.from_scipy(scipy.io.loadmat("),
        (b"SQLite format 3\0" + bytes(80), "an SQLite database", "gdsl.Graph.from_table(pandas.read_sql("),
        (b"\x89HDF\r\n\x1a\n" + bytes(80), "an HDF5 file", "gdsl.Graph.from_table(pandas.read_hdf("),
        (pickle.dumps({1: 2}), "a pickle of Python", "gdsl.Graph.from_networkx(pickle.load("),
        (b"\x28\xb5\x2f\xfd" + bytes(80), "compressed by zstd", "zstd -dc "),
        (b"7z\xbc\xaf\x27\x1c" + bytes(80), "an archive of files", "7z x "),
    ],
)
def test_files_that_others_read(tmp_path, name, content, what, fix):
    problem = refused(tmp_path / name, content)
    assert problem.code == "E0710" and what in problem.message
    assert fix in problem.fix and str(tmp_path / name) in problem.fix


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("a.npy", "numpy.load("),
        ("a.mat", "scipy.io.loadmat("),
        ("a.xlsx", "pandas.read_excel("),
        ("a.pkl", "pickle.load("),
        ("a.ncol", "igraph.Graph.Read_Ncol("),
    ],
)
def test_suffixes_of_files_that_others_read(tmp_path, name, fix):
    problem = refused(tmp_path / name, b"ab cd ef\n")
    assert problem.code == "E0702" and f"{fix}{str(tmp_path / name)!r}" in problem.fix.replace("open(", "")


def test_archives_of_other_arrays(tmp_path):
    stream = io.BytesIO()
    np.savez(stream, edges=np.array([[0, 1], [1, 2]]))
    path = tmp_path / "a.npz"
    call = f"gdsl.Graph.from_edges(*numpy.load({str(path)!r})['edges'].T)"
    assert call in refused(path, stream.getvalue()).fix
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.csv", "0,1")
    assert f"unzip {path}" in refused(path, stream.getvalue()).fix


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.gr", "a.net", "a.json", "a.adjlist", "a.gml", "a.g6"])
def test_zeros_are_no_text(tmp_path, name):
    """Such files are what a full disk or a crash leaves."""
    assert "this is a binary file" in refused(tmp_path / name, bytes(500)).message


@pytest.mark.parametrize("name", ["a.json", "a.adjlist", "a.gml", "a.lgr", "a.multiline-adjlist"])
def test_other_encodings_of_files_that_are_read_whole(tmp_path, name):
    problem = refused(tmp_path / name, "graph [ ]\n".encode("utf-16-le"))
    assert "this is UTF-16 text" in problem.message
    assert "iconv -f utf-16le" in problem.fix
    problem = refused(tmp_path / name, b"a\nZ\xfcrich b\n")
    assert (problem.message, problem.place) == ("this line is not UTF-8", f"{tmp_path / name}:2")
    assert "iconv -f latin1" in problem.fix


def test_labels_of_pajek_are_utf8(tmp_path):
    """Each other byte was replaced by the same character, so two labels could become one."""
    problem = refused(tmp_path / "a.net", b'*Vertices 2\n1 "Z\xfcrich"\n2 "Z\xe4rich"\n*Edges\n1 2\n')
    assert (problem.code, problem.place) == ("E0710", f"{tmp_path / 'a.net'}:2")
    (tmp_path / "a.net").write_text('*Vertices 2\n1 "Zürich"\n2 "Zärich"\n*Edges\n1 2\n')
    assert list(Graph.read(tmp_path / "a.net").names) == ["Zürich", "Zärich"]


def test_adjacency_lists_are_not_other_formats(tmp_path):
    """Their vertices may be called anything, so any text was one."""
    for text, kind in (
        ('{"message": "Not Found"}', "json"),
        ('<?xml version="1.0"?>\n<graphml></graphml>', "graphml"),
        ('<?xml version="1.0"?>\n<gexf version="1.2"></gexf>', "gexf"),
    ):
        problem = refused(tmp_path / "a.adjlist", text.encode())
        assert (problem.code, problem.fix) == ("E0712", f"--format {kind} (format='{kind}')")
    (tmp_path / "a.adjlist").write_text("404 found\n{x} 404\n")
    assert Graph.read(tmp_path / "a.adjlist").num_vertices == 3
