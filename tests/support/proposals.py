"""Programs whose pushes let each of several GPUs propose edges, and others that look like them."""

from __future__ import annotations

_SEARCH = """
program search;
problem {{
    param source : vertex;
    vertex level : int32 = -1;
    vertex parent : vertex = none;
    {data}
}}
edge functor visit(src, dst, e) {{ cond level[dst] == -1{test}; apply {{ level[dst] = iteration + 1; {body} }} }}
schedule {{
    level[source] = 0;
    frontier f = {{ source }};
    while (f) {{ f = advance(f, visit{how}); }}
    {end}
}}
"""


def search(test: str = "", body: str = "parent[dst] any= src;", data: str = "", how: str = "", end: str = "") -> str:
    """A search by levels."""
    return _SEARCH.format(test=test, body=body, data=data, how=how, end=end)


_TREE = """
program tree;
problem { param source : vertex; vertex parent : vertex = none; }
edge functor join(src, dst, e) { cond parent[dst] == none; apply { parent[dst] any= src; } }
schedule { parent[source] = source; frontier f = { source }; while (f) { f = advance(f, join); } }
"""
_BACKWARDS = """
program backwards;
problem { param source : vertex; vertex level : int32 = -1; vertex next : vertex = none; }
edge functor visit(src, dst, e) { cond level[src] == -1; apply { level[src] = iteration + 1; next[src] any= dst; } }
schedule { level[source] = 0; frontier f = { source }; while (f) { f = advance(f, visit, over=in_edges); } }
"""
_TAKEN = """
program taken;
problem { vertex taken : uint64; vertex by : vertex = none; vertex odd : int32; }
edge functor take(src, dst, e) {
    cond taken[dst] == 0 && uint32(src) % 3 != 0;
    apply { taken[dst] = 7; by[dst] any= src; }
}
vertex functor note(v) { apply { odd[v] = int32(taken[v]) * 2 + 1; } }
schedule { advance(vertices, take, to=none); compute(vertices, note); }
"""
WANTED = """
program wanted;
problem { input vertex first : int32; vertex want : int32; vertex got : int32; }
edge functor take(src, dst, e) { cond want[dst] == int32(src); apply { want[dst] = -1; got[dst] = 1; } }
schedule { compute(vertices, v => { want[v] = first[v]; }); advance(vertices, take, to=none); }
"""
"""Only one of the edges to a far end may claim it."""
PROPOSED = {
    "a tree of parents": search(),
    "only levels": search(body=""),
    "another test": search(" && uint32(src) % 4 != 0 && uint32(src) < 100000"),
    "a test of another array": search(" && allowed[src] > 0", data="local vertex allowed : int32 = 1;"),
    "values of both ends": search(
        body="both[dst] any= key[src] + key[dst]; seen[dst] = true;",
        data="local vertex key : int32 = 5; vertex both : int32; vertex seen : bool;",
    ),
    "pushed only": search() + "tune { visit.direction = push; }\n",
    "backwards": _BACKWARDS,
    "parents alone": _TREE,
    "no result": _TAKEN,
    "what is free depends on the far end": _TAKEN.replace("taken[dst] == 0", "taken[dst] == uint64(dst) * 0"),
}
NOT_PROPOSED = {
    "what is free depends on the near end": WANTED,
    "the edge is asked for": search(body="parent[dst] any= src; via[dst] any= e;", data="vertex via : edge = none;"),
    "both lists": _TAKEN.replace("to=none", "over=all_edges, to=none"),
    "a test of what is written": _TAKEN.replace("uint32(src) % 3 != 0", "now by[src] == none"),
    "made graphs": search(
        end="edge frontier s = advance(vertices, (u, v, x) => u < v, to=edges); graph h = subgraph(s);"
        " on h { frontier g = vertices; }"
    ),
    "a minimum": """
program least;
problem { param source : vertex; vertex x : int32 = 99; }
edge functor lower(src, dst, e) { apply { accept changed(x[dst] min= x[src] + 1); } }
schedule { x[source] = 0; frontier f = { source }; while (f) { f = advance(f, lower); } }
""",
}
