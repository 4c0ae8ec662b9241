"""Parquet and Arrow files that several workers read: the shares and errors are those of one process."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl.graph import write as write_graph
from tests.graph.graph_cases import edge_lists, graph_of
from tests.graph.partitioned_cases import SIZES, assert_as_alone

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

_NAMES = [["a", "b"], ["c", "a"], ["é", "日本"], ["b", "c"], ["日本", "a"], ["b", "z"]]
_ENDS = [[0, 1], [1, 2], [5, 3], [2, 2], [0, 1], [4, 0]]
_DAY = datetime.date(2020, 1, 1)


def _table(ends: list[list[Any]], **columns: list[Any]) -> pyarrow.Table:
    sources, targets = ([row[end] for row in ends] for end in range(2))
    return pyarrow.table({"source": sources, "target": targets, **columns})


_TABLES = {
    "ids": _table(_ENDS),
    "weights": _table(_ENDS, weight=[1, 2, 3, 4, 5, 6]),
    "reals": _table(_ENDS, weight=[1.5, 2, float("nan"), 4, 5, 6], other=[1, 2, 3, 4, 5, 6]),
    "missing numbers at the end": _table(_ENDS, weight=[1, 2, 3, 4, 5, 6], other=[1, 2, 3, 4, 5, None]),
    "missing large numbers": _table(_ENDS, other=[2**60 + 1, 2, 3, 4, 5, None]),
    "missing bools": _table(_ENDS, other=[True, False, True, True, True, None]),
    "bools": _table(_ENDS, other=[True, False, True, True, True, False]),
    "missing weight": _table(_ENDS, weight=[1, 2, 3, 4, None, 6]),
    "all missing": _table(_ENDS, other=pyarrow.array([None] * 6, pyarrow.int64())),
    "text": _table(_ENDS, other=["a"] * 6),
    "text as weight": _table(_ENDS, weight=["a"] * 6),
    "missing end": _table([*_ENDS[:5], [None, 1]]),
    "large ids": _table([*_ENDS[:5], [2**40, 1]]),
    "negative": _table([*_ENDS[:4], [0, -7], [-3, 1]]),
    "names": _table(_NAMES, weight=[1, 2, 3, 4, 5, 6]),
    "names and ids": _table([[first, at] for at, (first, _) in enumerate(_NAMES)]),
    "dates": _table([[_DAY, _DAY.replace(day=2 + at)] for at in range(6)]),
    "lists": _table([[[1], [2]]] * 6),
    "reals as ends": _table([[0.5, 1.5]] * 6),
    "unsigned": _table(_ENDS).cast(pyarrow.schema([("source", pyarrow.uint64()), ("target", pyarrow.int32())])),
    "none": _table(_ENDS).slice(0, 0),
    "none, with weights": _table(_ENDS, weight=[1, 2, 3, 4, 5, 6], other=["a"] * 6).slice(0, 0),
    "one": _table(_ENDS, weight=[1, 2, 3, 4, 5, 6]).slice(0, 1),
    "one column": pyarrow.table({"source": [1, 2]}),
    "other names": pyarrow.table({"end": [1, 2, 3], "other_end": [2, 1, 4], "value": [1, 2, 3]}),
    "decimals": _table(_ENDS, other=pyarrow.array([1, 2, 3, None, 5, 6], pyarrow.decimal128(9, 2))),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", [{}, {"compact": True}, {"one_based": True}, {"num_vertices": 6}], ids=str)
@pytest.mark.parametrize("table", _TABLES.values(), ids=_TABLES)
def test_tables(tmp_path: Path, table: pyarrow.Table, options: dict[str, Any]) -> None:
    path = tmp_path / "graph.parquet"
    for rows in (2, 100):
        parquet.write_table(table, path, row_group_size=rows)
        assert_as_alone(path, **options)
    other = tmp_path / "graph.arrow"
    for rows in (2, 100):
        with pyarrow.ipc.new_file(other, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
        assert_as_alone(other, **options)
    with pyarrow.ipc.new_stream(other, table.schema) as writer:
        writer.write_table(table)
    assert_as_alone(other, 2, **options)


@settings(max_examples=25, deadline=None)
@given(
    edge_lists(st.floats(-3, 3)),
    st.booleans(),
    st.sampled_from(["parquet", "arrow"]),
    st.sampled_from([{}, {"undirected": True}, {"dedup": "min"}, {"compact": True, "loops": False}]),
    st.sampled_from(SIZES),
)
def test_tables_of_gdsl(
    case: tuple[int, list[Any]], directed: bool, suffix: str, options: dict[str, Any], size: int
) -> None:
    graph = graph_of(*case, directed=directed)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/graph.{suffix}"
        write_graph(graph, path)
        assert_as_alone(path, size, **options)


def test_damaged_tables(tmp_path: Path) -> None:
    path = tmp_path / "graph.parquet"
    for content in (b"PAR1", b"PAR1 and nothing else PAR1", b""):
        path.write_bytes(content)
        assert_as_alone(path)
