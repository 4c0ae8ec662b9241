"""The blocks of the pages that say what they need beside gdsl: `<!-- needs: polars -->`."""

from __future__ import annotations

import pytest

from tests.support import pages
from tests.test_pages import ALL, by_reference, run_page

__all__ = ["by_reference"]
NEEDS = {name: pages.needs(page.read_text(encoding="utf-8")) for name, page in ALL.items()}


@pytest.mark.parametrize("name", [name for name, modules in NEEDS.items() if modules])
@pytest.mark.usefixtures("by_reference")
def test_the_blocks_of_a_page_run(name: str) -> None:
    for module in NEEDS[name]:
        pytest.importorskip(module)
    run_page(ALL[name])
