"""Programs that put sets in order: the levels of a search, the places of members."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, close, ends, levels, not_empty, random_of, same, source_of


def check_search_levels(graph: Graph, values: Values, answers: Answers) -> None:
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


def best_edges(near: np.ndarray, edge: np.ndarray, value: np.ndarray, most: int) -> set[int]:
    """Of each vertex the edges with the largest values, of equal ones the smallest; NaN never."""
    lists: dict[int, set[tuple[float, int]]] = {}
    for v, e in zip(near.tolist(), edge.tolist(), strict=True):
        if not np.isnan(value[e]):
            lists.setdefault(v, set()).add((-float(value[e]), e))
    return {e for found in lists.values() for _, e in sorted(found)[: max(most, 0)]}


def check_nearest(graph: Graph, values: Values, answers: Answers) -> None:
    count, arcs, most, weight = graph.num_vertices, graph.num_edges, values["most"], values["weight"]
    tails, heads = ends(graph)
    ids = np.arange(arcs)

    def marked(*found: set[int]) -> np.ndarray:
        flags = np.zeros(arcs, bool)
        flags[sorted(set().union(*found))] = True
        return flags

    best = best_edges(tails, ids, weight, most)
    met = np.bincount(heads[sorted(best)], minlength=count) if best else np.zeros(count, int)
    chosen = np.arange(count) % 3 != 1
    scaled = tails % 3
    into = chosen[heads] & (tails != heads)
    light = best_edges(heads[into], ids[into], -scaled.astype(float), most - 1)
    either = set()
    for turn in range(2):
        near, _, edge = both_ways(graph)
        within = chosen[near]
        either |= best_edges(near[within], edge[within], weight, 3 * turn)
        first = best_edges(tails[chosen[tails]], ids[chosen[tails]], weight, 1)
        reached = np.zeros(count, bool)
        reached[heads[sorted(first)]] = True
        after = np.zeros(count, bool)
        after[heads[reached[tails]]] = True
        chosen = after
    same(answers, heavy=marked(best), light=marked(light), either=marked(either), met=met, edges_kept=len(best))


def few_weights(graph: Graph, seed: int) -> Values:
    """Many equal ones, zeros of both signs, infinities and NaN."""
    random = random_of(graph, seed)
    weight = random.choice([0.0, -0.0, 0.25, 0.5, 1.0, -1.0, np.inf, -np.inf, np.nan], graph.num_edges)
    return {"weight": weight.astype(np.float32), "most": int(random.integers(0, 5))}


def none_of(ids: np.ndarray) -> int:
    """`none` among these ids."""
    return int(np.iinfo(ids.dtype).max) if np.issubdtype(ids.dtype, np.unsignedinteger) else -1


HISTORIES = (
    Case("search_levels", check_search_levels, with_source, not_empty),
    Case("numbered", check_numbered),
    Case("nearest", check_nearest, few_weights),
)
