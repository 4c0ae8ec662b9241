"""What a thread reads ahead for several elements: each accepted form beside one that is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gdsl.ir.nodes import Element, Parameter
from gdsl.ir.traversal import rewrite
from gdsl.plan import target
from gdsl.plan.printer import print_plan
from gdsl.plan.read_ahead import MEMBERS_AT_ONCE, read_ahead_of
from gdsl.plan.sweep_nodes import Sweep
from gdsl.plan.target import Target
from gdsl.plan.walking import own_sweeps

from .planning import plan_of

TEXT = """program p;
problem {{
    vertex next : vertex = id; vertex own : int32; vertex other : int32; vertex low : float32;
    vertex pair : (int32, int32);
    vertex w : int64; vertex x : int64; vertex y : int64; vertex z : int64; scalar total : int64;
}}
function first_of(n : vertex) -> vertex {{ return n; }}
vertex functor f(v) {{ {body} }}
schedule {{ compute(vertices, f); }}"""
READ = "read next[v]; then read own[checked next[v]]"


def ahead(text: str, *tune: str, on: Target = target.CUDA_FUSED) -> list[str]:
    """What the printed plan says of each sweep that reads ahead."""
    plan = print_plan(plan_of(text, *tune, on=on))
    return re.findall(r"^ *(\d side by side: (?:read|test|look).*)$", plan, re.MULTILINE)


@pytest.mark.parametrize(
    "body, expected",
    [
        # Own values, then what they lead to; not where that is asked for only sometimes, nor own values alone.
        ("apply { other[v] = own[next[v]]; }", READ),
        ("apply { let n = next[v]; let m = own[n]; other[v] = m + 1; }", READ),
        ("apply { if (own[next[v]] > 0) { other[v] = own[next[v]]; } }", READ),
        ("apply { if (next[v] != v) { other[v] = own[next[v]]; } }", None),
        ("apply { other[v] = next[v] == v ? 0 : own[next[v]]; }", None),
        ("apply { other[v] = int32(next[v] == v && own[next[v]] == 0); }", None),
        ("apply { var n = next[v]; n = v; other[v] = own[n]; }", None),
        ("apply { other[v] = own[first_of(next[v])]; }", None),
        ("apply { other[v] = own[v]; }", None),
        # A test stands between: what the first conjunct asks for, and behind all of them what the body does.
        ("cond next[v] != v; apply { other[v] = own[next[v]]; }", READ.replace("read own", "test; then read own")),
        ("cond own[next[v]] == 0; apply { other[v] = 1; }", READ),
        ("cond next[v] != v && own[next[v]] == 0; apply { other[v] = 1; }", None),
        # What the sweep does not write is the same behind a write, too; its own value is until a call writes it.
        ("apply { other[v] = 1; total += own[next[v]]; }", READ),
        ("apply { total += own[next[v]]; next[v] = v; }", READ),
        ("apply { next[v] = v; total += own[next[v]]; }", None),
        ("apply { if (low[v] > 0) { next[v] = v; } total += own[next[v]]; }", None),
        # What others write as well is read where it is asked for.
        ("apply { next[next[v]] min= next[v]; }", None),
        ("apply { own[next[v]] max= other[v]; let later = now own[next[v]]; total += later; }", None),
        # Neither loops nor what is long.
        ("apply { total += own[next[v]]; while (other[v] > 0) { other[v] -= 1; } }", None),
        ("apply { total += int64(exp(float64(own[next[v]])) * exp(float64(other[v]))); }", None),
    ],
)
def test_what_is_read_ahead_of_vertices(body: str, expected: str | None) -> None:
    found = ahead(TEXT.format(body=body))
    assert found == ([f"{MEMBERS_AT_ONCE} side by side: {expected}"] if expected is not None else [])


def test_registers_bound_how_many() -> None:
    for arrays, number in {
        "w": MEMBERS_AT_ONCE,
        "w x": MEMBERS_AT_ONCE // 2,
        "w x y": MEMBERS_AT_ONCE // 2,
        "w x y z": 0,
    }.items():
        sums = " ".join(f"total += {name}[next[v]];" for name in arrays.split())
        found = ahead(TEXT.format(body=f"apply {{ {sums} }}"))
        assert [int(each[0]) for each in found] == ([number] if number else [])


def test_only_a_compute_on_a_gpu_that_has_its_sweep_alone() -> None:
    text = TEXT.format(body="apply { other[v] = own[next[v]]; }")
    assert ahead(text, on=target.CUDA_UNFUSED) == ahead(text) != []
    assert ahead(text, on=target.CPU) == []
    call = "compute(vertices, f);"
    again = text.replace(call, f"{call} compute(vertices, v => {{ other[v] += 1; }}) @g;")
    assert "fused into" in print_plan(plan_of(again))
    assert ahead(again) == []
    assert ahead(text.replace(call, "frontier g = filter(vertices, f); total = size(g);")) == []


PUSH = """program p;
problem { vertex level : int32 = int32(id); vertex sums : int32; edge weight : int32; }
edge functor give(src, dst, e) { cond weight[e] > 0; apply { sums[dst] += level[src]; } }
schedule { advance(vertices, give, to=none); }"""


@pytest.mark.parametrize("balance, several", [("auto", MEMBERS_AT_ONCE), ("thread", 1), ("warp", 1), ("edges", 1)])
def test_pushes_read_ahead_where_warps_share_the_edges(balance: str, several: int) -> None:
    found = ahead(PUSH, f"give.balance={balance}")
    assert found == (
        [f"{several} side by side: read weight[e]; then test; then read level[src]"] if several > 1 else []
    )


@pytest.mark.parametrize("writes, several", [("sums[dst] +=", MEMBERS_AT_ONCE), ("next[e] =", 0), ("next[e] any=", 0)])
def test_pushes_do_not_read_ahead_what_they_write_on_edges(writes: str, several: int) -> None:
    """A lane beyond the end reads what the last edge asks for, whose own lane may have written it by then."""
    text = PUSH.replace("edge weight", "edge next : int32; edge weight").replace(
        "sums[dst] += ", f"{writes} next[e] + "
    )
    found = ahead(text)
    assert [int(each[0]) for each in found if "read next[e]" in each] == ([several] if several else [])


def test_claims_and_orders_do_not() -> None:
    assert ahead("bfs") == []
    assert ahead("sssp", "schedule.order=near_far") == []


def test_worklists_look_at_what_they_change() -> None:
    assert ahead("sssp") == ["4 side by side: read weight[e]; then look at distance[dst]"]
    text = """program p; problem { param s : vertex; vertex a : KIND = id; }
edge functor f(src, dst, e) { apply { accept changed(a[dst] min= VALUE); } }
schedule { frontier g = vertices; while (g) { g = advance(g, f); } }"""
    labels = text.replace("KIND", "vertex").replace("VALUE", "a[src]")
    assert ahead(labels) == ["4 side by side: look at a[dst]"]
    assert ahead(labels.replace("advance(g, f)", "advance(g, f, over=in_edges)")) == []  # it changes its near end
    steps = labels.replace("= id", "= inf").replace("vertex a : vertex", "vertex a : float64")
    assert ahead(steps.replace("a[src])", "a[src] + 1.0)")) == ["4 side by side: look at a[dst]"]


def test_reads_of_one_place_in_the_text_are_not_one_where_a_write_comes_between() -> None:
    """No text has these; functors that gdsl writes may have one span for all that they read."""
    plan = plan_of(TEXT.format(body="apply { total += own[next[v]]; next[v] = v; total += own[next[v]]; }"))
    (functor,) = plan.program.vertex_functors
    sweep = next(each.does for each in own_sweeps(plan))
    assert isinstance(sweep, Sweep) and sweep.own is not None
    assert read_ahead_of(functor, sweep.own, {}) is not None
    read = (Element, Parameter)
    body = rewrite(functor.body, lambda node: replace(node, span=functor.span) if isinstance(node, read) else node)
    assert read_ahead_of(replace(functor, body=body), sweep.own, {}) is None
