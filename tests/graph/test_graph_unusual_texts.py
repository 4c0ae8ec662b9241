"""Texts that are in order, and that few would write: the same graph, in as few readings, as of a usual one."""

from __future__ import annotations

import bz2

import numpy as np
import pytest

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, edge_list_files


def test_minus_zero_among_large_numbers(tmp_path):
    """It is a whole number that a uint64 holds, wherever in the file it stands."""
    for between in (0, 2000):
        path = tmp_path / "a.txt"
        path.write_text("0 1 18446744073709551615\n" + "1 2 3\n" * between + "1 2 -0\n")
        weights = Graph.read(path).attributes["weight"]
        assert (weights.dtype, weights[0], weights[-1]) == (np.uint64, 2**64 - 1, 0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 3\n  "),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 3 "),
        ("a.gr", "p sp 3 1\na 1 2 3\n\t"),
        ("a.gr", "p sp 3 1\na 1 2 3\nc the end"),
        ("a.graph", "2 1 1\n2 3\n1 3"),
        ("a.graph", "2 0 10\n5\n123 "),
        ("a.graph", "2 0 10\n5\n123\n% the end"),
    ],
)
def test_last_lines_that_are_whole(tmp_path, name, content):
    """Without their end, but no number may have lost digits."""
    (tmp_path / name).write_text(content)
    assert Graph.read(tmp_path / name).num_vertices in (2, 3)


@pytest.mark.parametrize("content", ["2 0 10\n5\n123", "1 1 1\n1 55", "2 0 100\n5\n\n123"])
def test_last_numbers_that_may_be_cut_off(tmp_path, content):
    """Weights of vertices and of loops are told once."""
    (tmp_path / "a.graph").write_text(content)
    with pytest.raises(GdslError, match="E0706"):
        Graph.read(tmp_path / "a.graph")


def test_a_byte_order_mark_may_be_all_that_is_read_first(tmp_path):
    path = tmp_path / "a.txt.bz2"
    path.write_bytes(bz2.compress(b"\xef\xbb\xbf") + bz2.compress(b"0 1\n1 2\n"))
    assert Graph.read(path).num_edges == 2


def test_many_columns_that_turn_out_to_be_real(tmp_path, monkeypatch):
    """One after the other, of which each would ask for reading the file from its beginning."""
    opened = []
    made = edge_list_files.TextLines
    monkeypatch.setattr(edge_list_files, "TextLines", lambda path: opened.append(path) or made(path))
    names = [f"c{number}" for number in range(40)]
    rows = [["0.5" if at == place else "1" for at in range(40)] for place in range(40)]
    path = tmp_path / "a.csv"
    lines = [["source", "target", *names], *(["0", "1", *row] for row in rows)]
    path.write_text("\n".join(map(",".join, lines)))
    graph = Graph.read(path)
    assert len(opened) < 10
    assert [graph.attributes[name].tolist() for name in names] == [[float(row[at]) for row in rows] for at in range(40)]
    for last, said in (("x", "is not a number"), ("1,1", "the line has 43 values")):
        path.write_text(path.read_text() + f"\n0,1,{'.5,' * 39}{last}")
        with pytest.raises(GdslError, match=rf"a.csv:42: .*{said}"):
            Graph.read(path)
        path.write_text(path.read_text().rpartition("\n")[0])
