"""Files of every format, written and read again, and what each reader makes of well-formed files."""

from __future__ import annotations

import bz2
import gzip
import itertools
import lzma
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from graph_cases import assert_same, edge_lists, graph_of, stored
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, open_graph, write

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
in_one_directory = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60
)
real_numbers = st.floats(allow_nan=True)


def read(tmp_path, name, text, **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Graph.read(path, **options)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
@given(edge_lists(real_numbers), st.booleans())
@in_one_directory
def test_matrix_market_there_and_back(suffix, tmp_path, case, directed):
    graph = graph_of(*case, directed=directed) if case[1] else Graph.from_edges([], [], case[0], [], directed=directed)
    write(graph, tmp_path / f"a.mtx{suffix}")
    again = Graph.read(tmp_path / f"a.mtx{suffix}")
    assert_same(graph, again)


@given(edge_lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(0, 9))), st.booleans())
@in_one_directory
def test_npz_and_matrix_market_keep_whole_weights(tmp_path, case, directed):
    count, edges = case
    weights = np.array([edge[2] for edge in edges], dtype=np.int64)
    graph = Graph.from_edges([e[0] for e in edges], [e[1] for e in edges], count, weights, directed=directed)
    for name in ("a.mtx", "a.npz"):
        write(graph, tmp_path / name)
        assert_same(graph, Graph.read(tmp_path / name))


@given(edge_lists(), st.booleans())
@in_one_directory
def test_patterns_there_and_back(tmp_path, case, directed):
    graph = graph_of(*case, directed=directed)
    for name in ("a.mtx", "a.npz"):
        write(graph, tmp_path / name)
        assert_same(graph, Graph.read(tmp_path / name))
    if graph.num_edges and directed:
        write(graph, tmp_path / "a.txt")
        assert_same(graph, Graph.read(tmp_path / "a.txt", num_vertices=graph.num_vertices))


@given(edge_lists(real_numbers))
@in_one_directory
def test_edge_lists_there_and_back(tmp_path, case):
    graph = graph_of(*case)
    if not case[1]:
        return
    for name in ("a.csv", "a.tsv.gz", "a.wel"):
        write(graph, tmp_path / name)
        again = Graph.read(tmp_path / name, num_vertices=graph.num_vertices)
        assert [edge[:2] for edge in stored(again)] == [edge[:2] for edge in stored(graph)]
        np.testing.assert_array_equal(again.attributes["weight"], graph.attributes["weight"])


@given(edge_lists(st.integers(-9, 9)))
@in_one_directory
def test_dimacs_there_and_back(tmp_path, case):
    if case[1]:
        graph = graph_of(*case)
        write(graph, tmp_path / "a.gr")
        assert_same(graph, Graph.read(tmp_path / "a.gr"))


@pytest.mark.parametrize("suffix", ["mtx", "gr"])
def test_weights_that_a_format_would_not_read_again_are_not_written(tmp_path, suffix):
    for most in (2**63 - 1, 2**63):
        graph = Graph.from_edges([0, 1], [1, 0], weights=np.array([1, most], np.uint64))
        if most < 2**63:
            write(graph, tmp_path / f"a.{suffix}")
            assert Graph.read(tmp_path / f"a.{suffix}").attributes["weight"].tolist() == [1, most]
        else:
            with pytest.raises(GdslError, match=r"E0715.*below 2\^63"):
                write(graph, tmp_path / f"b.{suffix}")


def test_csv_keeps_all_attributes(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 0], 2, [0.5, 2], attributes={"toll": [True, False], "lanes": [1, 2]})
    write(graph, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("source,destination,weight,")
    again = Graph.read(tmp_path / "a.csv")
    assert {name: values.tolist() for name, values in again.attributes.items()} == {
        "weight": [0.5, 2], "toll": [1, 0], "lanes": [1, 2]}  # fmt: skip
    with pytest.raises(GdslError, match="E0715"):
        write(graph, tmp_path / "a.mtx")
    assert not (tmp_path / "a.mtx").exists()


def test_scipys_own_files(tmp_path):
    matrix = sparse.random(30, 30, density=0.2, random_state=3, format="coo")
    for layout in ("coo", "csr", "csc"):
        sparse.save_npz(tmp_path / "a.npz", matrix.asformat(layout))
        assert_same(Graph.from_scipy(matrix), Graph.read(tmp_path / "a.npz"))
    scipy_io.mmwrite(tmp_path / "a.mtx", matrix)
    assert_same(Graph.from_scipy(matrix), Graph.read(tmp_path / "a.mtx"))
    loaded = sparse.load_npz(tmp_path / "a.npz")
    write(Graph.from_scipy(loaded), tmp_path / "b.npz")
    assert (sparse.load_npz(tmp_path / "b.npz") != loaded.tocsr()).nnz == 0


MATRIX = "%%MatrixMarket matrix coordinate {} {}\n"


def test_matrix_market_forms(tmp_path):
    text = "%%matrixmarket Matrix COORDINATE Pattern General\n".replace("%%matrixmarket", "%%MatrixMarket")
    graph = read(tmp_path, "a.mtx", text + "% é\n\n3 3 3\r\n 1\t2 \n1 2\n\n3 3\n\n")
    assert graph.directed
    assert stored(graph) == [(0, 1), (0, 1), (2, 2)]
    graph = read(tmp_path, "a.mtx", MATRIX.format("real", "symmetric") + "3 3 3\n2 1 nan\n3 1 -inf\n3 3 Infinity\n")
    assert not graph.directed
    assert [edge[:2] for edge in stored(graph)] == [(0, 1), (0, 2), (1, 0), (2, 0), (2, 2)]
    np.testing.assert_array_equal(graph.attributes["weight"], [np.nan, -np.inf, np.nan, -np.inf, np.inf])
    assert read(tmp_path, "a.mtx", MATRIX.format("integer", "general") + "0 0 0\n").num_vertices == 0
    graph = read(tmp_path, "a.mtx", MATRIX.format("integer", "general") + "2 2 1\n1 2 9999999999\n")
    assert graph.attributes["weight"].dtype == np.int64


def test_edge_list_forms(tmp_path):
    expected = [(0, 1, 2.0), (2, 0, 0.5)]
    assert stored(read(tmp_path, "a.txt", "# SNAP\n0\t1\t2\n\n% more\n2 0 0.5 # here\n")) == expected
    assert stored(read(tmp_path, "a.csv", "from,to,Weight\n0,1,2\n2, 0 ,.5")) == expected
    assert stored(read(tmp_path, "a.csv", "0;1;2\n2;0;0.5\n")) == expected
    assert stored(read(tmp_path, "a.el", "1 2 2\n3 1 0.5\n", one_based=True)) == expected
    assert stored(read(tmp_path, "a.dat", "0 1 2\n2 0 0.5\n", format="edges")) == expected
    graph = read(tmp_path, "a.csv", "a,b,weight,n\n0,1,2,3\n")
    assert graph.attributes["n"].tolist() == [3]
    assert read(tmp_path, "a.csv", "a,b\n").num_edges == 0
    assert read(tmp_path, "a.txt", "0 1\n", num_vertices=9).num_vertices == 9
    assert read(tmp_path, "a.txt", "0 1\n1 0\n", undirected=True, weights="random:1").num_edges == 2


@pytest.mark.parametrize(
    "pair",
    [
        ("source", "destination"),
        ("source", "target"),
        ("src", "dst"),
        ("from", "to"),
        ("Source", "Target"),
        ("FROM", "to"),
        ("source", "dst"),
    ],
)
@pytest.mark.parametrize("mark", [",", ";", "\t", " "])
def test_ends_are_found_by_their_names(tmp_path, pair, mark):
    columns = {pair[0]: [0, 3], pair[1]: [2, 1], "cost": [0.5, 7], "lanes": [4, 6]}
    for width in (2, 3, 4):
        for order in itertools.permutations(list(columns)[:width]):
            rows = [order, *zip(*(columns[name] for name in order), strict=True)]
            text = "".join(mark.join(map(str, row)) + "\n" for row in rows)
            graph = read(tmp_path, "a.tsv", text)
            assert list(zip(graph.edge_sources.tolist(), graph.columns.tolist(), strict=True)) == [(0, 2), (3, 1)]
            values = {name: value.tolist() for name, value in graph.attributes.items()}
            assert values == {2: {}, 3: {"cost": [0.5, 7]}, 4: {"cost": [0.5, 7], "lanes": [4, 6]}}[width]
            assert graph.attributes.get("lanes", np.zeros(0, np.int64)).dtype == np.int64


def test_names_of_ends_that_do_not_make_a_pair_are_no_names_of_ends(tmp_path):
    for header in ("a,b,weight", "target,w,WEIGHT", "one,source,weight", "node,to,weight"):
        assert stored(read(tmp_path, "a.csv", f"{header}\n0,1,2\n")) == [(0, 1, 2)], header
    # The pair that gdsl writes wins over the others, whose names attributes may have.
    graph = read(tmp_path, "a.csv", "to,from,destination,source\n7,8,1,0\n")
    assert graph.ends(0) == (0, 1) and {"to", "from"} == set(graph.attributes)


@pytest.mark.parametrize("name", ["source", "target", "from", "to", "Source", "src", "destination"])
def test_attributes_that_are_called_like_an_end_there_and_back(tmp_path, name):
    graph = Graph.from_edges([0, 2], [1, 0], attributes={name: [5, 6], "dst": [7, 8]})
    write(graph, tmp_path / "a.csv")
    again = Graph.read(tmp_path / "a.csv")
    assert again.columns.tolist() == graph.columns.tolist()
    assert again.attributes[name].tolist() == [5, 6] and again.attributes["dst"].tolist() == [7, 8]


def test_mistakes_in_columns_that_are_found_by_name(tmp_path):
    for text, said in (
        ("weight,to,from\n1,,0\n", "the destination is missing"),
        ("weight,to,from\n1,0,1.5\n", "source: `1.5` is not a whole number"),
        ("weight,to,from\nheavy,0,1\n", "weight: `heavy` is not"),
        ("weight,to,from\n1e999,0,1\n", "weight: `1e999` is too large"),
        ("weight,to,from\n1,0,-1\n", "the source -1 is not a vertex"),
        ("to,from,to\n1,0,1\n", "two columns have the same name"),
        ("source,source\n0,1\n", "two columns have the same name"),
        ("target,target,weight\n0,1,2\n", "two columns have the same name"),
        ("u,u\n", "two columns have the same name"),
        ("a,to,from,a\n1,0,1,1\n", "two columns have the same name"),
    ):
        with pytest.raises(GdslError, match=re.escape(said)):
            read(tmp_path, "a.csv", text)
    wide = read(tmp_path, "a.csv", "weight,to,from\n1,0,1\n2.5,1,2\n")
    assert stored(wide) == [(1, 0, 1), (2, 1, 2.5)]
    assert wide.attributes["weight"].dtype == np.float64


def test_dimacs_forms(tmp_path):
    graph = read(tmp_path, "a.gr", "c hello\np sp 3 2\nc between\na 1 2 7\na 3 1 0\nc end\n")
    assert graph.directed
    assert stored(graph) == [(0, 1, 7), (2, 0, 0)]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compression_is_told_by_the_content(suffix, tmp_path):
    assert read(tmp_path, "a.txt", COMPRESS[suffix](b"0 1\n" * 3)).num_edges == 3


def test_a_path_wins_over_a_generator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert open_graph("rmat:3").num_vertices == 8
    (tmp_path / "grid:3").write_text("0 1\n")
    with pytest.raises(GdslError, match="E0702"):
        open_graph("grid:3")


def test_writing_replaces_only_by_a_whole_file(tmp_path):
    graph = Graph.from_edges([0], [1], 2, [1])
    (tmp_path / "a.mtx").write_text("old")
    write(graph, tmp_path / "a.mtx")
    assert Graph.read(tmp_path / "a.mtx").num_edges == 1
    assert os.listdir(tmp_path) == ["a.mtx"]
    assert os.stat(tmp_path / "a.mtx").st_mode & 0o777 == 0o666 & ~_umask()
    for path in (tmp_path / "none" / "a.mtx", "/dev/null.mtx/x.mtx", "/dev/full.mtx/x.mtx"):
        with pytest.raises(GdslError, match="E0714"):
            write(graph, path)
    (tmp_path / "b.mtx").mkdir()
    with pytest.raises(GdslError, match="E0714"):
        write(graph, tmp_path / "b.mtx")
    with pytest.raises(GdslError, match="E0702"):
        write(graph, tmp_path / "a.unknown")
    for weights in (None, [0.5]):
        with pytest.raises(GdslError, match="E0715"):
            write(Graph.from_edges([0], [1], 2, weights), tmp_path / "a.gr")


FULL = """
import resource, signal, sys
from gdsl.diagnostics import GdslError
from gdsl.graph import GraphOptions, rmat, write
graph = GraphOptions(weights="random:1").apply(rmat(10))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
for path in sys.argv[1:]:
    try:
        write(graph, path)
    except GdslError as error:
        print(error.code)
"""


def test_a_full_disk(tmp_path):
    names = ["a.mtx", "a.mtx.gz", "a.mtx.xz", "a.mtx.bz2", "a.npz", "a.csv", "a.csv.gz", "a.gr"]
    (tmp_path / "a.mtx").write_text("old")
    command = [sys.executable, "-c", FULL, *(str(tmp_path / name) for name in names)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["E0714"] * len(names)
    assert done.stderr == ""
    assert os.listdir(tmp_path) == ["a.mtx"]
    assert (tmp_path / "a.mtx").read_text() == "old"


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
