"""Values that compilers once got wrong on a GPU: what compiles and runs wrong is seen only here."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl

pytestmark = pytest.mark.gpu

TEXT = """program extremes;
problem {
    param p : int32;
    input vertex a : int32;
    vertex high : int32; vertex low : int32; vertex least : int32;
    vertex under : int32; vertex twice : int64; vertex rest : int32; vertex half : int32;
}
vertex functor every(v) {
    apply {
        high[v] = max(p, max(-a[v], in_degree(v) << 28));
        under[v] = 66 - abs(a[v]) < 0 ? 1 : 2;
        twice[v] = int64(a[v]) * 4294967296 + abs(int64(a[v]) * 4294967296);
        rest[v] = abs(a[v]) % 3;
        half[v] = (a[v] < 0 ? -a[v] : a[v]) // 2;
        low[v] = min(-p, min(in_degree(v), (100 | in_degree(v)) * int32(-65536)));
    }
}
edge functor told(src, dst, e) -> int32 { value (100 | out_degree(src)) * int32(-65536); }
schedule { compute(vertices, every); least = neighbor_reduce(vertices, told, min, over=in_edges); }
"""


def test_extremes_of_three_with_a_negated_one() -> None:
    graph = gdsl.Graph.from_edges([0, 0, 1], [1, 2, 2])
    values = {"p": 16_777_216, "a": np.array([-1_820_136_592, 5, -(2**31)], np.int32)}
    program = gdsl.compile(TEXT)
    found = program.run(graph, values, backend="cuda").host_arrays()
    expected = program.run(graph, values, backend="reference").host_arrays()
    for name in ("high", "low", "least", "under", "twice", "rest", "half"):
        assert found[name].tolist() == expected[name].tolist(), name


WIDE = """program wide;
problem {
    param p : uint64; param n : int64; param root : float32;
    vertex least : uint64 = inf; vertex hashed : uint64; vertex signed : int64; vertex zero : float64;
    vertex none_below : float32; vertex known : bool; vertex never : float32; vertex wide : float64;
    scalar lowest : uint64 = inf; scalar shifted : uint64; scalar negative : int64 = inf;
}
vertex functor every(v) {
    apply {
        lowest min= 2147483648 * p;
        shifted max= p << 31;
        negative min= (n << 30) * 2;
        least[v] min= (65536 * p) * 32768;
        let once: uint64 = p << 30;
        hashed[v] = (once << 1) ^ (once * 2);
        signed[v] = int64(in_degree(v) - 5) * 2147483648;
        zero[v] = max(-0.0, float64(in_degree(v)));
        none_below[v] = min(0.0, -float32(out_degree(v)));
        known[v] = abs(sqrt(root)) >= -2.5;
        never[v] = max(-7.0, abs(sqrt(root)));
        wide[v] = max(-7.0, abs(sqrt(float64(root) * 3)));
    }
}
schedule { compute(vertices, every); }
"""


def test_wide_products_zeros_of_both_signs_and_nan() -> None:
    graph = gdsl.Graph.from_edges([0, 0, 1], [1, 2, 2])
    program = gdsl.compile(WIDE)
    values = {"p": 2_147_483_647, "n": 2_147_483_647, "root": -1.0}
    found, expected = (program.run(graph, values, backend=backend) for backend in ("cuda", "reference"))
    assert found.scalars == expected.scalars
    for name, wanted in expected.host_arrays().items():
        assert found.host_arrays()[name].tobytes() == wanted.tobytes(), name
