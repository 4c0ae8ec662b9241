"""What an expression after `-m` selects."""

from __future__ import annotations

import pytest

from tests.support.markers import selection


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("", "not gpu and not thorough"),
        ("not slow", "(not slow) and not gpu and not thorough"),
        ("slow or optimized", "(slow or optimized) and not gpu and not thorough"),
        ("gpu", "(gpu) and not thorough"),
        ("gpu and thorough", "(gpu and thorough)"),
        ("not gpu", "(not gpu) and not thorough"),
    ],
)
def test_tests_for_a_gpu_run_only_where_they_are_named(expression: str, selected: str) -> None:
    assert selection(expression) == selected
