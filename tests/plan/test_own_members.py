"""The plan of workers with a GPU each: operators run on a worker's own members, the host exchanges data between
launches, and the verifier refuses plans in which a worker does the work of others, or not its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner

from gdsl.backends.cuda.planning import plan_of
from gdsl.cli.compile import command
from gdsl.ir.nodes import Advance, Filter, VertexFunctor
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Over, SetOperation
from gdsl.pipeline import load
from gdsl.plan.exchange_nodes import Exchange, Held, Snapshot
from gdsl.plan.nodes import Combine, Launch, Plan, Step
from gdsl.plan.own_members import own_sets
from gdsl.plan.verifier_exchanges import verify_exchanges
from gdsl.plan.walking import map_blocks, operations, steps_in
from tests.oracles import BY_NAME
from tests.plan.test_distribution import at_once, by_another, published, with_data, with_exchanges, without

Change = Callable[[tuple[Step, ...]], tuple[Step, ...]]


@cache
def plan(name: str) -> Plan:
    """The plan of a sample or test program for workers with GPUs."""
    return plan_of(load(str(BY_NAME[name].path)), workers=True)


def test_operators_run_on_own_members_alone() -> None:
    for name in ("sssp", "edge_sets"):
        found = plan(name)
        own = own_sets(found.program)
        assert found.distribution is not None and set(found.distribution.own_sets) == own
        for operation in operations(found):
            assert operation.step.frontier.frontier in own or operation.step.result in own


def test_the_host_exchanges_between_launches() -> None:
    found = plan("sssp")
    steps = steps_in(found.schedule)
    inside = [each for step in steps if isinstance(step, Launch) for each in step.steps]
    assert not any(isinstance(each, (Exchange, Snapshot)) for each in inside)
    assert any(isinstance(each, Exchange) for each in steps)
    assert found.distribution is not None and found.distribution.of_part("columns") is Held.OWN


def test_what_a_program_declares_is_not_taken() -> None:
    """Names of the program, whatever they are, stay what they were."""
    text = """program p; problem { vertex own_f : int32; vertex is_own_vertex : int32; vertex own_vertices : int32; }
    schedule { frontier f = where(v => v == vertex(0)); compute(f, v => { own_f[v] = 1; }); compute(vertices,
    v => { is_own_vertex[v] = 2; own_vertices[v] = 3; }); }"""
    found = plan_of(load(text), workers=True)
    assert {"own_f", "is_own_vertex", "own_vertices"} == {array.name for array in found.program.arrays}


def test_an_edge_functor_that_is_called_like_the_test_of_own_edges() -> None:
    """What it finds is not a worker's own set, and is exchanged."""
    text = """program p; problem { vertex seen : int32; } edge functor leaves_own_vertex(src, dst, e) { }
    schedule { edge frontier g = advance(vertices, leaves_own_vertex, to=edges); compute(g, (src, dst, e) => {
    seen[dst] += 1; }); }"""
    found = plan_of(load(text), workers=True)
    assert "g" not in own_sets(found.program)
    assert "g" in {step.frontier for step in steps_in(found.schedule) if isinstance(step, Exchange)}


def test_the_command_line_prints_it() -> None:
    words = ["bfs", "--several-workers", "--backend", "cuda", "--emit", "plan"]
    printed = CliRunner().invoke(command, words).output
    assert "f = advance(own_f, visit)" in printed and "unite f" in printed


# Wrong plans


def before_its_launch(block: tuple[Step, ...]) -> tuple[Step, ...]:
    """A block whose exchanges come before the launch that they belong to."""
    steps = list(block)
    for place in range(1, len(steps)):
        if isinstance(steps[place], Exchange) and isinstance(steps[place - 1], Launch):
            steps[place - 1], steps[place] = steps[place], steps[place - 1]
    return tuple(steps)


def with_step(kind: type, **fields: object) -> Change:
    """A block whose operators or steps of sets of a kind have other fields."""

    def changed(step: Any) -> Any:
        if isinstance(getattr(step, "step", None), kind):
            return dataclasses.replace(step, step=dataclasses.replace(step.step, **fields))
        return step

    return lambda block: tuple(map(changed, block))


def on_whole_sets(block: tuple[Step, ...]) -> tuple[Step, ...]:
    """A block whose advances run on the members of all workers."""

    def changed(step: Any) -> Any:
        if isinstance(getattr(step, "step", None), Advance) and step.step.frontier.frontier == "own_f":
            members = dataclasses.replace(step.step.frontier, frontier="f")
            return dataclasses.replace(step, step=dataclasses.replace(step.step, frontier=members))
        return step

    return tuple(map(changed, block))


WRONG: dict[str, tuple[str, Change]] = {
    "a merge left out": ("sssp", with_data(lambda each: None)),
    "an exchange left out": ("pagerank", without(Exchange)),
    "a snapshot left out": ("sssp", without(Snapshot)),
    "an exchange before its launch": ("sssp", before_its_launch),
    "publish instead of merge": ("sssp", with_data(published)),
    "another operation": ("sssp", with_data(by_another)),
    "a set that is not united": ("bfs", with_exchanges(frontier=None)),
    "one number twice": ("hits", with_exchanges(number=7)),
    "members of all workers": ("bfs", on_whole_sets),
    "edges into own vertices": ("edge_sets", with_step(Advance, over=Over.IN_EDGES)),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_plans_are_refused(what: str) -> None:
    name, change = WRONG[what]
    wrong = dataclasses.replace(plan(name), schedule=map_blocks(plan(name).schedule, change))
    assert wrong != plan(name)
    verify_exchanges(plan(name))
    with pytest.raises(VerificationError):
        verify_exchanges(wrong)


def test_fetch_at_once_is_refused() -> None:
    """Turns belong to the operator in a launch."""
    turns = [each for each in operations(plan("k_core")) if each.turns is not None]
    assert turns
    wrong = map_blocks(plan("k_core").schedule, at_once)
    with pytest.raises(VerificationError):
        verify_exchanges(dataclasses.replace(plan("k_core"), schedule=wrong))


@pytest.mark.parametrize("condition", [slice(0, 1), slice(1, 2), slice(0, 0)])
def test_a_test_of_own_members_that_lets_others_through_is_refused(condition: slice) -> None:
    found = plan("bfs")

    def weaker(functor: VertexFunctor) -> VertexFunctor:
        own = functor.name == "is_own_vertex"
        return dataclasses.replace(functor, condition=functor.condition[condition]) if own else functor

    program = dataclasses.replace(found.program, vertex_functors=tuple(map(weaker, found.program.vertex_functors)))
    with pytest.raises(VerificationError, match="members of other workers"):
        verify_exchanges(dataclasses.replace(found, program=program))


def test_a_union_is_no_own_part() -> None:
    found = plan("edge_sets")
    own = found.distribution.own_sets if found.distribution is not None else ()

    def changed(step: Any) -> Any:
        if isinstance(step, Combine) and step.step.name in own:
            return dataclasses.replace(step, step=dataclasses.replace(step.step, operation=SetOperation.UNION))
        return step

    wrong = map_blocks(found.schedule, lambda block: tuple(map(changed, block)))
    assert wrong != found.schedule
    with pytest.raises(VerificationError, match="members of other workers"):
        verify_exchanges(dataclasses.replace(found, schedule=wrong))


@pytest.mark.parametrize(("name", "held"), [("max_flow", "capacity"), ("random_walk", "columns")])
def test_parts_that_are_not_enough_are_refused(name: str, held: str) -> None:
    found = plan(name).distribution
    assert found is not None
    smaller = {
        field: tuple(
            dataclasses.replace(each, held=Held.OWN) if each.name == held else each for each in getattr(found, field)
        )
        for field in ("arrays", "graph")
    }
    with pytest.raises(VerificationError):
        verify_exchanges(dataclasses.replace(plan(name), distribution=dataclasses.replace(found, **smaller)))


def test_filters_of_the_program_are_exchanged() -> None:
    """Only those that find a worker's own members are not."""
    found = plan("k_core")
    filters = [each.step for each in operations(found) if isinstance(each.step, Filter)]
    united = {step.frontier for step in steps_in(found.schedule) if isinstance(step, Exchange)}
    own = own_sets(found.program)
    assert any(each.result not in own for each in filters)
    assert all((each.result in united) != (each.result in own) for each in filters)


def test_the_text_says_that_each_step_is_a_kernel() -> None:
    text = CliRunner().invoke(command, ["sssp", "--several-workers", "--backend", "cuda"]).output
    assert "a kernel for each step, several workers, " in text and "persistent" not in text
