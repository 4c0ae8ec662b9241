"""Which monotone loops may be worked off from near to far: what else that asks for, beside any order being right."""

from __future__ import annotations

from gdsl.ir.nodes import Advance, EdgeFunctor, ElementTarget, OperatorKnobs, Program, Update, While
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, Duplicates, FrontierForm, Over
from gdsl.types import Type

_RANKED = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64, Type.FLOAT32, Type.FLOAT64)
"""Values whose distances mean something; of labels (ids) they do not."""


def hindrance(loop: While, program: Program) -> str | None:
    """Why the monotone `loop` has no order from near to far; None where it may have one."""
    (step,) = loop.body
    assert isinstance(step, Advance)
    kind = next(array.type for array in program.arrays if array.name == changed_in(loop, program).array)
    if kind not in _RANKED:
        return f"values of the type {kind} are not near or far"
    if step.over is Over.ALL_EDGES:
        return "both lists of a vertex are visited"
    if program.graphs:
        return "the program makes graphs"
    knob = _set_otherwise(program.tuning.sites[step.site])
    return f"`{step.label}.{knob}` says how its worklist is worked off" if knob is not None else None


def changed_in(loop: While, program: Program) -> ElementTarget:
    """What the functor of a monotone loop changes."""
    return update_in(loop, program).target  # type: ignore[return-value]


def update_in(loop: While, program: Program) -> Update:
    """The one thing that the functor of a monotone loop does."""
    (step,) = loop.body
    assert isinstance(step, Advance)
    functor: EdgeFunctor = next(each for each in program.edge_functors if each.name == step.functor)
    return next(node for node in walk(functor.body) if isinstance(node, Update))


def _set_otherwise(knobs: OperatorKnobs) -> str | None:
    """The first knob by which somebody has said how a worklist is walked or stored."""
    if knobs.direction not in (None, Direction.PUSH):
        return "direction"
    if knobs.balance is not Balance.AUTO:
        return "balance"
    if knobs.frontier is FrontierForm.BITMAP:
        return "frontier"
    return "dedup" if knobs.dedup is Duplicates.NONE else None
