"""Deliberate mistakes where a thread reads ahead for several elements; see `mutants`."""

from __future__ import annotations

from .mutants import GENERATED, Mutant

CHAINS = """
program chains;
problem {
    param source : vertex;
    vertex next : vertex = vertex(int32(id) // 2); vertex number : int32 = int32(id) % 11; vertex seen : int32;
    vertex most : int32; scalar sums : int64; scalar firsts : int64;
}
vertex functor step(v) { apply { seen[v] += number[next[v]] + 1; sums += number[v]; } }
vertex functor odd(v) { cond number[v] % 3 != 1; apply { seen[v] += 1; accept number[next[v]] % 5 != 2; } }
edge functor meet(src, dst, e) {
    cond number[src] != number[dst];
    apply {
        let first = changed(most[dst] max= 1);
        seen[dst] += number[next[dst]];
        if (first) { firsts += 1; }
    }
}
schedule {
    frontier f = filter(vertices, odd);
    compute(vertices, step);
    sums += size(f);
    advance(f, meet, to=none);
    f = filter(f, odd);
    compute(f, step);
    sums += size(f);
}
"""
_LOOPS, _PUSH = "runtime/loops.cuh", "runtime/push.cuh"

EARLY_MUTANTS = (
    Mutant(
        "what stands for a vertex beyond the end is worked on",
        _LOOPS,
        "const uint64 at = base + k * stride;\n            values[k].active = at < size;",
        "const uint64 at = base + k * stride;\n            values[k].active = true;",
        CHAINS,
        "result race",
    ),
    Mutant(
        "a thread has the vertices of others beside its own",
        _LOOPS,
        "const uint64 at = base + k * stride;",
        "const uint64 at = base + k * 32;",
        CHAINS,
        "result race",
    ),
    Mutant(
        "what stands for an edge beyond the last one is visited",
        _PUSH,
        "values[k].active = start + k * 32 + lane < total;",
        "values[k].active = true;",
        CHAINS,
        "result race",
    ),
    Mutant(
        "the next edges of a warp are those that it has had",
        _PUSH,
        "for (uint32 start = 0; start < total; start += several * 32) {",
        "for (uint32 start = 0; start < total; start += 32) {",
        CHAINS,
        "result race bounds",
    ),
    Mutant(
        "what stands for an edge beyond the end of a chunk is visited",
        _PUSH,
        "values[k].active = place < part.last;",
        "values[k].active = true;",
        CHAINS,
        "result race",
    ),
    Mutant(
        "what fails the test is worked on",
        GENERATED,
        "early[k].active = early[k].active && meet_condition(",
        "early[k].active = early[k].active || meet_condition(",
        CHAINS,
        "result race",
    ),
)
