"""The tokens of any text, also of one that no parser accepts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class TokenKind(Enum):
    """What a token is by its look."""

    DOC = "doc"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    NAME = "name"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `start` and `end` are offsets."""

    kind: TokenKind
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r'(?P<doc>"""(?:.|\n)*?(?:"""|\Z))|(?P<comment>#[^\n]*)|(?P<string>"[^"\n]*"?)'
    r"|(?P<number>0[xX][0-9a-fA-F]+|[0-9]+(?:\.(?!\.)[0-9]*)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>(?:any|min|max)=(?![=>])|[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|//=|=>|->|\.\.|&&|\|\||<<|>>|//|[=!<>+\-*/%&|^]=|\S)"
)


def tokens_of(text: str) -> list[Token]:
    """All tokens in the order of the text."""
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = TokenKind(match.lastgroup)
        if kind is TokenKind.NAME and match[0].endswith("="):
            kind = TokenKind.SIGN
        tokens.append(Token(kind, match[0], match.start(), match.end()))
    return tokens
