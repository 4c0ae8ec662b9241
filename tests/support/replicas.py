"""Programs in which each of several GPUs has arrays whole, and others that look like them."""

from __future__ import annotations

_FOLLOWING = """
program following;
problem {{
    vertex x : vertex = {initial};
    local scalar again : bool = true;
    local scalar told : bool;
    {data}
}}
edge functor hook(src, dst, e) {{
    {condition}
    apply {{ {hook} }}
}}
vertex functor flatten(v) {{ apply {{ {flatten} }} }}
{functors}
schedule {{
    {first}
    while (again) {{
        again = false;
        {edges}
        if (again) {{ compute(vertices, flatten); }}
    }}
    {end}
}}
"""
_HOOK = "let a = x[src]; let b = x[dst]; let lower = changed(x[max(a, b)] min= min(a, b)); again |= lower;"
_FLATTEN = "while (changed(x[v] min= x[x[v]])) { }"


def following(
    hook: str = _HOOK, flatten: str = _FLATTEN, data: str = "", functors: str = "", first: str = "", end: str = "",
    condition: str = "", initial: str = "id", edges: str = "advance(vertices, hook, to=none, over=all_edges);",
) -> str:  # fmt: skip
    """Connected components by labels that are followed."""
    return _FOLLOWING.format(
        hook=hook, flatten=flatten, data=data, functors=functors, first=first, end=end, condition=condition,
        initial=initial, edges=edges,
    )  # fmt: skip


_BOTH = "let f = changed(x[x[dst]] min= x[src]); let b = changed(x[x[src]] min= x[dst]); again |= f || b;"
_UPWARDS = "let a = x[src]; let b = x[dst]; let higher = changed(x[min(a, b)] max= max(a, b)); again |= higher;"
_NOTE = "vertex functor note(v) { apply { early[v] = x[v]; } }"
REPLICATED = {
    "labels": following(),
    "upwards": following(hook=_UPWARDS, flatten="while (changed(x[v] max= x[x[v]])) { }"),
    "two answers": following(hook=_BOTH),
    "the answer itself": following(
        hook="let a = x[src]; let b = x[dst]; again |= changed(x[max(a, b)] min= min(a, b));"
    ),
    "no answers": following(
        data="local scalar rounds : int32;",
        hook="let a = now x[src]; let b = now x[dst]; x[max(a, b)] min= min(a, b); again |= a != b;",
    ),
    "a set shrinks": following(
        data="local vertex open : bool = true;",
        functors="edge functor differ(src, dst, e) -> bool { value x[src] != x[dst]; }",
        first="frontier f = vertices;",
        edges="if (f) { advance(f, hook, to=none); }",
        end="compute(vertices, flatten);",
    ),
    "an element that the schedule stores": following(first="if (num_vertices > 0) { x[0] = vertex(0); }"),
    "in a sweep with others": following(
        data="vertex early : vertex; vertex sum : int32; local scalar most : vertex;",
        functors=_NOTE + "vertex functor ask(v) { apply { most max= x[v]; } }",
        first="compute(vertices, flatten); compute(vertices, note); compute(vertices, ask);",
        end="compute(vertices, note);",
    ),
    "stored by its own call": following(
        flatten="var u = v; while (u > now x[u]) { u = now x[u]; } x[v] min= u;",
        data="vertex y : vertex = id; vertex z : vertex;",
        functors="""
            vertex functor give(v) { apply { y[v] = vertex(num_vertices - 1 - int64(v)); } }
            vertex functor jump(v) { apply { let next = y[y[v]]; z[v] = next; } }
        """,
        first="compute(vertices, give);",
        end="compute(vertices, jump);",
    ),
    "two stored by one call": following(
        flatten="while (changed(x[v] min= x[x[v]])) { } y[v] = vertex(num_vertices - 1 - int64(v));",
        data="vertex y : vertex = id; vertex z : vertex;",
        functors="vertex functor jump(v) { apply { let next = y[y[v]]; z[v] = next; } }",
        end="compute(vertices, flatten); compute(vertices, jump);",
    ),
    "linked first": following(
        functors="""
            edge functor link(src, dst, e) { apply {
                var one = src; var other = dst;
                for step in 0..8 {
                    if (one == other) { break; }
                    let high = max(one, other); let low = min(one, other);
                    let before = fetch(x[high] min= x[low]);
                    if (before == high) { break; }
                    one = before; other = low;
                }
            } }
        """,
        first="advance(vertices, link, to=none); compute(vertices, flatten);",
    ),
    "joined": following(
        first="advance(vertices, (s, t, e) => { join(x, t, s); }, to=none); compute(vertices, flatten);",
        flatten="x[v] = root(x, v);",
    ),
    "joined alone": """program joined; problem { vertex x : vertex = id; vertex members : int32; }
        schedule {
            compute(edges, (s, t, e) => { if (s != t) { join(x, s, t); } });
            compute(vertices, v => { let leader = root(x, v); members[leader] += 1; });
            advance(vertices, (s, t, e) => { join(x, s, t); }, to=none);
            compute(vertices, v => { x[v] = root(x, v); });
        }""",
    "reduced last": following(
        functors="vertex functor last(v) { apply { x[vertex(num_vertices - 1 - int64(v))] min= v; } }",
        end="compute(vertices, last);",
    ),
    "not a result": following(end="compute(vertices, note);", data="vertex early : vertex;", functors=_NOTE).replace(
        "vertex x :", "local vertex x :"
    ),
}
NOT_REPLICATED = {
    "former values": following(
        hook="let a = now x[src]; let b = now x[dst]; let was = fetch(x[max(a, b)] min= min(a, b));"
        "again |= was > min(a, b);"
    ),
    "answers in two flags": following(
        hook="let a = x[src]; let b = x[dst]; let f = changed(x[a] min= b); let g = changed(x[b] min= a);"
        "again |= f || g; told |= f;"
    ),
    "answers decide": following(
        hook="let a = x[src]; let b = x[dst]; if (changed(x[max(a, b)] min= min(a, b))) { again |= true; }"
    ),
    "answers are counted": following(hook=_HOOK + "count += lower ? 1 : 0;", data="scalar count : int32;"),
    "compare and swap": following(
        functors="edge functor take(src, dst, e) { apply { let won = cas(x[src], src, dst); told |= won; } }",
        end="advance(vertices, take, to=none);",
    ),
    "filled": following(end="fill(x, vertex(0));", edges="advance(vertices, hook, to=none, over=all_edges);"),
    "nothing is followed": following(
        hook="let lower = changed(x[dst] min= x[src]); again |= lower;", flatten="x[v] min= v;"
    ),
    "reduced from edges": following(
        data="vertex y : vertex;",
        functors="edge functor give(src, dst, e) -> vertex { value dst; }",
        end="x = neighbor_reduce(vertices, give, min);",
    ),
}
