"""The range of a shift contains every value that the language gives, for any value and any number of places."""

from __future__ import annotations

import itertools

import pytest

from gdsl.arithmetic.constants import integer_range, wrapped
from gdsl.effects.ranges import Range, limits, of_binary
from gdsl.operations import BinaryOperation
from gdsl.types import Type

KINDS = (Type.INT32, Type.UINT32, Type.INT64, Type.UINT64)
PLACES = ((0, 0), (3, 3), (1, 5), (31, 31), (24, 40), (-1, 2), (63, 64))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("left", [True, False])
def test_every_value_is_in_the_range(kind: Type, left: bool) -> None:
    operation = BinaryOperation.SHIFT_LEFT if left else BinaryOperation.SHIFT_RIGHT
    least, most = integer_range(kind)
    ends = sorted({max(each, least) for each in (least, -5, 0, 1, 127, 70000, most)})
    for (low, high), (first, last) in itertools.product(itertools.combinations_with_replacement(ends, 2), PLACES):
        found = of_binary(operation, kind, Range(low, high), Range(first, last))
        for value, by in itertools.product({low, (low + high) // 2, high}, range(max(first, 0), last + 1)):
            if by < (kind.bits or 0):
                shifted = wrapped(value << by, kind) if left else value >> by
                assert found.low <= shifted <= found.high, (value, by, found)


def test_what_is_known() -> None:
    shift = BinaryOperation.SHIFT_LEFT, BinaryOperation.SHIFT_RIGHT
    assert of_binary(shift[0], Type.INT32, Range(0, 30), Range(3, 3)) == Range(0, 240)
    assert of_binary(shift[1], Type.UINT64, limits(Type.UINT64), Range(61, 61)) == Range(0, 7)
    assert of_binary(shift[0], Type.INT32, Range(0, 30), Range(30, 30)) == limits(Type.INT32)
