"""Each rule of *Writes*, *Reads* and *Closing conditions*: what it accepts, and what it refuses a token away."""

from __future__ import annotations

import pytest
from pairs import Pair, all_pairs

from gdsl.diagnostics import GdslError, find_code
from gdsl.frontend import check, parse
from gdsl.frontend.races import RaceFacts, check_races
from gdsl.source import Source

PAIRS = all_pairs()


def races(text: str, name: str) -> RaceFacts:
    source = Source(name, text)
    return check_races(check(parse(source), source).program, source)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_accepted(pair: Pair) -> None:
    facts = races(pair.accepted, pair.name)
    expected: set[str] = set()
    for finding in pair.findings:
        kind, *words = finding.split()
        if kind == "store":
            assert words[0].upper() in {rule.name for rule in facts.rules.values()}
        elif kind == "closes" and words == ["nothing"]:
            assert not facts.closings
        elif kind == "closes":
            fact = next(iter(facts.closings.values()))
            assert [fact.array, fact.end.value, str(fact.conjunct), str(fact.statement).lower()] == words
        else:
            assert (kind, words[0]) == ("not", "unique")
            expected |= set(words[1:])
    assert facts.not_unique == expected


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_refused(pair: Pair) -> None:
    with pytest.raises(GdslError) as caught:
        races(pair.refused, pair.name)
    message = str(caught.value)
    assert {found.code for found in caught.value.diagnostics} == {pair.code}, message
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.column) == (pair.line, pair.column), message
    said = "\n".join((diagnostic.message, *diagnostic.notes))
    for words in pair.meet:
        assert words in said, message
    for words in pair.fix:
        assert words in (diagnostic.fix or ""), message


def test_every_code_of_the_family_has_a_pair() -> None:
    codes = {pair.code for pair in PAIRS}
    assert codes == {f"E03{number:02}" for number in range(1, 7)}
    assert all(find_code(code) is not None for code in codes)
