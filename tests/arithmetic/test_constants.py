"""Numbers of literals: rounded once, and printed so that a compiler reads them back by one rounding."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdsl.arithmetic.constants import in_type, nearest_float32, shortest_float32, wrapped
from gdsl.codegen.literals import literal
from gdsl.ir.nodes import Convert, Literal
from gdsl.ir.traversal import walk
from gdsl.pipeline import load
from gdsl.types import Type

LARGEST = float(struct.unpack("f", struct.pack("I", 0x7F7FFFFF))[0])


def of_bits(bits: int) -> float:
    return float(struct.unpack("f", struct.pack("I", bits))[0])


def nearest(exact: Fraction) -> float:
    """The nearest float32 of any number at all, found by search: the definition."""
    if exact < 0:
        return -nearest(-exact)
    low, high = 0, 0x7F800000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(of_bits(middle)) <= exact else (low, middle)
    above = Fraction(2) ** 128 if high == 0x7F800000 else Fraction(of_bits(high))
    to_low, to_high = exact - Fraction(of_bits(low)), above - exact
    return of_bits(low) if to_low < to_high or (to_low == to_high and low % 2 == 0) else of_bits(high)


@given(st.integers(min_value=-(2**64), max_value=2**64) | st.integers())
def test_whole_numbers_are_rounded_once(value: int) -> None:
    assert nearest_float32(value) == nearest(Fraction(value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_fractions_are_rounded_from_float64(value: float) -> None:
    assert nearest_float32(value) == nearest(Fraction(value))


@given(st.integers(min_value=0, max_value=0x7F7FFFFF))
def test_the_text_of_a_float32_is_read_back_by_one_rounding_and_is_short(bits: int) -> None:
    value = of_bits(bits)
    text = shortest_float32(value)
    assert nearest(Fraction(text)) == value
    digits = text.split("e")[0].replace(".", "").strip("0")
    assert len(digits) <= 9
    assert shortest_float32(-value) == f"-{text}"


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (1.0, Type.FLOAT32, "1.0f"),
        (0.85, Type.FLOAT32, "0.85f"),
        (1e-6, Type.FLOAT32, "1e-06f"),
        (7.038531e-26, Type.FLOAT32, "7.0385313e-26f"),
        (1e-45, Type.FLOAT32, "1e-45f"),
        (LARGEST, Type.FLOAT32, "3.4028235e+38f"),
        (-0.0, Type.FLOAT32, "-0.0f"),
        (-0.0, Type.FLOAT64, "-0.0"),
        (0.1, Type.FLOAT64, "0.1"),
        (math.inf, Type.FLOAT32, "FLOAT32_INF"),
        (-math.inf, Type.FLOAT64, "-FLOAT64_INF"),
        (-(2**31), Type.INT32, "(-2147483647 - 1)"),
        (2**64 - 1, Type.UINT64, "18446744073709551615ull"),
    ],
)
def test_generated_literals(value: float, kind: Type, text: str) -> None:
    assert literal(value, kind) == text


def test_values_of_a_type() -> None:
    assert in_type(0.1, Type.FLOAT32) == of_bits(0x3DCCCCCD) != 0.1
    assert in_type(0.1, Type.FLOAT64) == 0.1
    assert in_type(2**53 + 2**29 + 1, Type.FLOAT32) == 2.0**53 + 2.0**30
    assert in_type(10**400, Type.FLOAT64) == math.inf
    assert wrapped(2**31, Type.INT32) == -(2**31)
    assert wrapped(-1, Type.UINT64) == 2**64 - 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("float32(0.1)", of_bits(0x3DCCCCCD)),
        ("float64(float32(0.1))", of_bits(0x3DCCCCCD)),
        ("0.1", 0.1),
        ("-float32(0.1)", -of_bits(0x3DCCCCCD)),
        ("float32(16777217)", 16777216.0),
        ("float32(9007199791611905)", 2.0**53 + 2.0**30),
        ("float32(7.038531e-26)", nearest_float32(7.038531e-26)),
        ("0.5 * float32(0.1)", of_bits(0x3DCCCCCD)),
    ],
)
def test_a_literal_is_rounded_to_its_type_at_once(expression: str, value: float) -> None:
    program = load(f"program p;\nproblem {{ vertex x : float64 = {expression}; }}\nschedule {{ }}\n")
    literals = [node.value for node in walk(program.arrays[0]) if isinstance(node, Literal)]
    converted = [node.operand for node in walk(program.arrays[0]) if isinstance(node, Convert)]
    assert value in literals or [-value] == literals, (literals, converted)
    for node in walk(program.arrays[0]):
        if isinstance(node, Literal) and node.type is Type.FLOAT32:
            assert node.value == nearest_float32(node.value)
