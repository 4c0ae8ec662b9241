"""Libraries that an extra brings: imported when they are used, and named where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from gdsl.diagnostics import GdslError


def required(module: str, install: str, purpose: str) -> Any:
    """The `module`, which `pip install INSTALL` brings; `purpose` says what needs it. Raises E0907 without it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        why = "is not installed"
        if not (isinstance(error, ModuleNotFoundError) and error.name == package):
            why = f"cannot be imported: {(str(error).splitlines() or ['no reason'])[0]}"
        message = f"{purpose} needs {package}, which {why}"
        raise GdslError.single("E0907", message, fix=f"pip install '{install}'") from None
