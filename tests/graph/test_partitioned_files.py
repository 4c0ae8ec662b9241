"""Archives, generated graphs and formats that are not read in parts: workers get the graph that one process reads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl import Graph
from gdsl.graph import write as write_graph
from gdsl.graph.partitioned import owners, read
from gdsl.graph.partitioned.owners import _lists
from gdsl.graph.shares import GraphShare
from tests.graph.graph_cases import edge_lists, graph_of
from tests.graph.partitioned_cases import SIZES, assert_as_alone, shares_or_error, write
from tests.support.thread_group import run_group

_QUICK = settings(max_examples=25, deadline=None)
_OPTIONS = st.sampled_from(
    [
        {},
        {"undirected": True},
        {"dedup": "sum"},
        {"dedup": "max", "undirected": True},
        {"loops": False, "compact": True},
        {"weights": "random:3", "compact": True},
        {"reverse_arcs": True},
    ]
)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "spec",
    [
        *("rmat:0", "rmat:5", "rmat:6:3:seed=7", "grid:7", "grid:1x9", "grid:9x1:keep=1", "grid:4x3:keep=0.5:seed=3"),
        *("uniform:9:20", "uniform:0:0", "uniform:1:0", "uniform:20:190", "rmat:99", "grid:x", "uniform:3:9"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"weights": "random:5"}, {"compact": True}], ids=str)
def test_generated_graphs(spec: str, options: dict[str, Any]) -> None:
    assert_as_alone(spec, **options)


def test_a_share_of_a_large_generated_graph_is_that_of_the_graph() -> None:
    assert_as_alone("rmat:12:9", 3)
    assert_as_alone("uniform:5000:30000", 4)


@_QUICK
@given(
    edge_lists(st.integers(-3, 3)),
    st.sampled_from(["csr", "csc", "coo", "bsr"]),
    st.booleans(),
    _OPTIONS,
    st.sampled_from(SIZES),
)
def test_archives(
    case: tuple[int, list[Any]], layout: str, compressed: bool, options: dict[str, Any], size: int
) -> None:
    count, edges = case
    rows, columns, values = zip(*edges, strict=True) if edges else ((), (), ())
    matrix = scipy.sparse.coo_array((np.array(values, np.int64), (rows, columns)), shape=(count, count))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/matrix.npz"
        scipy.sparse.save_npz(path, matrix if layout == "coo" else matrix.asformat(layout), compressed)
        assert_as_alone(path, size, **options)


@_QUICK
@given(edge_lists(st.integers(-3, 3)), st.booleans(), _OPTIONS, st.sampled_from(SIZES))
def test_archives_of_gdsl(case: tuple[int, list[Any]], directed: bool, options: dict[str, Any], size: int) -> None:
    graph = graph_of(*case, directed=directed)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/graph.npz"
        write_graph(graph, path)
        assert_as_alone(path, size, **options)


@pytest.mark.parametrize("data", [[1, 2, 3], [True, True, True], [1.5, 2.5, float("nan")]], ids=str)
@pytest.mark.sampled(3)
def test_damaged_archives(tmp_path: Path, data: list[Any]) -> None:
    path = str(tmp_path / "matrix.npz")
    good = {
        "format": b"csr",
        "shape": np.array([3, 3]),
        "indptr": np.array([0, 1, 2, 3]),
        "indices": np.array([1, 2, 0]),
        "data": np.array(data),
    }
    worse: list[dict[str, Any]] = [
        {},
        {"indices": np.array([1, 2, 3])},
        {"indices": np.array([1, -2, 0])},
        {"indptr": np.array([0, 2, 1, 3])},
        {"indptr": np.array([1, 1, 2, 3])},
        {"indptr": np.array([0, 1, 2, 2])},
        {"indptr": np.array([0, 1, 3])},
        {"shape": np.array([3, 4])},
        {"format": b"dok"},
        {"gdsl_directed": np.array(False)},
        {"gdsl_directed": np.array(False), "indices": np.array([0, 2, 1])},
    ]
    for changes in worse:
        np.savez(path, **{**good, **changes})
        assert_as_alone(path)
    content = Path(path).read_bytes()
    for at in range(0, len(content), 37):
        write(tmp_path, content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :], "npz")
        assert_as_alone(tmp_path / "graph.npz", 2)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("suffix", ["graphml", "gml", "csv.gz", "mtx.xz", "npz"])
def test_what_is_not_read_in_parts_is_sent(tmp_path: Path, suffix: str, size: int) -> None:
    names = {"names": True} if suffix == "csv.gz" else {}
    graph = Graph.from_table({"a": ["x", "y", "ü", "x"], "b": ["y", "z", "x", "y"], "weight": [1, 2, 3, 4]})
    path = str(tmp_path / f"graph.{suffix}")
    if not names and suffix not in ("graphml", "gml"):
        graph = graph_of(4, [(0, 1, 2), (1, 2, 3), (3, 3, 1), (0, 1, 5)])
    write_graph(graph, path)
    assert_as_alone(path, size)
    _, notices = shares_or_error(path, size)
    assert any("worker 0 reads all of it" in each for each in notices) == (size > 1 and suffix != "npz")


def test_a_graph_that_comes_with_gdsl() -> None:
    assert_as_alone("karate", undirected=True)


def test_workers_that_read_one_graph_after_another_stay_in_step(tmp_path: Path) -> None:
    good, bad = write(tmp_path, "0 1\n1 2\n"), write(tmp_path, "0 1\n1 x\n", "csv")

    def work(communicator: Any) -> list[Any]:
        found: list[Any] = []
        for path in (good, bad, good, bad, good):
            try:
                found.append(read(path, communicator))
            except Exception as error:
                found.append(str(error))
        return found

    for results in run_group(3, work):
        kinds = [isinstance(each, GraphShare) for each in results]
        assert kinds == [True, False, True, False, True] and results[1] == results[3]


def test_a_worker_that_cannot_read_the_file_stops_all(tmp_path: Path) -> None:
    good = write(tmp_path, "0 1\n1 2\n")

    def work(communicator: Any) -> str:
        with pytest.raises(Exception, match="E0701") as caught:
            read(good if communicator.rank != 1 else str(tmp_path / "elsewhere.edges"), communicator)
        return str(caught.value)

    assert len(set(run_group(3, work))) == 1


def _failing(error: BaseException, at_rank: int) -> Any:
    """`_lists`, which fails for one worker: that with the vertices from `at_rank` on, of which each has one."""

    def fail(edges: Any, first: int, count: int) -> Any:
        if first == at_rank:
            raise error
        return _lists(edges, first, count)

    return fail


@pytest.mark.parametrize(("error", "text"), [(MemoryError(), "E0708"), (ValueError("oh"), "oh")])
@pytest.mark.parametrize("rank", range(3))
def test_what_one_worker_raises_is_raised_by_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, text: str, rank: int
) -> None:
    path = write(tmp_path, "0 1\n1 2\n2 0\n")
    monkeypatch.setattr(owners, "_lists", _failing(error, rank))

    def work(communicator: Any) -> str:
        with pytest.raises(Exception, match=text) as caught:
            read(path, communicator)
        return str(caught.value)

    assert len(set(run_group(3, work))) == 1


def test_an_interrupt_of_one_worker_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "0 1\n1 2\n2 0\n")
    monkeypatch.setattr(owners, "_lists", _failing(KeyboardInterrupt(), 1))
    with pytest.raises(KeyboardInterrupt):
        run_group(3, lambda communicator: read(path, communicator))


def test_more_workers_than_vertices(tmp_path: Path) -> None:
    assert_as_alone(write(tmp_path, "source,target\nb,a\na,ü\nü,b\n", "csv"), 40)
    assert_as_alone("grid:3", 40, weights="random:1")
