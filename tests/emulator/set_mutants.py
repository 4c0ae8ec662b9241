"""Deliberate mistakes where sets are combined and lists are intersected; see `mutants`."""

from __future__ import annotations

from .mutants import GENERATED, Mutant

_INTERSECT = "runtime/intersect.cuh"
_SETS = "runtime/sets.cuh"

_COMMON = """
program common_of_edges;
problem { param source : vertex; scalar total : int64; scalar members : int64; }
schedule {
    frontier c = intersect(edges, count=total);
    members = size(c);
}
"""

_COMMON_OF_SOME = """
program common_of_edges;
problem { param source : vertex; scalar total : int64; scalar members : int64; }
edge functor any_edge(src, dst, e) { }
schedule {
    edge frontier some = filter(edges, any_edge);
    frontier c = intersect(some, count=total);
    members = size(c);
}
"""
"""A frontier of edges, which no tables serve."""

TAKEN_OVER = """
program taken_over;
problem { param source : vertex; scalar last : int64; }
vertex functor third(v) { cond int32(v) % 3 == 0; }
vertex functor high(v) { cond int32(v) > 5; }
schedule {
    frontier f = where(third);
    frontier h;
    repeat (12) {
        frontier g = { source, 0, 1 };
        g = f - g;
        h = { 3 };
        h = f - h;
        last += size(g) + 100 * size(h);
        h = where(high);
    }
}
"""
"""What is asked by marks is written at once, and so is what comes next."""

RESTS = """
program rests;
problem { param source : vertex; scalar last : int64; }
vertex functor third(v) { cond int32(v) % 3 == 0; }
schedule {
    frontier f = vertices;
    frontier g = filter(f, third);
    f = f - g;
    last = size(f) + 100 * size(g);
}
"""
"""What a filter leaves asks its test."""

GROWING = """
program growing;
problem { param source : vertex; scalar last : int64; }
vertex functor even(v) { cond int32(v) % 2 == 0; }
edge functor any_edge(src, dst, e) { }
schedule {
    frontier seen = { source };
    frontier f = seen;
    while (f) {
        f = advance(f, any_edge) - seen;
        seen = seen | f;
        last += (iteration + 2) * size(seen) + 1000 * size(f);
    }
    seen = filter(seen, even);
    last += 7 * size(seen);
}
"""

INTERSECTIONS = (
    Mutant(
        "the place of a chunk of a walk",
        _INTERSECT,
        "at = atomicAdd_grid(&run.counters()->hubs, uint64(inclusive));",
        "at = load_relaxed(&run.counters()->hubs); store_relaxed(&run.counters()->hubs, at + inclusive);",
        _COMMON,
        "race result",
    ),
    Mutant(
        "no grid barrier before the chunks of walks",
        _INTERSECT,
        "synchronize_and_read(run, &run.counters()->hubs)",
        "load_relaxed(&run.counters()->hubs)",
        _COMMON,
        "race",
    ),
    Mutant("more chunks than there is room for", _INTERSECT, "HUB_DEGREE + 2);", "HUB_DEGREE + 4);", _COMMON, "bounds"),
    Mutant(
        "walks without room are left out",
        _INTERSECT,
        "is_long && rest < walk.last",
        "is_long && rest == walk.first",
        _COMMON_OF_SOME,
        "result",
    ),
    Mutant(
        "parallel edges count twice",
        _INTERSECT,
        "return SIMPLE_LISTS || at == first || ",
        "return true || ",
        _COMMON,
        "result",
    ),
    Mutant(
        "a chunk forgets what comes before it",
        _INTERSECT,
        "is_new_in_list(lists, walk.first, at[k], x[k])",
        "is_new_in_list(lists, start, at[k], x[k])",
        _COMMON,
        "result",
    ),
    Mutant("a search that passes by", _INTERSECT, "middle[k] < x[k]", "middle[k] <= x[k]", _COMMON, "result"),
    Mutant(
        "a search that finds what it has passed by",
        _INTERSECT,
        "if ((found >> k & 1) == 0)",
        "if (false)",
        _COMMON,
        "result",
    ),
    Mutant("a warp without members walks", _INTERSECT, "at >= members.size()", "false", _COMMON, "bounds result"),
    Mutant(
        "lanes leave the walks of a warp",
        _INTERSECT,
        "start < total; start += 32 * SEARCHES",
        "start + lane < total; start += 32 * SEARCHES",
        _COMMON,
        "divergence deadlock",
    ),
    Mutant(
        "a table is filled while it is cleared",
        _INTERSECT,
        "    __syncthreads();\n    for (edge at = first + threadIdx.x",
        "    for (edge at = first + threadIdx.x",
        _COMMON,
        "race",
    ),
    Mutant(
        "the next table while others look up in the last",
        _INTERSECT,
        "first, last, visit);\n            __syncthreads();",
        "first, last, visit);",
        _COMMON,
        "race",
    ),
    Mutant(
        "a neighbor takes another's place in the table",
        _INTERSECT,
        "exchange_word(&table.slots[slot], NO_VERTEX, x)",
        "((table.slots[slot] = x), true)",
        _COMMON,
        "race result",
    ),
    Mutant(
        "edges that a table serves are walked again",
        _INTERSECT,
        "return !is_tabled(degree, other);",
        "return true;",
        _COMMON,
        "result",
    ),
    Mutant(
        "found neighbors are not marked",
        "operators/intersect.cu.j2",
        "accepted && mark(marks, x)",
        "accepted",
        _COMMON,
        "bounds result",
    ),
)

SETS = (
    Mutant(
        "what a function makes of a lent set stays there",
        "runtime/enactor.cuh",
        "        ((own = copy), ...);\n",
        "",
        GROWING.replace("while (f)", "repeat (4)"),
        "result bounds",
    ),
    Mutant(
        "a function does not tell how far the run has gone",
        "runtime/enactor.cuh",
        "        run.continue_from(called);\n",
        "",
        GROWING,
        "result bounds",
    ),
    Mutant(
        "what a set has is counted again where it grows in order",
        _SETS,
        "if (!mark(f.bitmap, v)) { return; }",
        "mark(f.bitmap, v);",
        GROWING.replace(" - seen;", ";").replace("while (f)", "repeat (4)"),
        "result bounds",
    ),
    Mutant(
        "whether a set is whole",
        "runtime/frontier.cuh",
        "f.size == num_vertices};",
        "f.size + 1 >= num_vertices};",
        "coreness",
        "result",
    ),
    Mutant(
        "no grid barrier before marks are asked",
        _SETS,
        "mark(marks, f.queue[i]); }\n    synchronize(run);",
        "mark(marks, f.queue[i]); }\n    __syncthreads();",
        TAKEN_OVER,
        "race",
    ),
    Mutant(
        "no wait for the marks of what is written next",
        GENERATED,
        "synchronize(run);  // until its marks are cleared",
        "",
        TAKEN_OVER,
        "race result",
    ),
    Mutant(
        "marks of a set stay",
        _SETS,
        "if (!f.mapped) { clear_marks(marks_of(run), f); }",
        "",
        TAKEN_OVER,
        "result",
    ),
    Mutant("a set grows over its own members", _SETS, "    rest.queue += f.size;\n", "", GROWING, "result race"),
    Mutant(
        "a set grows by what it has", _SETS, "active && mark(f.bitmap, v)", "active", GROWING, "result bounds steps"
    ),
    Mutant("the size of what has grown", _SETS, "f.size += rest.size", "f.size = rest.size", GROWING, "result"),
    Mutant(
        "all that is asked for is there",
        _SETS,
        "out.append(active && ((bits[v / 32] >> (v % 32) & 1) != 0) == among, v);",
        "out.append(active && among, v);",
        "set_operations",
        "result",
    ),
    Mutant(
        "the last words are left out",
        _SETS,
        "word * 32 < num_vertices; word += grid_threads()) {\n        uint32 bits",
        "word * 32 + 32 < num_vertices; word += grid_threads()) {\n        uint32 bits",
        "set_operations",
        "result",
        ("reach.direction=pull",),
    ),
    Mutant(
        "the second set by its words",
        _SETS,
        "return first & ~second;",
        "return first;",
        "set_operations",
        "result",
        ("reach.direction=pull", "step.direction=pull"),
    ),
    Mutant("the rest of a filter", _SETS, "active && test(v), v", "active, v", RESTS, "result"),
    Mutant(
        "marks of the second set stay",
        "runtime/edge_sets.cuh",
        "clear_edge_marks(marks, marked_set);",
        "",
        "edge_sets",
        "result",
    ),
    Mutant(
        "no grid barrier before marks of edges are asked",
        "runtime/edge_sets.cuh",
        "mark_edge(marks, f.queue[i]); }\n    synchronize(run);",
        "mark_edge(marks, f.queue[i]); }\n    __syncthreads();",
        "edge_sets",
        "race",
    ),
    Mutant(
        "the edges of what is combined",
        _SETS,
        "bits != 0; bits &= bits - 1) { edges",
        "bits != 0; bits = 0) { edges",
        GROWING,
        "result",
        ("any_edge.direction=pull",),
    ),
)

SET_MUTANTS = (*SETS, *INTERSECTIONS)
