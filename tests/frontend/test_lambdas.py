"""Functors without a name: what they become, and what is refused."""

from __future__ import annotations

import re

import pytest

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.printer import print_program
from gdsl.pipeline import load

HEAD = """program p;
problem {
    param source: vertex; vertex d: int32 = -1; vertex b: bool; vertex x: float32; vertex parent: vertex;
    edge w: float32; scalar n: int64;
}
"""


def with_schedule(schedule: str, parts: str = "") -> str:
    return f"{HEAD}{parts}\nschedule {{ frontier f = {{ source }}; {schedule} }}"


def mistakes(schedule: str, parts: str = "") -> list[tuple[str, str]]:
    with pytest.raises(GdslError) as caught:
        load(with_schedule(schedule, parts))
    return [(found.code, found.message) for found in caught.value.diagnostics]


def same_but_for_places(first: nodes.Program, second: nodes.Program) -> bool:
    """Whether two programs print alike, the lines that they name left out."""
    shown = [re.sub(r"line \d+", "line", print_program(program)) for program in (first, second)]
    return shown[0] == shown[1]


@pytest.mark.parametrize(
    ("named", "head", "by_lambda"),
    [
        ("f = where(g);", "vertex functor g(v) { cond d[v] == -1; }", "f = where(v => d[v] == -1) @g;"),
        ("f = where(g);", "vertex functor g(u) { cond d[u] == 1; }", "f = where((u) => d[u] == 1) @g;"),
        ("compute(f, g);", "vertex functor g(v) { apply { d[v] = 1; } }", "compute(f, v => { d[v] = 1; }) @g;"),
        (
            "f = advance(f, g);",
            "edge functor g(s, t, e) { cond d[t] == -1; apply { d[t] = iteration; parent[t] any= s; } }",
            "f = advance(f, (s, t, e) => { cond d[t] == -1; apply { d[t] = iteration; parent[t] any= s; } }) @g;",
        ),
        (
            "x = neighbor_reduce(f, g, sum);",
            "edge functor g(src, dst, e) -> float32 { value d[dst] * w[e]; }",
            "x = neighbor_reduce(f, (src, dst, e) => d[dst] * w[e], sum) @g;",
        ),
        (
            "d = neighbor_reduce(f, g, count);",
            "edge functor g(src, dst, e) -> bool { cond src < dst; value b[dst]; }",
            "d = neighbor_reduce(f, (src, dst, e) => { cond src < dst; value b[dst]; }, count) @g;",
        ),
        (
            "edge frontier c = filter(edges, g);",
            "edge functor g(a, c_, e) { cond parent[c_] == a; }",
            "edge frontier c = filter(edges, (a, c_, e) => parent[c_] == a) @g;",
        ),
    ],
)
def test_it_is_what_one_with_a_name_is(named: str, head: str, by_lambda: str) -> None:
    assert same_but_for_places(load(with_schedule(named, head)), load(with_schedule(by_lambda)))


def test_names_clash_with_nothing() -> None:
    text = with_schedule(
        "f = where(v => b[v]); f = where(v => d[v] == 2); compute(f, where_2) @where_3; compute(f, v => { n += 1; });",
        "vertex functor where_2(v) { apply { b[v] = true; } }",
    )
    names = [functor.name for functor in load(text).vertex_functors]
    assert sorted(names) == ["compute_1", "where_1", "where_2", "where_4"]


def test_the_label_of_its_call_tunes_it() -> None:
    text = with_schedule("f = advance(f, (s, t, e) => b[t]) @step;", "") + "tune { step.direction = pull; }"
    assert "direction pull" in print_program(load(text))
    with pytest.raises(GdslError, match="there is no functor and no label `advance_1`"):
        load(with_schedule("f = advance(f, (s, t, e) => b[t]);") + "tune { advance_1.direction = pull; }")


@pytest.mark.parametrize(
    ("schedule", "code", "message"),
    [
        ("f = where(v => {});", "E0110", "braces contain statements"),
        ("f = where(v => { b });", "E0110", "braces contain statements"),
        ("f = where((a, c) => b[a]);", "E0401", "has one parameter, and this one has 2"),
        ("f = where((a, c, e) => b[a]);", "E0401", "has one parameter, and this one has 3"),
        ("f = advance(f, v => b[v]);", "E0401", "has three parameters"),
        ("f = where(v => f);", "E0204", "`f` is a frontier, not a value"),
        ("f = where(v => v);", "E0210", "a condition is a bool"),
        ("f = where(v => { cond b[v]; d[v] = 2; });", "E0110", "statements next to the `cond`"),
        ("f = where(v => { cond b[v]; cond b[v]; });", "E0110", "two `cond` parts"),
        ("f = where(v => { value d[v]; });", "E0401", "takes no functor with a `value`"),
        ("x = neighbor_reduce(f, (s, t, e) => { d[s] = 1; }, sum);", "E0401", "has no `value`"),
        ("x = neighbor_reduce(f, (s, t, e) => b[s], sum);", "E0205", "the value that is reduced is float32"),
        ("x = neighbor_reduce(f, (s, t, e) => b[s], some);", "E0205", "this reduction gives bool"),
        ("n = abs(v => 1);", "E0401", "only allowed where an operator takes one"),
        ("f = v => b[v];", "E0112", "`=>` is written between"),
        ("f = where(v + 1 => b[v]);", "E0112", "`=>` is written between"),
        ("f = where((v + 1) => b[v]);", "E0101", "a name is expected here"),
        ("compute(f, v => { compute(f, u => b[u]); });", "E0404", "`compute` belongs to the schedule"),
        ("advance(f, (s, t, e) => { d[t] = d[s]; }, to=none);", "E0301", "both store into `d[c]`"),
        ("compute(f, b => { d[b] = 1; });", "E0202", "`b` is declared twice"),
    ],
)
def test_a_mistake_has_a_message(schedule: str, code: str, message: str) -> None:
    first = mistakes(schedule)[0]
    assert first[0] == code and message in first[1]


def test_other_arguments_are_what_they_were() -> None:
    """A list in parentheses is a pair where no `=>` follows it, and names that begin an argument are names."""
    assert mistakes("f = where((source, source));")[0][0] == "E0401"
    load(with_schedule("f = filter((f), v => ((b[v])));"))
