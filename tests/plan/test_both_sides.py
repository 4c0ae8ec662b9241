"""Where a reduction reads both sides of a choice, and that nobody sees the difference."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.plan import target
from gdsl.plan.hints import BothSides
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.support.graphs import make_graph, random_graph

from .planning import only_sweep, plan_of

NEARER = "cond src != dst; value kind[dst] == best[src] ? length[e] : kind[dst] == kind[src] ? -length[e] : 0;"


def text_of(body: str, operation: str = "sum", more: str = "") -> str:
    return f"""program p; problem {{
        input vertex kind : int32; input vertex best : int32; input vertex next : vertex;
        edge length : int32 = int32(id) % 19 - 9; vertex found : int32;
    }}
    edge functor f(src, dst, e) -> int32 {{ {body} }}
    schedule {{ found = neighbor_reduce(vertices, f, {operation}{more}); }}"""


@pytest.mark.parametrize(
    "body, more, both",
    [
        (NEARER, "", True),
        (NEARER, ", over=in_edges", False),  # of the far end more than the first condition reads
        (NEARER, ", over=all_edges", False),
        ("value kind[dst] > 3 ? length[e] + 1 : kind[dst];", "", True),
        ("value kind[dst] > 3 ? length[e] : kind[src];", "", True),
        ("value kind[dst] > 3 ? kind[dst] : kind[src];", "", False),  # nothing of the edge
        ("value kind[dst] > 3 ? length[e] : best[dst];", "", False),  # which would be a way to the memory for each edge
        ("value kind[dst] > 3 ? length[e] : kind[next[dst]];", "", False),  # may be found to be wrong
        ("value kind[dst] > 3 ? length[e] // kind[src] : 0;", "", False),
        ("value kind[dst] > 3 ? length[e] : popcount(kind[dst]);", "", False),
        ("value (kind[dst] > 3 ? length[e] : 0) + 1;", "", False),
        ("value length[e];", "", False),
    ],
)
def test_where_both_sides_are_read(body: str, more: str, both: bool) -> None:
    sweep = only_sweep(plan_of(text_of(body, more=more), on=target.CPU))
    assert (sweep.hint(BothSides) is not None) is both
    assert only_sweep(plan_of(text_of(body, more=more))).hint(BothSides) is None


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("more", ["", ", over=in_edges", ", over=all_edges"])
@pytest.mark.parametrize("operation", ["sum", "min"])
@pytest.mark.sampled(10)
def test_the_result_is_the_same(operation: str, more: str, sizes: target.Sizes | None) -> None:
    random = np.random.default_rng(3)
    given = {"kind": random.integers(0, 4, 90), "best": random.integers(0, 4, 90), "next": np.zeros(90, np.int64)}
    graphs = [random_graph(90, 900, seed=1), random_graph(90, 80, seed=2), make_graph([(0, 0), (0, 1)], 90)]
    check(text_of(NEARER, operation, more), graphs, sizes, **given)
