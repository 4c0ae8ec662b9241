"""Which arrays several GPUs copy before an operator reads them at random."""

from __future__ import annotations

import pytest
from oracles import CASES

from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.mirrors import FILLED, FREE
from gdsl.plan.nodes import Directions, Plan
from gdsl.plan.phase_nodes import Barrier, Mirror
from gdsl.plan.walking import operations, own_sweeps, sweeps

from .planning import program_of
from .several_gpus import plan, plan_without

HEAD = "program p; problem { param s : vertex; vertex a : float32 = 1.0; vertex b : float32; vertex c : float32; "


def copied(found: Plan) -> list[tuple[tuple[str, ...], bool]]:
    return [(each.mirrors.arrays, each.mirrors.members) for each in sweeps(found) if each.mirrors is not None]


def reduction(value: str, rest: str = "") -> str:
    functor = f"edge functor f(src, dst, e) -> float32 {{ value {value}; }}"
    return f"{HEAD} }} {functor} schedule {{ b = neighbor_reduce(vertices, f, sum, over=in_edges); {rest} }}"


def test_what_a_reduction_reads_at_far_ends() -> None:
    assert copied(plan(reduction("a[src]"))) == [(("a",), False)]
    assert copied(plan(reduction("a[src] * c[src]"), left_out="far_values")) == [(("a", "c"), False)]
    assert copied(plan(reduction("a[dst]"))) == []  # its own vertex
    assert copied(plan(reduction("a[src]"), several_gpus=False)) == []


def test_what_is_read_at_an_index_that_is_data() -> None:
    text = reduction("a[next[dst]]").replace("vertex c : float32;", "vertex c : float32; vertex next : vertex = id;")
    assert copied(plan(text)) == [(("a",), False)]


def test_the_result_of_the_reduction_is_not_copied() -> None:
    """Nor is what else is written in its sweep."""
    assert copied(plan(reduction("b[src] + a[src]"), left_out="far_values")) == [(("a",), False)]


def test_a_pull_copies_the_bitmap_of_its_members() -> None:
    found = plan("bfs")
    assert copied(found) == [((), True)]
    (operation,) = operations(found)
    (directions,) = operation.body
    assert isinstance(directions, Directions)
    assert [type(each) for each in directions.pull].count(Mirror) == 1
    assert not any(isinstance(each, Mirror) for each in directions.push)
    assert [buffer.name for buffer in found.buffers if buffer.name == "mirrors"] == ["mirrors"]


def test_pagerank_copies_its_shares() -> None:
    assert copied(plan("pagerank")) == [(("share",), False)]


def test_an_operator_that_does_not_wait_leaves_copies_that_another_may_still_read() -> None:
    again = "b = neighbor_reduce(vertices, f, sum, over=in_edges);"
    text = reduction("a[src]", f"c = neighbor_reduce(vertices, f, max, over=in_edges); repeat (2) {{ {again} }}")
    found = plan(text)
    bodies = [operation.body for operation in own_sweeps(found)]
    waits = [operation.waits for operation in own_sweeps(found)]
    for body in bodies:
        place = body.index(Mirror())
        assert body[place + 1] == FILLED
        assert (place > 0 and body[place - 1] == FREE) == (not all(waits))


def test_programs_that_make_graphs_have_none() -> None:
    assert copied(plan("louvain")) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(36)
def test_every_plan_is_correct(case) -> None:
    """The verifier says so, with copies and without them; each sweep that reads copies fills them once."""
    found = build(program_of(case.name), target.on_several_gpus(target.CUDA_FUSED))
    fills = [each for operation in own_sweeps(found) for each in _phases(operation.body)]
    assert sum(isinstance(each, Mirror) for each in fills) == len(copied(found))
    assert all(isinstance(fills[place + 1], Barrier) for place, each in enumerate(fills) if isinstance(each, Mirror))
    assert copied(plan_without(case.name, "mirrors")) == []


def _phases(body):
    for each in body:
        yield from (*each.pull, *each.push) if isinstance(each, Directions) else (each,)
