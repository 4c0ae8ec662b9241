"""`betweenness` where a level sends what the next one would gather: on large graphs of hubs, here on all graphs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.graph import Graph
from tests.support.graphs import grid, make_graph, random_graph
from tests.test_many_paths import exact

SAMPLE = Path(__file__).parents[1] / "samples" / "betweenness.gdsl"
BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def text(always: bool = False) -> str:
    """The sample as if all graphs had hubs; `always`: a level sends whatever it has."""
    given = SAMPLE.read_text(encoding="utf-8")
    hubs, anywhere = re.subn(r"hubs = [^;]*;", "hubs = true;", given)
    sizes, everything = re.subn(r"walked < left", "true" if always else "walked < left", hubs)
    assert anywhere == 1 and everything == 3
    return sizes


def star_of_stars(center: int, leaves: int) -> list[tuple[int, int]]:
    """A vertex, `center` neighbors, each with `leaves` of its own, and one end behind all of these."""
    edges = [(0, 1 + near) for near in range(center)]
    outer = [(1 + near, 1 + center + near * leaves + leaf) for near in range(center) for leaf in range(leaves)]
    last = 1 + center + center * leaves
    return edges + outer + [(far, last) for _, far in outer]


GRAPHS = {
    "stars": make_graph(star_of_stars(5, 40), 207, directed=False),
    "stars one way": make_graph(star_of_stars(5, 40), 207),
    "random": random_graph(300, 900, seed=3),
    "dense": random_graph(200, 6000, seed=5, directed=False),
    "grid": make_graph(grid(12, 9), 108, directed=False),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("always", [False, True], ids=["by edges", "always"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.sampled(6)
def test_what_is_sent_is_what_is_gathered(name: str, always: bool, backend: str) -> None:
    graph: Graph = GRAPHS[name]
    program = gdsl.compile(text(always))
    for sources in ([0], [3, 7, 100]):
        result = program.run(graph, {"sources": sources}, backend=backend)
        wanted = sum(exact(graph, source) for source in sources)
        assert np.allclose(result["centrality"], wanted, rtol=1e-9, atol=1e-9)
        labels = {record.label for record in result.trace}
        assert not always or {"send", "send_back"} <= labels
