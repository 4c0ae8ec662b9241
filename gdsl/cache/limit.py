"""The most bytes that the cache takes: what was not used for the longest time goes first.

To look at every entry takes too long for each write. Beside the entries lies a journal: what was there at the last
look, and the size of each entry written since, eight bytes each, which is added up at every write. Entries written anew
are counted twice and what another process notes while this one looks is lost, which the next look sets right.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import tempfile
import time
from functools import cache as remember
from pathlib import Path

from gdsl.byte_counts import byte_count, readable_bytes
from gdsl.cache.entries import STAGED, Entry, entries_in, remove
from gdsl.cache.trust import is_private
from gdsl.diagnostics import caution, shown

VARIABLE = "GDSL_CACHE_SIZE"
DEFAULT = 1_000_000_000
_JOURNAL = ".written"
_MOST_NOTES = 1024
"""Writes after which the entries are looked at in any case."""
_SIZE = struct.Struct("<q")
_KEPT = 0.8
"""The part of the limit that stays, so that not every write that follows has to look again."""
_IN_USE = 60.0
"""Seconds in which a process that has found an entry may not have opened it yet."""


def limit() -> int | None:
    """The most bytes that entries may take, None without a limit: `GDSL_CACHE_SIZE`, where 0 means none."""
    return _limit_of(os.environ.get(VARIABLE, "").strip())


@remember
def _limit_of(word: str) -> int | None:
    if not word:
        return DEFAULT
    try:
        return byte_count(word) or None
    except ValueError as error:
        caution(f"{VARIABLE}={shown(word)}: {error}; {readable_bytes(DEFAULT)} are taken")
        return DEFAULT


def written(place: Path, path: Path) -> None:
    """Note that the entry at `path` was written to the cache at `place`, and make room where that was too much."""
    largest = limit()
    if largest is None:
        return
    with contextlib.suppress(OSError, ValueError):
        taken = _noted(place / _JOURNAL, path.stat().st_size)
        if taken is None or taken > largest:
            _make_room(place, largest, path)


def _noted(journal: Path, size: int) -> int | None:
    """Note `size`, and give all that is noted; None where a look at the entries is due. Raises OSError."""
    try:
        handle = os.open(journal, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(handle)
        length = status.st_size + _SIZE.size
        if not stat.S_ISREG(status.st_mode) or not is_private(status) or length > _MOST_NOTES * _SIZE.size:
            return None
        os.write(handle, _SIZE.pack(size))
        os.lseek(handle, 0, os.SEEK_SET)
        noted = os.read(handle, 2 * length)
    finally:
        os.close(handle)
    if len(noted) % _SIZE.size:
        return None
    return sum(int(number) for (number,) in _SIZE.iter_unpack(noted))


def _make_room(place: Path, largest: int, written: Path) -> None:
    """Look at all entries, remove as many as must go, and begin the journal anew. Raises OSError."""
    found = sorted(entries_in(place), key=lambda entry: entry.used)
    taken = sum(entry.size for entry in found)
    if taken > largest:
        taken -= sum(entry.size for entry in remove(_chosen(found, taken - int(largest * _KEPT), written)))
    handle, staged = tempfile.mkstemp(prefix=STAGED, dir=place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_SIZE.pack(taken))
        os.replace(staged, place / _JOURNAL)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(staged)
        raise


def _chosen(found: list[Entry], excess: int, written: Path) -> list[Entry]:
    """The first entries that have `excess` bytes together, without `written` and what may be about to be opened."""
    newest = time.time() - _IN_USE
    chosen = []
    for entry in found:
        if excess <= 0 or entry.used > newest:
            break
        if entry.path != written:
            chosen.append(entry)
            excess -= entry.size
    return chosen
