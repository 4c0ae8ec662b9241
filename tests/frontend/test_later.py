"""Every form of the language that is not built yet parses, and is answered with its place and 'not built yet'."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

LATER = [
    ("schedule", "graph h; on h { edge frontier few = { edge(1) }; }"),
]


@pytest.mark.parametrize(("place", "text"), LATER)
def test_later_forms(place: str, text: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(**{place: text}))
    codes = {diagnostic.code for diagnostic in caught.value.diagnostics}
    assert codes == {"E0501"}, str(caught.value)
    assert all(diagnostic.span is not None for diagnostic in caught.value.diagnostics)
