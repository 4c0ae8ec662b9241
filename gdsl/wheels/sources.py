"""The texts of a program and of all files that it imports from, so that they import from each other in a package."""

from __future__ import annotations

import os
import re
from functools import partial
from itertools import count

from gdsl.imports import file_meant, same_file, with_imports, with_other_paths
from gdsl.packages import IMPORTED
from gdsl.source import Source

_UNUSUAL = re.compile(r"[^A-Za-z0-9_]+")
_SUFFIX = ".gdsl"


def packed(source: Source, name: str) -> dict[str, str]:
    """The texts by their paths in the folder of programs: the program `name` itself, and in a folder below it the files
    that it imports from, wherever they come from: other folders, samples, or other packages."""
    source = with_imports(source)
    imported = source.imported or ()
    files: dict[str, str] = {}
    for each in imported:
        stem = _UNUSUAL.sub("_", os.path.basename(each.name).removesuffix(_SUFFIX)) or "file"
        names = (f"{stem}{_SUFFIX}" if number == 1 else f"{stem}_{number}{_SUFFIX}" for number in count(1))
        files[each.name] = next(candidate for candidate in names if candidate not in files.values())
    texts = {f"{name}{_SUFFIX}": _with_paths(source, source, files, f"{IMPORTED}/")}
    texts.update((f"{IMPORTED}/{files[each.name]}", _with_paths(source, each, files, "")) for each in imported)
    return texts


def _with_paths(program: Source, importer: Source, files: dict[str, str], prefix: str) -> str:
    return with_other_paths(importer, partial(_path, program, importer, files, prefix))


def _path(program: Source, importer: Source, files: dict[str, str], prefix: str, path: str) -> str:
    meant = file_meant(program, importer, path)
    same = next((file for name, file in files.items() if same_file(name, meant)), None)
    return path if same is None else prefix + same
