"""Decides which sweeps of few members leave half of the warps to each other (cuda).

A reduction that ends without a barrier is still under way when the next operator begins, which waits for nothing that
it does. Yet a warp that has members of both takes one after the other, and each is a row of loads that wait for each
other: a member, where its list lies, neighbours, their values. Where members are few there are warps for both. So
the first of two such operators gives its members to the last half of the warps, the other to the first half, twice
as many each, and the two rows are waited for side by side. Where there is work for all warps all have some of both.
"""

from __future__ import annotations

from dataclasses import replace

from gdsl.operations import Balance
from gdsl.plan.barriers import ends_with_barrier
from gdsl.plan.nodes import Barrier, Branch, Choice, Launch, Loop, On, Operation, Step, Sweep
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.target import Target
from gdsl.plan.waiting import has_barrier_within, walks_without_waiting
from gdsl.plan.walking import map_operations
from gdsl.plan.warp_nodes import Warps

Sites = frozenset[int]
_NONE: Sites = frozenset()


def share_warps(schedule: tuple[Step, ...], target: Target) -> tuple[Step, ...]:
    """`schedule` with the warps that its sweeps have, whatever they had before."""
    warps: dict[int, Warps] = {}
    if target.grid and target.fused and not target.teams:
        found = _Neighbours()
        found.steps(schedule, _NONE)
        warps = dict.fromkeys(found.former, Warps.LAST) | dict.fromkeys(found.following, Warps.FIRST)
    return map_operations(schedule, lambda operation: _with(operation, warps))


def _with(operation: Operation, warps: dict[int, Warps]) -> Operation:
    has, does = warps.get(operation.step.site, Warps.ALL), operation.does
    if isinstance(does, Choice):
        does = replace(does, yes=_on(does.yes, Warps.ALL), no=_on(does.no, has))
    else:
        does = _on(does, has)
    return replace(operation, does=does, ahead=tuple(_with(each, warps) for each in operation.ahead))


def _on(sweep: Sweep, warps: Warps) -> Sweep:
    return sweep if sweep.warps is warps else replace(sweep, warps=warps)


class _Neighbours:
    """Goes through a schedule with what is under way since the last barrier on some way that leads here."""

    def __init__(self) -> None:
        self.former = set[int]()
        """The sites of sweeps that another one follows at once."""
        self.following = set[int]()
        """And of those."""

    def steps(self, steps: tuple[Step, ...], since: Sites) -> Sites:
        """What is under way behind `steps`."""
        for step in steps:
            since = self._step(step, since)
        return since

    def _step(self, step: Step, since: Sites) -> Sites:
        if isinstance(step, Launch):
            return self.steps(step.steps, _NONE)
        if isinstance(step, Loop):
            return self._loop(step)
        if isinstance(step, On):
            return self.steps(step.body, since)
        if isinstance(step, Branch):
            return self.steps(step.then, since) | self.steps(step.otherwise, since)
        if isinstance(step, Operation):
            return self._operation(step, since)
        return _NONE if isinstance(step, Barrier) or ends_with_barrier(step) else since

    def _loop(self, step: Loop) -> Sites:
        """What follows once, in front of all passes or behind them, is not worth half of the warps in each."""
        begins, left = _NONE, self.steps(step.body, _NONE)
        while not left <= begins:
            begins |= left
            left = self.steps(step.body, begins)
        return _NONE

    def _operation(self, operation: Operation, since: Sites) -> Sites:
        first = operation.ahead[0] if operation.ahead else operation
        sweep = first.does.no if isinstance(first.does, Choice) else first.does
        if since and _shares_lists(sweep):
            self.former |= since
            self.following.add(first.step.site)
        if ends_with_barrier(operation) or has_barrier_within(sweep):
            return _NONE
        leaves = _shares_lists(sweep) and walks_without_waiting(sweep)
        return since | {first.step.site} if leaves else since


def _shares_lists(sweep: Sweep) -> bool:
    """Whether warps share the lists of a queue's members evenly, few members among all warps."""
    if sweep.members.form is not Form.QUEUE or sweep.balance is not Balance.AUTO or not sweep.walks:
        return False
    if sweep.segment is not None:
        return sweep.segment.stops_at is None and sweep.segment.upcoming is None
    others = (sweep.selection, sweep.vote, sweep.intersection, sweep.order, sweep.skips)
    return sweep.collect is not None and all(each is None for each in others)
