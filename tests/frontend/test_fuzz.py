"""Whatever the text, the frontend answers with a program or with a `GdslError`, never with anything else."""

from __future__ import annotations

import random

import pytest
from fuzz.text import answer, mutated
from hypothesis import given, settings
from hypothesis import strategies as st
from mistake_programs import BFS, CHECKED, with_parts

TEXTS = [BFS, *(with_parts(**{place: content}) for place, content in CHECKED.values())]


@pytest.mark.parametrize("start", range(0, 400, 50))
@pytest.mark.sampled(8)
@pytest.mark.slow
def test_mutated_programs(start: int) -> None:
    """Those of the tests of mistakes, which the campaign of `gdsl.tools` does not know."""
    for seed in range(start, start + 50):
        generator = random.Random(seed)
        assert answer(mutated(generator.choice(TEXTS), generator), generator)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    assert answer(text, random.Random(0))


def test_every_prefix_of_a_program() -> None:
    for end in range(0, len(BFS), 3):
        assert answer(BFS[:end], random.Random(end))
