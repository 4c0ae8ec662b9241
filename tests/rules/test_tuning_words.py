"""Knobs of the text and words of the caller that have nothing to decide beside each other."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import GdslError
from gdsl.ir.nodes import OperatorKnobs
from gdsl.operations import Balance, Direction, Duplicates, FrontierForm
from gdsl.pipeline import load

TEXT = """program p;
problem {{ vertex seen : bool; }}
edge functor visit(src, dst, e) {{ apply {{ seen[far] = true; }} }}
schedule {{
    frontier f = {{ 0 }};
    f = advance(f, visit{over}) @first;
    repeat (2) {{ f = advance(f, visit); }}
}}
tune {{ {tune} }}
"""


def knobs_of(tune: str, *words: str, over: str = "") -> list[OperatorKnobs]:
    """The knobs of both calls, the labeled one first."""
    return list(load(TEXT.format(tune=tune, over=over), words).tuning.sites)


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ("visit.direction = pull;", "visit.balance=block"),
        ("visit.balance = merge;", "visit.direction=pull"),
        ("visit.direction = pull;", "visit.dedup=none"),
        ("visit.dedup = none;", "visit.direction=pull"),
        ("visit.frontier = bitmap;", "visit.dedup=none"),
        ("visit.dedup = none;", "visit.frontier=bitmap"),
    ],
)
def test_what_has_nothing_to_decide_is_left_out(entry: str, word: str) -> None:
    wanted = [each for each in (entry.strip(";"), word) if "direction" in each or "frontier" in each]
    alone = knobs_of("", *(each.replace(" ", "") for each in wanted))
    assert [_settings(each) for each in knobs_of(entry, word)] == [_settings(each) for each in alone]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("visit.direction = pull; visit.balance = block;", ()),
        ("", ("visit.direction=pull", "visit.balance=block")),
        ("visit.frontier = bitmap; visit.dedup = none;", ()),
        ("visit.balance = thread;", ("visit.direction=pull", "visit.balance=block")),
    ],
)
def test_what_one_place_says_must_fit(entries: str, words: tuple[str, ...]) -> None:
    with pytest.raises(GdslError) as caught:
        knobs_of(entries, *words)
    assert caught.value.code == "E0420"


def test_a_word_for_all_calls_leaves_the_one_that_names_its_own() -> None:
    first, second = knobs_of("@first.direction = pull;", "visit.balance=block")
    assert (first.direction, first.balance) == (Direction.PULL, Balance.AUTO)
    assert second.balance is Balance.BLOCK


def test_what_walks_both_lists_never_pulls() -> None:
    first, second = knobs_of("visit.direction = pull;", "visit.balance=block", over=", over=all_edges")
    assert first.balance is Balance.BLOCK
    assert second.balance is Balance.AUTO


def _settings(knobs: OperatorKnobs) -> tuple[Direction | None, Balance, FrontierForm, Duplicates]:
    return knobs.direction, knobs.balance, knobs.frontier, knobs.dedup
