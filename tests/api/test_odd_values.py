"""Params and inputs of odd kinds: converted or refused alike on every backend, by a clear word and none of NumPy's."""

from __future__ import annotations

import fractions
from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse
from support.odd import BACKENDS, GOOD, GRAPH, HUGE, Broken, clear, label

import gdsl

pytestmark = pytest.mark.usefixtures("one_cache")

MASKED = np.ma.array([1, 2, 3], mask=[False, True, False])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("source", HUGE, "E0604"), ("source", -HUGE, "E0604"), ("source", 3, "E0604"), ("source", -1, "E0604"),
        ("source", 1.0, "E0603"), ("source", np.float64(1), "E0603"), ("source", "1", "E0603"),
        ("source", np.str_("1"), "E0603"), ("source", None, "E0603"), ("source", True, "E0603"),
        ("source", np.True_, "E0603"), ("source", [1], "E0603"), ("source", np.array([1]), "E0603"),
        ("source", np.ma.masked, "E0603"), ("source", np.ma.array(1, mask=True), "E0603"),
        ("source", np.timedelta64(1, "ns"), "E0603"), ("source", np.datetime64(1, "ns"), "E0603"),
        ("source", 1 + 0j, "E0603"), ("source", Decimal(1), "E0603"), ("source", b"1", "E0603"),
        ("source", "１", "E0603"), ("source", Broken(), "E0603"), ("source", np.uint64(2**64 - 1), "E0604"),
        ("source", 2**32, "E0604"), ("count", HUGE, "E0603"), ("count", 2**31, "E0603"),
        ("count", np.array(2.0), "E0603"), ("count", float("nan"), "E0603"), ("factor", HUGE, "E0603"),
        ("factor", 1e39, "E0603"), ("factor", True, "E0603"), ("factor", "1", "E0603"), ("factor", 1j, "E0603"),
        ("factor", np.ma.masked, "E0603"), ("factor", fractions.Fraction(1, 2), "E0603"), ("really", 1, "E0603"),
        ("really", "true", "E0603"), ("really", np.ma.masked, "E0603"), ("amount", MASKED, "E0607"),
        ("amount", [np.ma.masked, 1, 2], "E0607"), ("amount", [1, MASKED[1:2].reshape(()), 3], "E0607"),
        ("amount", (1, 2, np.ma.masked), "E0607"), ("share", np.ma.masked_invalid([1.0, np.nan, 2.0]), "E0607"),
        ("mark", np.ma.array([True, True, True], mask=True), "E0607"),
        ("next", np.ma.masked_equal([0, -1, 2], -1), "E0607"), ("amount", [1, 2, HUGE], "E0607"),
        ("amount", [1, 2, 2**63], "E0607"), ("amount", [1, 2, 2**31], "E0607"), ("amount", [1.0, 2.0, 3.0], "E0607"),
        ("amount", ["1", "2", "3"], "E0607"), ("amount", [1, None, 3], "E0607"), ("amount", [[1], [2, 3]], "E0607"),
        ("amount", 5, "E0606"), ("amount", None, "E0607"), ("amount", {1: 2}, "E0607"), ("amount", "123", "E0607"),
        ("amount", np.zeros((3, 1), int), "E0606"), ("amount", np.zeros(3, complex), "E0607"),
        ("amount", np.zeros(3, "M8[s]"), "E0607"), ("amount", np.zeros(3, "m8[s]"), "E0607"),
        ("amount", np.zeros(3, [("a", "i4")]), "E0607"), ("amount", np.array([1, 2, 3], object), "E0607"),
        ("amount", np.zeros(3, bool), "E0607"), ("amount", np.array(["a", "b", "c"]), "E0607"),
        ("amount", np.zeros(3, "V4"), "E0607"), ("amount", Broken(), "E0607"), ("amount", [], "E0606"),
        ("amount", sparse.eye(3), "E0607"), ("amount", range(10**15), "E0708"),
        ("amount", np.broadcast_to(np.int32(1), 10**15), "E0708"), ("share", [HUGE, 1, 1], "E0607"),
        ("factor", np.longdouble("1e400"), "E0603"), ("factor", [1.0], "E0603"), ("factor", np.ones(1), "E0603"),
        ("share", [1j, 0, 0], "E0607"), ("share", np.full(3, np.longdouble("1e400")), "E0607"),
        ("mark", [1, 0, 1], "E0607"), ("next", [0, 3, 0], "E0604"), ("next", [0, -2, 0], "E0604"),
        ("next", np.array([0, 2**64 - 1, 0], np.uint64), "E0604"), ("next", [0.0, 1.0, 2.0], "E0607"),
    ],
    ids=label,
)  # fmt: skip
def test_values_that_are_refused(program, backend, name, value, code) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        program(GRAPH, **{**GOOD, name: value}, backend=backend)
    assert caught.value.code == code
    assert name in clear(caught.value) or code == "E0708"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source", np.int8(2)), ("source", np.array(2)), ("source", np.uint64(2)), ("count", np.array(1, ">i8")),
        ("factor", np.float16(1)), ("factor", np.longdouble(1)), ("factor", 1), ("factor", np.int64(1)),
        ("really", np.True_), ("really", np.array(True)), ("count", np.ma.array(7)[()]),
        ("amount", np.array([1, 2, 3], ">i4")), ("amount", np.array([1, 2, 3], ">u8")),
        ("amount", np.array([3, 2, 1])[::-1]), ("amount", range(1, 4)),
        ("amount", np.array([1, 9, 2, 9, 3, 9], np.int32)[::2]),
        ("amount", np.frombuffer(b"x" + np.array([1, 2, 3], np.int32).tobytes(), np.int32, offset=1)),
        ("amount", memoryview(np.array([1, 2, 3], np.int16))), ("amount", bytearray),
        ("amount", np.ma.array([1, 2, 3])), ("amount", (np.int8(1), 2, np.array(3))),
        ("amount", np.matrix([1, 2, 3]).A1), ("amount", np.asfortranarray([1, 2, 3])),
        ("amount", np.broadcast_to(np.int32([[1], [2], [3]]), (3, 1))[:, 0]),
        ("share", np.array([0.5, 0.25, 0], np.float16)), ("share", np.array([0.5, 0.25, 0], ">f4")),
        ("share", np.array([0.5, 0.25, 0], np.longdouble)), ("mark", np.frombuffer(bytes([1, 2, 0]), np.bool_)),
        ("mark", np.array([False, True, True])[::-1]), ("next", np.array([2, 0, -1], np.int8)),
        ("next", np.array([2, 0, -1], ">i8")),
        ("share", np.rec.array([(0.5,), (0.25,), (0.0,)], dtype=[("x", "f8")]).x),
    ],
)  # fmt: skip
def test_values_that_are_converted(program, backend, name, value) -> None:
    """All of these are the same numbers as `GOOD`'s, but for `count`, which may be anything."""
    if value is bytearray:
        value = __import__("array").array("i", [1, 2, 3])
    result = program(GRAPH, **{**GOOD, name: value}, backend=backend)
    count = int(value) if name == "count" else 1
    assert result.made.tolist() == [0.5 + count, 0.25 + 2 * count, 0.0]
    assert result.followed.tolist() == [3, 1, 0]
