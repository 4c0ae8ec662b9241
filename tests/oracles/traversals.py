"""Programs that walk over the graph with a frontier."""

from __future__ import annotations

import heapq

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, close, ends, levels, not_empty, random_of, same, source_of

WIDEST = 2**32 - 1


def sites(graph: Graph, seed: int) -> np.ndarray:
    """Which vertices are sites: about every eighth, none at all for some seeds."""
    return random_of(graph, seed).random(graph.num_vertices) < (0.125 if seed % 4 else 0.0)


def check_multi_source(graph: Graph, values: Values, answers: Answers) -> None:
    hops = levels(graph.num_vertices, *ends(graph), np.flatnonzero(values["site"]))
    hops[hops < 0] = 2**31 - 1
    same(answers, hops=hops, near_by=int((hops <= values.get("reach", 3)).sum()))


def check_nearest_site(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    start = np.flatnonzero(values["is_site"])
    hops = levels(graph.num_vertices, tails, heads, start)
    site = np.full(graph.num_vertices, graph.num_vertices)
    site[start] = start
    for level in range(1, int(hops.max(initial=0)) + 1):
        step = (hops[tails] == level - 1) & (hops[heads] == level)
        np.minimum.at(site, heads[step], site[tails[step]])
    site[hops < 0] = -1
    same(answers, hops=hops, site=site, farthest=max(int(hops.max(initial=0)), 0))


def check_backward(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    steps = levels(graph.num_vertices, heads, tails, [values["target"]])
    same(answers, steps=np.where(steps < 0, WIDEST, steps))
    toward = np.asarray(answers["toward"]).astype(np.int64)
    assert np.array_equal(toward >= 0, steps > 0)
    moved = np.flatnonzero(toward >= 0)
    assert np.array_equal(steps[toward[moved]] + 1, steps[moved])
    size = graph.num_vertices
    assert np.isin(moved * size + toward[moved], tails * size + heads).all()
    same(answers, used=toward[tails] == heads)


def check_reach_back(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    steps = levels(graph.num_vertices, heads, tails, [values["first"], values["second"]])
    sizes = np.bincount(steps[steps >= 0])[1:]
    widest, at = 1, 0
    for level, size in enumerate(sizes, start=1):
        if size > widest:
            widest, at = int(size), level
    same(answers, reaches=steps >= 0, steps=np.where(steps < 0, WIDEST, steps))
    same(answers, reached=int((steps >= 0).sum()), widest=widest, widest_at=at)


def check_core(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    inside = np.ones(graph.num_vertices, bool)
    left = graph.out_degrees.astype(np.int64)
    removed = rounds = 0
    dying = inside & (left < values["k"])
    inside &= ~dying
    while dying.any():
        removed += int(dying.sum())
        rounds += 1
        hit = heads[dying[tails]]
        np.subtract.at(left, hit[inside[hit]], 1)
        dying = inside & (left < values["k"])
        inside &= ~dying
    same(answers, inside=inside, left=left, removed=removed, rounds=rounds)


def check_weak_hops(graph: Graph, values: Values, answers: Answers) -> None:
    near, far, _ = both_ways(graph)
    hops = levels(graph.num_vertices, near, far, [values["source"]])
    ways = np.bincount(far[hops[far] == hops[near] + 1], minlength=graph.num_vertices)
    same(answers, hops=hops, ways=ways, reached=int((hops >= 0).sum()))


def widest_widths(graph: Graph, source: int, capacity: np.ndarray) -> np.ndarray:
    """Widths by Dijkstra's algorithm with a heap."""
    width = np.zeros(graph.num_vertices, np.int64)
    width[source] = WIDEST
    heap = [(-WIDEST, source)]
    done = np.zeros(graph.num_vertices, bool)
    while heap:
        _, vertex = heapq.heappop(heap)
        if done[vertex]:
            continue
        done[vertex] = True
        for edge in range(graph.offsets[vertex], graph.offsets[vertex + 1]):
            neighbor = int(graph.columns[edge])
            through = min(int(width[vertex]), int(capacity[edge]))
            if through > width[neighbor]:
                width[neighbor] = through
                heapq.heappush(heap, (-through, neighbor))
    return width


def widest_values(graph: Graph, seed: int) -> Values:
    capacity = random_of(graph, seed).integers(0, 30, graph.num_edges).astype(np.uint32)
    return {"source": source_of(graph, seed), "capacity": capacity}


def check_widest_path(graph: Graph, values: Values, answers: Answers) -> None:
    same(answers, width=widest_widths(graph, values["source"], values["capacity"]))


def check_discovery_tree(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    depth = levels(graph.num_vertices, tails, heads, [values["source"]])
    same(answers, depth=depth, tree_edges=int((depth > 0).sum()), height=int(depth.max()))
    parent = np.asarray(answers["parent"]).astype(np.int64)
    chosen = np.asarray(answers["parent_edge"]).astype(np.int64)
    child = np.flatnonzero(depth > 0)
    assert (parent[depth <= 0] == -1).all()
    assert (chosen[depth <= 0] == -1).all()
    assert np.array_equal(heads[chosen[child]], child), "the edge leads to the vertex"
    assert np.array_equal(tails[chosen[child]], parent[child]), "and comes from its parent"
    assert np.array_equal(depth[parent[child]] + 1, depth[child])
    in_tree = np.zeros(graph.num_edges, bool)
    in_tree[chosen[child]] = True
    below = np.zeros(graph.num_vertices, np.int64)
    for vertex in child[np.argsort(-depth[child], kind="stable")]:
        below[parent[vertex]] += below[vertex] + 1
    same(answers, in_tree=in_tree, below=below)
    same(answers, children=np.bincount(parent[child], minlength=graph.num_vertices))


def heat_values(graph: Graph, seed: int) -> Values:
    random = random_of(graph, seed)
    initial, conductance = random.random(graph.num_vertices) * 100, random.random(graph.num_edges)
    return {"steps": seed % 6, "initial": initial, "conductance": conductance}


def check_heat(graph: Graph, values: Values, answers: Answers) -> None:
    near, far, edge = both_ways(graph)
    count, rate, conductance = graph.num_vertices, 0.125, values["conductance"]
    strength = np.bincount(near, conductance[edge], count)
    alone = (graph.out_degrees == 0) & (graph.in_degrees == 0)
    temperature, loss, change = values["initial"].copy(), 0.0, 0.0
    for _ in range(values["steps"]):
        inflow = np.bincount(near, conductance[edge] * temperature[far], count)
        after = temperature + rate * (inflow - strength * temperature) / np.maximum(strength, 1)
        change = float(np.abs(after - temperature).max(initial=0))
        loss += float(after[alone].sum()) * rate
        after[alone] *= 1 - rate
        temperature = after
    close(answers, 1e-9, temperature=temperature, largest_change=change, loss=loss)


def check_copied_frontiers(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    ahead = levels(graph.num_vertices, tails, heads, values["sources"])
    same(answers, ahead=ahead, back=levels(graph.num_vertices, heads, tails, values["sources"]))
    front = np.zeros(graph.num_vertices, bool)
    front[values["sources"]] = True
    onward, answered = np.full((2, graph.num_vertices), -1)
    for step in range(values["steps"]):
        reached = np.zeros(graph.num_vertices, bool)
        reached[heads[front[tails]]] = True
        front = reached & (onward == -1)
        onward[front] = step
        before = np.zeros(graph.num_vertices, bool)
        before[tails[front[heads]]] = True
        answered[before & (answered == -1)] = step
    same(answers, onward=onward, answered=answered)


TRAVERSALS = (
    Case("multi_source", check_multi_source, lambda graph, seed: {"site": sites(graph, seed), "reach": 2}),
    Case("nearest_site", check_nearest_site, lambda graph, seed: {"is_site": sites(graph, seed)}),
    Case("backward", check_backward, lambda graph, seed: {"target": source_of(graph, seed)}, not_empty),
    Case(
        "reach_back",
        check_reach_back,
        lambda graph, seed: {"first": source_of(graph, seed), "second": source_of(graph, seed + 1)},
        not_empty,
    ),
    Case("core", check_core, lambda graph, seed: {"k": seed % 5}),
    Case("weak_hops", check_weak_hops, lambda graph, seed: {"source": source_of(graph, seed)}, not_empty),
    Case("widest_path", check_widest_path, widest_values, not_empty),
    Case("discovery_tree", check_discovery_tree, lambda graph, seed: {"source": source_of(graph, seed)}, not_empty),
    Case("heat", check_heat, heat_values),
    Case(
        "copied_frontiers",
        check_copied_frontiers,
        lambda graph, seed: {"sources": np.flatnonzero(sites(graph, seed)), "steps": 1 + seed % 4},
    ),
)
