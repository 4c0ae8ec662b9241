"""What is said of programs that are refused."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.pipeline import load


def mistakes(text: str) -> list[Diagnostic]:
    """All that is said of a program, which must be refused."""
    with pytest.raises(GdslError) as caught:
        load(text)
    return list(caught.value.diagnostics)


def mistake(text: str) -> Diagnostic:
    """The one thing that is said of it."""
    (found,) = mistakes(text)
    return found
