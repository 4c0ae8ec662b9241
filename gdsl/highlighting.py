"""The colors of programs, by Pygments, which finds the lexer by its entry point: `pygmentize -l gdsl`, Sphinx, MkDocs,
nbconvert. Importing this needs Pygments."""

from __future__ import annotations

import html
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from gdsl.frontend import vocabulary

_BUILT_IN = (
    vocabulary.VALUES
    | vocabulary.FUNCTIONS
    | vocabulary.GRAPH_FUNCTIONS
    | vocabulary.SCHEDULE_FUNCTIONS
    | vocabulary.CONTEXTUAL_FUNCTIONS
)
_KEYWORDS = vocabulary.KEYWORDS | vocabulary.CONTEXTUAL_KEYWORDS


class GdslLexer(RegexLexer):
    """Programs, by the words that the compiler knows."""

    name = "gdsl"
    aliases: ClassVar[list[str]] = ["gdsl"]
    filenames: ClassVar[list[str]] = ["*.gdsl"]
    mimetypes: ClassVar[list[str]] = ["text/x-gdsl"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r'"""(.|\n)*?"""', String.Doc),
            (r"#[^\n]*", Comment.Single),
            (r'"[^"\n]+"', String),
            (r"@\w+", Name.Label),
            (r"0[xX][0-9a-fA-F]+", Number.Hex),
            (r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", Number.Float),
            (r"[0-9]+", Number.Integer),
            (
                r"\b(functor|function|operator|procedure|program)(\s+)([A-Za-z_]\w*)",
                bygroups(Keyword, Text, Name.Function),
            ),
            (r"\b(any|min|max)=(?!=)", Operator),
            (words(sorted(vocabulary.TYPES), r"\b", r"\b"), Keyword.Type),
            (words(sorted(_KEYWORDS), r"\b", r"\b"), Keyword),
            (words(sorted(_BUILT_IN), r"\b", r"\b"), Name.Builtin),
            (r"\w+", Name),
            (r"[-+*/%&|^~!<>=?]+", Operator),
            (r"[][(){},;:.…]", Punctuation),
            (r"\s+", Text),
        ]
    }


_COLORS = (
    (Comment, "opacity:.65;font-style:italic"),
    (String, "color:#4f8f3a"),
    (Number, "color:#c0671d"),
    (Keyword.Type, "color:#1f8a8a"),
    (Keyword, "color:#9a4fd1"),
    (Name.Function, "color:#2f7dd1"),
    (Name.Builtin, "color:#2f7dd1"),
    (Name.Label, "color:#b5568a"),
)
"""Styles that can be read on white and on black."""


def colored(text: str) -> str:
    """A program as HTML with inline styles, all text escaped."""
    parts = []
    for kind, words_ in GdslLexer(stripnl=False, ensurenl=False).get_tokens(text):
        style = next((style for token, style in _COLORS if kind in token), "")
        escaped = html.escape(words_)
        parts.append(f'<span style="{style}">{escaped}</span>' if style else escaped)
    return "".join(parts)
