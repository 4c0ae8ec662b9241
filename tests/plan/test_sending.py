"""Reductions that send: where few neighbors have anything to give, and only where that is allowed."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import plan_of
from gdsl.ir.nodes import Advance
from gdsl.pipeline import load
from gdsl.plan.walking import operations
from gdsl.source import Source
from tests.oracles import CASES
from tests.support.graphs import make_graph

from .planning import ROOT

DENSE = make_graph([(a, b) for a in range(24) for b in range(24) if a != b], 24, directed=False)


def program(functor: str, call: str, more: str = "", requires: str = "") -> str:
    """One reduction into `sum_of`."""
    return f"""program one; {requires}
        problem {{
            local vertex talks : bool = id < vertex(2); local vertex length : int32 = int32(id); vertex sum_of : int32;
            local edge cost : int32 = 1;
        }}
        operator joined(a : int32, b : int32) -> int32 identity 0 {{ return a ^ b; }}
        function slow(x : int32) -> int32 {{ return x; }}
        edge functor gives(s, t, e) -> int32 {{ {functor} }}
        schedule {{ frontier f = where(v => length[v] < 9); {more} sum_of = neighbor_reduce(f, gives, {call}); }}"""


def sends(text: str) -> bool:
    plan = plan_of(load(Source("one.gdsl", text)))
    return any(isinstance(each.step, Advance) and each.step.label.startswith("gives_send") for each in operations(plan))


INTO = "sum, over=in_edges"
BACK = "advance(f, (s, t, e) => { apply { length[s] any= 1; } }, over=in_edges) @other;"


@pytest.mark.parametrize(
    ("functor", "call", "more", "wanted"),
    [
        ("cond talks[s]; value length[s];", INTO, "", True),
        ("cond talks[s] && length[t] > 1; value cost[e];", INTO, "", True),
        ("cond talks[t]; value length[t];", "min", BACK, True),
        ("cond talks[t]; value length[t];", "min", "", False),  # nothing walks in-edges
        ("cond talks[s] || talks[t]; value length[s];", INTO, "", False),  # speaks of both ends
        ("value length[s];", INTO, "", False),
        ("cond talks[s]; value slow(length[s]);", INTO, "", False),
        ("cond talks[s]; value length[s];", "joined, over=in_edges", "", False),
    ],
)
def test_what_may_send(functor: str, call: str, more: str, wanted: bool) -> None:
    assert sends(program(functor, call, more)) is wanted


def test_symmetric_graphs_have_both_lists() -> None:
    text = program("cond talks[t]; value length[t];", "min", requires="requires symmetric;")
    assert sends(text)
    with_edge = text.replace("value length[t]", "value cost[e]")
    assert not sends(with_edge)  # the edges of lists in the other direction have other ids


@pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("talking", [[3], [3, 20], list(range(24))], ids=["one", "two", "all"])
@pytest.mark.sampled(3)
def test_few_neighbors_send_and_many_do_not(talking: list[int], backend: str) -> None:
    case = next(case for case in CASES if case.name == "few_senders")
    values = {"talking": talking, "toll": np.arange(DENSE.num_edges, dtype=np.int32) % 7 - 2}
    result = gdsl.compile(ROOT / "tests" / "programs" / "few_senders.gdsl").run(DENSE, values, backend=backend)
    case.check(DENSE, values, {**result.host_arrays(), "paying": result.paying, "climbed": result.climbed})
    labels = {record.label for record in result.trace}
    few, many = {"pays_send", "climbs_send", "rises_send", "calm_send"}, {"pays", "climbs", "rises", "calm"}
    assert few <= labels and not many & labels if len(talking) < 3 else many <= labels and not few & labels
