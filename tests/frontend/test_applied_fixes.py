"""`gdsl.fixes`: applied fixes remove their messages and leave a program that is at least as sound as before."""

from __future__ import annotations

from collections import Counter

import pytest
from mistake_programs import BFS, CHECKED, SYNTAX, with_parts

from gdsl.fixes import choose_certain, choose_first, diagnose, fix, is_certain
from gdsl.pipeline import analyze, load_source
from gdsl.source import Source

PINNED = {
    **{f"syntax: {name}": BFS.replace(part, new, 1) for name, (part, new) in SYNTAX.items()},
    **{f"checked: {name}": with_parts(**{place: content}) for name, (place, content) in CHECKED.items()},
}
CERTAIN = {
    "syntax: misspelled param",
    "syntax: no semicolon",
    "syntax: no parentheses",
    "syntax: unicode sign",
    "checked: sum of sets",
    "checked: number into an array",
    "checked: unknown requirement",
}
DECISIONS = {
    "syntax: C for": "repeat",
    "checked: undeclared": "level",
    "checked: division of integers": "//",
    "checked: random number in a cast": "int32",
}


@pytest.mark.parametrize("rest", [0, *(pytest.param(rest, marks=pytest.mark.slow) for rest in (1, 2, 3))])
@pytest.mark.rare(4)
@pytest.mark.slow
def test_fixes_of_all_pinned_mistakes(rest: int) -> None:
    """What is fixed compiles: a program whose messages all have fixes has no mistake afterwards, others have fewer."""
    certain = 0
    for name, text in list(PINNED.items())[rest::4]:
        before = analyze(Source("p.gdsl", text)).diagnostics
        if not any(each.suggestions for each in before):
            continue
        said = Counter((each.code, each.message) for each in before)
        for choose in (choose_certain, choose_first):
            fixed = fix(Source("p.gdsl", text), choose)
            left = Counter((each.code, each.message) for each in fixed.remaining)
            for each in fixed.applied:
                key = (each.diagnostic.code, each.diagnostic.message)
                assert left[key] < said[key] or left[key] == 0, name
            if len(fixed.applied) >= len(before):
                load_source(fixed.source)
            if choose is choose_first:
                assert not any(each.suggestions for each in fixed.remaining if not each.code.startswith("W")), name
            certain += choose is choose_certain and bool(fixed.applied)
    assert certain > 4


@pytest.mark.parametrize("name", sorted(CERTAIN))
def test_certain(name: str) -> None:
    source = Source("p.gdsl", PINNED[name])
    fixed = fix(source, choose_certain)
    assert fixed.applied and all(each.code.startswith("W") for each in fixed.remaining)
    load_source(fixed.source)


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions(name: str) -> None:
    source = Source("p.gdsl", PINNED[name])
    [diagnostic] = diagnose(source)
    assert DECISIONS[name] in str(diagnostic.fix) and not is_certain(diagnostic, source)
    assert fix(source, choose_certain).source == source


def test_many_fixes_at_once() -> None:
    text = BFS.replace("param", "parm", 1).replace("while", "whlie", 1).replace("iteration + 1;", "iteration + 1", 1)
    fixed = fix(Source("p.gdsl", text), choose_certain)
    assert fixed.source.text.split() == BFS.split() and len(fixed.applied) == 3


def test_one_at_a_time() -> None:
    text = BFS.replace("param", "parm", 1).replace("while", "whlie", 1)
    fixed = fix(Source("p.gdsl", text), choose_certain, together=False)
    assert fixed.source.text == BFS and len(fixed.applied) == 2
