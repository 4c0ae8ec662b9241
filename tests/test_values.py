"""Expressions mean the same everywhere, bit for bit: every operation, on every type, with every awkward value."""

from __future__ import annotations

from pathlib import Path

import every_operation
import numpy as np
import pytest
from fuzz.expressions import running
from fuzz.expressions.programs import Program, Target
from fuzz.expressions.running import differences
from fuzz.expressions.trees import INTEGERS, NUMBERS, Tree
from fuzz.expressions.values import FLOAT
from support.single_writers import CYCLE_OF_PAIRS, special_pairs

import gdsl
from gdsl.native import compiler as compilers

BACKENDS = ("reference", "cpu")
SINGLE_WRITERS = Path(__file__).with_name("support") / "single_writers.gdsl"
PAIR = gdsl.Graph.from_edges([0, 1], [1, 0])


def assert_same(program: Program, backends: tuple[str, ...], every: int = 1) -> None:
    for data in list(every_operation.data_sets())[::every]:
        found = next(differences(program, data, backends), None)
        assert found is None, f"{found}\n{program.of(found.target).text()}"


@pytest.mark.optimized
@pytest.mark.parametrize("inf_types", [(), INTEGERS], ids=["wrapping", "saturating"])
@pytest.mark.slow
@pytest.mark.rare(2)
def test_every_operation_in_functors(inf_types: tuple[str, ...]) -> None:
    assert_same(every_operation.program("apply", inf_types), BACKENDS, every=4)


@pytest.mark.parametrize("inf_types", [(), INTEGERS], ids=["wrapping", "saturating"])
@pytest.mark.slow
@pytest.mark.rare(2)
def test_every_operation_in_initial_values_and_where(inf_types: tuple[str, ...]) -> None:
    program = every_operation.program("initial", inf_types)
    assert_same(program, ("binding",), every=2)
    assert_same(program, BACKENDS, every=7)


@pytest.mark.slow
def test_every_operation_in_the_schedule() -> None:
    assert_same(every_operation.program("schedule", INTEGERS), BACKENDS, every=2)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.slow
@pytest.mark.rare(4)
def test_minima_and_maxima_in_every_form(kind: str) -> None:
    assert_same(every_operation.reductions(kind), BACKENDS)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("first", ["nan", "-0.0", "0.0", "inf", "-inf", "2.0"])
def test_minima_and_maxima_of_nan_and_zeros(kind: str, first: str) -> None:
    program = every_operation.reductions(kind)
    base = next(every_operation.data_sets())
    for words in (("nan",), ("-0.0",), ("-0.0", "0.0"), ("nan", "-0.0", "1.0"), ("inf", "nan"), ("-inf", "nan")):
        values = [FLOAT[kind](words[i % len(words)]) for i in range(base.size)]
        data = running.Data({**base.params, kind: FLOAT[kind](first)}, {**base.elements, kind: values}, base.edges)
        found = next(differences(program, data, BACKENDS), None)
        assert found is None, (words, found)


def test_a_single_writer_sees_signs_of_zeros_and_nan() -> None:
    """Its quotients tell the zeros apart; an update may go through an atomic all the same."""
    program = gdsl.compile(SINGLE_WRITERS)
    given = special_pairs()
    wanted, found = (program.run(CYCLE_OF_PAIRS, given, backend=backend) for backend in BACKENDS)
    assert set(wanted.grade.values()) == {"exact"}
    for name in ("narrow", "wide", "inverse", "wide_inverse", "told"):
        np.testing.assert_array_equal(wanted[name], found[name], name)


def results(text: str, backend: str, **given: object) -> gdsl.Result:
    return gdsl.compile(text).run(PAIR, given, backend=backend)


SCHEDULE = """program p;
problem {{
    param  x : {kind};
    param  y : {kind};
    scalar most : {kind} = inf;
    scalar plus : {kind};
    scalar minus : {kind};
    scalar wrapped : {kind};
    scalar stepped : {kind};
    vertex stored : {kind};
    vertex local_step : {kind};
}}
vertex functor step(v) {{
    apply {{
        stored[v] = x;
        stored[v] += y;
        var z = x;
        z += y;
        local_step[v] = z;
    }}
}}
schedule {{
    plus = x + y;
    minus = x - y;
    wrapped = wrap(x + y);
    stepped = x;
    stepped += y;
    compute(vertices, step);
}}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", INTEGERS)
def test_sums_saturate_in_the_schedule_too_and_updates_wrap(kind: str, backend: str) -> None:
    limits = np.iinfo(kind)
    low, inf = int(limits.min), int(limits.max)
    size = inf - low + 1
    for x, y in ((inf, 1), (1, inf), (inf, inf), (inf - 1, 5), (low, inf), (low, 1), (3, 4), (inf, low)):
        found = results(SCHEDULE.format(kind=kind), backend, x=x, y=y)
        modulo = (x + y - low) % size + low
        plus = inf if inf in (x, y) else max(low, min(inf, x + y))
        minus = inf if x == inf else low if y == inf else max(low, min(inf, x - y))
        assert (found.plus, found.minus, found.wrapped, found.stepped) == (plus, minus, modulo, modulo), (x, y)
        assert found.stored.tolist() == [modulo] * 2
        assert found.local_step.tolist() == [plus] * 2, "on a `var`, `z += y` is short for `z = z + y`"


@pytest.mark.parametrize("backend", BACKENDS)
def test_only_the_types_whose_inf_is_written_saturate(backend: str) -> None:
    text = """program p;
problem { vertex most : int32 = inf; vertex a : int32; vertex b : int64; vertex c : uint32; }
function next(x : int32) -> int32 { return x + 1; }
vertex functor f(v) {
    apply {
        a[v] = next(int32(2147483646)) + 5;
        b[v] = int64(9223372036854775807) + 1;
        c[v] = uint32(0) - 1;
    }
}
schedule { compute(vertices, f); }
"""
    found = results(text, backend)
    assert (found.a[0], found.b[0], found.c[0]) == (2**31 - 1, -(2**63), 2**32 - 1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_functions_own_body_does_not_wrap_in_a_wrap(backend: str) -> None:
    text = """program p;
problem { vertex most : int32 = inf; vertex a : int32; vertex b : int32; }
function next(x : int32) -> int32 { return x + 10; }
vertex functor f(v) {
    apply {
        a[v] = wrap(next(int32(2147483640)));
        b[v] = wrap(int32(2147483640) * 1 + 10 - 3 + next(1));
    }
}
schedule { compute(vertices, f); }
"""
    found = results(text, backend)
    assert (found.a[0], found.b[0]) == (2**31 - 1, (2147483640 + 7 + 11 + 2**31) % 2**32 - 2**31)


@pytest.mark.parametrize("backend", BACKENDS)
def test_where_saturates_as_functors_do(backend: str) -> None:
    text = """program p;
problem { input vertex a : int32 where a + 1 >= a && a - 1 <= a; vertex most : int32 = inf; vertex b : int32; }
schedule { }
"""
    values = np.array([2**31 - 1, -(2**31)], np.int32)
    results(text, backend, a=values)
    with pytest.raises(gdsl.GdslError, match="vertex 0 has 2147483647"):
        results(text.replace("vertex most : int32 = inf; ", ""), backend, a=values)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("x = 5.0; x min= -0.0;", 0.0),
        ("x = -5.0; x max= -0.0;", 0.0),
        ("x = -5.0; x max= zero;", 0.0),
        ("x = 0.0; x min= zero;", 0.0),
        ("x = inf - inf; x min= zero;", 0.0),
        ("x = 1.0; x min= inf - inf;", 1.0),
        ("x = min(5.0, zero);", -0.0),
        ("x = max(zero, 0.0);", -0.0),
    ],
)
def test_no_min_or_max_stores_a_negative_zero(statement: str, value: float, backend: str) -> None:
    """In the schedule, on an element and on a `var` alike; the functions `min` and `max` just choose."""
    text = f"""program p;
problem {{ param zero : float32; scalar x : float32; vertex b : float32; vertex c : float32; }}
vertex functor f(v) {{
    apply {{
        {statement.replace("x", "b[v]").replace("mab[v]", "max")}
        var y : float32 = 0.0;
        {statement.replace("x", "y").replace("may", "max")}
        c[v] = y;
    }}
}}
schedule {{ {statement} compute(vertices, f); }}
"""
    found = results(text, backend, zero=-0.0)
    for each in (found.x, found.b[0], found.c[0]):
        assert each == value and np.signbit(each) == np.signbit(value), (found.x, found.b, found.c)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cas_stores_what_it_is_told(backend: str) -> None:
    text = """program p;
problem { param zero : float32; vertex a : float32; vertex won : bool; }
vertex functor f(v) { apply { won[v] = cas(a[v], 0.0, zero); } }
schedule { compute(vertices, f); }
"""
    found = results(text, backend, zero=-0.0)
    assert found.won.all() and np.signbit(found.a).all()


def test_the_compiler_is_told_to_leave_the_sign_of_zeros_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever $CXX asks for: `-ffast-math` is taken back, and g++ does not turn `0 - float(n)` into `-float(n)`."""
    compiler = compilers.required_compiler()
    monkeypatch.setenv("CXX", f"{compiler} -ffast-math")
    sides = (
        Tree("literal", "float32", "0.0"),
        Tree("cast", "float32", "float32", (Tree("element", "int32", "a_int32"),)),
    )
    tree = Tree("binary", "float32", "-", sides)
    program = Program((), tuple(Target(f"r{i}", place, tree) for i, place in enumerate(("initial", "apply"))), ())
    assert next(differences(program, next(every_operation.data_sets()), ("cpu",)), None) is None


def test_constants_of_two_unsigned_types_are_told_apart() -> None:
    """A compiler may know integers by their bits alone when it converts them to floats."""
    text = """program p;
problem { vertex a : float32; vertex b : float32; vertex c : float64; }
function most(x : int32) -> uint64 { return uint64(18446744073709551615) - uint64(0); }
vertex functor f(v) {
    apply {
        a[v] = float32(uint32(4294967295)) - most(0);
        b[v] = float32(uint32(4294967294)) - float32(uint64(18446744073709551614));
        c[v] = float64(uint32(4294967295)) - most(0);
    }
}
schedule { compute(vertices, f); }
"""
    for backend in BACKENDS:
        found = results(text, backend)
        assert (found.a[0], found.b[0], found.c[0]) == (-(2.0**64), -(2.0**64), 2.0**32 - 1 - 2.0**64)
