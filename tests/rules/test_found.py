"""Programs with two answers that a checker has let pass without a mark: each is refused, or its results are marked."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.programs.checks import check_orders
from fuzz.programs.trials import trial_of

from gdsl.diagnostics import GdslError

FOUND = sorted((Path(__file__).parent / "found").glob("*.gdsl"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_is_refused_or_marked(path: Path) -> None:
    try:
        wrong = check_orders(trial_of(path.read_text(encoding="utf-8")))
    except GdslError as error:
        assert error.code.startswith("E03")
        return
    if wrong is not None:
        pytest.fail(wrong, pytrace=False)
