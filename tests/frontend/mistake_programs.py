"""Programs with one mistake each: a base program, and what is put into one of its places or in place of a part."""

from __future__ import annotations

BASE = """program p;
problem {
    param source : vertex;
    param rate : float32 = 0.5;
    input edge weight : float32 where weight > 0;
    vertex level : int32 = -1;
    vertex parent : vertex = none;
    vertex rank : float32;
    edge used : bool;
    local vertex big : int64;
    local vertex words : uint32;
    scalar count : int64;
    {data}
}
edge functor visit(src, dst, e) {
    cond level[dst] == -1;
    apply { level[dst] = iteration + 1; parent[dst] any= src; {edge} }
}
vertex functor settle(v) {
    cond {cond};
    apply { {apply} }
}
edge functor received(src, dst, e) -> float32 { value rank[src] * weight[e]; }
function half(x: float32) -> float32 { return x / 2; }
{top}
schedule {
    level[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); }
    compute(vertices, settle);
    {schedule}
}
{tune}
"""
EMPTY = {"data": "", "edge": "", "cond": "true", "apply": "", "top": "", "schedule": "", "tune": ""}


def with_parts(**parts: str) -> str:
    """The base program with `parts` in their places."""
    text = BASE
    for place, content in {**EMPTY, **parts}.items():
        text = text.replace("{" + place + "}", content)
    return text


BFS = '''"""Hop distances."""
program bfs;

problem {
    param  source   : vertex;
    vertex distance : int32  = -1;
    vertex parent   : vertex = none;
}

edge functor visit(src, dst, e) {
    cond distance[dst] == -1;
    apply {
        distance[dst] = iteration + 1;      # all the same
        parent[dst] any= src;
    }
}

schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); }
}
'''

# name: (what of BFS is replaced, by what)
SYNTAX = {
    "misspelled param": ("param ", "parm "),
    "misspelled vertex": ("vertex distance", "vertx distance"),
    "misspelled while": ("while (f)", "whlie (f)"),
    "misspelled schedule": ("schedule {", "shedule {"),
    "misspelled apply": ("apply {", "aply {"),
    "misspelled functor": ("edge functor", "edge fnctor"),
    "misspelled return": ("distance[source] = 0;", "retrun 3;"),
    "no colon": ("distance : int32", "distance int32"),
    "no parentheses": ("while (f)", "while f"),
    "no semicolon": ("= 0;", "= 0"),
    "no semicolon before brace": ("any= src;", "any= src"),
    "no braces": ("while (f) { f = advance(f, visit); }", "while (f) f = advance(f, visit);"),
    "no program": ("program bfs;", "bfs;"),
    "no closing brace at the end": ("f = advance(f, visit); }\n}", "f = advance(f, visit); }\n"),
    "no closing brace of the problem": ("= none;\n}", "= none;\n"),
    "no operand": ("iteration + 1;", "iteration + ;"),
    "no closing parenthesis": ("advance(f, visit);", "advance(f, visit;"),
    "two names": ("distance[source] = 0;", "x y;"),
    "name begins with a digit": ("vertex parent", "vertex 3parent"),
    "increment": ("iteration + 1;", "iteration++;"),
    "frontier among data": ("vertex parent", "frontier f; vertex parent"),
    "local with several values": ("parent[dst] any= src;", "var best[4] : int32;"),
    "local with several values and no type": ("parent[dst] any= src;", "let best[n] = 1;"),
    "loop with a step": ("parent[dst] any= src;", "for i in 0..10..2 { parent[dst] any= src; }"),
    "divide and assign": ("distance[source] = 0;", "distance[source] = 1 /= 3;"),
    "number suffix": ("iteration + 1;", "1.5f;"),
    "number without fraction": ("iteration + 1;", "1.;"),
    "leading zero": ("iteration + 1;", "012;"),
    "huge number": ("iteration + 1;", "9" * 5000 + ";"),
    "and": ("iteration + 1;", "2 and 3;"),
    "not": ("iteration + 1;", "not 3;"),
    "slashes": ("# all the same", "// all the same"),
    "unicode sign": ("== -1;", "≤ -1;"),
    "string": ("iteration + 1;", '"one";'),
    "control character": ("iteration + 1;", "\x07;"),
    "open doc comment": ('distances."""', "distances."),
    "data in the schedule": ("distance[source] = 0;", "scalar most : int64;"),
    "C declaration": ("distance[source] = 0;", "int x = 0;"),
    "C for": ("distance[source] = 0;", "for (i = 0; i < 3; i++) {}"),
    "elif": ("distance[source] = 0;", "if (a) {} elif (b) {}"),
    "assignment in cond": ("distance[dst] == -1;", "distance[dst] = -1;"),
    "keyword as name": ("frontier f =", "frontier while ="),
    "second schedule": ("schedule {", "schedule { }\nschedule {"),
    "two conds": ("    apply {", "    cond true;\n    apply {"),
    "value and apply": ("    apply {", "    value 1;\n    apply {"),
    "write to a sum": ("distance[source] = 0;", "distance[source] + 1 = 0;"),
    "deep parentheses": ("iteration + 1;", "~(" * 400 + "1" + ")" * 400 + ";"),
    "deep sum": ("iteration + 1;", "(1 + " * 5000 + "1" + ")" * 5000 + ";"),
    "now before a sum": ("iteration + 1;", "now (iteration + 1);"),
}

# name: (place in the base program, what stands there)
CHECKED = {
    "undeclared": ("apply", "rank[v] = lvel[v];"),
    "undeclared and foreign": ("apply", "parent[v] = null;"),
    "division of integers": ("apply", "let x = 1 + level[v] / 2;"),
    "arithmetic on ids": ("apply", "rank[v] = parent[v] + 1;"),
    "id with integer": ("apply", "if (parent[v] == level[v]) { }"),
    "narrowing": ("apply", "level[v] = 0.5;"),
    "literal too large": ("apply", "level[v] = 3000000000;"),
    "float too large": ("apply", "rank[v] = 1e39;"),
    "none without type": ("apply", "let x = none;"),
    "inf for a bool": ("edge", "used[e] = inf;"),
    "integer as condition": ("apply", "if (level[v]) { }"),
    "array without index": ("apply", "level = 1;"),
    "array as value": ("apply", "rank[v] = rank;"),
    "write to a param": ("apply", "rate = 1;"),
    "write to an input": ("edge", "weight[e] = 1;"),
    "write to a let": ("apply", "let x = 1; x = 2;"),
    "write to a loop variable": ("apply", "for i in 0..3 { i = 1; }"),
    "two locals": ("apply", "let x = 1; let x = 2;"),
    "local hides a built-in": ("apply", "let min = 1;"),
    "local hides data": ("apply", "let level = 1;"),
    "vertex in an edge array": ("apply", "rank[v] = weight[v];"),
    "float index": ("apply", "rank[v] = rank[0.5];"),
    "effect in a sum": ("apply", "let x = 1 + fetch(count += 1);"),
    "effect in cond": ("cond", "changed(level[v] min= 3)"),
    "any= on a var": ("apply", "var x = 1; x any= 2;"),
    "break": ("apply", "break;"),
    "return": ("apply", "return 1;"),
    "unused value": ("apply", "level[v] + 1;"),
    "short write of two integers": ("apply", "level[v] /= 2;"),
    "short write of a float": ("apply", "rank[v] //= 2;"),
    "short write that narrows": ("apply", "level[v] %= 2.5;"),
    "short write of an input": ("apply", "weight[0] /= 2;"),
    "short write inside a reduction": ("apply", "let x = changed(level[v] %= 2);"),
    "short write of an id": ("apply", "parent[v] //= 2;"),
    "reduction of a reduction of a reduction": ("apply", "count += fetch(count += fetch(count += 1));"),
    "reduction in a sum in a reduction": ("apply", "count += 1 + fetch(count += 1);"),
    "comparison as statement": ("apply", "level[v] == 1;"),
    "signed and unsigned": ("apply", "big[v] = words[v] + level[v];"),
    "number of arguments": ("apply", "rank[v] = half(1, 2);"),
    "unknown function": ("apply", "rank[v] = halv(1);"),
    "function without call": ("apply", "rank[v] = half;"),
    "graph in a functor": ("apply", "rank[v] = contract(1);"),
    "integer division of floats": ("apply", "rank[v] = rank[v] // 2;"),
    "bits of a float": ("apply", "level[v] = popcount(rank[v]);"),
    "random number without a key": ("apply", "rank[v] = random();"),
    "random number below nothing": ("apply", "level[v] = random_below(level[v]);"),
    "random number below a float": ("apply", "level[v] = random_below(rank[v], v);"),
    "float as a key": ("apply", "rank[v] = random(v, rank[v]);"),
    "angle of an id": ("apply", "rank[v] = sin(v);"),
    "angle of one number": ("apply", "rank[v] = atan2(rank[v]);"),
    "random number in a cast": ("apply", "level[v] = random(v);"),
    "function without arguments": ("apply", "rank[v] = random;"),
    "near in a vertex functor": ("apply", "rank[v] = near;"),
    "impossible cast": ("apply", "rank[v] = float32(parent[v]);"),
    "bool arithmetic": ("apply", "rank[v] = true + 1;"),
    "shift of a float": ("apply", "rank[v] = rank[v] << 1;"),
    "bits and comparison": ("apply", "if (level[v] & 1 == 0) { }"),
    "and of integers": ("apply", "if (level[v] && true) { }"),
    "range of floats": ("apply", "for i in 0..rank[v] { }"),
    "operator in a functor": ("apply", "compute(vertices, settle);"),
    "frontier in a functor": ("apply", "frontier g = { source };"),
    "now of a param": ("apply", "rank[v] = now rate;"),
    "recursion": (
        "top",
        "function g(x: int32) -> int32 { return h(x); } function h(x: int32) -> int32 { return g(x); }",
    ),
    "no return": ("top", "function g(x: int32) -> int32 { if (x > 0) { return 1; } }"),
    "function writes": ("top", "function g(x: int32) -> int32 { count += 1; return x; }"),
    "function reads": ("top", "function g(x: float32) -> float32 { return x * rate; }"),
    "foreign type": ("top", "function g(x: int) -> int32 { return 1; }"),
    "two functors": ("top", "vertex functor visit(v) { apply { } }"),
    "near of a common neighbor": ("top", "common functor c(u, w, x) { apply { rank[near] = 0.0; } }"),
    "identity that is no literal": ("top", "operator d(a: int32, b: int32) -> int32 identity 1 + 2 { return a + b; }"),
    "identity that reads": ("top", "operator d(a: int32, b: int32) -> int32 identity count { return a + b; }"),
    "operator of two types": ("top", "operator d(a: int32, b: int64) -> int32 identity 0 { return a; }"),
    "no values": ("data", "vertex many[0] : int32;"),
    "input with value": ("data", "input vertex s : bool = false;"),
    "where without input": ("data", "vertex s : bool where s;"),
    "local param": ("data", "local param s : bool;"),
    "initial value of another array": ("data", "vertex a : int32 = level[id];"),
    "computed default": ("data", "param a : float32 = 1.0 / 3;"),
    "id for a scalar": ("data", "scalar a : int32 = id;"),
    "wrong initial value": ("data", "vertex a : int32 = id;"),
    "two declarations": ("data", "vertex source : int32;"),
    "built-in as data": ("data", "vertex id : int32;"),
    "where that is no condition": ("data", "input vertex s : int32 where s;"),
    "vertex functor in advance": ("schedule", "f = advance(f, settle);"),
    "functor with value in advance": ("schedule", "f = advance(f, received);"),
    "misspelled operator": ("schedule", "f = advanse(f, visit);"),
    "misspelled functor name": ("schedule", "f = advance(f, vist);"),
    "undeclared frontier": ("schedule", "f = advance(g, visit);"),
    "frontier out of its block": ("schedule", "if (f) { frontier g = f; } g = f;"),
    "param for a frontier": ("schedule", "f = advance(source, visit);"),
    "edges for a frontier": ("schedule", "f = edges;"),
    "too few arguments": ("schedule", "f = advance(f);"),
    "unknown over": ("schedule", "f = advance(f, visit, over=inedges);"),
    "unknown keyword": ("schedule", "f = advance(f, visit, form=1);"),
    "to edges": ("schedule", "f = advance(f, visit, to=edges);"),
    "result that is none": ("schedule", "f = advance(f, visit, to=none);"),
    "unknown reduction": ("schedule", "rank = neighbor_reduce(vertices, received, summ);"),
    "reduction by a function": ("schedule", "rank = neighbor_reduce(vertices, received, half);"),
    "empty of another type": ("schedule", "rank = neighbor_reduce(vertices, received, sum, empty=none);"),
    "ends of a set of vertices": ("schedule", "rank = neighbor_reduce(vertices, received, sum, by=far);"),
    "sum of a scalar": ("schedule", "count = sum(count);"),
    "count of a frontier": ("schedule", "if (any(f)) { }"),
    "sum of an expression": ("schedule", "count = sum(level + 1);"),
    "sum of flags": ("schedule", "count = sum(used);"),
    "any of numbers": ("schedule", "while (any(level)) { }"),
    "sum over other elements": ("schedule", "count = sum(level, edges);"),
    "sum over no set": ("schedule", "count = max(level, 3);"),
    "sum in a functor": ("apply", "count += sum(level);"),
    "maximum in a condition": ("cond", "level[v] == max(level)"),
    "misspelled array reduction": ("schedule", "count = summ(level);"),
    "place of an edge": ("schedule", "f = { argmax(weight) };"),
    "reduction into another type": ("schedule", "level = neighbor_reduce(vertices, received, sum);"),
    "reduction not defined": ("schedule", "rank = neighbor_reduce(vertices, received, some);"),
    "reduction without array": ("schedule", "neighbor_reduce(vertices, received, sum);"),
    "frontier into an array": ("schedule", "rank = advance(f, visit);"),
    "number into an array": ("schedule", "rank = 3;"),
    "operator into a scalar": ("schedule", "count = advance(f, visit);"),
    "swap of unlike arrays": ("schedule", "swap(rank, level);"),
    "swap of an input": ("schedule", "swap(weight, used);"),
    "fill with another type": ("schedule", "fill(level, none);"),
    "schedule reads an element": ("schedule", "while (f && level[argmax(level)] == 0) { }"),
    "schedule updates an element": ("schedule", "level[source] += 1;"),
    "computed index": ("schedule", "level[out_degree(source)] = 1;"),
    "let in the schedule": ("schedule", "let x = 1;"),
    "for in the schedule": ("schedule", "for i in 0..3 { }"),
    "break in the schedule": ("schedule", "while (f) { break; }"),
    "accept in the schedule": ("schedule", "accept true;"),
    "sum of sets": ("schedule", "f = f + { source };"),
    "either set": ("schedule", "f = f || vertices;"),
    "one set but not both": ("schedule", "f = f ^ { source };"),
    "all but a set": ("schedule", "f = !f;"),
    "set with a number": ("schedule", "f = f | 3;"),
    "set with a vertex": ("schedule", "f = source - f;"),
    "short write of an element": ("schedule", "level[source] <<= 2;"),
    "short write of a frontier": ("schedule", "f %= f;"),
    "short write of an array": ("schedule", "level //= 2;"),
    "reduction of a reduction in the schedule": ("schedule", "count += fetch(count += 1);"),
    "set with an operator for effect": ("schedule", "f = f | compute(vertices, settle);"),
    "set into itself": ("schedule", "f |= vertices;"),
    "set with all edges": ("schedule", "f = edges - f;"),
    "set as a condition": ("schedule", "frontier g = f; while (f - g) { }"),
    "set as a number": ("schedule", "count = f & vertices;"),
    "size of a set": ("schedule", "count = size(f & vertices);"),
    "sets in a functor": ("apply", "let x = vertices - vertices;"),
    "frontier as number": ("schedule", "count = f;"),
    "edge functor on vertices": ("schedule", "compute(edges, settle);"),
    "label twice": ("schedule", "compute(vertices, settle) @a; compute(vertices, settle) @a;"),
    "label on a call": ("schedule", "count = size(f) @a;"),
    "member of an array": ("schedule", "count = level.foo;"),
    "member of a value": ("schedule", "count = (count + 1).level;"),
    "member of nothing": ("schedule", "count = nothing.foo;"),
    "subgraph of vertices": ("schedule", "graph g = subgraph(f);"),
    "edge frontier": ("schedule", "edge frontier g = f;"),
    "repeat a fraction": ("schedule", "repeat (0.5) { }"),
    "negative member": ("schedule", "frontier g = { 0, -1 };"),
    "place in the schedule": ("schedule", "count = place;"),
    "effect in the schedule": ("schedule", "if (cas(count, 0, 1)) { }"),
    "unknown knob": ("tune", "tune { visit.dirction = pull; }"),
    "unknown value": ("tune", "tune { visit.direction = sideways; }"),
    "unknown subject": ("tune", "tune { vist.direction = pull; }"),
    "knob without effect": ("tune", "tune { settle.direction = pull; }"),
    "a balance of a pull": ("tune", "tune { visit.direction = pull; visit.balance = merge; }"),
    "a bitmap without duplicates": ("tune", "tune { visit.frontier = bitmap; visit.dedup = none; }"),
    "ids of 48 bits": ("tune", "tune { schedule.ids = 48; }"),
    "knob of the schedule": ("tune", "tune { visit.order = near_far; }"),
    "misspelled bounds": ("tune", "tune { bonds off; }"),
    "unknown threshold": ("tune", "tune { visit.direction = auto(gamma=1); }"),
    "threshold out of range": ("tune", "tune { visit.direction = auto(alpha=1000001); }"),
    "unknown requirement": ("tune", "requires symetric;"),
    "sort": ("schedule", "level = sort(level);"),
    "power of a float": ("apply", "rank[v] = rank[v] ^ 2;"),
    "index of a set": ("schedule", "compute(vertices, v => { cond f[v]; });"),
    "index of a scalar": ("apply", "level[v] = int32(count[v]);"),
    "set before what is summed": ("schedule", "count = sum(f, v => level[v]);"),
    "reduction of neighbors for a scalar": ("schedule", "count = neighbor_reduce(vertices, received, sum);"),
    "edge by its ends": ("apply", "let e = edge(v, parent[v]);"),
    "edges of a vertex": ("apply", "for e in edges(v) { level[v] += 1; }"),
    "initial value by v": ("data", "vertex own : vertex = v;"),
    "method of a set": ("schedule", "f = advance(f, visit).filter(v => level[v] > 1);"),
    "size of a list": ("apply", "level[v] = size(neighbors(v));"),
    "several mistakes": ("apply", "let a = 1; a = 2; rank[v] = lvel[v]; if (a) { b = 3; } level[v] = none;"),
}
