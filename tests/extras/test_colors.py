"""The colors of programs: Pygments, notebooks, and the terminal of IPython."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

pytest.importorskip("pygments")
pytest.importorskip("IPython")

from pygments.token import Error, Keyword, Name, Token

from gdsl.highlighting import GdslLexer, colored
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", [*SAMPLES, *LIBRARY, *PROGRAMS], ids=lambda path: path.stem)
def test_every_sign_has_a_color(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = list(GdslLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(words for _, words in found) == text
    assert not [words for kind, words in found if kind in Error]
    assert {kind for kind, words in found if words == "program"} <= {
        Keyword,
        Token.Literal.String.Doc,
        Token.Comment.Single,
    }
    shown = re.sub(r"<span style=\"[^\"]*\">|</span>", "", colored(text))
    assert html.unescape(shown) == text and "<" not in shown


def test_names_of_functors() -> None:
    found = {words: kind for kind, words in GdslLexer().get_tokens("edge functor visit(src, dst, e) { }")}
    assert found["visit"] is Name.Function and found["edge"] is Keyword.Type


def test_the_entry_point() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points."pygments.lexers"]\ngdsl = "gdsl.highlighting:GdslLexer"' in text


def test_cells_in_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from IPython.terminal import interactiveshell
    from prompt_toolkit.document import Document

    from gdsl.integrations.notebook.terminal import color_cells

    monkeypatch.setattr(interactiveshell, "IPythonPTLexer", interactiveshell.IPythonPTLexer)
    color_cells()
    color_cells()
    lexer = interactiveshell.IPythonPTLexer()
    line = lexer.lex_document(Document("%%gdsl hops\nproblem { param source : vertex; }"))(1)
    assert ("class:pygments.keyword", "problem") in line
    other = lexer.lex_document(Document("import gdsl"))(0)
    assert ("class:pygments.keyword.namespace", "import") in other
