"""The blocks of the pages that say what they need beside gdsl: `<!-- needs: polars -->`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdsl.backends import registry
from tests.support import pages

NOT_INSTALLED = "torch_geometric"
"""Its page runs where it is installed, in tests/integrations/test_pyg_samples.py."""
PAGES = [page for page in pages.pages() if NOT_INSTALLED not in pages.needs(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pages that need nothing tests/test_pages.py runs them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_first_available", lambda failed: registry.Choice(registry.get("reference")))
    needed = pages.needs(page.read_text(encoding="utf-8"))
    for module in needed:
        pytest.importorskip(module)
    if needed:
        pages.run_page(page)
