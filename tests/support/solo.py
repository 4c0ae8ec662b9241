"""Programs with loops whose small passes the first of several GPUs runs alone, and others that look like them."""

from __future__ import annotations

_PROGRAM = """
program solo;
problem {{
    param source : vertex;
    vertex level : int32 = -1;
    vertex found : bool;
    vertex count : int32;
    scalar total : int32;
    local scalar limit : int32 = 1;
}}
edge functor reach(src, dst, e) {{ cond level[dst] == -1; apply {{ level[dst] = iteration + 1; }} }}
edge functor meet(src, dst, e) {{ apply {{ let before = fetch(count[dst] += 1); accept before == limit; }} }}
edge functor tell(src, dst, e) {{ apply {{ accept !found[dst]; }} }}
edge functor lower(src, dst, e) {{ apply {{ accept changed(count[dst] min= level[src]); }} }}
schedule {{ level[source] = 0; frontier f = {{ source }}; frontier g = {{}}; frontier h = vertices; {schedule} }}
"""


def _program(schedule: str) -> str:
    return _PROGRAM.format(schedule=schedule)


_MARKED = "compute(f, v => { found[v] = true; count[v] += 1; });"
SOLO = {
    "a search": _program("while (f) { f = advance(f, reach); }"),
    "two sets": _program(
        "while (f) { f = advance(f, reach); g = filter(f, v => out_degree(v) % 3 > 0);"
        " compute(g, v => { count[v] += 1; }); }"
    ),
    "marks": _program(f"{_MARKED} while (f) {{ f = advance(f, tell); {_MARKED} }}"),
    "a scalar of each thread": _program("while (f) { limit = limit % 2 + 1; f = advance(f, meet); }"),
    "a total": _program("while (f) { compute(f, v => { total += 1; }); f = advance(f, reach); }"),
    "a loop after a loop": _program("g = f; while (f) { f = advance(f, reach); } while (g) { g = advance(g, meet); }"),
    "within a loop": _program(
        "repeat (3) { f = filter(h, v => level[v] == -1 && out_degree(v) > 2); while (f) { f = advance(f, reach); } }"
    ),
}
"""By what they have."""
NOT_SOLO = {
    "all vertices": _program("while (f) { f = advance(f, reach); compute(vertices, v => { count[v] += 1; }); }"),
    "a set from before": _program("while (f) { f = advance(f, reach); compute(h, v => { count[v] += 1; }); }"),
    "a number of passes": _program("repeat (5) { f = advance(f, reach); }"),
    "a union": _program("while (f) { f = advance(f, reach); g = g | f; }"),
    "copies that are merged": _program("while (f) { f = advance(f, lower); }"),
}
