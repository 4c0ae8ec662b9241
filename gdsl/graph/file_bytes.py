"""The bytes of graph files: checks that they can be read, decompression, and reading them whole."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from gdsl import files
from gdsl.diagnostics import GdslError
from gdsl.extras import first_line
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import filtered

_NO_STREAM = "save it to a file: a stream cannot be read twice"
_LIKE_GENERATED = re.compile(r"(rmat|grid|uniform)[ =_-]?(\d[\dx:]*)")
_COMPRESSED_CHUNK = 1 << 18
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
LONGEST_MAGIC = len(_XZ)
"""The first bytes of a file that show how it is compressed."""
_CHUNK = 1 << 20


def require_file(path: str) -> os.stat_result:
    """The status of the file at `path`. Raises GdslError E0701 unless it is a regular file."""
    if not path:
        raise GdslError.single("E0701", "the graph file cannot be read: its name is empty")
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        is_folder = stat.S_ISDIR(status.st_mode)
        kind, fix = ("a directory", None) if is_folder else ("not a regular file", _NO_STREAM)
        raise GdslError.single("E0701", f"this is {kind}", fix=fix, place=path)
    return status


def file_size(path: str) -> int:
    """Size in bytes of the file at `path`. Raises GdslError E0701 unless it is a regular file, E0716 if it is empty."""
    size = require_file(path).st_size
    if size == 0:
        raise empty(path)
    return size


def unreadable(path: str, error: Exception) -> GdslError:
    """E0701 with the reason that the system gave for `path`."""
    reason = getattr(error, "strerror", None) or str(error)
    generated = isinstance(error, FileNotFoundError) and _LIKE_GENERATED.fullmatch(path)
    fix = f"a generated graph has a colon: {generated[1]}:{generated[2]}" if generated else None
    if path.startswith("~"):
        fix = "give the path without ~, which only shells replace: os.path.expanduser(path) does it in Python"
    fix = _NO_STREAM if path == "-" else files.not_as_url(path) or fix
    what = "standard input is not read as a graph" if path == "-" else f"the graph file cannot be read: {reason}"
    return GdslError.single("E0701", what, place=path, fix=fix)


def empty(path: str) -> GdslError:
    """E0716 for the file at `path`."""
    return GdslError.single("E0716", "the file is empty", place=path)


def is_compressed(path: str) -> bool:
    """Whether the file at `path` is compressed by gzip, bzip2 or xz. Raises GdslError E0701."""
    try:
        with open(path, "rb") as raw:
            return raw.read(LONGEST_MAGIC).startswith((_GZIP, _BZIP2, _XZ))
    except OSError as error:
        raise unreadable(path, error) from None


class JunkBehindError(Exception):
    """The compressed data is followed by something that is not compressed."""


def decompressing(raw: BinaryIO, start: bytes) -> Any | None:
    """A reader of the decompressed text of a file that begins with `start`; None for a file that is not compressed.

    Its `read` raises EOFError, lzma.LZMAError, zlib.error and OSError for damaged data, and JunkBehindError.
    """
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw)  # it reports itself what follows the data
    if start.startswith(_BZIP2):
        return _Streams(raw, _BZIP2, bz2.BZ2Decompressor)
    return _Streams(raw, _XZ, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)) if start.startswith(_XZ) else None


class _Streams:
    """The text of concatenated streams, as `cat` writes them."""

    def __init__(self, raw: BinaryIO, magic: bytes, make: Callable[[], Any]) -> None:
        self._raw = raw
        self._magic = magic
        self._new_decompressor = make
        self._stream = make()
        self._unread = b""

    def read(self, size: int) -> bytes:
        """The next bytes, `size` at most; none at the end."""
        while True:
            if self._stream.eof and not self._next():
                return b""
            if self._stream.needs_input and not self._unread:
                self._unread = self._raw.read(_COMPRESSED_CHUNK)
                if not self._unread:
                    raise EOFError("it ends without an end marker")
            data, self._unread = self._unread, b""
            result: bytes = self._stream.decompress(data, size)
            if result:
                return result

    def _next(self) -> bool:
        """Begin with the next stream, if there is one."""
        remainder = self._stream.unused_data
        while len(remainder) < len(self._magic):
            more = self._raw.read(_COMPRESSED_CHUNK)
            if not more:
                break
            remainder = self._without_padding(remainder + more)
        remainder = self._without_padding(remainder)
        if not remainder:
            return False
        if not remainder.startswith(self._magic):
            raise JunkBehindError
        self._stream, self._unread = self._new_decompressor(), remainder
        return True

    def _without_padding(self, remainder: bytes) -> bytes:
        """An `.xz` file may be padded with zeros."""
        return remainder.lstrip(b"\0") if self._magic == _XZ else remainder

    def close(self) -> None:
        """Does nothing: whoever opened the file closes it."""


def chunks_of(path: str) -> Iterator[bytes]:
    """The bytes of the file at `path`, in chunks. Raises GdslError E0701, E0710 or E0716."""
    file_size(path)
    try:
        with open(path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            text: Any = decompressing(raw, start) or raw
            with contextlib.closing(text):
                while chunk := text.read(_CHUNK):
                    yield chunk
    except GdslError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise unreadable(path, error) from None
        raise _damaged(path, error) from None
    except Exception as error:  # from one of the three libraries
        raise _damaged(path, error) from None


def bytes_of(path: str, times: int) -> bytes:
    """All bytes of the file at `path`. Raises GdslError E0708 where `times` as much memory is not available."""
    parts, size = [], 0
    for chunk in chunks_of(path):
        size += len(chunk)
        require_memory(times * size, "the graph", path)
        parts.append(chunk)
    return b"".join(parts)


def text_of(content: bytes, path: str) -> str:
    """The UTF-8 text of a file, without its mark. Raises GdslError E0710."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        fix = f"save the file as UTF-8, such as by {filtered(path, 'iconv -f latin1 -t utf-8')}"
        raise GdslError.single("E0710", "this line is not UTF-8", fix=fix, place=f"{path}:{line}") from None


def _damaged(path: str, error: Exception) -> GdslError:
    return GdslError.single("E0710", f"the compressed data is damaged: {first_line(error)}", place=path)
