"""`python -m bench.knobs`: its classes of graphs, the words that it tries, and a run from end to end. No time is
asserted."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from bench import knobs
from bench.graphs import made_graph
from bench.more_classes import MORE_CLASSES
from gdsl.plan.graph_class import GENERAL, REVISITED, WIDE


@pytest.mark.parametrize("name", MORE_CLASSES)
def test_graphs_are_the_same_each_time_and_symmetric_unless_they_say_so(name):
    graph, again = (made_graph(f"{name}600", np) for _ in range(2))
    keys = graph.edge_sources.astype(np.int64) * graph.num_vertices + graph.columns
    assert np.array_equal(graph.columns, again.columns) and np.array_equal(graph.weights, again.weights)
    assert graph.num_edges > 0 and np.all(np.diff(keys) >= 0)
    assert np.any(np.diff(keys) == 0) == np.any(graph.edge_sources == graph.columns) == MORE_CLASSES[name].parallel
    reversed_keys = np.sort(graph.columns.astype(np.int64) * graph.num_vertices + graph.edge_sources)
    assert np.array_equal(keys, reversed_keys) == (not MORE_CLASSES[name].directed)


def test_each_class_has_the_shape_of_its_name():
    degrees = {name: np.diff(made_graph(f"{name}1024", np).offsets) for name in MORE_CLASSES}
    assert set(degrees["hypercube"]) == {10} and set(degrees["complete"]) == {1023}
    assert degrees["binary_tree"].max() == 3 and degrees["grid3d"].max() == degrees["triangulation"].max() == 6
    assert degrees["roads"].max() == 4 and degrees["caterpillar"].max() == 101 and degrees["star_forest"].max() == 299
    assert np.sum(degrees["half_hub"] > 100) == 1 and degrees["lollipop"].max() == 512
    assert degrees["barabasi"].max() > 4 * degrees["barabasi"].mean() and degrees["clique_ring"].max() == 20


def test_every_word_that_a_form_has_is_tried():
    words = knobs.words_of("sssp")
    assert {"schedule.block=1024", "schedule.order=near_far", "without=small_frontiers", "relax.balance=thread"} <= {
        *words
    }
    assert len(words) == len(set(words)) and all(knobs.is_accepted("sssp", word) for word in words[:3])
    assert not knobs.is_accepted("pagerank", "schedule.order=near_far")


def test_the_code_of_a_word_is_that_of_the_classes_of_a_graph():
    ir = knobs._instance("sssp", knobs.AUTO)
    assert list(knobs._classes(ir, (1 << 20, 1 << 24, 20, 0.0))) == [GENERAL, REVISITED, WIDE]
    assert [each.narrow for each in knobs._classes(ir, (1 << 20, 1 << 22, 4, 0.0))] == [True]


def test_rows_from_end_to_end():
    options = ["--backend", "cpu", "--graphs", "binary_tree63", "--rows", "sssp-*,components-*", "--most", "3"]
    found = CliRunner().invoke(knobs.main, options)
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert "binary_tree63: (63, 124, 3, 1.0)" in lines[0] and "WRONG" not in found.output
    assert "sssp-binary_tree63: first " in lines[1] and "tries" in lines[1] and "components-" in lines[2]


def test_a_row_says_how_far_its_first_run_is_behind():
    found = {"row": "bfs-x", "problem": None, "first": 3.0, "auto": 2.0, "passes": 4, "edges_a_pass": 9, "check_s": 0.0,
             "words": {"a=1": 0.75, "b=1": 1.5, "c=1": None, "d=1": "wrong: x"}}  # fmt: skip
    assert knobs.line_of(found) == (
        "bfs-x: first 3, auto 2 (4 passes of 9 edges), best 1.5 (a=1), first run +100 %; 4 tries: a=1 0.75 b=1 1.5"
        " WRONG {'d=1': 'wrong: x'}"
    )
    assert knobs.line_of({"row": "bfs-x", "problem": "E0912: no memory"}) == "bfs-x: E0912: no memory"
