"""Whatever the text, the frontend answers with a program or with a `GdslError`, never with anything else."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mistake_programs import BFS, CHECKED, with_parts

from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.source import Source

TEXTS = [BFS, *(with_parts(**{place: content}) for place, content in CHECKED.values())]
TEXTS += [file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parents[2].glob("samples/*.gdsl"))]
TOKENS = sorted({token for text in TEXTS for token in re.findall(r"\w+|[^\w\s]+|\s+", text)})
QUIET = settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def answer(text: str) -> None:
    try:
        load(Source("fuzz.gdsl", text))
    except GdslError as error:
        assert error.diagnostics and str(error)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A program with some tokens deleted, doubled, swapped or replaced."""
    tokens = re.findall(r"\w+|[^\w\s]+|\s+", draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(tokens) - 1))
        other = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(("delete", "double", "swap", "replace", "characters"))):
            case "delete":
                tokens[place] = ""
            case "double":
                tokens[place] *= 2
            case "swap":
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case "replace":
                tokens[place] = draw(st.sampled_from(TOKENS))
            case "characters":
                tokens[place] = draw(st.text(max_size=3))
    return "".join(tokens)


@QUIET
@given(mutated())
def test_mutated_programs(text: str) -> None:
    answer(text)


@QUIET
@given(st.lists(st.sampled_from(TOKENS), max_size=30))
def test_token_soup(tokens: list[str]) -> None:
    answer("program p; schedule { " + " ".join(tokens))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    answer(text)


def test_every_prefix_of_a_program() -> None:
    for end in range(0, len(BFS), 3):
        answer(BFS[:end])
