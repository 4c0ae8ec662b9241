"""Programs that put sets in order: the levels of a search, the places of members."""

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


def check_numbered(graph: Graph, values: Values, answers: Answers) -> None:
    count, arcs = graph.num_vertices, graph.num_edges
    tails, heads = ends(graph)
    place, order, rest = np.full(count, -1), np.full(arcs, 1000), np.full(arcs, -7)
    chosen = np.arange(count) % 3 == 0
    place[chosen] = np.arange(np.sum(chosen))
    packed = np.full(count, none_of(answers["packed"]))
    packed[: np.sum(chosen)] = np.flatnonzero(chosen)
    rest[::2] = np.arange((arcs + 1) // 2)
    order[1::2] = np.arange(arcs // 2)
    for _ in range(2):
        reached = np.zeros(count, bool)
        reached[heads[chosen[tails]]] = True
        chosen = reached
        place[chosen] = np.arange(np.sum(chosen))
        touched = chosen[tails] | chosen[heads]
        order[touched] = np.arange(np.sum(touched))
    total = int(np.sum(chosen) + np.sum(touched))
    same(answers, rank=place, all=np.arange(count), packed=packed, order=order, rest=rest, count=total)


def none_of(ids: np.ndarray) -> int:
    """`none` among these ids."""
    return int(np.iinfo(ids.dtype).max) if np.issubdtype(ids.dtype, np.unsignedinteger) else -1


HISTORIES = (
    Case("betweenness", check_betweenness, with_source, not_empty),
    Case("numbered", check_numbered),
)
