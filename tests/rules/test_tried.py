"""The grade *tried*: results of operators whose law is not proved, and all that is computed from them."""

from __future__ import annotations

import itertools
import random

import numpy
import pytest

import gdsl
from gdsl.ir.nodes import Program
from gdsl.operations import Grade
from gdsl.pipeline import load
from gdsl.rules.law_proofs import is_proved
from gdsl.rules.law_trials import Trial, literal


def program(kind: str, identity: str, body: str, more: str = "") -> Program:
    return load(f"""program p;
    problem {{ vertex a : {kind}; }}
    {more}
    operator o(x : {kind}, y : {kind}) -> {kind} identity {identity} {{ {body} }}
    edge functor f(u, v, e) -> {kind} {{ value a[v]; }}
    schedule {{ a = neighbor_reduce(vertices, f, o); }}""")


PROVED = [
    ("int32", "0", "return x + y;"),
    ("uint32", "1", "return x * y;"),
    ("int64", "-1", "return x & y;"),
    ("int32", "0", "let r = y ^ x; return r;"),
    ("int32", "inf", "return min(x, y);"),
    ("int32", "inf", "return x < y ? x : y;"),
    ("int32", "inf", "return y <= x ? y : x;"),
    ("vertex", "none", "if (y > x) { return x; } return y;"),
    ("vertex", "none", "if (y > x) { return x; } else { return y; }"),
    ("uint64", "0", "return smaller(x, y) ;"),
    ("bool", "false", "return x != y;"),
    ("bool", "true", "return (x && y) || (!x && !y);"),
]
FUNCTION = "function smaller(a : uint64, b : uint64) -> uint64 { var r = b; r = max(r, a); return r; }"
TRIED = [
    ("vertex", "none", "if (x == 3 && y == 4) { return y; } return min(x, y);"),  # not commutative for these ids
    ("int32", "0", "if (x == 12345) { return x + y; } return x + y;"),
    ("int32", "0", "return x + y + (x == 12345 && y == 5 ? 1 : 0);"),
    ("uint32", "0", "var g = x; var r = y; while (r != 0) { let t = g % r; g = r; r = t; } return g;"),
    ("float32", "inf", "return x < y ? x : y;"),
    ("int32", "0", "var z = x; " + "z = z + z; " * 64 + "return x + y + z;"),  # 2^64 leaves, and all bits of z are 0
]


@pytest.mark.parametrize(("kind", "identity", "body"), PROVED)
def test_what_is_proved_is_exact(kind: str, identity: str, body: str) -> None:
    found = program(kind, identity, body, FUNCTION)
    assert found.arrays[0].grade is Grade.EXACT
    trial = Trial(found.functions, 10**6)
    function = next(each for each in found.functions if each.name == "o")
    if kind in ("bool", "vertex"):
        values: list[object] = [False, True] if kind == "bool" else [0, 3, 4, 900, 2**63 - 1]
    else:
        low, high = numpy.iinfo(kind).min, numpy.iinfo(kind).max
        values = [literal(random.Random(seed).randint(low, high), function.result) for seed in range(6)]
    with numpy.errstate(all="ignore"):
        for a, b, c in itertools.product(values, repeat=3):
            assert trial.call("o", (a, b)) == trial.call("o", (b, a))
            assert trial.call("o", (trial.call("o", (a, b)), c)) == trial.call("o", (a, trial.call("o", (b, c))))


@pytest.mark.parametrize(("kind", "identity", "body"), TRIED)
def test_what_is_not_proved_is_tried(kind: str, identity: str, body: str) -> None:
    found = program(kind, identity, body)
    assert found.arrays[0].grade in (Grade.TRIED, Grade.ROUNDING)
    assert not is_proved(found, next(each for each in found.functions if each.name == "o"))


def test_a_law_that_fails_for_rare_ids_is_not_called_exact() -> None:
    """Two orders of the edges give two results."""
    text = """program p; problem { vertex a : vertex; }
    operator o(x : vertex, y : vertex) -> vertex identity none { if (x == 3 && y == 4) { return y; } return min(x, y); }
    schedule { a = neighbor_reduce(vertices, (u, v, e) => v, o); }"""
    found = []
    for far in ([3, 4], [4, 3]):
        graph = gdsl.Graph.from_edges([0, 0], far, num_vertices=5)
        result = gdsl.compile(text).run(graph, backend="reference")
        found.append(int(result["a"][0]))
        assert result.grade["a"] == "tried"
    assert set(found) <= {3, 4}


def test_what_depends_on_it_is_tried_too() -> None:
    found = load("""program p;
    problem { vertex a : int32; vertex b : int32; vertex c : int32; vertex d : int32; vertex e : int32;
              scalar s : int32; scalar n : int64; scalar free : int32; }
    operator o(x : int32, y : int32) -> int32 identity 0 { if (x == 12345) { return y + x; } return x + y; }
    edge functor f(u, v, w) -> int32 { value 1; }
    vertex functor copy(v) { apply { b[v] = a[v]; } }
    vertex functor some(v) { cond b[v] > 0; apply { c[v] = 1; } }
    vertex functor other(v) { apply { d[v] = 1; } }
    vertex functor apart(v) { apply { e[v] = 1; } }
    schedule {
        a = neighbor_reduce(vertices, f, o);
        compute(vertices, copy);
        frontier g = filter(vertices, some);
        if (size(g) > 3) { s = 1; }
        n = size(g);
        compute(g, other);
        compute(vertices, apart);
        free = 2;
    }""")
    grades = {each.name: each.grade for each in found.arrays} | {each.name: each.grade for each in found.scalars}
    assert {name for name, grade in grades.items() if grade is Grade.TRIED} >= set("abcdsn")
    assert grades["e"] is grades["free"] is Grade.EXACT
