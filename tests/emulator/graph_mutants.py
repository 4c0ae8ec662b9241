"""Deliberate mistakes where the schedule makes graphs; see `mutants`."""

from __future__ import annotations

from .mutants import Mutant

_MADE = "runtime/made_graphs.cuh"
_SORTING = "runtime/sorting.cuh"
_CONTRACTION = "runtime/contraction.cuh"
_COMBINED = "runtime/combined_edges.cuh"

GRAPHS = """
program graphs;
problem {
    param source : vertex;
    vertex label : int32 = int32(id) // 3;
    edge weight : int64 = int64(id) % 7;
    vertex degree : int32;
}
edge functor light(src, dst, e) { cond weight[e] < 6; }
vertex functor measure(v) { apply { degree[v] += out_degree(v) + 1000 * in_degree(v); } }
vertex functor half(v) { apply { label[v] = label[v] // 2; } }
schedule {
    graph h;
    repeat (2) { on h { h = subgraph(filter(edges, light)); compute(vertices, measure); } }
    on h {
        compute(vertices, measure);
        graph c = contract(label, weight);
        on c {
            compute(vertices, measure);
            compute(vertices, half);
            c = contract(label, weight);
            compute(vertices, measure);
        }
        on c { compute(vertices, measure); }
    }
}
"""

KEPT = """
program kept;
problem {
    param source : vertex;
    vertex degree : int32;
}
edge functor upwards(src, dst, e) { cond src < dst; }
vertex functor measure(v) { apply { degree[v] += out_degree(v); } }
schedule {
    graph h = subgraph(filter(edges, upwards));
    graph i = subgraph(filter(edges, upwards));
    on h { compute(vertices, measure) @first; }
    on i { compute(vertices, measure) @second; }
}
"""

BELOW_ZERO = GRAPHS.replace("int32(id) // 3", "int32(id) // 3 - 2")

NAMED = """
program named;
problem { param source : vertex; edge seen : int32; edge weight : int32 = int32(id) % 3; scalar at : edge; }
edge functor light(src, dst, e) { cond weight[e] == 1; }
schedule {
    graph h = subgraph(filter(edges, light));
    on h {
        at = argmin(weight);
        if (num_edges > 0) { edge frontier f = { at }; compute(f, (s, d, e) => { seen[e] += 1 + int32(d); }); }
    }
}
"""

GRAPH_MUTANTS = (
    Mutant(
        "a graph that others read before it is there",
        "runtime/barriers.cuh",
        "{ place = value; }\n    __syncthreads();\n",
        "{ place = value; }\n",
        GRAPHS,
        "race uninitialized bounds error result",
    ),
    Mutant(
        "an edge looked for at a place too far",
        "runtime/indirect_edge_ids.cuh",
        "const edge at = g.offsets[source] + edge(place_of(g, source, edge(e)));",
        "const edge at = g.offsets[source] + edge(place_of(g, source, edge(e))) + 1;",
        NAMED,
        "error",
    ),
    Mutant(
        "a graph made over another",
        _MADE,
        "const bool is_taken = taken[i] == room;",
        "const bool is_taken = false;",
        GRAPHS,
        "race result bounds error",
    ),
    Mutant(
        "a row of edges of which none is chosen keeps its marks",
        "runtime/edge_frontier.cuh",
        "if (lane_index() == 0) { marks[e / 32] = votes; }",
        "if (lane_index() == 0 && votes != 0) { marks[e / 32] = votes; }",
        KEPT,
        "result uninitialized bounds error",
    ),
    Mutant(
        "places of a word are counted as before it",
        _MADE,
        "(word == 0 ? edge(0) : sums[word - 1])",
        "(word == 0 ? edge(0) : sums[word])",
        GRAPHS,
        "result uninitialized bounds error race",
    ),
    Mutant(
        "a graph is said to be kept while others ask whether it is",
        _MADE,
        "load_relaxed(&kept->largest_degree);\n    synchronize(run);",
        "load_relaxed(&kept->largest_degree);",
        KEPT,
        "race result divergence deadlock steps error",
    ),
    Mutant(
        "ids of one digit at one place",
        _SORTING,
        "rank[k] += of_warp[d];",
        "rank[k] = of_warp[d];",
        GRAPHS,
        "race result error bounds uninitialized",
    ),
    Mutant(
        "no wait for the ids of a tile",
        _SORTING,
        "items, rank); }\n        __syncthreads();\n",
        "items, rank); }\n",
        GRAPHS,
        "race result",
    ),
    Mutant(
        "keys stay behind",
        _SORTING,
        "{ other_keys[i] = key; }",
        "{ other_keys[i] = keys[i]; }",
        GRAPHS,
        "race result error",
    ),
    Mutant(
        "a row forgets the rows before",
        _SORTING,
        "small_count(before + __popc(alike))",
        "small_count(__popc(alike))",
        GRAPHS,
        "race result bounds error",
    ),
    Mutant(
        "a digit forgets the tiles before",
        _SORTING,
        "edge(digits.next[d] + digits.of_tile[d])",
        "digits.next[d]",
        GRAPHS,
        "race result bounds error",
    ),
    Mutant(
        "sums forget the stretches before",
        _SORTING,
        "{ before += totals[block]; }",
        "{ before += 0 * totals[block]; }",
        GRAPHS,
        "race result bounds error",
    ),
    Mutant(
        "weights added up one over the other",
        _CONTRACTION,
        "reduce(&weight[e], part);",
        "weight[e] += part;",
        GRAPHS,
        "race result",
    ),
    Mutant(
        "ends of edges are compared before they are there",
        _CONTRACTION,
        "{ ends[i] = edge(columns[order[i]]); }\n    synchronize(run);",
        "{ ends[i] = edge(columns[order[i]]); }",
        GRAPHS,
        "race result bounds error",
    ),
    Mutant(
        "labels are numbered before all are known",
        _CONTRACTION,
        "synchronize_and_read(run, &run.counters()->accepted) != 0",
        "load_relaxed(&run.counters()->accepted) != 0",
        BELOW_ZERO,
        "race result bounds error deadlock divergence steps",
    ),
    Mutant(
        "a label below zero is taken for a vertex",
        _CONTRACTION,
        "? uint64(label) : num_vertices + 1;",
        "? uint64(label) : 0;",
        BELOW_ZERO,
        "race result bounds error",
    ),
    Mutant(
        "an edge that finds no place in a block's table is lost",
        _COMBINED,
        "const bool listed = active[k] && slot == table.size;",
        "const bool listed = false;",
        GRAPHS,
        "result error uninitialized",
    ),
    Mutant(
        "a table goes on with the edges that it has given away",
        _COMBINED,
        "store_relaxed(&table.weights[slot], sums.identity());\n    }\n    if (threadIdx.x == 0) { state.filled = 0; }",
        "\n    }\n    if (threadIdx.x == 0) { state.filled = 0; }",
        GRAPHS,
        "result",
    ),
    Mutant(
        "a table is given away while others still combine",
        _COMBINED,
        "        __syncthreads();\n        const uint64 now = state.source;",
        "        const uint64 now = state.source;",
        GRAPHS,
        "race result uninitialized divergence deadlock error",
    ),
    Mutant(
        "some threads see what the next tile has filled",
        _COMBINED,
        "items.size - 1);\n        __syncthreads();\n        if (!ends)",
        "items.size - 1);\n        if (!ends)",
        GRAPHS,
        "race result divergence deadlock error",
    ),
    Mutant(
        "members of a label at one place",
        _COMBINED,
        "ranks[v] = before + edge(rank);",
        "ranks[v] = before;",
        GRAPHS,
        "race result bounds error uninitialized",
    ),
    Mutant(
        "blocks list their edges over those of others",
        _COMBINED,
        "result.ids[before + i]",
        "result.ids[i]",
        GRAPHS,
        "race result uninitialized error",
    ),
    Mutant(
        "ids are staged while keys are still read",
        _SORTING,
        "        ids.store_key(place[k], key);\n    }\n    __syncthreads();\n",
        "        ids.store_key(place[k], key);\n    }\n",
        GRAPHS,
        "race result bounds error",
    ),
    Mutant(
        "a tile's digits begin where those of other tiles do",
        _SORTING,
        "digits.before[d] = up_to - sum;",
        "digits.before[d] = 0;",
        GRAPHS,
        "race result bounds error uninitialized",
    ),
)
