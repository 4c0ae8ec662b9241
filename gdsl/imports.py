"""Finds and reads the files that a program imports from, before the compiler is imported: their texts are part of the
cache's key.

A program may come from anywhere, so it can only import files that belong to it: in the folder of the program, in the
folder of gdsl's samples, in the folders of `importing_from`, links resolved, and in installed packages of programs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar

from gdsl import packages
from gdsl.diagnostics import GdslError, printable
from gdsl.program_files import SUFFIX, read_file, samples
from gdsl.resources import resource_directory
from gdsl.source import Source

MOST_FILES = 100
"""The most files that one program imports from, directly or through others."""
_MOST_ENTRIES = 1000
"""Entries of a folder that are compared with the name of a file that is not there."""

_PATH = re.compile(r'"""(?:.|\n)*?"""|\bfrom(?:\s|#[^\n]*)*"([^"\n]+)"|#[^\n]*')


_PROGRAM = re.compile(
    r"^\s*(?:program|problem|requires|import|function|operator|procedure|schedule|tune|(?:vertex|edge|vote)\s+functor)\b",
    re.MULTILINE,
)
_import_path: ContextVar[tuple[str, ...]] = ContextVar("import_path", default=())


@contextlib.contextmanager
def importing_from(folders: Iterable[str]) -> Iterator[None]:
    """Let programs that are compiled inside import files of `folders` too. Raises `GdslError` (E0241) if one of them is
    not a folder."""
    added = tuple(folders)
    for folder in added:
        if "\0" in folder or not os.path.isdir(folder):
            raise GdslError.single("E0241", "the import path is not a folder", place=folder or "''")
    token = _import_path.set((*_import_path.get(), *added))
    try:
        yield
    finally:
        _import_path.reset(token)


def _folder(source: Source) -> str:
    return os.path.dirname(source.name) if os.path.isfile(source.name) else ""


def _allowed(program: Source) -> tuple[str, ...]:
    """The folders of the files that `program` may import from, directly or through others."""
    folders = (_folder(program) or os.curdir, *_import_path.get(), str(resource_directory("samples")))
    return tuple(os.path.realpath(folder) for folder in folders)


def is_allowed(program: Source, name: str) -> bool:
    """Whether `program` may import from the file `name`, which need not exist."""
    if "\0" in name:
        return False
    path = os.path.realpath(name)
    if any(os.path.commonpath((folder, path)) == folder for folder in _allowed(program)):
        return True
    return packages.owner(path) is not None


def file_meant(program: Source, importer: Source, path: str) -> str:
    """The file that `path` means in `importer`, a part of `program`: next to it, or in the import path; for a text
    without a file, in the working directory. `PACKAGE:PROGRAM` is in an installed package, if there is no such file."""
    sibling = os.path.join(_folder(importer), path)
    names = (sibling, *(os.path.join(folder, path) for folder in _import_path.get()))
    file = next((name for name in names if is_allowed(program, name) and os.path.exists(name)), None)
    return file or packages.path_of(path) or sibling


def is_program(source: Source) -> bool:
    """Whether a text has anything that begins a part of a program."""
    return _PROGRAM.search(source.text) is not None


def same_file(first: str, second: str) -> bool:
    """Whether two names refer to one file."""
    return os.path.realpath(first) == os.path.realpath(second)


def read_import(program: Source, name: str) -> Source:
    """The file `name`, which `program` imports from. Raises `GdslError` if it may not, if that is not a file or not a
    program, or what `read_file` raises."""
    if not is_allowed(program, name):
        raise GdslError.single("E0241", "it is outside of the folders that this program may import from", place=name)
    if not os.path.isfile(name):
        what = "there is no such file"
        if os.path.exists(name):
            what = "it is a directory" if os.path.isdir(name) else "it is not a regular file"
        raise GdslError.single("E0241", what, place=name)
    source = read_file(name)
    if not is_program(source):
        raise GdslError.single("E0241", "it is not a gdsl program, and declares nothing", place=name)
    return source


def likely_file(path: str, folder: str) -> str | None:
    """What to do about a file `path` that is not in `folder`: write the sample of that name there, or name the file
    that is almost called so; None where neither is known."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    if suffix in ("", SUFFIX) and stem in samples():
        return f"write the sample there: `gdslc samples {stem} > {stem}{SUFFIX}`"
    try:
        with os.scandir(folder) as entries:
            names = (entry.name for entry in itertools.islice(entries, _MOST_ENTRIES))
            stems = [name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)]
    except OSError:
        return None
    near = difflib.get_close_matches(stem[:100], stems, n=1, cutoff=0.7)
    return f'did you mean `"{printable(near[0])}{SUFFIX}"`?' if near else None


def names_in(source: Source, program: Source | None = None) -> Iterator[str]:
    """The names of the files that `source` itself imports from, existing or not; `program` is the whole of which it is
    a part."""
    for match in _PATH.finditer(source.text) if "from" in source.text else ():
        path = match.group(1)
        if path is not None and "\0" not in path:
            yield file_meant(program or source, source, path)


def with_other_paths(source: Source, other: Callable[[str], str]) -> str:
    """The text of `source`, with `other` of each path that it imports from in its place."""
    parts, end = [], 0
    for match in _PATH.finditer(source.text):
        if match.group(1) is not None:
            parts += [source.text[end : match.start(1)], other(match.group(1))]
            end = match.end(1)
    return "".join([*parts, source.text[end:]])


def with_imports(source: Source) -> Source:
    """`source` with all files that it imports from, except those that cannot be read."""
    if source.imported is not None:
        return source
    sources: list[Source] = []
    waiting = [source]
    for each in waiting:
        for name in names_in(each, source):
            if len(sources) >= MOST_FILES or any(same_file(name, known.name) for known in waiting):
                continue
            try:
                read = dataclasses.replace(read_import(source, name), imported=())
            except GdslError:
                continue
            sources.append(read)
            waiting.append(read)
    return dataclasses.replace(source, imported=tuple(sources))
