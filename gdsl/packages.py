"""Finds Python packages of programs, which `gdslc export --wheel` builds: `NAME:PROGRAM` means a program of one.

Such a package is a folder with a manifest, which Python can import under its name; nothing of it is imported to find
it. Whoever can install packages can run code, so what they bring along is trusted as much as gdsl itself.
"""

from __future__ import annotations

import difflib
import importlib
import json
import os
import re
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from gdsl.diagnostics import printable
from gdsl.records import dataclass

GROUP = "gdsl.programs"
"""The group of entry points by which installed packages are listed."""
MANIFEST = "gdsl_programs.json"
PROGRAMS, IMPORTED = "programs", "imported"
"""The folder of the programs, and in it that of the files from which they import."""
FORMAT = 1
"""Of the manifest; a package of another one is built again."""

_SUFFIX = ".gdsl"
_OF_CODE = ("file", "form", "program", "sha256")
"""What the manifest says of machine code."""
_WORD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):([A-Za-z_][A-Za-z0-9_]*)")
_MOST_LISTED = 8
_opened: dict[str, Package] = {}


@dataclass(frozen=True, slots=True)
class Package:
    """A package of programs: its name, its folder, and its manifest."""

    name: str
    folder: str
    manifest: Mapping[str, Any]

    @property
    def programs(self) -> Mapping[str, Any]:
        """By name how each program is compiled: its `tune` and `types`."""
        return dict(self.manifest.get("programs", {}))

    def path(self, program: str) -> str:
        """The file of a program."""
        return os.path.join(self.folder, PROGRAMS, program + _SUFFIX)


def is_word(word: str) -> bool:
    """Whether `word` has the form NAME:PROGRAM."""
    return _WORD.fullmatch(word) is not None


def path_of(word: str) -> str | None:
    """The file that NAME:PROGRAM means; None if `word` has another form, or there is no such program."""
    match = _WORD.fullmatch(word)
    package = None if match is None else find(match[1])
    if match is None or package is None:
        return None
    path = package.path(match[2])
    return path if os.path.isfile(path) else None


def find(name: str) -> Package | None:
    """The package called `name`, which from now on is one of `opened`; None if there is none, or it has no programs."""
    folder = _folder(name)
    if folder is None:
        return None
    package = _opened.get(name)
    if package is None or package.folder != folder:
        manifest = _manifest(folder)
        if manifest is None:
            return None
        package = _opened[name] = Package(name, folder, manifest)
    return package


def opened() -> tuple[Package, ...]:
    """The packages whose programs this process uses."""
    return tuple(_opened.values())


def owner(path: str) -> tuple[Package, str] | None:
    """The package that a file belongs to, and the name of its program (that of the file); None if there is none."""
    folder, base = os.path.split(os.path.realpath(path))
    above, last = os.path.split(folder)
    if last == IMPORTED:
        above, last = os.path.split(above)
    if last != PROGRAMS or not os.path.isfile(os.path.join(above, MANIFEST)):
        return None
    package = find(os.path.basename(above))
    if package is None or os.path.realpath(package.folder) != above:
        return None
    return package, base.removesuffix(_SUFFIX)


def settings(path: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words of `--tune`, and the types, with which the program in this file was packed; none for other files."""
    if os.path.basename(os.path.dirname(path)) != PROGRAMS:
        return (), {}
    owned = owner(path)
    chosen = {} if owned is None else owned[0].programs.get(owned[1], {})
    return tuple(chosen.get("tune", ())), dict(chosen.get("types", {}))


def why_missing(word: str) -> tuple[str, list[str], str | None]:
    """Why NAME:PROGRAM means nothing: in a few words, in notes, and a fix."""
    name, _, program = word.partition(":")
    package = find(name)
    if package is not None:
        programs = sorted(each for each in package.programs if os.path.isfile(package.path(each)))
        close = difflib.get_close_matches(program[:100], programs, n=1)
        notes = [f"in {printable(package.folder)} it has {', '.join(programs) or 'none'}"]
        fix = f"did you mean {name}:{close[0]}?" if close else None
        return f"the package {name} has no program {program}", notes, fix
    folder = _folder(name)
    if folder is not None:
        notes, fix = [f"in {printable(folder)} there is no {MANIFEST}"], None
        if not os.path.isdir(folder):
            notes, fix = [f"{printable(folder)} is not a folder, but inside an archive"], "install it with pip"
        elif os.path.lexists(os.path.join(folder, MANIFEST)):
            notes = [f"{MANIFEST} in {printable(folder)} is damaged, or of another version of gdsl"]
            fix = f"install the wheel of {name} again, or build it with this version"
        return f"the package {name} has no gdsl programs", notes, fix
    packages = installed()
    places = [printable(place) for place in sys.path if place]
    more = f", and {len(places) - _MOST_LISTED} more" if len(places) > _MOST_LISTED else ""
    notes = [f"looked for a package {name} in {', '.join(places[:_MOST_LISTED])}{more}"]
    notes += [f"installed packages of programs: {', '.join(packages)}"] if packages else []
    close = difflib.get_close_matches(name[:100], packages, n=1)
    fix = f"did you mean {close[0]}:{program}?" if close else f"install its wheel for {printable(sys.executable)}"
    return f"there is no package {name}", notes, fix


def installed() -> list[str]:
    """The names of all installed packages of programs; this reads the metadata of every installed package."""
    from importlib.metadata import entry_points

    return sorted({each.value for each in entry_points(group=GROUP)})


def _folder(name: str) -> str | None:
    """The folder of the package called `name`, without importing it."""
    try:
        spec = find_spec(name)
        if spec is None:
            importlib.invalidate_caches()  # it may have been installed since this process began
            spec = find_spec(name)
    except (ImportError, ValueError):  # a module that this process has created by hand has no spec
        return None
    places = None if spec is None else spec.submodule_search_locations
    place = next(iter(places), None) if places is not None else None
    return None if place is None else os.path.abspath(place)


def _manifest(folder: str) -> Mapping[str, Any] | None:
    """The manifest in a folder; None if there is none, or one that is damaged or of another format."""
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            manifest = json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
    is_current = isinstance(manifest, dict) and manifest.get("format") == FORMAT and _is_whole(manifest)
    return manifest if is_current else None


def _is_whole(manifest: Mapping[str, Any]) -> bool:
    """Whether all parts are there and of the types that are read from them."""
    programs, kernels = manifest.get("programs"), manifest.get("kernels")
    if not (_is_words(manifest.get("architectures")) and isinstance(programs, dict) and isinstance(kernels, dict)):
        return False
    code = [entry for each in kernels.values() for entry in (each.values() if isinstance(each, dict) else (None,))]
    return all(
        isinstance(each, dict)
        and _is_words(each.get("tune"))
        and isinstance(each.get("types"), dict)
        and _is_words([*each["types"].values()])
        for each in programs.values()
    ) and all(isinstance(each, dict) and _is_words([each.get(key) for key in _OF_CODE]) for each in code)


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
