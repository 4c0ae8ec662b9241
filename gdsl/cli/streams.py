"""The standard streams of `gdslc`, whatever state the caller left them in: closed, full, or without a reader.

Output that cannot be written fails the command; a message that cannot be written does not: the exit status is all that
remains.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from gdsl.diagnostics import GdslError

if TYPE_CHECKING:
    from gdsl.api.program import Program

_ENCODING_ERRORS = "gdsl-output"
_NAMES = ("stdin", "stdout", "stderr")


@contextlib.contextmanager
def prepared() -> Iterator[None]:
    """Within the block, standard streams exist and can print every file name."""
    _reserve()
    before = getattr(sys.stdout, "errors", None)
    _print_any_name(_ENCODING_ERRORS)
    try:
        yield
    finally:
        if before is not None:
            _print_any_name(before)


def message(text: str) -> None:
    """Write `text` to standard error, if that is possible."""
    with messages():
        click.echo(text, err=True)


def tell_warnings(program: Program) -> None:
    """Print the warnings about a program, if there are any."""
    if program.warnings:
        message(f"{GdslError(program.warnings, program.text)}\n")


@contextlib.contextmanager
def messages() -> Iterator[None]:
    """Within the block, output goes to standard error; after a failure nothing more is written there."""
    try:
        yield
        sys.stderr.flush()
    except (OSError, ValueError):
        _discard(sys.stderr)


def write_bytes(data: bytes) -> None:
    """Write `data` to standard output unchanged."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def discard_output() -> None:
    """Discard everything still written to standard output, including what Python has buffered at exit."""
    _discard(sys.stdout)


def reason(error: OSError) -> str:
    """Why standard output could not be written."""
    return "standard output is closed" if error.errno == errno.EBADF else error.strerror or str(error)


class _ClosedStream(io.RawIOBase):
    """Replaces a stream that cannot be written: every write fails, until the descriptor is replaced."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return os.write(self._descriptor, data)


WRITERS = (write_bytes.__code__, _ClosedStream.write.__code__)
"""Functions in the traceback of an error of standard output, besides click's."""


def _reserve() -> None:
    """Occupy standard descriptors that are closed: the next opened file would get their numbers, and the output.

    They become a directory, which can be neither read nor written, under any of its names (`/dev/stdout`) either.
    """
    for descriptor, name in enumerate(_NAMES):
        if not _is_open(descriptor):
            _occupy(descriptor)
        if name != "stdin" and getattr(sys, name) is None:
            raw = io.BufferedWriter(_ClosedStream(descriptor))
            setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True))


def _occupy(descriptor: int) -> None:
    try:
        opened = os.open(os.sep, os.O_RDONLY)
    except OSError:  # directories cannot be opened on this system
        opened = os.open(os.devnull, os.O_RDONLY)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _discard(stream: Any) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _print_any_name(errors: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.reconfigure(errors=errors)  # type: ignore[union-attr]


def _encoded_anyway(error: UnicodeError) -> tuple[bytes | str, int]:
    """Keep bytes of a path that are not UTF-8; `?` for what the encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    code = ord(error.object[error.start])
    return bytes([code - 0xDC00]) if 0xDC80 <= code <= 0xDCFF else "?", error.start + 1


codecs.register_error(_ENCODING_ERRORS, _encoded_anyway)
