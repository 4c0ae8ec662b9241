"""Which loops have passes that one of several GPUs runs alone, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from support.merges import MERGED
from support.solo import NOT_SOLO, SOLO

from gdsl.ir.verifier import VerificationError
from gdsl.plan import solo_rounds
from gdsl.plan.nodes import Loop, Plan, Solo, Step
from gdsl.plan.solo_rounds import solo_loops
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_blocks

from .several_gpus import plan, plan_without


@pytest.mark.parametrize("what", SOLO)
def test_what_one_gpu_runs_alone(what: str) -> None:
    worklists = [loop.solo.worklist for loop in solo_loops(plan(SOLO[what])) if loop.solo is not None]
    assert worklists == (["f", "g"] if what == "a loop after a loop" else ["f"])
    assert not any(solo_loops(plan(SOLO[what], several_gpus=False)))


@pytest.mark.parametrize("what", NOT_SOLO)
def test_what_all_run(what: str) -> None:
    assert not any(solo_loops(plan(NOT_SOLO[what])))


def test_what_is_handed_on() -> None:
    def handed(what: str) -> Solo | None:
        (loop,) = solo_loops(plan(SOLO[what]))
        return loop.solo

    assert handed("two sets") == Solo("f", True, ("f", "g"), (0,), (), ())
    assert handed("marks") == Solo("f", False, ("f",), (), (), ())
    assert handed("a scalar of each thread") == Solo("f", False, ("f",), (), ("limit",), ())


@pytest.mark.parametrize("name", ["bfs", "k_core", "sssp", "louvain", "connected_components"])
def test_every_plan_is_correct(name: str) -> None:
    """The verifier says so, with such loops and without them."""
    assert not any(solo_loops(plan_without(name, "solo_rounds")))


# Mistakes


def with_solo(found: Plan, change: Callable[[Loop], Loop]) -> Plan:
    """A plan with a mistake in each loop."""

    def changed(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(change(step) if isinstance(step, Loop) else step for step in block)

    return dataclasses.replace(found, schedule=map_blocks(found.schedule, changed))


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("two sets", {"frontiers": ("f",)}),
        ("two sets", {"worklist": "g"}),
        ("two sets", {"counted": False}),
        ("two sets", {"directions": ()}),
        ("a scalar of each thread", {"private": ()}),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_the_verifier_sees_what_is_not_handed_on(what: str, fields: dict[str, object]) -> None:
    def wrong(loop: Loop) -> Loop:
        assert loop.solo is not None
        return dataclasses.replace(loop, solo=dataclasses.replace(loop.solo, **fields))  # type: ignore[arg-type]

    found = plan(SOLO[what])
    verify(found)
    with pytest.raises(VerificationError, match="one GPU alone"):
        verify(with_solo(found, wrong))


@pytest.mark.parametrize("what", ["a number of passes", "a union", "copies that are merged"])
def test_the_verifier_sees_loops_that_may_not(what: str) -> None:
    solo = Solo("f", True, ("f", "g"), (0,), (), ())
    found = plan(NOT_SOLO[what])
    verify(found)
    with pytest.raises(VerificationError, match="one GPU alone"):
        verify(with_solo(found, lambda loop: dataclasses.replace(loop, solo=solo)))


def test_the_verifier_looks_at_copies_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solo_rounds, "_may", lambda *_: True)
    with pytest.raises(VerificationError, match="copies of other GPUs"):
        plan(MERGED["bits"])
