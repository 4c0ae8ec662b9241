"""Reductions over the values of a functor without a name; one over an expression is refused with such a functor in its
place, which compiles and gives that number."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.graphs import random_graph

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

PROGRAM = """program p;
problem {{
    vertex x : int32 = int32(id) % 5 - 2;
    vertex y : int32 = out_degree(id);
    vertex a : int32;
    vertex flag : bool = int32(id) % 3 == 0;
    vertex mate : vertex = int32(id) % 2 == 0 ? id : none;
    edge w : int32 = int32(id) % 7;
    scalar s : {kind};
    scalar n : {kind};
}}
schedule {{ frontier f = where(v => flag[v]); {schedule} }}
"""


def refusal(schedule: str, kind: str = "int64") -> tuple[str, str]:
    with pytest.raises(GdslError) as caught:
        load(PROGRAM.format(schedule=schedule, kind=kind))
    (found,) = caught.value.diagnostics
    assert found.fix is not None
    return found.message, found.fix


GRAPH = random_graph(30, 100, seed=2)
X, Y = np.arange(30) % 5 - 2, np.diff(GRAPH.offsets)
FLAG, W = np.arange(30) % 3 == 0, np.arange(100) % 7


VALUES = [
    ("count(mate != none)", "count(v => mate[v] != none)", "int64", 15),
    ("count(x > 0, f)", "count(v => x[v] > 0, f)", "int64", (X[FLAG] > 0).sum()),
    ("count(flag && x == y)", "count(v => flag[v] && x[v] == y[v])", "int64", (FLAG & (X == Y)).sum()),
    ("count(!flag)", "count(v => !flag[v])", "int64", (~FLAG).sum()),
    ("sum(x * y)", "sum(v => x[v] * y[v])", "int64", (X * Y).sum()),
    ("sum(-x, f)", "sum(v => -x[v], f)", "int64", -X[FLAG].sum()),
    ("sum(abs(x) + x)", "sum(v => abs(x[v]) + x[v])", "int64", (abs(X) + X).sum()),
    ("sum(w * 2)", "sum((src, dst, e) => w[e] * 2)", "int64", W.sum() * 2),
    ("any(x > 100)", "any(v => x[v] > 100)", "bool", False),
    ("any(y == x)", "any(v => y[v] == x[v])", "bool", (X == Y).any()),
    ("all(x < 3)", "all(v => x[v] < 3)", "bool", True),
    ("max(x + y)", "max(v => x[v] + y[v])", "int64", (X + Y).max()),
    ("min(x - y, f)", "min(v => x[v] - y[v], f)", "int64", (X - Y)[FLAG].min()),
    ("argmax(x * y)", "argmax(v => x[v] * y[v])", "vertex", np.argmax(X * Y)),
    ("argmin(w - 3)", "argmin((src, dst, e) => w[e] - 3)", "edge", 0),
]


@pytest.mark.parametrize(("expression", "instead", "kind", "wanted"), VALUES)
def test_what_is_written_instead(expression: str, instead: str, kind: str, wanted: int) -> None:
    message, fix = refusal(f"n = {expression};", kind)
    assert message == f"`{expression.partition('(')[0]}` takes the name of an array, not an expression"
    assert fix == f"give a value for each element: `{instead}`"
    program = gdsl.compile(PROGRAM.format(schedule=f"n = {instead};", kind=kind))
    assert program.run(GRAPH, backend="reference")["n"] == wanted


SOURCES, COLUMNS = np.repeat(np.arange(30), np.diff(GRAPH.offsets)), GRAPH.columns
REDUCED = [
    ("vertex", "min(v => v, f)", 0),
    ("vertex", "min(v => v, g)", -1),
    ("(int32, vertex)", "max(v => (out_degree(v), v))", max(zip(Y, range(30), strict=True))),
    ("int64", "sum(v => iteration + 1)", 30),
    ("int64", "count((from, to, d) => from < to)", (SOURCES < COLUMNS).sum()),
    ("int64", "count((src, dst, e) => src == dst, edges)", (SOURCES == COLUMNS).sum()),
    ("int32", "max(3, max(v => out_degree(v))) + max(v => x[v], f)", max(3, Y.max()) + X[FLAG].max()),
    ("float64", "sum(v => float64(x[v]) / 2)", X.sum() / 2),
]


@pytest.mark.parametrize("backend", ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_values_of_elements(backend: str) -> None:
    """Many at once, and one in each pass of a loop, which begins anew."""
    data = " ".join(f"scalar n{number} : {kind};" for number, (kind, _, _) in enumerate(REDUCED))
    steps = " ".join(f"n{number} = {value};" for number, (_, value, _) in enumerate(REDUCED))
    loop = "while (max(v => x[v]) < 9) { compute(vertices, v => { x[v] += 1; }); n += max(v => x[v]); }"
    text = PROGRAM.format(schedule=f"frontier g; n = max(v => x[v]); {steps} {loop}", kind="int64")
    result = gdsl.compile(text.replace("scalar s", f"{data} scalar s")).run(GRAPH, backend=backend)
    for number, (kind, value, wanted) in enumerate(REDUCED):
        found = result[f"n{number}"]
        assert (tuple(found) if kind.startswith("(") else found) == wanted, value
    assert result["n"] == sum(range(2, 10))


@pytest.mark.parametrize(
    ("schedule", "code"),
    [
        ("n = sum((a, b) => 1);", "E0401"),
        ("n = sum(v => { n += 1; });", "E0401"),
        ("n = sum(v => x[v] > 0);", "E0407"),
        ("n = count(v => x[v]);", "E0407"),
        ("n = sum(v => z[v]);", "E0201"),
        ("n = sum((src, dst, e) => w[e], f);", "E0416"),
        ("compute(vertices, v => { n += sum(u => x[u]); });", "E0404"),
        ("frontier g = f; n = sum(v => size(g));", "E0404"),
    ],
)
def test_values_that_are_refused(schedule: str, code: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(PROGRAM.format(schedule=schedule, kind="int64"))
    assert [found.code for found in caught.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("size(where(v => x[v] > 0))", (X > 0).sum()),
        ("size(f & vertices)", FLAG.sum()),
        ("size(vertices - f)", (~FLAG).sum()),
        ("size({ 1, 2, 1 })", 2),
        ("size(filter(f, v => x[v] > 0))", (X[FLAG] > 0).sum()),
        ("count(where(v => x[v] > 0))", (X > 0).sum()),
    ],
)
def test_a_set_without_a_name(value: str, wanted: int) -> None:
    _, fix = refusal(f"n = {value};")
    first, call = re.findall("`([^`]*)`", fix)
    program = gdsl.compile(PROGRAM.format(schedule=f"{first} n = {call};", kind="int64"))
    assert program.run(GRAPH, backend="reference")["n"] == wanted


@pytest.mark.parametrize("value", ["sum(1)", "sum(x + w)", "sum(x[0])", "sum(out_degree(1))"])
def test_what_has_no_such_form(value: str) -> None:
    message, fix = refusal(f"n = {value};")
    assert "takes the name of an array" in message and fix == "give a value for each vertex: `sum(v => …)`"


def test_functions_of_numbers_stay_what_they_are() -> None:
    first = "s = 3; n = min(s + 1, 4); n = max(max(x), 1); n = abs(min(y, f));"
    load(PROGRAM.format(schedule=f"{first} n = max(min(y, f), s); n = min(min(x), max(y, f));", kind="int32"))


UNDEFINED = [
    ("n = count(x);", "count(v => x[v] != 0)"),
    ("n = count(x, f);", "count(v => x[v] != 0, f)"),
    ("n = count(u => x[u] - y[u], f);", "count(u => (x[u] - y[u]) != 0, f)"),
    ("n = count(mate);", "count(v => mate[v] != none)"),
    ("n = count((src, dst, e) => w[e]);", "count((src, dst, e) => w[e] != 0)"),
    ("n = count(v => (x[v], v));", "count(v => (x[v], v).0 != 0)"),
    ("if (any(x)) { }", "any(v => x[v] != 0)"),
    ("while (count(w)) { n = 1; }", "any((src, dst, e) => w[e] != 0)"),
    ("n = sum(flag, f);", "count(flag, f)"),
    ("n = sum(v => x[v] > 0);", "count(v => x[v] > 0)"),
    ("if (max(flag)) { }", "any(flag)"),
    ("n = max(flag);", "max(v => flag[v] ? 1 : 0)"),
    ("n = sum(mate);", "sum(v => int64(mate[v]))"),
    ("n = argmin(flag) == none ? 1 : 0;", "argmin(v => flag[v] ? 1 : 0)"),
]


@pytest.mark.parametrize(("statement", "instead"), UNDEFINED)
def test_a_reduction_that_is_not_defined(statement: str, instead: str) -> None:
    """The fix compiles where the reduction stands, which is why it depends on the place."""
    message, fix = refusal(statement)
    assert message.endswith(("int32", "vertex", "bool", "(int32, vertex)"))
    assert fix == f"write `{instead}`"
    start = next(place for place in range(len(statement)) if statement.startswith(message[1:].partition("`")[0], place))
    end = next(
        place + 1
        for place in range(start, len(statement))
        if statement[start : place + 1].count("(") == statement[start : place + 1].count(")") > 0
    )
    load(PROGRAM.format(schedule=statement[:start] + instead + statement[end:], kind="int64"))


@pytest.mark.parametrize(
    ("index", "message", "fix"),
    [
        ("x[f]", "the schedule reads the element of one vertex or edge", "reduce the array over the set: `min(x, f)`"),
        ("x[n]", "the schedule reads elements at a vertex, and this is int64", "write `x[vertex(n)]`"),
        ("w[n]", "the schedule reads elements at an edge, and this is int64", "write `w[edge(n)]`"),
        ("now x[vertex(3)]", "`now` is for elements and scalars that a functor reads", "write `x[vertex(3)]`"),
        (
            "f ? x[argmax(x)] : 0",
            "this element is read before the rest of the expression says whether it is needed",
            "declare `local scalar x_here : int32;`, write `if (argmax(x) != none) { x_here = x[argmax(x)]; }` before, "
            "and `x_here` here",
        ),
        (
            "f ? x[3] : 0",
            "this element is read before the rest of the expression says whether it is needed",
            "declare `local scalar x_here : int32;`, write `x_here = x[3];` before, and `x_here` here",
        ),
    ],
)
def test_elements_that_the_schedule_does_not_read(index: str, message: str, fix: str) -> None:
    assert refusal(f"n = {index};") == (message, fix)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("index", [-1, 30, 2**31])
def test_an_element_that_does_not_exist(index: int, backend: str) -> None:
    program = gdsl.compile(PROGRAM.format(schedule=f"n = {index}; n = x[vertex(n)];", kind="int64"))
    with pytest.raises(GdslError, match=r"index (none|30) of `x` is out of range: there are 30 elements"):
        program.run(GRAPH, backend=backend)


@pytest.mark.parametrize("value", ["sum(y) * 2", "max(v => y[v])", "intersect(edges)"])
@pytest.mark.parametrize("index", ["[vertex(3)]", ""])
def test_what_only_the_schedule_computes_goes_through_a_scalar(value: str, index: str) -> None:
    _, fix = refusal(f"x{index} += {value};", "int64")
    members = "{ vertex(3) }" if index else "vertices"
    assert fix == f"give it to a scalar, `s = {value};`, and write `compute({members}, v => {{ x[v] += s; }});`"
    assert (
        refusal("x[vertex(3)] += max(3, 4);", "int64")[1]
        == "write `compute({ vertex(3) }, v => { x[v] += max(3, 4); });`"
    )
