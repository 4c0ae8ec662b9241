"""Monotone loops: any order of their visits ends in the same values (*Order of work* of the language).

`while (f) { f = advance(f, relax); }` and nothing else, where all that `relax` does is one `min=` (or `max=`) on an
element at the far end, with `accept changed(…)` of just that. What decides it must be the same in every visit, and the
operand monotone in the element at the near end (`monotone`): then the worklist of `relaxation` may be worked off in any
order.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir import nodes
from gdsl.operations import Domain, ReduceOperation
from gdsl.rules import Judged
from gdsl.uniqueness.data import Data, all_steps
from gdsl.uniqueness.relaxation import Loop, works_off


def monotone_loops(program: nodes.Program, sites: Mapping[int, Judged], data: Data) -> frozenset[int]:
    """The numbers of the `while`s of a program that are monotone."""
    loops = (step for step in all_steps(program.schedule) if isinstance(step, nodes.While))
    return frozenset(step.loop for step in loops if _is_monotone(step, sites, data))


def _is_monotone(step: nodes.While, sites: Mapping[int, Judged], data: Data) -> bool:
    operator = step.body[0] if len(step.body) == 1 else None
    if not isinstance(operator, nodes.Operator) or operator.visits is None or operator.frontier.everything:
        return False
    if operator.result is None or operator.gives is not Domain.VERTEX:
        return False
    effects = sites[operator.site].effects
    if len(effects.writes) != 1:
        return False
    (write,) = effects.writes
    in_order = write.operation in (ReduceOperation.MIN, ReduceOperation.MAX) and effects.accept is write.result
    in_order = in_order and works_off(effects, write.name)
    return in_order and write.name in Loop(step, sites, data).settled()
