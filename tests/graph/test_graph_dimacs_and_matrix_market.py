"""DIMACS and Matrix Market files as people have them: other problems, other headers, notices and fixes that work."""

from __future__ import annotations

import re
import shlex
import subprocess

import numpy as np
import pytest

import gdsl
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, write
from gdsl.graph.messages import collecting

pytestmark = pytest.mark.filterwarnings("error::gdsl.GraphNotice")
SYMMETRIC = "%%MatrixMarket matrix coordinate {} symmetric\n"


def edges_of(graph):
    edges = graph._edge_list()
    return list(zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True))


def read(tmp_path, name, text, **options):
    (tmp_path / name).write_text(text)
    return Graph.read(tmp_path / name, **options)


@pytest.mark.parametrize(
    ("text", "directed", "edges", "attributes"),
    [
        ("  c x\n p sp 3 2\n a 1 2 5\n\ta 2 3 6\n", True, [(0, 1), (1, 2)], {"weight": [5, 6]}),
        ("c\ncomment\np edge 3 2\nn 2 1\ne 1 2\n  e 3 2\n", False, [(0, 1), (1, 2)], {}),
        ("p col 3 2\nd 2 1\nv 1 2\n1 2\n3 2", False, "no line end", {}),
        ("p tw 3 2\n1 2\nc PACE\n3 2\n", False, [(0, 1), (1, 2)], {}),
        ("p edge 3 0\n", False, [], {}),
        ("p sp 3 2\na 1 2 0.5\na 2 3 4\n", True, [(0, 1), (1, 2)], {"weight": [0.5, 4]}),
        ("p min 3 1\nn 1 4\nn 3 -4\na 1 3 0 9223372036854775807 7\n", True, [(0, 2)],
         {"lower": [0], "capacity": [2**63 - 1], "cost": [7]}),
    ],
)  # fmt: skip
def test_problems_of_dimacs(tmp_path, text, directed, edges, attributes):
    if isinstance(edges, str):
        with pytest.raises(GdslError, match=edges):
            read(tmp_path, "a.gr", text)
        return
    with collecting() as notices:
        graph = read(tmp_path, "a.gr", text)
    assert len(notices) == ("n 2 1" in text)
    assert graph.directed is directed and graph.num_vertices == 3
    assert edges_of(graph) == edges
    assert {name: values.tolist() for name, values in graph.attributes.items()} == attributes or not directed
    assert not attributes or "supply" not in graph.vertex_attributes or graph.vertex_attributes["supply"][2] == -4


def test_long_dimacs_files(tmp_path):
    """Whole blocks of lines are read at once, also without letters, and with lines about vertices among them."""
    pairs = np.arange(1, 150_001)
    rows = [f"{first} {first % 150_000 + 1}" for first in pairs.tolist()]
    for name, mark, word in (("a.col", "e ", "col"), ("a.gr", "", "tw")):
        graph = read(tmp_path, name, f"p {word} 150000 150000\n" + "".join(f"{mark}{row}\n" for row in rows))
        assert edges_of(graph)[:2] == [(0, 1), (0, 149_999)] and graph.num_edges == 300_000
    values = "".join(f"n {vertex} {vertex % 7}\n" for vertex in pairs.tolist())
    graph = read(tmp_path, "a.col", f"p edge 150000 1\ne 1 2\n{values}")
    assert graph.vertex_attributes["vertex_weight"].tolist() == (pairs % 7).tolist()


def test_a_maximum_flow(tmp_path, capfd):
    """The source and the sink are named in a notice, with options that work."""
    path = tmp_path / "a.max"
    path.write_text("c flow\np max 4 4\nn 2 s\nn 4 t\na 2 1 3\na 2 3 2\na 1 4 2\na 3 4 5\n")
    with pytest.warns(gdsl.GraphNotice, match="source 2 and the sink 4") as warned:
        assert Graph.read(path).attributes["capacity"].tolist() == [2, 3, 2, 5]
    assert warned[0].filename == __file__
    assert main(["graph", "info", str(path)]) == 0
    flags = re.search(r"(-p source=\d+) (-p sink=\d+) (--reverse-arcs)", capfd.readouterr().err)
    assert (
        main(["run", "max_flow", str(path), *flags[1].split(), *flags[2].split(), flags[3], "--backend", "reference"])
        == 0
    )
    assert re.search(r"flow: int64 = 4\b", capfd.readouterr().out)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p cnf 3 2\n1 2 0\n", "p cnf"),
        ("p max 2 1\nn 3 s\na 1 2 1\n", "n ID VALUE"),
        ("p max 2 1\nn 1 x\na 1 2 1\n", "neither `s`"),
        ("p edge 2 1\nn 1 4\nn 1 4\ne 1 2\n", ":3.*two lines"),
        ("p edge 2 1\nn 1 x\ne 1 2\n", "not a whole number"),
        ("p edge 3 1\ne 1 2\ne 2 3\n", "goes on"),
        ("p edge 3 2\ne 1 2\na 1 2 3\n", "neither an edge"),
        ("p tw 3 1\nx 1 2\n", "neither an edge"),
        ("p sp 3 1\n1 2 3\n", "neither an arc"),
        ("p tw 3 1\n-1 2\n", "not a vertex"),
        ("p sp 3 2\na 1 2 0.5\na 2 3 9007199254740993\n", ":2.*`0.5` is not a whole"),
        ("p sp 3 2\na 1 2 0.5\na 1.5 3 9\n", ":2.*`0.5` is not a whole"),
        ("p sp 3 2\na 1.5 2 1\na 1 3 9\n", ":2.*`1.5` is not a whole"),
    ],
)
def test_mistakes_of_dimacs(tmp_path, text, said):
    with pytest.raises(GdslError, match=said):
        read(tmp_path, "a.gr", text)


def test_other_problems_are_not_written(tmp_path):
    graph = Graph.from_edges([0], [1], weights=[3])
    for name in ("a.col", "a.max"):
        with pytest.raises(GdslError, match="E0702"):
            write(graph, tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("a.txt", "c a comment\nc of two more words\np sp 2 1\na 1 2 5\n", 2),
        ("a.edges", "%MatrixMarket matrix coordinate pattern general\n% c\n2 2 1\n1 2\n", 2),
    ],
)
def test_formats_by_content(tmp_path, name, text, count):
    """A list by its name, and another format by its first lines; a list that is asked for by name is refused."""
    with pytest.warns(gdsl.GraphNotice, match="as its first lines say"):
        assert len(read(tmp_path, name, text)) == count
    with pytest.raises(GdslError, match=r"E0712[^!]*--format (gr|mtx)"):
        Graph.read(tmp_path / name, format="edges")


@pytest.mark.parametrize(
    ("text", "edges", "weights"),
    [
        ("%MatrixMarket matrix coordinate real symmetric\n4 4 2\n2 1 1.5\n4 3 0.5\n", [(0, 1), (2, 3)], [1.5, 0.5]),
        (" %%MATRIXMARKET MATRIX Coordinate Real General  \n%x\n\n 2 2 2 \n1 2 3.5\n % c\n\n2 1 4 \n",
         [(0, 1), (1, 0)], [3.5, 4]),
        (SYMMETRIC.format("integer") + "2 2 1\n1 2 9007199254740993\n", [(0, 1)], [2**53 + 1]),
        (SYMMETRIC.format("real") + "2 2 1\n1 2 9007199254740993\n", [(0, 1)], [2**53 + 1]),
        (SYMMETRIC.format("real") + "2 2 2\n1 2 1e300\n2 2 nan\n", [(0, 1), (1, 1)], [1e300, np.nan]),
        (SYMMETRIC.format("unsigned-integer") + "2 2 1\n1 2 18446744073709551615\n", [(0, 1)], [2**64 - 1]),
    ],
)  # fmt: skip
def test_headers_and_values_of_matrix_market(tmp_path, text, edges, weights):
    graph = read(tmp_path, "a.mtx", text)
    assert edges_of(graph) == edges
    found = graph._edge_list().attributes["weight"].tolist()
    assert [value if value == value else None for value in found] == [w if w == w else None for w in weights]


def test_matrix_market_without_a_banner(tmp_path):
    """Each half of the fix is followed; a line of counts never becomes an edge."""
    for text in ("3 2\n1 2\n2 3\n", "1 2\n2 3\n3 1\n3 4\n", "a b\n"):
        with pytest.raises(GdslError, match="E0703") as caught:
            read(tmp_path, "a.mtx", text)
        banner, *_ = re.findall("`([^`]+)`", caught.value.diagnostics[0].fix)
    assert read(tmp_path, "b.mtx", f"{banner}\n3 3 2\n1 2 1.5\n2 3 1\n").num_edges == 2
    assert read(tmp_path, "a.mtx", "1 2\n2 3\n3 1\n3 4\n", format="edges").num_edges == 4
    with pytest.raises(GdslError, match="E0705"):
        read(tmp_path, "a.mtx", "3 2\n1 2\n2 3\n", format="edges")


def test_both_triangles_of_a_symmetric_matrix(tmp_path):
    """Each edge twice: said, with the option that makes them one; a triangle has core numbers of 2."""
    text = SYMMETRIC.format("pattern") + "3 3 6\n1 2\n2 1\n1 3\n3 1\n2 3\n3 2\n"
    with pytest.warns(gdsl.GraphNotice, match=r"3 edges[^!]*\(1, 2\) and \(2, 1\)[^!]*--dedup first"):
        assert read(tmp_path, "a.mtx", text).num_edges == 12
    assert Graph.read(tmp_path / "a.mtx", dedup="first").num_edges == 6
    with pytest.warns(gdsl.GraphNotice, match="both directions"):
        read(tmp_path, "a.col", "p edge 2 2\ne 1 2\ne 2 1\n")
    for text in ("3 3 2\n1 2\n3 1\n", "3 3 3\n1 1\n2 2\n3 3\n", "3 3 2\n2 1\n2 1\n", "0 0 0\n"):
        read(tmp_path, "a.mtx", SYMMETRIC.format("pattern") + text)  # no notice: a warning fails the test


@pytest.mark.parametrize(
    ("kind", "fix"), [("array real general", "coo_array"), ("coordinate complex general", "abs"),
                      ("coordinate real skew-symmetric", "negative"), ("coordinate real hermitian", "conjugate")]
)  # fmt: skip
def test_matrices_that_are_no_graphs_come_with_a_way_out(tmp_path, kind, fix):
    with pytest.raises(GdslError, match="E0704") as caught:
        read(tmp_path, "a.mtx", f"%%MatrixMarket matrix {kind}\n1 1 1\n1 1 1\n")
    assert fix in caught.value.diagnostics[0].fix


@pytest.mark.parametrize(
    ("field", "row"),
    [("pattern", "1 2 0.5"), ("Real", "1 2"), ("integer", "1 2 1.0"), ("Integer", "2 1 nan"), ("real", "1 2 -1.5D-03")],
)
def test_values_of_another_kind(tmp_path, field, row):
    """The fix is a command that makes the file readable."""
    text = f"%%MatrixMarket matrix coordinate {field} general\n2 2 1\n{row}\n"
    with pytest.raises(GdslError, match="E0705") as caught:
        read(tmp_path, "a.mtx", text)
    command = caught.value.diagnostics[0].fix.split(": ")[-1]
    subprocess.run(shlex.split(command), check=True)
    assert Graph.read(tmp_path / "a.mtx").num_edges == 1


@pytest.mark.parametrize(
    "text, line",
    [("p edge 3 1\ne \ne 1 2\n", 2), ("p edge 3 2\ne 1 2\ne ", 3), ("p sp 3 1\na \na 1 2 5\n", 2)],
    ids=["first", "last", "arc"],
)
def test_an_edge_without_numbers_is_named_by_its_line(text, line, tmp_path):
    path = tmp_path / "a.gr"
    path.write_text(text)
    with pytest.raises(gdsl.GdslError, match=rf"a\.gr:{line}\b.*E0705"):
        gdsl.Graph.read(path)
