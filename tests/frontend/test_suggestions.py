"""Fixes are typed in: each that is shown removes its message, leads to no other, and says what it replaces."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

import pytest
from mistake_programs import BFS, CHECKED, SYNTAX, with_parts
from other_languages import DATA, IN_APPLY, IN_COND, IN_EDGE, IN_SCHEDULE, PARTS, TOP, program

from gdsl.diagnostics import Diagnostic, GdslError, Suggestion
from gdsl.pipeline import analyze, load_source
from gdsl.source import Source
from gdsl.suggestions.text import Places, apply


def typed_in(text: str, suggestion: Suggestion) -> str:
    changed = apply(Places(text), suggestion.edits)
    assert changed is not None
    return changed.text


def said(text: str) -> tuple[Diagnostic, ...]:
    return analyze(Source("p.gdsl", text)).diagnostics


def check(text: str) -> int:
    """Type in every fix of a program; gives how many there are."""
    before = said(text)
    count = 0
    for one in before:
        for suggestion in one.suggestions:
            count += 1
            assert one.fix is not None and suggestion.words in one.fix
            after = said(typed_in(text, suggestion))
            left = Counter(other.message for other in after if other.code == one.code)
            was = Counter(other.message for other in before if other.code == one.code)
            assert left[one.message] < was[one.message] or left[one.message] == 0, (text, one)
    return count


def pinned() -> Iterator[tuple[str, str]]:
    for name, (part, replacement) in SYNTAX.items():
        yield name, BFS.replace(part, replacement, 1)
    for name, (place, content) in CHECKED.items():
        yield name, with_parts(**{place: content})


@pytest.mark.parametrize("rest", [0, *(pytest.param(rest, marks=pytest.mark.slow) for rest in (1, 2, 3))])
def test_fixes_of_pinned_mistakes(rest: int) -> None:
    found = {name: check(text) for name, text in list(pinned())[rest::4]}
    assert sum(count > 0 for count in found.values()) > 10, found


ONE_MISTAKE = [
    (place, line)
    for place, lines in {
        "apply": IN_APPLY,
        "cond": IN_COND,
        "edge": IN_EDGE,
        "schedule": IN_SCHEDULE,
        "top": TOP,
        "data": DATA,
    }.items()
    for line in lines
]


@pytest.mark.parametrize("rest", [0, *(pytest.param(rest, marks=pytest.mark.slow) for rest in range(1, 10))])
@pytest.mark.rare(4)
def test_forms_of_other_languages(rest: int) -> None:
    """One message each, whose fix is accepted by the whole compiler."""
    for number, (place, line) in enumerate(ONE_MISTAKE):
        if number % 10 == rest:
            text = program(**{place: line})
            diagnostics = said(text)
            assert len(diagnostics) == 1 and diagnostics[0].suggestions, (line, diagnostics)
            assert not diagnostics[0].message.startswith("unexpected"), (line, diagnostics[0].message)
            load_source(Source("p.gdsl", typed_in(text, diagnostics[0].suggestions[0])))


@pytest.mark.parametrize("old", PARTS)
def test_parts_of_other_languages(old: str) -> None:
    text = program()
    for new in PARTS[old]:
        assert old in text
        changed = text.replace(old, new, 1)
        diagnostics = said(changed)
        assert len(diagnostics) == 1 and diagnostics[0].suggestions, (new, diagnostics)
        load_source(Source("p.gdsl", typed_in(changed, diagnostics[0].suggestions[0])))


FIRST = {
    "x[v] = 1 / n;": ("`", "1 // n"),
    "total += 1 / n;": ("`", "1.0 / n"),
    "let z = total + 1 / n;": ("`", "1.0 / n"),
    "low = low > x[v] ? x[v] : low;": ("`", "low min= x[v];"),
    "low = x[v] > low ? x[v] : low;": ("`", "low max= x[v];"),
    "if (low > x[v]) { low = x[v]; }": ("`", "low min= x[v];"),
    "if (x[v] > low) { low = x[v]; }": ("`", "low max= x[v];"),
}
NUMBERS = """program p;
problem {{ scalar n : int32; scalar total : float64; scalar low : int32 = 9; vertex x : int32; vertex y : vertex; }}
vertex functor f(v) {{ apply {{ {} }} }}
schedule {{ compute(vertices, f); }}
"""


@pytest.mark.parametrize("statement", FIRST)
def test_the_first_suggestion(statement: str) -> None:
    text = NUMBERS.format(statement)
    one = said(text)[0]
    assert one.fix is not None
    assert one.fix.split("`")[1] == FIRST[statement][1]


HOPS = """program p;
problem {{ param source : vertex; vertex hops : int32 = {}; vertex taken_by : vertex; }}
edge functor visit(src, dst, e) {{ {} }}
schedule {{ hops[source] = 0; frontier f = {{ source }}; while (f) {{ f = advance(f, visit); }} }}
"""


def test_a_relaxation_is_a_minimum() -> None:
    """It begins with `inf`, and accepts what changed, so that the loop ends."""
    for first in ("inf", "-1"):
        text = HOPS.format(first, "apply { hops[dst] = hops[src] + 1; }")
        for one in said(text):
            assert one.fix is not None and one.fix.startswith("`accept changed(hops[dst] min= hops[src] + 1);`")
            fixed = typed_in(text, one.suggestions[0])
            assert "vertex hops : int32 = inf" in fixed and not said(fixed)
    closing = HOPS.format("-1", "cond hops[dst] == -1; apply { hops[dst] = hops[src] + 1; }")
    assert all((one.fix or "").startswith("`hops[dst] = iteration + 1;`") for one in said(closing))


def test_no_largest_id_of_none() -> None:
    [one] = said(HOPS.format("-1", "apply { taken_by[dst] = src; }"))
    assert one.fix is not None and "any=" in one.fix and "min=" in one.fix and "max=" not in one.fix


def test_a_fix_that_leads_to_another_mistake_is_not_shown() -> None:
    [one] = said(NUMBERS.format("x[v] = not 3;"))
    assert one.code == "E0112" and not one.suggestions and (one.fix is None or "!3" not in one.fix)


def test_the_number_of_trials_is_bounded() -> None:
    """A long text and one with many mistakes: the first ones have fixes, and all have messages."""
    from gdsl.suggestions import verification

    text = NUMBERS.format(" ".join(f"x[v] = tru{number};" for number in range(120)))
    found = said(text)
    assert len(found) == 120 and verification.MOST_TRIALS < 120
    long = NUMBERS.format("lov = 1;") + "#" * 400_000
    [one] = said(long)
    assert one.fix is None and not one.suggestions
    assert dataclasses.replace(one, fix=None) == one


def test_wide_types_get_a_name() -> None:
    text = """program p;
problem { type w : number = float32; input edge weight : w; vertex y : wide(w); scalar t : wide(w) = 0; }
schedule { y = neighbor_reduce(vertices, (src, dst, e) => weight[e], sum); t = sum(y); }"""
    [mistake] = said(text)
    assert mistake.fix == "name it: `type wide_w = wide(w);`, and write `wide_w`"
    assert not said(typed_in(text, mistake.suggestions[0]))


def test_fixes_of_tuning_words_are_tried_with_them_and_leave_comments_alone() -> None:
    text = """program p;
problem { param source : vertex; vertex level : int32 = -1; vertex parent : vertex = none; }
edge functor visit(src, dst, e) {
    cond level[dst] == -1;
    apply {
        level[dst] = iteration + 1;
        parent[dst] any= src;  # one writer wins, and `any=` says so
    }
}
schedule { level[source] = 0; frontier f = { source }; while (f) { f = advance(f, visit); } }"""
    with pytest.raises(GdslError) as error:
        load_source(Source("p.gdsl", text), ["schedule.order=near_far"])
    [one] = error.value.diagnostics
    assert one.code == "E0420" and one.fix == "write `as_given` or `auto`" and not one.suggestions
