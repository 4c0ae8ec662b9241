"""Lines of text as columns of numbers, with a message for every line that is anything else."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.growing import Growing
from gdsl.graph.text import TextLines, printable, readable, short
from gdsl.graph.threads import processors

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from gdsl.graph.compiled import ReadColumns

_WHOLE = re.compile(r"[+-]?[0-9]+")
_SURE: dict[type, int] = {np.int32: 9, np.int64: 18, np.uint64: 19}
"""Digits of a number that certainly fits."""
_COMMENTS, _OF_WHOLES = re.compile(rb"#[^\n]*"), b"0123456789+-,; \t\n"
_LONG, _DIGITS_ALIKE = b"0" * 10, bytes(ord("0") if chr(byte) in "0123456789" else byte for byte in range(256))
"""Digits of a number that may not fit, and what makes all digits the same."""
_FEW_COLUMNS = 32
"""For more, a pattern of a whole line takes too long to compile."""
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)

ENDS = (("source", "destination"), ("source", "target"), ("src", "dst"), ("from", "to"))
"""What headers and tables call the two ends. The first pair is what gdsl writes, beside attributes of any name."""

UNDIRECTED_ENDS = ("end", "other_end")
"""What gdsl calls the two ends of undirected edges."""

_FEW_BLOCKS = 4
"""Fewer are read by one thread."""
_MOST_THREADS = 8
_KEPT = 24 << 20
_PIECE = 1 << 15
"""Values that are looked at together."""

Found = tuple[NDArray[Any], ...]

RowsOf = Callable[[TextLines], Iterator[str]]
"""Reads the head of a file, then gives the lines of its edges; a second look at a file goes through this."""


def is_whole(word: str) -> bool:
    """Whether `word` is a whole number in decimal ASCII digits."""
    return _WHOLE.fullmatch(word) is not None


def are_whole(words: Sequence[str]) -> bool:
    """Whether all of them are whole numbers in decimal ASCII digits."""
    return all(map(_WHOLE.fullmatch, words))


def is_number(word: str) -> bool:
    """Whether `word` is a number as files hold it: decimal ASCII digits, a point, an exponent; or nan or inf."""
    return _REAL.fullmatch(word) is not None or _NOT_FINITE.fullmatch(word) is not None


def whole_value(word: str) -> int:
    """The whole number that `word` is, with any number of zeros in front. Raises ValueError for thousands of digits."""
    value = int(word.lstrip("+-").lstrip("0") or "0")
    return -value if word.startswith("-") else value


def is_rounded(word: str) -> bool:
    """Whether `word` is a whole number that fits in no float64 but rounded."""
    return is_whole(word) and len(word.lstrip("+-0")) < 400 and int(float(word)) != whole_value(word)


def is_count(word: str) -> bool:
    """Whether `word` is a number of things as a header states it."""
    return word.isascii() and word.isdigit() and len(word) < 20


class Rows(Protocol):
    """Which lines are rows of numbers; it sees all of them in their order."""

    def among(self, stream: Iterator[str]) -> Iterator[str]:
        """Those of `stream`, as they are to be read. Raises GdslError for a line that must not be there."""
        ...

    def plain(self, block: bytes) -> bytes | None:
        """The same of whole lines, without looking at each; None where that does not do. Asked of any of them."""
        ...

    def may_be(self, count: int) -> bool:
        """Whether so many more may follow; then they are taken as seen."""
        ...


def read_columns(
    lines: TextLines,
    rows: Iterator[str],
    names: Sequence[str],
    types: Sequence[type],
    delimiter: str | None,
    further: Rows | None = None,
) -> tuple[NDArray[Any], ...]:
    """The numbers of `rows` by column; `names` are what messages call the columns.

    With `further`, `rows` are of the block of lines in hand alone, and what follows goes by it: whole blocks are read
    at once where nothing unusual stands in them, the others like `rows`. A column of int64 may come as int32 then.

    NumPy's own reader does the work: it is exact about what a number is and how many stand in a line, where SciPy's
    mmread takes `1.5` for 1, ignores what follows, and crashes on some damaged files.
    Raises GdslError E0705 for a line that is anything else.
    """
    if further is None:
        return _exact_columns(lines, rows, names, types, delimiter)

    def quick(read: ReadColumns) -> Callable[[bytes], Found | None]:
        def of_block(block: bytes) -> Found | None:
            plain = further.plain(block)
            return None if plain is None else read(plain, types, delimiter)

        return of_block

    blocks = lines.blocks()
    made = Growing(_exact_columns(lines, rows, names, types, delimiter), lines.size)
    with contextlib.closing(_read_ahead(lines.path, blocks, quick)) as ahead:
        for block, found in ahead:
            if isinstance(block, Exception):
                raise lines.refused(block) from None
            if found is not None and further.may_be(len(found[0])):
                lines.passed(len(found[0]))
            else:
                rows = further.among(lines.lines_of(block))
                rows = rows if _holds_wholes_alone(block) else _with_wholes(rows, types, delimiter)
                found = _read_exactly(lines, rows, names, types, delimiter)
            made.append(found, len(block))
    return made.columns


def _read_ahead(
    path: str, blocks: Iterator[bytes | Exception], quick: Callable[[ReadColumns], Callable[[bytes], Found | None]]
) -> Generator[tuple[bytes | Exception, Found | None], None, None]:
    """Each block with what `quick` makes of it, in their order, by as many threads as there are processors."""
    first = list(itertools.islice(blocks, _FEW_BLOCKS))
    if not first:
        return
    many = len(first) == _FEW_BLOCKS
    threads = min(_MOST_THREADS, processors()) if many else 1
    if many:
        # Where arrays of a block's size go back to the system each time, making them takes as long as all else. The C
        # library keeps those that are smaller than the largest which was ever freed.
        np.empty(_KEPT, np.uint8)
    read = quick(_reader(path, many))
    if threads == 1:
        for block in itertools.chain(first, blocks):
            yield block, None if isinstance(block, Exception) else read(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[tuple[bytes | Exception, Future[Found | None] | None]] = deque()
        for block in itertools.chain(first, blocks):
            waiting.append((block, None if isinstance(block, Exception) else _begun(pool, read, block)))
            if len(waiting) > 2 * threads:
                yield _done(*waiting.popleft())
        while waiting:
            yield _done(*waiting.popleft())


def _begun(pool: ThreadPoolExecutor, read: Callable[[bytes], Found | None], block: bytes) -> Future[Found | None]:
    """`read` of a block, by another thread, or by this one where the system starts no more."""
    try:
        return pool.submit(read, block)
    except RuntimeError:
        from concurrent.futures import Future

        found: Future[Found | None] = Future()
        found.set_result(read(block))
        return found


def _reader(path: str, many: bool) -> ReadColumns:
    """What reads blocks, imported where there are any, which small files do without."""
    if many:
        from gdsl.graph import compiled

        return compiled.reader(path)
    from gdsl.graph import decimals

    return decimals.columns_of


def _done(block: bytes | Exception, future: Future[Found | None] | None) -> tuple[bytes | Exception, Found | None]:
    return block, None if future is None else future.result()


def _exact_columns(
    lines: TextLines, rows: Iterator[str], names: Sequence[str], types: Sequence[type], delimiter: str | None
) -> tuple[NDArray[Any], ...]:
    return _read_exactly(lines, _with_wholes(rows, types, delimiter), names, types, delimiter)


def _read_exactly(
    lines: TextLines, rows: Iterator[str], names: Sequence[str], types: Sequence[type], delimiter: str | None
) -> tuple[NDArray[Any], ...]:
    """The columns of rows of which NumPy takes nothing for a whole number that is none."""
    fields = np.dtype([(f"f{place}", kind) for place, kind in enumerate(types)])
    assert fields.names is not None
    # NumPy takes no -0 for a uint64.
    converters: dict[int | str, Callable[[str], Any]] = {
        place: int for place, kind in enumerate(types) if kind is np.uint64
    }
    try:
        first = next(rows, None)
        if first is None:
            return tuple(np.zeros(0, kind) for kind in types)
        stream = itertools.chain([first], rows)
        table = np.loadtxt(
            stream, dtype=fields, comments=None, delimiter=delimiter, ndmin=1, converters=converters or None
        )
    except (ValueError, OverflowError):
        raise _malformed(lines, names, types, delimiter) from None
    return tuple(np.ascontiguousarray(table[name]) for name in fields.names)


def _with_wholes(rows: Iterator[str], types: Sequence[type], delimiter: str | None) -> Iterator[str]:
    """`rows`, up to the first whose whole numbers are none or do not fit: a ValueError.

    NumPy of 1.26 makes whole numbers of reals and warns, and to hear of warnings is nothing that one of several threads
    can do for itself.
    """
    is_sure = _pattern(types, delimiter).fullmatch if len(types) <= _FEW_COLUMNS else None
    for row in rows:
        if is_sure is None or is_sure(row) is None:
            words = words_of(row, delimiter)
            if len(words) != len(types) or any(
                kind is not np.float64 and problem_of(word, kind) for word, kind in zip(words, types, strict=True)
            ):
                raise ValueError
        yield row


def _holds_wholes_alone(block: bytes) -> bool:
    """Whether nothing in the block, but for comments, may be a real number, or one that fits in no type."""
    plain = _COMMENTS.sub(b"", block.replace(b"%", b"#"))
    return not plain.translate(None, _OF_WHOLES) and _LONG not in plain.translate(_DIGITS_ALIKE)


def _pattern(types: Sequence[type], delimiter: str | None) -> re.Pattern[str]:
    """Lines of which this is certain."""
    real, between = (f"[^{delimiter}]*", delimiter) if delimiter else (r"\S+", r"\s+")
    words = [real if kind is np.float64 else rf"[+-]?[0-9]{{1,{_SURE[kind]}}}" for kind in types]
    if delimiter:
        words = [rf"\s*{word}\s*" for word in words]
    return re.compile(rf"\s*{between.join(words)}\s*")


def _malformed(lines: TextLines, names: Sequence[str], types: Sequence[type], delimiter: str | None) -> GdslError:
    words = words_of(readable(lines.line), delimiter)
    expected = ", ".join(names)
    for word, name, kind in zip(words, names, types, strict=False):
        problem = problem_of(word, kind)
        if problem:
            return lines.error("E0705", f"{name}: `{printable(word)}` {problem}", notes=(f"a line holds {expected}",))
    count = f"{len(words)} value{'s' if len(words) != 1 else ''}"
    return lines.error("E0705", f"the line holds {count}: `{short(lines.line)}`", notes=(f"expected {expected}",))


def words_of(line: str, delimiter: str | None) -> list[str]:
    """The values of a line without the blanks around them."""
    return [word.strip() for word in line.split(delimiter)]


def problem_of(word: str, kind: type) -> str | None:
    """What is wrong with `word` where a number of the type `kind` stands, or None."""
    if kind is np.float64:
        if not is_number(word):
            return "is not a number"
        return "is too large for a float64" if _overflows(word) else None
    if not is_whole(word):
        return "is not a whole number"
    if len(word) <= _SURE[kind] and word[0] != "-":
        return None
    limits = np.iinfo(kind)
    # No type has more than 20 digits, and Python refuses to convert thousands of them.
    digits = word.lstrip("+-").lstrip("0") or "0"
    value = int(digits[:21]) * (-1 if word.startswith("-") else 1)
    if value < limits.min:
        return f"is too small for {np.dtype(kind)}"
    return f"is too large for {np.dtype(kind)}" if value > limits.max else None


def _overflows(word: str) -> bool:
    return bool(np.isinf(float(word))) and _NOT_FINITE.fullmatch(word) is None


def find_row(path: str, rows_of: RowsOf, place: int) -> TextLines:
    """The file at `path`, closed, with data row `place` (from 0) as the last line read."""
    with TextLines(path) as lines:
        for at, _ in enumerate(rows_of(lines)):
            if at == place:
                break
        return lines


def refuse_overflow(
    path: str,
    rows_of: RowsOf,
    names: Sequence[str],
    columns: Sequence[NDArray[Any]],
    delimiter: str | None,
    exact: bool = False,
) -> None:
    """Raise GdslError E0705 for the first number beyond float64, of which the reader made an infinity; if `exact` also
    for whole numbers that float64 rounds.

    The file is read again, and only where there are such numbers at all.
    """
    reals = {place: values for place, values in enumerate(columns) if values.dtype.kind == "f"}
    suspects = {place: found for place, values in reals.items() if (found := _suspects(values, exact)) is not None}
    if not suspects:
        return
    rows = np.logical_or.reduce(list(suspects.values()))
    with TextLines(path) as lines:
        for at, line in enumerate(rows_of(lines)):
            if at >= len(rows) or not rows[at]:
                continue
            words = words_of(line, delimiter)
            for place, found in suspects.items():
                if not found[at] or place >= len(words):
                    continue
                word = words[place]
                if _overflows(word):
                    message = f"{names[place]}: `{short(word)}` is too large for a float64"
                    raise lines.error("E0705", message, "write inf where infinity is meant")
                if exact and is_rounded(word):
                    message = f"{names[place]}: float64 rounds `{short(word)}`, and other values are no whole numbers"
                    raise lines.error("E0705", message, ONE_KIND)


AS_REALS = (
    "no type holds all whole numbers of the column: leave it out, or write all with a decimal point to round them"
)
ONE_KIND = "write all values of the column as whole numbers, or all with a decimal point"


def _suspects(values: NDArray[Any], exact: bool) -> NDArray[np.bool_] | None:
    """Which values are infinite or, if `exact`, may be rounded whole numbers; None if none are. By pieces that fit in a
    processor's cache."""
    limit = 2.0**53 if exact else np.inf
    pieces = (values[first : first + _PIECE] for first in range(0, len(values), _PIECE))
    if not any((np.abs(piece) >= limit).any() for piece in pieces):
        return None
    found: NDArray[np.bool_] = np.greater_equal(np.abs(values), limit)
    return found
