"""Grades of what is computed from joined sets: roots are certain where it is which vertices are joined."""

from __future__ import annotations

import pytest

from gdsl.ir.nodes import Advance
from gdsl.ir.traversal import all_steps
from gdsl.operations import Grade
from gdsl.pipeline import load

PROGRAM = """program p;
problem {{
    vertex x : vertex = id; vertex y : vertex; {data}
    input edge kind : int32; local vertex seen : vertex; local scalar count : int64; local scalar found : bool;
}}
edge functor link(s, t, e) {{ {cond} apply {{ {link} }} }}
edge functor see(s, t, e) {{ apply {{ seen[t] any= s; }} }}
vertex functor settle(v) {{ apply {{ x[v] = root(x, v); }} }}
vertex functor read(v) {{ apply {{ {read} }} }}
schedule {{ {schedule} }}
"""
JOIN = "join(x, s, t);"
ROOT = "let leader = root(x, v); y[v] = leader;"


def program(
    link: str = JOIN, cond: str = "", read: str = ROOT, data: str = "",
    schedule: str = "compute(edges, link); compute(vertices, read);",
) -> str:  # fmt: skip
    return PROGRAM.format(link=link, cond=cond, read=read, schedule=schedule, data=data)


def grades(text: str) -> dict[str, bool]:
    return {array.name: array.grade is Grade.EXACT for array in load(text).arrays if not array.is_local}


EXACT = {
    "along all edges": program(),
    "along some": program(cond="cond kind[e] > 3;"),
    "under a condition": program(link="if (kind[e] > 3 && s < t) { join(x, s, t); }"),
    "each vertex with one that is computed": program(link="join(x, s, t); if (kind[e] > 0) { join(x, t, 0); }"),
    "in a loop of the functor": program(link="for i in 0..kind[e] { join(x, s, vertex(i)); }"),
    "whether a vertex is its own label": program(read="y[v] = x[v] == v ? v : none; found |= v != x[v];"),
    "in passes": program(
        schedule="repeat (3) { compute(edges, link); } compute(vertices, read);", cond="cond kind[e] == iteration;"
    ),
    "settled": program(
        read="y[v] = x[v];", schedule="compute(edges, link); compute(vertices, settle); compute(vertices, read);"
    ),
    "settled for some": program(
        schedule="compute(edges, link); frontier f = where(v => v > 3); compute(f, settle); compute(vertices, read);"
    ),
    "joined by roots of others": program(
        data="vertex z : vertex = id;",
        link="join(x, s, t); join(z, y[s], t);",
        schedule="repeat (2) { compute(edges, link); compute(vertices, read); }",
        read=ROOT,
    ),
    "hooked as well, and settled": program(
        link="x[max(x[s], x[t])] min= min(x[s], x[t]);",
        schedule="compute(vertices, settle); compute(vertices, read);",
    ),
}
NOT_EXACT = {
    "labels themselves": program(read="y[v] = x[v];"),
    "whether a label is a certain one": program(read="y[v] = x[v] == 3 ? v : none;"),
    "whether its label is the label of a neighbor": program(
        schedule="compute(edges, link); compute(edges, (s, t, e) => { y[t] max= x[s] == t ? s : 0; });"
    ),
    "whether a vertex of any neighbor is its own label": program(
        link="join(x, t, seen[t]);", cond="cond seen[t] != none;", read="y[v] = x[v] == v ? v : none;",
        schedule="compute(edges, see); compute(edges, link); compute(vertices, read);",
    ),
    "joined with any neighbor": program(
        link="join(x, t, seen[t]);", cond="cond seen[t] != none;",
        schedule="compute(edges, see); compute(edges, link); compute(vertices, read);",
    ),
    "joined as labels say": program(link="if (now x[s] == s) { join(x, s, t); }"),
    "under a condition that is not unique": program(
        schedule="compute(edges, see); found = any(v => seen[v] == 3);"
        " if (found) { compute(edges, link); } compute(vertices, read);"
    ),
    "lowered besides": program(
        data="vertex z : vertex = id;",
        schedule="compute(edges, see); compute(edges, link); compute(vertices, read);"
        " compute(vertices, v => { z[v] min= x[v]; });",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", EXACT)
def test_exact(what: str) -> None:
    text = EXACT[what]
    assert grades(text)["y"], what


@pytest.mark.parametrize("what", NOT_EXACT)
def test_not_exact(what: str) -> None:
    assert not all(exact for name, exact in grades(NOT_EXACT[what]).items() if name != "x"), what


LOOSE = """program p;
problem {{ vertex x : vertex = id; {data} local scalar most : vertex; }}
edge functor sample(s, t, e) {{ cond place < 2; apply {{ join(x, s, t); }} }}
edge functor link(s, t, e) {{ {cond} apply {{ join(x, {ends}); }} }}
vertex functor settle(v) {{ apply {{ x[v] = root(x, v); }} }}
schedule {{
    advance(vertices, sample, to=none);
    compute(vertices, settle);
    {between}
    compute(vertices, v => {{ most min= x[v]; }});
    frontier rest = where(v => x[v] != {other});
    if (rest) {{ advance(rest, link, to=none, over={over}); compute(vertices, settle); }}
}}
"""


def loose(
    data: str = "", between: str = "", cond: str = "", ends: str = "s, t", over: str = "all_edges", other: str = "most"
) -> list[bool]:
    ir = load(LOOSE.format(data=data, between=between, cond=cond, ends=ends, over=over, other=other))
    assert next(array for array in ir.arrays if array.name == "x").grade is Grade.EXACT
    return [step.loose for step in all_steps(ir.schedule) if isinstance(step, Advance)]


def test_what_is_joined_first_does_not_matter_where_the_rest_is_joined() -> None:
    assert loose() == [True, False]
    assert loose(ends="t, s") == [True, False]


@pytest.mark.parametrize(
    "parts",
    [
        {"data": "vertex early : vertex;", "between": "compute(vertices, v => { early[v] = x[v]; });"},
        {"data": "vertex early : vertex;", "between": "compute(vertices, v => { let r = root(x, v); early[v] = r; });"},
        {"cond": "cond s < t;"},
        {"over": "out_edges"},
        {"ends": "s, s"},
        {"other": "v"},
    ],
)
def test_it_matters_otherwise(parts: dict[str, str]) -> None:
    assert not any(loose(**parts))
