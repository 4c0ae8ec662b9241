"""Numbers of texts by C++ and by NumPy: the nearest to the last bit, and nothing unusual taken for a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl.graph import columns, native_text
from gdsl.graph.columns import columns_of
from gdsl.graph.number_text import narrowed
from gdsl.native import helper_library

HARD = (
    *("1e23", "9007199254740993", "9007199254740993.0", "9007199254740992.9999999", "9007199254740993.00000000000001"),
    *(
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "4.9e-324",
    ),
    *("2.47e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e400", "-1e400", "1e-400", "-1e-400"),
    *("0e9999", "-0", "-0.0", "0" * 30 + ".5", "0." + "0" * 30 + "1", "1" * 400, "5.", ".5", ".5e1", "1.e5", "-.5E-1"),
    *(
        "7.2057594037927933e16",
        "8.98846567431158e307",
        "123456789012345678",
        "1234567890123456789",
        "0.1234567890123456789",
    ),
    *(
        "12345678901234567890",
        "1e22",
        "1e-22",
        "3e22",
        "9007199254740992e22",
        "9007199254740993e22",
        "1e0022",
        "00000001",
    ),
)


@pytest.fixture(params=["C++", "NumPy", "NumPy of 1.26"])
def block_reader(request, monkeypatch):
    """What reads blocks of text."""
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0)
    monkeypatch.setattr(columns, "_ROUNDS_REALS", request.param == "NumPy of 1.26")
    reader = native_text.columns_reader(__file__) if request.param == "C++" else columns_of
    assert reader is not None
    return reader


def test_hard_reals_are_the_nearest(block_reader):
    """In the middle of two float64 or beside it, below the least and above the largest, of many digits."""
    for words in (HARD, *((word,) for word in HARD)):
        for mark in (None, ","):
            lines = "".join(f"1{mark or ' '}{word}\n" for word in words).encode()
            found = block_reader(lines, (np.int32, np.float64), mark)
            expected = np.array([float(word) for word in words])
            assert found[1].tobytes() == expected.tobytes(), words


def test_what_is_unusual_is_left_to_the_exact_reader(block_reader):
    real, exact = (np.int32, np.float64), block_reader is columns_of
    for word in ("", "-", ".", "-.", ".e1", "e1", "1e", "1e+", "1e5.5", "1.2.3", "--1", "1-"):
        assert block_reader(f"1 {word}\n".encode(), real, None) is None, word
        assert block_reader(f"1,{word}\n".encode(), real, ",") is None, word
    for word in ("+.5", "+1", "nan", "inf", "1e12345"):
        for mark in " ,":
            found = block_reader(f"1{mark}{word}\n".encode(), real, mark.strip() or None)
            assert found is None or repr(found[1].tolist()) == repr([float(word)]), word
            assert exact == (found is not None) or word == "1e12345", word
    for line in ("1\n", "1 2 3\n", "\n", "1 2", "", "1 2\n\n", "1,2\n", "1 2\r\n", "# 1\n", "1.5 2\n", "1e1 2\n"):
        found = block_reader(line.encode(), real, None)
        assert found is None or (not len(found[0]) and not line) or (exact and "\r" in line), line
    for line in ("1, 2\n", " 1,2 \n", "\t1,\t2\n"):
        assert [each.tolist() for each in block_reader(line.encode(), real, ",")] == [[1], [2.0]], line
    for line in ("1,2,\n", ",1\n", "1;2\n", "1 2\n"):
        assert block_reader(line.encode(), real, ",") is None, line
    assert (block_reader(b"1 ,2\n", real, ",") is None) == (not exact)
    many = "".join("1 1e999\n" for _ in range(300)).encode()
    found = block_reader(many, real, None)
    assert np.isinf(found[1]).all() if exact else found is None


def test_whole_numbers_are_as_wide_as_they_are(block_reader):
    """The fast reader leaves those of many digits to the exact one, which narrows the columns later."""
    exact = block_reader is columns_of
    for word, kinds in {
        "2147483647": (np.int32, np.int32, np.uint64),
        "-2147483648": (np.int32, np.int32, None),
        "2147483648": (None, np.int64, np.uint64),
        "-999999999999999999": (None, np.int64, None),
        "999999999999999999": (None, np.int64, np.uint64),
        "1000000000000000000": (None, np.int64 if exact else None, np.uint64 if exact else None),
        "18446744073709551615": (None, None, np.uint64 if exact else None),
        "99999999999999999999": (None, None, None),
        "-0": (np.int32, np.int32, np.uint64),
    }.items():
        for asked, kind in zip((np.int32, np.int64, np.uint64), kinds, strict=True):
            found = block_reader(f"7 {word}\n 8\t7 \n".encode(), (np.int64, asked), None)
            assert (found is None) == (kind is None), (word, asked)
            if found is not None:
                assert (found[0].tolist(), found[1].tolist()) == ([7, 8], [int(word), 7])
                assert [narrowed(each).dtype for each in found] == [np.int32, kind], (word, asked)


def test_without_a_compiler_texts_are_read_by_numpy(monkeypatch):
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0)
    monkeypatch.setattr(helper_library, "_loaded", {})
    monkeypatch.setattr(helper_library, "_absent", set())
    monkeypatch.setattr(helper_library.compilers, "find_compiler", lambda: None)
    assert native_text.columns_reader(__file__) is None


def test_a_compiler_that_fails_is_no_mistake_of_a_file(monkeypatch, tmp_path):
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0)
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    for command in ("false", "true"):  # one refuses, the other makes nothing
        monkeypatch.setenv("CXX", command)
        monkeypatch.setattr(helper_library, "_loaded", {})
        monkeypatch.setattr(helper_library, "_absent", set())
        assert native_text.columns_reader(__file__) is None


def test_what_is_kept_is_used_for_smaller_files(monkeypatch, tmp_path):
    """It is compiled for a large file only, and from then on found in the cache."""
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    for least, by_numpy in ((1 << 30, True), (0, False), (1 << 30, False)):
        monkeypatch.setattr(native_text, "WORTH_COMPILING", least)
        monkeypatch.setattr(helper_library, "_loaded", {})
        monkeypatch.setattr(helper_library, "_absent", set())
        assert (native_text.columns_reader(__file__) is None) == by_numpy


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(1e-6, 1e6).map(repr),
            st.tuples(st.integers(0, 10**19), st.integers(-40, 40)).map("{0[0]}e{0[1]}".format),
            st.decimals(allow_nan=False, allow_infinity=False, places=7).map(str),
            # in the middle of two neighbors, or beside it
            st.tuples(st.integers(2**52, 2**53 - 1), st.integers(-1, 1)).map(
                lambda p: f"{p[0] * 1000 + 500 + p[1]}e-3"
            ),
            st.integers(2**53, 2**64 - 1).map(str),
        ),
        min_size=1,
    )
)
@settings(max_examples=120, deadline=None)
def test_reals_are_the_nearest(words):
    words = [word for word in words if "+" not in word or "e+" in word]
    native_text.WORTH_COMPILING, before = 0, native_text.WORTH_COMPILING
    expected = np.array([float(word) for word in words])
    try:
        for reader in (columns_of, native_text.columns_reader(__file__)):
            found = reader("".join(f"1 {word}\n" for word in words).encode(), (np.int32, np.float64), None)
            assert found is not None
            assert found[1].tobytes() == expected.tobytes()
    finally:
        native_text.WORTH_COMPILING = before


@pytest.mark.parametrize("ending", ["", "3\n", "3 \n", "3 4 5\n", "3 x\n"])
def test_nothing_is_written_behind_the_rows(monkeypatch, ending):
    """Of shortest words, with a last line that is not whole."""
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0)
    made, reader = [], native_text.columns_reader(__file__)

    def guarded(count, kind):
        made.append((np.full(count + 8, 77, kind), count))
        return made[-1][0][:count]

    with monkeypatch.context() as small:
        small.setattr(np, "empty", guarded)
        found = reader(b"1 2\n" * 5 + ending.encode(), (np.int32, np.int32), None)
    assert (found is None) == bool(ending)
    assert len(made) == 2
    assert all((whole[count:] == 77).all() for whole, count in made)
