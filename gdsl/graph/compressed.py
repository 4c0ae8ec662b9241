"""Compressed files that are whole: Python's own readers of `.bz2` and `.xz` pass over what stands behind them."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from typing import Any, BinaryIO

_CHUNK = 1 << 18
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
LONGEST_MAGIC = len(_XZ)
"""As many bytes at the beginning of a file tell how it is compressed."""


class JunkBehindError(Exception):
    """Something that is not compressed stands behind the compressed data."""


def decompressing(raw: BinaryIO, start: bytes) -> Any | None:
    """What reads the text of a file that begins with `start`; None where it is not compressed.

    Its `read` raises EOFError, lzma.LZMAError, zlib.error and OSError for damaged data, and JunkBehindError.
    """
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw)  # which says itself what is wrong with what stands behind
    if start.startswith(_BZIP2):
        return _Streams(raw, _BZIP2, bz2.BZ2Decompressor)
    return _Streams(raw, _XZ, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)) if start.startswith(_XZ) else None


class _Streams:
    """The text of streams that stand one behind the other, as `cat` makes them of several files."""

    def __init__(self, raw: BinaryIO, magic: bytes, make: Callable[[], Any]) -> None:
        self._raw = raw
        self._magic = magic
        self._make = make
        self._stream = make()
        self._waiting = b""

    def read(self, size: int) -> bytes:
        """The next bytes, `size` at most; none at the end."""
        while True:
            if self._stream.eof and not self._next():
                return b""
            if self._stream.needs_input and not self._waiting:
                self._waiting = self._raw.read(_CHUNK)
                if not self._waiting:
                    raise EOFError("it ends before its end is marked")
            given, self._waiting = self._waiting, b""
            found: bytes = self._stream.decompress(given, size)
            if found:
                return found

    def _next(self) -> bool:
        """Begin with the next stream, if there is one."""
        behind = self._stream.unused_data
        while len(behind) < len(self._magic):
            more = self._raw.read(_CHUNK)
            if not more:
                break
            behind = self._without_padding(behind + more)
        behind = self._without_padding(behind)
        if not behind:
            return False
        if not behind.startswith(self._magic):
            raise JunkBehindError
        self._stream, self._waiting = self._make(), behind
        return True

    def _without_padding(self, behind: bytes) -> bytes:
        """An `.xz` file may be filled up with zeros."""
        return behind.lstrip(b"\0") if self._magic == _XZ else behind

    def close(self) -> None:
        """The file itself is closed by who opened it."""
