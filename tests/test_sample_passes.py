"""Samples whose work is bounded: passes (`max_iterations` bounds every loop) and visits of edges do not grow with the
length of paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

import gdsl
from tests.oracles.library.choosing import check_coloring, first_fit
from tests.oracles.library.components import check_strong

COUNT = 20_000


def chain(*, both_ways: bool, closed: bool, shuffled: bool, parent: int = 1) -> gdsl.Graph:
    """A path or tree: from each vertex, one of up to `parent` before it to itself; `closed`: back to the first."""
    random = np.random.default_rng(3)
    ids = random.permutation(COUNT) if shuffled else np.arange(COUNT)
    heads = np.arange(1, COUNT)
    tails = np.maximum(heads - 1 - random.integers(0, parent, COUNT - 1), 0)
    if closed:
        tails, heads = np.append(tails, COUNT - 1), np.append(heads, 0)
    return gdsl.Graph.from_edges(ids[tails], ids[heads], COUNT, directed=not both_ways)


CHAINS = {
    "cycle": chain(both_ways=False, closed=True, shuffled=False),
    "shuffled cycle": chain(both_ways=False, closed=True, shuffled=True),
    "path": chain(both_ways=False, closed=False, shuffled=False),
    "shuffled path": chain(both_ways=False, closed=False, shuffled=True),
    "two-way path": chain(both_ways=True, closed=False, shuffled=False),
    "shuffled two-way path": chain(both_ways=True, closed=False, shuffled=True),
    "two-way tree": chain(both_ways=True, closed=False, shuffled=False, parent=20),
    "shuffled two-way tree": chain(both_ways=True, closed=False, shuffled=True, parent=20),
    "grid": gdsl.Graph.generate("grid:100"),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", CHAINS)
def test_strong_components_take_shortcuts(name: str) -> None:
    graph = CHAINS[name]
    result = gdsl.compile("strongly_connected_components").run(graph, backend="cpu", max_iterations=256)
    check_strong(graph, {}, result.host_arrays())


def grid(side: int, against: float, both: float, shuffled: bool = False) -> gdsl.Graph:
    """A grid, of whose edges some point against the others and some both ways."""
    random = np.random.default_rng(3)
    vertices = random.permutation(side * side) if shuffled else np.arange(side * side)
    cells = vertices.reshape(side, side)
    tails = np.concatenate([cells[:, :-1].ravel(), cells[:-1].ravel()])
    heads = np.concatenate([cells[:, 1:].ravel(), cells[1:].ravel()])
    draw = random.random(tails.size)
    turned, two_way = draw < against, draw > 1 - both
    ends = np.where(turned, heads, tails), np.where(turned, tails, heads)
    return gdsl.Graph.from_edges(
        np.concatenate([ends[0], heads[two_way]]), np.concatenate([ends[1], tails[two_way]]), side * side
    )


@pytest.mark.parametrize(
    "graph, visits",
    [
        (grid(150, against=0.35, both=0.15), 80),
        (grid(80, against=0.5, both=0), 90),
        (grid(80, against=0, both=0, shuffled=True), 4),
        (grid(220, against=0, both=0, shuffled=True), 4),
        (gdsl.Graph.generate("rmat:11"), 4),
    ],
    ids=["one-way grid", "grid of one-way edges", "grid without cycles", "larger grid without cycles", "rmat"],
)
def test_strong_components_visit_edges_a_few_times(graph: gdsl.Graph, visits: int) -> None:
    """A search that goes on for as long as information spreads visits them as often as the grid has rows, and more."""
    result = gdsl.compile("strongly_connected_components").run(graph, backend="cpu")
    check_strong(graph, {}, result.host_arrays())
    assert sum(record.edges or 0 for record in result.trace) <= visits * graph.num_edges


def of(network: nx.Graph) -> gdsl.Graph:
    return gdsl.Graph.from_networkx(nx.convert_node_labels_to_integers(network))


def hubs(count: int, known: int = 10) -> gdsl.Graph:
    """A few vertices that all others know, each of which knows two more."""
    everybody = np.arange(known, count)
    tails = np.concatenate([np.repeat(np.arange(known), everybody.size), everybody])
    heads = np.concatenate([np.tile(everybody, known), np.random.default_rng(4).permutation(everybody)])
    kept = tails != heads
    return gdsl.Graph.from_edges(tails[kept], heads[kept], count, directed=False)


COLORED: dict[str, Callable[[], gdsl.Graph]] = {
    "hubs": lambda: hubs(3000),
    "complete": lambda: of(nx.complete_graph(150)),
    "rmat": lambda: gdsl.Graph.generate("rmat:11"),
    "grid": lambda: gdsl.Graph.generate("grid:60"),
    "star": lambda: of(nx.star_graph(500)),
    "chain": lambda: CHAINS["shuffled two-way path"],
    "tree": lambda: CHAINS["two-way tree"],
    "small world": lambda: of(nx.watts_strogatz_graph(1000, 10, 0.01, seed=1)),
    "mesh": lambda: of(nx.triangular_lattice_graph(30, 30)),
    "long chain": lambda: of(nx.path_graph(100_000)),
    "geometric": lambda: of(nx.random_geometric_graph(1500, 0.05, seed=1)),
    "preferential": lambda: of(nx.barabasi_albert_graph(1500, 8, seed=1)),
    "random": lambda: of(nx.gnm_random_graph(1000, 10_000, seed=1)),
    "bipartite": lambda: of(nx.bipartite.gnmk_random_graph(800, 800, 8000, seed=1)),
    "loops and parallel edges": lambda: gdsl.Graph.from_edges(
        [0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 2, 2], 4, directed=False
    ),
    "no edges": lambda: gdsl.Graph.from_edges([], [], 3),
}


def mixed(ids: NDArray[Any]) -> NDArray[Any]:
    """What decides among vertices of one degree."""
    once = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (once ^ once >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "long chain" else ()) for name in COLORED]
)
def test_colorings_have_about_as_many_colors_as_greedy_by_degree(name: str) -> None:
    """Some more where an order of the ids suits the graph. Rounds are few: a vertex seldom waits for all before it."""
    more = {"long chain": 1, "tree": 1, "small world": 1, "bipartite": 1, "mesh": 2}.get(name, 0)
    graph = COLORED[name]()
    result = gdsl.compile("coloring").run(graph, {}, backend="cpu")
    check_coloring(graph, {}, {"color": result.color, "colors": result.colors})
    greedy = first_fit(graph, np.argsort(-graph.out_degrees, kind="stable"))
    assert result.colors <= greedy.max() + 1 + more
    assert sum(record.label == "look" for record in result.trace) <= int(result.colors) * 2 + 24
    again = gdsl.compile("coloring").run(graph, {}, backend="cpu")
    assert np.array_equal(result.color, again.color)


@pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_colorings_are_greedy_by_degree(backend: str) -> None:
    """In this order, vertex after vertex: also where there are more than 16 colors, or 256."""
    random = np.random.default_rng(7)
    graphs = [graph() for name, graph in COLORED.items() if name not in ("chain", "tree", "long chain", "grid")]
    graphs.append(of(nx.complete_graph(300)))
    for count in (1, 2, 9, 40, 160):
        tails, heads = random.integers(0, count, (2, count * int(random.integers(1, 2 * count + 1))))
        graphs.append(gdsl.Graph.from_edges(tails, heads, count, directed=False))
    for number, graph in enumerate(graphs):
        first = np.lexsort((mixed(np.arange(graph.num_vertices)), graph.out_degrees))[::-1]
        result = gdsl.compile("coloring").run(graph, {}, backend=backend)
        assert np.array_equal(result.host_arrays()["color"], first_fit(graph, first)), number
