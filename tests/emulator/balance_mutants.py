"""Deliberate mistakes in how edges are shared among threads and how results are stored; see `mutants`."""

from __future__ import annotations

from .mutants import SPREAD, Mutant

_BALANCE, _RESULTS = "runtime/balance.cuh", "runtime/results.cuh"

TWICE = """
program twice;
problem { param source : vertex; vertex last : int32 = -1; }
edge functor any_edge(src, dst, e) { }
vertex functor note(v) { apply { last[v] max= iteration; } }
schedule {
    frontier f = { source };
    repeat (6) {
        f = advance(f, any_edge);
        compute(f, note);
    }
}
tune { any_edge.dedup = none; }
"""
"""Whose queues are soon full of vertices that stand there twice."""

BOTH_LISTS = """
program both_lists;
problem { param source : vertex; vertex ends : int32; }
edge functor far_end(src, dst, e) -> int32 { value 1 + int32(e) % 5; }
schedule { ends = neighbor_reduce(vertices, far_end, sum, over=all_edges); }
"""

ENDS = """
program ends;
problem { param source : vertex; vertex ends : int32; vertex number : int32 = int32(id) % 13; }
edge functor far_number(src, dst, e) -> int32 { value number[dst]; }
schedule { ends = neighbor_reduce(vertices, far_number, sum); }
"""
SOME_ENDS = ENDS.replace("schedule {", "schedule { frontier f = where(v => number[v] > 3);").replace("(vertices", "(f")


def _of_relax(name: str, old: str, new: str, shows: str, balance: str) -> Mutant:
    return Mutant(name, _BALANCE, old, new, "sssp", shows, (f"relax.balance={balance}",))


def _of_ends(name: str, old: str, new: str, shows: str, balance: str) -> Mutant:
    return Mutant(name, _BALANCE, old, new, BOTH_LISTS, shows, (f"far_end.balance={balance}",))


def _of_tiles(name: str, old: str, new: str, shows: str, program: str = BOTH_LISTS) -> Mutant:
    return Mutant(name, _BALANCE, old, new, program, shows, graph=("host-lists",))


SHARES = (
    _of_relax("shares without the last row", "(items.total + 31) / 32", "items.total / 32", "result", "merge"),
    _of_relax("the owner before", "end(middle) <= item", "end(middle) < item", "result bounds", "merge"),
    _of_relax("an owner not looked for", "end(high) <= item", "end(high) < item", "result bounds", "merge"),
    _of_relax(
        "tiles that count themselves", "tiles[tile] = sum - own;", "tiles[tile] = sum;", "result bounds", "merge"
    ),
    _of_relax(
        "shares before all is summed",
        "tiles[count] = before; }\n    }\n    synchronize(run);",
        "tiles[count] = before; }\n    }",
        "race bounds",
        "merge",
    ),
    _of_ends(
        "parts before what they are added to",
        "identity, false); });\n    synchronize(run);",
        "identity, false); });",
        "race",
        "edges",
    ),
    _of_ends("runs that go on", "&& above == near;", ";", "result", "edges"),
    _of_ends("runs that end early", "(heads >> (lane + 1) & 1) != 0)", "false)", "result", "merge"),
    _of_ends(
        "a warp without its last lane",
        "if (lane_index() == 0) { assign",
        "if (lane_index() == 1) { assign",
        "result",
        "warp",
    ),
)

BINS = (
    _of_relax(
        "bins that are read too soon", "    });\n    synchronize(run);\n}", "    });\n}", "race result bounds", "bins"
    ),
    _of_relax("two bins of three", "bin < 3; ++bin", "bin < 2; ++bin", "result", "bins"),
    _of_ends(
        "the second list in the bins of the first",
        "const auto bins = run.slice.bins;\n    reduce_blocks(run, binned{bins[2], begin.of_blocks,",
        "const auto bins = run.slice.bins;\n    reduce_blocks(run, binned{bins[2], 0,",
        "result race",
        "bins",
    ),
    Mutant(
        "edges of those that are no members",
        _BALANCE,
        "has_member && members.contains(near)",
        "has_member",
        "bfs",
        "result",
        ("visit.direction=push", "visit.balance=edges"),
    ),
)

TILES = (
    _of_tiles("tiles of a turn left out", "(tiles + warps - 1) / warps", "(tiles + warps - 1) / warps - 1", "result"),
    _of_tiles("turns that end in the middle", "turn + 1 < turns ? turn + 1 : 0", "turn + 1", "result"),
    _of_tiles("the part after the owner's", "item)) - 1);", "item)));", "result bounds"),
    _of_tiles("owners that are passed", "low = __shfl_sync(FULL_WARP, owner, 31)", "low = owner + 40", "result bounds"),
    _of_tiles(
        "one row for all",
        "far[k] = active[k] ? lists.neighbor(at[k])",
        "far[k] = active[0] ? lists.neighbor(at[0])",
        "result",
        ENDS,
    ),
    _of_tiles("a part that stays", "if (holds) { release(); }", "", "result", ENDS),
    _of_tiles("parts of two lists as one", "&& first == holder)", ")", "result", ENDS),
    _of_tiles(
        "a part that is lost", "held = holds ? combine(held, parts[k])", "held = holds ? parts[k]", "result", ENDS
    ),
    _of_tiles("a row of two lists as of one", "active[k] && near[k] == first", "active[k]", "result"),
    _of_tiles("a total that counts vertices", "? items.total : 0", "? items.size : 0", "result"),
    _of_tiles(
        "ends that nobody requests",
        "if (!Items::IN_ORDER) { request(k); }",
        "",
        "uninitialized result bounds",
        SOME_ENDS,
    ),
)

RESULTS = (
    Mutant(
        "a bitmap that counts twice",
        _RESULTS,
        "if (accepted && mark(result.bitmap, v)) {",
        "if (accepted) {\n            mark(result.bitmap, v);",
        SPREAD,
        "result bounds",
        ("any_edge.frontier=bitmap",),
    ),
    Mutant(
        "a bitmap with what was there",
        _RESULTS,
        "{ result.bitmap[word] = 0; }",
        "{ }",
        SPREAD,
        "result uninitialized",
        ("any_edge.frontier=bitmap",),
    ),
    Mutant(
        "one more than there is room for", _RESULTS, "writes && at < room", "writes && at <= room", TWICE, "race result"
    ),
    Mutant("no marks when the room is used up", _RESULTS, "!has_room && mark(marks, v)", "!has_room", TWICE, "bounds"),
    Mutant("a size beyond the room", _RESULTS, "min(result.size, room)", "result.size", TWICE, "bounds race result"),
    Mutant("marks that stay", _RESULTS, "store_relaxed(&marks[result.queue[i] / 32], 0u);", "", TWICE, "result"),
)

BALANCE_MUTANTS = (*SHARES, *BINS, *TILES, *RESULTS)
