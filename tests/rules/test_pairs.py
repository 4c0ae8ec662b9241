"""Each rule of *Writes*, *Reads* and *Closing conditions*: what it accepts, and what it refuses a token away."""

from __future__ import annotations

import pytest
from pairs import Pair, all_pairs

from gdsl.diagnostics import GdslError, find_code
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.pipeline import load_source
from gdsl.source import Source

PAIRS = all_pairs()


def judged(text: str, name: str) -> nodes.Program:
    return load_source(Source(name, text))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_accepted(pair: Pair) -> None:
    program = judged(pair.accepted, pair.name)
    functors = (*program.vertex_functors, *program.edge_functors)
    rules = {node.rule.name for node in walk(functors) if isinstance(node, nodes.Store)}
    closings = [node for node in walk(program.schedule) if isinstance(node, nodes.Closing)]
    expected: set[str] = set()
    for finding in pair.findings:
        kind, *words = finding.split()
        if kind == "store":
            assert words[0].upper() in rules
        elif kind == "closes" and words == ["nothing"]:
            assert not closings
        elif kind == "closes":
            found = closings[0]
            assert [found.array, found.end.value, str(found.conjunct), str(found.statement).lower()] == words
        else:
            assert (kind, words[0]) == ("not", "unique")
            expected |= set(words[1:])
    assert {data.name for data in (*program.arrays, *program.scalars) if not data.unique} == expected


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_refused(pair: Pair) -> None:
    with pytest.raises(GdslError) as caught:
        judged(pair.refused, pair.name)
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
    assert codes == {f"E03{number:02}" for number in range(1, 8)}
    assert all(find_code(code) is not None for code in codes)
