"""A short run of the campaign of graph files that several workers read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fuzz import parts
from fuzz.campaign import run

from gdsl.graph import text_parts


@pytest.mark.slow
def test_nothing_is_found() -> None:
    campaign = run("parts", parts.case, seed=20_261, count=150)
    assert campaign.findings == []
    assert campaign.answers["shares"] > 10 and {"E0703", "E0705"} <= set(campaign.answers)


@pytest.mark.slow
def test_a_cut_within_a_line_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(stream: Any, target: int, size: int, cut: Callable[..., int] = text_parts._cut) -> int:
        return min(cut(stream, target, size) + 1, size)

    monkeypatch.setattr(text_parts, "_cut", cut)
    assert run("parts", parts.case, seed=1, count=60, seconds=20).findings


@pytest.mark.slow
def test_wrong_lines_in_messages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(stream: Any, start: int, stop: int) -> int:
        return 0

    monkeypatch.setattr(text_parts, "_count_lines", count)
    assert run("parts", parts.case, seed=1, count=200, seconds=30).findings
