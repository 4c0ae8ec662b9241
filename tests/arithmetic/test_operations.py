"""Every operation on every type: single values, arrays, and the language's page agree on all awkward values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from fuzz.expressions.running import apart
from fuzz.expressions.trees import FLOATS, INTEGERS, NEARLY, NUMBERS, TYPES, Tree
from fuzz.expressions.values import Evaluation, limits

from gdsl.arithmetic.operations import SINGLE, of_arrays, typed
from gdsl.operations import BinaryOperation, Builtin, UnaryOperation
from gdsl.types import Type

ARRAYS = of_arrays(np)
_OF_INTEGERS = (Builtin.MIN, Builtin.MAX, Builtin.ABS, Builtin.POPCOUNT, Builtin.CTZ, Builtin.RANDOM_BELOW)
_NUMBERS = (0, 1, 2, 3, 5, 7, 24, 31, 32, 33, 53, 63, 64, 65, 1 << 24, (1 << 24) + 1, 1 << 31, (1 << 53) + 1, 1 << 62)
_FRACTIONS = (
    *("nan", "inf", "-inf", "0.0", "-0.0", "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "3.0", "-3.0", "1.5", "-2.5"),
    *("1e-45", "5e-324", "1.1754944e-38", "2.2250738585072014e-308", "3.4028234e38", "1e300", "-1e300", "16777217"),
    *("2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740993"),
    *("9223372036854775807", "-9223372036854775808", "18446744073709551615", "0.1", "-0.1", "88.7", "-103.9", "709.7"),
)


def awkward(kind: str) -> list[Any]:
    """Values of a type, as the independent evaluation has them."""
    if kind == "bool":
        return [False, True]
    if kind in FLOATS:
        with np.errstate(all="ignore"):
            return [typed(Type.named(kind))(np.float64(word)) for word in _FRACTIONS]
    low, high = limits(kind)
    near = {low, low + 1, high, high - 1, *_NUMBERS, *(-number for number in _NUMBERS)}
    return sorted(value for value in near if low <= value <= high)


def as_array(values: list[Any], kind: str) -> Any:
    return np.array(values, dtype=kind)


def agree(function: str, tree: Tree, columns: list[tuple[str, list[Any]]], single: Any, whole: Any, ulps: int) -> None:
    """`tree` speaks of leaves x0 and x1; `columns` are their types and values, of one length."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        arrays = [as_array(values, kind) for kind, values in columns]
        rows = list(zip(*(values for _, values in columns), strict=True))
        leaves = [{f"x{i}": value for i, value in enumerate(row)} for row in rows]
        expected = as_array([Evaluation(each, frozenset(), {}).value(tree) for each in leaves], tree.type)
        found = {
            "arrays": np.asarray(whole(*arrays)),
            "single values": as_array([single(*(array[i] for array in arrays)) for i in range(len(rows))], tree.type),
        }
    for form, values in found.items():
        assert values.dtype == expected.dtype
        wrong = np.flatnonzero(apart(expected, values) > ulps)
        place = wrong[0] if len(wrong) else 0
        assert not len(wrong), f"{function} of {rows[place]} ({form}): {values[place]!r}, not {expected[place]!r}"


def pairs(first: str, second: str) -> list[tuple[str, list[Any]]]:
    combined = [(a, b) for a in awkward(first) for b in awkward(second)]
    return [(first, [a for a, _ in combined]), (second, [b for _, b in combined])]


def leaves(*kinds: str) -> tuple[Tree, ...]:
    return tuple(Tree("parameter", kind, f"x{i}") for i, kind in enumerate(kinds))


OPERATIONS = {
    **dict.fromkeys(INTEGERS, ("+", "-", "*", "//", "%", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=")),
    **dict.fromkeys(FLOATS, ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=")),
    "bool": ("&", "|", "^", "==", "!="),
}


@pytest.mark.parametrize("kind", TYPES)
def test_binary_operations(kind: str) -> None:
    type_ = Type.named(kind)
    for word in OPERATIONS[kind]:
        operation = BinaryOperation(word)
        tree = Tree("binary", "bool" if operation.is_comparison else kind, word, leaves(kind, kind))
        single, whole = SINGLE.binary(operation, type_), ARRAYS.binary(operation, type_)
        agree(word, tree, pairs(kind, kind), single, whole, 0)


@pytest.mark.parametrize("kind", INTEGERS)
def test_saturating_sums_and_differences(kind: str) -> None:
    """`inf + y`, `x + inf`, `inf - y` are `inf`; `x - inf` is the smallest value; all else is clamped."""
    low, inf = limits(kind)
    type_ = Type.named(kind)
    for operation in (BinaryOperation.ADD_SATURATING, BinaryOperation.SUBTRACT_SATURATING):
        (_, first), (_, second) = pairs(kind, kind)
        plus = operation is BinaryOperation.ADD_SATURATING
        with np.errstate(all="ignore"):
            values = ARRAYS.binary(operation, type_)(as_array(first, kind), as_array(second, kind))
        for a, b, found in zip(first, second, values.tolist(), strict=True):
            infinite = a == inf or (plus and b == inf)
            wanted = inf if infinite else low if b == inf else max(low, min(inf, a + b if plus else a - b))
            assert found == wanted, (operation, a, b)
            with np.errstate(all="ignore"):
                assert SINGLE.binary(operation, type_)(typed(type_)(a), typed(type_)(b)) == wanted


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("count", INTEGERS)
def test_shifts_by_any_count_of_any_integer_type(kind: str, count: str) -> None:
    for word in ("<<", ">>"):
        operation = BinaryOperation(word)
        single = SINGLE.binary(operation, Type.named(kind), Type.named(count))
        whole = ARRAYS.binary(operation, Type.named(kind), Type.named(count))
        agree(word, Tree("binary", kind, word, leaves(kind, count)), pairs(kind, count), single, whole, 0)


@pytest.mark.parametrize("kind", TYPES)
def test_unary_operations(kind: str) -> None:
    for operation in UnaryOperation:
        if operation is not UnaryOperation.NOT if kind == "bool" else operation is UnaryOperation.NOT:
            continue
        if operation is UnaryOperation.INVERT and kind in FLOATS:
            continue
        word = operation.value
        tree = Tree("unary", kind, word, leaves(kind))
        agree(word, tree, [(kind, awkward(kind))], SINGLE.unary(operation), ARRAYS.unary(operation), 0)


@pytest.mark.parametrize("kind", NUMBERS)
def test_functions(kind: str) -> None:
    for function in Builtin:
        if function in (Builtin.RANDOM, Builtin.RANDOM_BITS):
            continue
        if function not in _OF_INTEGERS if kind in INTEGERS else function in _OF_INTEGERS[3:]:
            continue
        two = function in (Builtin.MIN, Builtin.MAX, Builtin.POW, Builtin.ATAN2)
        columns = pairs(kind, kind) if two else [(kind, awkward(kind))]
        if function.is_random:
            columns = pairs(kind, "int64")
        result = "int32" if function in (Builtin.POPCOUNT, Builtin.CTZ) else kind
        tree = Tree("builtin", result, function.value, leaves(*(name for name, _ in columns)))
        single, whole = SINGLE.builtin(function, Type.named(kind)), ARRAYS.builtin(function, Type.named(kind))
        agree(function.value, tree, columns, single, whole, 4 if function.value in NEARLY else 0)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_casts(source: str, target: str) -> None:
    single, whole = (form.convert(Type.named(source), Type.named(target)) for form in (SINGLE, ARRAYS))
    agree("cast", Tree("cast", target, target, leaves(source)), [(source, awkward(source))], single, whole, 0)


@pytest.mark.parametrize("kind", FLOATS)
def test_powers_as_in_c(kind: str) -> None:
    """C's special cases, by their definition."""
    power, make = SINGLE.builtin(Builtin.POW, Type.named(kind)), typed(Type.named(kind))
    cases = {
        ("-inf", "0.5"): "inf", ("-inf", "3"): "-inf", ("-inf", "2"): "inf", ("-inf", "-3"): "-0.0",
        ("-0.0", "0.5"): "0.0", ("-0.0", "3"): "-0.0", ("-0.0", "-3"): "-inf", ("-0.0", "-2"): "inf",
        ("-1", "inf"): "1", ("-1", "-inf"): "1", ("1", "nan"): "1", ("nan", "0"): "1", ("-2", "0.5"): "nan",
        ("-8", "3"): "-512", ("0.5", "inf"): "0.0", ("-0.5", "-inf"): "inf", ("inf", "-0.5"): "0.0",
    }  # fmt: skip
    with np.errstate(all="ignore"):
        for (base, exponent), result in cases.items():
            found, wanted = power(make(base), make(exponent)), make(result)
            assert apart(np.array([found]), np.array([wanted]))[0] == 0, (base, exponent, found)
