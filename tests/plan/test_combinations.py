"""What is decided for frontiers that are combined: who is walked and who asked, forms, buffers, what is handed on."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.extents import VERTICES
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Domain
from gdsl.plan import target
from gdsl.plan.buffer_nodes import Cleared, Role
from gdsl.plan.nodes import Combine, Form, Members, Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.verifier_sets import verify_combinations
from gdsl.plan.walking import combinations, launches

from .planning import plan_of

HEAD = """program p;
problem { param source : vertex; vertex level : int32 = -1; scalar total : int64; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
edge functor step(src, dst, e) { }
schedule { frontier f = { source }; frontier g = advance(f, step); frontier h; level[source] = 0; %s }"""


def plan_for(schedule: str, on: target.Target = target.CUDA_FUSED, *tune: str) -> Plan:
    return plan_of(HEAD % schedule, *tune, on=on)


def combined(schedule: str, on: target.Target = target.CUDA_FUSED, *tune: str) -> Combine:
    """How the one combination of a schedule is done."""
    (found,) = combinations(plan_for(schedule, on, *tune))
    return found


@pytest.mark.parametrize(
    ("schedule", "walked", "asked"),
    [
        ("h = f | g;", "f", "g"),
        ("f = f | g;", "f", "g"),
        ("g = f | g;", "g", "f"),
        ("h = f & g;", "f", "g"),
        ("g = f & g;", "g", "f"),
        ("h = f - g;", "f", "g"),
        ("g = f - g;", "f", "g"),
    ],
)
def test_what_is_written_is_not_what_is_asked_where_that_can_be_chosen(schedule: str, walked: str, asked: str) -> None:
    found = combined(schedule)
    assert found.walked == Members(Domain.VERTEX, walked, Form.QUEUE)
    assert found.asked == Members(Domain.VERTEX, asked, Form.BITMAP)
    assert found.waits == (schedule == "g = f - g;")
    assert not combined(schedule, target.CPU).waits


def test_only_a_union_with_itself_grows() -> None:
    grows = {text: combined(text).grows for text in ("f = f | g;", "f = g | f;", "h = f | g;", "f = f & g;")}
    assert grows == {"f = f | g;": True, "f = g | f;": True, "h = f | g;": False, "f = f & g;": False}


def test_few_members_are_united_in_one_sweep_where_all_wait_for_all_within_a_launch() -> None:
    few = {text: combined(text).few for text in ("f = f | g;", "f = g | f;", "h = f | g;", "f = f & g;")}
    assert few == {"f = f | g;": True, "f = g | f;": True, "h = f | g;": False, "f = f & g;": False}
    assert not combined("f = f | g;", target.CUDA_UNFUSED).few and not combined("f = f | g;", target.CPU).few
    of_edges = "program p; schedule { edge frontier f; edge frontier g; f = f | g; }"
    (found,) = combinations(plan_of(of_edges))
    assert not found.few


def test_all_but_a_set_walks_everything() -> None:
    found = combined("h = vertices - f;", target.CUDA_FUSED, "step.direction=pull")
    assert found.walked == Members(Domain.VERTEX, None, None) and not found.words


def test_words_are_for_sets_that_may_have_no_queue() -> None:
    assert not combined("h = f | g;").words
    assert combined("h = f | g;", target.CUDA_FUSED, "step.direction=pull").words
    assert combined("h = f | g; while (f) { f = advance(f, visit); }").words
    assert not combined(
        "h = f | g; advance(g, step, to=none) @pulled;", target.CUDA_FUSED, "@pulled.direction=pull"
    ).words


FILTERED = """program p;
problem { vertex level : int32; scalar total : int64; }
function large(x: int32) -> bool { return x > 3; }
vertex functor deep(v) { cond level[v] > iteration; }
vertex functor raised(v) { apply { level[v] += int32(total); } }
vertex functor told(v) { cond large(level[v]); }
vertex functor said(v) { cond level[v] > 3; apply { level[v] = 0; } }
edge functor step(src, dst, e) { }
schedule { frontier f = { 3, 4 }; frontier g; frontier h; SCHEDULE }"""


@pytest.mark.parametrize(
    ("schedule", "test"),
    [
        ("g = filter(f, deep); f = f - g;", "deep"),
        ("g = filter(f, deep); g = f - g;", "deep"),
        ("g = filter(f, deep); h = f - g;", "deep"),
        ("g = filter(vertices, deep); h = vertices - g;", "deep"),
        ("while (f) { g = filter(f, deep); f = f - g; }", "deep"),
        ("g = filter(f, deep); h = g - f;", None),
        ("g = filter(f, deep); h = f & g;", None),
        ("g = filter(f, deep); h = h - g;", None),
        ("g = filter(f, deep); h = vertices - g;", None),
        ("g = filter(f, deep); total = 1; h = f - g;", None),
        # The filter runs in the sweep of `compute`, and the store goes behind it.
        ("compute(f, raised); total = 5; g = filter(f, deep); f = f - g;", None),
        ("compute(f, raised); g = filter(f, deep); f = f - g;", "deep"),
        ("repeat (2) { g = filter(f, deep); } h = f - g;", None),
        ("g = filter(f, told); f = f - g;", None),
        ("g = filter(f, said); f = f - g;", None),
        ("g = advance(f, step); f = f - g;", None),
    ],
)
def test_the_rest_of_a_filter_asks_its_test(schedule: str, test: str | None) -> None:
    plan = plan_of(FILTERED.replace("SCHEDULE", schedule))
    (found,) = combinations(plan)
    assert (found.test.functor if found.test is not None else None) == test
    assert ("that do not pass deep, by which g was made" in print_plan(plan)) == (test is not None)
    assert found.test is None or not (found.marks or found.words or found.waits)
    for on in (target.CPU, target.CUDA_UNFUSED):
        assert combinations(plan_of(FILTERED.replace("SCHEDULE", schedule), on=on))[0].test is None


def test_a_test_is_verified() -> None:
    plan = plan_of(FILTERED.replace("SCHEDULE", "g = filter(f, deep); h = f - g; total = size(h);"))
    (launch,) = launches(plan)
    (found,) = combinations(plan)
    moved = tuple(dataclasses.replace(step, test=None) if step is found else step for step in launch.steps)
    changed = dataclasses.replace(plan, schedule=(dataclasses.replace(launch, steps=moved),))
    with pytest.raises(VerificationError, match=r"another test|marks where"):
        verify_combinations(changed)


def test_marks_and_bitmaps_are_there_for_it() -> None:
    text = "program p; schedule { frontier f; frontier g; f = f - g; }"
    found = {buffer.role: buffer for buffer in plan_of(text).buffers}
    assert (found[Role.MARKS].copies, found[Role.MARKS].cleared) == (2, Cleared.ZERO)
    assert (found[Role.QUEUE].copies, found[Role.QUEUE].extent) == (3, VERTICES)
    assert found[Role.BITMAP].copies == 3
    without = {buffer.role for buffer in plan_of(text.replace("f - g", "g")).buffers}
    assert not without & {Role.MARKS, Role.BITMAP}
    assert not {buffer.role for buffer in plan_of(text, on=target.CPU).buffers} & {Role.MARKS, Role.BITMAP}


def test_edges_are_counted_of_what_a_choice_asks_for_alone() -> None:
    plan = plan_for("while (f) { h = h - f; f = advance(h, visit) & g; }")
    assert [frontier.name for frontier in plan.frontiers if frontier.counts is not None] == ["h"]


def test_operands_may_change_their_form_and_are_handed_on() -> None:
    plan = plan_for("h = f - g;", target.CUDA_UNFUSED)
    (launch,) = (each for each in launches(plan) if any(isinstance(step, Combine) for step in each.steps))
    assert launch.reads == () and launch.writes == ("f", "g", "h")


def test_it_is_printed() -> None:
    text = print_plan(plan_for("g = f - g; f = g | f;", target.CUDA_FUSED, "step.direction=pull"))
    assert (
        "combine: g = f - g  # line 5\n            as a queue: those of f that are not in g, by its bitmap or" in text
    )
    assert "wait until the marks are taken out" in text
    assert "in one sweep where both are few and have no bitmap" in text
    assert "grows in place where f has a bitmap that is worth it" in text
