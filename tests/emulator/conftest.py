"""What several modules begin with."""

from __future__ import annotations

import pytest

from .fake_cupy import FakeCupy, install


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    """The emulator in the place of CuPy, as what calls ask of it."""
    return install(monkeypatch)
