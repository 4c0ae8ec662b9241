"""The classes of graphs: what they promise of their edges, the rows over them, and the summary beside peers."""

from __future__ import annotations

import numpy as np
import pytest

from bench import rows, summary
from bench.classes import CLASSES
from bench.graphs import made_graph, split_name
from bench.measure import Measurement
from bench.works import ROOT, WORKS


@pytest.mark.parametrize("name", CLASSES)
def test_graphs_are_simple_and_the_same_each_time(name):
    graph, again = (made_graph(f"{name}3000", np) for _ in range(2))
    keys = graph.edge_sources.astype(np.int64) * graph.num_vertices + graph.columns
    assert np.array_equal(graph.columns, again.columns) and np.array_equal(graph.weights, again.weights)
    assert graph.num_edges > 0 and np.all(np.diff(keys) > 0) and np.all(graph.edge_sources != graph.columns)
    reversed_keys = np.sort(graph.columns.astype(np.int64) * graph.num_vertices + graph.edge_sources)
    assert np.array_equal(keys, reversed_keys) == (not CLASSES[name].directed)
    assert graph.weights.min() >= 1 and graph.weights.max() <= CLASSES[name].largest_weight


def test_each_class_has_the_shape_of_its_name():
    made = {name: made_graph(f"{name}6000", np) for name in CLASSES}
    largest = {name: int(np.diff(graph.offsets).max()) for name, graph in made.items()}
    assert largest["hubs"] >= made["hubs"].num_vertices - 20
    assert largest["mesh"] == 6 and largest["chain_of_cycles"] <= 2 and largest["kmer"] <= 12
    assert made["random_tree"].num_edges == 2 * (made["random_tree"].num_vertices - 1)
    assert made["stars"].num_edges == 2 * (made["stars"].num_vertices - 60) and largest["stars"] > 1000
    mean = made["hub_chain"].num_edges / made["hub_chain"].num_vertices
    assert largest["layers"] <= 4 and largest["hub_chain"] > 2 * mean
    items = made["bipartite"].num_vertices // 5
    assert np.all((made["bipartite"].edge_sources < items) != (made["bipartite"].columns < items))


def test_rows_of_the_classes():
    chosen = rows.chosen_rows("cuda", [], (), by_class=True)
    assert {row.work for row in chosen} == set(rows.TWELVE) <= set(WORKS)
    assert {split_name(row.graph)[0] for row in chosen} >= set(CLASSES)
    for row in chosen:
        assert WORKS[row.work].directed == (split_name(row.graph)[0] in rows.DIRECTED)
    few = rows.chosen_rows("cuda", ["bfs-*"], ("rgg", "hubs5000"), by_class=True)
    assert [row.name for row in few] == ["bfs-rgg", "bfs-hubs5000"]
    with pytest.raises(ValueError, match="a class, one of rgg"):
        rows.chosen_rows("cuda", [], ("rggs",), by_class=True)


def test_the_summary_names_the_worst_first():
    measured = [Measurement(rows.Row(*name.split("-")), ms=ms) for name, ms in
                {"bfs-rgg": 2.0, "bfs-kmer": 1.0, "sssp-rgg": 4.0, "sssp-hubs": 1.0}.items()]  # fmt: skip
    wrong = Measurement(rows.Row("sssp", "kmer"), ms=1.0, problem="wrong")
    times = {"bfs-rgg": {"a": 1.0, "b": 9.0}, "bfs-kmer": {"a": 4.0}, "sssp-rgg": {"b": 1.0}, "sssp-kmer": {"a": 0.1}}
    summary.add_peer_times([*measured, wrong], times)
    assert summary.lines([*measured, wrong]) == [
        "3 rows with peers: 0.79x the best peer, first on 1",
        "by work: sssp 0.25x, bfs 1.41x",
        "by graph: rgg 0.35x, kmer 4.00x",
        "behind: sssp-rgg 4.000 ms, b 1.000 (0.25x)",
        "behind: bfs-rgg 2.000 ms, a 1.000 (0.50x)",
    ]
    assert summary.lines([Measurement(rows.Row("bfs", "rgg"), ms=1.0)])[0].startswith("no row has both")


def test_the_measured_peer_times_belong_to_rows_of_the_classes():
    times = summary.read_peer_times(ROOT / "bench" / "peer_times.json")
    assert times.keys() <= {row.name for row in rows.class_rows("cuda")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is no JSON"),
        ("[1]", "expected an object of rows"),
        ('{"bfs-rgg": 3}', "'bfs-rgg' must have positive milliseconds"),
        ('{"bfs-rgg": {"a": -1}}', "'bfs-rgg' must have positive milliseconds"),
        ('{"bfs-rgg": {"a": true}}', "'bfs-rgg' must have positive milliseconds"),
        (None, "cannot be read: No such file"),
    ],
)
def test_files_of_peer_times_are_checked(tmp_path, text, message):
    path = tmp_path / "peers.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=message):
        summary.read_peer_times(path)
