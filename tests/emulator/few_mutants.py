"""Mistakes in how few members are worked off: claims, places in queues, counts of blocks, lanes of a member."""

from __future__ import annotations

from .mutants import Mutant

_ENACTOR, _FRONTIER = "runtime/enactor.cuh", "runtime/frontier.cuh"
_MEMORY, _PUSH = "runtime/memory.cuh", "runtime/push.cuh"
_BFS_PUSH = ("visit.direction=push",)

FEW_MUTANTS = (
    Mutant(
        "a claim among few is won by all",
        _MEMORY,
        "(few || load_relaxed(x) == old) && exchange_word(x, old, value);",
        "few ? (exchange_word(x, old, value), true) : load_relaxed(x) == old && exchange_word(x, old, value);",
        "bfs",
        "result",
        _BFS_PUSH,
    ),
    Mutant(
        "the places of a block's warps",
        _FRONTIER,
        "first = __shfl_sync(FULL_WARP, first, 31) + (inclusive - own);",
        "first = __shfl_sync(FULL_WARP, first, 31);",
        "bfs",
        "race result",
        _BFS_PUSH,
    ),
    Mutant(
        "the places of a block's warps are known at once",
        _FRONTIER,
        "    __syncthreads();\n    return run.shared.places[warp];",
        "    return run.shared.places[warp];",
        "bfs",
        "race result bounds",
        _BFS_PUSH,
    ),
    Mutant(
        "what a block counts is told twice",
        _ENACTOR,
        "        own = 0;\n",
        "",
        "bfs",
        "result",
        _BFS_PUSH,
    ),
    Mutant(
        "what blocks count is told by nobody",
        _ENACTOR,
        "tell(run.shared.edges, run.counters()->edges);",
        "",
        "bfs",
        "result",
    ),
    Mutant(
        "the lanes of a member skip an edge",
        _PUSH,
        "item < length); item += lanes) {",
        "item < length); item += 2 * lanes) {",
        "bfs",
        "result",
        _BFS_PUSH,
    ),
)
