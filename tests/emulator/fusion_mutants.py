"""Deliberate mistakes where operators have one sweep, and where scalars turn; see `mutants`."""

from __future__ import annotations

from .mutants import Mutant

BEHIND = """
program behind;
problem {
    param source : vertex; vertex held : int32 = int32(id); vertex sums : int32; vertex kept : int32 = 1;
    scalar total : int64; scalar rounds : int64; local scalar again : bool = true;
}
edge functor given(src, dst, e) -> int32 { value held[dst] % 7; }
vertex functor keep(v) { apply { kept[v] += sums[v]; total += kept[v]; } }
vertex functor halve(v) { apply { held[v] = held[v] // 2; again |= held[v] > 0; } }
schedule {
    while (again) {
        again = false; total = 0;
        sums = neighbor_reduce(vertices, given, sum, over=all_edges);
        compute(vertices, keep);
        compute(vertices, halve);
        rounds += 1;
    }
}
"""
_REDUCE, _PLACES = "runtime/reduce.cuh", "runtime/places.cuh"

FUSION_MUTANTS = (
    Mutant(
        "what comes behind a reduction does not wait for the chunks of long lists",
        _REDUCE,
        "if (largest_degree < least) { return; }\n    synchronize(run);\n    const uint64 chunks = "
        "load_relaxed(&run.counters()->hubs);\n    for (uint64 chunk = begin + thread_index()",
        "if (largest_degree < least) { return; }\n    const uint64 chunks = "
        "load_relaxed(&run.counters()->hubs);\n    for (uint64 chunk = begin + thread_index()",
        BEHIND,
        "race result",
    ),
    Mutant(
        "a part of a result is taken for the whole",
        _REDUCE,
        "assign(near, reduced, !hub)",
        "assign(near, reduced, true)",
        BEHIND,
        "race result",
    ),
    Mutant(
        "the totals of what runs in another sweep are forgotten",
        "operators/common.cu.j2",
        "{{ combine_totals(cuda.totals(each, each.does), ",
        "{{ combine_totals(none, ",
        BEHIND,
        "result",
    ),
    Mutant(
        "what runs in another sweep is not in the trace",
        "operators/common.cu.j2",
        "{% for each in fused %}\n    note_operator(",
        "{% for each in () %}\n    note_operator(",
        BEHIND,
        "result",
    ),
    Mutant(
        "a turn makes the place ready that others are about to use",
        _PLACES,
        "if (leader()) { *(current == places + 2 * apart ? places : current + apart) = value; }",
        "if (leader()) { *current = value; }",
        BEHIND,
        "race result steps",
    ),
    Mutant(
        "what turned is not handed back",
        _PLACES,
        "if (leader() && current != places) { *places = *current; }",
        "",
        BEHIND,
        "result",
    ),
)
