"""The exact reader of text files: lines as columns of numbers, with an error message for any other line.

Large files are read block by block: by the fast reader (`native_text`) where there is one, else by NumPy.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.number_text import SAFE_DIGITS, narrowed, problem_of, words_of
from gdsl.graph.text import Text, TextLines, TextPart, printable, readable, short
from gdsl.graph.threads import processors

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from gdsl.graph.native_text import ColumnsReader


_ROUNDS_REALS = np.lib.NumpyVersion(np.__version__) < "2.4.0"
"""Whether this NumPy may read 1.5 as a whole number with only a warning; warning filters are shared by all threads."""
_OF_WHOLES = b"0123456789+-,; \t\n"
_LONG, _DIGITS_ALIKE = b"0" * 10, bytes(ord("0") if chr(byte) in "0123456789" else byte for byte in range(256))
"""Digits of a number that may not fit, and a table that makes all digits the same."""
_MOST_DIGITS = SAFE_DIGITS[np.int64]
_FEW_COLUMNS = 32
"""For more, the pattern of a line takes too long to compile."""
_FEW_BLOCKS = 4
"""Files of fewer blocks are read by one thread, without the fast reader."""
_MOST_THREADS = 8
_REUSED_MEMORY = 24 << 20
_FIRST_ROWS = 1 << 20
_MOST_GROWTH = 64
"""The most that memory grows by in one step: the first rows of a file may not be like the rest."""
_SPARE_ROWS = 1.02

Columns = tuple[NDArray[Any], ...]
Block = bytes | Exception
"""Whole lines, or why there are no more."""

RowsOf = Callable[[TextLines], Iterator[str]]
"""Reads the head of a file, then yields the lines of its edges; used to find a line in a second pass over a file."""


class Rows(Protocol):
    """Selects the lines of a file that are rows of numbers; it sees all lines in order."""

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        """The rows of `stream`, as they are to be read. Raises GdslError for a line that must not be there."""
        ...

    def plain(self, block: bytes) -> bytes | None:
        """The rows of a block of whole lines; None where its lines must be examined one by one. Called in any order."""
        ...

    def may_be(self, count: int) -> bool:
        """Whether so many more rows may follow; they count as read then."""
        ...


class CountedRows:
    """The rows of a file whose header says how many there are."""

    def __init__(self, lines: TextLines, count: int, called: str) -> None:
        """`called` is what messages call the rows, such as `entries of its header`."""
        self.lines = lines
        self._count, self._seen, self._called = count, lines.part.rows, called

    def following(self) -> TextPart:
        """The empty part after the lines, all of which were read."""
        return replace(self.lines.following(), rows=self._seen)

    def count(self) -> None:
        """Count the line last read. Raises GdslError E0706 where there are too many."""
        self._seen += 1
        if self._seen > self._count:
            message = f"the file goes on after the {self._count:,} {self._called}"
            raise self.lines.error("E0706", message)

    def may_be(self, count: int) -> bool:
        """Whether so many more rows may follow; they count as read then."""
        fits = self._seen + count <= self._count
        self._seen += count if fits else 0
        return fits


def read_columns(
    lines: TextLines,
    rows: Iterator[str],
    names: Sequence[str],
    types: Sequence[type],
    delimiter: str | None,
    further: Rows,
) -> Columns:
    """The numbers of a file by column; messages call the columns `names`.

    `rows` are those of the current block of lines, `further` selects those of all later blocks. A column of int64 may
    become int32. Numbers are parsed by NumPy, which is exact about what a number is and how many a line holds; SciPy's
    mmread takes `1.5` for 1, ignores what follows, and crashes on some damaged files.

    Raises GdslError E0705 for a line that is anything else.
    """
    blocks = lines.blocks()
    columns = _Growing(_columns_of_rows(lines, rows, names, types, delimiter), lines.size)

    def plain_rows(block: bytes | Exception) -> bytes | None:
        return None if isinstance(block, Exception) else further.plain(block)

    with contextlib.closing(_read_ahead(lines.path, blocks, plain_rows, types, delimiter)) as reader:
        for block, result in reader:
            if isinstance(block, Exception):
                raise lines.refused(block) from None
            if result is not None and further.may_be(len(result[0])):
                lines.passed(len(result[0]))
            else:
                result = _columns_of_rows(lines, further.among(lines.lines_of(block)), names, types, delimiter)
            columns.append(result, len(block))
    return columns.columns


def _read_ahead(
    path: str,
    blocks: Iterator[Block],
    plain_rows: Callable[[Block], bytes | None],
    types: Sequence[type],
    delimiter: str | None,
) -> Generator[tuple[Block, Columns | None], None, None]:
    """Each block with its columns, in order; without them where its lines must be read one by one."""
    first = list(itertools.islice(blocks, _FEW_BLOCKS))
    fast = _fast_reader(path) if len(first) == _FEW_BLOCKS else None

    def read(block: Block) -> Columns | None:
        plain = plain_rows(block)
        if plain is None:
            return None
        result = None if fast is None else fast(plain, types, delimiter)
        return columns_of(plain, types, delimiter) if result is None else result

    stream = itertools.chain(first, blocks)
    threads = min(_MOST_THREADS, processors())
    if fast is None or threads == 1:
        yield from ((block, read(block)) for block in stream)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        pending: deque[tuple[Block, Future[Columns | None]]] = deque()
        for block in stream:
            pending.append((block, _submit(pool, read, block)))
            if len(pending) > 2 * threads:
                block, future = pending.popleft()
                yield block, future.result()
        for block, future in pending:
            yield block, future.result()


def _fast_reader(path: str) -> ColumnsReader | None:
    from gdsl.graph import native_text  # small files do without

    # The C library keeps freed memory up to the largest piece that was ever freed. Without this, arrays of a block's
    # size return to the system each time, and getting them again takes as long as everything else.
    np.empty(_REUSED_MEMORY, np.uint8)
    return native_text.columns_reader(path)


def _submit(pool: ThreadPoolExecutor, read: Callable[[Block], Columns | None], block: Block) -> Future[Columns | None]:
    """`read` of a block by another thread, or by this one where the system starts no more threads."""
    try:
        return pool.submit(read, block)
    except RuntimeError:
        from concurrent.futures import Future

        done: Future[Columns | None] = Future()
        done.set_result(read(block))
        return done


def columns_of(block: bytes, types: Sequence[type], delimiter: str | None) -> Columns | None:
    """The columns of whole lines, all of them rows; None where the lines must be read one by one."""
    *rows, rest = block.decode("latin-1").split("\n")
    if rest or len(types) > _FEW_COLUMNS or not rows or not rows[0].strip():  # NumPy warns of a text without rows
        return None
    checked = _checked(iter(rows), types, delimiter) if _ROUNDS_REALS and not _holds_wholes_only(block) else rows
    try:
        columns = _parsed(checked, types, delimiter)
    except (ValueError, OverflowError):
        return None
    return columns if len(columns[0]) == len(rows) else None  # NumPy skips empty lines


def lists_of(block: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """(numbers, how many of them each line has) of whole lines of digits and blanks; None for any other text, and where
    a number may not fit in an int64."""
    if not block.endswith(b"\n") or block.translate(None, b"0123456789 \t\n"):
        return None
    text = np.frombuffer(b"\n" + block, np.uint8)
    is_digit = text >= ord("0")
    edges = np.flatnonzero(is_digit[1:] != is_digit[:-1])
    starts, ends = edges[0::2], edges[1::2]
    if (ends - starts).max(initial=0) > _MOST_DIGITS:
        return None
    numbers = np.fromstring(block, np.int64, sep=" ") if len(ends) else np.zeros(0, np.int64)
    line_ends = np.flatnonzero(text[1:] == ord("\n"))
    return numbers, np.diff(np.searchsorted(ends, line_ends, side="right"), prepend=0)


def _columns_of_rows(
    lines: TextLines, rows: Iterator[str], names: Sequence[str], types: Sequence[type], delimiter: str | None
) -> Columns:
    """The columns of `rows`. Raises GdslError E0705 for the first row that is not one number of its type a column."""
    first = next(rows, None)
    if first is None:
        return tuple(np.zeros(0, kind) for kind in types)
    stream = itertools.chain([first], rows)
    rows = _checked(stream, types, delimiter) if _ROUNDS_REALS else _with_values(stream)
    try:
        return _parsed(rows, types, delimiter)
    except (ValueError, OverflowError):
        raise _malformed(lines, names, types, delimiter) from None


def _with_values(rows: Iterator[str]) -> Iterator[str]:
    """`rows`, up to the first without a value, which NumPy would skip: a ValueError."""
    for row in rows:
        if not row.strip():
            raise ValueError
        yield row


def _parsed(rows: Iterator[str] | list[str], types: Sequence[type], delimiter: str | None) -> Columns:
    """The columns of rows, parsed by NumPy. Raises ValueError or OverflowError."""
    fields = np.dtype([(f"f{place}", kind) for place, kind in enumerate(types)])
    # NumPy takes no -0 for a uint64.
    converters: Any = {place: int for place, kind in enumerate(types) if kind is np.uint64} or None
    table = np.loadtxt(rows, dtype=fields, comments=None, delimiter=delimiter, ndmin=1, converters=converters)
    return tuple(np.ascontiguousarray(table[f"f{place}"]) for place in range(len(types)))


def _checked(rows: Iterator[str], types: Sequence[type], delimiter: str | None) -> Iterator[str]:
    """`rows`, up to the first with a whole number that is not one or does not fit: a ValueError."""
    is_sure = _row_pattern(tuple(types), delimiter).fullmatch if len(types) <= _FEW_COLUMNS else None
    for row in rows:
        if is_sure is None or is_sure(row) is None:
            words = words_of(row, delimiter)
            if len(words) != len(types) or any(
                kind is not np.float64 and problem_of(word, kind) for word, kind in zip(words, types, strict=True)
            ):
                raise ValueError
        yield row


@cache
def _row_pattern(types: tuple[type, ...], delimiter: str | None) -> re.Pattern[str]:
    """A row whose whole numbers certainly fit."""
    real, between = (f"[^{delimiter}]*", delimiter) if delimiter else (r"\S+", r"\s+")
    words = [real if kind is np.float64 else rf"[+-]?[0-9]{{1,{SAFE_DIGITS[kind]}}}" for kind in types]
    if delimiter:
        words = [rf"\s*{word}\s*" for word in words]
    return re.compile(rf"\s*{between.join(words)}\s*")


def _holds_wholes_only(block: bytes) -> bool:
    """Whether the block certainly holds no real number, and none that fits in no type."""
    return not block.translate(None, _OF_WHOLES) and _LONG not in block.translate(_DIGITS_ALIKE)


def _malformed(lines: TextLines, names: Sequence[str], types: Sequence[type], delimiter: str | None) -> GdslError:
    """E0705 for the line that was read last."""
    words = words_of(readable(lines.line), delimiter)
    expected = ", ".join(names)
    for word, name, kind in zip(words, names, types, strict=False):
        problem = problem_of(word, kind)
        if problem:
            return lines.error("E0705", f"{name}: `{printable(word)}` {problem}", notes=(f"a line holds {expected}",))
    count = f"{len(words)} value{'s' if len(words) != 1 else ''}"
    return lines.error("E0705", f"the line holds {count}: `{short(lines.line)}`", notes=(f"expected {expected}",))


class _Growing:
    """Columns that grow by blocks of rows. Memory is allocated as if the rest of the file were like what has been read:
    what is allocated and never written costs nothing.

    An int64 is an int32 where all of a block fit, and a column has the type that holds all of its blocks.
    """

    def __init__(self, first: Columns, nbytes: int | None) -> None:
        """`nbytes` is the size of the text, where it is known."""
        self._columns = list(first)
        self._rows, self._read, self._nbytes = len(first[0]), 0, nbytes
        self._rows_of_blocks = 0

    def append(self, block: Columns, nbytes: int) -> None:
        """Add the rows of a block of so many bytes."""
        rows = self._rows + len(block[0])
        self._read += nbytes
        self._rows_of_blocks += len(block[0])
        for place, part in enumerate(block):
            part, column = narrowed(part), self._columns[place]
            kind = np.result_type(part, column if self._rows < len(column) else narrowed(column))
            if rows > len(column) or kind != column.dtype:
                self._columns[place] = np.empty(max(self._expected(rows), len(column)), kind)
                self._columns[place][: self._rows] = column[: self._rows]
            self._columns[place][self._rows : rows] = part
        self._rows = rows

    def _expected(self, rows: int) -> int:
        """How many rows the whole text may have, after `rows` have been read."""
        if self._nbytes is None or not self._rows_of_blocks:
            return 2 * rows
        whole = int(self._rows_of_blocks / self._read * self._nbytes * _SPARE_ROWS)
        return max(min(whole, _MOST_GROWTH * rows + _FIRST_ROWS), rows + rows // 4)

    @property
    def columns(self) -> Columns:
        """The rows so far."""
        return tuple(column[: self._rows] for column in self._columns)


def find_row(text: Text, rows_of: RowsOf, place: int) -> TextLines:
    """The file, or part, closed, with data row `place` (from 0) as the last line read."""
    with TextLines(text) as lines:
        for at, _ in enumerate(rows_of(lines)):
            if at == place:
                break
        return lines


def from_zero(text: Text, rows_of: RowsOf, ids: NDArray[Any], num_vertices: int, called: str) -> NDArray[Any]:
    """`ids`, changed in place to count from 0, not from 1; `called` is what messages call the format.

    Raises GdslError E0707, at its line, for the first that is not a vertex.
    """
    if len(ids) and (ids.min() < 1 or ids.max() > num_vertices):
        place = int(np.argmax((ids < 1) | (ids > num_vertices)))
        message = f"{ids[place]} is not a vertex: {called} ids count from 1, here 1 … {num_vertices:,}"
        fix = "the file's ids seem to count from 0: add 1 to each" if ids[place] == 0 else None
        raise find_row(text, rows_of, place).error("E0707", message, fix)
    ids -= 1
    return ids
