"""Values that somebody could hand to a Python interface, most of them by mistake; each call makes them anew."""

from __future__ import annotations

import array
import collections
import datetime
import fractions
import random
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse


class Broken:
    """Fails whatever is asked of it."""

    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError("no array")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class OwnSequence:
    """A sequence that is registered nowhere."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> Any:
        return self.values[place]

    def __iter__(self) -> Any:
        return iter(self.values)


class Level(IntEnum):
    """An integer with a name."""

    ONE = 1
    TWO = 2


_HUGE: int = 10**5000

_SCALARS: tuple[Callable[[], Any], ...] = (
    *(lambda value=value: value for value in (0, 1, 2, -1, 3, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, -(2**63), _HUGE)),
    *(lambda value=value: value for value in (0.0, 1.0, 0.5, -0.0, 1e39, 1e308, -1e-320)),
    lambda: float("nan"), lambda: float("inf"), lambda: -float("inf"), lambda: -_HUGE,
    lambda: True, lambda: False, lambda: None, lambda: 1j, lambda: Ellipsis, lambda: NotImplemented, lambda: int,
    lambda: "1", lambda: "", lambda: "１", lambda: "\udcff", lambda: "x" * 5000, lambda: "nul\0", lambda: b"1",
    lambda: Decimal(1), lambda: Decimal("nan"), lambda: fractions.Fraction(1, 3), lambda: Level.TWO, object,
    lambda: np.int8(1), lambda: np.uint64(2**64 - 1), lambda: np.int64(2), lambda: np.float16(0.5), lambda: np.True_,
    lambda: np.float64("nan"), lambda: np.longdouble("1e400"), lambda: np.longdouble(2), lambda: np.complex128(1),
    lambda: np.datetime64(1, "s"), lambda: np.timedelta64(1, "ns"), lambda: np.str_("1"), lambda: np.bytes_(b"1"),
    lambda: np.ma.masked, lambda: np.ma.array(1, mask=True), lambda: np.ma.array(1), lambda: np.array(1),
    lambda: np.array(1.5), lambda: np.array(1, ">i2"), lambda: np.array(None, object), lambda: np.void(b"1"),
    lambda: datetime.timedelta(1), Broken, lambda: Path("x"), lambda: len, lambda: (value for value in (1, 2)),
)  # fmt: skip

_DTYPES = (
    "?", "i1", "u1", "i2", ">i2", "u2", "i4", ">i4", "u4", "i8", ">i8", "u8", "f2", "f4", ">f4", "f8", ">f8",
    "longdouble", "c8", "O", "U4", "S2", "M8[s]", "m8[s]", "V4", "i4,f4",
)  # fmt: skip


def odd_scalar(random: random.Random) -> Any:
    """One value."""
    return random.choice(_SCALARS)()


def odd_array(random: random.Random, length: int) -> Any:
    """Something that might be taken for an array of `length` values."""
    maker = random.choice((_array, _array, _layout, _layout, _masked, _container, _container, _wrong, odd_scalar_of))
    return maker(random, length)


def odd_scalar_of(random: random.Random, length: int) -> Any:
    """A value where an array is expected."""
    return odd_scalar(random)


def odd(random: random.Random) -> Any:
    """Anything."""
    return odd_scalar(random) if random.random() < 0.6 else odd_array(random, random.randrange(5))


def numbers(random: random.Random, length: int, low: int = -1) -> list[int]:
    """Small integers."""
    return [random.randrange(low, max(low + 1, length)) for _ in range(length)]


def _array(random: random.Random, length: int) -> Any:
    try:
        return np.array(numbers(random, length), dtype=random.choice(_DTYPES))
    except (ValueError, TypeError, OverflowError):  # a value that the dtype does not have
        return np.zeros(length, random.choice(_DTYPES[:18]))


def _layout(random: random.Random, length: int) -> Any:
    """The same numbers in other places of memory."""
    values = np.array(numbers(random, length), random.choice(("i4", "i8", "f4", "f8", "?")))
    shape = random.randrange(6)
    if shape == 0:
        return values[::-1]
    if shape == 1:
        return np.repeat(values, 3)[1::3]
    if shape == 2:
        return np.frombuffer(b"x" + values.tobytes() + b"x", values.dtype, length, offset=1)
    if shape == 3:
        return np.broadcast_to(values[:1], length) if length else values
    if shape == 4:
        return np.frombuffer(bytes(random.randrange(256) for _ in range(length)), np.bool_)
    return np.stack([values, values], axis=1)[:, random.randrange(2)]


def _masked(random: random.Random, length: int) -> Any:
    mask = [random.random() < 0.3 for _ in range(length)]
    values = np.array(numbers(random, length), "i8").astype(random.choice(_DTYPES[:17]))
    return np.ma.array(values, mask=mask)


def _container(random: random.Random, length: int) -> Any:
    values: list[Any] = list(numbers(random, length))
    for place in range(length):
        if random.random() < 0.15:
            values[place] = odd_scalar(random)
    kind = random.randrange(6)
    if kind == 0:
        return tuple(values)
    if kind == 1:
        return collections.deque(values)
    if kind == 2:
        return OwnSequence(values)
    if kind == 3:
        return array.array("i", numbers(random, length))
    if kind == 4:
        return np.array(numbers(random, length), "i4").data
    return values


def _wrong(random: random.Random, length: int) -> Any:
    """Not of one dimension, or not of this length."""
    makers: tuple[Callable[[], Any], ...] = (
        lambda: np.zeros((length, 1)), lambda: np.zeros(length + 1, int), lambda: np.zeros((2,) * 20, "i1"),
        lambda: [[1], [2, 3]], lambda: [[1, 2], [3, 4]], lambda: sparse.eye(3, format="csr"), lambda: {0: 1},
        lambda: {1, 2}, lambda: "1" * length, lambda: range(length), lambda: range(10**15), lambda: iter([1, 2]),
        lambda: np.broadcast_to(np.int32(1), 10**15), lambda: bytearray(length), lambda: np.matrix([[1, 2, 3]]),
        lambda: np.rec.array([(1,)] * max(length, 1), dtype=[("x", "i4")]), list, dict,
    )  # fmt: skip
    return random.choice(makers)()
