"""Machine code that installed packages of programs bring along, found by the text that it was compiled from.

The key of machine code is a hash of the text, without what only names files, and of the compiler's options. It is thus
used exactly where NVRTC would be called with that text, whichever version of gdsl has generated it; a version that
generates another text finds none, and compiles.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gdsl import cache
from gdsl.backends.cuda import nvrtc
from gdsl.diagnostics import GdslError, caution, printable
from gdsl.packages import Package, opened, owner
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


def machine_code(text: str, architecture: str, name: str) -> bytes:
    """Machine code for a GPU of this `architecture`, from a package or else from NVRTC; `name` as in
    `nvrtc.compile_to_cubin`. Raises E0903 without NVRTC, with what the packages have."""
    cubin = find(text, architecture)
    if cubin is not None:
        return cubin
    try:
        return nvrtc.compile_to_cubin(text, architecture, name)
    except GdslError as error:
        if error.code != "E0903" or not opened():
            raise
        raise _with_what_there_is(error, architecture) from None


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
    found = owner(source_name)
    return () if found is None else (str(found[0].manifest.get("digest")),)


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


def _with_what_there_is(error: GdslError, architecture: str) -> GdslError:
    """The message about a missing NVRTC, with what the packages of this process have in its place."""
    first = error.diagnostics[0]
    return GdslError.single(first.code, first.message, fix=first.fix, notes=tuple(_descriptions(architecture)))


def _descriptions(architecture: str) -> Iterator[str]:
    for package in opened():
        there = ", ".join(_architectures(package)) or "no GPU"
        why = f"this GPU is {architecture}"
        if _loadable(architecture, dict.fromkeys(_architectures(package))):
            entries = [entry for by_arch in package.manifest["kernels"].values() for entry in by_arch.values()]
            why = f"this run needs another form than {'; '.join(sorted({entry['form'] for entry in entries}))}"
            if package.manifest.get("gdsl") != __version__:
                why = f"it was built by gdsl {package.manifest.get('gdsl')}, and this is gdsl {__version__}"
        yield f"the package {package.name} has machine code for {there}; {why}"
