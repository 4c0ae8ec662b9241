"""American spelling in all text of the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_STEMS = (
    *("analy", "capital", "categor", "character", "custom", "factor", "final", "general", "initial", "linear", "local"),
    *("maxim", "minim", "modern", "normal", "optim", "organ", "parallel", "penal", "personal", "random", "real"),
    *("recogn", "serial", "special", "stabil", "standard", "summar", "synchron", "token", "util", "vector", "visual"),
)
BRITISH = re.compile(
    r"(?:behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum)our"
    rf"|(?:{'|'.join(_STEMS)})is(?:e|ed|es|ing|er|ers|ation|ations)(?![a-z])"
    r"|(?:cancel|label|model|signal|travel)l(?:ed|ing|er)(?![a-z])"
    r"|analyse(?![a-z])|analysed|artefact|catalogue|(?<![a-z])centre|(?:def|off)ence(?![a-z])|fulfil(?!l)"
    r"|(?<![a-z])grey|judgement|learnt|licence|misspelt|programme(?![a-z])|skilful|spelt(?![a-z])|whilst",
    re.IGNORECASE,
)
NOT_PROSE = ("LICENSE", "samples/graphs/", "tests/test_spelling.py")
QUOTED = {
    "gdsl/api/pending.py": {"cancelled"},
    "gdsl/frontend/check/members.py": {"neighbours"},
    "gdsl/suggestions/rewritings.py": {"neighbours"},
    "tests/frontend/test_habits.py": {"neighbour"},
}
"""Names of other languages and libraries."""


@pytest.mark.slow
def test_all_text_has_american_spelling() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    # Git searches the tracked text files, as fast as they are read, for what may be a hit.
    rough = r"[a-z]*(our|is(e|ed|es|ing|er|ers|ation|ations)|ll(ed|ing|er)|lyse|efact|logue|ence|entre|fil|grey"
    command = ["git", "grep", "-IoiE", rf"{rough}|gement|lear?nt|cence|spelt|gramme|ilful|whilst)[a-z]*", "--"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    findings = {line for line in lines.splitlines() if _is_british(*line.split(":", 1))}
    assert not findings


def _is_british(name: str, word: str) -> bool:
    return not (name.startswith(NOT_PROSE) or word in QUOTED.get(name, ())) and BRITISH.search(word) is not None


@pytest.mark.parametrize("word", ["Colours", "neighbour_of", "initialise", "optimisation", "labelled", "GREY"])
def test_british_forms_are_found(word: str) -> None:
    assert BRITISH.search(word) is not None


@pytest.mark.parametrize("word", ["raised", "four", "hour", "analyses", "realistic", "fulfill", "promised"])
def test_american_forms_are_not(word: str) -> None:
    assert BRITISH.search(word) is None
