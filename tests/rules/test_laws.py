"""Operators that a program declares: what is tried of them, what is shown, and the grade that follows."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.diagnostics import GdslError
from gdsl.operations import Grade
from gdsl.pipeline import load
from gdsl.rules.laws import samples
from gdsl.types import Type

PROGRAM = """program p;
problem {{ input vertex a : {type}; vertex r : {type}; }}
operator joined(a: {type}, b: {type}) -> {type} identity {identity} {{ {body} }}
edge functor given(src, dst, e) -> {type} {{ value a[dst]; }}
schedule {{ r = neighbor_reduce(vertices, given, joined); }}
"""
MAGNITUDE = "return abs(a) < abs(b) || (abs(a) == abs(b) && a < b) ? b : a;"
LOGARITHMS = "let m = max(a, b); return m == -inf || m == inf ? m : m + log(exp(a - m) + exp(b - m));"
DIVISOR = "var x = a; var y = b; while (y != 0) { let rest = x % y; x = y; y = rest; } return x;"

ALLOWED = [
    ("int32", "0", "return a + b;", Grade.EXACT),
    ("int64", "1", "return a * b;", Grade.EXACT),
    ("uint32", "0", "return a | b;", Grade.EXACT),
    ("uint64", "0", DIVISOR, Grade.TRIED),
    ("int32", "inf", "return min(a, b);", Grade.EXACT),
    ("bool", "true", "return a == b;", Grade.EXACT),
    ("vertex", "none", "return min(a, b);", Grade.EXACT),
    ("edge", "0", "return max(a, b);", Grade.EXACT),
    ("float32", "0", "return a + b;", Grade.ROUNDING),
    ("float64", "1", "return a * b;", Grade.ROUNDING),
    ("float32", "-inf", LOGARITHMS, Grade.ROUNDING),
    ("float32", "-inf", "return max(a, b);", Grade.ROUNDING),  # which zero, where there are both
    ("float64", "0", MAGNITUDE, Grade.ROUNDING),
    ("float32", "-inf", "return max(a, b) + 0.0;", Grade.TRIED),
    ("float64", "0", MAGNITUDE.replace("return ", "return (")[:-1] + ") + 0.0;", Grade.TRIED),
]
REFUSED = [
    ("int32", "0", "return a - b;", "joined(0, 1) is -1"),
    ("int32", "0", "return min(a, b);", "0 is not an identity of `joined`: joined(0, 1) is 0"),
    ("int32", "0", "return a == 0 ? b : b == 0 ? a : a;", "order of its operands: joined(1, 2) is 1"),
    ("int32", "0", "return a == 0 ? b : b == 0 ? a : (a + b) // 2;", "is not associative"),
    ("int64", "0", "return a > 4000000000 && b > 4000000000 ? a - b + b - a : a + b;", "joined("),
    ("uint32", "1", "return a ^ b;", "1 is not an identity"),
    ("bool", "true", "return !a || b;", "joined(false, true)"),
    ("vertex", "none", "return b;", "none"),
    ("float64", "0", "return abs(a) < abs(b) ? b : a;", "joined(1.0, -1.0) is 1.0, and joined(-1.0, 1.0) is -1.0"),
    ("float32", "0", "return (a + b) / 2;", "is not an identity"),
    ("float32", "inf", "return a == inf ? b : b == inf ? a : sqrt(abs(a * b));", "joined"),
    ("float32", "-inf", "let m = max(a, b); return m + log(exp(a - m) + exp(b - m));", "nan"),
    ("uint32", "0", "var x = a; while (x < 4294967295) { x += 1; } return x;", "takes too long to be tried"),
]


def program(kind: str, identity: str, body: str) -> str:
    return PROGRAM.format(type=kind, identity=identity, body=body)


@pytest.mark.parametrize(("kind", "identity", "body", "grade"), ALLOWED)
def test_allowed(kind: str, identity: str, body: str, grade: Grade) -> None:
    arrays = {array.name: array.grade for array in load(program(kind, identity, body)).arrays}
    assert arrays["r"] is grade


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("kind", "identity", "body", "shown"), REFUSED)
def test_refused_with_the_values_that_show_it(kind: str, identity: str, body: str, shown: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(program(kind, identity, body))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E0308" and shown in diagnostic.message, str(caught.value)
    assert diagnostic.span is not None and diagnostic.span.line == 3


def test_what_is_not_used_is_not_tried() -> None:
    text = program("int32", "0", "return a - b;").replace("given, joined", "given, sum")
    assert load(text).functions == ()


def test_values_that_are_not_exact() -> None:
    """An operator that decides between sums of floats may decide otherwise in another run; one that adds does not."""
    for body, grade in (("return a + b;", Grade.ROUNDING), (MAGNITUDE, Grade.NOT_UNIQUE)):
        text = (
            program("float64", "0", body)
            .replace("input vertex a", "vertex a")
            .replace("r = ", "a = neighbor_reduce(vertices, given, sum); r = ")
        )
        assert {array.name: array.grade for array in load(text).arrays}["r"] is grade


@pytest.mark.parametrize("kind", Type.all(), ids=str)
def test_samples_have_the_extremes(kind: Type) -> None:
    found = samples(kind, 0 if kind.is_id else np.dtype(kind.name).type(0))
    assert len(set(found)) == len(found) <= 16
    if kind.is_integer:
        limits = np.iinfo(kind.name)
        assert {limits.min, limits.max} <= {int(value) for value in found}


@pytest.mark.slow
def test_functions_that_call_each_other_deeply() -> None:
    chain = "".join(f"function f{i}(x: int32) -> int32 {{ return f{i + 1}(x); }}\n" for i in range(300))
    text = program("int32", "0", "return f0(a) + b;").replace(
        "operator", chain + "function f300(x: int32) -> int32 { return x; }\noperator"
    )
    assert load(text).arrays
