"""The tokens and comments of a text, each with its role for the layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from gdsl.frontend.tables import parser

TAB = 4
"""Columns from one tab stop to the next."""


class Role(Enum):
    """What a piece means for the spaces around it."""

    WORD = auto()
    OPERATOR = auto()
    PREFIX = auto()
    OPEN = auto()
    CLOSE = auto()
    BLOCK_OPEN = auto()
    BLOCK_CLOSE = auto()
    SET_OPEN = auto()
    SET_CLOSE = auto()
    COMMA = auto()
    END = auto()
    COLON = auto()
    PARAMETER_COLON = auto()
    KEYWORD_EQUAL = auto()
    TIGHT = auto()
    LABEL = auto()
    COMMENT = auto()
    DOC = auto()


@dataclass(slots=True)
class Piece:
    """A token or a comment. `breaks` and `column` are from the text: line ends before it, and the column where it
    begins, from 0. `bracket` is the number of the piece that opens the bracket around it, -1 outside of all."""

    kind: str
    text: str
    breaks: int
    column: int
    spaces: int
    role: Role = Role.WORD
    bracket: int = -1
    partner: int = field(default=-1)
    """Of a bracket: the number of the piece that closes or opens it."""


_LITERALS = frozenset(("INTEGER", "HEXADECIMAL", "FLOAT", "TRUE", "FALSE", "INF", "NONE"))
_CLOSED = frozenset((")", "]", "}"))
_SIGNS = frozenset(
    ("||", "&&", "|", "^", "&", "==", "!=", "<", ">", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "//", "%", "=>", "->")
)
_WRITES = frozenset(("=", "any=", "min=", "max=", "+=", "-=", "*=", "&=", "|=", "^=", "/=", "//=", "%=", "<<=", ">>="))
_CALLABLE = frozenset(("NAME", "CHANGED", "FETCH", "CAS", "VERTEX", "EDGE"))
_BEFORE_BLOCK = frozenset(("problem", "schedule", "apply", "else", "tune", "=>"))
_TIGHT = {".", ".."}


def pieces_of(text: str, start: str) -> list[Piece]:
    """The pieces of a text that can be parsed from the rule `start`; its line ends are LF."""
    pieces = list(_read(text, start))
    _give_roles(pieces)
    return pieces


def _read(text: str, start: str) -> Iterator[Piece]:
    position = 0
    tokens: list[Any] = list(parser(start).parse_interactive(text).iter_parse())
    for token in tokens:
        if token.type == "$END":
            continue
        yield from _comments(text, position, token.start_pos)
        yield _piece(text, token.type, token.start_pos, token.end_pos)
        position = token.end_pos
    yield from _comments(text, position, len(text))


def _comments(text: str, position: int, end: int) -> Iterator[Piece]:
    while (at := text.find("#", position, end)) >= 0:
        stop = text.find("\n", at)
        position = stop if stop >= 0 else len(text)
        yield _piece(text, "COMMENT", at, position)


def _piece(text: str, kind: str, start: int, end: int) -> Piece:
    line = text.rfind("\n", 0, start) + 1
    before = text[line:start]
    gap = text[:start][len(text[:start].rstrip()) :] if before.strip() == "" else before[len(before.rstrip()) :]
    column = len(before.expandtabs(TAB))
    spaces = column - len(before.rstrip().expandtabs(TAB))
    return Piece(
        kind, text[start:end].rstrip() if kind == "COMMENT" else text[start:end], gap.count("\n"), column, spaces
    )


def _give_roles(pieces: list[Piece]) -> None:
    stack: list[int] = []
    conditionals: list[int] = [0]
    before: Piece | None = None
    for number, piece in enumerate(pieces):
        piece.bracket = stack[-1] if stack else -1
        if piece.kind == "COMMENT":
            piece.role = Role.COMMENT
            continue
        inside = pieces[stack[-1]].role if stack else None
        piece.role = _role(piece, before, inside, conditionals)
        if piece.role is Role.PARAMETER_COLON and _is_operator(pieces, stack[-1]):
            piece.role = Role.COLON
        if piece.role in (Role.OPEN, Role.BLOCK_OPEN, Role.SET_OPEN):
            stack.append(number)
            conditionals.append(0)
        elif piece.role is Role.CLOSE:
            opened = stack.pop()
            conditionals.pop()
            piece.role = _CLOSES[pieces[opened].role]
            piece.partner, pieces[opened].partner = opened, number
            piece.bracket = stack[-1] if stack else -1
        before = piece


def _is_operator(pieces: list[Piece], bracket: int) -> bool:
    """Whether the parameters in a bracket are those of an `operator`."""
    return bracket > 1 and pieces[bracket - 2].text == "operator"


_CLOSES = {Role.OPEN: Role.CLOSE, Role.BLOCK_OPEN: Role.BLOCK_CLOSE, Role.SET_OPEN: Role.SET_CLOSE}


def _role(piece: Piece, before: Piece | None, inside: Role | None, conditionals: list[int]) -> Role:
    text, kind = piece.text, piece.kind
    if kind == "DOC":
        return Role.DOC
    if text in "([":
        return Role.OPEN
    if text in ")]}":
        return Role.CLOSE
    if text == "{":
        blocks = before is not None and (
            before.text in _BEFORE_BLOCK or _is_operand(before) or before.kind in ("VERTEX", "EDGE", "SET")
        )
        return Role.BLOCK_OPEN if blocks else Role.SET_OPEN
    if text == ";":
        return Role.END
    if text == ",":
        return Role.COMMA
    if text in _TIGHT:
        return Role.TIGHT
    if text == "@":
        return Role.LABEL
    if text == "?":
        conditionals[-1] += 1
        return Role.OPERATOR
    if text == ":":
        if conditionals[-1]:
            conditionals[-1] -= 1
            return Role.COLON
        return Role.PARAMETER_COLON if inside is Role.OPEN else Role.COLON
    if text == "=" and inside is Role.OPEN:
        return Role.KEYWORD_EQUAL
    if kind in ("NOT", "TILDE") or (kind == "MINUS" and (before is None or not _is_operand(before))):
        return Role.PREFIX
    return Role.OPERATOR if text in _SIGNS or text in _WRITES else Role.WORD


def _is_operand(piece: Piece) -> bool:
    """Whether an expression may end with the piece."""
    return piece.kind == "NAME" or piece.kind in _LITERALS or piece.text in _CLOSED


def gap(before: Piece, piece: Piece) -> int:
    """The spaces between two neighbors on one line; a comment has at least two."""
    role, left = piece.role, before.role
    if role is Role.COMMENT:
        return 2
    if role in (Role.END, Role.COMMA, Role.TIGHT, Role.KEYWORD_EQUAL, Role.PARAMETER_COLON, Role.CLOSE):
        return 0
    if left in (Role.OPEN, Role.TIGHT, Role.KEYWORD_EQUAL, Role.PREFIX):
        return 0
    if left is Role.LABEL:
        return 0
    if role is Role.OPEN:
        return 0 if piece.text == "[" or (before.kind in _CALLABLE and left is Role.WORD) else 1
    if role is Role.SET_CLOSE and left is Role.SET_OPEN:
        return 0
    return 1
