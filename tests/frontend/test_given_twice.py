"""What is said twice where once is meant: names of arguments, knobs, requirements."""

from __future__ import annotations

import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

BASE = """program p; {top}
problem {{ vertex level : int32 = -1; vertex total : int64; scalar n : int64; {data} }}
edge functor visit(src, dst, e) {{ cond level[dst] == -1; apply {{ level[dst] = iteration + 1; }} }}
edge functor one(src, dst, e) -> int64 {{ value 1; }}
edge functor ballot(src, dst, e) -> (int64, int64) {{ value (1, 1); }}
schedule {{ frontier f = vertices; f = advance(f, visit) @step; {schedule} }}
{tune}
"""


def mistakes(**parts: str) -> list[tuple[str, str]]:
    text = BASE.format(**{"top": "", "data": "", "schedule": "", "tune": "", **parts})
    with pytest.raises(GdslError) as caught:
        load(text)
    return [(found.code, found.message) for found in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("schedule", "name"),
    [
        ("advance(f, visit, to=none, to=none);", "to"),
        ("advance(f, visit, to=none, over=in_edges, over=out_edges);", "over"),
        ("total = neighbor_reduce(f, one, sum, empty=1, empty=2);", "empty"),
        ("total = neighbor_reduce(f, one, sum, over=in_edges, over=in_edges);", "over"),
        ("edge frontier e = edges; total = neighbor_reduce(e, one, sum, by=near, by=far);", "by"),
        ("total = neighbor_vote(f, ballot, keep=total, keep=total);", "keep"),
        ("edge frontier e = top(f, one, 1, over=in_edges, over=in_edges);", "over"),
        ("intersect(edges, count=n, count=n);", "count"),
        ("n = intersect(pairs=(f, f), pairs=(f, f));", "pairs"),
        ("buckets b(level, width=1, width=1) = f;", "width"),
        ("buckets b(level, width=auto, width=auto) = f;", "width"),
    ],
)
def test_arguments(schedule: str, name: str) -> None:
    assert mistakes(schedule=schedule) == [("E0402", f"`{name}=` is given twice")]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("visit.direction = auto(alpha=1, alpha=2);", "`alpha=` is given twice"),
        ("visit.direction = auto(alpha=1, beta=3, alpha=1);", "`alpha=` is given twice"),
        ("visit.direction = push; visit.direction = pull;", "`direction` is set twice"),
        ("@step.direction = push; visit.direction = pull; @step.direction = push;", "`direction` is set twice"),
        ("schedule.block = 64; schedule.fuse = on; schedule.block = 128;", "`block` is set twice"),
        ("bounds off; bounds on;", "`bounds` is set twice"),
        ("bounds off; schedule.bounds = off;", "`bounds` is set twice"),
    ],
)
def test_knobs(entries: str, message: str) -> None:
    assert mistakes(tune=f"tune {{ {entries} }}") == [("E0412", message)]


def test_knobs_of_a_label_and_its_functor_are_two() -> None:
    load(BASE.format(top="", data="", schedule="", tune="tune { visit.direction = push; @step.direction = pull; }"))


def test_of_the_callers_words_the_last_counts() -> None:
    text = BASE.format(top="", data="", schedule="", tune="tune { visit.direction = push; }")
    gdsl.compile(text, tune=("visit.direction=pull", "visit.direction=auto(alpha=3)"))
    with pytest.raises(GdslError, match="`alpha=` is given twice"):
        gdsl.compile(text, tune=("visit.direction=auto(alpha=3, alpha=4)",))


@pytest.mark.parametrize("words", ["simple, simple", "symmetric, simple, symmetric"])
def test_requirements(words: str) -> None:
    assert mistakes(top=f"requires {words};") == [("E0410", f"`{words.split(', ')[-1]}` is required twice")]
