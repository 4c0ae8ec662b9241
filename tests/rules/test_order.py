"""Which loops are monotone, so that their visits may be made in any order."""

from __future__ import annotations

import pytest

from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.pipeline import load_source
from gdsl.source import Source

_HEAD = """program p;
problem {{
    input edge w: {weight} where w >= 0; vertex d: {type} = id == 0 ? 0 : {initial}; vertex b: int32; scalar s: int32;
}}
"""


def monotone(
    statement: str,
    *,
    schedule: str = "frontier f = vertices; while (f) { f = advance(f, relax); }",
    type_: str = "float32",
    weight: str = "float32",
    initial: str = "inf",
    condition: str = "",
) -> bool:
    text = _HEAD.format(type=type_, weight=weight, initial=initial)
    text += f"edge functor relax(src, dst, e) {{ {condition} apply {{ {statement} }} }}\nschedule {{ {schedule} }}\n"
    program = load_source(Source("order", text))
    return any(node.monotone for node in walk(program.schedule) if isinstance(node, nodes.While))


ACCEPTED = [
    "accept changed(d[dst] min= d[src] + w[e]);",
    "accept changed(d[dst] min= d[src] * (w[e] + 1.0));",
    "accept changed(d[dst] min= max(d[src], w[e]));",
    "accept changed(d[dst] max= min(d[src], w[e]));",
    "accept changed(d[dst] min= b[dst] > 0 ? d[src] : w[e]);",
    "let low = changed(d[far] min= d[near] + w[e]); accept low;",
]


@pytest.mark.parametrize("statement", ACCEPTED)
def test_monotone(statement: str) -> None:
    assert monotone(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "accept changed(d[dst] min= d[src] - w[e]); s += 1;",
        "accept changed(d[dst] min= w[e] - d[src]);",
        "accept changed(d[dst] min= exp(d[src]));",
        "accept changed(d[dst] min= log(d[src]) + 1.0);",
        "accept changed(d[dst] min= sqrt(d[src]) - 3.0);",
        "accept changed(d[dst] min= d[src] + iteration);",
        "accept changed(d[dst] min= d[dst] * 0.5);",
        "accept changed(d[src] min= d[dst] + w[e]);",
        "accept changed(d[dst] min= d[src] + w[e]) || b[dst] > 0;",
        "d[dst] min= d[src] + w[e];",
        "accept changed(d[dst] min= 1.0 / d[src]);",
    ],
)
def test_not_monotone(statement: str) -> None:
    assert not monotone(statement)


def test_integers_must_not_wrap() -> None:
    relax = "accept changed(d[dst] min= d[src] + w[e]);"
    assert monotone(relax, type_="int32", weight="int32", initial="inf")
    assert not monotone(relax, type_="int32", weight="int32", initial="2147483647")
    assert not monotone(relax, type_="int32", weight="int32", initial="1000000")
    bounded = "accept changed(d[dst] min= d[src] + min(w[e], 1000));"
    assert monotone(bounded, type_="int32", weight="int32", initial="1000000")
    assert not monotone("accept changed(d[dst] min= d[src] - min(w[e], 1));", type_="uint32", weight="uint32")


@pytest.mark.parametrize(
    "schedule",
    [
        "frontier f = vertices; while (f) { f = advance(f, relax); s += 1; }",
        "frontier f = vertices; while (f && iteration < 5) { f = advance(f, relax); }",
        "frontier f = vertices; while (size(f) > 0) { f = advance(f, relax); }",
        "frontier f = vertices; repeat (3) { f = advance(f, relax); }",
        "frontier f = vertices; while (f) { f = advance(vertices, relax); }",
    ],
)
def test_the_loop_has_that_one_statement(schedule: str) -> None:
    assert not monotone(ACCEPTED[0], schedule=schedule)
