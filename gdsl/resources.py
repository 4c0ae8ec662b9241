"""Finds the files that are not Python: grammar, templates and samples."""

from __future__ import annotations

import string
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


@cache
def resource_directory(name: str) -> Path:
    """The directory `grammar`, `templates` or `samples`.

    In an installed package it is in ``gdsl/_data``; in a checkout (editable or bare) it is next to the package.
    Raises `FileNotFoundError` when the installation is incomplete.
    """
    for parent in (PACKAGE / "_data", PACKAGE.parent):
        directory = parent / name
        if directory.is_dir():
            return directory
    raise FileNotFoundError(f"this installation of gdsl has no directory {name!r}")


def resource_path(name: str, *parts: str) -> Path:
    """The file `parts` of the directory `name`, such as ``resource_path("grammar", "gdsl.lark")``."""
    return resource_directory(name).joinpath(*parts)


def resource_text(name: str, *parts: str) -> str:
    """The text of that file."""
    return resource_path(name, *parts).read_text(encoding="utf-8")


def filled_text(name: str, *parts: str, **values: object) -> str:
    """The text of a file, with ``${word}`` replaced by the value of that name."""
    return string.Template(resource_text(name, *parts)).substitute(values)
