"""Pairs reduced over a set of edges: the same as over the lists of vertices, where the set is all edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.graphs import random_graph

import gdsl

_VALUES = {
    "bool": ("int32(id) % 2 == 1", "false", "true"),
    "int32": ("int32(id) % 5 - 2", "-2147483648", "inf"),
    "uint64": ("uint64(id) * 3000000000000000001", "0", "18446744073709551615"),
    "float32": ("int32(id) % 4 == 0 ? 0.0 / 0.0 : float32(int32(id) % 7) - 3.0", "-inf", "inf"),
    "vertex": ("id", "0", "none"),
}
"""By type the value of a vertex, and what a maximum and a minimum of nothing are."""
_TYPES = [("int32", "vertex"), ("bool", "float32"), ("vertex", "bool"), ("float32", "uint64"), ("uint64", "int32")]

_TEXT = """program edge_pairs;
problem {{
    vertex first : {0} = {1};
    vertex second : {2} = {3};
    vertex far_least : ({0}, {2}) = ({5}, {7});
    vertex far_most : ({0}, {2}) = ({4}, {6});
    vertex near_least : ({0}, {2}) = ({5}, {7});
    vertex least_in : ({0}, {2});
    vertex most_in : ({0}, {2});
    vertex least_out : ({0}, {2});
}}
edge functor ends(src, dst, e) -> ({0}, {2}) {{ cond src != dst; value (first[src], second[dst]); }}
schedule {{
    far_least = neighbor_reduce(edges, ends, min);
    far_most = neighbor_reduce(edges, ends, max);
    near_least = neighbor_reduce(edges, ends, min, by=near);
    least_in = neighbor_reduce(vertices, ends, min, over=in_edges);
    most_in = neighbor_reduce(vertices, ends, max, over=in_edges);
    least_out = neighbor_reduce(vertices, ends, min);
}}
"""


def _same(arrays: dict[str, Any], first: str, second: str) -> None:
    for part in (0, 1):
        np.testing.assert_array_equal(arrays[f"{first}.{part}"], arrays[f"{second}.{part}"])


@pytest.mark.parametrize("backend", ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("types", _TYPES, ids="-".join)
@pytest.mark.sampled(4)
def test_over_edges_as_over_lists(types: tuple[str, str], backend: str) -> None:
    (first, *of_first), (second, *of_second) = (_VALUES[kind] for kind in types)
    ends = (of_first[0], of_first[1], of_second[0], of_second[1])
    program = gdsl.compile(_TEXT.format(types[0], first, types[1], second, *ends))
    arrays = program.run(random_graph(40, 150, seed=2), backend=backend).host_arrays()
    _same(arrays, "far_least", "least_in")
    _same(arrays, "far_most", "most_in")
    _same(arrays, "near_least", "least_out")
