"""Procedures: expansion, hygiene, parameters, and where mistakes are shown."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir.printer import print_program
from gdsl.pipeline import load

HEAD = """program p;
problem {
    param source: vertex; vertex d: int32 = -1; vertex b: bool; edge w: float32; input vertex given: bool;
    scalar n: int64; vertex f: int32; vertex v: bool;
}
"""


def program(procedures: str, schedule: str) -> str:
    return f"{HEAD}{procedures}\nschedule {{ frontier g = {{ source }}; {schedule} }}"


def said(procedures: str, schedule: str) -> str:
    with pytest.raises(GdslError) as caught:
        load(program(procedures, schedule))
    return str(caught.value)


def run(text: str, **values: object) -> gdsl.Result:
    graph = Graph.from_edges(np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4]))
    values = {"source": 0, "given": np.zeros(5, bool), **values}
    results = [gdsl.compile(text).run(graph, values, backend="reference")]
    return results[0]


def test_a_frontier_is_given_by_reference_and_any_other_set_as_a_copy() -> None:
    text = program(
        "procedure drop(f: frontier) { f = f - { source }; n += 10 * size(f); }",
        "drop(g); n += size(g); g = vertices; drop(g | {}); n += size(g); drop(vertices); drop({ source });",
    )
    assert run(text).n == 0 + 40 + 5 + 40 + 0


def test_a_value_is_evaluated_once_at_the_call() -> None:
    text = program("procedure add(k: int64) { n += k; n += k; n += k; }", "n = 1; add(n); add(int64(source) + 2);")
    assert run(text).n == 1 + 3 + 6


def test_names_of_a_procedure_and_of_its_caller_do_not_meet() -> None:
    """Frontiers, parameters, functors' parameters and locals may be called as data, and as frontiers of the caller."""
    text = program(
        """procedure inner(g: frontier, d: vertex int32) {
            frontier f = vertices - g;
            compute(f, v => { let b = 7; d[v] = b; });
        }
        procedure outer(a: vertex int32) { frontier g = { 1, 2 }; inner(g, a); frontier f = g; inner(f, d); }""",
        "frontier h = g; outer(f); n = size(g);",
    )
    result = run(text)
    assert result.f.tolist() == [7, 0, 0, 7, 7]
    assert result.d.tolist() == [7, -1, -1, 7, 7]
    assert result.n == 1


def test_a_procedure_does_not_see_what_stands_around_its_call() -> None:
    assert "`g` is not declared" in said("procedure a() { n = size(g); }", "a();")


def test_iteration_counts_the_loop_that_is_around_after_expansion() -> None:
    text = program("procedure add() { n += iteration; }", "repeat (4) { add(); repeat (3) { add(); } }")
    assert run(text).n == (0 + 1 + 2 + 3) + 4 * (0 + 1 + 2)


def test_a_label_tunes_the_operator_at_all_calls() -> None:
    text = (
        program("procedure go(f: frontier) { f = advance(f, (s, t, e) => b[t]) @step; }", "go(g); go(g);").replace(
            "}\n\n", "}\n"
        )
        + "\ntune { @step.direction = pull; }"
    )
    assert print_program(load(text)).count("direction pull") == 2


def test_a_mistake_of_the_procedure_is_said_once_and_of_a_call_with_the_call() -> None:
    text = said("procedure a() { n = nn; }", "a(); a();")
    assert text.count("error[") == 1 and "in this call" not in text
    text = said("procedure a(x: vertex bool) { fill(x, true); }", "a(b); a(given); a(given);")
    assert text.count("error[") == 1
    assert "`given` cannot be written: it is an input" in text and text.count("in this call") == 1


def test_the_rules_of_writes_hold_in_expansions() -> None:
    text = said(
        "procedure a(x: vertex int32) { advance(vertices, (s, t, e) => { x[t] = int32(s); }, to=none); }", "a(d); a(f);"
    )
    assert text.count("error[E0301]") == 1 and "in this call" in text


@pytest.mark.parametrize(
    ("procedures", "schedule", "message"),
    [
        ("procedure a() { a(); }", "a();", "the procedure `a` calls itself (a → a)"),
        ("procedure a() { c(); } procedure c() { a(); }", "a();", "calls itself (a → c → a)"),
        ("procedure a(k: int32) { }", "a();", "`a` takes 1 argument, not 0"),
        ("procedure a(k: int32) { }", "a(k=1);", "by their place, not as `k=`"),
        ("procedure a() { }", "a() @l;", "has no label"),
        ("procedure a(k: int32) { }", "a(true);", "`k` is int32, and this value is bool"),
        ("procedure a(k: int32) { }", "a(g);", "`g` is a frontier, not a value"),
        ("procedure a(x: vertex int32) { }", "a(b);", "takes the name of a vertex array of int32"),
        ("procedure a(x: edge int32) { }", "a(d);", "takes the name of a edge array of int32"),
        ("procedure a(x: vertex int32) { }", "a(3);", "takes the name of a vertex array of int32"),
        ("procedure a(x: frontier) { }", "a(edges);", "this is a set of edges"),
        ("procedure a(x: edge frontier) { }", "a(g);", "this is a set of vertices"),
        ("procedure a(k: int32) { k = 3; }", "a(1);", "`k` cannot be written: it is a parameter of the procedure"),
        ("procedure a(k: int64) { swap(k, n); }", "a(1);", "`k` cannot be written: it is a parameter of the procedure"),
        ("procedure a() { }", "n = a();", "`a` is a procedure, which gives no value"),
        ("procedure a() { }", "n = a;", "`a` is a procedure, not a value"),
        ("procedure a(k: int32, k: bool) { }", "", "`k` is declared twice"),
        ("procedure a(min: int32) { }", "", "`min` is a word of the language"),
        ("procedure d() { }", "", "`d` is declared twice"),
        ("procedure a() { let x = 1; }", "a();", "the schedule has no `let`"),
        ("procedure a(x: frontier) { compute(x, u => b[u]) @l; }", "a(g); compute(g, u => b[u]) @l;", "is used twice"),
    ],
)
def test_a_mistake_has_one_message(procedures: str, schedule: str, message: str) -> None:
    text = said(procedures, schedule)
    assert message.replace("a edge", "an edge") in text and text.count("error[") == 1


def test_procedures_do_not_grow_beyond_bounds() -> None:
    double = " ".join(f"procedure a{i}() {{ a{i - 1}(); a{i - 1}(); }}" for i in range(1, 40))
    text = said(f"procedure a0() {{ n += 1; }} {double}", "a39();")
    assert text.count("error[E0242]") == 1 and "more than 1,000 calls" in text
    chain = " ".join(f"procedure a{i}() {{ a{i - 1}(); }}" for i in range(1, 70))
    assert "more than 50 levels deep" in said(f"procedure a0() {{ n += 1; }} {chain}", "a69();")
    nest = "if (n > 1) { " * 30, "} " * 30
    deep = " ".join(f"procedure a{i}() {{ {nest[0]} a{i - 1}(); {nest[1]} }}" for i in range(1, 20))
    assert said(f"procedure a0() {{ n += 1; }} {deep}", "a19();").count("error[") == 1


def test_the_new_words_are_names_too() -> None:
    load(
        """program p;
        problem { vertex set : int32; scalar from : int64; param procedure : int32 = 1; scalar import : bool; }
        schedule { from = 2; import = true; compute(vertices, v => { set[v] = procedure; }); }"""
    )
