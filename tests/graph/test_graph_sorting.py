"""Sorts of whole numbers by C++ of this machine and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.graph import ordering
from gdsl.native import helper_library


@pytest.fixture(params=["NumPy", "C++"])
def sort(request, monkeypatch):
    monkeypatch.setattr(ordering, "_WORTH_A_LOOK", 0)
    monkeypatch.setattr(ordering, "_WORTH_COMPILING", 0)
    if request.param == "NumPy":
        monkeypatch.setattr(helper_library, "_loaded", {})
        monkeypatch.setattr(helper_library, "_absent", set())
        monkeypatch.setattr(helper_library.compilers, "find_compiler", lambda: None)
    made = ordering.sort_of(1)
    assert (made is ordering._by_numpy) == (request.param == "NumPy")
    return made


def test_numbers_by_some_of_their_bits(sort):
    """Few and more than a cache has room for, in all digits or few, the bits below in order before."""
    rng = np.random.default_rng(5)
    for kind, size in ((np.uint64, 64), (np.int64, 63), (np.uint32, 32)):
        for count in (0, 1, 2, 100, 65_536, 65_537, *([300_000] if kind is np.uint64 else [])):
            places = max(count - 1, 0).bit_length()
            for bits in (0, 1, 8, 9, 13, size - places):
                for varying in (bits, min(bits, 3)):
                    keys = rng.integers(0, 1 << min(varying, 62), count).astype(kind)
                    numbers = keys << kind(places) | np.arange(count).astype(kind)
                    expected = np.sort(numbers)
                    sort(numbers, places, places + bits)
                    assert numbers.tobytes() == expected.tobytes(), (kind, count, bits, varying)


def test_numbers_that_are_crowded(sort):
    """Nearly all of them in one bucket, equal ones, and bits above that all have."""
    for numbers in (
        np.full(200_000, 1 << 40 | 7, np.uint64),
        np.r_[np.arange(199_999, 0, -1), 1 << 45].astype(np.uint64),
        np.arange(200_000, dtype=np.uint64)[::-1] % 11 | 1 << 60,
    ):
        found = numbers.copy()
        sort(found, 0, 46)
        assert found.tobytes() == np.sort(numbers).tobytes()


def test_few_numbers_ask_for_no_library(monkeypatch):
    monkeypatch.setattr(helper_library, "library", lambda *_, **__: pytest.fail("asked"))
    assert ordering.sort_of(1000) is ordering._by_numpy
