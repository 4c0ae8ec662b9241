"""Which arrays several GPUs have whole, and that the verifier sees where they may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from oracles import CASES
from support.replicas import NOT_REPLICATED, REPLICATED

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.plan.nodes import Initialize, Launch, Mode, Plan, Replica, Sweep, Variant
from gdsl.plan.verifier import verify
from gdsl.plan.verifier_replicas import verify_replicas
from gdsl.plan.walking import map_sweeps, sweeps, variants_of

from .planning import program_of
from .several_gpus import plan


def names(found: Plan) -> set[str]:
    return {each.array for each in found.replicas}


@pytest.mark.parametrize("what", REPLICATED)
def test_which_gpus_have_whole(what: str) -> None:
    assert "x" in names(plan(REPLICATED[what]))
    assert not plan(REPLICATED[what], several_gpus=False).replicas


@pytest.mark.parametrize("what", NOT_REPLICATED)
def test_which_they_have_in_parts(what: str) -> None:
    assert "x" not in names(plan(NOT_REPLICATED[what]))


def test_of_the_samples() -> None:
    found = {case.name: names(plan_of(program_of(case.name), several_gpus=True)) for case in CASES}
    labels = {name for name, arrays in found.items() if arrays == {"component"}}
    assert labels == {
        "bipartite_check",
        "components_hook_and_jump",
        "connected_components",
        "strongly_connected_components",
    }
    assert all(name in labels or not arrays for name, arrays in found.items() if name in SAMPLES)


SAMPLES = ("bfs", "pagerank", "k_core", "louvain", "minimum_spanning_forest", "coloring", "triangle_count")


def test_no_copy_is_filled() -> None:
    found = plan(REPLICATED["linked first"])
    (labels,) = [sweep.labels for sweep in sweeps(found) if sweep.labels is not None]
    assert labels.stays and found.replicas == (Replica("x", labels.copy),)


# Mistakes


def _sweeps(change: Callable[[Sweep], Sweep]) -> Callable[[Plan], Plan]:
    return lambda found: map_sweeps(found, lambda _, sweep: change(sweep))


def _modes(before: Mode, after: Mode) -> Callable[[Plan], Plan]:
    def variant(each: Variant) -> Variant:
        writes = tuple(
            dataclasses.replace(write, mode=after) if write.mode is before and write.name == "x" else write
            for write in each.writes
        )
        return dataclasses.replace(each, writes=writes)

    def sweep(each: Sweep) -> Sweep:
        walks = tuple(dataclasses.replace(walk, variant=variant(walk.variant)) for walk in each.walks)
        return dataclasses.replace(each, walks=walks)

    return _sweeps(sweep)


def _replicas(*replicas: Replica) -> Callable[[Plan], Plan]:
    return lambda found: dataclasses.replace(found, replicas=replicas)


def _launch(change: Callable[[Launch], Launch]) -> Callable[[Plan], Plan]:
    def changed(found: Plan) -> Plan:
        (launch,) = found.schedule
        assert isinstance(launch, Launch)
        return dataclasses.replace(found, schedule=(change(launch),))

    return changed


def _without_values(launch: Launch) -> Launch:
    first, *rest = launch.steps
    assert isinstance(first, Initialize)
    return dataclasses.replace(launch, steps=(dataclasses.replace(first, vertex_arrays=()), *rest))


MISTAKES: dict[str, Callable[[Plan], Plan]] = {
    "nobody has it whole": _replicas(),
    "another array": _replicas(Replica("again", 0)),
    "two have one copy": _replicas(Replica("x", 0), Replica("x", 0)),
    "calls publish nothing": _sweeps(lambda sweep: dataclasses.replace(sweep, published=())),
    "reduced in one copy": _modes(Mode.EVERYWHERE, Mode.SHARED),
    "no values at first": _launch(_without_values),
    "joined in one copy": _sweeps(
        lambda sweep: dataclasses.replace(
            sweep, labels=None if sweep.labels is None else dataclasses.replace(sweep.labels, packed=None)
        )
    ),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    found = plan(REPLICATED["linked first"])
    verify(found)
    with pytest.raises(VerificationError):
        verify(MISTAKES[what](found))


@pytest.mark.parametrize("what", [each for each in NOT_REPLICATED if each != "nothing is followed"])
def test_the_verifier_finds_what_may_not_be_whole(what: str) -> None:
    """As if the pass had taken all that it changes for what keeps copies equal."""
    found = plan(NOT_REPLICATED[what])

    def everywhere(sweep: Sweep) -> Sweep:
        own = any(write.name == "x" for each in variants_of(sweep) for write in each.writes) and sweep.own is not None
        return dataclasses.replace(sweep, published=("x",) if own else ())

    found = map_sweeps(_modes(Mode.SHARED, Mode.EVERYWHERE)(found), lambda _, sweep: everywhere(sweep))
    with pytest.raises(VerificationError, match="replicas"):
        verify_replicas(dataclasses.replace(found, replicas=(Replica("x", 0),)))
