"""The benchmark's rows are there, its checks refuse wrong results, and it runs from end to end. No time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from bench import checks, loading, measure, report, rows, tuning
from bench.__main__ import main
from bench.graphs import BenchmarkGraph, load, made_graph
from bench.peers import Peer, PeerRun
from bench.works import DAMPING, WORKS
from gdsl.api.tuning_outcome import TuningOutcome
from gdsl.native import compiler

ROOT = Path(__file__).parents[2]
SOURCE = 0


@pytest.fixture(scope="module", params=["rmat8", "grid12"])
def graph(request) -> BenchmarkGraph:
    return made_graph(request.param, np)


def matrix(graph: BenchmarkGraph) -> csr_array:
    return csr_array((graph.weights.astype(np.float64), graph.columns, graph.offsets), shape=(graph.num_vertices,) * 2)


def breadth_first(graph: BenchmarkGraph) -> tuple[int, np.ndarray, np.ndarray]:
    source = graph.sources[SOURCE]
    order, before = breadth_first_order(matrix(graph), source)
    distance = np.full(graph.num_vertices, -1, np.int32)
    parent = np.full(graph.num_vertices, -1, np.int32)
    distance[source] = 0
    for vertex in order[1:]:
        parent[vertex] = before[vertex]
        distance[vertex] = distance[before[vertex]] + 1
    return source, distance, parent


def changed(array: np.ndarray, index: int, value: object) -> np.ndarray:
    other = array.copy()
    other[index] = value
    return other


def test_rows_of_the_table_are_there():
    names = {row.name for row in rows.default_rows("cuda")}
    assert names >= set(rows.TO_REACH) | set(rows.TARGETS)
    assert names >= {f"compile_{state}-{sample}" for state in ("cold", "cached") for sample in rows.SAMPLES}
    for work in WORKS.values():
        assert work.program.is_file()
    assert {path.stem for path in (ROOT / "samples").glob("*.gdsl")} >= set(rows.SAMPLES)


@pytest.mark.slow
def test_peers_that_find_something_else_are_told():
    class Miscounting(Peer):
        name = "miscounting"
        works: ClassVar[dict[str, str]] = {"triangles": "triangles", "k_core": "timed_only"}

        def triangles(self, _):
            return PeerRun(1.0, lambda: -1.0)

        def timed_only(self, _):
            return PeerRun(1.0)

    made = load("rmat6", "cpu", 2)
    peers = [Miscounting(None, made, 1)]
    counted = measure.measure(rows.Row("triangles", "rmat6"), made, "cpu", 1, peers)
    assert counted.problem.startswith("miscounting finds -1 instead of ")
    assert counted.peers == {"miscounting": 1.0}
    assert measure.measure(rows.Row("k_core", "rmat6"), made, "cpu", 1, peers).problem is None
    assert measure.measure(rows.Row("components", "rmat6"), made, "cpu", 1, peers).peers == {}


@pytest.mark.parametrize(
    ("more_is_better", "theirs", "right"),
    [
        (False, 96, True),
        (False, 106, False),
        (False, 80, False),
        (True, 80, True),
        (True, 120, False),
        (True, 103, True),
    ],
)
def test_answers_within_a_tolerance(more_is_better, theirs, right):
    work = replace(WORKS["triangles"], tolerance=0.05, more_is_better=more_is_better)
    runs = {"peer": PeerRun(1.0, lambda: float(theirs))}
    assert (measure.disagreement(work, load("rmat4", "cpu", 1), {"triangles": 100}, runs) is None) == right


def test_rows_that_knobs_make_much_faster_are_told():
    """More than a tenth: there what decides is to be mended."""
    measured = []
    for work, tuned in (("bfs", 9.2), ("sssp", 8.5), ("pagerank", 10.0), ("components", None)):
        found = None if tuned is None else TuningOutcome((f"{work}.balance=merge",) if tuned < 10 else (), 10.0, tuned)
        measured.append(measure.Measurement(rows.Row(work, "rmat9"), tuned=found))
    pagerank, bfs, sssp = tuning.lines(measured)
    assert pagerank.startswith("pagerank-rmat9: 10.000 ms as it is, 10.000 tuned, 0.0 % less: auto is good (no knobs;")
    assert "bfs-rmat9" in bfs and "8.0 % less: auto is good (bfs.balance=merge;" in bfs
    assert "15.0 % less: auto is to be mended (sssp.balance=merge;" in sssp
    document = json.loads(report.document(measured, "cpu", {}, {}))
    told = [row["tuned"] and row["tuned"]["auto_is_good"] for row in document["rows"]]
    assert told == [True, False, True, None]


def test_rows_by_name_and_pattern():
    assert [row.name for row in rows.chosen_rows("cuda", ["bfs-rmat9"], ())] == ["bfs-rmat9"]
    assert len(rows.chosen_rows("cuda", ["bfs*-rmat22"], ())) == 2
    assert {row.graph for row in rows.chosen_rows("cpu", [], ("grid7",))} == {"grid7"}
    mixed = rows.chosen_rows("cuda", ["bfs-rmat22", "bfs-grid3000", "sssp-rmat22"], ())
    assert [row.graph for row in mixed] == ["rmat22", "rmat22", "grid3000"]
    for wrong in ("dfs-rmat22", "bfs-torus9", "bfs", "compile_cold-nothing"):
        with pytest.raises(ValueError, match="is no"):
            rows.chosen_rows("cuda", [wrong], ())


@pytest.mark.parametrize("word", ["call_*", "map_?fs-*", "load_*", "compile_c*"])
def test_rows_with_graphs_of_their_own(word):
    assert rows.chosen_rows("cpu", [word], ())
    with pytest.raises(ValueError, match="graphs of their own: leave --graphs out"):
        rows.chosen_rows("cpu", [word], ("rmat9",))
    with pytest.raises(ValueError, match="is no row"):
        rows.chosen_rows("cpu", ["torus*"], ("rmat9",))
    named = rows.chosen_rows("cpu", ["call_bfs-rmat7", "bfs-rmat18"], ("rmat9",))
    assert [row.name for row in named] == ["call_bfs-rmat7", "bfs-rmat18"]


@pytest.mark.parametrize("work", rows.LOADINGS)
def test_loading(monkeypatch, work):
    """Every kind of file, and given edges; another graph than was written, or given, is told."""
    (row,) = rows.chosen_rows("cpu", [f"{work}-rmat6"], ())
    found = loading.measure_loading(row, "cpu", 2)
    assert found.problem is None
    assert len(found.series[0].times_ms) == 2
    other = loading.open_graph("rmat:5")
    monkeypatch.setattr(loading, "_in_order", lambda _: other)
    assert loading.measure_loading(row, "cpu", 1).problem == "another graph"
    with pytest.raises(ValueError, match="goes with rmatSCALE"):
        rows.chosen_rows("cpu", [f"{work}-grid9"], ())


def test_graphs_from_files(tmp_path):
    """Both ways, without loops and parallel edges, whatever the file has; its rows take its path."""
    path = tmp_path / "some-graph.mtx"
    arcs = "1 2\n2 1\n2 3\n3 3\n4 2\n4 2\n"
    path.write_text(f"%%MatrixMarket matrix coordinate pattern general\n5 5 6\n{arcs}", encoding="utf-8")
    made = load(str(path), "cpu", 9)
    assert set(zip(made.edge_sources.tolist(), made.columns.tolist(), strict=True)) == {
        *((0, 1), (1, 0), (1, 2), (2, 1), (1, 3), (3, 1))
    }
    assert sorted(made.sources) == [0, 1, 2, 3]
    (row,) = rows.chosen_rows("cpu", [f"components-{path}"], ())
    assert (row.work, row.graph, row.title) == ("components", str(path), "components-some-graph.mtx")
    assert {row.graph for row in rows.chosen_rows("cpu", [], (str(path),))} == {str(path)}
    assert measure.measure(row, made, "cpu", 1).problem is None
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has no edges between different vertices"):
        load(str(path), "cpu")


def test_made_graphs_are_simple_and_symmetric(graph):
    own = graph.graph
    forth, back = (own.edge_sources, own.columns), (own.columns, own.edge_sources)
    assert own.first_duplicate_or_loop() is None
    weights = dict(zip(zip(*forth, strict=True), graph.weights, strict=True))
    assert weights == dict(zip(zip(*back, strict=True), graph.weights, strict=True))
    assert np.array_equal(graph.edge_sources, own.edge_sources)
    assert graph.weights.min() >= 1
    assert len(set(graph.sources)) == 4
    assert all(own.out_degrees[graph.sources] > 0)


@pytest.mark.parametrize("name", ["directed_rmat8", "one_way_grid12"])
def test_directed_graphs_are_simple_and_one_way(name):
    own = load(name, "cpu").graph
    forth = set(zip(own.edge_sources.tolist(), own.columns.tolist(), strict=True))
    assert own.directed and own.first_duplicate_or_loop() is None
    assert any((head, tail) not in forth for tail, head in forth)
    assert any((head, tail) in forth for tail, head in forth)


@pytest.mark.parametrize("name", ["directed_rmat8", "one_way_grid12"])
def test_rows_of_strong_components_are_directed_graphs(name):
    row = rows.Row("strongly_connected_components", name)
    assert rows.chosen_rows("cpu", [row.name], ()) == [row]
    assert [each.graph for each in rows.default_rows("cpu") if each.work == row.work] == [*rows.DIRECTED_GRAPHS["cpu"]]
    assert [each.work for each in rows.default_rows("cpu", (name,))] == [row.work]
    with pytest.raises(ValueError, match="measured on symmetric graphs"):
        rows.chosen_rows("cpu", [f"bfs-{name}"], ())
    made = load(name, "cpu")
    assert measure.measure(row, made, "cpu", 1).problem is None
    labels = np.zeros(made.num_vertices, np.int32)
    assert "components" in (WORKS[row.work].check(made, {"component": labels}, None) or "")


def test_sources_do_not_change_with_their_number():
    assert made_graph("rmat8", np, 2).sources == made_graph("rmat8", np, 2).sources
    assert len(load("grid5", "cpu", 6).sources) == 6


def test_levels(graph):
    source, distance, _ = breadth_first(graph)
    last = int(distance.argmax())
    assert checks.check_levels(graph, source, distance) is None
    for wrong in (
        changed(distance, last, distance[last] + 1),
        changed(distance, last, distance[last] - 1),
        changed(distance, last, -1),
        changed(distance, source, 1),
        changed(distance, last, -2),
        np.where(distance > 0, distance + 1, distance),
        distance[:-1],
    ):
        assert checks.check_levels(graph, source, wrong) is not None
    for unreached in np.flatnonzero(distance < 0)[:1]:
        assert checks.check_levels(graph, source, changed(distance, unreached, 3)) is not None


def test_parents(graph):
    source, distance, parent = breadth_first(graph)
    last = int(distance.argmax())
    stranger = int(np.setdiff1d(np.arange(graph.num_vertices), graph.columns[graph.edge_sources == last])[0])
    assert checks.check_parents(graph, source, distance, parent) is None
    for wrong in (
        changed(parent, last, -1),
        changed(parent, last, last),
        changed(parent, last, stranger),
        changed(parent, source, int(graph.columns[graph.offsets[source]])),
        changed(parent, int(parent[last]), last),  # a neighbor, but a level farther
    ):
        assert checks.check_parents(graph, source, distance, wrong) is not None


def test_shortest_distances(graph):
    source = graph.sources[SOURCE]
    distance = dijkstra(matrix(graph), indices=source).astype(np.float32)
    finite = np.where(np.isfinite(distance), distance, -1)
    last = int(finite.argmax())
    assert checks.check_shortest(graph, source, distance) is None
    for wrong in (
        changed(distance, last, distance[last] + 1),
        changed(distance, last, distance[last] - 1),
        changed(distance, last, np.inf),
        changed(distance, last, np.nan),
        changed(distance, source, 1),
        np.zeros_like(distance),
    ):
        assert checks.check_shortest(graph, source, wrong) is not None


def test_shortest_distances_that_lose_prices_in_rounding():
    """2^24 + 1 is 2^24 in float32. A cycle of vertices of equal distance explains none of them."""
    far = float(2**24)
    sources, columns = np.array([0, 1, 2, 4, 5]), np.array([1, 2, 3, 5, 4])
    weights = np.array([far, 1, 1, 1, 1], np.float32)
    graph = SimpleNamespace(
        module=np, num_vertices=6, num_edges=5, edge_sources=sources, columns=columns, weights=weights
    )
    assert checks.check_shortest(graph, 0, np.array([0, far, far, far, np.inf, np.inf], np.float32)) is None
    found = checks.check_shortest(graph, 0, np.array([0, far, far, far, far, far], np.float32))
    assert found == "2 distances come from no edge"


def test_ranks(graph):
    expected = checks.iterated_ranks(graph, DAMPING, 20)
    rank = expected.astype(np.float32)
    smallest = int(rank.argmin())
    assert expected.sum() == pytest.approx(1)
    assert checks.check_ranks(graph, rank, expected) is None
    for wrong in (
        changed(rank, smallest, rank[smallest] * 1.01),
        changed(rank, smallest, np.nan),
        rank * np.float32(1.001),
        checks.iterated_ranks(graph, DAMPING, 3).astype(np.float32),
        np.full_like(rank, 1 / len(rank)),
    ):
        assert checks.check_ranks(graph, wrong, expected) is not None


def test_components():
    graph = load("grid12", "cpu")
    own = graph.graph
    far = own.edge_sources < 72  # the lower half loses its edges: more than one component
    keep = far & (own.columns < 72)
    cut = type(own).from_edges(own.edge_sources[keep], own.columns[keep], own.num_vertices)
    graph = BenchmarkGraph("cut", cut, np, cut.offsets, cut.columns, cut.edge_sources, [0], np.ones(cut.num_edges))
    count, labels = connected_components(matrix(graph), directed=False)
    smallest = np.array([np.flatnonzero(labels == label)[0] for label in range(count)])
    component = smallest[labels].astype(np.int32)
    assert checks.number_of_components(graph) == checks.counted_by_labels(graph) == count
    assert checks.check_components(graph, component) is None
    inner = int(np.flatnonzero(component < np.arange(len(component)))[0])
    second = int(np.flatnonzero(component == np.arange(len(component)))[1])
    largest = np.where(component == component[inner], inner, component)
    for wrong in (
        changed(component, inner, inner),
        changed(component, inner, -1),
        largest,
        np.where(component == second, component[0], component),  # two components made one
        np.arange(len(component), dtype=np.int32),
    ):
        assert checks.check_components(graph, wrong) is not None


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_the_whole_on_the_cpu(tmp_path):
    path = tmp_path / "bench.json"
    quickly = f"from gdsl.native import compiler; compiler.OPTIONS = {compiler.OPTIONS}"  # as tests/conftest.py has it
    command = [sys.executable, "-c", f"{quickly}; from bench.__main__ import main; main()"]
    command += ["--backend", "cpu", "--graphs", "rmat7", "--repeat", "1", "--sources", "2", "--no-peers"]
    command += ["--threads", "1", "--json", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(path.read_text(encoding="utf-8"))
    works = [work for work in WORKS.values() if not work.directed]
    assert [row["row"] for row in document["rows"]] == [f"{work.name}-rmat7" for work in works]
    assert all(row["right"] and row["ms"] > 0 for row in document["rows"])
    assert [len(row["series"]) for row in document["rows"]] == [1 + work.takes_source for work in works]
    assert all(series["first_ms"] > 0 for row in document["rows"] for series in row["series"])
    notes = {row["row"]: row["notes"] for row in document["rows"]}
    assert "colors" in notes["coloring-rmat7"][0]
    assert all(row["row"] in done.stdout for row in document["rows"])


def test_unknown_rows_are_a_mistake_of_use():
    command = [sys.executable, "-m", "bench", "--rows", "bfs-ring9"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "ring9" in done.stderr


def test_memory_is_for_the_gpu_and_a_size() -> None:
    runner = CliRunner()
    for words, said in (
        (["--memory", "2 apples"], "memory must be auto, device, host or a size such as 2GB"),
        (["--memory", "2GB", "--backend", "cpu"], "--memory is for the cuda backend"),
    ):
        found = runner.invoke(main, [*words, "--list"])
        assert found.exit_code == 2 and said in found.output
    assert runner.invoke(main, ["--memory", "2GB", "--list"]).exit_code == 0
