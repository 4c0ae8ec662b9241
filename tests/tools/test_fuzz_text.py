"""A short campaign of mutated programs; `python tests/fuzz --text` runs a longer one."""

from __future__ import annotations

import pytest
from fuzz import text
from fuzz.campaign import run


@pytest.mark.slow
def test_mutated_programs() -> None:
    campaign = run("text", text.case, seed=20_240, count=60)
    assert not campaign.findings, campaign.findings[0][1]
