"""Machine code that installed packages of programs bring along, found by the text that it was compiled from.

The key of machine code is a hash of the text, without what only names files, and of the compiler's options. It is thus
used exactly where NVRTC would be called with that text, whichever version of gdsl has generated it; a version that
generates another text finds none, and compiles.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from typing import Any

from gdsl import cache
from gdsl.backends.cuda import nvrtc
from gdsl.diagnostics import GdslError, caution, printable
from gdsl.ir.nodes import Program
from gdsl.operations import Layout
from gdsl.packages import Package, opened, owner
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.types import Widths
from gdsl.version import __version__

_ONLY_NAMES = re.compile(r"^(?:#line .*|//.*)$", re.MULTILINE)
"""Lines that name files and lines of the program, and comments."""
_ARCHITECTURE = re.compile(r"sm_([0-9]+)([0-9])")
_reported: set[str] = set()


def key_of(text: str) -> str:
    """The key of the machine code of a text."""
    digest = hashlib.sha256(repr(nvrtc.OPTIONS).encode())
    digest.update(_ONLY_NAMES.sub("", text).encode())
    return digest.hexdigest()


def words_of(
    program: Program,
    widths: Widths,
    graph: GraphClass,
    *,
    teams: bool = False,
    several_gpus: bool = False,
    instances: int = 0,
) -> str:
    """The form of a program that a text is for, in words."""
    types = "".join(f"{each.name}={each.type.name}, " for each in program.types)
    parts = [f"{program.name} with {types}{widths}"]
    parts += ["renumbered"] if program.tuning.layout is Layout.BY_DEGREE else []
    parts += [f"on graphs of the class {graph}"] if graph != GENERAL else []
    parts += ["for many values"] if teams else []
    parts += [f"for {64 * instances} values together"] if instances else []
    parts += ["for several GPUs"] if several_gpus else []
    return ", ".join(parts)


def machine_code(text: str, architecture: str, name: str, form: str = "", source_name: str = "") -> bytes:
    """Machine code for a GPU of this `architecture`, from a package or else from NVRTC; `name` as in
    `nvrtc.compile_to_cubin`. Raises E0903 without NVRTC, with what there is in place of this `form` in the package of
    the program, or in others."""
    cubin = find(text, architecture)
    if cubin is not None:
        return cubin
    try:
        return nvrtc.compile_to_cubin(text, architecture, name)
    except GdslError as error:
        if error.code != "E0903":
            raise
        package, first = owner(source_name), error.diagnostics[0]
        packages = opened() if package is None else (package[0],)
        notes = tuple(_description(each, architecture, form if package is not None else "") for each in packages)
        raise GdslError.single(first.code, first.message, fix=first.fix, notes=notes) from None


def cached_code(kind: str, text: str, architecture: str) -> bytes:
    """Machine code from a `text` that does not depend on a program: from a package, or else stored in the cache as
    `kind`, so it is compiled once per machine."""
    cubin = find(text, architecture)
    if cubin is None:
        key = (text, architecture, *nvrtc.identity(), *nvrtc.OPTIONS)
        cubin = cache.get(kind, key)
        if cubin is None:
            cubin = machine_code(text, architecture, f"{kind}.cu")
            cache.put(kind, key, cubin)
    return cubin


def find(text: str, architecture: str) -> bytes | None:
    """Machine code of `text` for such a GPU in a package of this process; None if there is none."""
    packages = [package for package in opened() if package.manifest.get("kernels")]
    key = key_of(text) if packages else ""
    for package in packages:
        by_architecture = package.manifest["kernels"].get(key, {})
        for each in _loadable(architecture, by_architecture):
            cubin = _read(package, by_architecture[each])
            if cubin is not None:
                return cubin
    return None


def identity(source_name: str) -> tuple[str, ...]:
    """Identifies in cache keys the machine code of the package that this program is part of."""
    package = owner(source_name)
    return () if package is None else (str(package[0].manifest.get("digest")),)


def have_code_for(architecture: str) -> bool:
    """Whether a package of this process has machine code for such a GPU."""
    return any(_loadable(architecture, dict.fromkeys(_architectures(package))) for package in opened())


def _loadable(architecture: str, available: Mapping[str, Any]) -> list[str]:
    """Those of the `available` architectures whose machine code such a GPU runs, the nearest first: its own, and
    earlier ones of the same generation."""
    own = _ARCHITECTURE.fullmatch(architecture)
    if own is None:
        return [architecture] if architecture in available else []
    matches = [(each, _ARCHITECTURE.fullmatch(each)) for each in available]
    older = [
        (int(match[2]), each)
        for each, match in matches
        if match is not None and match[1] == own[1] and int(match[2]) <= int(own[2])
    ]
    return [each for _, each in sorted(older, reverse=True)]


def _read(package: Package, entry: Mapping[str, str]) -> bytes | None:
    """The machine code of an entry; None, and a warning, if it is not what the manifest says."""
    path = os.path.join(package.folder, entry["file"])
    try:
        with open(path, "rb") as file:
            cubin = file.read()
        if hashlib.sha256(cubin).hexdigest() == entry["sha256"]:
            return cubin
        why = "it has been changed"
    except OSError as error:
        why = error.strerror or str(error)
    if path not in _reported:
        _reported.add(path)
        caution(f"machine code of the package {package.name} is not used: {printable(path)}: {why}; install it again")
    return None


def _architectures(package: Package) -> list[str]:
    return list(package.manifest.get("architectures", ()))


def _description(package: Package, architecture: str, form: str) -> str:
    """Why the machine code of a package is not that of the `form` which a run needs; without one, of other programs."""
    available = _architectures(package)
    lead = f"the package {package.name} has machine code for {', '.join(available) or 'no GPU'}"
    if not _loadable(architecture, dict.fromkeys(available)):
        return f"{lead}; this GPU is {architecture}"
    if not form:
        return f"{lead}, of its own program"
    entries = (entry for by_architecture in package.manifest["kernels"].values() for entry in by_architecture.values())
    forms = {entry["form"] for entry in entries if entry["program"]}
    if form not in forms:
        return f"{lead}, of {'; '.join(sorted(forms))}; this run needs {form}"
    if package.manifest.get("gdsl") != __version__:
        return f"{lead} that was generated by gdsl {package.manifest.get('gdsl')}; this is gdsl {__version__}"
    return f"{lead}, of this program with other knobs"
