"""Places count from 1, and lie in the text, wherever a misspelled word stands."""

from __future__ import annotations

import pytest

import gdsl
from gdsl.source import Source

WORDS = ["programm", "progrm", "vertx", "fucntor", "scheduel"]
ENDS = ["", "\n", " ", "\n# more", "  # more", "\n\n\n", " p", " p;", "\n;", "(", " {", " : int32"]


@pytest.mark.parametrize("before", ["", "  ", "\n", "\n\t ", "program p;", "program p;\n  ", '"""Doc."""\n', "# c\n"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.sampled(7)
@pytest.mark.rare(4)
def test_misspelled_words(word: str, before: str, end: str) -> None:
    text = before + word + end + ("" if "\n" in before + end else "\n")
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile(text)
    for diagnostic in caught.value.diagnostics:
        if diagnostic.span is None:
            continue
        line = Source("text", text).line(diagnostic.span.line)
        assert diagnostic.span.line >= 1
        assert 1 <= diagnostic.span.column <= len(line) + 1
        if diagnostic.code == "E0103":
            shown = line[diagnostic.span.column - 1 : diagnostic.span.end_column - 1]
            assert f"unknown word `{shown}`" in diagnostic.message
