"""The page about many runs at once says what is so."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_every_block_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one namespace; what stands behind an arrow is the line's value."""
    pytest.importorskip("networkx")
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    checked = 0
    for block in _BLOCK.findall((ROOT / "docs" / "batches.md").read_text(encoding="utf-8")):
        if "to_pandas" in block and find_spec("pandas") is None:
            continue  # with it, the tests of the extras run the block
        exec(compile(block, "batches.md", "exec"), names)  # noqa: S102 - it is our own page
        for line in block.splitlines():
            code, arrow, rest = line.partition("# → ")
            if arrow:
                expected = re.split(r"[:,](?= )(?![^(\[]*[)\]])", rest)[0]
                assert eval(code, names) == eval(expected), line  # noqa: S307
                checked += 1
    assert checked >= 4
