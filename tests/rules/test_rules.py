"""What the race rules accept has one answer under every order and interleaving; what they refuse may have more."""

from __future__ import annotations

import pytest
from generated import Generator
from orders import answers, program_of
from pairs import Pair, all_pairs

from gdsl.diagnostics import GdslError

PAIRS = all_pairs()
SEEDS = range(12)
MANY_SEEDS = range(60)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.sampled(3)
def test_accepted_programs_have_one_answer(pair: Pair) -> None:
    found = answers(program_of(pair.accepted, pair.name), SEEDS)
    assert len(found) == 1, found


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.racy], ids=lambda pair: pair.name)
@pytest.mark.sampled(20)
def test_refused_programs_have_several_answers(pair: Pair) -> None:
    program = program_of(pair.refused, pair.name, races=False)
    assert len(answers(program, MANY_SEEDS, everything=True, enough=2)) > 1


@pytest.mark.parametrize("block", range(6))
@pytest.mark.sampled(6)
@pytest.mark.slow
def test_generated_programs_that_are_accepted_have_one_answer(block: int) -> None:
    accepted = 0
    for seed in range(block * 36, block * 36 + 36):
        text = Generator(seed).program()
        try:
            program = program_of(text, f"generated_{seed}")
        except GdslError as error:
            assert error.code.startswith("E03"), error
            continue
        accepted += 1
        found = [answer for answer in answers(program, range(8)) if answer.error is None]
        assert len(found) <= 1, text
    assert accepted > 8
