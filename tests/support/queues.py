"""Programs in which each of several GPUs keeps what a filter has found in a queue of its own, and others that look like
them."""

from __future__ import annotations

_FILTERING = """
program filtering;
problem {{ vertex x : int32 = 1; vertex y : int64; scalar count : int64; {data} }}
vertex functor some(v) {{ cond int64(v) % 7 != 3; }}
edge functor add(src, dst, e) {{ apply {{ y[dst] += int64(src) + 1; }} }}
edge functor mark(src, dst, e) {{ apply {{ x[dst] = 2; }} }}
{functors}
schedule {{
    {first}
    frontier f = {members};
    {after}
}}
"""


def filtering(
    members: str = "where(some)", after: str = "advance(f, add, to=none);", first: str = "", data: str = "",
    functors: str = "",
) -> str:  # fmt: skip
    """A set of vertices, and what is done with it."""
    return _FILTERING.format(members=members, after=after, first=first, data=data, functors=functors)


_REPEATED = "repeat (3) { frontier f = where(some); advance(f, add, to=none); }"
QUEUED = {
    "walked once": filtering(),
    "both ways": filtering(after="advance(f, add, to=none, over=all_edges);"),
    "walked by two": filtering(after="advance(f, add, to=none); advance(f, mark, to=none, over=in_edges);"),
    "in a loop": filtering(after="repeat (3) { advance(f, add, to=none); }"),
    "its size": filtering(after="count = size(f); if (f) { advance(f, add, to=none); }"),
    "in a branch": filtering(
        first="frontier g = vertices;",
        after="if (size(g) > 2) { frontier h = where(some); advance(h, mark, to=none); }",
    ),
}
NOT_QUEUED = {
    "into another set, perhaps by a pull": filtering(
        after="frontier g = advance(f, next); advance(g, mark, to=none);",
        data="vertex seen : bool;",
        functors="edge functor next(src, dst, e) { cond !seen[dst]; apply { seen[dst] = true; } }",
    ),
    "never walked": filtering(after="count = size(f);"),
    "filled in a loop": filtering(members="vertices", after=_REPEATED.replace("frontier f", "f")),
    "filled again": filtering(after="advance(f, add, to=none); f = where(v => v > 2); advance(f, add, to=none);"),
    "of another set": filtering(
        first="frontier g = { 0 };", members="filter(g, some)", after="advance(f, add, to=none);"
    ),
    "combined": filtering(after="frontier g = f - { 0 }; advance(f, add, to=none); advance(g, add, to=none);"),
    "run on": filtering(
        after="advance(f, add, to=none); compute(f, raise);",
        functors="vertex functor raise(v) { apply { x[v] += 1; } }",
    ),
}
