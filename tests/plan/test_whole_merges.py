"""Which arrays several GPUs have whole because all that changes them is merged, and that the verifier sees mistakes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from oracles import CASES
from support.merges import CUTTING, MERGED, merged, relaxing

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.plan.nodes import Plan, Replica
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps

from .planning import program_of
from .several_gpus import plan

_RELAXED = MERGED["labels"]
NOT_WHOLE = {
    "an operator writes it on some vertices": relaxing("int32", "100", "min=", "x[src] + 1")
    .replace("schedule {", CUTTING)
    .replace("relax); } }", "relax); } f = { source }; compute(f, cut); }"),
    "filled": relaxing("int32", "100", "min=", "x[src] + 1").replace("x[source] = 1;", "fill(x, 7); x[source] = 1;"),
    "copied for another operator": relaxing("float32", "100", "min=", "x[src] + 1")
    .replace("problem {", "problem { vertex sum : float32;")
    .replace("schedule {", "edge functor give(src, dst, e) -> float32 { value x[dst]; }\nschedule {")
    .replace("relax); } }", "relax); } sum = neighbor_reduce(vertices, give, sum); }"),
}


def names(found: Plan) -> list[str]:
    return [each.array for each in found.replicas]


@pytest.mark.parametrize("what", MERGED)
def test_which_gpus_have_whole(what: str) -> None:
    found = plan(MERGED[what])
    assert set(names(found)) == ({each.array for each in merged(found)} if "bits" not in what else {"reached"})
    assert all(each.stays for each in merged(found)) and not plan(MERGED[what], several_gpus=False).replicas
    parts = plan(MERGED[what], left_out="replicas")
    assert merged(parts) and not any(each.stays for each in merged(parts)) and not parts.replicas


@pytest.mark.parametrize("what", NOT_WHOLE)
def test_which_they_have_in_parts(what: str) -> None:
    found = plan(NOT_WHOLE[what])
    assert names(found) == [] and [each.stays for each in merged(found)] == [False]


def test_copies_have_places_of_their_own() -> None:
    found = plan(MERGED["two arrays"])
    least, wide = merged(found)
    assert {(each.array, each.copy) for each in found.replicas} == {("least", least.copy), ("wide", wide.copy)}
    assert len({least.copy, wide.copy, least.marks}) == 3


def test_of_the_samples() -> None:
    found = {case.name: names(plan_of(program_of(case.name), several_gpus=True)) for case in CASES}
    assert found["sssp"] == ["distance"] and found["bfs"] == []


# Mistakes


def _merges(**fields: object) -> Callable[[Plan], Plan]:
    return lambda found: map_sweeps(
        found,
        lambda _, sweep: (
            sweep
            if sweep.merge is None
            else dataclasses.replace(sweep, merge=dataclasses.replace(sweep.merge, **fields))  # type: ignore[arg-type]
        ),
    )


def _replicas(*replicas: Replica) -> Callable[[Plan], Plan]:
    return lambda found: dataclasses.replace(found, replicas=replicas)


MISTAKES: dict[str, Callable[[Plan], Plan]] = {
    "nobody has it whole": _replicas(),
    "copies that nobody fills": _merges(copy=2),
    "copies that are filled again": _merges(stays=False),
    "another array": _replicas(Replica("y", 0)),
    "copies where marks are": _replicas(Replica("x", 1)),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_seen(what: str) -> None:
    found = plan(_RELAXED)
    verify(found)
    with pytest.raises(VerificationError):
        verify(MISTAKES[what](found))


@pytest.mark.parametrize("what", ["an operator writes it on some vertices", "filled"])
def test_the_verifier_finds_what_may_not_be_whole(what: str) -> None:
    found = _merges(stays=True)(plan(NOT_WHOLE[what]))
    (merge,) = merged(found)
    with pytest.raises(VerificationError, match="replicas"):
        verify(_replicas(Replica("x", merge.copy))(found))
