"""The campaign of literals without types: a bounded run of it, and that it finds what is wrong."""

from __future__ import annotations

import pytest
from fuzz import literals
from fuzz.campaign import run

from gdsl.frontend.check import calls, operations


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_literals_have_the_types_that_the_page_says(count: int) -> None:
    campaign = run("literals", literals.case, seed=1, count=count)
    assert not campaign.findings, "\n".join(text for _, text in campaign.findings)


@pytest.mark.slow
def test_a_shift_in_a_type_of_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (operations, calls):
        monkeypatch.setattr(module, "shifts_a_literal", lambda part: False)
    assert run("literals", literals.case, seed=1, count=4).findings
