"""What each pass decides, on the samples and on programs made for one decision."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdsl import pipeline
from gdsl.ir.nodes import Advance, Barrier, DefineFrontier, Element, Literal, Program, ScalarValue, Step, While
from gdsl.ir.traversal import walk
from gdsl.operations import Direction, Over
from gdsl.passes import pipelines

SAMPLES = Path(__file__).parents[2] / "samples"


def after(text: str, *tune: str) -> Program:
    source = str(SAMPLES / f"{text}.gdsl") if text.isidentifier() else text
    return pipelines.apply(pipeline.load(source, tune=tune), pipelines.CUDA_FUSED)


def only_advance(program: Program) -> Advance:
    (found,) = [node for node in walk(program.schedule) if isinstance(node, Advance)]
    return found


def test_a_closing_push_claims_and_selects() -> None:
    advance = only_advance(after("bfs"))
    assert advance.claims
    assert advance.select == (0,)
    assert advance.direction is Direction.AUTO


def test_what_an_auto_direction_asks_for_is_counted_where_the_frontier_is_made() -> None:
    program = after("bfs")
    made = [node.counts for node in walk(program.schedule) if isinstance(node, (Advance, DefineFrontier))]
    assert made == [Over.OUT_EDGES, Over.OUT_EDGES]
    pushed = after("bfs", "visit.direction=push")
    assert {n.counts for n in walk(pushed.schedule) if isinstance(n, (Advance, DefineFrontier))} == {None}


def test_a_relaxation_claims_nothing() -> None:
    advance = only_advance(after("sssp"))
    assert not advance.claims
    assert advance.select == ()
    assert advance.direction is Direction.PUSH


def test_reads_that_meet_writes_are_marked() -> None:
    (functor,) = after("sssp").edge_functors
    reads = {node.array: node.now for node in walk(functor.body) if isinstance(node, Element)}
    assert reads == {"distance": True, "weight": False}


def test_a_place_in_the_condition_cuts_the_lists() -> None:
    limits = [n.place_limit for n in walk(after("connected_components").schedule) if isinstance(n, Advance)]
    assert all(isinstance(limit, ScalarValue) and limit.name == "places" for limit in limits)
    text = """program p; problem { vertex a : int32; }
        edge functor f(src, dst, e) { cond place < 3; apply { a[dst] += 1; } }
        schedule { advance(vertices, f, to=none); }"""
    limit = only_advance(after(text)).place_limit
    assert isinstance(limit, Literal)
    assert limit.value == 3


@pytest.mark.parametrize(("over", "direction"), [("out_edges", Direction.PULL), ("all_edges", Direction.PUSH)])
def test_both_lists_of_a_vertex_are_pushed(over: str, direction: Direction) -> None:
    text = f"""program p; problem {{ vertex a : int32; }}
        edge functor f(src, dst, e) {{ apply {{ a[far] += 1; }} }}
        schedule {{ advance(vertices, f, to=none, over={over}); }}"""
    assert only_advance(after(text, "f.direction=pull")).direction is direction


def kinds(steps: tuple[Step, ...]) -> list[str]:
    return [type(step).__name__ for step in steps]


def test_barriers_of_pagerank() -> None:
    """`error` was read by the loop's condition, so it is stored only when all have read it, and read only then."""
    (loop,) = after("pagerank").schedule
    assert isinstance(loop, While)
    assert kinds(loop.body) == [
        "StoreScalar",
        "Barrier",
        "StoreScalar",
        "Barrier",
        "Compute",
        "NeighborReduce",
        "Compute",
        "Swap",
    ]


def test_a_frontier_that_only_lives_in_registers_needs_no_barrier() -> None:
    (*_, loop) = after("bfs").schedule
    assert isinstance(loop, While)
    assert kinds(loop.body) == ["Advance"]


def test_an_operator_waits_until_all_have_read_what_it_adds_to() -> None:
    text = """program p; problem { scalar n : int64; }
        vertex functor f(v) { apply { n += 1; } }
        schedule { while (n < 100) { compute(vertices, f); } }"""
    (loop,) = after(text).schedule
    assert isinstance(loop, While)
    assert kinds(loop.body) == ["Barrier", "Compute"]


def test_a_scalar_stored_at_the_end_of_a_pass_is_seen_by_the_next_test() -> None:
    text = """program p; problem { scalar n : int64; }
        schedule { while (n < 3) { n = n + 1; } }"""
    (loop,) = after(text).schedule
    assert isinstance(loop, While)
    assert [isinstance(step, Barrier) for step in loop.body] == [True, False, True]
