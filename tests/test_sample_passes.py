"""Samples whose number of passes grows with the logarithm of a graph, and not with the length of its paths or the
colours of its densest part: `max_iterations` bounds every one of their loops."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from tests.oracles.library.choosing import check_coloring
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
        (grid(80, against=0.5, both=0), 120),
        (grid(80, against=0, both=0, shuffled=True), 4),
        (gdsl.Graph.generate("rmat:11"), 4),
    ],
    ids=["one-way grid", "grid of one-way edges", "grid without cycles", "rmat"],
)
def test_strong_components_visit_edges_a_few_times(graph: gdsl.Graph, visits: int) -> None:
    """A search that goes on for as long as information spreads visits them as often as the grid has rows, and more."""
    result = gdsl.compile("strongly_connected_components").run(graph, backend="cpu")
    check_strong(graph, {}, result.host_arrays())
    assert sum(record.edges or 0 for record in result.trace) <= visits * graph.num_edges


def complete(count: int) -> gdsl.Graph:
    tails, heads = np.triu_indices(count, 1)
    return gdsl.Graph.from_edges(tails, heads, count, directed=False)


DENSE = {"complete": complete(300), "rmat": gdsl.Graph.generate("rmat:12")}


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("name", ["complete", "rmat", "grid", "two-way path"])
def test_colourings_take_few_rounds(name: str, seed: int) -> None:
    """A complete graph has five windows of 64 colours, and needs the most rounds for each."""
    graph = {**CHAINS, **DENSE}[name]
    result = gdsl.compile("coloring").run(graph, {"seed": seed}, backend="cpu", max_iterations=120)
    check_coloring(graph, {}, {"color": result.color, "colors": result.colors})
