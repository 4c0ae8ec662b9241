"""What the programs of `test_unique` are made of: data, functors and schedules."""

from __future__ import annotations

DATA = """program p;
problem {
    vertex d: int32 = int32(id) * 5 % 7;
    vertex parent: vertex;
    vertex mass: int32 = int32(id) % 3;
    vertex label: vertex = id;
    vertex root: vertex = id;
    edge w: int32 = int32(id) % 3;
    vertex heat: float32 = 1.0 / float32(int32(id) + 1);
    scalar count: int32;
    scalar moved: bool = true;
    scalar jumped: bool;
    scalar sum: float64;
    scalar common_ones: int64;
    scalar found: int64;
}
"""
RELAX = "edge functor relax(src, dst, e) { apply { accept changed(d[dst] min= d[src] + w[e]); } }\n"
SWEEP = (
    "edge functor relax(src, dst, e) { apply { let lower = changed(d[dst] min= d[src] + w[e]); moved |= lower; } }\n"
)
HOOK = """edge functor hook(src, dst, e) {
    apply {
        let forward = changed(label[label[dst]] min= label[src]);
        let back = changed(label[label[src]] min= label[dst]);
        moved |= forward || back;
    }
}
vertex functor jump(v) { apply { let lower = changed(label[v] min= label[label[v]]); jumped |= lower; } }
"""
FLATTEN = "vertex functor flatten(v) { apply { while (changed(label[v] min= label[label[v]])) { } } }\n"
HOOK_BY_ROOTS = """edge functor hook_roots(src, dst, e) {
    apply {
        let here = label[src]; let there = label[dst];
        let lower = changed(label[max(here, there)] min= min(here, there));
        moved |= lower;
    }
}
"""
HOOK_AND_FLATTEN = (
    "schedule { while (moved) { moved = false; advance(vertices, hook, to=none); compute(vertices, flatten); } }"
)
SAMPLE = """edge functor sample(src, dst, e) {
    cond place < 1;
    apply { label[label[dst]] min= label[src]; label[label[src]] min= label[dst]; }
}
"""
LINK = """edge functor sample(src, dst, e) {
    cond place < 1;
    apply {
        var one = src; var other = dst;
        for step in 0..4 {
            if (one == other) { break; }
            let high = max(one, other); let low = min(one, other);
            let before = fetch(label[high] min= label[low]);
            one = before == high ? low : before; other = low;
        }
    }
}
"""
CLIMB = """edge functor sample(src, dst, e) {
    apply {
        var up = src;
        for step in 0..2 { up = label[up]; }
        label[max(up, dst)] min= min(up, dst);
    }
}
"""
SAMPLED = (
    "schedule { repeat (2) { advance(vertices, sample, to=none); compute(vertices, flatten); }"
    " frontier rest = where(v => label[v] != root[0]); moved = true; while (moved) { moved = false;"
    " advance(rest, hook, over=all_edges, to=none); compute(vertices, flatten); } }"
)
COMPRESS = "jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }"

OF_BUCKETS = {"b_levels", "b_popped", "b_least"}
SPLIT = "vertex functor chosen(v) { cond mass[v] == count; }"
BY_HAND = (
    "schedule { frontier g = vertices; while (g) { frontier f = filter(g, chosen); g = filter(g, others);"
    " count = (count + 1) % 3; frontier h = advance(f, relax); jumped = size(h) % 2 == 0; g = g | h; } count = 0; }"
)
