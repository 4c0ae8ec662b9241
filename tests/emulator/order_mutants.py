"""Deliberate mistakes where a worklist is worked off from near to far; see `mutants`."""

from __future__ import annotations

from support.near_far import AGAIN, BOTTLENECK

from .mutants import BLOCK_ALONE, THEN_ALL_KNOW, Mutant

_NEAR_FAR = "runtime/near_far.cuh"
_WORDS = ("schedule.order=near_far",)


def _mutant(name: str, old: str, new: str, shows: str, program: str = BOTTLENECK) -> Mutant:
    return Mutant(name, _NEAR_FAR, old, new, program, shows, _WORDS)


def _revisit(name: str, old: str, new: str, shows: str, file: str = "runtime/revisits.cuh") -> Mutant:
    return Mutant(name, file, old, new, BOTTLENECK, shows, ("schedule.order=as_given",))


ORDER_MUTANTS = (
    _revisit(
        "the first pass takes all", "has_member && (all || now != former)", "has_member && now != former", "result"
    ),
    _revisit("who has a new value is visited", "(all || now != former)", "(all || now == former)", "result"),
    _revisit(
        "what a loop begins with",
        "known.visited[i] = 0; });\n    synchronize(run);",
        "known.visited[i] = 0; });\n    __syncthreads();",
        "race result",
    ),
    _revisit("what was changed is told", "return higher;", "return false;", "result", "runtime/memory.cuh"),
    _revisit(
        "each edge has the value of its member",
        "values[k].own = __shfl_sync(FULL_WARP, value, owner);",
        "values[k].own = value;",
        "result",
    ),
    _revisit("the worst of a list's values", "atomicMin_grid(&known", "atomicMax(&known", "result"),
    _revisit("chunks of both kinds", "count(uint32(counted) + (counted >> 32))", "count(uint32(counted))", "result"),
    _revisit(
        "who is not near comes before the end",
        "places + nearest - 1 - chunk",
        "places - 1 - chunk",
        "bounds uninitialized result",
    ),
    _revisit(
        "each kind has its part of the room",
        "uint64(behind) << 32 | in_front",
        "uint64(behind) << 32",
        "race result uninitialized",
    ),
    _revisit(
        "nobody asks for the bound before",
        "nearest = bound; }\n    }\n    __syncthreads();",
        "nearest = bound; }\n    }",
        "race",
    ),
    _mutant(
        "the bit of a far vertex",
        "atomicOr_grid(&far[v / 32], 1u << (v % 32));",
        "far[v / 32] |= 1u << (v % 32);",
        "race",
    ),
    _mutant("what is far is put off", "if (accepted && !near) { order.put_off(v); }", "", "result"),
    _mutant(
        "entries that still count",
        "const bool counts = has_member && key == now;",
        "const bool counts = has_member && key != now;",
        "result",
    ),
    _mutant("ranks of what is found", "keys[at + i] = staged_keys[i];", "keys[at + i] = staged_keys[0];", "result"),
    _mutant(
        "the ranks behind a round",
        "    order.peak = max(order.peak, result.size);\n    exchange(order.keys, order.next_keys);",
        "    order.peak = max(order.peak, result.size);",
        "result",
    ),
    _mutant(
        "all know the bound",
        "        if (threadIdx.x == 0) { move_bound(order); }\n        __syncthreads();",
        "        if (threadIdx.x == 0) { move_bound(order); }",
        "race",
    ),
    _mutant(
        "all have looked",
        f"    {THEN_ALL_KNOW}        synchronize_then(run, [&] {{",
        f"    {THEN_ALL_KNOW}        {BLOCK_ALONE}(run, [&] {{",
        "race divergence",
    ),
    _mutant(
        "the last look is believed",
        "if (f.size == 0 && !left) { return false; }",
        "if (f.size == 0) { return false; }",
        "result",
    ),
    _mutant(
        "marks of the operator before",
        "far(marks_of(run))",
        "far(run.slice.marks[1 - marks_turn(run)])",
        "race result",
        AGAIN,
    ),
)
