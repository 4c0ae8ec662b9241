"""Checks the names and versions of packages before anything is compiled."""

from __future__ import annotations

import keyword
import re
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

from gdsl.diagnostics import GdslError, printable

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_VERSION = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?", re.ASCII)
"""The public versions of Python packages, as written in the names of their files."""
_LONGEST = 100
_REQUIRED = re.compile(r"[A-Za-z0-9_.-]+")
_USED = ("cupy", "cupyx", "numpy", "nvidia", "pip", "pytest", "scipy", "setuptools", "wheel")
"""Packages that hardly any installation is without, whatever the metadata of gdsl says."""


def check_name(name: str) -> None:
    """Raise E0915 unless `name` can be that of a package which hides no other."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        suggestion = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        fits = _NAME.fullmatch(suggestion) is not None and len(suggestion) <= _LONGEST and _hidden(suggestion) is None
        fix = f"write {suggestion}" if fits else "write, for example, my_graph_programs"
        rule = f"a name has up to {_LONGEST} of a-z, 0-9 and single _ between them, and begins with a letter"
        raise _refused(f"{printable(name)!r} is not the name of a package", rule, fix)
    hidden = _hidden(name)
    if hidden is not None:
        other = f"{name}_programs"
        other = other if _hidden(other) is None else "my_graph_programs"
        raise _refused(f"a package cannot be called {name}: {hidden}", None, f"write, for example, {other}")


def check_version(version: str) -> None:
    """Raise E0915 unless `version` is one of a Python package."""
    if not _VERSION.fullmatch(version):
        rule = "a version has numbers between dots, and may end in a1, b1, rc1, .post1 or .dev1"
        raise _refused(f"{printable(version)!r} is not the version of a package", rule, "write, for example, 0.1.0")


def check_program(name: str) -> None:
    """Raise E0915 for a program that Python could not call by its name."""
    if keyword.iskeyword(name) or name.startswith("__"):
        fix = f"rename it, for example to {name.strip('_') or 'search'}_program"
        raise _refused(f"the program {name} of a package could not be called from Python by its name", None, fix)


def _hidden(name: str) -> str | None:
    """What a package of this name would hide, or why it could not be imported."""
    if keyword.iskeyword(name):
        return "it is a keyword of Python"
    if name in sys.stdlib_module_names or name == "test":  # which is one that this set leaves out
        return "it would hide a module of Python"
    if name == "gdsl" or name.startswith("gdsl_data"):
        return "it would hide gdsl itself"
    if name in _used():
        return "it would hide a package that gdsl uses"
    return None


@cache
def _used() -> set[str]:
    """The names of the packages that gdsl requires, also through others, and of the modules that are in them."""
    required = _required()
    inside = {
        module
        for module, owners in packages_distributions().items()
        if any(_normal(each) in required for each in owners)
    }
    return required | inside | set(_USED)


def _required() -> set[str]:
    """What gdsl requires, with or without extras, and what that requires without any."""
    required, pending = {"gdsl"}, ["gdsl"]
    for name in pending:
        try:
            requirements = requires(name) or []
        except PackageNotFoundError:  # an extra, or a checkout that is not installed
            continue
        for each in requirements:
            match = _REQUIRED.match(each)
            if match is not None and _normal(match[0]) not in required and (name == "gdsl" or "extra ==" not in each):
                required.add(_normal(match[0]))
                pending.append(match[0])
    return required


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _refused(message: str, note: str | None, fix: str) -> GdslError:
    return GdslError.single("E0915", message, notes=(note,) if note else (), fix=fix)
