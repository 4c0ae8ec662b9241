"""The pages made from the code are current, and the programs of the language reference compile."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from gdsl.diagnostics import GdslError
from gdsl.frontend.vocabulary import FUNCTIONS, KEYWORDS, LATER_FUNCTIONS, SCHEDULE_FUNCTIONS, TYPES, VALUES
from gdsl.knobs import documented
from gdsl.pipeline import load
from gdsl.resources import resource_text

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", REFERENCE, re.DOTALL)


def test_the_page_of_error_codes_is_current(request: pytest.FixtureRequest) -> None:
    made = runpy.run_path(str(DOCS / "make_errors.py"))["errors_page"]()
    if request.config.getoption("--update-golden", default=False):
        (DOCS / "errors.md").write_text(made, encoding="utf-8")
    assert (DOCS / "errors.md").read_text(encoding="utf-8") == made, "run `python docs/make_errors.py`"


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "gdsl"])
def test_programs_of_the_reference_compile(text: str) -> None:
    load(text)


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "refused"])
def test_programs_that_the_reference_calls_wrong_are_refused(text: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(text)
    wanted = re.search(r"# (E\d{4})", text)
    assert wanted is not None and caught.value.code == wanted.group(1)


def test_the_table_of_knobs_is_that_of_the_checker() -> None:
    assert "\n".join(documented()) in REFERENCE


def test_the_reference_names_every_word_of_the_language() -> None:
    words = KEYWORDS | FUNCTIONS | SCHEDULE_FUNCTIONS | LATER_FUNCTIONS | TYPES.keys() | VALUES
    missing = sorted(word for word in words if not re.search(rf"\b{word}\b", REFERENCE))
    assert missing == []


def test_the_reference_shows_the_grammar_of_the_parser() -> None:
    """Every keyword of the grammar is one that names may not have."""
    grammar = re.sub(r"//[^\n]*", "", resource_text("grammar", "gdsl.lark"))
    words = set(re.findall(r'"([a-z]+)"', grammar)) - {"min", "max", "any"}
    assert words <= KEYWORDS | TYPES.keys()
