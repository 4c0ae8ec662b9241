"""Where scalars say which of two values edges have before they are tested, and that nobody sees the difference."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.hints import SelectFirst
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.support.graphs import make_graph, random_graph

from .planning import only_sweep, plan_of

READS = "cond kind[src] > 0; value limit < turn ? low[src] : low[src] * low[dst];"


def text_of(body: str, operation: str = "sum", more: str = "", turns: int = 1) -> str:
    steps = f"repeat ({turns}) {{ result = neighbor_reduce(vertices, f, {operation}{more}); turn += 1; }}"
    return f"""program p; problem {{
        param limit : int32 = 2; local scalar turn : int32;
        input vertex low : int32; input vertex kind : int32; input vertex next : vertex;
        vertex result : int32;
    }}
    edge functor f(src, dst, e) -> int32 {{ {body} }}
    schedule {{ {steps} }}"""


@pytest.mark.parametrize(
    "body, operation, first",
    [
        (READS, "sum", True),
        (READS.replace("limit < turn", "iteration + limit == 3"), "sum", True),
        (READS.replace("limit < turn", "limit < low[dst]"), "sum", False),  # edges say so themselves
        (READS.replace("limit < turn", "out_degree(src) > 2"), "sum", False),
        (READS.replace("cond kind[src] > 0; ", ""), "sum", False),  # nothing is tested
        (READS.replace("low[dst]", "low[next[dst]]"), "sum", False),  # may be found to be wrong
        ("cond kind[src] > 0; value low[src];", "sum", False),
        (READS, "max", False),
    ],
)
def test_where_one_of_two_values_is_selected_first(body: str, operation: str, first: bool) -> None:
    assert has_hint(plan_of(text_of(body, operation), on=target.CPU)) is first
    assert not has_hint(plan_of(text_of(body, operation)))


def has_hint(plan: Plan) -> bool:
    return only_sweep(plan).hint(SelectFirst) is not None


def test_edges_that_select_themselves_must_not_have_it() -> None:
    plan = plan_of(text_of(READS.replace("limit < turn", "limit < low[dst]")), on=target.CPU)
    wrong = map_sweeps(plan, lambda _, sweep: sweep.with_hints(SelectFirst()))
    with pytest.raises(VerificationError, match="select their values themselves"):
        verify(wrong)


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("more", ["", ", over=in_edges", ", over=all_edges"])
@pytest.mark.parametrize("turns", [1, 5])
@pytest.mark.sampled(18)
def test_the_result_is_the_same(turns: int, more: str, sizes: target.Sizes | None) -> None:
    random = np.random.default_rng(3)
    given = {"low": random.integers(-9, 9, 90), "kind": random.integers(0, 2, 90), "next": np.zeros(90, np.int64)}
    graphs = [random_graph(90, 900, seed=1), random_graph(90, 80, seed=2), make_graph([(0, 0), (0, 0)], 3)]
    check(text_of(READS, more=more, turns=turns), graphs, sizes, **given)
