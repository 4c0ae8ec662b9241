"""What several modules begin with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import gdsl
from tests.support.graphs import make_graph, path

from .fake_cupy import FakeCupy, FakeEvent, install
from .test_calls import COUNT


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    """The emulator in the place of CuPy, as what calls ask of it."""
    return install(monkeypatch)


@pytest.fixture
def graph() -> gdsl.Graph:
    """A path, in both directions."""
    weight = {"weight": np.ones(2 * (COUNT - 1), np.float32)}
    made = make_graph(path(COUNT), COUNT, directed=False)
    return gdsl.Graph(made.offsets, made.columns, directed=False, attributes=weight)


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A device that is at work until `busy.until` is over (a moment, or never while it is None)."""
    state = SimpleNamespace(until=0.0)

    def is_busy() -> bool:
        return state.until is None or time.monotonic() < state.until

    monkeypatch.setattr(FakeEvent, "is_busy", staticmethod(is_busy))
    yield state
    state.until = 0.0
