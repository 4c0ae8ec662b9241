"""Programs that keep sets beyond one frontier: the levels of a search."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, close, ends, levels, not_empty, same, source_of


def check_betweenness(graph: Graph, values: Values, answers: Answers) -> None:
    """Brandes' two passes over arcs, with dense arrays."""
    count, source = graph.num_vertices, values["source"]
    tails, heads = ends(graph)
    depth = levels(count, tails, heads, [source])
    on_paths = (depth[tails] >= 0) & (depth[heads] == depth[tails] + 1)
    tails, heads = tails[on_paths], heads[on_paths]
    paths, dependency = np.zeros(count), np.zeros(count)
    paths[source] = 1
    deepest = int(depth.max())
    for level in range(1, deepest + 1):
        arriving = depth[heads] == level
        np.add.at(paths, heads[arriving], paths[tails[arriving]])
    for level in range(deepest - 1, -1, -1):
        leaving = depth[tails] == level
        share = paths[tails[leaving]] / paths[heads[leaving]] * (1 + dependency[heads[leaving]])
        np.add.at(dependency, tails[leaving], share)
    met = np.sum(depth == deepest) if deepest >= 0 else 0
    same(answers, depth=depth, after=depth, levels=deepest + 1, met=3 * count, last=met)
    close(answers, 1e-9, paths=paths, dependency=dependency)


def with_source(graph: Graph, seed: int) -> Values:
    return {"source": source_of(graph, seed)}


HISTORIES = (Case("betweenness", check_betweenness, with_source, not_empty),)
