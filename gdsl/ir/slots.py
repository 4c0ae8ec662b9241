"""Indices of arrays with several values per element: whether an index fits an array, and which places are known to be
in range.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.extents import MOST_VALUES, of_array
from gdsl.ir.nodes import Array, Convert, Expression, ForRange, Literal, Local, OwnPart, ParamValue, Slot
from gdsl.records import equal_apart_from
from gdsl.types import Type


def fits_extent(array: Array) -> bool:
    """Whether an array has as many values as its count says, which must be a literal in range or a param."""
    count = array.count
    if isinstance(count, Literal):
        in_range = count.type is Type.INT64 and 1 <= count.value <= MOST_VALUES
        return in_range and array.extent == of_array(array.domain, int(count.value))
    if count is not None and not (isinstance(count, ParamValue) and count.type is Type.INT64):
        return False
    return array.extent == of_array(array.domain, count.name if isinstance(count, ParamValue) else None)


def fits(index: Expression, array: Array) -> bool:
    """Whether an index names one value of an element where there are several, and only there."""
    if not isinstance(index, Slot):
        return array.count is None
    integer = index.place.type.is_integer and index.type is Type.INT64
    return array.count is not None and integer and same(index.count, array.count)


def is_inside(
    place: Expression, count: Expression, loops: Mapping[str, ForRange], defaults: Mapping[str, Expression]
) -> bool:
    """Whether `place` is one of 0 … `count` - 1 in every run: a literal, `part`, or the variable of one of `loops`
    (by name) whose bounds say so. `defaults` are the counts that params stand for."""
    place = _widened(place)
    if isinstance(place, OwnPart):
        return True  # of an array with the same count, as the checker ensures
    if isinstance(place, Literal):
        return isinstance(count, Literal) and 0 <= place.value < count.value
    loop = loops.get(place.name) if isinstance(place, Local) else None
    if loop is None or not isinstance(loop.first, Literal) or loop.first.value < 0:
        return False
    last = _widened(loop.last)
    if isinstance(count, Literal):
        return isinstance(last, Literal) and last.value <= count.value
    default = defaults.get(count.name) if isinstance(count, ParamValue) else None
    return default is not None and same(last, _widened(default))


def _widened(value: Expression) -> Expression:
    """An integer expression without conversions to wider types, which do not change counts: these are positive."""
    while isinstance(value, Convert) and _is_wider(value.type, value.operand.type):
        value = value.operand
    return value


def _is_wider(kind: Type, former: Type) -> bool:
    return kind.is_integer and former.is_integer and (kind.bits or 0) > (former.bits or 0)


def same(one: object, other: object) -> bool:
    """Whether two expressions are equal except for their spans."""
    return equal_apart_from(one, other, ("span",))
