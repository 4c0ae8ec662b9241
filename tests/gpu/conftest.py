"""Tests that need a GPU: `pytest -m gpu` runs them, and skips them where none answers."""

from __future__ import annotations

import pytest

from gdsl.backends.registry import availability


@pytest.fixture(scope="session", autouse=True)
def device() -> str:
    """What the GPU is called."""
    found = availability("cuda")
    if not found.ok:
        pytest.skip(f"no GPU: {found.detail}")
    return found.detail
