"""Which tests an expression after `-m` selects."""

from __future__ import annotations

import re

NAMED = ("gpu", "thorough")


def selection(expression: str) -> str:
    """The expression without the tests that run only where they are named. `-m` replaces the default of pyproject.toml
    as a whole: without this, `-m 'not slow'` would run tests that need a GPU."""
    words = set(re.findall(r"\w+", expression))
    parts = [f"({expression})"] if expression else []
    return " and ".join([*parts, *(f"not {word}" for word in NAMED if word not in words)])
