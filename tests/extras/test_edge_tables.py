"""Graphs from tables of pandas, Polars, Arrow and what speaks Arrow's C interface."""

from __future__ import annotations

import base64
import datetime
import sys
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

import gdsl
from gdsl import Graph
from gdsl.deadline import timeout_error
from gdsl.graph import table_columns

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")

ROWS = {"source": ["b", "a", "c"], "target": ["a", "c", "b"], "weight": [1, 2, 3], "kind": ["x", "y", "z"]}


class Capsule:
    """What speaks Arrow's C interface and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


MAKERS = {
    "pandas": pandas.DataFrame,
    "pandas with its own types": lambda rows: pandas.DataFrame(rows).convert_dtypes(),
    "polars": polars.DataFrame,
    "a lazy frame": polars.LazyFrame,
    "arrow": pyarrow.table,
    "capsule": lambda rows: Capsule(pyarrow.table(rows)),
    "dict": dict,
}
maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def refused(table, *arguments, **options) -> str:
    with pytest.raises(gdsl.GdslError) as caught:
        Graph.from_table(table, *arguments, **options)
    assert "Traceback" not in str(caught.value)
    return str(caught.value)


@maker
@pytest.mark.filterwarnings("error")
def test_names_and_attributes(make):
    graph = Graph.from_table(make(ROWS | {"km": [1.5, 2.0, 2.5], "open": [True, False, True]}))
    assert graph.names == ("b", "a", "c")
    assert {name: values.tolist() for name, values in graph.attributes.items()} == {
        "weight": [1, 2, 3], "km": [1.5, 2.0, 2.5], "open": [True, False, True]}  # fmt: skip
    assert graph.directed and list(zip(*map(np.ndarray.tolist, graph.edges), strict=True)) == [(0, 1), (1, 2), (2, 0)]
    assert gdsl.samples.bfs(graph, source="a", backend="reference").distance.tolist() == [2, 0, 1]


@maker
def test_columns_by_name_and_ids(make):
    table = make({"cost": [4, 5], "head": [2, 3], "tail": [0, 2], "weight": [7, 7]})
    graph = Graph.from_table(table, "tail", "head", "cost", num_vertices=6, directed=False)
    assert (graph.num_vertices, graph.num_edges, graph.names, graph.directed) == (6, 4, None, False)
    assert list(graph.attributes) == ["weight"] and graph.attributes["weight"].tolist() == [4, 4, 5, 5]
    assert Graph.from_pandas(table, "tail", "head").num_vertices == 4
    assert Graph.from_table(make({"Dst": [1], "x": [0], "SRC": [2]})).edges[0].tolist() == [2]
    assert not Graph.from_table(make({"end": [1], "other_end": [0]})).directed
    assert Graph.from_table(make({"source": [], "target": []})).num_vertices == 0


@maker
def test_sparse_numbers_are_names_where_asked(make):
    table = make({"from": [10**12, 7], "to": [7, -5]})
    assert "E0709" in (said := refused(make({"from": [10**12, 7], "to": [7, 5]}))) and "compact=True" in said
    graph = Graph.from_table(table, compact=True)
    assert graph.names == (-5, 7, 10**12)
    assert gdsl.samples.bfs(graph, source=10**12, backend="reference").distance.tolist() == [2, 1, 0]


@maker
def test_a_graph_keeps_nothing_of_its_table(make):
    weights = np.array([1.0, 2.0])
    rows = {"source": np.array([0, 1]), "target": np.array([1, 2]), "weight": weights}
    graph = Graph.from_table(make(rows))
    for column in rows.values():
        column[:] = 0
    assert graph.edges[0].tolist() == [0, 1] and graph.attributes["weight"].tolist() == [1.0, 2.0]


@maker
@pytest.mark.parametrize(
    ("rows", "arguments", "said"),
    [
        ({"source": ["a", None], "target": ["b", "c"]}, {}, "row 1 of the column `source` is empty"),
        ({"source": [1, 2], "target": [None, 2]}, {}, "row 0 of the column `target` is empty"),
        ({"source": [1, 2], "target": [1, 2], "weight": [None, 1]}, {}, "row 0 of the column `weight` is empty"),
        ({"source": [1], "target": [2], "Cost": [1]}, {"weight": "cost"}, "did you mean 'Cost'?"),
        ({"source": [1], "target": [2]}, {"source": "sorce", "target": "target"}, "did you mean 'source'?"),
        ({"source": [1], "target": [2]}, {"weight": "qqq"}, "its columns are source, target"),
        ({"source": [1], "target": [2]}, {"source": "source"}, "both ends need a column of their own"),
        ({"a": [1.5], "b": [1.0]}, {}, "ends are whole numbers or names"),
        ({"a": [1]}, {}, "no two columns"),
        ({"source": [0], "target": [1], "weight": ["heavy"]}, {}, "`weight` has the type str"),
        ({"source": [-1], "target": [1]}, {}, "-1, which is not a vertex id"),
        ({"source": ["a"], "target": ["b"]}, {"num_vertices": 5}, "num_vertices is for ids"),
    ],
)
def test_what_is_refused(make, rows, arguments, said):
    assert said in refused(make(rows), **arguments)


def test_missing_numbers_beside_the_weight_are_nan():
    for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        graph = Graph.from_table(make({"source": [0, 1], "target": [1, 2], "km": [None, 2]}))
        assert np.isnan(graph.attributes["km"][0]) and graph.attributes["km"][1] == 2


@maker
def test_weights_of_no_edges(make):
    graph = Graph.from_table(make({"source": [], "target": [], "weight": []}), num_vertices=2)
    distance = gdsl.samples.sssp(graph, source=1, backend="reference").distance
    assert distance.tolist() == [np.inf if distance.dtype.kind == "f" else np.iinfo(distance.dtype).max, 0]


OBJECTS = {
    "pandas of objects": lambda rows: pandas.DataFrame(rows, dtype=object),
    "pandas of Int64": lambda rows: pandas.DataFrame(rows).convert_dtypes(),
    "arrays of objects": lambda rows: {name: np.array(values, dtype=object) for name, values in rows.items()},
}


@pytest.mark.parametrize("narwhals", [True, False], ids=["", "without narwhals"])
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS.keys())
def test_numbers_as_objects_are_numbers(make, narwhals, monkeypatch):
    """What type a column has does not decide whether its whole numbers are ids or names."""
    if not narwhals:
        monkeypatch.setitem(sys.modules, "narwhals", None)
    graph = Graph.from_table(make({"source": [5, 2], "target": [2, 3], "weight": [4, 7], "open": [True, False]}))
    assert graph.names is None and graph.num_vertices == 6
    assert [ends.tolist() for ends in graph.edges] == [[2, 5], [3, 2]]
    assert {name: (values.tolist(), values.dtype.kind) for name, values in graph.attributes.items()} == {
        "weight": ([7, 4], "i"), "open": ([False, True], "b")}  # fmt: skip
    assert "row 1 of the column `target` is empty" in refused(make({"source": [1, 2], "target": [2, None]}))


def test_numbers_as_objects_of_any_size():
    large = {"source": [2**64, 7], "target": [7, 8]}
    assert "has 18446744073709551616, too large for an id" in refused(large)
    assert Graph.from_table(large, compact=True).names == (7, 8, 2**64)
    for make in (dict, pandas.DataFrame):
        assert Graph.from_table(make({"source": [1, "x"], "target": [2, 1]})).names == (1, 2, "x")
    assert "ends are whole numbers or names" in refused({"source": np.array([1.0], dtype=object), "target": [2]})
    records = np.zeros(1, "i4, i4")
    assert "the column `b` has the type records" in refused({"a": [1], "b": records})
    assert "the column `weight` has the type records" in refused({"a": [1], "b": [1], "weight": records})
    graph = Graph.from_table({"source": [0, 1], "target": [1, 2], "big": [2**63 + 1, 1], "km": [1, None]})
    assert graph.attributes["big"].tolist() == [2**63 + 1, 1]
    assert graph.attributes["km"][0] == 1 and np.isnan(graph.attributes["km"][1])


@pytest.mark.parametrize(
    "make", [dict, polars.DataFrame, pyarrow.table, lambda rows: pandas.DataFrame(rows, dtype="Int64")]
)
def test_missing_numbers_beside_large_ones(make):
    """NaN makes floats of whole numbers, which must not become others by that."""
    rows = {"source": [0, 1], "target": [1, 2], "key": [2**53 + 1, None]}
    assert "the column `key` lacks values, and next to NaN" in refused(make(rows))
    kept = Graph.from_table(make(rows | {"key": [2**53 + 2, None]})).attributes["key"]
    assert kept[0] == 2**53 + 2 and np.isnan(kept[1])


def test_categories_with_missing_ones(tmp_path):
    """Arrow's dictionaries, which Parquet keeps of pandas' categories, have no value for what is missing."""
    rows = {"source": [0, 1, 2], "target": [1, 2, 0], "x": [3, 4, None], "open": [True, None, False]}
    table = pyarrow.table({name: pyarrow.array(values).dictionary_encode() for name, values in rows.items()})
    pandas.DataFrame(rows).astype({"x": "category"}).to_parquet(tmp_path / "a.parquet")
    for graph in (Graph.from_table(table), Graph.read(tmp_path / "a.parquet")):
        assert graph.attributes["x"][:2].tolist() == [3, 4] and np.isnan(graph.attributes["x"][2])
        assert "open" not in graph.attributes
    named = pyarrow.table({name: pyarrow.array(["a", "b", None]).dictionary_encode() for name in ("source", "target")})
    assert "row 2 of the column `source` is empty" in refused(named)


def test_what_only_some_tables_can_be():
    assert "two columns of the table have the same name" in refused(pandas.DataFrame([[0, 1]], columns=["a", "a"]))
    assert "two columns" in refused(pyarrow.table([pyarrow.array([0])] * 2, names=["a", "a"]))
    assert "have no names but 0, 1" in refused(pandas.DataFrame([[0, 1]]))
    day = datetime.date(2020, 1, 1)
    assert "ends are whole numbers or names" in refused(polars.DataFrame({"a": [day], "b": [day]}))
    assert "not names" in refused(polars.DataFrame({"a": [[1]], "b": [[2]]}))
    for other in (5, "edges", None, pandas.DataFrame, [(0, 1)], {"a": np.eye(2), "b": np.eye(2)}):
        assert "E0711" in refused(other)
    with pytest.raises(TypeError, match="source is named by a str, not 3"):
        Graph.from_table(pandas.DataFrame(ROWS), 3, 4)
    decimals = polars.DataFrame({"a": [0], "b": [1], "weight": [Decimal("1.5")]})
    assert Graph.from_table(decimals).attributes["weight"].tolist() == [1.5]
    words = polars.DataFrame(ROWS).with_columns(polars.col("source", "target").cast(polars.Categorical))
    assert Graph.from_table(words).names == ("b", "a", "c")


def test_libraries_that_are_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert Graph.from_table(pandas.DataFrame(ROWS)).names == ("b", "a", "c")
    assert Graph.from_table(polars.DataFrame(ROWS)).names == ("b", "a", "c")
    rows = {"a": [1, 2], "b": [1, None]}
    columns = {name: pyarrow.array(values) for name, values in rows.items()}
    for table in (pandas.DataFrame(rows), polars.DataFrame(rows), columns):
        assert "row 1 of the column `b` is empty" in refused(table)
    for table in (pyarrow.table(ROWS), polars.LazyFrame(ROWS), Capsule(pyarrow.table(ROWS))):
        said = refused(table)
        assert "E0907" in said and "needs narwhals, which is not installed" in said
        assert "pip install 'gdsl[tables]'" in said


@pytest.mark.parametrize("column", [polars.Series, pyarrow.array, pandas.Series, lambda x: pyarrow.chunked_array([x])])
def test_columns_as_inputs_and_edges(column):
    graph = Graph.from_edges(column([0, 1]), column([1, 2]), weights=column([2, 3]))
    assert gdsl.samples.sssp(graph, source=0, backend="reference").distance.tolist() == [0, 2, 5]
    found = gdsl.samples.sssp(graph, source=0, weight=column([1.0, 4.0]), backend="reference")
    assert found.distance.tolist() == [0, 1, 5]


@pytest.mark.parametrize(
    "column",
    [polars.Series([1.0, None]), pyarrow.array([1, None]), pandas.Series([1, None], dtype="Int64")],
    ids=["polars", "arrow", "pandas"],
)
def test_missing_values_of_inputs(column):
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(gdsl.GdslError, match=r"E0607.*`weight` has missing values \(1 of them\)"):
        gdsl.samples.sssp(graph, source=0, weight=column, backend="reference")
    with pytest.raises(gdsl.GdslError, match=r"E0711.*missing values"):
        Graph.from_edges([0, 1], [1, 2], weights=column)


def test_a_timeout_is_not_taken_for_an_error_of_a_library():
    def late(*_, **__):
        raise timeout_error(0.1)

    column = SimpleNamespace(dtype=SimpleNamespace(is_decimal=bool), to_numpy=late)
    with pytest.raises(gdsl.GdslError, match="E0802"):
        table_columns._of_frame(column, "a", False)


def test_encrypted_columns_of_parquet(tmp_path):
    """pyarrow ends the process when such a column is described before it was read."""
    parquet = pytest.importorskip("pyarrow.parquet")
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key, master):
            return base64.b64encode(key)

    for place, plain in enumerate((True, False)):
        for column in ([[1.5, 2]], [[[1.5], [2, 3]]]):
            table = pyarrow.table({"source": [0, 1], "target": [1, 0], "weight": column[0]})
            leaf = "weight" if column == [[1.5, 2]] else "weight.list.element"
            configuration = encryption.EncryptionConfiguration(
                footer_key="f", column_keys={"c": [leaf]}, plaintext_footer=plain
            )
            connection = encryption.KmsConnectionConfig()
            keys = encryption.CryptoFactory(lambda _: Keys()).file_encryption_properties(connection, configuration)
            path = tmp_path / f"{place}.parquet"
            with parquet.ParquetWriter(path, table.schema, encryption_properties=keys) as writer:
                writer.write_table(table)
            with pytest.raises(gdsl.GdslError, match=r"(?s)E0710.*encrypted.*Graph.from_table"):
                gdsl.Graph.read(path)


def test_sizes_of_lists_in_parquet(tmp_path, monkeypatch):
    """A list of equal values takes no room in a file: it is counted before it is read."""
    parquet = pytest.importorskip("pyarrow.parquet")
    long = pyarrow.array([[7] * 1_000_000, []])
    parquet.write_table(pyarrow.table({"source": [0, 1], "target": [1, 0], "long": long}), tmp_path / "a.parquet")
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 10**7)
    with pytest.raises(gdsl.GdslError, match="E0708"):
        gdsl.Graph.read(tmp_path / "a.parquet")


def test_ids_that_pandas_made_floats():
    """The fix that is given for them works."""
    frame = pandas.DataFrame({"source": [0.0, 1.0, None], "target": [1, 2, 0]}).dropna()
    with pytest.raises(gdsl.GdslError, match="float64") as caught:
        Graph.from_table(frame)
    assert "frame.astype({'source': 'int64'})" in str(caught.value)
    assert Graph.from_table(frame.astype({"source": "int64"})).num_edges == 2
    with pytest.raises(gdsl.GdslError, match="float64") as caught:
        Graph.from_table(pandas.DataFrame({"source": [0.5], "target": [float("inf")]}))
    assert "astype" not in str(caught.value)
