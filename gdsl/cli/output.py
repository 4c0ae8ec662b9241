"""Writes files, pictures and standard output."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from gdsl import files
from gdsl.cli import completing, streams
from gdsl.diagnostics import GdslError, printable

Command = TypeVar("Command", bound=Callable[..., Any])

_SUFFIXES = (".png", ".svg", ".pdf")


def file_name(context: click.Context, option: click.Parameter, name: str | None) -> Path | None:
    """The name of a file to write as a Path, in which a trailing slash is lost: E0911 for one. A bare `-`, which most
    commands do not take for standard output, is a usage error."""
    if name is None:
        return None
    refuse_hyphen(name)
    try:
        files.require_file_name(name)
    except OSError as error:
        raise _unwritable(name, error) from None
    return Path(name)


def refuse_hyphen(name: str) -> None:
    """Raise BadParameter for `-`: a file of that name is rarely meant."""
    if name == "-":
        fix = "./- is a file called -, and /dev/stdout is standard output, if the name needs no suffix"
        raise click.BadParameter(f"'-' names nothing to write here; {fix}")


def check_writable(path: Path) -> None:
    """Raise E0911 now for an output that could not be written later, before the work is done."""
    try:
        files.check_writable(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def require_apart(path: Path | None, *read: str | None) -> None:
    """Raise E0911 if a file to write is one of those that are read, which would be lost."""
    for name in read if path is not None and os.path.isfile(path) else ():
        with contextlib.suppress(OSError, ValueError):  # not a file
            if name is not None and os.path.samefile(path or "", name):
                message = f"cannot write {printable(str(path))}: it is what {printable(name)} is read from"
                raise GdslError.single("E0911", message, fix="choose another name")


def write_output(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write the file `path` as `files.whole_file` does. Raises E0911; an older file is then unchanged."""
    try:
        with files.whole_file(path) as file:
            write(file)
    except BrokenPipeError as error:
        if _is_standard_output(path):
            raise
        raise _unwritable(path, error) from None
    except OSError as error:
        raise _unwritable(path, error) from None


def print_text(text: str) -> None:
    """Write `text` to standard output, ending with a newline."""
    click.echo(text if not text.endswith("\n") else text[:-1])


def print_binary(data: bytes) -> None:
    """Write `data` to standard output; a usage error if that is a terminal."""
    if sys.stdout.isatty():
        raise click.UsageError("this output is binary and not written to a terminal; use -o FILE or a pipe")
    streams.write_bytes(data)


def _is_standard_output(path: Path) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(1))
    except OSError:
        return False


def _unwritable(path: str | Path, error: OSError) -> GdslError:
    return files.cannot_write(path, error.strerror or error, files.not_as_url(str(path)))


def plot_option(help_text: str) -> Callable[[Command], Command]:
    """Add --plot; the command gets it as `plot`, a Path or None."""
    return click.option(
        "--plot", metavar="FILE", callback=_checked_plot, shell_complete=completing.files(*_SUFFIXES), help=help_text
    )


def _checked_plot(context: click.Context, option: click.Parameter, name: str | None) -> Path | None:
    path = file_name(context, option, name)
    if path is not None and path.suffix.lower() not in _SUFFIXES:
        raise click.BadParameter(f"'{path.name}' must end in {', '.join(_SUFFIXES)}, which decides the format")
    return path


def check_plot(path: Path) -> None:
    """Raise E0907 or E0911 now for a picture that could not be drawn or written later, before the work is done."""
    from gdsl.pictures.plots import require_matplotlib

    require_matplotlib()
    check_writable(path)


def write_plot(path: Path, draws: Sequence[Callable[[Any], object]]) -> None:
    """Write a picture with a panel for each of `draws`. Raises E0911."""
    from gdsl.pictures.plots import panels, write_figure
    from gdsl.progress import working

    with working(f"drawing {path}"):
        figure = panels(draws)
        write_output(path, lambda file: write_figure(figure, path, file))
