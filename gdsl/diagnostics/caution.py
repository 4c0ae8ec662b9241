"""Warnings that never end a run."""

from __future__ import annotations

import contextlib
import sys
import warnings


def caution(text: str) -> None:
    """Warn of a trouble that gdsl works around (RuntimeWarning).

    Who has Python make errors of warnings means those of their own program: there it is a line on standard error.
    """
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print(f"warning: {text}", file=sys.stderr)
