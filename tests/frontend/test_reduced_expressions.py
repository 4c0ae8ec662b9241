"""A reduction over an expression is refused with statements that mean the same, which compile and give that number."""

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


@pytest.mark.parametrize(
    ("expression", "kind", "wanted"),
    [
        ("count(mate != none)", "int64", 15),
        ("count(x > 0, f)", "int64", int((X[FLAG] > 0).sum())),
        ("count(flag && x == y)", "int64", int((FLAG & (X == Y)).sum())),
        ("count(!flag)", "int64", int((~FLAG).sum())),
        ("sum(x * y)", "int64", int((X * Y).sum())),
        ("sum(-x, f)", "int64", -int(X[FLAG].sum())),
        ("sum(abs(x) + x)", "int64", int((abs(X) + X).sum())),
        ("sum(w * 2)", "int64", int(W.sum()) * 2),
        ("any(x > 100)", "bool", False),
        ("any(y == x)", "bool", bool((X == Y).any())),
        ("all(x < 3)", "bool", True),
    ],
)
def test_what_is_written_instead(expression: str, kind: str, wanted: object) -> None:
    message, fix = refusal(f"n = {expression};", kind)
    assert message == f"`{expression.partition('(')[0]}` takes the name of an array, not an expression"
    (statements,) = re.findall("`([^`]*)`", fix)
    program = gdsl.compile(PROGRAM.format(schedule=statements, kind=kind))
    assert program.run(GRAPH, backend="reference")["s"] == wanted


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [("max(x + y)", (X + Y).max()), ("min(x - y, f)", (X - Y)[FLAG].min()), ("argmax(x * y)", np.argmax(X * Y))],
)
def test_what_is_stored_first(expression: str, wanted: int) -> None:
    _, fix = refusal(f"n = int64({expression});")
    first, call = re.findall("`([^`]*)`", fix)
    given = call.replace("(a)", "(a, f)") if ", f)" in expression else call
    program = gdsl.compile(PROGRAM.format(schedule=f"{first} n = int64({given});", kind="int64"))
    assert program.run(GRAPH, backend="reference")["n"] == wanted


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


@pytest.mark.parametrize("value", ["sum(1)", "sum(x + w)", "sum(x[0])", "count(v => flag[v])", "sum(out_degree(1))"])
def test_what_has_no_such_form(value: str) -> None:
    message, fix = refusal(f"n = {value};")
    assert "takes the name of an array" in message and fix == "store the values in an array first, by a functor"


def test_functions_of_numbers_stay_what_they_are() -> None:
    first = "s = 3; n = min(s + 1, 4); n = max(max(x), 1); n = abs(min(y, f));"
    load(PROGRAM.format(schedule=f"{first} n = max(min(y, f), s); n = min(min(x), max(y, f));", kind="int32"))
