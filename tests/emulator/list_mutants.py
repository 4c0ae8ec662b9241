"""Deliberate mistakes where functors read the lists of the graph; see `mutants`."""

from __future__ import annotations

from .mutants import Mutant

_LISTS = "runtime/lists.cuh"

WALKS = """
program walks;
problem { param source : vertex; vertex seen : int32; vertex met : vertex; edge back : edge; }
vertex functor look(v) {
    apply {
        for u, x in neighbors(v) { if (has_edge(u, source)) { seen[u] += 1 + int32(x) % 3; } }
        if (out_degree(v) > 1) { met[v] = neighbor(v, 1); }
    }
}
edge functor pair(src, dst, e) { apply { if (src(reverse(e)) == dst) { back[e] = reverse(e); } } }
schedule { compute(vertices, look); compute(edges, pair); }
"""

LIST_MUTANTS = (
    Mutant(
        "a list that goes on",
        _LISTS,
        "__ldg(&g.offsets[v + 1])};",
        "edge(__ldg(&g.offsets[v + 1]) + 1)};",
        WALKS,
        "result bounds",
    ),
    Mutant(
        "places of all edges for places of a list",
        _LISTS,
        "edge(first + known)",
        "edge(known)",
        WALKS,
        "result",
    ),
    Mutant(
        "a search that leaps over",
        _LISTS,
        "else { high = middle; }",
        "else { high = middle == low ? low : edge(middle - 1); }",
        WALKS,
        "result",
    ),
    Mutant(
        "the source of an edge for its place",
        _LISTS,
        "__ldg(&g.edge_sources[e])",
        "__ldg(&g.columns[e])",
        WALKS,
        "result",
    ),
)
