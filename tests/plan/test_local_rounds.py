"""Which loops have rounds that blocks run by themselves, and that the verifier sees where one may not."""

from __future__ import annotations

import pytest
from support.local_rounds import LOCAL, NOT_LOCAL

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load_source
from gdsl.plan import local_rounds
from gdsl.plan.walking import sweeps
from gdsl.source import Source


def has_rounds(text: str) -> bool:
    program = load_source(Source("program.gdsl", text))
    return any(sweep.rounds is not None for sweep in sweeps(plan_of(program)))


@pytest.mark.parametrize("what", LOCAL)
def test_loops_with_rounds_of_warps(what: str) -> None:
    assert has_rounds(LOCAL[what])


@pytest.mark.parametrize("what", NOT_LOCAL)
def test_loops_without(what: str) -> None:
    assert not has_rounds(NOT_LOCAL[what])


SHAPED = [what for what in NOT_LOCAL if what not in ("a value that changes", "a filter after it", "a limit")]
"""Of a shape that the pass looks into."""


@pytest.mark.parametrize("what", SHAPED)
def test_the_verifier_looks_itself(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_rounds, "may_be_local", lambda *_: True)
    with pytest.raises(VerificationError, match="rounds of a block"):
        has_rounds(NOT_LOCAL[what])
