"""A device, or a clear skip."""

from __future__ import annotations

import pytest

from gdsl.backends import registry


@pytest.fixture(autouse=True, scope="session")
def device() -> None:
    """Skips everything here where no GPU answers."""
    availability = registry.get("cuda").availability()
    if not availability.ok:
        pytest.skip(f"no GPU: {availability.detail}")
