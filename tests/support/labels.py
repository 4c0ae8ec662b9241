"""Programs in which several GPUs lower labels in copies of their own, and others that look like them."""

from __future__ import annotations

_COMPONENTS = """
program components;
problem {{
    vertex x : vertex = id;
    local scalar again : bool = true;
    {data}
}}
edge functor link(src, dst, e) {{
    apply {{
        var one = src; var other = dst;
        for step in 0..8 {{
            if (one == other) {{ break; }}
            let high = max(one, other); let low = min(one, other);
            let before = fetch(x[high] min= x[low]);
            if (before == high) {{ break; }}
            one = before; other = low;
        }}
        {more}
    }}
}}
edge functor hook(src, dst, e) {{
    apply {{ let a = x[src]; let b = x[dst]; let lower = changed(x[max(a, b)] min= min(a, b)); again |= lower; }}
}}
vertex functor flatten(v) {{ apply {{ while (changed(x[v] min= x[x[v]])) {{ }} }} }}
{functors}
schedule {{
    {first}
    compute(vertices, flatten);
    {between}
    while (again) {{
        again = false;
        advance(vertices, hook, to=none, over=all_edges);
        if (again) {{ compute(vertices, flatten); }}
    }}
    {end}
}}
"""


def components(
    more: str = "", data: str = "", functors: str = "", first: str = "advance(vertices, link, to=none);",
    between: str = "", end: str = "",
) -> str:  # fmt: skip
    """Connected components, after linking along all edges."""
    return _COMPONENTS.format(more=more, data=data, functors=functors, first=first, between=between, end=end)


LABELED = {
    "all edges": components(),
    "joined": components(
        first="advance(vertices, (s, t, e) => { cond place < 2; apply { join(x, s, t); } }, to=none);"
    ),
    "joined, and the rest joined": """program joined;
        problem { vertex x : vertex = id; local scalar most : vertex; }
        schedule {
            advance(vertices, (s, t, e) => { cond place < 2; apply { join(x, s, t); } }, to=none);
            compute(vertices, v => { x[v] = root(x, v); });
            compute(vertices, v => { most min= x[v]; });
            frontier rest = where(v => x[v] != most);
            if (rest) {
                advance(rest, (s, t, e) => { join(x, s, t); }, to=none, over=all_edges);
                compute(vertices, v => { x[v] = root(x, v); });
            }
        }""",
    "twice": components(first="advance(vertices, link, to=none); advance(vertices, link, to=none, over=all_edges);"),
    "a set is chosen": components(
        data="local vertex few : bool;",
        functors="vertex functor note(v) { apply { few[v] = x[v] == v; } }",
        between="compute(vertices, note);",
    ),
    "a result of the labels": components(
        data="vertex early : vertex;",
        functors="vertex functor note(v) { apply { early[v] = x[v]; } }",
        end="compute(vertices, note);",
    ),
}
NOT_LABELED = {
    "a result in between": components(
        data="vertex early : vertex;",
        functors="vertex functor note(v) { apply { early[v] = x[v]; } }",
        between="compute(vertices, note);",
    ),
    "joined, and a result in between": components(
        first="advance(vertices, (s, t, e) => { cond place < 2; apply { join(x, s, t); } }, to=none);",
        data="vertex early : vertex;",
        functors="vertex functor note(v) { apply { early[v] = x[v]; } }",
        between="compute(vertices, note);",
    ),
    "joined along all edges": """program joined; problem { vertex x : vertex = id; }
        schedule {
            advance(vertices, (s, t, e) => { join(x, s, t); }, to=none);
            compute(vertices, v => { x[v] = root(x, v); });
        }""",
    "another write": components(more="seen[src] = true;", data="local vertex seen : bool;"),
    "in a loop": components(first="repeat (2) { advance(vertices, link, to=none); }"),
    "of a few vertices": components(first="frontier f = where(v => out_degree(v) > 2); advance(f, link, to=none);"),
    "no loop over all edges": components().split("    while (again)")[0] + "}\n",
}
