"""A few programs of the campaign on names, always the same ones."""

from __future__ import annotations

import random

import pytest
from fuzz.campaign import Finding, run
from fuzz.names import case, foreign_words, own_words, program_text

from gdsl.frontend.vocabulary import RESERVED
from gdsl.native.compiler import find_compiler
from gdsl.pipeline import load


@pytest.mark.slow
def test_no_name_stands_in_the_way() -> None:
    campaign = run("names", case, seed=1, count=3)
    assert campaign.findings == []
    assert campaign.cases == 3


@pytest.mark.slow
def test_the_words_are_many_and_may_be_declared() -> None:
    words = {*foreign_words(), *own_words()[0], *own_words()[1]}
    assert {"data_slice", "compare_and_swap", "threadIdx", "class", "xor"} <= words
    assert words & RESERVED == set()
    if find_compiler() is not None:
        assert {"M_PI", "INT_MAX", "stdin"} <= words


@pytest.mark.slow
def test_a_case_follows_from_its_seed() -> None:
    first, second = (program_text(random.Random(5)) for _ in range(2))
    assert first == second != program_text(random.Random(6))
    assert load(first).frontiers


@pytest.mark.skipif(find_compiler() is None, reason="no C++ compiler on this machine")
@pytest.mark.slow
def test_the_campaign_finds_a_name_that_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdsl.codegen.names.KEYWORDS", frozenset())
    monkeypatch.setattr("fuzz.names.own_words", lambda: (("class", "while_"), ("struct", "int")) * 2)
    with pytest.raises(Finding):
        case(random.Random(1))
