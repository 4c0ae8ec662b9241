"""What must hold of the steps between sets and data: of each by itself for `verifier`, of all of them together for
`soundness`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdsl.ir.expressions import Element, Literal, NoneId, ScalarValue
from gdsl.ir.operators import Operator, Step
from gdsl.ir.program import Array, Fill, If, Program, Repeat, Scalar, StoreElement, StoreScalar, Swap, While
from gdsl.ir.set_steps import CheckPairs, CheckWidth, ChooseBound, History, NumberMembers, PushLevel, SetStep, TakeLevel
from gdsl.ir.statements import ElementTarget, ScalarTarget
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.types import Type


def misfit_of_step(
    step: SetStep, frontiers: Mapping[str, Domain], arrays: Mapping[str, Array], scalars: Mapping[str, Scalar]
) -> str | None:
    """What a step names that the program does not have, or not of this kind; None where all fits."""
    if isinstance(step, (PushLevel, TakeLevel)):
        named = step.frontier if isinstance(step, PushLevel) else step.name
        if frontiers.get(named) is not Domain.VERTEX:
            return f"no frontier {named}"
        return None if _has_data(step.history, arrays, scalars) else f"no data of the history {step.history.name}"
    if isinstance(step, NumberMembers):
        members, array = step.members, arrays.get(step.array)
        if members.frontier is not None and frontiers.get(members.frontier) is not members.domain:
            return f"no such frontier {members.frontier}"
        fits = array is not None and (array.domain, array.type) == (members.domain, step.array_type)
        return None if fits and step.array_type.is_integer else f"no array {step.array} for the places"
    if isinstance(step, CheckWidth):
        width = scalars.get(step.width)
        fits = width is not None and width.type is step.type and step.type.is_numeric
        return None if fits else f"no width of {step.name}"
    if isinstance(step, ChooseBound):
        known = [scalars.get(name) for name in (*step.reads, step.bound)]
        fits = all(scalar is not None and scalar.type is Type.FLOAT64 for scalar in known)
        return None if fits and frontiers.get(step.waiting) is Domain.VERTEX else f"no bound of {step.buckets}"
    if isinstance(step, CheckPairs):
        more = scalars.get(step.more)
        return None if more is not None and more.type is Type.INT64 else f"no difference {step.more}"
    return f"an unknown step {type(step).__name__}"


def _has_data(history: History, arrays: Mapping[str, Array], scalars: Mapping[str, Scalar]) -> bool:
    members, ends, levels = arrays.get(history.members), arrays.get(history.ends), scalars.get(history.levels)
    if members is None or ends is None or levels is None:
        return False
    return (
        (members.domain, members.type) == (Domain.VERTEX, Type.VERTEX)
        and (ends.domain, ends.type) == (Domain.VERTEX, Type.INT64)
        and levels.type is Type.INT64
        and all(_begins_empty(data) for data in (members, ends, levels))
    )


def _begins_empty(data: Array | Scalar) -> bool:
    empty = isinstance(data.initial, NoneId) or (isinstance(data.initial, Literal) and data.initial.value == 0)
    return empty and data.is_local and not data.is_input and data.where is None


# ---------------------------------------------------------------- all of them together


def holds_together(program: Program) -> bool:
    """Whether what is kept for histories is as their own steps leave it, so that no level reaches past an array."""
    histories = {node for node in walk(program.schedule) if isinstance(node, History)}
    if not histories:
        return True
    own = [name for history in histories for name in history.data]
    if len(set(own)) != len(own):
        return False
    return _untouched(program, frozenset(own), frozenset(history.levels for history in histories)) and _in_loops(
        program.schedule, None
    )


def _untouched(program: Program, own: frozenset[str], levels: frozenset[str]) -> bool:
    """Whether nothing else names `own`; the schedule may read `levels`, and set them to 0."""
    for node in walk((program.functions, program.vertex_functors, program.edge_functors)):
        if isinstance(node, ScalarValue) and node.name in own:
            return False
    for node in walk(program):
        if set(_named(node)) & own:
            return False
        if isinstance(node, StoreScalar) and node.scalar in own:
            zero = isinstance(node.value, Literal) and node.value.value == 0
            if not (zero and node.scalar in levels):
                return False
    return True


def _named(node: object) -> Iterator[str]:
    """The data that a node names, but scalars in expressions and where the schedule stores them."""
    if isinstance(node, (Element, ElementTarget, Fill)):
        yield node.array
    elif isinstance(node, ScalarTarget):
        yield node.scalar
    elif isinstance(node, StoreElement):
        yield node.target.array
    elif isinstance(node, NumberMembers):
        yield node.array
    elif isinstance(node, Swap):
        yield from (node.first, node.second)
    elif isinstance(node, Operator):
        yield from (name for name in (node.stores, node.adds_to) if name is not None)


def _in_loops(steps: tuple[Step, ...], loop: Repeat | None) -> bool:
    """Whether levels are taken only in loops that have a pass for each, and do not change how many there are."""
    for step in steps:
        if isinstance(step, TakeLevel) and (loop is None or not _passes_through(step.history, loop)):
            return False
        if isinstance(step, (While, Repeat)):
            inside = step if isinstance(step, Repeat) else None
            if not _in_loops(step.body, inside):
                return False
        elif isinstance(step, If) and not all(_in_loops(block, loop) for block in (step.then, step.otherwise)):
            return False
    return True


def _passes_through(history: History, loop: Repeat) -> bool:
    counted = isinstance(loop.count, ScalarValue) and loop.count.name == history.levels
    changes = (
        (isinstance(node, StoreScalar) and node.scalar == history.levels)
        or (isinstance(node, PushLevel) and node.history.levels == history.levels)
        for node in walk(loop.body)
    )
    return counted and not any(changes)
