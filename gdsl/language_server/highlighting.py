"""Semantic tokens: what each word is, which no grammar of an editor can know."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from gdsl.frontend.vocabulary import TYPES
from gdsl.language_server import words
from gdsl.language_server.documents import Document
from gdsl.language_server.hover import is_written
from gdsl.language_server.lexing import TokenKind
from gdsl.language_server.outline import WORDS, Declaration

TYPES_OF_TOKENS = [
    "keyword", "function", "parameter", "variable", "property", "type", "typeParameter", "number", "string", "comment",
    "operator", "enumMember", "decorator", "namespace",
]  # fmt: skip
MODIFIERS = ["declaration", "readonly", "modification", "defaultLibrary"]
LEGEND = lsp.SemanticTokensLegend(TYPES_OF_TOKENS, MODIFIERS)
_KINDS = {
    "program": "namespace",
    "functor": "function",
    "function": "function",
    "operator": "function",
    "procedure": "function",
    "import": "function",
    "type": "typeParameter",
    "label": "decorator",
    "let": "variable",
    "var": "variable",
    "for": "variable",
    "frontier": "variable",
    "graph": "variable",
    "history": "variable",
    "buckets": "variable",
}
_LITERALS = ("true", "false", "inf", "none")


def semantic_tokens(document: Document) -> lsp.SemanticTokens:
    """All tokens of a text, each relative to the one before."""
    data: list[int] = []
    line = column = 0
    for start, end, kind, modifiers in _tokens(document):
        for first, last in _rows(document.text, start, end):
            at = document.positions.position(first)
            length = document.positions.position(last).character - at.character
            relative = at.character - column if at.line == line else at.character
            bits = sum(1 << MODIFIERS.index(each) for each in modifiers)
            data += (at.line - line, relative, length, TYPES_OF_TOKENS.index(kind), bits)
            line, column = at.line, at.character
    return lsp.SemanticTokens(data)


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A token of several lines, line by line."""
    while (stop := text.find("\n", start, end)) >= 0:
        if text[start:stop].rstrip("\r"):
            yield start, start + len(text[start:stop].rstrip("\r"))
        start = stop + 1
    if start < end:
        yield start, end


def _tokens(document: Document) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    outline = document.outline
    number = -1
    for token in outline.tokens:
        if token.kind is TokenKind.COMMENT:
            yield token.start, token.end, "comment", ()
            continue
        if token.kind is TokenKind.DOC:
            yield token.start, token.end, "string", ()
            continue
        number += 1
        if token.kind is TokenKind.STRING:
            yield token.start, token.end, "string", ()
        elif token.kind is TokenKind.NUMBER:
            yield token.start, token.end, "number", ()
        elif token.kind is TokenKind.NAME:
            kind = _name(document, number)
            if kind is not None:
                yield token.start, token.end, *kind
        elif token.text not in "(){}[];,":
            yield token.start, token.end, "operator", ()


def _name(document: Document, number: int) -> tuple[str, tuple[str, ...]] | None:
    outline = document.outline
    token = outline.code[number]
    declaration = outline.meaning(number)
    if declaration is not None:
        kind = _kind(declaration)
        modifiers = ["declaration"] if declaration.start == token.start else []
        if declaration.kind in ("param", "let"):
            modifiers.append("readonly")
        elif kind in ("property", "variable") and is_written(document, token):
            modifiers.append("modification")
        return kind, tuple(modifiers)
    if outline.is_keyword(number):
        return "parameter", ()
    following = outline.code[number + 1].text if number + 1 < len(outline.code) else ""
    if following == "(" and words.signature(token.text, True) is not None:
        return "function", ("defaultLibrary",)
    if token.text in _LITERALS:
        return "keyword", ()
    if token.text in words.VALUES:
        return "variable", ("readonly", "defaultLibrary")
    if token.text in TYPES and token.text not in ("vertex", "edge"):
        return "type", ("defaultLibrary",)
    if token.text in WORDS or token.text in ("set",):
        return "keyword", ()
    if token.text in TYPES:
        return "type", ("defaultLibrary",)
    return None


def _kind(declaration: Declaration) -> str:
    if declaration.is_data:
        return "property"
    return _KINDS.get(declaration.kind, "parameter")
