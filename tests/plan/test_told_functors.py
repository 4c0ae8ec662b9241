"""Functors that ask what they changed: where the plan has workers run at once, what they leave together is what some
order of the calls leaves."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from gdsl.backends.cpu.planning import plan_of
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.plan.walking import operations
from tests.support.told_functors import Functor, functor, runs


def at_once(made: Functor) -> bool:
    """Whether workers run it at once; the plan is verified."""
    try:
        program = load(made.text)
    except GdslError:
        return False
    first = next(each for each in operations(plan_of(program, workers=True)) if each.step.word == "advance")
    return first.turns is None


def judged(seeds: range, chosen: Callable[[Functor], bool] = at_once) -> tuple[int, list[int]]:
    """How many functors of `seeds` are chosen, and those of which workers at once leave what no order leaves."""
    count, wrong = 0, []
    for seed in seeds:
        made = functor(seed)
        if not any("changed" in line for line in made.lines) or not chosen(made):
            continue
        count += 1
        random = Random(seed)
        for run in runs(made, 4):
            found = {run.side_by_side(random) for _ in range(6)}
            some = {run.one_by_one(random.sample(run.calls, len(run.calls))) for _ in range(12)}
            if found <= some:
                continue
            every = run.everything()
            if every is not None and not found <= every:
                wrong.append(seed)
                break
    return count, wrong


def test_workers_leave_what_some_order_leaves() -> None:
    count, wrong = judged(range(40))
    assert count > 5 and wrong == []


@pytest.mark.slow
def test_workers_leave_what_some_order_leaves_of_many_functors() -> None:
    count, wrong = judged(range(100, 500))
    assert count > 40 and wrong == []


def test_functors_that_may_not_run_at_once_are_found() -> None:
    """Without turns, the model sees it."""
    count, wrong = judged(range(40, 60), _compiles)
    assert count > 10 and len(wrong) > 2


def _compiles(made: Functor) -> bool:
    try:
        load(made.text)
    except GdslError:
        return False
    return True
