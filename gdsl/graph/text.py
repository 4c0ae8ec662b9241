"""Text files, compressed or not, as lines and then as columns of numbers, with the place of every mistake."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import warnings
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.memory import require_memory

_CHUNK = 1 << 20
_LONGEST_LINE = 1 << 16
_MOST_BLANK_LINES = 1 << 22
_BYTES_PER_ROW = 48

_COMPRESSIONS: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", gzip.GzipFile),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)


def file_size(path: str) -> int:
    """Size in bytes of the file at `path`. Raises GdslError E0701 unless it is a regular file, E0716 if it is empty."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise GdslError.single("E0701", f"this is {kind}", place=path)
    if status.st_size == 0:
        raise empty(path)
    return status.st_size


def unreadable(path: str, error: Exception) -> GdslError:
    """E0701 for what the system said about `path`."""
    reason = getattr(error, "strerror", None) or str(error)
    return GdslError.single("E0701", f"the graph file cannot be read: {reason}", place=path)


def empty(path: str) -> GdslError:
    """E0716 for the file at `path`."""
    return GdslError.single("E0716", "the file is empty", place=path)


class TextLines:
    """The lines of a text file without their ends, decompressed on the way; a mistake is placed at the last one read.

    `number` and `line` are the line last given; `complete` says after the end whether the last line had its end.
    `size` is the uncompressed size in bytes, None for compressed files.
    """

    def __init__(self, path: str) -> None:
        """Open `path`; the content tells whether it is compressed. Raises GdslError E0701 or E0716."""
        size = file_size(path)
        self.path = path
        self.number = 0
        self.line = ""
        self.complete = True
        self._raw: BinaryIO
        try:
            self._raw = open(path, "rb")  # noqa: SIM115 - closed by close()
            start = self._raw.read(6)
            self._raw.seek(0)
        except OSError as error:
            raise unreadable(path, error) from None
        opened = next((make for magic, make in _COMPRESSIONS if start.startswith(magic)), None)
        self.size: int | None = size if opened is None else None
        self._stream: Any = self._raw if opened is None else _open_compressed(opened, self._raw)
        self._lines = self._generate()

    def close(self) -> None:
        """Close the file; the lines end."""
        self._lines.close()
        self._stream.close()
        self._raw.close()

    def __enter__(self) -> TextLines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[str]:
        return self._lines

    @property
    def place(self) -> str:
        """`file:line` of the line last given."""
        return f"{self.path}:{self.number}" if self.number else self.path

    def error(self, code: str, message: str, fix: str | None = None, notes: tuple[str, ...] = ()) -> GdslError:
        """A GdslError at the line last given."""
        return GdslError.single(code, message, fix=fix, notes=notes, place=self.place)

    def _generate(self) -> Generator[str, None, None]:
        rest, blank = "", 0
        while chunk := self._read():
            lines = chunk.split("\n")
            lines[0] = rest + lines[0]
            rest = lines.pop()
            # The attributes are set for each line, as whoever consumes the lines may fail at any of them.
            for line in lines:
                self.number += 1
                self.line = line
                if line:
                    yield line
            blank += sum(1 for line in lines if not line)
            if len(rest) > _LONGEST_LINE or blank > _MOST_BLANK_LINES:
                raise self.error("E0710", "this is not a text file of edges: its lines are too long or all empty")
            require_memory(self.number * _BYTES_PER_ROW, f"reading {self.number:,} lines", self.place)
        if rest:
            self.complete = False
            self.number, self.line = self.number + 1, rest
            yield rest

    def _read(self) -> str:
        try:
            chunk: bytes = self._stream.read(_CHUNK)
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise self._damaged(error) from None
        except OSError as error:
            raise (self._damaged(error) if error.errno is None else unreadable(self.path, error)) from None
        if b"\0" in chunk:
            raise GdslError.single("E0710", "this is a binary file, not a text of edges", place=self.path)
        return chunk.decode("latin-1")

    def _damaged(self, error: Exception) -> GdslError:
        note = f"after {self.number:,} lines: {error}" if self.number else str(error)
        return GdslError.single("E0710", "the compressed data is damaged or cut off", notes=(note,), place=self.path)


def _open_compressed(opened: Callable[[Any], Any], raw: BinaryIO) -> Any:
    return gzip.GzipFile(fileobj=raw) if opened is gzip.GzipFile else opened(raw)


def read_columns(
    lines: TextLines, rows: Iterator[str], names: tuple[str, ...], types: tuple[type, ...], delimiter: str | None
) -> tuple[NDArray[Any], ...]:
    """The numbers of `rows` by column; `names` are what messages call the columns.

    NumPy's own reader does the work: it is exact about what a number is and how many stand in a line, where SciPy's
    mmread takes `1.5` for 1, ignores what follows, and crashes on some damaged files.
    Raises GdslError E0705 for a line that is anything else.
    """
    fields = np.dtype([(f"f{place}", kind) for place, kind in enumerate(types)])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            warnings.simplefilter("ignore", UserWarning)
            table = np.loadtxt(rows, dtype=fields, comments=None, delimiter=delimiter, ndmin=1)
    except (ValueError, DeprecationWarning, OverflowError):
        raise _malformed(lines, names, types, delimiter) from None
    return tuple(np.ascontiguousarray(table[name]) for name in fields.names or ())


def _malformed(lines: TextLines, names: tuple[str, ...], types: tuple[type, ...], delimiter: str | None) -> GdslError:
    words = [word.strip() for word in lines.line.split(delimiter)]
    expected = ", ".join(names)
    for word, name, kind in zip(words, names, types, strict=False):
        problem = _problem(word, kind)
        if problem:
            return lines.error("E0705", f"{name}: `{_short(word)}` {problem}", notes=(f"a line holds {expected}",))
    count = f"{len(words)} value{'s' if len(words) != 1 else ''}"
    return lines.error("E0705", f"the line holds {count}: `{_short(lines.line)}`", notes=(f"expected {expected}",))


def _problem(word: str, kind: type) -> str | None:
    try:
        np.array([word]).astype(kind)
    except OverflowError:
        return "is too large"
    except ValueError:
        return "is not a number" if kind is np.float64 else "is not a whole number"
    return None


def _short(text: str) -> str:
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text[:60])
    return shown + ("…" if len(text) > 60 else "")


def narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """int64 values as int32 where all of them fit."""
    if values.dtype != np.int64 or not len(values):
        return values
    limits = np.iinfo(np.int32)
    fits = limits.min <= values.min() and values.max() <= limits.max
    return values.astype(np.int32) if fits else values
