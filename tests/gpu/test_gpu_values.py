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
