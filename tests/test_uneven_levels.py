"""`betweenness` where a level has far fewer edges than the next one: it sends what that one would gather."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl import samples
from gdsl.graph import Graph
from tests.support.graphs import grid, make_graph, random_graph
from tests.test_many_paths import exact

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def star_of_stars(center: int, leaves: int) -> list[tuple[int, int]]:
    """A vertex, `center` neighbors, each with `leaves` of its own, which are all neighbors, and one end behind all."""
    edges = [(0, 1 + near) for near in range(center)]
    outer = [(1 + near, 1 + center + near * leaves + leaf) for near in range(center) for leaf in range(leaves)]
    last = 1 + center + center * leaves
    far = range(1 + center, last)
    return edges + outer + [(a, b) for a in far for b in (*range(a + 1, last), last)]


GRAPHS = {
    "stars": make_graph(star_of_stars(5, 10), 57, directed=False),
    "stars one way": make_graph(star_of_stars(5, 10), 57),
    "random": random_graph(300, 900, seed=3),
    "dense": random_graph(200, 6000, seed=5, directed=False),
    "grid": make_graph(grid(12, 9), 108, directed=False),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_sent_is_what_is_gathered(name: str, backend: str) -> None:
    graph: Graph = GRAPHS[name]
    for sources in ([0], [3, 7, 50]):
        result = samples.betweenness.run(graph, {"sources": sources}, backend=backend)
        wanted = sum(exact(graph, source) for source in sources)
        assert np.allclose(result["centrality"], wanted, rtol=1e-9, atol=1e-9)
        labels = {record.label for record in result.trace}
        assert (name in ("stars", "stars one way", "dense") and backend != "reference") == ("arriving_send" in labels)
