"""Text files, compressed or not, as lines with their numbers for error messages."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from gdsl.diagnostics import GdslError
from gdsl.graph.file_bytes import LONGEST_MAGIC, JunkBehindError, decompressing, file_size, unreadable
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import edited, filtered, in_shell
from gdsl.graph.no_graph import utf16_of
from gdsl.graph_names import COMPRESSED
from gdsl.records import dataclass

_CHUNK = 1 << 19
"""Bytes that are read at a time, so that the intermediate results of parsing fit in a processor's cache."""
_FIRST = 1 << 12
"""Bytes of the first read: the head of a file decides how the rest is read."""
_LONGEST_LINE = 1 << 16
MOST_BLANK_LINES = 1 << 22
"""More lines without an edge are not a graph but an archive that exhausts its reader."""
_BYTES_PER_ROW = 48
_BYTES_OF_LINE = 40
"""Memory for each byte of a very long line, mostly for its words."""
_ROWS_BETWEEN = 1 << 18
"""Lines after which available memory is checked again."""

_DAMAGED = (EOFError, lzma.LZMAError, zlib.error, OSError)


class _TooLongError(Exception):
    """A line is too long."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Whole lines of a text file, and what a reader knows of the lines before them.

    start, stop: bytes, the end of the file where `stop` is None. number: how many lines there are before. gap: the
    first empty line among the rows before, 0 without any; pending: whether no row followed it yet. skipped: how many
    of these lines hold no edge. rows: how many rows a reader counted in them. width: how many values the last row had,
    0 where there is none. final: whether a quote that is open at the end is never closed.
    """

    path: str
    start: int = 0
    stop: int | None = None
    number: int = 0
    gap: int = 0
    pending: bool = False
    skipped: int = 0
    rows: int = 0
    width: int = 0
    final: bool = True


Text = str | TextPart
"""A text file, or a part of one."""


class TextLines:
    """The lines of a text file without their ends, decompressed on the way; errors are placed at the last one read.

    Iteration yields them one by one. From the current block on, `blocks` yields blocks of whole lines, which may be
    read ahead: the caller reports each in turn with `passed`, or takes its lines by `lines_of`, or raises `refused`.

    `number` and `line` are the current line; `complete` says after the end whether the last line had its end, or a
    blank there. `size` is the uncompressed size in bytes, None for compressed files. `longest` is how many bytes a line
    may have, which readers may raise once they know the head of the file; longer lines within a block are accepted.
    `gap` is the first empty line since `watch_gaps`, 0 without any; `last_row` is the last line with an edge, set by
    readers of single lines; `width` is how many values it had.
    """

    def __init__(self, text: Text) -> None:
        """Open a file, or a part of one that is not compressed; the content of a file shows whether it is compressed.
        Raises GdslError E0701 or E0716."""
        self.part = part = text if isinstance(text, TextPart) else TextPart(text)
        path = part.path
        size = file_size(path)
        self.path = path
        self.number = part.number
        self.line = ""
        self.complete = True
        self.longest = _LONGEST_LINE
        self.gap, self.width = part.gap, part.width
        self.last_row = 0
        self._watches_gaps = part.start > 0
        self._skipped = part.skipped
        self._left = (size if part.stop is None else part.stop) - part.start
        self._chunk_size = min(_FIRST, _CHUNK)
        self._by_blocks = False
        self._next_memory_check = 0
        self._at_start = part.start == 0
        self._after_return = False
        self._raw: BinaryIO
        try:
            self._raw = open(path, "rb")  # noqa: SIM115 - closed by close()
            start = self._raw.read(LONGEST_MAGIC)
            self._raw.seek(part.start)
        except OSError as error:
            raise unreadable(path, error) from None
        stream = decompressing(self._raw, start) if self.is_whole else None
        self.size: int | None = self._left if stream is None else None
        self._stream: Any = self._raw if stream is None else stream
        self._blocks = self._whole_lines()
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
    def is_whole(self) -> bool:
        """Whether this is a whole file, not a part of one."""
        return self.part.start == 0 and self.part.stop is None

    @property
    def begins(self) -> bool:
        """Whether the first line is that of the file."""
        return self.part.start == 0

    @property
    def skipped(self) -> int:
        """How many lines held no edge so far."""
        return self._skipped

    def following(self) -> TextPart:
        """The empty part after these lines, all of which were read."""
        part = self.part
        stop = file_size(self.path) if part.stop is None else part.stop
        seen = replace(part, number=self.number, gap=self.gap, skipped=self._skipped, width=self.width)
        return replace(seen, start=stop, pending=False)

    @property
    def place(self) -> str:
        """`file:line` of the current line."""
        return f"{self.path}:{self.number}" if self.number else self.path

    def error(self, code: str, message: str, fix: str | None = None, notes: tuple[str, ...] = ()) -> GdslError:
        """A GdslError at the current line."""
        return GdslError.single(code, message, fix=fix, notes=notes, place=self.place)

    def skip(self, count: int = 1) -> None:
        """Count lines that hold no edge. Raises GdslError E0710 when there are millions of them."""
        self._skipped += count
        if self._skipped > MOST_BLANK_LINES:
            raise self.error("E0710", f"this is not a graph: {self._skipped:,} lines hold no edge")

    def watch_gaps(self) -> None:
        """Record from now on where the first empty line is."""
        self._watches_gaps = True

    def note_gap(self) -> None:
        """Record that the current line is empty."""
        if self._watches_gaps and not self.gap:
            self.gap = self.number

    def _generate(self) -> Generator[str, None, None]:
        for block in self._blocks:
            if isinstance(block, Exception):
                raise self.refused(block) from None
            yield from self.lines_of(block)
            if self._by_blocks:
                return

    def blocks(self) -> Iterator[bytes | Exception]:
        """The blocks after the current one; iteration ends with the last line of the current block.

        Blocks are whole lines; a last line without a line end is a block of its own. An exception comes last.
        """
        self._by_blocks = True
        return self._blocks

    def lines_of(self, block: bytes) -> Iterator[str]:
        """The lines of a block, as latin-1, which decodes any byte."""
        lines = block.decode("latin-1").split("\n")
        if not lines[-1]:
            lines.pop()
        else:
            self.complete = lines[-1][-1].isspace()
        # The attributes are set for each line, as the reader may fail at any of them.
        for line in lines:
            self.number += 1
            self.line = line
            if line:
                yield line
            else:
                self.note_gap()
        self.skip(lines.count(""))
        self._require_memory()

    def passed(self, rows: int) -> None:
        """Count a block of `rows` lines that was read by other means."""
        self.number += rows
        self.last_row = self.number
        self._require_memory()

    def _require_memory(self) -> None:
        if self.number < self._next_memory_check:
            return
        self._next_memory_check = self.number + _ROWS_BETWEEN
        count = self.number - self.part.number
        require_memory(count * _BYTES_PER_ROW, f"reading {count:,} lines", self.place)

    def refused(self, error: Exception) -> Exception:
        """The error for an exception among the blocks, after all blocks before it were consumed."""
        if isinstance(error, _TooLongError):
            self.number += 1
            return self.error(
                "E0710", f"this is not a text file of edges: the line has more than {self.longest:,} bytes"
            )
        if isinstance(error, JunkBehindError):
            return self._junk()
        if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile) and error.errno is not None:
            return unreadable(self.path, error)
        return self._damaged(error) if isinstance(error, _DAMAGED) else error

    def _whole_lines(self) -> Generator[bytes | Exception, None, None]:
        partial_line: list[bytes] = []
        partial_length = 0
        try:
            while chunk := self._read():
                end = chunk.rfind(b"\n") + 1
                if end:
                    yield b"".join((*partial_line, memoryview(chunk)[:end]))
                    partial_line, partial_length = [], 0
                partial_line.append(chunk[end:])
                partial_length += len(chunk) - end
                if partial_length > _LONGEST_LINE and self._chunk_size >= _CHUNK:
                    self._require_room(partial_length)
                self._chunk_size = min(2 * self._chunk_size, _CHUNK)
        except Exception as error:
            yield error
            return
        if partial_length:
            yield b"".join(partial_line)

    def _require_room(self, length: int) -> None:
        """Check that a line may be longer than `length` bytes."""
        if length > self.longest:
            raise _TooLongError
        require_memory(length * _BYTES_OF_LINE, f"a line of {length:,} bytes or more", self.path)

    def _read(self) -> bytes:
        """The next bytes, with line ends normalized; none at the end of the file."""
        chunk = self._read_raw()
        if self._at_start:
            self._at_start = False
            chunk = self._without_mark(chunk) or self._read_raw()
        if b"\0" in chunk:
            if (encoding := utf16_of(chunk)) is not None:
                raise self._utf16(encoding)
            raise GdslError.single("E0710", "this is a binary file, not a text file of edges", place=self.path)
        if self._after_return and chunk.startswith(b"\n"):
            # the second half of a line end that was split between two chunks
            self._after_return = False
            chunk = chunk[1:]
            if not chunk:
                return self._read()
        self._after_return = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _read_raw(self) -> bytes:
        if self.is_whole:
            whole: bytes = self._stream.read(self._chunk_size)
            return whole
        chunk: bytes = self._stream.read(min(self._chunk_size, self._left))
        self._left -= len(chunk)
        return chunk

    def _without_mark(self, chunk: bytes) -> bytes:
        if chunk.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self._utf16("utf-16")
        return chunk.removeprefix(b"\xef\xbb\xbf")

    def _utf16(self, encoding: str) -> GdslError:
        fix = f"save the file as UTF-8: {filtered(self.path, f'iconv -f {encoding} -t utf-8')}"
        return GdslError.single("E0710", "this is UTF-16 text", fix=fix, place=self.path)

    def _junk(self) -> GdslError:
        return GdslError.single("E0710", "the compressed data is followed by something else", place=self.path)

    def _damaged(self, error: Exception) -> GdslError:
        if isinstance(error, gzip.BadGzipFile) and str(error).startswith("Not a gzipped file"):
            return self._junk()
        note = f"after {self.number:,} lines: {error}" if self.number else str(error)
        return GdslError.single("E0710", "the compressed data is damaged or cut off", notes=(note,), place=self.path)


def line_end(path: str) -> str:
    """The command that appends a line end to the file at `path`."""
    return edited(path, r"'$a\'") if path.lower().endswith(COMPRESSED) else f"echo >> {in_shell(path)}"


def readable(line: str) -> str:
    """A line of `TextLines` as the UTF-8 text that it most likely is."""
    return line.encode("latin-1", "replace").decode("utf-8", "replace")


def short(line: str) -> str:
    """The beginning of a line of `TextLines`, or of a word in one, for a message."""
    return printable(readable(line[:240]))


def printable(text: str) -> str:
    """The beginning of `text` for a message, without control characters."""
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text[:60])
    return shown + ("…" if len(text) > 60 else "")
