"""The one line that says whether programs with two answers fail the tests, or are reported as expected failures."""

from __future__ import annotations

from typing import NoReturn

import pytest

ASSERTED = True
"""True once the checker refuses or marks all that the campaign of programs finds."""


def report(text: str) -> NoReturn:
    """Fail with `text`, or report it as a failure that is expected."""
    if ASSERTED:
        pytest.fail(text, pytrace=False)
    pytest.xfail(text)
