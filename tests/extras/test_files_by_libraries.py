"""Graphs in files of Parquet, Arrow, GraphML and GML."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from support.graphs import assert_same

import gdsl
from gdsl import Graph
from gdsl.cli.main import main
from gdsl.graph import write

networkx = pytest.importorskip("networkx")
pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

TABLES = ["a.parquet", "a.feather", "a.arrow"]
TEXTS = ["a.graphml", "a.gml", "a.graphml.gz", "a.gml.xz"]


def graphs(directed: bool) -> list[Graph]:
    kind = networkx.MultiDiGraph if directed else networkx.MultiGraph
    edges = [("Mr Hi", "b#", {"weight": 2.5, "n": 3}), ("b#", 'x "y"', {"weight": 1.0, "n": 4})]
    named = Graph.from_networkx(kind([*edges, ("b#", "b#", {"weight": 7, "n": 5}), *edges]))
    attributes = {"f": [0.5, 1.5, 2, 3], "b": [True, False, True, True]}
    ids = Graph.from_edges([0, 1, 1, 3], [1, 2, 2, 3], 6, [1, 2, 3, 4], directed=directed, attributes=attributes)
    compact = Graph.from_edges([0, 5, 9], [5, 9, 0], directed=directed).changed(compact=True)
    return [named, ids, compact, Graph.from_edges([], [], num_vertices=3, directed=directed)]


@pytest.mark.parametrize("name", TABLES + TEXTS)
@pytest.mark.parametrize("directed", [True, False])
def test_there_and_back(tmp_path, name, directed):
    for graph in graphs(directed):
        write(graph, tmp_path / name)
        again = Graph.read(tmp_path / name)
        assert_same(again, graph)


@pytest.mark.parametrize("name", ["a.graphml", "a.gml"])
def test_attributes_of_vertices(tmp_path, name):
    graph = Graph.from_edges([0, 1], [1, 2], vertex_attributes={"seed": [1, 0, 2], "share": [0.5, 0.25, 1.0]})
    write(graph, tmp_path / name)
    assert_same(Graph.read(tmp_path / name), graph)
    for other in ("a.parquet", "a.csv"):
        with pytest.raises(gdsl.GdslError, match=r"E0715.*keeps no attributes of vertices"):
            write(graph, tmp_path / other)


def test_what_a_format_cannot_hold(tmp_path):
    large = Graph.from_edges([0], [1], weights=[2**60])
    with pytest.raises(gdsl.GdslError, match=r"E0715.*only letters and digits"):
        write(Graph.from_edges([0], [1], attributes={"a_b": [1]}), tmp_path / "a.gml")
    with pytest.raises(gdsl.GdslError, match=r"E0715.*an end of the edges, and an attribute"):
        write(Graph.from_edges([0], [1], attributes={"source": [1]}), tmp_path / "a.parquet")
    for odd in ("a\0b", "a\x1b[31m", "a\ufffe", "a\ud800"):
        graph = Graph.from_table({"source": ["b", odd], "target": ["c", "c"]})
        for name in ("a.graphml", "a.gml", *(("a.parquet", "a.arrow") if odd == "a\ud800" else ())):
            with pytest.raises(gdsl.GdslError, match=r"E0715.*cannot hold (a character of the name )?'a\\"):
                write(graph, tmp_path / name)
    with pytest.raises(gdsl.GdslError, match=r"E0715.*cannot hold '\\x1bw' as the name of an attribute"):
        write(Graph.from_edges([0], [1], attributes={"\x1bw": [1]}), tmp_path / "a.graphml")
    with pytest.raises(gdsl.GdslError, match=r"E0702"):
        write(large, tmp_path / "a.parquet.gz")
    assert not list(tmp_path.iterdir())


ODD = [0.1, 1 / 3, 123456789.123456789, float("inf"), -float("inf"), float("nan"), 1.7e308, 3e-308, 2.5]


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.graphml", "a.gml", "a.csv", "a.tsv"])
def test_numbers_are_the_same_to_the_last_digit(tmp_path, name):
    attributes = {
        "k": [2**53 - 1, 1 - 2**53, 3_380_433_526_360_617, 0, 1, 2, 3, 4, 5],
        "f": ODD,
        "g": [*np.float32(ODD[:6]).tolist(), 1, 2, 3],
    }
    graph = Graph.from_edges(range(9), [0] * 9, 9, attributes=attributes)
    write(graph, tmp_path / name)
    again = Graph.read(tmp_path / name)
    for key in attributes:
        assert np.array_equal(again.attributes[key], graph.attributes[key], equal_nan=True)
    assert again.attributes["k"].dtype.kind == "i"


@pytest.mark.parametrize("name", TABLES + TEXTS)
def test_names_of_all_kinds(tmp_path, name):
    """They are read as they were, or refused; none becomes another one."""
    texts = ["a\nb", " c ", "&amp;", '"', "1", "2.5", "]]>", "é", "true", "\r"]
    for nodes in (texts, [7, -3, 2**40], ["x"], [0.5, -2.25]):
        graph = Graph.from_networkx(networkx.path_graph(nodes, create_using=networkx.DiGraph))
        write(graph, tmp_path / name)
        again = Graph.read(tmp_path / name)
        found = [tuple(again.names[end] for end in edge) for edge in zip(*again.edges, strict=True)]
        kept = [tuple(map(str, pair)) for pair in networkx.path_graph(nodes).edges]
        assert sorted(tuple(map(str, pair)) for pair in found) == sorted(kept)


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.graphml", "a.gml"])
def test_names_that_read_alike_are_refused(tmp_path, name):
    for nodes in ((1, "1", "x"), ((1, 2), "(1, 2)"), ("True", True)):
        graph = Graph.from_networkx(networkx.path_graph(nodes))
        with pytest.raises(gdsl.GdslError, match="E0715"):
            write(graph, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_names_without_edges(tmp_path):
    """Tables have no row for them, and are read all the same."""
    made = networkx.DiGraph([("a", "b")])
    made.add_node("c")
    for name in TABLES:
        write(Graph.from_networkx(made), tmp_path / name)
        assert Graph.read(tmp_path / name).names == ("a", "b")


@pytest.mark.parametrize("name", ["a.graphml", "a.gml"])
def test_attributes_that_mean_something_there(tmp_path, name):
    for attributes in ({"vertex_attributes": {"name": [3, 4]}}, {"vertex_attributes": {"label": [1, 2]}},
                       {"vertex_attributes": {"name": [1, 2]}}):  # fmt: skip
        with pytest.raises(gdsl.GdslError, match=r"E0715.*which has a meaning there"):
            write(Graph.from_edges([0], [1], **attributes), tmp_path / name)
    with pytest.raises(gdsl.GdslError, match=r"E0715.*as the name of a vertex"):
        write(Graph.from_networkx(networkx.path_graph(["a\x01", "b"])), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_tables_of_others(tmp_path):
    frame = pandas.DataFrame({"km": [1.5, 2.0], "who": ["Ann", "Bob"], "whom": ["Bob", "Cy"], "when": ["x", "y"]})
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_feather(tmp_path / "a.feather")
    with pyarrow.ipc.new_stream(tmp_path / "a.arrow", pyarrow.table(frame).schema) as stream:
        stream.write_table(pyarrow.table(frame))
    frame.drop(columns="when").to_csv(tmp_path / "a.csv", index=False)
    columns = {"source_column": "who", "target_column": "whom", "weight_column": "km"}
    for name in (*TABLES, "a.csv"):
        graph = Graph.read(tmp_path / name, **columns)
        assert graph.names == ("Ann", "Bob", "Cy") and graph.attributes["weight"].tolist() == [1.5, 2.0]
        assert Graph.read(tmp_path / name, **columns, undirected=True).num_edges == 4
        with pytest.raises(gdsl.GdslError, match=f"{name}.*E0711.*no column 'whm'") as caught:
            Graph.read(tmp_path / name, source_column="who", target_column="whm")
        assert "did you mean 'whom'?" in str(caught.value)
    pandas.DataFrame({"u": [1, 2], "v": [2, 9]}).to_parquet(tmp_path / "ids.parquet")
    assert Graph.read(tmp_path / "ids.parquet", one_based=True).num_vertices == 9
    assert Graph.read(tmp_path / "ids.parquet", num_vertices=12).num_vertices == 12
    assert Graph.read(tmp_path / "ids.parquet", compact=True).names == (1, 2, 9)
    with pytest.raises(gdsl.GdslError, match=r"E0707"):
        Graph.read(tmp_path / "ids.parquet", num_vertices=3)


def test_columns_are_for_tables(tmp_path):
    (tmp_path / "bare.csv").write_text("0,1\n1,2\n")
    with pytest.raises(gdsl.GdslError, match=r"bare.csv:1.*E0705.*names no columns"):
        Graph.read(tmp_path / "bare.csv", source_column="a", target_column="b")
    for graph in ("karate", "rmat:4"):
        with pytest.raises(gdsl.GdslError, match=r"E0712.*has no columns"):
            Graph.read(graph, weight_column="a")
    with pytest.raises(TypeError, match="the column for the weight is named by a str, not 3"):
        Graph.read("karate", weight_column=3)


def test_a_table_larger_than_memory(tmp_path, monkeypatch):
    from gdsl.graph import memory

    rows = {name: np.zeros(1_000_000, dtype=np.int64) for name in ("source", "target")}
    parquet.write_table(pyarrow.table(rows), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    assert Graph.read(tmp_path / "a.parquet").num_edges == 1_000_000
    name = "x" * 10_000
    texts = pyarrow.table({"source": [name] * 2_500, "target": ["y"] * 2_500})
    parquet.write_table(texts, tmp_path / "b.parquet")
    for each in ("source", "target"):
        texts = texts.set_column(texts.schema.names.index(each), each, texts[each].dictionary_encode())
    pyarrow.feather.write_feather(texts, tmp_path / "b.arrow")
    assert Graph.read(tmp_path / "b.parquet").names == (name, "y") == Graph.read(tmp_path / "b.arrow").names
    monkeypatch.setattr(memory, "available_memory", lambda: 20_000_000)
    for file, kind in (("a.feather", "lz4"), ("a.arrow", "zstd")):
        options = pyarrow.ipc.IpcWriteOptions(compression=kind)
        new = pyarrow.ipc.new_file if file == "a.feather" else pyarrow.ipc.new_stream
        with new(tmp_path / file, pyarrow.table(rows).schema, options=options) as stream:
            stream.write_table(pyarrow.table(rows))
    for file in ("a.parquet", "a.feather", "a.arrow", "b.parquet", "b.arrow"):
        assert (tmp_path / file).stat().st_size < 300_000
        with pytest.raises(gdsl.GdslError, match=rf"{file}.*E0708"):
            Graph.read(tmp_path / file)


def test_long_files_of_short_pieces(tmp_path):
    nodes = "".join(f'node [ id {n} label "v {n}" ] ' for n in range(9_000))
    (tmp_path / "a.gml").write_text(f'# "a\ngraph [ {nodes} edge [ source 0 target 8999 ] ]')
    assert Graph.read(tmp_path / "a.gml").num_vertices == 9_000


@pytest.mark.parametrize("name", [*TABLES, "a.graphml.gz", "a.gml.xz", "a.gml.bz2"])
def test_damaged_files(tmp_path, name):
    """Cut off or with other bytes: one message, or, where the bytes mean nothing, some graph; no crash."""
    write(graphs(True)[0], tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    made = np.random.default_rng(1)
    for place in made.integers(1, len(whole), 25):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        for content in (whole[:place], bytes(changed)):
            (tmp_path / name).write_bytes(content)
            try:
                Graph.read(tmp_path / name)
            except gdsl.GdslError as error:
                assert name in str(error) and "E07" in str(error)
                assert str(error).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("a.parquet", "pyarrow", "tables"), ("a.feather", "pyarrow", "tables")],
)
def test_libraries_that_are_missing(tmp_path, monkeypatch, capsys, name, module, extra):
    graph = graphs(True)[0]
    write(graph, tmp_path / name)
    for loaded in [key for key in sys.modules if key.partition(".")[0] == module]:
        monkeypatch.setitem(sys.modules, loaded, None)
    assert main(["graph", "info", str(tmp_path / name)]) == 1
    said = capsys.readouterr().err
    assert f"needs {module}, which is not installed" in said and f"pip install 'gdsl[{extra}]'" in said
    with pytest.raises(gdsl.GdslError, match=r"E0907"):
        write(graph, tmp_path / f"b{name}")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_options_of_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame({"who": ["Ann"], "whom": ["Bob"], "km": [2]}).to_parquet("a.parquet")
    columns = ["--source-column", "who", "--target-column", "whom", "--weight-column", "km"]
    assert main(["graph", "convert", "a.parquet", "b.gml", *columns]) == 0
    assert_same(Graph.read("b.gml"), Graph.from_table(pandas.read_parquet("a.parquet"), "who", "whom", "km"))
    assert "names" not in capsys.readouterr().err
    assert main(["run", "sssp", "a.parquet", "-p", "source=Ann", "--backend", "reference"]) == 1
    said = capsys.readouterr().err
    assert "E0605" in said and "--weight-column km" in said and "weight=graph.attributes['km']" in said
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table({"a": [0]}), buffer)
    (tmp_path / "one.parquet").write_bytes(buffer.getvalue())
    assert main(["graph", "info", "one.parquet"]) == 1
    assert "no two columns" in capsys.readouterr().err
