"""Trigonometry, `trunc`, `popcount`, `ctz` and random numbers: types, places, and that their names are free."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import source_text
from gdsl.diagnostics import GdslError
from gdsl.frontend.vocabulary import CONTEXTUAL_FUNCTIONS
from gdsl.ir.nodes import Binary
from gdsl.pipeline import load

GRAPH = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 0], num_vertices=4)
BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def code(text: str) -> str:
    with pytest.raises(GdslError) as caught:
        load(text)
    assert len(caught.value.diagnostics) == 1, caught.value
    return str(caught.value.diagnostics[0].code)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("sin(1)", "float64"), ("sin(int64(1))", "float64"), ("cosh(float32(1))", "float32"), ("tan(0.5)", "float32"),
        ("atan2(float32(1), 2)", "float32"), ("atan2(1, float64(2))", "float64"), ("trunc(2.5)", "float32"),
        ("trunc(uint32(7))", "float64"), ("popcount(int64(7))", "int32"), ("ctz(uint32(7))", "int32"),
        ("popcount(0xffffffffff)", "int32"), ("random(true, 1, id)", "float32"), ("random_bits(id)", "uint64"),
        ("random_below(6, id)", "int32"), ("random_below(uint32(6), id)", "uint32"),
        ("random_below(num_vertices, id)", "int64"), ("random_below(uint64(6), vertex(none))", "uint64"),
    ],
)  # fmt: skip
def test_types(value: str, kind: str) -> None:
    program = load(f"program p; problem {{ vertex a : bool = {value} == {value}; }} schedule {{ }}")
    initial = program.arrays[0].initial
    assert isinstance(initial, Binary)
    assert initial.left.type.name == kind


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("a[v] = popcount(1.5);", "E0206"), ("a[v] = ctz(v);", "E0206"), ("a[v] = popcount(true);", "E0206"),
        ("a[v] = popcount(1, 2);", "E0211"), ("a[v] = int32(sin(true));", "E0206"), ("a[v] = int32(sin());", "E0211"),
        ("a[v] = random_below(true, v);", "E0206"), ("a[v] = random_below(v, 1);", "E0206"),
        ("a[v] = random_below(6);", "E0211"), ("a[v] = random_below();", "E0211"), ("r[v] = random(0.5);", "E0205"),
        ("r[v] = random(none);", "E0226"), ("r[v] = random(inf, v);", "E0226"), ("r[v] = random(v, seed=1);", "E0211"),
        ("r[v] = random(v) @here;", "E0404"), ("r[v] = random(changed(a[v] min= 1));", "E0216"),
        ("r[v] = random(missing);", "E0201"), ("r[v] = random(a);", "E0204"), ("r[v] = now random(v);", "E0101"),
        ("a[v] = random_below(6, v) = 1;", "E0100"), ("r[v] = cosine(1);", "E0201"), ("random(v);", "E0227"),
        ("r[v] = random(9223372036854775808);", "E0208"), ("r[v] = atan(1, 2);", "E0211"),
        ("r[v] = random((1, 2));", "E0205"), ("r[v] = random(v, b[v]);", "E0205"), ("r[v] = random(b[v].0);", "E0205"),
        ("a[v] = random_below(6, b[v]);", "E0205"), ("a[v] = random_below(b[v], v);", "E0206"),
        ("a[v] = int32(random_bits(b[v]));", "E0205"), ("a[v] = popcount(b[v]);", "E0206"),
    ],
)  # fmt: skip
def test_mistakes(statement: str, wanted: str) -> None:
    text = f"""program p; problem {{ vertex a : int32; vertex r : float32; vertex b : (float32, int32); }}
        vertex functor f(v) {{ apply {{ {statement} }} }} schedule {{ compute(vertices, f); }}"""
    found = code(text)
    assert found == wanted or (wanted == "E0100" and found.startswith("E01"))


@pytest.mark.parametrize("name", sorted(CONTEXTUAL_FUNCTIONS))
def test_a_programs_own_function_wins(name: str) -> None:
    text = f"""program p; problem {{ vertex a : int32; vertex b : float64 = exp(0); }}
        function {name}(x : int32) -> int32 {{ return x * 10; }}
        vertex functor f(v) {{ apply {{ a[v] = {name}(int32(v)); }} }} schedule {{ compute(vertices, f); }}"""
    assert source_text(load(text), 32)
    assert gdsl.compile(text).run(GRAPH, backend="reference")["a"].tolist() == [0, 10, 20, 30]


@pytest.mark.parametrize("backend", BACKENDS)
def test_names_of_the_functions_are_free(backend: str) -> None:
    """Also beside the functions of other names that are made of the same pieces."""
    text = """program popcount;
        problem { vertex random : float32 = random_below(6, id); vertex sin : float64; scalar trunc : int64 = 3; }
        function drawn(ctz : int32) -> int32 { let cos = ctz + 1; return cos; }
        function philox(x : float64) -> float64 { return tan(x) + cosh(x); }
        vertex functor atan2(tan) { apply { let cosh = drawn(2); sin[tan] = atan(random[tan]) + cosh + asin(0.5); } }
        vertex functor asinh(v) { apply { sin[v] += philox(0.0); } }
        schedule { compute(vertices, atan2); compute(vertices, asinh); trunc = trunc + random_bits_of; }"""
    text = text.replace("random_bits_of", "popcount(3)")
    result = gdsl.compile(text).run(GRAPH, backend=backend)
    drawn = result.host_arrays()["random"]
    wanted = np.arctan(drawn.astype(np.float32)).astype(np.float64) + 3 + np.float32(np.arcsin(0.5)) + 1
    assert np.allclose(result.host_arrays()["sin"], wanted, rtol=1e-5)
    assert result["trunc"] == 5


def test_an_array_of_that_name_cannot_be_called() -> None:
    assert (
        code("program p; problem { vertex random : float32; scalar s : float32; } schedule { s = random(1); }")
        == "E0204"
    )


def test_a_literal_that_is_shifted_has_the_type_of_its_place() -> None:
    """In the type of the count, bits beyond its width would be lost."""
    text = """program p;
problem {
    vertex k : int32 = int32(id); vertex a : uint64 = 1 << int32(id); vertex b : int64; vertex c : bool;
    vertex d : uint64; vertex e : float64; vertex f : int32; local vertex all_ : uint64 = 0xffffffffffffffff;
}
schedule { compute(vertices, v => {
    b[v] = true ? 1 << k[v] : 0;
    c[v] = (all_[v] & 1 << k[v]) != 0 && (1 << k[v] & all_[v]) == (all_[v] & 1 << k[v]);
    d[v] |= 1 << k[v] | 1;
    e[v] = 1 << k[v];
    f[v] = 1 << k[v];
}); }"""
    graph = gdsl.Graph.from_edges([], [], num_vertices=64)
    result = gdsl.compile(text)(graph, backend="reference")
    assert result.a.tolist() == [1 << n for n in range(64)]
    assert result.b.tolist() == [*(1 << n for n in range(63)), -(1 << 63)]
    assert result.c.all()
    assert result.d.tolist() == [1 << n | 1 for n in range(64)]
    assert result.e.tolist()[30:34] == [2.0**30, -(2.0**31), 1.0, 2.0]  # no place of integers: as the count
    assert result.f.tolist()[30:34] == [1 << 30, -(1 << 31), 1, 2]


def test_literals_around_a_shift_take_its_place_too() -> None:
    """And where no place decides, they take the type of the count, on either side of it."""
    text = """program p;
problem {
    vertex wide : int64 = int64(id); vertex narrow : int32 = int32(id); local vertex ones : int64 = -1;
    vertex a : int64; vertex b : int64; vertex c : int64; vertex d : int64; vertex e : int64; vertex f : float64;
    vertex g : bool; vertex h : uint64; vertex i : int64; vertex j : int64; vertex k : int64; vertex l : float64;
    vertex m : int64;
}
schedule { compute(vertices, v => {
    let mask = (1 << wide[v]) - 1;
    a[v] = mask;
    let before = 2 - (1 << wide[v]) - 1;
    b[v] = before;
    let cleared = ones[v] & ~(1 << narrow[v]);
    c[v] = cleared;
    let largest = max(ones[v], 1 << narrow[v]);
    d[v] = largest;
    let chosen = narrow[v] < 0 ? ones[v] : 1 << narrow[v];
    e[v] = chosen;
    f[v] = (1 << narrow[v]) - 1;
    g[v] = (1 << wide[v]) > 5 && 5 < 1 << wide[v];
    h[v] = uint64(1 << narrow[v]);
    let run = (1 << narrow[v]) + 1 + ones[v] + 1;
    i[v] = run;
    let other = (1 << narrow[v]) - 1 & ones[v];
    j[v] = other;
    let both = (1 << narrow[v] | 1 << wide[v]) + 0 + (1 << wide[v]);
    k[v] = both;
    l[v] = 1 + (1 << wide[v]) + 0.5 * 2;
    for n in wide[v] - wide[v]..1 << narrow[v] { m[v] = n + 1; if (n > 2) { break; } }
}); }"""
    graph = gdsl.Graph.from_edges([], [], num_vertices=63)
    result = gdsl.compile(text)(graph, backend="reference")
    bits = [1 << n for n in range(63)]
    assert result.a.tolist() == [bit - 1 for bit in bits]
    assert result.b.tolist() == [1 - bit for bit in bits]
    assert result.c.tolist() == [~bit for bit in bits]
    assert result.d.tolist() == result.e.tolist() == bits
    assert result.f.tolist()[30:34] == [2.0**30 - 1, 2.0**31 - 1, 0.0, 1.0]  # no place of integers: as the count
    assert result.g.tolist() == [bit > 5 for bit in bits]
    assert result.h.tolist() == bits
    assert result.i.tolist() == [bit + 1 for bit in bits]
    assert result.j.tolist() == [bit - 1 for bit in bits]
    narrow = [(1 << n % 32) - ((n % 32 == 31) << 32) for n in range(63)]
    wrapped = [((low | bit) + bit + (1 << 63)) % (1 << 64) - (1 << 63) for low, bit in zip(narrow, bits, strict=True)]
    assert result.k.tolist() == wrapped
    assert result.m.tolist() == [min(bit, 4) for bit in bits]
    assert result.l.tolist() == [float(1 + bit) + 1 for bit in bits]


def test_a_fraction_among_literals_makes_floats_of_them_in_a_cast() -> None:
    text = "program p; problem { scalar a : uint32; } schedule { a = uint32(16.0 - -33); }"
    assert gdsl.compile(text)(gdsl.Graph.from_edges([], [], num_vertices=1), backend="reference").a == 49


def test_an_integer_of_another_sign_has_no_fraction() -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile("program p; problem { vertex a : uint64 = in_degree(id); } schedule { }")
    assert caught.value.diagnostics[0].fix == "write `uint64(in_degree(id))`"


@pytest.mark.parametrize(
    ("data", "statement", "kind", "name"),
    [
        ("scalar count : int64; vertex b : bool;", "count = count(b);", "scalar", "count"),
        ("vertex sum : int64; vertex b : int32; scalar s : int64;", "s = sum(b);", "array", "sum"),
        ("scalar ctz : int32;", "ctz = ctz(8);", "scalar", "ctz"),
    ],
)
def test_a_declaration_that_hides_a_function_is_to_be_renamed(data: str, statement: str, kind: str, name: str) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile(f"program p; problem {{ {data} }} schedule {{ {statement} }}")
    [found] = caught.value.diagnostics
    assert found.code == "E0204" and found.fix == f"rename the {kind}, which hides the function `{name}`"
