"""What must hold of each step between sets and data; `verifier` checks it."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir.nodes import (
    Array,
    CheckPairs,
    CheckWidth,
    ChooseBound,
    History,
    Literal,
    NoneId,
    NumberMembers,
    PushLevel,
    Scalar,
    SetStep,
    TakeLevel,
)
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
