"""Deliberate mistakes where the lanes of a warp share loops over neighbors; see `mutants`."""

from __future__ import annotations

from .mutants import GENERATED, Mutant

_LANES = "runtime/lane_loops.cuh"

ORDERED = """
program ordered;
problem { param source : vertex; vertex mixed : int64; vertex met : int32; edge so_far : int64 = -9223372036854775807; }
vertex functor mix(v) {
    apply {
        var sum : int64 = 0;
        for u, x in neighbors(v) {
            if (u != source) {
                sum = sum * 3 + int64(u);
                so_far[x] max= sum;
            }
            met[u] += 1;
        }
        mixed[v] += sum;
    }
}
schedule { compute(vertices, mix); }
"""
PART = ORDERED.replace(
    "schedule { compute(vertices, mix); }",
    "schedule { edge frontier kept = filter(edges, (src, dst, e) => int32(e) % 3 != 0);"
    " graph g = subgraph(kept); on g { compute(vertices, mix); } }",
)
GATHERED = """
program gathered;
problem { param source : vertex; vertex links : int64; }
vertex functor look(v) {
    apply {
        var found : int64 = 7;
        for u in neighbors(v) { for w in neighbors(u) { if (w != source) { found += int64(w); } } }
        links[v] = found;
    }
}
schedule { compute(vertices, look); }
"""

LANE_MUTANTS = (
    Mutant("parts beyond the end", GENERATED, "if (!within) { return false; }", "", GATHERED, "result"),
    Mutant("a first value for each lane", GENERATED, "lane_index() == 0 ? found : 0ll", "found", GATHERED, "result"),
    Mutant("a row from its end", _LANES, "__ffs(lanes) - 1;", "31 - __clz(lanes);", ORDERED, "result deadlock"),
    Mutant("nine of eight edges", _LANES, "side_by_side<8>", "side_by_side<9>", ORDERED, "result"),
    Mutant("lanes beyond the end", _LANES, "values[row]) && place < size;", "values[row]);", ORDERED, "result"),
    Mutant("all that an edge writes", _LANES, "if (counts[row]) { after", "{ after", ORDERED, "result"),
    Mutant("a list for all warps", _LANES, "base = warp_index();", "base = 0;", ORDERED, "result race"),
    Mutant("members of one lane", _LANES, "while (waiting != 0)", "if (waiting != 0)", ORDERED, "result"),
    Mutant(
        "a list for a thread, and for a warp",
        "operators/vertices.cu.j2",
        'common.perform(calls, "!has_long_list(d.graph, v)")',
        "common.perform(calls)",
        ORDERED,
        "result race",
    ),
    Mutant(
        "a place for an edge", "runtime/indirect_edge_ids.cuh", "list.first[place]", "edge(place)", PART, "result race"
    ),
    Mutant("every lane writes", GENERATED, "if (lane_index() == 0) {", "{", ORDERED, "result race"),
    Mutant("a lane that has another edge", GENERATED, "shuffle(own.value_1, lane)", "own.value_1", ORDERED, "result"),
)
