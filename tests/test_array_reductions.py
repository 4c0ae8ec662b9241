"""Reductions over arrays in the schedule: values at the edges of their types, names of the program's own, grades, and
when a condition's reduction is made."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.operations import Grade
from gdsl.pipeline import load
from tests.support.graphs import make_graph

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
WORDS = ("sum", "min", "max", "argmin", "argmax")
LIMITS = {kind: np.iinfo(kind) for kind in ("int32", "uint32", "int64", "uint64")}
NONE = -1


def program(kind: str) -> str:
    total = "float64" if kind.startswith("float") else "uint64" if kind.startswith("u") else "int64"
    types = dict(zip(WORDS, (total, kind, kind, "vertex", "vertex"), strict=True))
    scalars = " ".join(f"scalar {word}_ : {types[word]};" for word in WORDS)
    steps = " ".join(f"{word}_ = {word}(a);" for word in WORDS)
    return f"program p; problem {{ input vertex a : {kind}; {scalars} }} schedule {{ {steps} }}"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
@pytest.mark.sampled(3)
def test_limits_of_types(kind: str, backend: str) -> None:
    compiled = gdsl.compile(program(kind))
    if kind in LIMITS:
        low, high = LIMITS[kind].min, LIMITS[kind].max
        rows = [[high, low, high, low], [high], [low, low], [], [0, 5, 5, 3] * 40]
    else:
        inf, nan = np.inf, np.nan
        rows = [[inf, nan, inf], [nan, nan], [nan, -inf, 3.0], [0.0, -0.0, 0.0], [-0.0], []]
    for row in rows:
        values = np.array(row, kind)
        found = compiled.run(make_graph([], len(row)), {"a": values}, backend=backend).scalars
        heard = values[values == values]
        least = heard.min() if len(heard) else np.inf if kind not in LIMITS else LIMITS[kind].max
        most = heard.max() if len(heard) else -np.inf if kind not in LIMITS else LIMITS[kind].min
        wide = values.astype({"i": np.int64, "u": np.uint64, "f": np.float64}[kind[0]])
        with np.errstate(all="ignore"):
            assert np.array_equal(found["sum_"], wide.sum(), equal_nan=kind not in LIMITS), row
        assert (found["min_"], found["max_"]) == (least, most), row
        assert not np.signbit(found["min_"]) or least < 0, "-0.0 counts as 0.0"
        for word, best in (("argmin_", least), ("argmax_", most)):
            places = np.flatnonzero(values == best)
            assert found[word] == (places[0] if len(places) else NONE), (word, row)


OWN = [
    ("", "function sum(x : int64) -> int64 { return x + 1; }", "s = sum(s);", 1),
    ("", "function count(x : int32, y : int32) -> int32 { return x * y; }", "s = count(2, 3);", 6),
    ("scalar all : int64 = 4;", "", "s = all;", 4),
    ("", "", "s = max(3, 2) + max(a);", 12),
    ("", "", "frontier f = {}; s = any(b) || any(b, f) || f ? 1 : 2;", 1),
]


@pytest.mark.parametrize(("data", "top", "step", "wanted"), OWN)
def test_names_of_the_program_win(data: str, top: str, step: str, wanted: int) -> None:
    declared = "vertex a : int64 = 9; vertex b : bool = true; scalar s : int64;"
    text = f"program p; problem {{ {declared} {data} }} {top} schedule {{ {step} }}"
    assert gdsl.compile(text).run(make_graph([], 3), backend="reference")["s"] == wanted


def test_a_declared_scalar_hides_the_reduction() -> None:
    text = "program p; problem { vertex a : int64; scalar sum : int64; } schedule { sum = sum(a); }"
    with pytest.raises(GdslError, match="cannot be called"):
        load(text)


GRADES = [
    ("x = sum(a);", {"x": Grade.ROUNDING}),
    ("s = count(b); x = float64(max(a)); w = argmin(a);", {"x": Grade.EXACT, "s": Grade.EXACT, "w": Grade.EXACT}),
    ("if (sum(a) > 3) { s = 1; }", {"s": Grade.NOT_UNIQUE}),
    ("n = neighbor_reduce(vertices, got, sum); w = argmax(n);", {"n": Grade.ROUNDING, "w": Grade.NOT_UNIQUE}),
    (
        "while (sum(d) > 0.5) { n = neighbor_reduce(vertices, got, sum); compute(vertices, differ); swap(a, n); }",
        {"a": Grade.CONVERGED, "n": Grade.CONVERGED},
    ),
    ("edge frontier e = edges; n = neighbor_reduce(e, got, sum);", {"n": Grade.ROUNDING}),
    ("edge frontier e = edges; n = neighbor_reduce(e, got, max, empty=-1);", {"n": Grade.EXACT}),
    ("n = neighbor_reduce(vertices, got, sum, empty=2);", {"n": Grade.ROUNDING}),
]


@pytest.mark.parametrize(("steps", "grades"), GRADES)
def test_grades(steps: str, grades: dict[str, Grade]) -> None:
    text = f"""program p;
problem {{
    vertex a : float32 = 1; vertex n : float32; vertex d : float64 = 1; vertex b : bool;
    scalar x : float64; scalar s : int64; scalar w : vertex;
}}
edge functor got(src, dst, e) -> float32 {{ value a[src] / 3; }}
vertex functor differ(v) {{ apply {{ d[v] = abs(float64(a[v]) - float64(n[v])); }} }}
schedule {{ {steps} }}
"""
    lowered = load(text)
    found = {data.name: data.grade for data in (*lowered.arrays, *lowered.scalars)}
    assert {name: found[name] for name in grades} == grades


@pytest.mark.parametrize("fuse", ["on", "off"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_condition_reduces_before_each_test(backend: str, fuse: str) -> None:
    text = """program p;
problem { vertex left : int32 = int32(id) + 2; scalar inner : int32; scalar outer : int32; scalar last : int64; }
vertex functor less(v) { cond left[v] > 0; apply { left[v] -= 1; } }
schedule {
    while (max(left) > 0) {
        frontier f = { argmax(left) };
        while (max(left, f) > 1) { compute(f, less); inner += 1; }
        compute(vertices, less);
        outer += 1;
        last = sum(left);
    }
}
"""
    found = gdsl.compile(text, tune=[f"schedule.fuse={fuse}"]).run(make_graph([], 4), backend=backend)
    left, inner, outer = [2, 3, 4, 5], 0, 0
    while max(left) > 0:
        at = left.index(max(left))
        inner += left[at] - 1
        left[at] = min(left[at], 1)
        left = [max(each - 1, 0) for each in left]
        outer += 1
    assert (found["inner"], found["outer"], found["last"]) == (inner, outer, 0)


@pytest.mark.parametrize("word", ["argmax", "max"])
def test_orders_of_flags_are_answered_with_what_does_it(word: str) -> None:
    """Flags have no order, but the integers that they become have."""
    fix = re.escape(f"write `{word}(v => b[v] ? 1 : 0)`")
    kind = "vertex" if word == "argmax" else "int32"
    text = f"program p; problem {{ vertex b : bool; scalar s : {kind}; }} schedule {{ s = {word}(b); }}"
    with pytest.raises(GdslError, match=fix) as raised:
        load(text)
    assert raised.value.code == "E0407"
