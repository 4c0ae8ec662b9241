"""Deliberate mistakes in the templates, or in one program's generated text: each must turn something red."""

from __future__ import annotations

from dataclasses import dataclass

GENERATED = "generated"
"""In place of a file: the change is made in the text of the program."""


@dataclass(frozen=True)
class Mutant:
    """`old` becomes `new` in a file under templates/cuda; a program then shows it as one of `shows`.

    `program` is a name or a text with a param `source`. `shows`: kinds of findings, "result" (a result or the trace
    differs from the reference) or "error" (the run itself ends with an error). `stops`: the host asks for a stop in the
    middle.
    """

    name: str
    file: str
    old: str
    new: str
    program: str
    shows: str
    words: tuple[str, ...] = ()
    stops: bool = False
    graph: tuple[str, ...] = ()
    """The facts about graphs that the plan is for."""


_BARRIERS, _PROGRESS, _FRONTIER = "runtime/barriers.cuh", "runtime/progress.cuh", "runtime/frontier.cuh"
_WARP = "runtime/warp.cuh"
_PUSH, _PULL, _REDUCE = "runtime/push.cuh", "runtime/pull.cuh", "runtime/reduce.cuh"
_LOOPS, _ADVANCE, _COMMON = "runtime/loops.cuh", "operators/advance.cu.j2", "operators/common.cu.j2"
_BFS_PUSH, _BFS_PULL = ("visit.direction=push",), ("visit.direction=pull",)
_BY_BLOCKS = ("visit.direction=push", "visit.balance=block")

THEN_ALL_KNOW = "    const operator_counters* const counters = run.counters();\n"
BLOCK_ALONE = "[](enactor&, auto then) { __syncthreads(); if (threadIdx.x == 0) { then(); } __syncthreads(); }"
"""In the place of a barrier of the grid."""

SPREAD = """
program spread;
problem { param source : vertex; scalar reached : int64; }
edge functor any_edge(src, dst, e) { }
schedule {
    frontier f = { source };
    repeat (6) {
        f = advance(f, any_edge);
        reached += size(f);
    }
}
"""

STEPPING = SPREAD.replace("reached += size(f);", "").replace("repeat (6)", "repeat (12)")
"""Nothing but advances: no barrier beside their own."""

COUNTING = """
program counting;
problem { param source : vertex; vertex count : int32; }
vertex functor bump(v) { apply { count[v] += 1; } }
schedule { repeat (200) { compute(vertices, bump); } }
"""

BARRIERS = (
    Mutant(
        "no block barrier before the grid barrier",
        _BARRIERS,
        "    __syncthreads();\n    if (waits_for_others()) { wait_for_all(shared",
        "    if (waits_for_others()) { wait_for_all(shared",
        "bfs",
        "race",
    ),
    Mutant(
        "no block barrier after the grid barrier",
        _BARRIERS,
        "word, second); }\n    __syncthreads();\n",
        "word, second); }\n",
        "bfs",
        "race",
    ),
    Mutant(
        "nothing is released with the arrival",
        _BARRIERS,
        "arrive_everywhere_without_result(&control->arrived);",
        "atomicAdd(&control->arrived, 1ull);",
        "bfs",
        "race",
    ),
    Mutant(
        "no block barrier before the partial results",
        _WARP,
        "    __syncthreads();\n    if (threadIdx.x < 32) {",
        "    if (threadIdx.x < 32) {",
        "pagerank",
        "race",
    ),
    Mutant(
        "no block barrier in the scan",
        _PUSH,
        "        __syncthreads();\n        tile.inclusive[threadIdx.x] += below;",
        "        tile.inclusive[threadIdx.x] += below;",
        "bfs",
        "race",
        _BY_BLOCKS,
    ),
    Mutant(
        "no block barrier after a tile",
        _PUSH,
        "        }\n        __syncthreads();\n    }\n",
        "        }\n    }\n",
        "bfs",
        "race",
        _BY_BLOCKS,
    ),
    Mutant(
        "no grid barrier at the end of a queue",
        _FRONTIER,
        "= synchronize_and_count(run);",
        "= {load_relaxed(&run.counters()->accepted), load_relaxed(&run.counters()->edges)};",
        "bfs",
        "race",
        _BFS_PUSH,
    ),
    Mutant(
        "no grid barrier between clearing and filling",
        _FRONTIER,
        "{ bitmap[word] = 0; }\n    stopped = meet(shared, control, host_stop, stopped);",
        "{ bitmap[word] = 0; }\n    __syncthreads();",
        "bfs",
        "race",
    ),
    Mutant(
        "no grid barrier before the chunks",
        _PUSH,
        "synchronize_and_read(run, &run.counters()->hubs)",
        "load_relaxed(&run.counters()->hubs)",
        "bfs",
        "race",
        _BFS_PUSH,
    ),
    Mutant(
        "no order of a warp before its staged vertices are read",
        _FRONTIER,
        "const Counted& counted) {\n    __syncwarp(FULL_WARP);",
        "const Counted& counted) {",
        "bfs",
        "race",
        _BFS_PUSH,
    ),
    Mutant(
        "a barrier that waits for one block less",
        _BARRIERS,
        "(barriers + 1) * block_count()",
        "(barriers + 1) * block_count() - 1",
        "bfs",
        "race divergence",
    ),
    Mutant(
        "a stop in the same bit at each barrier",
        _BARRIERS,
        "barriers % 2 == 0 ? STOP_EVEN : STOP_ODD",
        "STOP_EVEN",
        COUNTING,
        "deadlock divergence race",
        stops=True,
    ),
    Mutant(
        "a pass that every thread counts",
        _PROGRESS,
        "if (threadIdx.x == 0) { run.shared.passes += 1; }",
        "run.shared.passes += 1;",
        "bfs",
        "race result",
    ),
)

BOUNDS = (
    Mutant(
        "one vertex too many at the start",
        _LOOPS,
        "i < own_end(count); i += own_threads(count)) { visit(i); }",
        "i <= own_end(count); i += own_threads(count)) { visit(i); }",
        "bfs",
        "bounds",
    ),
    Mutant(
        "one edge too many in a pull",
        _PULL,
        "const edge left = end - at;",
        "const edge left = end - at + 1;",
        "bfs",
        "bounds result",
        _BFS_PULL,
    ),
    Mutant(
        "one far end too many",
        _PULL,
        "id < num_vertices && select(far)",
        "id <= num_vertices && select(far)",
        "bfs",
        "bounds",
        _BFS_PULL,
    ),
    Mutant(
        "one member too many",
        _LOOPS,
        "const bool active = base + lane_index() < size;",
        "const bool active = base + lane_index() <= size;",
        "core",
        "bounds result",
    ),
    Mutant(
        "one edge too many of a chunk",
        _PUSH,
        "const bool active = at < part.last;",
        "const bool active = at <= part.last;",
        "sets",
        "bounds result",
    ),
    Mutant(
        "one bit too far",
        _FRONTIER,
        "word < (num_vertices + 31) / 32; word",
        "word <= (num_vertices + 31) / 32; word",
        "bfs",
        "bounds",
        _BFS_PULL,
    ),
)

LEFT_OUT = (
    Mutant(
        "counters are not reset",
        _PROGRESS,
        "run.control->counters[(run.operators + 2) % 8] = operator_counters();",
        "",
        "bfs",
        "result bounds race steps",
    ),
    Mutant(
        "the wrong counters are reset",
        _PROGRESS,
        "counters[(run.operators + 2) % 8] = operator_counters()",
        "counters[run.operators % 8] = operator_counters()",
        "bfs",
        "result race",
    ),
    Mutant(
        "the places of what a bitmap holds",
        _FRONTIER,
        "            at += __popc(bits);\n",
        "",
        "bfs",
        "race result bounds",
    ),
    Mutant(
        "a bitmap is not reset",
        _FRONTIER,
        "word < (num_vertices + 31) / 32; word += grid_threads()) { bitmap[word] = 0; }",
        "word < 1; word += grid_threads()) { bitmap[word] = 0; }",
        "bfs",
        "result bounds",
        _BFS_PULL,
    ),
    Mutant(
        "marks are not taken out", _FRONTIER, "store_relaxed(&marks[result.queue[i] / 32], 0u);", "", "sets", "result"
    ),
    Mutant("marks do not take turns", _FRONTIER, "marks_turn(run) == 0", "true", STEPPING, "result bounds"),
    Mutant(
        "duplicates stay",
        _FRONTIER,
        "return (load_relaxed(word) & bit) == 0 && (atomicOr_grid(word, bit) & bit) == 0;",
        "return true;",
        "sets",
        "result bounds",
    ),
    Mutant(
        "no flush of what is staged",
        _COMMON,
        "{% if sweep.collect or sweep.selection %}\n    out.flush();\n{% endif %}\n",
        "",
        "bfs",
        "result",
        _BFS_PUSH,
    ),
    Mutant(
        "the last chunk of the long lists",
        _PUSH,
        "chunk < chunks; chunk += grid_warps()",
        "chunk + 1 < chunks; chunk += grid_warps()",
        "bfs",
        "result",
        _BFS_PUSH,
    ),
    Mutant(
        "every thread of a block adds the total",
        _COMMON,
        "if (threadIdx.x == 0) { {{ cuda.reductions.reduce_function(total) }}",
        "if (threadIdx.x < 2) { {{ cuda.reductions.reduce_function(total) }}",
        "reach_back",
        "result",
    ),
    Mutant("a swap of the program", GENERATED, "exchange(d.first, d.second);", "", "sets", "result"),
    Mutant(
        "the exchange of frontiers",
        GENERATED,
        "exchange(f, spare);\n    }\n    if (run.stopped)",
        "}\n    if (run.stopped)",
        "bfs",
        "result race error bounds steps",
    ),
    Mutant(
        "a new frontier is not all that was accepted",
        _FRONTIER,
        "((1u << lane_index()) - 1)",
        "((2u << lane_index()) - 1)",
        "bfs",
        "result bounds",
        _BFS_PUSH,
    ),
)

WARPS = (
    Mutant(
        "lanes leave before the collectives of an append",
        _FRONTIER,
        "if (votes == 0) { return; }",
        "if (!accepted) { return; }",
        "bfs",
        "divergence deadlock race bounds",
        _BFS_PUSH,
    ),
    Mutant(
        "lanes leave the loop over a warp's edges",
        _PUSH,
        "for (uint32 start = 0; start < total; start += 32)",
        "for (uint32 start = 0; start + lane < total; start += 32)",
        "bfs",
        "divergence deadlock",
        _BFS_PUSH,
    ),
    Mutant(
        "a thread's loop is left lane by lane",
        _PUSH,
        "while (__any_sync(FULL_WARP, at < last))",
        "while (at < last)",
        "bfs",
        "divergence deadlock",
        ("visit.direction=push", "visit.balance=thread"),
    ),
    Mutant(
        "a block barrier that only some reach",
        _WARP,
        "    __syncthreads();\n    if (lane_index() == 0) { shared.partials",
        "    if (threadIdx.x >= 32) { __syncthreads(); }\n    if (lane_index() == 0) { shared.partials",
        "pagerank",
        "divergence deadlock",
    ),
)

IDENTITIES = (
    Mutant("a minimum that begins with 0", GENERATED, " 2147483647, combine", " 0, combine", "neighborhoods", "result"),
    Mutant("a product that begins with 0", GENERATED, "}, 1, combine", "}, 0, combine", "neighborhoods", "result"),
    Mutant("a total that begins with 1", GENERATED, "loss = 0.0;", "loss = 1.0;", "heat", "result"),
)

MUTANTS = (*BARRIERS, *BOUNDS, *LEFT_OUT, *WARPS, *IDENTITIES)
