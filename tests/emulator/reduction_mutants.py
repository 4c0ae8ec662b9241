"""Deliberate mistakes in reductions by operators of the program, and over arrays; see `mutants`."""

from __future__ import annotations

from .mutants import Mutant

DIVISORS = """
program divisors;
problem { param source : vertex; vertex divisor : uint32; }
operator gcd(a : uint32, b : uint32) -> uint32 identity 0 {
    var x = a;
    var y = b;
    while (y != 0) { let rest = x % y; x = y; y = rest; }
    return x;
}
edge functor ends(src, dst, e) -> uint32 { value 6 + 6 * uint32(int32(dst) % 5); }
schedule { divisor = neighbor_reduce(vertices, ends, gcd); }
"""
LARGEST = """
program largest;
problem { param source : vertex; vertex held : int32 = out_degree(id); scalar most : int32; scalar at : vertex; }
schedule { most = max(held); at = argmax(held); }
"""
STOPPING = """
program stopping;
problem { param source : vertex; vertex all : bool; vertex one : bool; }
schedule {
    all = neighbor_reduce(vertices, (src, dst, e) => dst < 60, every);
    one = neighbor_reduce(vertices, (src, dst, e) => dst >= 60, some);
}
"""
KEPT = """
program kept;
problem {
    param source : vertex; vertex held : int32 = out_degree(id); vertex next : int32;
    vertex wide : int64 = 1; vertex sums : int64;
}
schedule {
    repeat (3) {
        next = neighbor_reduce(vertices, (src, dst, e) => held[dst], sum);
        sums = neighbor_reduce(vertices, (src, dst, e) => wide[dst], sum);
        compute(vertices, v => { held[v] = next[v] % 1000; wide[v] = sums[v] % 1000 + 1; });
    }
}
"""
IN_TURNS = """
program turns;
problem { param source : vertex; vertex held : int32 = out_degree(id); vertex most : int32; }
edge functor held_there(src, dst, e) -> int32 { value held[dst]; }
schedule {
    repeat (3) {
        held = neighbor_reduce(vertices, held_there, min);
        most = neighbor_reduce(vertices, held_there, max);
    }
}
"""
SUMS = """
program sums;
problem { param source : vertex; vertex total : int32; }
schedule { total = neighbor_reduce(vertices, (src, dst, e) => int32(dst) + 1, sum); }
"""
WALKED = """
program walked;
problem {
    param source : vertex; vertex held : int32 = int32(id) % 5; vertex sums : int32; vertex most : int32;
    vertex depth : int32 = -1;
}
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration; } }
schedule {
    frontier f = { source };
    while (iteration < 4) {
        sums = neighbor_reduce(vertices, (src, dst, e) => held[dst], sum);
        f = advance(f, reach);
        most = neighbor_reduce(vertices, (src, dst, e) => held[dst] + iteration, max);
        most = neighbor_reduce(vertices, (src, dst, e) => held[dst] - iteration, max);
    }
}
"""


def _lists(name: str, old: str, new: str) -> Mutant:
    return Mutant(name, "runtime/reduce.cuh", old, new, SUMS, "result")


REDUCTION_MUTANTS = (
    Mutant(
        "counters are cleared while those may add to them who have not waited",
        "runtime/progress.cuh",
        "counters[(run.operators + 2) % 8] = operator_counters()",
        "counters[(run.operators + 1) % 8] = operator_counters()",
        WALKED,
        "result race",
    ),
    Mutant(
        "chunks of long lists are written over while a reduction reads them",
        "operators/neighbor_reduce.cu.j2",
        "    if (cut) { synchronize(run); }  // until all have read the chunks\n",
        "",
        WALKED,
        "race",
    ),
    Mutant(
        "the trace gets a count that is not final",
        "runtime/progress.cuh",
        "load_relaxed(&counter) != nullptr && (complete || !before_barrier)",
        "load_relaxed(&counter) != nullptr",
        WALKED,
        "result",
    ),
    Mutant(
        "the trace never gets the count",
        "runtime/progress.cuh",
        "        if (destination != nullptr) { *destination = edges; }\n",
        "",
        WALKED,
        "result",
    ),
    _lists("lanes of a group begin at one edge", "(lists, owned, begin + rank, left,", "(lists, owned, begin, left,"),
    _lists("a list between two classes is left out", "own > alone && own <= G", "own > alone && own < G"),
    _lists("a group brings its list to another's lane", "- 1)) * lanes & 31", "- 1)) * lanes + lanes & 31"),
    Mutant(
        "ends behind the last one are read",
        "runtime/reduce.cuh",
        "lists.neighbor(k * stride < left ? at + k * stride : at)",
        "lists.neighbor(at + k * stride)",
        SUMS,
        "bounds",
    ),
    _lists("edges side by side are one edge", "value(near, far[k], at + k * stride)", "value(near, far[0], at)"),
    Mutant(
        "chunks of a reduction begin where others would",
        "runtime/push.cuh",
        "begin + edge(chunk) * chunk_edges;",
        "begin + edge(chunk) * HUB_CHUNK;",
        SUMS,
        "result",
    ),
    Mutant(
        "a pull passes over an edge behind those that it looks at side by side",
        "runtime/pull.cuh",
        "at += min(left, edge(PULLED_AT_ONCE));",
        "at += min(left, edge(PULLED_AT_ONCE + 1));",
        "bfs",
        "result",
        ("visit.direction=pull",),
    ),
    Mutant(
        "a chunk by an own operator replaces what stands there",
        "operators/neighbor_reduce.cu.j2",
        "{ {{ cuda.reductions.reduce_function(segment) }}(&{{ target(segment) }}[near], reduced"
        '{{ ", combine" if cuda.reductions.is_own(segment) }}); }',
        "{ {{ target(segment) }}[near] = reduced; }",
        DIVISORS,
        "race result",
    ),
    Mutant(
        "an own operator is not applied to memory",
        "runtime/memory.cuh",
        "const T combined = combine(former, value);",
        "const T combined = value;",
        DIVISORS,
        "result",
    ),
    Mutant(
        "totals of arrays begin anywhere",
        "operators/common.cu.j2",
        "{{ cuda.reductions.reduce_function(total) }}(d.{{ member }}, total);",
        "*d.{{ member }} = total;",
        LARGEST,
        "race result",
    ),
    Mutant(
        "a list is not walked beyond its first edges",
        "runtime/reduce.cuh",
        "__ballot_sync(FULL_WARP, open && !hub && last - at <= GROUPED_LIST)",
        "0u & __ballot_sync(FULL_WARP, open && !hub && last - at <= GROUPED_LIST)",
        STOPPING,
        "result",
    ),
    Mutant(
        "lanes that share a list take what those of another one have found",
        "runtime/reduce.cuh",
        "found = combine(found, shuffle(part, group * lanes));",
        "found = combine(found, shuffle(part, 0));",
        STOPPING,
        "result",
    ),
    Mutant(
        "what the rest of a list says is forgotten",
        "runtime/reduce.cuh",
        "if (rank == 0 && reduced == final) { add",
        "if (rank == 0 && reduced != final) { add",
        STOPPING,
        "result",
    ),
    Mutant(
        "values are asked for before all of them are kept",
        "runtime/reduce.cuh",
        "        __syncthreads();\n    }\n    __device__ __forceinline__ T operator[]",
        "    }\n    __device__ __forceinline__ T operator[]",
        KEPT,
        "race result",
        ("schedule.layout=by_degree",),
    ),
    Mutant(
        "the vertex behind those that are kept is taken for one of them",
        "runtime/reduce.cuh",
        "return uint64(v) < count ?",
        "return uint64(v) <= count ?",
        KEPT,
        "race result error uninitialized bounds",
        ("schedule.layout=by_degree",),
    ),
    Mutant(
        "the first values are kept while the block may still read those of the reduction before",
        "runtime/reduce.cuh",
        "        __syncthreads();  // until no thread reads the former values\n",
        "",
        IN_TURNS,
        "race result",
        ("schedule.layout=by_degree",),
    ),
)
