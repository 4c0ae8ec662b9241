"""Algorithms that no sample has, each written after the pages alone: bridges, cliques of four vertices, a Cuthill-McKee
order, the k nearest sites, pruned landmark labels, effective resistances, and searches from both ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest

import gdsl

BRIDGES = '''"""The bridges. Each edge outside a spanning forest
gets a random word; a tree edge has the XOR of the words of
those that pass over it, which is 0 only for a bridge."""
program bridges;
requires symmetric;

problem {
    param  seed   : int32 = 1;
    vertex root   : vertex = id;
    local vertex depth : int32 = -1;
    local vertex up : edge = none;              # the edge from the parent
    local vertex word : uint64;
    local vertex below : uint64;
    edge   bridge : bool;
    scalar found  : int64;
}

edge functor lower(src, dst, e) { apply { accept changed(root[dst] min= root[src]); } }
edge functor visit(src, dst, e) {
    cond depth[dst] == -1;
    apply { depth[dst] = iteration + 1; up[dst] any= e; }
}
edge functor mix(src, dst, e) {
    cond src < dst && up[dst] != e && up[src] != reverse(e);
    apply {
        let bits = random_bits(e, seed);
        word[src] ^= bits;
        word[dst] ^= bits;
    }
}
edge functor child(src, dst, e) -> uint64 { cond up[dst] == e; value word[dst]; }
edge functor mark(src, dst, e) {
    cond (up[dst] == e && word[dst] == 0) || (up[src] == reverse(e) && word[src] == 0);
    apply { bridge[e] = true; }
}
schedule {
    frontier f = vertices;
    while (f) { f = advance(f, lower); }
    f = where(v => root[v] == v);
    compute(f, v => { depth[v] = 0; });
    history h;
    while (f) { h.push(f); f = advance(f, visit); }
    compute(edges, mix);
    for g in backward(h) {
        below = neighbor_reduce(g, child, xor);
        compute(g, v => { word[v] ^= below[v]; });
    }
    compute(edges, mark);
    found = count(bridge) // 2;
}
'''
CLIQUES = '''"""How many cliques of four vertices there are, and in how many each vertex is."""
program cliques4;
requires symmetric, simple;

problem {
    vertex in_cliques : int64;
    scalar cliques : int64;
}

common functor fourth(u, w, x) {
    apply {
        for y in neighbors(x) {
            if (has_edge(u, y) && has_edge(w, y)) {
                cliques += 1;
                in_cliques[u] += 1;
                in_cliques[w] += 1;
                in_cliques[x] += 1;
                in_cliques[y] += 1;
            }
        }
    }
}
schedule {
    graph h = subgraph(filter(edges, (u, w, e) => (out_degree(u), u) < (out_degree(w), w)));
    on h { intersect(edges, fourth); }
}
'''
CUTHILL_MCKEE = '''"""Cuthill-McKee: neighbors of earlier vertices first, and of those the ones of least degree."""
program rcm;
requires symmetric, simple;

problem {
    param  source : vertex;
    vertex position : int64 = -1;
    local vertex key : int64 = inf;
    local vertex rank : int64;
    scalar placed : int64;
    scalar next : vertex;
    local scalar width : int64;
}

edge functor reach(src, dst, e) {
    cond position[dst] == -1;
    apply { accept changed(key[dst] min= position[src] * width + out_degree(dst)); }
}

schedule {
    width = num_vertices + 1;
    next = source;
    while (placed < num_vertices) {
        frontier f = { next };
        compute(f, v => { key[v] = -1; });
        buckets b(key, 1) = f;
        while (b) {
            f = b.pop();
            rank = number(f);
            compute(f, v => { position[v] = placed + rank[v]; });
            placed += size(f);
            b.push(advance(f, reach));
        }
        next = argmin(v => position[v] == -1 ? out_degree(v) : inf);
    }
}
'''
NEAREST = '''"""For each vertex the `k` nearest of `sites`, of equally near ones the smallest ids."""
program knearest;
requires symmetric;

problem {
    param  k     : int32 where k >= 1;
    param  sites : vertex set;
    input  edge weight : int32 where weight > 0;
    vertex best[k] : (int32, vertex) = (inf, none);
    local vertex next[k] : (int32, vertex);
    scalar rounds : int32;
    local scalar changes : bool = true;
}

vertex functor merge(v) {
    apply {
        for i in 0..k { next[v][i] = best[v][i]; }
        for u, e in neighbors(v) {
            for i in 0..k {
                var offer : (int32, vertex) = (best[u][i].0 + weight[e], best[u][i].1);
                if (offer.1 == none) { break; }
                let site = offer.1;
                for j in 0..k {
                    if (offer.1 == site && next[v][j].1 == site) {
                        next[v][j] = min(next[v][j], offer);
                        break;
                    }
                    if (offer < next[v][j]) {
                        let moved = next[v][j];
                        next[v][j] = offer;
                        if (moved.1 == site || moved.1 == none) { break; }
                        offer = moved;
                    }
                }
            }
        }
        for i in 0..k { if (next[v][i] != best[v][i]) { changes = true; } }
    }
}

schedule {
    compute(sites, v => { best[v][0] = (0, v); });
    while (changes) {
        changes = false;
        compute(vertices, merge);
        swap(best, next);
        rounds += 1;
    }
}
'''
LANDMARKS = '''"""Pruned landmark labels: hops from `k` vertices, where earlier ones do not answer already."""
program landmarks;
requires symmetric;

problem {
    param  k : int32 where k >= 1;
    vertex hops[k] : int32 = inf;
    vertex landmark : int32 = -1;
    local vertex here : int32 = -1;
    scalar index : int32;
    scalar next : vertex;
    scalar labels : int64;
}
edge functor visit(src, dst, e) { cond here[dst] == -1; apply { here[dst] = iteration + 1; } }
schedule {
    while (index < k && index < num_vertices) {
        next = argmax(v => landmark[v] == -1 ? out_degree(v) : -1);
        frontier f = { next };
        compute(f, v => { landmark[v] = index; });
        fill(here, -1);
        here[next] = 0;
        while (f) {
            f = filter(f, v => {
                apply {
                    var known : int32 = inf;
                    for i in 0..index { known = min(known, hops[v][i] + hops[next][i]); }
                    accept known > here[v];
                }
            });
            compute(f, v => { hops[v][index] = here[v]; });
            labels += size(f);
            f = advance(f, visit);
        }
        index += 1;
    }
}
'''
RESISTANCE = '''"""The effective resistance between `a` and `b`, by conjugate gradients on the Laplacian."""
program resistance;
requires symmetric;

problem {
    param  a : vertex;
    param  b : vertex;
    param  tolerance : float64 = 1e-12;
    param  max_iterations : int32 = 1000;
    input  edge weight : float64 where weight > 0;          # conductances
    vertex potential : float64;
    local vertex r : float64;
    local vertex p : float64;
    local vertex q : float64;
    scalar ohms : float64;
    scalar error : float64;
    scalar before : float64;
    scalar step : float64;
    scalar at_a : float64;
    scalar at_b : float64;
    scalar converged : bool;
}
edge functor flows(src, dst, e) -> float64 { value weight[e] * (p[src] - p[dst]); }
schedule {
    if (a != b) {
    r[a] = 1;
    r[b] = -1;
    compute(vertices, v => { p[v] = r[v]; });
    error = sum(v => r[v] * r[v]);
    while (error > tolerance * tolerance && iteration < max_iterations) {
        q = neighbor_reduce(vertices, flows, sum);
        step = error / sum(v => p[v] * q[v]);
        compute(vertices, v => { potential[v] += step * p[v]; r[v] -= step * q[v]; });
        before = error;
        error = sum(v => r[v] * r[v]);
        compute(vertices, v => { p[v] = r[v] + error / before * p[v]; });
    }
    compute({ a }, v => { at_a += potential[v]; });
    compute({ b }, v => { at_b += potential[v]; });
    }
    ohms = at_a - at_b;
    converged = error <= tolerance * tolerance;
}
'''
FROM_BOTH_ENDS = '''"""Hops between `source` and `target`, by two searches that meet; always the smaller one goes on."""
program meet;
requires symmetric;

problem {
    param  source : vertex;
    param  target : vertex;
    local vertex from_source : int32 = -1;
    local vertex from_target : int32 = -1;
    scalar hops : int32 = -1;
    local scalar near_source : int32;
    local scalar near_target : int32;
    local scalar open : bool = true;
}
edge functor ahead(src, dst, e) { cond from_source[dst] == -1; apply { from_source[dst] = iteration + 1; } }
edge functor back(src, dst, e) { cond from_target[dst] == -1; apply { from_target[dst] = iteration + 1; } }
schedule {
    from_source[source] = 0;
    from_target[target] = 0;
    frontier f = { source };
    frontier g = { target };
    if (source == target) { hops = 0; open = false; }
    while (f && g && open) {
        if (size(f) <= size(g)) {
            near_source += 1;
            f = advance(f, ahead);
            if (count(v => from_target[v] != -1, f) > 0) { open = false; }
        } else {
            near_target += 1;
            g = advance(g, back);
            if (count(v => from_source[v] != -1, g) > 0) { open = false; }
        }
    }
    if (!open && source != target) { hops = near_source + near_target; }
}
'''


def graphs() -> Iterator[nx.Graph]:
    """Connected and not, with bridges, cliques, ties, and vertices without edges."""
    yield nx.karate_club_graph()
    yield nx.gnm_random_graph(40, 60, seed=1)
    yield nx.gnm_random_graph(30, 170, seed=2)
    yield nx.path_graph(7)
    yield nx.empty_graph(3)
    yield nx.barbell_graph(6, 3)


def stored(graph: nx.Graph, weights: Any = None) -> gdsl.Graph:
    """Its edges, with weights in the order of `graph.edges`."""
    ends = np.array(list(graph.edges), np.int64).reshape(-1, 2).T
    return gdsl.Graph.from_edges(*ends, num_vertices=len(graph), weights=weights, directed=False)


def check_bridges(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    found, edges = run(BRIDGES), stored(graph)
    marked = np.flatnonzero(found.bridge)
    expected = {frozenset(edge) for edge in nx.bridges(graph)}
    assert {frozenset((edges.edge_sources[e], edges.columns[e])) for e in marked} == expected
    assert found.found == len(expected)


def check_cliques(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    found = run(CLIQUES)
    cliques = [clique for clique in nx.enumerate_all_cliques(graph) if len(clique) == 4]
    assert found.cliques == len(cliques)
    assert found.in_cliques.tolist() == [sum(v in clique for clique in cliques) for v in graph]


def check_order(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    order: list[int] = []
    while len(order) < len(graph):
        rest = [v for v in graph if v not in order]
        queue = [min(rest, key=lambda v: (graph.degree(v), v)) if order else 0]
        order += queue
        for v in queue:
            new = sorted((u for u in graph[v] if u not in order), key=lambda u: (graph.degree(u), u))
            order, queue[len(queue) :] = order + new, new
    assert np.argsort(run(CUTHILL_MCKEE, source=0).position).tolist() == order


def check_nearest(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    weights = np.random.default_rng(len(graph)).integers(1, 6, graph.number_of_edges()).astype(np.int32)
    roads = graph.copy()
    nx.set_edge_attributes(roads, dict(zip(graph.edges, weights.tolist(), strict=True)), "weight")
    sites, k = [v for v in graph if v % 3 != 1], 3
    away = {site: nx.single_source_dijkstra_path_length(roads, site) for site in sites}
    near = [sorted((away[site][v], site) for site in sites if v in away[site])[:k] for v in graph]
    expected = [row + [(2**31 - 1, -1)] * (k - len(row)) for row in near]
    lengths, ends = run(NEAREST, weights, k=k, sites=sites).best
    assert np.dstack((lengths, ends)).tolist() == [list(map(list, row)) for row in expected]


def check_labels(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    hops = run(LANDMARKS, k=len(graph)).hops.astype(np.int64)
    between = (hops[:, None] + hops[None]).min(axis=2)
    for source, lengths in nx.all_pairs_shortest_path_length(graph):
        assert [min(x, 2**31 - 1) for x in between[source]] == [lengths.get(v, 2**31 - 1) for v in graph]


def check_resistance(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    if not nx.is_connected(graph):
        return
    inverse = np.linalg.pinv(nx.laplacian_matrix(graph, weight=None).toarray().astype(float))
    for a, b in ((0, len(graph) - 1), (1, 2), (0, 0)):
        found = run(RESISTANCE, np.ones(graph.number_of_edges()), a=a, b=b)
        assert found.ohms == pytest.approx(inverse[a, a] + inverse[b, b] - 2 * inverse[a, b], abs=1e-9)


def check_both_ends(graph: nx.Graph, run: Callable[..., gdsl.Result]) -> None:
    for source, target in ((0, len(graph) - 1), (1, 2), (0, 0)):
        expected = nx.shortest_path_length(graph, source, target) if nx.has_path(graph, source, target) else -1
        assert run(FROM_BOTH_ENDS, source=source, target=target).hops == expected


CHECKS = (check_bridges, check_cliques, check_order, check_nearest, check_labels, check_resistance, check_both_ends)


@pytest.mark.parametrize("backend", ["reference", pytest.param("cpu", marks=pytest.mark.slow)])
@pytest.mark.parametrize("check", CHECKS)
def test_answers_are_those_of_networkx(check: Callable[..., None], backend: str) -> None:
    for graph in graphs():

        def run(text: str, weights: Any = None, graph: nx.Graph = graph, **values: Any) -> gdsl.Result:
            return gdsl.compile(text)(stored(graph, weights), backend=backend, **values)

        check(graph, run)
