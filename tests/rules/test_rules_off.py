"""Each rule of the checker is needed: without it a program of the corpus passes, or has two answers and no mark.

The corpus holds random programs that differ from order to order, each with two orders that show it; the campaign of
programs collects them (``python tests/fuzz --programs --collect tests/rules/orders.corpus``).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from fuzz.programs.corpus import Entry, read
from rules_off import RULES, switch_off


@cache
def corpus() -> list[Entry]:
    return read(Path(__file__).with_name("orders.corpus"))


@cache
def refused() -> list[Entry]:
    """Those that all rules together refuse."""
    return [entry for entry in corpus() if entry.is_refused()]


def test_the_programs_differ() -> None:
    assert len(corpus()) > 100
    assert [entry.text() for entry in corpus()[::10] if not entry.holds()] == []


@pytest.mark.slow
def test_with_all_rules_none_is_missed() -> None:
    missed = [entry.text() for entry in corpus() if entry.is_missed()]
    if missed:
        pytest.fail("\n".join(missed), pytrace=False)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.sampled(20)
def test_without_one_rule_some_program_is_missed(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused()
    try:
        switch_off(monkeypatch, rule)
    except LookupError as error:
        pytest.fail(str(error), pytrace=False)
    assert any(entry.is_missed() for entry in corpus()) or not all(entry.is_refused() for entry in refused())
