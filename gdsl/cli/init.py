"""`gdslc init`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import string
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from gdsl.diagnostics import GdslError, printable, shell_word

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_. -]*")
_LONGEST_NAME = 60


@click.command(name="init", short_help="Create a folder with a program, a test and a README.")
@click.argument("name", metavar="NAME")
def command(name: str) -> None:
    """Create the folder NAME with a program that runs, a test of it against an oracle, and a README with the commands.

    NAME may be a path, whose last part names the program; an existing folder must be empty.

    \b
    Example:
      gdslc init my_paths
    """
    if not name.strip():
        raise click.UsageError("the name is empty")
    folder = Path(os.path.realpath(name)) if os.path.isdir(name) else Path(os.path.abspath(name))
    program = _program_name(name, folder.name)
    _check_place(name, folder)
    texts = _texts(program)
    try:
        with _filled(folder) as place:
            for file, text in texts.items():
                (place / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(name, error.strerror or str(error)) from None
    shown = os.path.relpath(folder)
    click.echo(f"created {printable(shown)} with {', '.join(texts)}; next:")
    if shown != ".":
        click.echo(f"  cd {shell_word(shown)}")
    click.echo(f"  gdslc run {program}.gdsl karate -p source=0\n  python -m pytest")


def _program_name(name: str, last: str) -> str:
    """The name of the program in a folder called `last`. Raises a usage error if that cannot be a name."""
    word = re.sub(r"[. -]", "_", last)
    if not _WORD.fullmatch(last) or len(last) > _LONGEST_NAME:
        raise click.UsageError(
            f"'{printable(name)}' does not name a program: its last part must be up to {_LONGEST_NAME} letters, digits "
            "and _, and not begin with a digit, such as my_paths"
        )
    return word


def _texts(program: str) -> dict[str, str]:
    """The text of every file, by its name."""
    from gdsl.resources import resource_text

    templates = {
        f"{program}.gdsl": "program.gdsl.in",
        f"test_{program}.py": "test_program.py.in",
        "README.md": "README.md.in",
    }
    return {
        file: string.Template(resource_text("templates", "project", template)).substitute(name=program)
        for file, template in templates.items()
    }


def _check_place(name: str, folder: Path) -> None:
    """Raise E0911 unless the folder is empty or can be created."""
    if os.path.lexists(folder):
        if not folder.is_dir():
            raise _unwritable(name, "there is a file of that name")
        with contextlib.suppress(OSError):
            if next(folder.iterdir(), None) is not None:
                raise _unwritable(name, "the folder is not empty", "name another one")
    elif not folder.parent.is_dir():
        raise _unwritable(name, f"there is no directory {printable(str(folder.parent))}")


@contextlib.contextmanager
def _filled(folder: Path) -> Iterator[Path]:
    """The directory to write the files to: they are all in `folder` when the block ends, or none after an exception.
    Raises OSError."""
    parent = folder if folder.is_dir() else folder.parent
    staged = Path(tempfile.mkdtemp(prefix=".gdsl-", dir=parent))
    try:
        yield staged
        if parent is not folder:
            mask = os.umask(0)
            os.umask(mask)
            staged.chmod(0o777 & ~mask)
            staged.rename(folder)
            return
        for file in staged.iterdir():
            file.rename(folder / file.name)
        staged.rmdir()
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise


def _unwritable(name: str, why: str, fix: str | None = None) -> GdslError:
    return GdslError.single("E0911", f"cannot create {printable(name)}: {why}", fix=fix)
