"""Limits the size of the cache: entries that were not used for the longest time are removed first.

Listing every entry takes too long for each write. A journal next to the entries holds their total size when they were
last listed and the size of each entry written since, eight bytes each; every write adds them up. An entry that is
written again is counted twice, and what another process records during a listing is lost; the next listing corrects
both.
"""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
import time
from functools import cache as remember
from pathlib import Path

from gdsl.cache.entries import STAGED, Entry, entries_in, remove
from gdsl.diagnostics import caution, shown
from gdsl.numerals import byte_count, readable_bytes

VARIABLE = "GDSL_CACHE_SIZE"
DEFAULT = 1_000_000_000
_JOURNAL = ".written"
_MOST_RECORDS = 1024
"""Writes after which the entries are listed in any case."""
_SIZE = struct.Struct("<q")
_FILLED_PART = 0.8
"""The part of the limit that remains in use, so that the following writes need no listing."""
_IN_USE = 60.0
"""Seconds during which a process that has found an entry may not have opened it yet."""


def limit() -> int | None:
    """The most bytes that entries may take, None without a limit: `GDSL_CACHE_SIZE`, 0 for none."""
    return _limit_of(os.environ.get(VARIABLE, "").strip())


@remember
def _limit_of(word: str) -> int | None:
    if not word:
        return DEFAULT
    try:
        return byte_count(word) or None
    except ValueError as error:
        caution(f"{VARIABLE}={shown(word)}: {error}; {readable_bytes(DEFAULT)} is used")
        return DEFAULT


def record_write(place: Path, path: Path) -> None:
    """Record that the entry at `path` was written to the cache at `place`, and make room if that was too much."""
    largest = limit()
    if largest is None:
        return
    with contextlib.suppress(OSError, ValueError):
        total = _add_to_journal(place / _JOURNAL, path.stat().st_size)
        if total is None or total > largest:
            _make_room(place, largest, path)


def _add_to_journal(journal: Path, size: int) -> int | None:
    """Record `size`, and return the sum of the journal; None where the entries must be listed. Raises OSError."""
    try:
        handle = os.open(journal, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with open(handle, "r+b", buffering=0) as file:
        length = os.fstat(handle).st_size + _SIZE.size
        if length > _MOST_RECORDS * _SIZE.size:
            return None
        file.write(_SIZE.pack(size))
        file.seek(0)
        records = file.read()
    if len(records) % _SIZE.size:
        return None
    return sum(int(number) for (number,) in _SIZE.iter_unpack(records))


def _make_room(place: Path, largest: int, written: Path) -> None:
    """List all entries, remove as many as necessary, and start a new journal. Raises OSError."""
    entries = sorted(entries_in(place), key=lambda entry: entry.used)
    total = sum(entry.size for entry in entries)
    if total > largest:
        total -= sum(entry.size for entry in remove(_least_used(entries, total - int(largest * _FILLED_PART), written)))
    handle, staged = tempfile.mkstemp(prefix=STAGED, dir=place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_SIZE.pack(total))
        os.replace(staged, place / _JOURNAL)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(staged)
        raise


def _least_used(entries: list[Entry], excess: int, written: Path) -> list[Entry]:
    """The first entries with `excess` bytes together, except `written` and those that may be about to be opened."""
    newest = time.time() - _IN_USE
    chosen = []
    for entry in entries:
        if excess <= 0 or entry.used > newest:
            break
        if entry.path != written:
            chosen.append(entry)
            excess -= entry.size
    return chosen
