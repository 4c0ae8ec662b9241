"""Where a minimum asks for an edge's tests only if its value is better, and that nobody sees the difference."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.plan import target
from gdsl.plan.hints import ValueFirst
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.support.graphs import make_graph, random_graph

from .planning import only_sweep, plan_of

READS = "cond low[src] < low[dst] && kind[src] == kind[dst]; value low[src];"


def text_of(body: str, operation: str = "min", result: str = "least", more: str = "") -> str:
    kind = {"least": "int32", "lowest": "float32"}[result]
    return f"""program p; problem {{
        input vertex low : int32; input vertex kind : int32; input vertex next : vertex; input vertex real : float32;
        vertex least : int32; vertex lowest : float32;
    }}
    edge functor f(src, dst, e) -> {kind} {{ {body} }}
    schedule {{ {result} = neighbor_reduce(vertices, f, {operation}{more}); }}"""


@pytest.mark.parametrize(
    "body, operation, result, first",
    [
        (READS, "min", "least", True),
        (READS, "max", "least", True),
        ("cond low[src] < low[dst]; value low[dst];", "max", "least", True),
        (READS, "sum", "least", False),  # of which every value counts
        ("value low[src];", "min", "least", False),  # nothing is tested
        ("cond kind[src] == kind[dst]; value low[src];", "min", "least", False),  # it would be read in vain
        ("cond kind[src] == 1 && low[src] < 9; value low[src];", "min", "least", False),
        ("cond low[src] < low[dst]; value low[src] + 1;", "min", "least", False),
        ("cond low[src] < low[next[dst]]; value low[src];", "min", "least", False),  # may be found to be wrong
        ("cond real[src] < real[dst]; value real[src];", "min", "lowest", False),
    ],
)
def test_where_values_come_first(body: str, operation: str, result: str, first: bool) -> None:
    sweep = only_sweep(plan_of(text_of(body, operation, result), on=target.CPU))
    assert (sweep.hint(ValueFirst) is not None) is first
    assert only_sweep(plan_of(text_of(body, operation, result))).hint(ValueFirst) is None


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("more", ["", ", over=in_edges", ", over=all_edges"])
@pytest.mark.parametrize("operation", ["min", "max"])
@pytest.mark.sampled(30)
def test_the_result_is_the_same(operation: str, more: str, sizes: target.Sizes | None) -> None:
    random = np.random.default_rng(3)
    given = {"low": random.integers(-9, 9, 90), "kind": random.integers(0, 2, 90)}
    given |= {"next": np.zeros(90, np.int64), "real": np.zeros(90)}
    graphs = [random_graph(90, 900, seed=1), random_graph(90, 80, seed=2), make_graph([(0, 0), (0, 0)], 3)]
    check(text_of(READS, operation, more=more), graphs, sizes, **given)


def test_a_wrong_index_in_the_test_of_an_edge_that_is_no_better_is_found() -> None:
    text = text_of("cond low[src] < 9 && low[next[dst]] < 9; value low[src];")
    graph = make_graph([(0, 1), (0, 2)], 3)
    given = {"low": np.zeros(3, np.int32), "kind": np.zeros(3, np.int32), "real": np.zeros(3, np.float32)}
    with pytest.raises(gdsl.GdslError, match="E0801"):
        gdsl.compile(text).run(graph, {**given, "next": np.array([0, 0, -1])}, backend="cpu")
