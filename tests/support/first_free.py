"""Programs whose numbers are each the first that is free, and such as only look like them."""

from __future__ import annotations

COLORS = """program colors;
requires symmetric;
problem { vertex color : int32 = -1; scalar colors : int32; local vertex seen : uint32; local scalar few : int64; }
edge functor before(src, dst, e) { cond (out_degree(src), src) < (out_degree(dst), dst); }
function bits(other: int32, own: int32) -> uint32 {
    return other >= 0 ? uint32(uint32(other - ~own) < 4) << other - ~own
        : uint32(0xF0) << min(max(0, ~other - ~own), 4) & 0xF0;
}
edge functor look(src, dst, e) -> uint32 { value bits(color[dst], color[src]); }
vertex functor take(v) {
    cond color[v] < 0;
    apply {
        let taken = min(ctz(~seen[v] & 15 | 16), 4);
        color[v] = taken < 4 && (seen[v] >> 4 + taken & 1) == 0 ? ~color[v] + taken : color[v] - taken;
        colors max= color[v] + 1;
        accept color[v] < 0;
    }
}
schedule {
    graph g = subgraph(filter(edges, before));
    on g {
        frontier rest = vertices;
        while (rest) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }
    }
}
"""
"""Greedy colors, four at a time; who has another color than a waiting vertex may get does not wait for it."""
WAITING = (
    COLORS.replace("uint32(0xF0) << min(max(0, ~other - ~own), 4) & 0xF0", "uint32(0xFF)")
    .replace("(seen[v] >> 4 + taken & 1) == 0", "(seen[v] & 128) == 0")
    .replace("color[v] - taken", "color[v] - ((seen[v] & 128) == 0 ? taken : 0)")
)
"""The same, where all wait for all before them."""
FIRST_FREE = {
    "colors": COLORS,
    "all wait": WAITING,
    "along in-edges": COLORS.replace("look, or", "look, or, over=in_edges")
    .replace("color[dst], color[src]", "color[src], color[dst]")
    .replace("(src, dst, e) -> uint32", "(src, dst, e) -> uint32"),
    "no maximum": COLORS.replace("colors max= color[v] + 1;", ""),
    "an if": COLORS.replace("accept color[v] < 0;", "if (color[v] >= 0) { accept false; } else { accept true; }"),
}
EARLY = COLORS.replace(
    "        while (rest)",
    """        while (size(rest) > 3) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }
        rest = filter(vertices, v => color[v] < 0);
        while (rest)""",
)
"""Two loops, of which the first leaves some for the second."""
_TWICE = "while (size(rest) > few) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }"
ROUND = COLORS.replace(
    "        while (rest)",
    """        few = 3;
        while (few > 0) {
            few -= 1; while (size(rest) > 5) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }
            rest = filter(vertices, v => color[v] < 0 && (few <= 0 || int32(v) % 3 != int32(few)));
        }
        while (rest)""",
)
"""The filter that takes all who are left is the last step of a loop, where that ends."""
FINISHED = {
    "early": EARLY,
    "the last step of a loop": ROUND,
    "until few wait": EARLY.replace("while (size(rest) > 3)", "few = num_vertices // 3; while (size(rest) > few)"),
    "two ends": EARLY.replace("rest = filter(v", f"few = size(rest) // 2; {_TWICE} rest = filter(v"),
    "parts": EARLY.replace(
        "while (size(rest) > 3)",
        f"few = 3; repeat (4) {{ rest = filter(vertices, v => color[v] < 0); few = size(rest) // 2; {_TWICE} }}\n"
        "        while (size(rest) > 3)",
    ),
    "in vain": EARLY.replace("vertices;", "filter(vertices, v => int32(v) % 2 == 1);").replace("> 3", "> 0"),
    "a set besides": EARLY.replace("rest = filter(v", "few = 2 * size(rest); frontier left = rest; rest = filter(v"),
    "all, and more": EARLY.replace("v => color[v] < 0);", "v => color[v] < 0 || int32(v) % 3 == 0);"),
}
"""Programs all of whose loops may run in place; the one *in vain* would not end as it is written."""
_EARLY_CHANGES = {
    "nobody finishes": ("        rest = filter(vertices, v => color[v] < 0);\n", ""),
    "some are left out": ("v => color[v] < 0);", "v => color[v] < 0 && v > 3);"),
    "those left are asked alone": ("filter(vertices, v => color", "filter(rest, v => color"),
    "others are looked for": ("v => color[v] < 0);", "v => color[v] > 0);"),
    "who is left is counted": ("rest = filter(v", "colors max= int32(size(rest)); rest = filter(v"),
    "who is left decides": (
        "rest = filter(v",
        "if (size(rest) > 2) { compute(vertices, v => { early[v] = 1; }); } rest = filter(v",
    ),
    "how many are left says how often": (
        "rest = filter(v",
        "few = size(rest); repeat (few) { compute(vertices, v => { early[v] += 1; }); } rest = filter(v",
    ),
    "how many are left says whether a loop goes on": (
        "while (size(rest) > 3)",
        "few = 9; while (few > 1) { few -= 1; compute(vertices, v => { early[v] += 1; });"
        " while (size(rest) > 3) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }"
        " few = min(few, size(rest)); rest = filter(vertices, v => color[v] < 0); } while (size(rest) > 3)",
    ),
    "colors are seen before all have one": (
        "rest = filter(v",
        "compute(vertices, v => { early[v] = color[v]; }); rest = filter(v",
    ),
    "by way of a set": (
        "rest = filter(v",
        "frontier left = rest; compute(left, v => { early[v] = 1; }); rest = filter(v",
    ),
    "by way of a number": (
        "rest = filter(v",
        "few = size(rest); rest = filter(vertices, v => few == 2); compute(rest, v => { early[v] = 1; });"
        " rest = filter(v",
    ),
    "a color is taken back": (
        "rest = filter(v",
        "compute(vertices, v => { if (v == 0) { color[v] = -1; } }); rest = filter(v",
    ),
    "a graph of who has a color": (
        "rest = filter(v",
        "graph h = subgraph(filter(edges, (src, dst, e) => color[src] < 0)); rest = filter(v",
    ),
    "the last in another graph": (
        "        rest = filter(v",
        "    }\n    graph h = subgraph(filter(edges, (src, dst, e) => src < dst)); on h {\n"
        "        frontier rest = filter(v",
    ),
}
_ROUND_CHANGES = {
    "not all when a loop ends": ("few <= 0 ||", "few < 0 ||"),
    "another end of a loop": ("while (few > 0)", "while (few != 0)"),
    "a step behind the filter": ("int32(few)));", "int32(few))); few -= 1;"),
    "a loop may make no pass": (
        "few = 3;",
        "while (size(rest) > 9) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); } few = 3;",
    ),
    "a loop takes others": ("            rest = filter(v", "            frontier f = filter(v"),
}
UNFINISHED = {
    what: program.replace(old, new).replace("local vertex seen", "vertex early : int32; local vertex seen")
    for program, changes in ((EARLY, _EARLY_CHANGES), (ROUND, _ROUND_CHANGES))
    for what, (old, new) in changes.items()
}
"""Programs whose first loops may not."""
assert all(old in EARLY for old, _ in _EARLY_CHANGES.values()) and all(
    old in ROUND for old, _ in _ROUND_CHANGES.values()
)
_CHANGES = {
    "a color that is looked at, but not its bit": ("- ~own) < 4", "- ~own) < 3"),
    "a bit for two colors": ("<< other - ~own\n", "<< min(other - ~own, 2)\n"),
    "a bound that hides its own color": ("max(0, ~other - ~own)", "max(0, ~other - ~own + 1)"),
    "bounds are not asked for": ("(seen[v] >> 4 + taken & 1) == 0", "true"),
    "the bit of another color": ("seen[v] >> 4 + taken", "seen[v] >> 5 + taken"),
    "a color is passed over": ("? ~color[v] + taken : color[v] - taken", "? ~color[v] + taken + 1 : color[v] - taken"),
    "a bound passes over a free color": (": color[v] - taken", ": color[v] - taken - 1"),
    "bounds fall": (": color[v] - taken", ": color[v] + taken"),
    "who has a color takes another": ("cond color[v] < 0;", ""),
    "who waits is let go": ("accept color[v] < 0;", "accept false;"),
    "who has a color stays": ("accept color[v] < 0;", "accept true;"),
    "sums of bounds": ("colors max= color[v] + 1;", "colors += color[v];"),
    "the largest of bounds, too": ("colors max= color[v] + 1;", "colors max= color[v] < 0 ? 5 : color[v];"),
    "a neighbor is read twice": (
        "bits(color[dst], color[src])",
        "bits(color[dst], color[src]) | uint32(color[dst] < 0) << 9",
    ),
    "absolute colors": ("other - ~own) < 4", "other) < 4"),
    "results are read elsewhere": ("schedule {", "schedule { compute(vertices, v => { colors max= int32(seen[v]); });"),
    "what is found is a result": ("local vertex seen", "vertex seen"),
    "large colors": ("int32 = -1;", "int32 = -2147483647;"),
    "a round counts": ("cond color[v] < 0;", "cond color[v] < 0 && iteration >= 0;"),
    "fewer than all": ("while (rest)", "while (size(rest) > few)"),
    "another set": ("rest = filter(rest, take);", "frontier f = filter(rest, take); rest = f;"),
    "another reduction": ("look, or", "look, xor"),
}
NOT_FIRST_FREE = {what: COLORS.replace(old, new) for what, (old, new) in _CHANGES.items()}
assert all(old in COLORS for old, _ in _CHANGES.values())
