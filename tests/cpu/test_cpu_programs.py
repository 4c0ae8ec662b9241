"""What statements, operators and steps mean: the tests of the reference backend, run on the cpu backend."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tests.reference.test_reference_programs as programs
from tests.cpu.running import run
from tests.reference.test_reference_programs import *  # noqa: F403

del test_another_seed_takes_another_order  # type: ignore[name-defined]  # noqa: F821


@pytest.fixture(autouse=True)
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test of that module runs its programs by `programs.run`."""
    monkeypatch.setattr(programs, "run", run)
    yield
