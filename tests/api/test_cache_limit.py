"""The cache keeps below its limit by itself: what was not used for the longest time goes, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings

import pytest

from gdsl import cache
from gdsl.cache import entries, limit

DATA = b"x" * 952
"""With what stands behind it an entry of 1,000 bytes."""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("GDSL_CACHE_SIZE", "10kB")
    monkeypatch.setattr(cache, "_warned", False)
    monkeypatch.setattr(limit, "_IN_USE", 0.0)
    return tmp_path / "cache"


def put(number):
    """An entry that was used `number` days before 2033."""
    cache.put("front", (number,), DATA)
    age(number, number)


def age(number, days):
    for path in cache.directory().glob("front/*"):
        if path.name == cache._name("front", (number,), ""):
            moment = 2_000_000_000 - days * 86400
            os.utime(path, (moment, moment))


@pytest.fixture
def past(monkeypatch):
    """All entries lie in the past, though their times are fixed."""
    monkeypatch.setattr(time, "time", lambda: 2_000_086_400.0)


def there():
    return [number for number in range(100) if cache.get("front", (number,)) is not None]


def test_what_was_unused_the_longest_goes_first(past):
    for number in (3, 1, 9, 2, 8, 4, 7, 5, 6, 0):
        put(number)
    assert len(there()) == 10
    for number in range(10):  # which asking for them has set
        age(number, number)
    put(20)
    assert there() == [0, 1, 2, 3, 4, 5, 6, 20], "down to eight of ten, so that the next write need not look again"


def test_reading_counts_as_use(past):
    for number in range(10):
        put(number)
    assert cache.get("front", (9,)) == DATA
    put(20)
    assert 9 in there()


def test_what_is_written_stays_however_large(past):
    cache.put("front", (1,), b"x" * 50_000)
    put(2)
    cache.put("front", (3,), b"x" * 50_000)
    assert there() == [3]
    assert cache.put_file("cpu", (4,), b"x" * 50_000).exists()


def test_what_was_just_found_is_not_removed(past, monkeypatch):
    monkeypatch.setattr(limit, "_IN_USE", 60.0)
    moment = time.time() - 30
    for number in range(20):
        put(number)
        for path in cache.directory().glob("front/*"):
            os.utime(path, (moment, moment))
    assert len(there()) == 20


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "journal", [b"", b"123", bytes(8 * 5000), b"\xff" * 8], ids=["empty", "odd", "long", "negative"]
)
def test_a_damaged_journal_is_begun_anew(past, place, journal):
    for number in range(9):
        put(number)
    (place / ".written").write_bytes(journal)
    for number in range(30, 60):
        put(number)
    assert 5 <= len(there()) <= 10


def test_a_journal_that_is_a_link_is_not_followed(past, place, tmp_path):
    other = tmp_path / "precious"
    other.write_bytes(b"12345678")
    put(0)
    (place / ".written").unlink()
    (place / ".written").symlink_to(other)
    for number in range(30):
        put(number)
    assert other.read_bytes() == b"12345678"


def test_entries_are_looked_at_only_when_that_may_be_too_many(past, monkeypatch):
    put(0)
    looks = []
    look = limit.entries_in
    monkeypatch.setattr(limit, "entries_in", lambda place: looks.append(place) or look(place))
    for number in range(1, 10):
        put(number)
    assert not looks
    put(10)
    assert len(looks) == 1


def test_nothing_else_is_counted_or_removed(past, place, tmp_path):
    """`GDSL_CACHE_DIR` may name a directory with other files."""
    put(0)
    (place / "Documents").mkdir()
    (place / "letters").mkdir()
    kept = [place / "front" / "notes.txt", place / "letters" / "novel", place / "Documents" / ("a" * 64), place / "a"]
    for path in kept:
        path.write_bytes(b"x" * 5000)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ("b" * 64)).write_bytes(b"x" * 5000)
    (place / "linked").symlink_to(elsewhere)
    (place / "front" / ("c" * 64)).symlink_to(elsewhere / ("b" * 64))
    assert cache.usage() == (1, 1000)
    for number in range(30, 60):
        put(number)
    cache.clear()
    assert cache.usage() == (0, 0)
    assert all(path.exists() for path in [*kept, elsewhere / ("b" * 64)])


def test_what_an_ended_process_left_goes_and_what_one_writes_stays(place):
    put(0)
    old, new = (place / "front" / f".gdsl-{word}" for word in ("old", "new"))
    old.write_bytes(b"x" * 100)
    new.write_bytes(b"x" * 100)
    os.utime(old, (1, 1))
    assert cache.usage() == (2, 1100)
    cache.clear()
    assert not old.exists()
    assert new.exists()


@pytest.mark.parametrize(("word", "most"), [("", 10**9), ("0", None), ("2GiB", 2**31), (" 5 MB ", 5_000_000)])
def test_limits(monkeypatch, word, most):
    monkeypatch.setenv("GDSL_CACHE_SIZE", word)
    assert limit.limit() == most


@pytest.mark.parametrize("word", ["many", "-1", "1e9", "1_000", "5 XB", "١"])
def test_a_limit_that_is_none_is_told_once(monkeypatch, word):
    monkeypatch.setenv("GDSL_CACHE_SIZE", word)
    with pytest.warns(RuntimeWarning, match="GDSL_CACHE_SIZE") as caught:
        assert limit.limit() == limit.limit() == 10**9
    assert len(caught) == 1


def test_without_a_limit_nothing_goes(past, monkeypatch, place):
    monkeypatch.setenv("GDSL_CACHE_SIZE", "0")
    for number in range(30):
        put(number)
    assert len(there()) == 30
    assert not (place / ".written").exists()


def test_a_cache_that_was_there_before_the_limit(past, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_SIZE", "0")
    for number in range(30):
        put(number)
    monkeypatch.setenv("GDSL_CACHE_SIZE", "10kB")
    put(50)
    assert len(there()) == 8


WRITER = """
import sys, warnings
warnings.simplefilter("error")
from gdsl import cache
from gdsl.cache import limit
limit._IN_USE = 0.0
for number in range(150):
    cache.put("front", (int(sys.argv[1]), number), b"x" * 952)
    cache.get("front", (int(sys.argv[1]), number - 3))
"""


@pytest.mark.slow
def test_processes_side_by_side(place):
    """None warns or fails, whoever removes what, and together they keep near the limit."""
    several = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(number)], stderr=subprocess.PIPE, text=True)
        for number in range(3)
    ]
    for process in several:
        assert process.communicate(timeout=120)[1] == ""
        assert process.returncode == 0
    assert cache.usage()[1] < 40_000


def test_times_of_use_are_set_once_an_hour(place):
    cache.put("front", ("a",), DATA)
    [entry] = entries.entries_in(place)
    before = entry.path.stat().st_mtime_ns
    assert cache.get("front", ("a",)) == DATA
    assert entry.path.stat().st_mtime_ns == before
    os.utime(entry.path, (1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get("front", ("a",)) == DATA
    assert time.time() - entry.path.stat().st_mtime < 3600
