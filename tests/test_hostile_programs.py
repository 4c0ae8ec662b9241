"""Small programs that mean to break something: each has a result or one message, on the reference and on the cpu."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError

GRAPH = gdsl.Graph.from_edges([0, 1, 0], [1, 2, 2], num_vertices=3, directed=True)
BACKENDS = pytest.mark.parametrize("backend", ["reference", "cpu"])
ENDLESS = "function h(x: int32) -> int32 { var y = x; while (y != -5) { y = y ^ 1; } return y; }"


def run(text: str, backend: str, **values: object) -> gdsl.Result:
    return gdsl.compile(text).run(GRAPH, values, backend=backend, timeout=60)


@BACKENDS
def test_an_id_beyond_all_ids_is_refused(backend: str) -> None:
    text = """program p;
    problem { vertex a : vertex; vertex b : vertex = 4294967299; }
    vertex functor f(v) { apply { a[v] = min(v, 4294967299); } }
    schedule { compute(vertices, f); }"""
    with pytest.raises(GdslError) as caught:
        run(text, backend)
    assert [each.code for each in caught.value.diagnostics] == ["E0612", "E0612"]
    clear = text.replace("4294967299", "vertex(4294967299)")
    assert np.array_equal(run(clear, backend)["b"], [-1] * 3) and np.array_equal(run(clear, backend)["a"], [0, 1, 2])


@BACKENDS
def test_names_of_generated_code_may_be_used(backend: str) -> None:
    text = """program p;
    problem { vertex a : int32 = -1; }
    vertex functor f(active) { cond a[active] == -1; }
    edge functor g(x, y, z) { cond a[y] == -1; apply { a[y] = iteration + 1; } }
    schedule {
        frontier q = where(f);
        a[0] = 0;
        frontier direction_0 = { 0 };
        while (direction_0) { direction_0 = advance(direction_0, g); }
    }"""
    assert np.array_equal(run(text, backend)["a"], [0, 1, 1])


@BACKENDS
def test_functions_that_call_each_other_a_hundred_times(backend: str) -> None:
    chain = "".join(f"function h{i}(x: int32) -> int32 {{ return h{i - 1}(x); }}\n" for i in range(1, 100))
    text = f"""program p;
    problem {{ vertex a : int32; }}
    function h0(x: int32) -> int32 {{ return x; }}
    {chain}
    vertex functor f(v) {{ apply {{ a[v] = h99(int32(v)); }} }}
    schedule {{ compute(vertices, f); }}"""
    assert np.array_equal(run(text, backend)["a"], [0, 1, 2])


@BACKENDS
@pytest.mark.parametrize("declared", ["input vertex x : int32 where h(x) > 0;", "param x : int32 where h(x) > 0;"])
def test_a_where_that_never_ends_is_stopped(declared: str, backend: str) -> None:
    program = gdsl.compile(f"program p; problem {{ {declared} }} {ENDLESS} schedule {{ }}")
    value = np.ones(3, np.int32) if "input" in declared else 1
    with pytest.raises(GdslError) as caught:
        program.run(GRAPH, {"x": value}, backend=backend, timeout=0.05)
    assert caught.value.code == "E0802"


CIRCLE = """program p;
problem {{ vertex label : vertex = id == 0 ? vertex(1) : vertex(0); vertex head : vertex; }}
vertex functor find(v) {{ apply {{ {body} }} }}
schedule {{ {schedule} compute(vertices, find); }}"""


@BACKENDS
@pytest.mark.parametrize(
    ("body", "schedule", "note"),
    [
        (
            "var l = v; while (label[l] != l) { l = label[l]; } head[v] = l;",
            "",
            "a call may be in the `while` loop in line 3, which nothing limits: labels may lead in a circle",
        ),
        (
            "head[v] = root(label, v);",
            "label[0] = 1;",
            "a call may be in the `root` in line 3, which nothing limits: labels may lead in a circle",
        ),
    ],
)
def test_labels_in_a_circle(body: str, schedule: str, note: str, backend: str) -> None:
    program = gdsl.compile(CIRCLE.format(body=body, schedule=schedule))
    for timeout in (0.2, 5, 60):  # on a busy machine, compiling alone may take as long as the first one
        with pytest.raises(GdslError) as caught:
            program.run(GRAPH, backend=backend, timeout=timeout)
        [one] = caught.value.diagnostics
        if one.notes:
            break
    assert one.code == "E0802" and one.notes == (note,) and one.span is not None and one.span.line == 3
    assert ("`min=` alone" if "root" in note else "`num_vertices`") in (one.fix or "")


def test_roots_of_joined_sets_are_not_blamed() -> None:
    """Their labels fall, so that no chain of them is a circle."""
    program = gdsl.compile(
        """program p;
        problem { vertex a : vertex = id; vertex head : vertex; }
        edge functor link(src, dst, e) { apply { join(a, src, dst); } }
        vertex functor find(v) { apply { head[v] = root(a, v); } }
        schedule { while (true) { compute(edges, link); compute(vertices, find); } }"""
    )
    with pytest.raises(GdslError) as caught:
        program.run(GRAPH, {}, backend="reference", timeout=0.2)
    [one] = caught.value.diagnostics
    assert one.code == "E0802" and not one.notes and one.fix is None
