"""Results as tables, in memory and in files."""

from __future__ import annotations

import gc
import json
import pickle
import sys
import weakref

import numpy as np
import pytest

import gdsl
from gdsl import Graph
from gdsl.cli.main import main

networkx = pytest.importorskip("networkx")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

MANY = """program many;
problem {
    vertex best : (float32, vertex) = (0.0, none);
    vertex first : vertex = none;
    vertex two[2] : int32;
    edge twice : int32;
    edge from : vertex = none;
    scalar total : int64 = 0;
}
vertex functor of_vertices(v) {
    cond v != 1;
    apply { first[v] = v; best[v] = (1.5, v); two[v][1] = 5; total += 1; }
}
edge functor of_edges(src, dst, e) { apply { twice[e] = 2 * int32(src) + 2 * int32(dst); from[e] = src; } }
schedule { compute(vertices, of_vertices); advance(vertices, of_edges); }
"""
SCALAR = "program one; problem { scalar n : int32 = 3; } schedule { }"


@pytest.fixture(scope="module")
def named():
    graph = networkx.DiGraph([("a", "b"), ("c", "b"), ("c", "a")])
    return gdsl.compile(MANY)(graph, backend="reference")


def test_vertices_with_names(named):
    frame = named.to_pandas()
    wanted = {
        "vertex": ["a", "b", "c"], "best.0": [1.5, 0.0, 1.5], "best.1": ["a", None, "c"], "first": ["a", None, "c"],
        "two.0": [0, 0, 0], "two.1": [5, 0, 5]}  # fmt: skip
    assert frame.astype(object).where(frame.notna(), None).to_dict("list") == wanted
    assert frame.attrs == {"total": 2}
    assert frame.dtypes["best.0"] == np.float32 and frame.dtypes["two.1"] == np.int32
    assert named.to_polars().to_dict(as_series=False) == wanted
    table = named.to_arrow()
    assert table.to_pydict() == wanted
    assert json.loads(table.schema.metadata[b"gdsl.scalars"]) == {"total": 2}
    assert table.schema.field("first").type == pyarrow.string()


def test_ids_instead(named):
    frame = named.to_pandas("vertices", names=False)
    assert frame["vertex"].tolist() == [0, 1, 2] and frame["first"].tolist() == [0, -1, 2]
    assert named.to_arrow(names=False).column("best.1").to_pylist() == [0, -1, 2]


def test_scalars_that_are_vertices():
    """A vertex is called the same in a column and in a scalar."""
    text = """program ends; problem {
        vertex own : vertex; scalar last : vertex = 0; scalar never : vertex = none;
        scalar best : (int32, vertex) = (inf, none);
    } schedule { compute(vertices, v => { own[v] = v; last max= v; best min= (-int32(v), v); }); }"""
    path = networkx.path_graph([30, 20, 10], create_using=networkx.DiGraph)
    result = gdsl.compile(text)(path, backend="reference")
    assert result.scalars["last"] == 2
    called = {"last": 10, "never": None, "best.0": -2, "best.1": 10}
    assert result.to_pandas().attrs == called and result.to_pandas()["own"].tolist() == [30, 20, 10]
    assert json.loads(result.to_arrow().schema.metadata[b"gdsl.scalars"]) == called
    assert result.to_pandas(names=False).attrs == {"last": 2, "never": -1, "best.0": -2, "best.1": 2}
    assert result.to_networkx().graph == called


def test_edges_go_round(named):
    frame = named.to_pandas("edges")
    assert frame.to_dict("list") == {
        "source": ["a", "c", "c"], "target": ["b", "a", "b"], "twice": [2, 4, 6], "from": ["a", "c", "c"]}  # fmt: skip
    again = Graph.from_table(frame)
    assert again.names == ("a", "b", "c") and again.attributes["twice"].tolist() == [2, 4, 6]
    assert named.to_polars("edges").to_dict(as_series=False) == frame.to_dict("list")


def test_results_that_are_called_as_the_ends():
    text = "program ends; problem { edge source : vertex; } edge functor f(src, dst, e) { apply { source[e] = dst; } }"
    frame = gdsl.compile(f"{text} schedule {{ advance(vertices, f); }}")(
        Graph.from_edges([0], [1]), backend="reference"
    ).to_pandas()
    assert frame.to_dict("list") == {"src": [0], "dst": [1], "source": [1]}


def test_names_that_are_numbers_or_of_several_kinds():
    for nodes, kind, shown in ([(7, 3, 5), "int64", [7, 3, 5]], [("x", 3, (1, 2)), "string", ["x", "3", "(1, 2)"]]):
        graph = networkx.path_graph(nodes, create_using=networkx.DiGraph)
        result = gdsl.samples.bfs(graph, source=nodes[0], backend="reference")
        column = result.to_arrow().column("vertex")
        assert str(column.type) == kind and column.to_pylist() == shown
        assert result.to_pandas()["vertex"].tolist() == list(nodes)
        assert result.to_polars()["vertex"].to_list() == shown


@pytest.mark.parametrize("nodes", [(2**63 + 1, 2, 2**63), (2**53 + 1, 5, 7), (4, 2, "x"), (3, 2.5, -1)])
def test_columns_with_some_of_the_names(nodes):
    """What type names have that stand in one column does not hang on which these are, and no name becomes another."""
    graph = networkx.path_graph(nodes, create_using=networkx.DiGraph)
    result = gdsl.samples.bfs(graph, source=nodes[0], backend="reference")
    parents = [None, *nodes[:2]]
    whole = all(type(node) is int and node < 2**63 for node in nodes)
    words = parents if whole else [None, *map(str, parents[1:])]
    found = result.to_pandas()["parent"].tolist()
    assert found == parents and list(map(type, found)) == list(map(type, parents))
    assert result.to_polars()["parent"].to_list() == words
    assert result.to_arrow()["parent"].to_pylist() == words
    assert result.to_polars()["vertex"].to_list() == (list(nodes) if whole else list(map(str, nodes)))


def test_frames_have_the_memory_of_the_result(named):
    values = named["two"][:, 1]
    assert np.shares_memory(named.to_pandas()["two.1"].to_numpy(), values)


def test_what_there_is_no_table_of(named):
    scalar = gdsl.compile(SCALAR)(Graph.from_edges([0], [1]), backend="reference")
    for make in (scalar.to_pandas, scalar.to_polars, scalar.to_arrow):
        with pytest.raises(ValueError, match="only scalars; its results are n"):
            make()
    distances = gdsl.samples.bfs(Graph.from_edges([0], [1]), source=0, backend="reference")
    with pytest.raises(ValueError, match="no results over edges"):
        distances.to_pandas("edges")
    with pytest.raises(ValueError, match="over must be 'vertices' or 'edges', not 'nodes'"):
        named.to_pandas("nodes")
    with pytest.raises(TypeError, match="names must be True or False"):
        named.to_pandas(names="yes")
    with pytest.raises(TypeError, match="over must be"):
        named.to_polars(3)


def test_results_that_were_pickled(named):
    again = pickle.loads(pickle.dumps(named))
    assert again.to_pandas().equals(named.to_pandas())
    with pytest.raises(ValueError, match="pickled without its graph; say graph="):
        again.to_pandas("edges")
    graph = networkx.DiGraph([("a", "b"), ("c", "b"), ("c", "a")])
    assert again.to_pandas("edges", graph=graph).equals(named.to_pandas("edges"))
    with pytest.raises(ValueError, match="1 stored edges, and the result is of 3"):
        again.to_pandas("edges", graph=Graph.from_edges([0], [1]))


def test_a_result_does_not_keep_what_a_backend_has_of_its_graph():
    graph = Graph.from_edges([0, 1], [1, 2], 4)
    kept = weakref.ref(graph)
    result = gdsl.compile(MANY)(graph, backend="reference")
    del graph
    gc.collect()
    assert kept() is None
    assert result.to_pandas("edges")["target"].tolist() == [1, 2]
    assert list(result.to_networkx().edges) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_libraries_that_are_missing(named, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    make = {"pandas": named.to_pandas, "polars": named.to_polars, "pyarrow": named.to_arrow}[library]
    with pytest.raises(gdsl.GdslError, match=f"E0907.*needs {library}, which is not installed") as caught:
        make()
    assert "pip install '" in str(caught.value)


def test_networkx_graphs(named):
    made = named.to_networkx()
    assert made.nodes["a"] == {"best": (1.5, "a"), "first": "a", "two": [0, 5]}
    assert made.nodes["b"]["best"] == (0.0, None)
    assert made.edges["c", "b"] == {"twice": 6, "from": "c"} and made.graph == {"total": 2}
    given = networkx.DiGraph([("a", "b", {"km": 1}), ("c", "b", {"km": 2}), ("c", "a", {"km": 3})])
    assert named.to_networkx(given) is given
    assert given.edges["c", "a"] == {"km": 3, "twice": 4, "from": "c"}
    with pytest.raises(gdsl.GdslError, match=r"E0609.*\n(.*\n)*.*those of a multigraph, stay edges of their own"):
        gdsl.samples.triangle_count(networkx.MultiGraph([(0, 1), (0, 1), (1, 2)]), backend="reference")
    for other in (networkx.path_graph(3), networkx.DiGraph([("a", "b")]), networkx.DiGraph([(0, 1), (1, 2), (2, 0)])):
        with pytest.raises(ValueError, match="not the graph that the program ran on"):
            named.to_networkx(other)
    with pytest.raises(TypeError, match="one of NetworkX"):
        named.to_networkx(Graph.from_edges([0], [1]))


def test_graphs_with_the_same_edges_between_others():
    """Results go to the vertices that they are of, or nowhere."""
    path = networkx.path_graph(["a", "b", "c", "d"])
    result = gdsl.samples.bfs(path, source="a", backend="reference")
    turned = networkx.path_graph(["d", "c", "b", "a"])
    with pytest.raises(ValueError, match="its nodes have other names, or another order"):
        result.to_networkx(turned)
    assert not any(turned.nodes[node] for node in turned)
    igraph = pytest.importorskip("igraph")
    with pytest.raises(ValueError, match="its nodes have other names, or another order"):
        result.to_igraph(igraph.Graph(4, [(0, 1), (1, 2), (2, 3)], vertex_attrs={"name": ["d", "c", "b", "a"]}))
    matrix = networkx.to_scipy_sparse_array(path)
    of_ids = gdsl.samples.bfs(Graph.from_scipy(matrix, directed=False), source=0, backend="reference")
    assert of_ids.to_networkx(path).nodes["d"]["distance"] == 3
    assert result.to_igraph(igraph.Graph(4, [(0, 1), (1, 2), (2, 3)])).vs["distance"] == [0, 1, 2, 3]


def test_parallel_and_undirected_edges():
    program = gdsl.compile(MANY)
    multi = networkx.MultiGraph([("a", "b"), ("b", "a"), ("b", "b"), ("c", "a")])
    for graph in (multi, networkx.Graph(multi)):
        result = program(graph, backend="reference")
        with pytest.raises(ValueError, match="directions of an undirected edge have different values of `from`"):
            result.to_networkx()
    sums = gdsl.compile(MANY.replace("edge from : vertex = none;", "").replace("from[e] = src;", ""))
    for graph in (multi, networkx.Graph(multi)):
        result = sums(graph, backend="reference")
        number = {"a": 0, "b": 1, "c": 2}
        for made in (result.to_networkx(), result.to_networkx(graph)):
            assert made.number_of_edges() == graph.number_of_edges()
            assert all(data["twice"] == 2 * (number[u] + number[v]) for u, v, data in made.edges(data=True))


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
def test_files_of_the_command_line(tmp_path, monkeypatch, capsys, suffix):
    monkeypatch.chdir(tmp_path)
    polars.DataFrame({"from": ["Ann", "Bob"], "to": ["Bob", "Cy"], "km": [1.5, 2.0]}).write_parquet("roads.parquet")
    arguments = ["run", "sssp", "roads.parquet", "--weight-column", "km", "-p", "source=Ann", "--backend", "reference"]
    assert main([*arguments, "--names", "-o", f"out.{suffix}"]) == 0
    read = pandas.read_parquet if suffix == "parquet" else pandas.read_feather
    assert read(f"out.{suffix}").to_dict("list") == {"vertex": ["Ann", "Bob", "Cy"], "distance": [0.0, 1.5, 3.5]}
    assert main([*arguments, "-o", f"ids.{suffix}"]) == 0
    assert read(f"ids.{suffix}")["vertex"].tolist() == [0, 1, 2]
    (tmp_path / "one.gdsl").write_text(SCALAR)
    assert main(["run", "one.gdsl", "karate", "-o", f"one.{suffix}"]) == 1
    (tmp_path / "many.gdsl").write_text(MANY)
    assert main(["run", "many.gdsl", "karate", "-o", f"many.{suffix}"]) == 0
    said = capsys.readouterr().err
    assert "(n) are scalars" in said and "are two tables" in said
    assert read(f"many.vertices.{suffix}").columns.tolist()[:3] == ["vertex", "best.0", "best.1"]
    assert read(f"many.edges.{suffix}").columns.tolist() == ["source", "target", "twice", "from"]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["run", "bfs", "karate", "-p", "source=0", "-o", f"none.{suffix}"]) == 1
    assert "pip install 'gdsl[tables]'" in capsys.readouterr().err
    assert not (tmp_path / f"none.{suffix}").exists()


VARIED = """program varied;
problem {
    param source : vertex;
    param factor : float32 = 1;
    vertex best : (int32, vertex) = (1, none);
    vertex two[2] : float32 = factor;
    edge end : vertex = none;
    scalar run : int32 = 3;
}
schedule {
    best[source] = (2, source);
    advance(vertices, (src, dst, e) => { end[e] = dst; }) @ends;
}
"""


@pytest.fixture(scope="module")
def batch():
    graph = networkx.DiGraph([("a", "b"), ("c", "b")])
    return gdsl.compile(VARIED).map(graph, source=["c", 1], factor=[0.5, 2], backend="reference")


def test_a_batch_has_a_row_for_each_run_and_vertex(batch):
    frame = batch.to_pandas()
    wanted = {
        "run": [0, 0, 0, 1, 1, 1], "source": ["c"] * 3 + ["b"] * 3, "factor": [0.5] * 3 + [2] * 3,
        "vertex": ["a", "b", "c"] * 2, "best.0": [1, 1, 2, 1, 2, 1], "best.1": [None, None, "c", None, "b", None],
        "two.0": [0.5] * 3 + [2] * 3, "two.1": [0.5] * 3 + [2] * 3}  # fmt: skip
    assert frame.astype(object).where(frame.notna(), None).to_dict("list") == wanted
    assert frame.dtypes["best.0"] == np.int32 and frame.dtypes["two.1"] == np.float32
    for run, result in enumerate(batch):
        one, own = frame[frame.run == run].reset_index(drop=True), result.to_pandas()
        pandas.testing.assert_frame_equal(one[own.columns], own)
    ids = batch.to_pandas(names=False)
    assert ids["source"].tolist() == [2, 2, 2, 1, 1, 1] and ids["best.1"].tolist() == [-1, -1, 2, -1, 1, -1]


def test_a_batch_has_rows_for_edges_and_runs(batch):
    edges = batch.to_pandas("edges")
    assert list(edges) == ["run", "each.source", "factor", "source", "target", "end"]
    assert edges["source"].tolist() == ["a", "c"] * 2 and edges["end"].tolist() == ["b"] * 4
    runs = batch.to_pandas("runs")
    assert list(runs) == ["each.run", "source", "factor", "run", "iterations"]
    assert runs["run"].tolist() == [3, 3] and runs["run"].dtype == np.int32
    scalars = gdsl.compile("program s; problem { param n : int32; scalar m : int64 = 2 * n; } schedule { }")
    graph = Graph.from_edges([0], [1])
    assert scalars.map(graph, n=[1, 4], backend="reference").to_pandas()["m"].tolist() == [2, 8]
    assert len(scalars.map(graph, n=[], backend="reference").to_pandas()) == 0
    for over, error in (("pairs", ValueError), ("vertices", ValueError), (3, TypeError)):
        with pytest.raises(error, match="over"):
            scalars.map(graph, n=[1], backend="reference").to_pandas(over)


def test_a_pickled_batch_has_names_but_no_edges(batch):
    copy = pickle.loads(pickle.dumps(batch))
    assert copy.to_pandas()["vertex"].tolist() == ["a", "b", "c"] * 2
    with pytest.raises(ValueError, match="without its graph"):
        copy.to_pandas("edges")
    graph = networkx.DiGraph([("a", "b"), ("c", "b")])
    assert copy.to_pandas("edges", graph=graph)["target"].tolist() == ["b"] * 4
