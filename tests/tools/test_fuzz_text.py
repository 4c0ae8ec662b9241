"""A short campaign of mutated programs; `python -m gdsl.tools.fuzz --text` runs a longer one."""

from __future__ import annotations

from gdsl.tools.fuzz import text
from gdsl.tools.fuzz.campaign import run


def test_mutated_programs() -> None:
    campaign = run("text", text.case, seed=20_240, seconds=6)
    assert campaign.cases > 25
    assert not campaign.findings, campaign.findings[0][1]
