"""The files that a program imports from, found and read before anything of the compiler is imported: their texts are
part of the cache's key."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator

from gdsl.diagnostics import GdslError
from gdsl.program_text import read_file
from gdsl.source import Source

MOST_FILES = 100
"""Files that one program imports from, directly or through others."""

_PATH = re.compile(r'"""(?:.|\n)*?"""|\bfrom(?:\s|#[^\n]*)*"([^"\n]+)"|#[^\n]*')


def file_beside(source: Source, path: str) -> str:
    """The name of the file `path` beside `source`; beside the working directory where that is no file itself."""
    return os.path.join(os.path.dirname(source.name) if os.path.isfile(source.name) else "", path)


def same_file(first: str, second: str) -> bool:
    """Whether two names are of one file."""
    return os.path.realpath(first) == os.path.realpath(second)


def read_import(name: str) -> Source:
    """The file `name`. Raises `GdslError` where it is no file, or what `read_file` raises."""
    if not os.path.isfile(name):
        what = "it is no file" if os.path.exists(name) else "there is no such file"
        raise GdslError.single("E0241", what, place=name)
    return read_file(name)


def names_in(source: Source) -> Iterator[str]:
    """The names of the files that `source` itself imports from, whether or not there are any."""
    for match in _PATH.finditer(source.text) if "from" in source.text else ():
        path = match.group(1)
        if path is not None and "\0" not in path:
            yield file_beside(source, path)


def with_imports(source: Source) -> Source:
    """`source` with all files that it imports from; those that cannot be read are left out."""
    if source.imported is not None:
        return source
    found: list[Source] = []
    waiting = [source]
    for each in waiting:
        for name in names_in(each):
            if len(found) >= MOST_FILES or any(same_file(name, known.name) for known in waiting):
                continue
            try:
                read = dataclasses.replace(read_import(name), imported=())
            except GdslError:
                continue
            found.append(read)
            waiting.append(read)
    return dataclasses.replace(source, imported=tuple(found))
