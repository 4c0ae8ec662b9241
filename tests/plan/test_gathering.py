"""Advances that gather: those whose calls only combine, where most edges are the frontier's."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import plan_of
from gdsl.ir.nodes import Advance, NeighborReduce
from gdsl.ir.traversal import walk
from gdsl.operations import Direction
from gdsl.pipeline import load
from gdsl.plan.build import build
from gdsl.plan.nodes import Choice
from gdsl.plan.target import CPU_WORKERS, CUDA_WORKERS
from gdsl.plan.walking import operations
from gdsl.source import Source
from tests.oracles import CASES
from tests.support.graphs import make_graph

from .planning import ROOT

DENSE = make_graph([(a, b) for a in range(24) for b in range(24) if a != b], 24, directed=False)
FORWARD = "{ sum_of[t] += length[s]; }"
RECEIVED = "heard = neighbor_reduce(vertices, (s, t, e) => length[s], max, over=in_edges);"


def program(functor: str, call: str = "", more: str = "", requires: str = "requires symmetric;") -> str:
    """One advance from `f`."""
    return f"""program one; {requires}
        problem {{
            local vertex talks : bool = id < vertex(2); local vertex length : int32 = int32(id);
            vertex sum_of : int32; vertex least : float64 = 9; vertex pair_of : (int32, vertex) = (9, none);
            vertex heard : int32; scalar all_of : int32; local edge cost : int32 = 1;
        }}
        function slow(x : int32) -> int32 {{ return x; }}
        schedule {{
            frontier f = where(v => length[v] < 9); {more}
            advance(f, (s, t, e) => {functor}{call}) @gives; }}"""


def gathers(text: str, tune: tuple[str, ...] = ("gives.direction=auto",)) -> bool:
    plan = plan_of(load(Source("one.gdsl", text), tune))
    return any(isinstance(each.step, NeighborReduce) and each.step.label == "gives_gather" for each in operations(plan))


@pytest.mark.parametrize(
    ("functor", "wanted"),
    [
        (FORWARD, True),
        ("{ sum_of[t] -= 1; }", True),
        ("{ cond talks[s] || talks[t]; apply { sum_of[t] max= length[s] - length[t]; } }", True),
        ("{ least[t] += length[s] / 2.0; }", True),  # rounding is open in any case
        ("{ least[t] min= length[s] / 2.0; }", False),  # the least of nothing would still replace a NaN
        ("{ pair_of[t] min= (length[s], s); }", False),
        ("{ cond talks[t]; apply { sum_of[t] += length[s]; } }", False),  # few far ends may be open
        ("{ sum_of[t] += cost[e]; }", False),  # the edges of lists in the other direction have other ids
        ("{ sum_of[t] += slow(length[s]); }", False),
        ("{ sum_of[t] min= sum_of[s]; }", False),  # reads what it changes
        ("{ sum_of[s] += length[t]; }", False),
        ("{ sum_of[t] += length[s]; all_of += 1; }", False),
        ("{ let x = fetch(sum_of[t] += length[s]); accept x > 3; }", False),
        ("{ sum_of[out_degree(s) > 3 ? s : t] += 1; }", False),
    ],
)
def test_what_may_gather(functor: str, wanted: bool) -> None:
    assert gathers(program(functor)) is wanted


def test_lists_of_the_other_direction_are_there_or_it_pushes() -> None:
    assert not gathers(program(FORWARD, requires=""))
    assert gathers(program(FORWARD, more=RECEIVED, requires=""))
    back = program("{ sum_of[s] += length[t] + cost[e]; }", ", over=in_edges", requires="")
    assert gathers(back)  # every graph has lists of out-edges, and these have ids


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("", False),
        ("f = vertices;", True),
        ("f = vertices; f = where(v => length[v] < 5);", False),
        ("if (all_of > 0) { f = vertices; }", True),
        ("frontier g = vertices; f = g;", True),
    ],
)
def test_frontiers_that_may_be_all_vertices_are_asked_each_time(more: str, wanted: bool) -> None:
    assert gathers(program(FORWARD, more=more), ()) is wanted


def test_frontiers_that_become_all_vertices_at_the_end_of_a_pass_are_asked() -> None:
    text = program(FORWARD).replace("advance(f", "repeat (2) { advance(f").replace("@gives;", "@gives; f = vertices; }")
    assert gathers(text, ())
    assert not gathers(text.replace("f = vertices; }", "f = where(v => length[v] < 5); }"), ())


def test_loops_in_loops_are_judged_in_no_time() -> None:
    text = (
        program(FORWARD)
        .replace("advance(f", "repeat (2) { " * 40 + "advance(f")
        .replace("@gives;", "@gives;" + "}" * 40)
    )
    assert not gathers(text, ())


def test_a_direction_that_is_set_is_taken() -> None:
    whole = program(FORWARD, more="f = vertices;")
    assert not gathers(whole, ("gives.direction=push",))
    assert not gathers(whole, ("gives.direction=pull",))
    assert gathers(whole, ("gives.direction=auto",))


@pytest.mark.parametrize("target", [CPU_WORKERS, CUDA_WORKERS], ids=["cpu", "cuda"])
def test_workers_push(target) -> None:
    plan = build(load(Source("one.gdsl", program(FORWARD)), ("gives.direction=auto",)), target)
    (step,) = (each for each in walk(plan.program.schedule) if isinstance(each, Advance))
    assert not any(isinstance(each, NeighborReduce) for each in walk(plan.program.schedule))
    assert plan.program.tuning.sites[step.site].direction is not Direction.PULL
    assert not any(isinstance(each.does, Choice) for each in operations(plan))


@pytest.mark.parametrize("talking", [[3], [3, 20], list(range(24))], ids=["one", "two", "all"])
@pytest.mark.sampled(3)
def test_few_members_push_and_many_do_not(talking: list[int]) -> None:
    case = next(case for case in CASES if case.name == "gathers")
    values = {"talking": talking, "toll": np.arange(DENSE.num_edges, dtype=np.int32) % 7 - 2}
    result = gdsl.compile(ROOT / "tests" / "programs" / "gathers.gdsl").run(DENSE, values, backend="cpu")
    case.check(DENSE, values, {**result.host_arrays(), **result.scalars})
    labels = {record.label for record in result.trace}
    names = {"adds", "both", "lower", "raise", "sets", "hears", "firsts", "falls", "meets", "pays"}
    both = names & labels, {f"{name}_gather" for name in names} & labels
    assert [len(each) for each in both] == ([10, 0] if len(talking) < 3 else [0, 10])
