"""Why an operator went the way it did: what its switch compared, worked out again from the trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gdsl.backends.interface import TraceRecord
from gdsl.graph import Graph
from gdsl.operations import Direction

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan
    from gdsl.plan.sweep_nodes import Compare, Switch


@dataclass
class _State:
    """What a switch remembers, as `direction_state` of the generated code does."""

    unvisited: int
    pull: bool = False


class Reasons:
    """Asked for the records of a trace one after the other, in their order."""

    def __init__(self, plan: Plan | None, graph: Graph) -> None:
        """Without a plan, and where operators run on other graphs than `graph`, nothing is known."""
        self._vertices, self._edges = graph.num_vertices, graph.num_edges
        self._switches = {} if plan is None or plan.graphs else _switches(plan)
        self._states: dict[int, _State] = {}

    def of(self, record: TraceRecord) -> str | None:
        """Why it pushed or pulled, in words with numbers; None where there was no choice, or what the trace says does
        not account for it."""
        switch = self._switches.get(record.site)
        if switch is None or record.direction is None:
            return None
        state = self._states.get(record.site)
        if state is None or record.iteration == 0:
            state = self._states[record.site] = _State(self._edges)
        state.unvisited -= min(state.unvisited, record.edges)
        tests = [(each, *self._sides(each, record, state)) for each in (switch.stay if state.pull else switch.enter)]
        failed = [test for test in tests if not _holds(*test)]
        state.pull = record.direction is Direction.PULL
        if state.pull is bool(failed):
            return None
        words = " and ".join(_words(*test, holds=not failed) for test in (failed[:1] or tests))
        return f"{record.direction.value}, as {words}"

    def _sides(self, compare: Compare, record: TraceRecord, state: _State) -> tuple[int, int]:
        from gdsl.plan.sweep_nodes import Measure

        values = {
            Measure.SIZE: record.frontier_size,
            Measure.EDGES: record.edges,
            Measure.UNVISITED: state.unvisited,
            Measure.VERTICES: self._vertices,
        }
        return values[compare.left], values[compare.right]


def _switches(plan: Plan) -> dict[int, Switch]:
    from gdsl.plan.nodes import Choice
    from gdsl.plan.walking import operations

    return {each.step.site: each.does.test for each in operations(plan) if isinstance(each.does, Choice)}


def _holds(compare: Compare, left: int, right: int) -> bool:
    product = compare.factor * left
    return product > right if compare.strict else product >= right


def _words(compare: Compare, left: int, right: int, *, holds: bool) -> str:
    factor = f"{compare.factor} × " if compare.factor != 1 else ""
    sign = (">" if compare.strict else "≥") if holds else ("≤" if compare.strict else "<")
    return (
        f"{factor}{left:,} {compare.left.value} {sign} {right:,} {_RIGHT.get(compare.right.value, compare.right.value)}"
    )


_RIGHT = {"V": "vertices"}
