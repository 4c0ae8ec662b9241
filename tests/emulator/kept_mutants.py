"""Deliberate mistakes in what keeps sets beyond one frontier; see `mutants`."""

from __future__ import annotations

from .mutants import GENERATED, Mutant

_NUMBERS = "runtime/numbers.cuh"
_HISTORIES = "runtime/histories.cuh"

PULLED = """
program pulled;
problem { param source : vertex; scalar last : int64; vertex depth : int32; }
edge functor any_edge(src, dst, e) { }
vertex functor note(v) { apply { depth[v] += iteration; } }
schedule {
    history h;
    frontier f = advance({ source }, any_edge);
    h.push(f);
    for g in forward(h) { compute(g, note); last = size(g); }
}
tune { any_edge.direction = pull; }
"""

COUNTED = """
program counted;
problem { param source : vertex; vertex depth : int32 = -1; }
edge functor any_edge(src, dst, e) { }
edge functor visit(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration; } }
schedule {
    history h;
    h.push(advance({ source }, any_edge));
    h.push(advance({ 3, 5 }, any_edge));
    for g in backward(h) { advance(g, visit); }
}
"""

REUSED = """
program reused;
problem { param source : vertex; vertex depth : int32; }
edge functor any_edge(src, dst, e) { }
vertex functor note(v) { apply { depth[v] = depth[v] * 3 + iteration; } }
schedule {
    history h;
    h.push({ source, 3, 5 });
    h.push({ 1, 2 });
    h.push({ 7, 8, 9 });
    for g in forward(h) { frontier k = advance(g, any_edge); compute(k, note); }
    for g in backward(h) { compute(g, note); }
}
"""

SMOOTHED = """
program smoothed;
problem { param source : vertex; vertex held : int32 = int32(id) % 5; }
edge functor given(src, dst, e) -> int32 { value held[dst]; }
schedule { while (iteration < 3) { held = neighbor_reduce(vertices, given, sum); } }
"""

KEPT_MUTANTS = (
    Mutant(
        "no barrier before a launch adds to a history",
        _HISTORIES,
        "    synchronize(run);  // all threads have read it\n",
        "",
        "search_levels",
        "race",
        ("schedule.fuse=off",),
    ),
    Mutant(
        "no barrier between a level's sums and those of the next",
        GENERATED,
        "    synchronize(run);\n    end_walk(run, 7, iteration, size, true);\n",
        "    end_walk(run, 7, iteration, size, true);\n",
        "betweenness",
        "race",
    ),
    Mutant(
        "no barrier before sums that stood aside are stored",
        GENERATED,
        "    synchronize(run);\n    each_vertex(all_members",
        "    each_vertex(all_members",
        SMOOTHED,
        "race result",
    ),
    Mutant(
        "a history is not empty again",
        GENERATED,
        "state_of_levels = history_state{};",
        "",
        "betweenness",
        "result error race",
    ),
    Mutant(
        "what is made next goes into a level",
        _HISTORIES,
        "    result.queue = result.room;\n",
        "",
        REUSED,
        "result race",
    ),
    Mutant(
        "a level of a set that has no queue",
        _HISTORIES,
        "    need_queue(run, f, room);\n",
        "",
        PULLED,
        "uninitialized result bounds error race",
    ),
    Mutant(
        "a level begins where the last one began",
        _HISTORIES,
        "    state.end = last;\n",
        "",
        "search_levels",
        "result bounds error uninitialized race",
    ),
    Mutant(
        "the next level begins where this one does",
        _HISTORIES,
        "ends[level - 2]",
        "ends[level - 1]",
        "search_levels",
        "result bounds error uninitialized race",
    ),
    Mutant(
        "a block goes on before the thread that waits is back",
        "runtime/barriers.cuh",
        "    if (threadIdx.x / 32 != WAITING_THREAD / 32) { meanwhile(); }\n    __syncthreads();\n",
        "    if (threadIdx.x / 32 != WAITING_THREAD / 32) { meanwhile(); }\n",
        "betweenness",
        "race result",
        graph=("deep",),
    ),
    Mutant(
        "the last of the warps has members of the one before",
        "runtime/warp.cuh",
        "{ return grid_warps() - 1 - warp_index(); }",
        "{ return grid_warps() - 1 - (warp_index() | 1); }",
        "betweenness",
        "result race",
    ),
    Mutant(
        "the edges of a level are not counted",
        _HISTORIES,
        "    counted.add(run.counters(), edges);\n",
        "",
        COUNTED,
        "result",
    ),
    Mutant(
        "no barrier before what lies before is summed up",
        _NUMBERS,
        "    synchronize(run);\n    if (block_index() == 0 && threadIdx.x < 32)",
        "    __syncthreads();\n    if (block_index() == 0 && threadIdx.x < 32)",
        "numbered",
        "race result uninitialized",
    ),
    Mutant(
        "no barrier before members are told their places",
        _NUMBERS,
        "    synchronize(run);\n    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {\n"
        "        const uint64 word = chunk * 32 + lane;\n        const uint32 mine",
        "    __syncthreads();\n    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {\n"
        "        const uint64 word = chunk * 32 + lane;\n        const uint32 mine",
        "numbered",
        "race",
    ),
    Mutant(
        "marks of numbered edges are left",
        _NUMBERS,
        "    clear_edge_marks(marks, f);\n",
        "",
        "numbered",
        "result race",
    ),
    Mutant(
        "a member counts itself",
        _NUMBERS,
        "__popc(members & ((1u << lane) - 1))",
        "__popc(members & ((2u << lane) - 1))",
        "numbered",
        "result",
    ),
    Mutant(
        "a width above 0 stops the run",
        "runtime/buckets.cuh",
        "width > Width(0) ? 0 : -1",
        "width < Width(0) ? 0 : -1",
        "coreness",
        "error",
    ),
    Mutant(
        "nobody waits for the bound",
        "runtime/buckets.cuh",
        "near_bound(size, near_set, nearest, farthest); }\n    synchronize(run);",
        "near_bound(size, near_set, nearest, farthest); }\n    __syncthreads();",
        "nearest_waiting",
        "race",
    ),
    Mutant(
        "a bound that nobody is within",
        "../common/runtime/buckets.hpp",
        "if (!(bound > nearest)) { bound = nearest; }",
        "if (!(bound > nearest)) { bound = -FLOAT64_INF; }",
        "nearest_waiting",
        "steps divergence result",
    ),
)
