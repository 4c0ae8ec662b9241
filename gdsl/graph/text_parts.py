"""Text files that several workers read, each its part of whole lines.

Every worker begins to read where a line begins, and assumes that the lines before it are ordinary. Where they are not
(a quoted value spans the cut, a line is bad), the worker concerned reads its part again with what the workers before it
found, so that results and messages are those of a process that reads alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, TypeVar

from gdsl.graph.file_bytes import unreadable
from gdsl.graph.group import Group, ReadAgainError, attempt
from gdsl.graph.text import MOST_BLANK_LINES, TextPart
from gdsl.records import dataclass

T = TypeVar("T")
_CHUNK, _LINE = 1 << 20, 1 << 13
"""Bytes that are read at a time, where most of a line are needed."""
_STEP, _LONGEST_STEP = 1 << 8, 1 << 18
"""Bytes by which a part is extended to where a quote is closed."""


class OpenQuoteError(ReadAgainError):
    """A quote is open at the end of a part."""


def part_of(group: Group, path: str, first_line: int, width: int = 0) -> TextPart:
    """The part of the file at `path`, which is not compressed, that this worker reads.

    The first part holds at least the lines up to number `first_line`, which is the first row; the others have equal
    shares of the rest. `width`: how many values a row has.
    """
    if group.alone:
        return TextPart(path)
    with group.agreement():
        try:
            with open(path, "rb") as stream:
                size = stream.seek(0, 2)
                first = _after_lines(stream, first_line, size)
                targets = (first + (size - first) * (group.rank + end) // group.size for end in range(2))
                start, stop = (_cut(stream, target, size) for target in targets)
                start = start if group.rank else 0
                count = _count_lines(stream, start, stop)
        except OSError as error:
            raise unreadable(path, error) from None
    number = group.before(count)
    return TextPart(path, start, stop, number, width=width if group.rank else 0, final=stop == size)


def _after_lines(stream: BinaryIO, count: int, size: int) -> int:
    """The byte after so many lines."""
    at = 0
    for _ in range(count):
        at = _cut(stream, at + 1, size)
    return at


def _cut(stream: BinaryIO, target: int, size: int) -> int:
    """The first byte from `target` on at which a line begins; the end of the file where none does."""
    if target <= 0:
        return 0
    at = target - 1
    stream.seek(at)
    after_return = False
    while chunk := stream.read(_LINE):
        if after_return:
            return at + chunk.startswith(b"\n")
        ends = [place for place in (chunk.find(b"\n"), chunk.find(b"\r")) if place >= 0]
        if ends:
            end = min(ends)
            if chunk[end] == 13:
                after_return = end + 1 == len(chunk)
                end += chunk[end + 1 : end + 2] == b"\n"
            if not after_return:
                return at + end + 1
        at += len(chunk)
    return size


def _count_lines(stream: BinaryIO, start: int, stop: int) -> int:
    """The lines of a part, which ends with a line end or with the file."""
    stream.seek(start)
    count, last = 0, b"\n"
    while start < stop and (chunk := stream.read(min(_CHUNK, stop - start))):
        count += chunk.count(b"\n")
        if b"\r" in chunk or last == b"\r":
            joined = last + chunk if last == b"\r" else chunk
            count += chunk.count(b"\r") - joined.count(b"\r\n")
        start += len(chunk)
        last = chunk[-1:]
    return count + (last not in (b"\n", b"\r"))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """How a worker read its part: what it assumed about the lines before, and what the next part begins with: None
    where it failed."""

    assumed: TextPart
    following: TextPart | None

    def is_stale(self, actual: TextPart, most_rows: int | None) -> bool:
        """Whether the part must be read again, as the lines before it are as in `actual`."""
        assumed = self.assumed
        if (assumed.start, assumed.width, assumed.pending) != (actual.start, actual.width, actual.pending):
            return True
        if (assumed.gap, assumed.rows, assumed.skipped) == (actual.gap, actual.rows, actual.skipped):
            return False
        # These matter for messages only.
        following = self.after(actual)
        fails = following is None or following.skipped > MOST_BLANK_LINES
        return fails or (most_rows is not None and following is not None and following.rows > most_rows)

    def after(self, actual: TextPart) -> TextPart | None:
        """What the next part begins with, as the lines before this one are as in `actual`."""
        if self.following is None:
            return None
        return replace(
            self.following,
            gap=actual.gap or self.following.gap,
            pending=self.following.pending and (actual.pending or not actual.gap),
            rows=self.following.rows - self.assumed.rows + actual.rows,
            skipped=self.following.skipped - self.assumed.skipped + actual.skipped,
        )


def read_in_order(
    group: Group, part: TextPart, read: Callable[[TextPart], tuple[T, TextPart]], most_rows: int | None = None
) -> T:
    """What `read` returns for the part of this worker, together with the beginning of the part after it, as if the
    workers before had read first; there are `most_rows` rows at most.

    Raises, on all workers, the first error of the file.
    """
    if group.alone:
        return read(part)[0]
    outcome, error = attempt(lambda: read(part))
    while True:
        following = None if outcome is None else outcome[1]
        stale = _stale(group.gather(_Attempt(part, following)), most_rows)
        if not stale:
            break
        if group.rank in stale:
            part = stale[group.rank]
            outcome, error = attempt(lambda: read(part))  # noqa: B023 - called here
    group.raise_first(error)
    assert outcome is not None
    return outcome[0]


def _stale(attempts: list[_Attempt], most_rows: int | None) -> dict[int, TextPart]:
    """The parts to read again, up to the first that fails."""
    result: dict[int, TextPart] = {}
    actual = attempts[0].assumed
    for rank, each in enumerate(attempts):
        if each.is_stale(actual, most_rows):
            result[rank] = actual
        following = each.after(actual)
        if following is None or rank + 1 == len(attempts):
            break
        stop = attempts[rank + 1].assumed.stop
        assert stop is not None
        is_last = attempts[rank + 1].assumed.final
        actual = replace(following, stop=max(stop, following.start), final=is_last or following.final)
    return result


def read_records(part: TextPart, read: Callable[[TextPart], T]) -> tuple[T, TextPart]:
    """`read` of a part of records with quotes, and that part: extended to where no quote is open, if it must be."""
    step = _STEP
    while True:
        try:
            return read(part), part
        except OpenQuoteError:
            assert part.stop is not None
            size = os.path.getsize(part.path)
            with open(part.path, "rb") as stream:
                stop = _cut(stream, part.stop + step, size)
            part = replace(part, stop=stop, final=stop == size or step >= _LONGEST_STEP)
            step *= 2
