"""Results that workers write in parts, as Parquet files."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdsl
from tests.clusters.test_result_parts import GRAPHS, TEXT, check_results

tables = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=list(GRAPHS))
def test_tables_are_the_results_of_one_process(graph: gdsl.Graph, tmp_path: Path) -> None:
    check_results(gdsl.compile(TEXT), graph, "out.parquet", tmp_path)
    vertices, edges = (tables.read_table(tmp_path / "out.parquet" / over) for over in ("vertices", "edges"))
    assert vertices.column_names == ["vertex", "level", "best.0", "best.1", "several.0", "several.1"]
    assert edges.column_names == ["edge", "source", "target", "length", "toll"]
    assert vertices.column("vertex").to_pylist() == [*range(graph.num_vertices)]
    assert edges.column("edge").to_pylist() == [*range(graph.num_edges)]
    assert edges.column("source").to_pylist() == graph.edge_sources.tolist()
    assert edges.column("target").to_pylist() == graph.columns.tolist()
