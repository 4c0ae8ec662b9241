"""The colors of programs, and of C++ and CUDA in which `…` stands for what is left out."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, inherit, words
from pygments.lexers.c_cpp import CLexer, CppLexer
from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from gdsl.frontend import vocabulary

_BUILT_IN = (
    vocabulary.VALUES
    | vocabulary.FUNCTIONS
    | vocabulary.GRAPH_FUNCTIONS
    | vocabulary.SCHEDULE_FUNCTIONS
    | vocabulary.CONTEXTUAL_FUNCTIONS
)
_SHORTENED = {"statements": [("…", Comment), inherit], "root": [("…", Comment), inherit]}
_KEYWORDS = vocabulary.KEYWORDS | vocabulary.CONTEXTUAL_KEYWORDS


class Gdsl(RegexLexer):
    """Programs, by the words that the compiler knows."""

    name = "gdsl"
    aliases: ClassVar[list[str]] = ["gdsl"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r'"""(.|\n)*?"""', String.Doc),
            (r"#[^\n]*", Comment.Single),
            (r'"[^"\n]+"', String),
            (r"@\w+", Name.Label),
            (r"0[xX][0-9a-fA-F]+", Number.Hex),
            (r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", Number.Float),
            (r"[0-9]+", Number.Integer),
            (words(sorted(vocabulary.TYPES), r"\b", r"\b"), Keyword.Type),
            (words(sorted(_KEYWORDS), r"\b", r"\b"), Keyword),
            (words(sorted(_BUILT_IN), r"\b", r"\b"), Name.Builtin),
            (r"\w+", Name),
            (r"[-+*/%&|^~!<>=?]+", Operator),
            (r"[][(){},;:.…]", Punctuation),
            (r"\s+", Text),
        ]
    }


class ShortenedCpp(CppLexer):
    """C++ with `…`."""

    tokens: ClassVar[dict[str, Any]] = _SHORTENED


class ShortenedCuda(CudaLexer):
    """CUDA with `…`."""

    tokens: ClassVar[dict[str, Any]] = _SHORTENED


LEXERS = {"gdsl": Gdsl, "refused": Gdsl, "cpp": ShortenedCpp, "c-header": CLexer, "cuda": ShortenedCuda}
