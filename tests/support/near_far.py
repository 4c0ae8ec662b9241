"""Programs with loops that may be worked off from near to far: no standard ones, but what users may write."""

from __future__ import annotations

HEAD = "program {name};\nproblem {{ param source : vertex; {data} }}\n"

DETOURS = """
program detours;
problem {
    param source : vertex;
    vertex toll : float32 = 0.25 * float32(int32(id) % 7);
    vertex cost : float32 = inf;
}
edge functor drive(src, dst, e) {
    cond toll[src] < 1.6;
    apply {
        let fare = cost[src] * 1.01 + max(toll[src], 0.125 * float32(int32(e) % 13));
        accept changed(cost[dst] min= fare);
    }
}
schedule {
    cost[source] = 0.5;
    frontier f = { source };
    while (f) { f = advance(f, drive); }
}
"""
"""A cost of the program's own, with a test, a local and rounding at every step."""

RELIABLE = """
program reliable;
problem { param source : vertex; vertex chance : float64 = 0; }
edge functor pass_on(src, dst, e) {
    apply { accept changed(chance[dst] max= chance[src] * (1.0 - 0.01 * float64(int32(e) % 37))); }
}
schedule {
    chance[source] = 1;
    frontier f = { source };
    while (f) { f = advance(f, pass_on); }
}
"""

BOTTLENECK = """
program bottleneck;
problem { param source : vertex; vertex width : uint32 = 0; }
edge functor widen(src, dst, e) {
    apply { accept changed(width[dst] max= min(width[src], 5 + uint32(e) * 7 % 97)); }
}
schedule {
    width[source] = inf;
    frontier f = { source };
    while (f) { f = advance(f, widen); }
}
"""

POTENTIALS = """
program potentials;
problem { param source : vertex; vertex depth : int32 = int32(id) * 37 % 101 - 50; vertex high : int64 = inf; }
edge functor sink(src, dst, e) { apply { accept changed(depth[src] min= max(depth[dst] + 3, -40)); } }
edge functor rise(src, dst, e) { apply { accept changed(high[src] min= high[dst] + int64(depth[dst]) + 60); } }
schedule {
    frontier f = vertices;
    while (f) { f = advance(f, sink, over=in_edges); }
    high[source] = -5000000000;
    frontier g = { source, 0 };
    while (g) { g = advance(g, rise, over=in_edges); }
}
"""
"""Begins with all vertices, below zero too, against the edges; then values of another width, behind the first loop."""

AGAIN = """
program again;
problem {
    param source : vertex;
    vertex reach : float32 = inf;
    vertex seen : int32;
    scalar total : int64;
}
edge functor near_ones(src, dst, e) { apply { accept int32(dst) % 3 != 1; seen[dst] |= 1; } }
edge functor spread(src, dst, e) {
    cond place < 3;
    apply { accept changed(reach[dst] min= reach[src] + float32(int32(e) % 5)); }
}
schedule {
    repeat (3) {
        reach[source] = -2 * iteration;
        frontier h = { source };
        frontier f = advance(h, near_ones);
        f = advance(f, near_ones);
        while (f) { f = advance(f, spread); }
        h = where(v => reach[v] < 9);
        h = advance(h, near_ones);
        total += size(h);
    }
}
"""
"""Within a loop, between operators that mark, along a few places of each list."""

PROGRAMS = {
    "detours": DETOURS,
    "reliable": RELIABLE,
    "bottleneck": BOTTLENECK,
    "potentials": POTENTIALS,
    "again": AGAIN,
}
