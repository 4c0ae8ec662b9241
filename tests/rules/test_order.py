"""Which loops are monotone, so that their visits may be made in any order."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import Order
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


def why_not(
    statement: str, schedule: str = "frontier f = vertices; while (f) { f = advance(f, relax); }", tune: str = ""
) -> str:
    """What is said where `near_far` is asked for."""
    text = _HEAD.format(type="float32", weight="float32", initial="inf")
    text += f"edge functor relax(src, dst, e) {{ apply {{ {statement} }} }}\nschedule {{ {schedule} }}\n"
    text += f"tune {{ schedule.order = near_far; {tune} }}\n"
    with pytest.raises(GdslError) as caught:
        load_source(Source("order", text))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E0420" and diagnostic.fix
    return diagnostic.message


def test_near_far_is_taken() -> None:
    text = _HEAD.format(type="float32", weight="float32", initial="inf")
    text += f"edge functor relax(src, dst, e) {{ apply {{ {ACCEPTED[0]} }} }}\n"
    text += "schedule { frontier f = vertices; while (f) { f = advance(f, relax); } }\n"
    for value in Order:
        program = load_source(Source("order", f"{text}tune {{ schedule.order = {value.value}; }}"))
        assert program.tuning.order is value


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("d[dst] min= d[src] + w[e]; s += 1;", "`s` is written in addition to `d`"),
        (
            "let low = changed(d[dst] min= d[src] + w[e]); if (low) { b[dst] any= 3; } accept low;",
            "`b` is written in addition to `d`",
        ),
        ("d[dst] min= d[src] + w[e];", "what is accepted is not just"),
        ("accept changed(d[dst] min= d[src] + w[e]) || b[dst] > 0;", "what is accepted is not just"),
        ("accept changed(b[dst] |= 1);", "not a `min=` or `max=`"),
        ("accept changed(d[src] min= d[dst] + w[e]);", "is not just written at the far end"),
        ("accept changed(d[dst] min= d[dst] * 0.5);", "is not just written at the far end"),
        ("accept changed(d[dst] min= d[src] + iteration);", "by the same rule in every pass"),
        ("accept changed(d[dst] min= w[e] - d[src]);", "moves the same way"),
        ("accept changed(d[dst] min= exp(d[src]));", "moves the same way"),
        ("accept true;", "nothing is written"),
    ],
)
def test_what_stands_in_the_way_in_a_functor(statement: str, why: str) -> None:
    assert why in why_not(statement)


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        ("frontier f = vertices; while (f) { f = advance(f, relax); s += 1; }", "more than advance `f`"),
        ("frontier f = vertices; while (f && iteration < 5) { f = advance(f, relax); }", "just a worklist"),
        ("frontier f = vertices; while (f) { f = advance(vertices, relax); }", "something other than advance `f`"),
        ("frontier f = vertices; repeat (3) { f = advance(f, relax); }", "there is no `while`"),
        ("frontier f = vertices; while (f) { f = where(v => b[v] > 0); }", "something other than advance `f`"),
        ("frontier f = vertices; while (f) { f = advance(f, relax, over=all_edges); }", ""),
    ],
)
def test_what_stands_in_the_way_in_a_schedule(schedule: str, why: str) -> None:
    assert why in why_not(ACCEPTED[0], schedule)


@pytest.mark.parametrize(
    ("tune", "why"),
    [
        ("relax.balance = merge;", "`relax.balance`"),
        ("relax.frontier = bitmap;", "`relax.frontier`"),
        ("relax.dedup = none;", "`relax.dedup`"),
        ("relax.direction = pull;", "`relax.direction`"),
        ("schedule.fuse = off;", "one kernel per step"),
    ],
)
def test_other_knobs_stand_in_the_way(tune: str, why: str) -> None:
    assert why in why_not(ACCEPTED[0], tune=tune)


SHARED = """program p;
problem {{ vertex d : float32 = id == 0 ? 0 : inf; vertex b : int32; }}
edge functor relax(src, dst, e) {{ apply {{ accept changed(d[dst] min= d[src] + 1.0); }} }}
edge functor see(src, dst, e) {{ cond b[dst] == 0; apply {{ b[dst] = 1; }} }}
schedule {{ frontier g = {{ 0 }}; {schedule} }}
tune {{ schedule.order = near_far; {tune} }}
"""


@pytest.mark.parametrize(
    "schedule",
    [
        "while (g) { frontier f = g; while (f) { f = advance(f, relax); } g = advance(g, see); }",
        "frontier h = g; frontier f = h; while (f) { f = advance(f, relax); } g = advance(g, see);",
        "while (g) { g = advance(g, relax); } g = { 0 }; g = advance(g, see);",
    ],
)
def test_a_worklist_that_is_shared_with_a_choice_of_direction(schedule: str) -> None:
    """Its edges are counted for that choice, in every pass."""
    with pytest.raises(GdslError) as caught:
        load_source(Source("order", SHARED.format(schedule=schedule, tune="")))
    (diagnostic,) = caught.value.diagnostics
    said = (diagnostic.message, *(label.text for label in diagnostic.labels))
    assert diagnostic.code == "E0420" and any("`see` may pull and shares" in text for text in said)
    load_source(Source("order", SHARED.format(schedule=schedule, tune="see.direction = push;")))
