"""An operator on vertices in the sweep of the reduction before it: results, totals and traces are those of the
reference."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.plan import target
from gdsl.plan.walking import operations
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.plan.planning import plan_of
from tests.support.graphs import make_graph, random_graph

GRAPHS = [
    make_graph([], 1),
    make_graph([(0, 0), (0, 0)], 3),
    random_graph(90, 900, seed=1),
    random_graph(90, 80, seed=2, directed=False),
    make_graph([*((0, v) for v in range(1, 90)), *((v, 89) for v in range(30))], 90),
]
"""Empty lists, loops, parallel edges, and lists that are cut into chunks."""


def text_of(over: str, members: str, condition: str = "", reads: str = "given[dst]") -> str:
    return f"""program p; problem {{
        input vertex given : int32; vertex sums : int32; vertex doubled : int32;
        scalar total : int64; scalar most : int32; param chosen : int32 = 2;
    }}
    edge functor brings(src, dst, e) -> int32 {{ value {reads}; }}
    vertex functor takes(v) {{ {condition} apply {{
        doubled[v] = 2 * sums[v] + doubled[v]; total += sums[v]; most max= sums[v];
    }} }}
    schedule {{
        frontier f = filter(vertices, v => int32(v) % 3 != 1); total = 0;
        repeat (3) {{ sums = neighbor_reduce({members}, brings, sum, over={over}); compute({members}, takes); }}
    }}"""


def fused(text: str, *tune: str) -> list[tuple[str, ...]]:
    plan = plan_of(text, *tune, on=target.CPU)
    return [tuple(each.step.label for each in one.fused) for one in operations(plan) if one.fused]


def test_what_follows_a_reduction_runs_in_its_sweep() -> None:
    assert fused(text_of("out_edges", "vertices")) == [("brings",)]
    assert fused(text_of("out_edges", "f")) == [("brings",)]
    assert fused(text_of("out_edges", "vertices", reads="doubled[dst]")) == []  # of others, which change meanwhile
    assert fused(text_of("out_edges", "vertices", reads="sums[dst]")) == []
    assert fused(text_of("out_edges", "vertices").replace("compute(vertices, takes);", "compute(f, takes);")) == []
    more = text_of("out_edges", "f").replace("compute(f, takes);", "compute(f, takes); compute(f, takes) @again;")
    assert fused(more) == [("brings",)]
    assert {tuple(each.fused) for each in operations(plan_of(text_of("out_edges", "f"), on=target.CPU_WORKERS))} == {()}


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("members", ["vertices", "f"])
@pytest.mark.parametrize("over", ["out_edges", "in_edges", "all_edges"])
@pytest.mark.parametrize("condition", ["", "cond sums[v] > chosen;"])
@pytest.mark.sampled(24)
def test_results_are_the_same(condition: str, over: str, members: str, sizes: target.Sizes | None) -> None:
    given = np.random.default_rng(3).integers(-9, 9, 90)
    check(text_of(over, members, condition), GRAPHS, sizes, given=given)
