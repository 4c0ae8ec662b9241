"""`x /= y` and its like, and reductions of what reductions say: what they stand for, on every backend."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.frontend import syntax
from gdsl.ir.printer import print_program
from gdsl.pipeline import load, load_checked
from gdsl.source import Source

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
GRAPH = gdsl.Graph.from_edges([0, 0, 1, 2, 3, 3], [1, 1, 2, 2, 0, 4], num_vertices=6)
DATA = """vertex a : int32 = int32(id) * 37 - 60; vertex u : uint64 = 0xfedcba9876543210; vertex x : float32 = 7.25;
    vertex y : float64 = -7.25; edge w : float64 = 9.0; vertex at : int32 = int32(id) % 3; scalar s : int64 = -1000;
    scalar f : float32 = 10.0;"""


def program(body: str, schedule: str = "compute(vertices, go);", data: str = DATA) -> str:
    return f"program p; problem {{ {data} }} vertex functor go(v) {{ apply {{ {body} }} }} schedule {{ {schedule} }}"


@pytest.mark.parametrize(
    ("target", "signs", "operands"),
    [
        ("a[v]", ("//=", "%=", "<<=", ">>="), ("int32(v) - 2", "7", "a[v]", "-3")),
        ("u[v]", ("//=", "%=", "<<=", ">>="), ("uint64(v)", "7", "uint32(v) + 1")),
        ("x[v]", ("/=", "%="), ("3", "0.5", "int32(v)", "x[v]")),
        ("y[v]", ("/=", "%="), ("3", "x[v]", "y[v] + 1.0")),
        ("t", ("//=", "%=", "<<=", ">>="), ("3", "int32(v)")),
    ],
)
def test_stands_for_the_long_form(target: str, signs: tuple[str, ...], operands: tuple[str, ...]) -> None:
    for sign in signs:
        for operand in operands:
            short, long = f"{target} {sign} {operand};", f"{target} = {target} {sign[:-1]} ({operand});"
            texts = [program(f"var t = int64(a[v]); {form} y[v] = y[v] + float64(t);") for form in (short, long)]
            assert len({print_program(load(text)) for text in texts}) == 1, short


@pytest.mark.parametrize("backend", BACKENDS)
def test_in_functors_functions_and_the_schedule(backend: str) -> None:
    text = f"""program p; problem {{ {DATA} }}
        function low(n : int64) -> int64 {{
            var z = n; while (z > 9) {{ z //= 10; }} z <<= 1; z %= 7; z >>= 1; return z;
        }}
        edge functor per_edge(src, dst, e) {{ cond place == 0; apply {{ w[e] /= 4; a[src] %= 10; }} }}
        vertex functor go(v) {{ apply {{ a[v] //= -3; u[v] >>= a[v]; x[v] %= 2; y[v] /= low(2711); }} }}
        schedule {{
            advance(vertices, per_edge, to=none);
            repeat (2) {{ s //= 7; s <<= 2; f /= 4; f %= 2; }}
            s %= 100;
            compute(vertices, go);
        }}"""
    result = gdsl.compile(text).run(GRAPH, backend=backend)
    found = result.host_arrays()
    first = [place for place in range(6) if place in (0, 2, 3, 4)]
    assert found["w"].tolist() == [9.0 / 4 if e in first else 9.0 for e in range(6)]
    a = [int(np.fmod(v * 37 - 60, 10)) if v < 4 else v * 37 - 60 for v in range(6)]
    a = [int(np.trunc(value / -3)) for value in a]
    assert found["a"].tolist() == a
    assert found["u"].tolist() == [0xFEDCBA9876543210 >> (value % 64) for value in a]
    assert set(found["x"].tolist()) == {1.25}
    assert set(found["y"].tolist()) == {-3.625}
    assert (result["s"], result["f"]) == (-24, 0.125)


@pytest.mark.parametrize(
    ("index", "lets"),
    [("v", 0), ("same", 0), ("3", 0), ("at[v]", 1), ("int32(v) // 1", 1), ("f_of(v)", 1), ("now s", 1), ("s", 1)],
)
def test_a_computed_index_is_computed_once(index: str, lets: int) -> None:
    """Whatever it reads meanwhile: the element that is read is the one that is written."""
    text = program(f"let same = v; a[{index}] //= 2;") + " function f_of(v : vertex) -> vertex { return v; }"
    [functor] = load_checked(Source("p", text)).program.functors
    found = [node for node in functor.body if isinstance(node, syntax.Let)]
    assert len(found) == 1 + lets
    assert isinstance(functor.body[-1], syntax.Assign)


@pytest.mark.parametrize("backend", BACKENDS)
def test_both_reductions_happen(backend: str) -> None:
    """Also where the outer one writes nothing new, in a `var`, in a loop, and one behind the other."""
    text = """program p; problem {
            vertex low : int32 = 100; vertex told : bool; vertex steady : bool = true; vertex before : int64;
            vertex count : int32; scalar changes : bool; scalar unchanged : bool = true; vertex odd : bool;
            vertex own : int32 = 3;
        }
        edge functor lower(src, dst, e) { apply {
            told[dst] |= changed(low[dst] min= int32(src));
            unchanged &= !changed(count[dst] max= 0);
            changes |= false || changed(count[src] max= 1) || true;
        } }
        vertex functor own_one(v) { apply {
            odd[v] ^= changed(own[v] -= 1);
            odd[v] ^= changed(own[v] -= 0);
            before[v] += fetch(own[v] *= 5);
            before[v] max= fetch(own[v] += 1) + 0 * 1 == 0 ? 0 : 7;
            var mine = false;
            for i in 0..3 { mine |= changed(own[v] min= 4 - i); }
            steady[v] &= !mine;
        } }
        schedule { advance(vertices, lower, to=none); compute(vertices, own_one); }"""
    text = text.replace("before[v] max= fetch(own[v] += 1) + 0 * 1 == 0 ? 0 : 7;", "before[v] max= fetch(own[v] += 1);")
    text = text.replace("unchanged &= !changed(count[dst] max= 0);", "unchanged &= !changed(own[dst] max= 0);")
    result = gdsl.compile(text).run(GRAPH, backend=backend)
    found = result.host_arrays()
    heads, tails = [1, 1, 2, 2, 0, 4], [0, 0, 1, 2, 3, 3]
    assert found["told"].tolist() == [v in heads for v in range(6)]
    assert found["low"].tolist() == [
        min([t for t, h in zip(tails, heads, strict=True) if h == v] or [100]) for v in range(6)
    ]
    assert (result["changes"], result["unchanged"]) == (True, True)
    assert found["count"].tolist() == [1, 1, 1, 1, 0, 0]
    assert set(found["odd"].tolist()) == {True}
    assert set(found["before"].tolist()) == {10}  # 2 was added to 0, and 10 is more
    assert set(found["own"].tolist()) == {2}
    assert set(found["steady"].tolist()) == {False}
