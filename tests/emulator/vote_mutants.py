"""Deliberate mistakes where votes are counted, and where functors run on common neighbors; see `mutants`."""

from __future__ import annotations

from .mutants import Mutant

_VOTE, _VOTES = "runtime/vote.cuh", "operators/neighbor_vote.cu.j2"
_PARTS, _REGISTERS = "runtime/vote_parts.cuh", "runtime/vote_registers.cuh"
_TABLES, _WINNERS = "runtime/vote_tables.cuh", "runtime/vote_winners.cuh"
_BEST = "../common/runtime/vote.hpp"
_INTERSECT, _COMMON = "runtime/intersect.cuh", "operators/intersect.cu.j2"

_DEGREES = """
program degrees;
problem { param source : vertex; vertex most : int32 = -3; vertex least : int32 = -3; }
edge functor degree(src, dst, e) -> (int32, int32) { value (in_degree(dst) % 16 - 1, 1); }
vote functor rare(v, key, total) -> float32 { value -float32(total); }
schedule {
    most = neighbor_vote(vertices, degree);
    least = neighbor_vote(vertices, degree, rare, over=all_edges);
}
"""
"""Few keys, -1 among them, each of which many edges vote for."""

_LABELS = """
program labels;
problem { param source : vertex; vertex label : vertex = id; }
edge functor ballot(src, dst, e) -> (vertex, int32) { value (label[dst], 1); }
schedule { repeat (2) { label = neighbor_vote(vertices, ballot, keep=label); } }
"""
"""Many keys, in every list."""

_LONGER = _LABELS.replace("repeat (2)", "repeat (6)")

_CARRIED = """
program carried;
problem { param source : vertex; vertex most : vertex = id; }
edge functor large(src, dst, e) -> (vertex, int64) { value (vertex(int64(dst) % 3), 3000000000); }
vote functor rare(v, key, total) -> float64 { value -float64(total); }
schedule { most = neighbor_vote(vertices, large, rare); }
"""
"""Totals whose lower halves overflow."""

_SIDES = """
program sides;
problem { param source : vertex; edge near_one : int32; edge far_one : int32; scalar some : int64; }
common functor sides(u, w, x, e, eu, ew) { cond u < w; apply { near_one[eu] += 1; far_one[ew] += 1; accept eu < ew; } }
schedule { some = intersect(edges, sides); }
"""

_PAIRED = """
program paired;
problem { param source : vertex; edge near_one : int32; vertex far_one : int64; scalar some : int64; }
vertex functor high(v) { cond int64(v) >= num_vertices - num_vertices // 2; }
vertex functor low(v) { cond int64(v) < num_vertices // 2; }
common functor sides(u, w, x, e, eu, ew) { apply { near_one[eu] += 1; far_one[w] += int64(u); } }
schedule { some = intersect(pairs=(where(low), where(high)), sides); }
"""

VOTE_MUTANTS = (
    Mutant(
        "a key is taken by two lanes",
        _TABLES,
        "exchange_word(&table.keys[place], NO_KEY, key)",
        "(store_relaxed(&table.keys[place], key), true)",
        _LABELS,
        "race result",
    ),
    Mutant(
        "votes are counted without an atomic",
        _TABLES,
        "reduce_add(&table.totals[place], weight);",
        "store_relaxed(&table.totals[place], sum(load_relaxed(&table.totals[place]), weight));",
        _DEGREES,
        "race result",
    ),
    Mutant(
        "a table is not emptied",
        _TABLES,
        "store_relaxed(&table.keys[i], Key(-1));",
        "",
        _LABELS,
        "race result uninitialized steps",
    ),
    Mutant(
        "no pause before the votes",
        _TABLES,
        "    pause();\n    count_votes(",
        "    count_votes(",
        _LABELS,
        "race result",
    ),
    Mutant(
        "the block does not wait for the votes of its long list",
        _TABLES,
        "    __syncthreads();\n    decltype(choice(near, Key(), Total())) best = {};\n    best_in_table",
        "    decltype(choice(near, Key(), Total())) best = {};\n    best_in_table",
        _LABELS,
        "race result",
    ),
    Mutant(
        "winners of warps are read before they are there",
        _WINNERS,
        "<< 1;\n    }\n    __syncthreads();\n",
        "<< 1;\n    }\n",
        _LABELS,
        "race result uninitialized",
    ),
    Mutant("halves without a carry", _TABLES, "(before + low < before ? 1 : 0)", "0", _CARRIED, "result"),
    Mutant(
        "no grid barrier before the long lists",
        _VOTE,
        "run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, "
        "&counters->hubs, &counters->accepted);",
        "run.shared.value = load_relaxed(&counters->hubs); "
        "run.shared.second_value = load_relaxed(&counters->accepted);",
        _LABELS,
        "race result bounds",
    ),
    Mutant(
        "a block votes before its table is empty",
        _TABLES,
        "    __syncthreads();\n    count_votes(edge(threadIdx.x)",
        "    count_votes(edge(threadIdx.x)",
        _LABELS,
        "race result",
    ),
    Mutant(
        "two blocks take one list",
        _VOTE,
        "3 * block_count() + atomicAdd_grid(",
        "2 * block_count() + atomicAdd_grid(",
        _LABELS,
        "race",
    ),
    Mutant(
        "the tables of lists in parts are not emptied",
        _VOTE,
        "        empty_parts(parts, divided, degree, table);",
        "",
        _LONGER,
        "race result uninitialized steps",
    ),
    Mutant(
        "parts are counted in tables that are not empty yet",
        _VOTE,
        "table);\n        synchronize(run);\n        count_parts",
        "table);\n        count_parts",
        _LABELS,
        "race result uninitialized steps",
    ),
    Mutant(
        "the last place of a table goes with no part",
        _PARTS,
        "(uint64(part.last) == degree ? 1 : 0)",
        "0",
        _LONGER,
        "result uninitialized steps",
    ),
    Mutant(
        "a part's votes are not told to its list",
        _PARTS,
        "count_vote<false>(own, at == 0 ? Key(-1) : key, load_relaxed(&room.totals[at]), own.size);",
        "",
        _LABELS,
        "result",
    ),
    Mutant(
        "the next part is counted where the last one still is",
        _PARTS,
        "        __syncthreads();  // before the table in shared memory is reused\n",
        "",
        _LONGER,
        "race result uninitialized steps",
    ),
    Mutant(
        "the best of parts is looked for while parts are counted",
        _VOTE,
        "        synchronize(run);\n        best_of_parts(",
        "        best_of_parts(",
        _LABELS,
        "race result",
    ),
    Mutant(
        "lists are decided before the best of each part is there",
        _VOTE,
        "        synchronize(run);\n        elect_of_parts(",
        "        elect_of_parts(",
        _LABELS,
        "race result",
    ),
    Mutant(
        "only the first part of a list is looked at",
        _PARTS,
        "part < last; part += 32",
        "part < i + 1; part += 32",
        _LABELS,
        "result",
    ),
    Mutant("the empty key is no key", _TABLES, "if (key == NO_KEY) {", "if (false) {", _DEGREES, "result steps"),
    Mutant("a tie goes to the larger key", _BEST, ": a.key < b.key", ": a.key > b.key", _DEGREES, "result"),
    Mutant("a tie does not keep", _BEST, "a.kept != b.kept ? a.kept : ", "", _LABELS, "result"),
    Mutant(
        "a thread adds up no votes", _REGISTERS, "total[first] = sum(total[first], total[k]);", "", _DEGREES, "result"
    ),
    Mutant(
        "lanes vote in another group",
        _REGISTERS,
        "__ballot_sync(FULL_WARP, votes) & group;",
        "__ballot_sync(FULL_WARP, votes);",
        _LABELS,
        "result",
    ),
    Mutant(
        "keys without a place in the room are lost",
        _TABLES,
        "if (!fits) { best_in_table(",
        "if (false) { best_in_table(",
        _LONGER,
        "result",
    ),
    Mutant(
        "the table behind the room is not emptied",
        _TABLES,
        "if (!fits) { empty_votes(",
        "if (false) { empty_votes(",
        _LONGER,
        "result uninitialized steps",
    ),
    Mutant(
        "every lane of a key has a candidate", _REGISTERS, "if (first) {", "if (votes && false) {", _DEGREES, "result"
    ),
    Mutant(
        "tables overlap", _VOTES, "2 * uint64(before(near)) + near", "uint64(before(near)) / 2", _LABELS, "race result"
    ),
    Mutant(
        "winners are stored at once",
        _VOTES,
        "{{ target }}[near] = voted ? key : {{ array }}[near];",
        "{{ target }}[near] = {{ array }}[near] = voted ? key : {{ array }}[near];",
        _LABELS,
        "race result",
    ),
    Mutant(
        "the edges of the ends change places",
        _COMMON,
        "const bool of_source = __ldg(&d.graph.edge_sources[{{ at }}]) == u",
        "const bool of_source = __ldg(&d.graph.edge_sources[{{ at }}]) != u",
        _SIDES,
        "result",
    ),
    Mutant("a pair is a vertex twice", _INTERSECT, "return partners[u];", "return vertex(u);", _PAIRED, "result"),
    Mutant(
        "a chunk for another edge", _INTERSECT, "const edge e = part.last, ", "const edge e = 0, ", _SIDES, "result"
    ),
    Mutant("the last place of a neighbor", _INTERSECT, "middle[k] < x[k]", "middle[k] <= x[k]", _SIDES, "result"),
    Mutant(
        "what was accepted is counted once a warp",
        _COMMON,
        "if (threadIdx.x == 0) { reduce_add(d.{{ cuda.member(counts) }}, counted); }",
        "if (threadIdx.x % 32 == 0) { reduce_add(d.{{ cuda.member(counts) }}, counted); }",
        _SIDES,
        "result",
    ),
)
