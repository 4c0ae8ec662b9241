"""Plans whose exchanges are wrong, past the verifier: the tests of workers must see it in what they compute."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from gdsl import cache
from gdsl.backends.cpu import backend
from gdsl.backends.cpu.planning import plan_of
from gdsl.backends.workers.exchanges import DisagreementError
from gdsl.plan.nodes import Plan, Step
from gdsl.plan.walking import map_blocks
from tests.cpu.test_cpu_workers import GRAPHS, check
from tests.oracles import BY_NAME
from tests.plan.test_distribution import (
    Exchange,
    Snapshot,
    at_once,
    before_its_step,
    by_another,
    published,
    with_data,
    with_exchanges,
    without,
)

MUTANTS: dict[str, tuple[str, Callable[[tuple[Step, ...]], tuple[Step, ...]]]] = {
    "a merge left out": ("sssp", with_data(lambda each: None)),
    "an exchange left out": ("pagerank", lambda block: without(Exchange)(without(Snapshot)(block))),
    "an exchange before its step": ("sssp", before_its_step),
    "publish instead of merge": ("pagerank_push", with_data(published)),
    "another operation": ("sssp", with_data(by_another)),
    "a set that is not united": ("bfs", with_exchanges(frontier=None)),
    "edges that are not added up": ("bellman_ford", with_exchanges(counts_edges=False)),
    "fetch at once": ("k_core", at_once),
}


def test_edges_that_are_not_added_up_at_the_end_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: Any, workers: bool = False, **options: Any) -> Plan:
        found = plan_of(*arguments, workers=workers, **{**options, "verify": False})
        if not workers:
            return found
        assert found.distribution is not None and found.distribution.walked
        return dataclasses.replace(found, distribution=dataclasses.replace(found.distribution, walked=()))

    monkeypatch.setattr(backend, "plan_of", wrong)
    monkeypatch.setattr(cache, "load", lambda *arguments: None)
    monkeypatch.setattr(cache, "store", lambda *arguments: None)
    with pytest.raises(AssertionError):
        check(BY_NAME["spmv"], GRAPHS["random_directed"], 3)


@pytest.mark.parametrize("what", MUTANTS)
def test_workers_with_a_wrong_plan_are_noticed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, change = MUTANTS[what]

    def wrong(*arguments: Any, workers: bool = False, **options: Any) -> Plan:
        found = plan_of(*arguments, workers=workers, **{**options, "verify": False})
        return dataclasses.replace(found, schedule=map_blocks(found.schedule, change)) if workers else found

    monkeypatch.setattr(backend, "plan_of", wrong)
    monkeypatch.setattr(cache, "load", lambda *arguments: None)
    monkeypatch.setattr(cache, "store", lambda *arguments: None)
    with pytest.raises((AssertionError, DisagreementError)):
        for graph in ("random_undirected", "random_directed", "grid_undirected"):
            check(BY_NAME[name], GRAPHS[graph], 3)
