"""Which sets several GPUs keep in queues of their own, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from oracles import CASES
from support.queues import NOT_QUEUED, QUEUED, filtering

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance, Over
from gdsl.plan.nodes import Dedup, Form, Initialize, Launch, OwnQueue, Plan, Sweep
from gdsl.plan.verifier import verify
from gdsl.plan.verifier_own_queues import verify_own_queues
from gdsl.plan.walking import map_sweeps

from .planning import program_of
from .several_gpus import plan


def names(found: Plan) -> list[str]:
    return [each.frontier for each in found.own_queues]


@pytest.mark.parametrize("what", QUEUED)
def test_which_have_queues_of_their_own(what: str) -> None:
    assert names(plan(QUEUED[what])) == (["h"] if what == "in a branch" else ["f"])
    assert not plan(QUEUED[what], several_gpus=False).own_queues


@pytest.mark.parametrize("what", NOT_QUEUED)
def test_which_have_one_queue(what: str) -> None:
    assert names(plan(NOT_QUEUED[what])) == []


def test_of_the_samples() -> None:
    found = {case.name: names(plan_of(program_of(case.name), several_gpus=True)) for case in CASES}
    assert found["connected_components"] == ["rest"]
    assert all(not found[name] for name in ("bfs", "sssp", "k_core", "pagerank", "coloring"))


# Mistakes


def _sweeps(change: Callable[[Sweep], Sweep]) -> Callable[[Plan], Plan]:
    return lambda found: map_sweeps(found, lambda _, sweep: change(sweep))


def _collects(**fields: object) -> Callable[[Plan], Plan]:
    def changed(sweep: Sweep) -> Sweep:
        collect = sweep.collect
        return sweep if collect is None else dataclasses.replace(sweep, collect=dataclasses.replace(collect, **fields))  # type: ignore[arg-type]

    return _sweeps(changed)


def _walks(**fields: object) -> Callable[[Plan], Plan]:
    return _sweeps(lambda sweep: dataclasses.replace(sweep, **fields) if sweep.walks else sweep)  # type: ignore[arg-type]


def _no_barrier(found: Plan) -> Plan:
    (launch,) = found.schedule
    assert isinstance(launch, Launch)
    first, *rest = launch.steps
    assert isinstance(first, Initialize)
    changed = dataclasses.replace(launch, steps=(dataclasses.replace(first, barrier=None), *rest))
    return dataclasses.replace(found, schedule=(changed,))


MISTAKES: dict[str, Callable[[Plan], Plan]] = {
    "another form": _collects(form=Form.BITMAP),
    "duplicates": _collects(dedup=Dedup.MARK),
    "edges are shared out": _walks(balance=Balance.EDGES),
    "members of a bitmap": _sweeps(
        lambda sweep: (
            dataclasses.replace(sweep, members=dataclasses.replace(sweep.members, form=Form.BITMAP))
            if sweep.members.frontier
            else sweep
        )
    ),
    "two have one place": lambda found: dataclasses.replace(found, own_queues=(*found.own_queues, OwnQueue("f", 0))),
    "no such set": lambda found: dataclasses.replace(found, own_queues=(OwnQueue("g", 0),)),
    "counters begin late": _no_barrier,
    "its edges are counted": lambda found: dataclasses.replace(
        found, frontiers=tuple(dataclasses.replace(each, counts=Over.OUT_EDGES) for each in found.frontiers)
    ),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    found = plan(filtering())
    verify(found)
    with pytest.raises(VerificationError, match="queues of each GPU"):
        verify_own_queues(MISTAKES[what](found))


@pytest.mark.parametrize("what", [each for each in NOT_QUEUED if each != "never walked"])
def test_the_verifier_finds_what_may_have_none(what: str) -> None:
    found = plan(NOT_QUEUED[what])
    with pytest.raises(VerificationError, match="queues of each GPU"):
        verify_own_queues(dataclasses.replace(found, own_queues=(OwnQueue("f", 0),)))
