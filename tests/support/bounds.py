"""Programs whose worklists look at bounds of hubs before they look at values."""

from __future__ import annotations

CLOSE = """
program close;
problem { param source : vertex; vertex cost : float32 = inf; }
edge functor drive(src, dst, e) {
    apply { accept changed(cost[dst] min= cost[src] + 1.2e-7 * float32((int32(e) * 7 + int32(dst)) % 13)); }
}
schedule {
    cost[source] = 1;
    frontier f = { source };
    while (f) { f = advance(f, drive); }
}
"""
"""Costs that differ in their last bits."""

FROM_BELOW = CLOSE.replace("cost[source] = 1;", "cost[source] = -1;").replace("1.2e-7", "0.125")
"""From below zero to above it."""

BROAD = """
program broad;
problem { param source : vertex; vertex width : float32 = -5; }
edge functor widen(src, dst, e) {
    apply { accept changed(width[dst] max= min(width[src], -3 + 1.2e-7 * float32((int32(e) * 7 + int32(dst)) % 61))); }
}
schedule {
    width[source] = inf;
    frontier f = { source };
    while (f) { f = advance(f, widen); }
}
"""
"""The best is the largest."""

ANEW = """
program anew;
problem { param source : vertex; vertex cost : float32 = inf; }
edge functor drive(src, dst, e) { apply { accept changed(cost[dst] min= cost[src] + float32(int32(e) % 7 + 1)); } }
schedule {
    frontier f;
    repeat (3) {
        cost[0] = inf;
        cost[1] = inf;
        cost[2] = inf;
        cost[source] = 0;
        f = { source, 3, 4, 5 };
        while (f) { f = advance(f, drive); }
    }
}
"""
"""What was seen in a loop is no bound in the next one."""

HOLES = """
program holes;
problem { param source : vertex; vertex cost : float32 = inf; }
edge functor drive(src, dst, e) { apply { accept changed(cost[dst] min= cost[src] * float32(int32(e) % 3)); } }
schedule {
    cost[source] = 1;
    frontier f = vertices;
    while (f) { f = advance(f, drive); }
}
"""
"""What has no cost yet offers NaN, which replaces nothing."""

TOLLS = """
program tolls;
problem { param source : vertex; vertex cost : float32 = inf; vertex toll : float32 = float32(int32(id) % 5); }
edge functor drive(src, dst, e) {
    cond int32(e) % 11 != 3;
    apply { accept changed(cost[dst] min= cost[src] + toll[dst] + 1); }
}
schedule {
    cost[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, drive); }
}
"""
"""Two arrays, of which one stays, and a condition."""

PROGRAMS = {"holes": HOLES, "tolls": TOLLS, "close": CLOSE, "from below": FROM_BELOW, "broad": BROAD, "anew": ANEW}
