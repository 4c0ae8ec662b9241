"""The sample `fewer_colors`: how few there are, and what is given that is no coloring."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import gdsl
from tests.oracles.library.choosing import check_fewer, first_fit

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def fewer(graph: gdsl.Graph, given: np.ndarray, backend: str = "cpu", **values: int) -> int:
    found = gdsl.samples.fewer_colors.run(graph, {"given": given, **values}, backend=backend)
    answers = {**found.scalars, **found.host_arrays()}
    check_fewer(graph, {"given": given}, answers)
    return int(answers["colors"])


def of(network: nx.Graph) -> gdsl.Graph:
    return gdsl.Graph.from_networkx(nx.convert_node_labels_to_integers(network))


@pytest.mark.parametrize("scale", [10, 12])
def test_about_as_few_as_greedy_by_falling_degree(scale: int) -> None:
    """Hubs of an R-MAT graph, colored in the order of the ids."""
    graph = gdsl.Graph.generate(f"rmat:{scale}")
    given = first_fit(graph, np.arange(graph.num_vertices))
    few = fewer(graph, given)
    network = nx.Graph(graph.to_networkx())
    network.remove_edges_from(nx.selfloop_edges(network))
    greedy = max(nx.greedy_color(network, "largest_first").values()) + 1
    assert few < 1.1 * greedy < given.max() + 1


@pytest.mark.parametrize(
    "backend", [pytest.param(each, marks=pytest.mark.slow) if each == "reference" else each for each in BACKENDS]
)
def test_as_few_as_there_can_be(backend: str) -> None:
    """Begun with a color for each vertex: a chain, a wheel, a tree, and what needs all it has."""
    chain = of(nx.path_graph(70))
    assert fewer(chain, np.arange(70), backend) <= 3
    assert fewer(of(nx.star_graph(300)), np.arange(301), backend) == 2
    assert fewer(of(nx.wheel_graph(9)), np.arange(9), backend) == 3
    assert fewer(of(nx.complete_graph(90)), np.arange(90)[::-1].copy(), backend) == 90
    assert fewer(chain, np.arange(70), backend, rounds=0) == 70


@pytest.mark.parametrize("scale", [10, 11])
def test_a_greedy_coloring_often_loses_a_color(scale: int) -> None:
    """Where no vertex can take a color from others, as within `rounds=1`, coloring once more by color still helps."""
    graph = gdsl.Graph.generate(f"rmat:{scale}")
    given = first_fit(graph, np.random.default_rng(1).permutation(graph.num_vertices))
    assert fewer(graph, given, rounds=1) < given.max() + 1


def test_colors_far_apart_need_no_pass_for_each() -> None:
    """Ten vertices of two billion colors, with and without rounds to lose them."""
    ring, far = of(nx.cycle_graph(10)), np.arange(10) * 200_000_000
    assert fewer(ring, far) <= 3
    assert fewer(ring, far, rounds=1) <= far.max() + 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_given_may_be_no_coloring(backend: str) -> None:
    """Nothing is changed then; self-loops are not counted, and a graph may have no edges or no vertices."""
    triangle = of(nx.Graph([(0, 1), (1, 2), (2, 0), (1, 1)]))
    found = gdsl.samples.fewer_colors.run(triangle, {"given": np.array([4, 7, 7])}, backend=backend)
    assert found.host_arrays()["color"].tolist() == [4, 7, 7]
    assert (found["clashes"], found["colors"]) == (2, 8)
    assert fewer(triangle, np.array([4, 7, 9]), backend) == 3
    assert fewer(gdsl.Graph.from_edges([], [], 3), np.array([0, 5, 2_147_483_646]), backend) == 1
    assert fewer(gdsl.Graph.from_edges([], [], 0), np.array([], np.int32), backend) == 0


def test_a_color_below_zero_is_refused() -> None:
    with pytest.raises(gdsl.GdslError, match="given"):
        gdsl.samples.fewer_colors.run(of(nx.path_graph(3)), {"given": np.array([0, -1, 0])}, backend="reference")
