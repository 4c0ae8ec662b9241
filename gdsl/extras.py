"""Optional libraries: imported when they are used, with the command that installs them if they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from gdsl.diagnostics import GdslError, printable

_LONGEST = 200
"""The most characters of a library's message that are shown."""


def required(module: str, install: str, purpose: str) -> Any:
    """The `module`, which `pip install INSTALL` brings; `purpose` says what needs it. Raises E0907 without it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        why = "is not installed"
        if not (isinstance(error, ModuleNotFoundError) and error.name == package):
            why = f"cannot be imported: {first_line(error)}"
        message = f"{purpose} needs {package}, which {why}"
        raise GdslError.single("E0907", message, fix=f"pip install '{install}'") from None


def first_line(error: Exception) -> str:
    """The message of a library's error, on one line."""
    lines = str(error).strip().splitlines()
    words = printable(lines[0] if lines else type(error).__name__)
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
