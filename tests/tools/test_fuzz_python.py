"""The campaign of odd values, for a few seconds."""

from __future__ import annotations

import pytest
from fuzz import python_calls
from fuzz.campaign import Finding, run


@pytest.mark.slow
def test_odd_values(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    campaign = run("python", python_calls.case, seed=1, count=700)
    assert not campaign.findings, "\n".join(f"seed {seed}: {text}" for seed, text in campaign.findings)


def test_foreign_errors_are_findings() -> None:
    """The campaign itself: what Python or NumPy say is not taken for gdsl's word."""
    import numpy as np

    for call in (
        lambda: np.zeros(3) + np.zeros(4),
        lambda: 1 / 0,
        lambda: int("x"),
        lambda: len(3),
        lambda: str(10**5000),
    ):
        with pytest.raises(Finding):
            python_calls._answer(call, "a call")
