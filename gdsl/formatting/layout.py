"""Where lines end, and how far they are indented."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.formatting.pieces import Piece, Role, gap

WIDTH = 120
"""Columns of a line, without its comment."""
INDENT = 4
_OPENS = (Role.OPEN, Role.BLOCK_OPEN, Role.SET_OPEN)
_CLOSES = (Role.CLOSE, Role.BLOCK_CLOSE, Role.SET_CLOSE)


@dataclass(slots=True)
class Line:
    """A line of the new text: its pieces, its indentation, and whether a blank line comes before it."""

    pieces: list[Piece]
    indent: int
    blank: bool

    def width(self, end: int | None = None) -> int:
        """Columns up to the piece number `end`, with the space before that; without it, those of all but a comment."""
        column, before = self.indent, None
        for number, piece in enumerate(self.pieces):
            column += gap(before, piece) if before is not None else 0
            if number == end:
                return column
            if end is None and piece.role is Role.COMMENT and before is not None:
                return column - gap(before, piece)
            column = len(piece.text) - piece.text.rfind("\n") - 1 if "\n" in piece.text else column + len(piece.text)
            before = piece
        return column


def lines_of(pieces: list[Piece]) -> list[Line]:
    """The lines of a program."""
    breaks = _breaks(pieces)
    while True:
        lines = list(_lines(pieces, breaks))
        split = [_split(line, first, pieces) for first, line in lines]
        added = [place for places in split for place in places if not breaks[place]]
        if not added:
            return [line for _, line in lines]
        for place in added:
            breaks[place] = 1
        _open_blocks(pieces, breaks)


def ends_statement(piece: Piece, pieces: list[Piece]) -> bool:
    """Whether a new statement or part begins after the piece."""
    if piece.role in (Role.DOC, Role.BLOCK_OPEN):
        return True
    around = pieces[piece.bracket].role if piece.bracket >= 0 else Role.BLOCK_OPEN
    return piece.role in (Role.END, Role.BLOCK_CLOSE) and around is Role.BLOCK_OPEN


def _breaks(pieces: list[Piece]) -> list[int]:
    """Before each piece: 0 on the same line, 1 on the next one, 2 after a blank line."""
    breaks = [0] * len(pieces)
    last: Piece | None = None
    for number, piece in enumerate(pieces):
        if number == 0:
            last = None if piece.role is Role.COMMENT else piece
            continue
        before = pieces[number - 1]
        count = min(piece.breaks, 2)
        boundary = last is None or ends_statement(last, pieces)
        if before.role in (Role.COMMENT, Role.DOC):
            count = max(count, 1)
        elif piece.role in (Role.BLOCK_OPEN, Role.END, Role.COMMA):
            count = 0
        elif boundary and piece.bracket < 0 and piece.role not in (Role.COMMENT, Role.BLOCK_CLOSE):
            count = max(count, 1)
        if (
            not boundary
            or piece.kind == "ELSE"
            or (last is not None and last.role is Role.BLOCK_OPEN and before is last)
        ):
            count = min(count, 1)
        if piece.role is Role.BLOCK_CLOSE:
            count = min(count, 1)
        breaks[number] = count
        if piece.role is not Role.COMMENT:
            last = piece
    _open_blocks(pieces, breaks)
    return breaks


def _open_blocks(pieces: list[Piece], breaks: list[int]) -> None:
    """A block of several lines has its braces at the end of a line and on a line of their own. If all of it is one
    inner block, the two may share these lines."""
    for close, piece in enumerate(pieces):
        if piece.role is not Role.BLOCK_CLOSE:
            continue
        first = piece.partner
        if not any(breaks[first + 1 : close + 1]):
            continue
        if _shares(pieces, breaks, first, close):
            breaks[close] = 0
        else:
            if pieces[first + 1].role is not Role.COMMENT:
                breaks[first + 1] = max(breaks[first + 1], 1)
            breaks[close] = max(breaks[close], 1)
        after = close + 1
        if after < len(pieces) and ends_statement(piece, pieces):
            follows = pieces[after]
            if follows.kind == "ELSE":
                breaks[after] = 0
            elif follows.role not in (Role.COMMENT, Role.BLOCK_CLOSE):
                breaks[after] = max(breaks[after], 1)


def _shares(pieces: list[Piece], breaks: list[int], first: int, close: int) -> bool:
    inner = pieces[close - 1]
    if inner.role is not Role.BLOCK_CLOSE or breaks[first + 1] or inner.partner <= first:
        return False
    head = range(first + 1, inner.partner + 1)
    if any(breaks[number] or pieces[number].role in (Role.END, Role.COMMENT, Role.BLOCK_CLOSE) for number in head):
        return False
    return any(breaks[inner.partner + 1 : close])


def _lines(pieces: list[Piece], breaks: list[int]) -> Iterator[tuple[int, Line]]:
    """The lines, each with the number of its first piece."""
    indents: list[int] = []
    starts = [number for number in range(len(pieces)) if number == 0 or breaks[number]]
    last: Piece | None = None
    for start, stop in zip(starts, [*starts[1:], len(pieces)], strict=True):
        row = pieces[start:stop]
        closed = next((number for number, piece in enumerate(row) if piece.role not in _CLOSES), len(row))
        continues = last is not None and not ends_statement(last, pieces)
        if closed:
            indent = indents[-closed]
        elif indents:
            inside = pieces[row[0].bracket].role if row[0].bracket >= 0 else Role.BLOCK_OPEN
            indent = indents[-1] + INDENT * (2 if continues and inside is Role.BLOCK_OPEN else 1)
        else:
            indent = INDENT if continues else 0
        for piece in row:
            if piece.role in _OPENS:
                indents.append(indent)
            elif piece.role in _CLOSES:
                indents.pop()
            if piece.role is not Role.COMMENT:
                last = piece
        yield start, Line(row, indent, breaks[start] > 1)


# ------------------------------------------------------------ lines that are too long

_RANKS = {
    **dict.fromkeys((",", "=>"), 0),
    "?": 1,
    ":": 2,
    "||": 2,
    "&&": 3,
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">="), 4),
    **dict.fromkeys(("|", "^", "&", "<<", ">>"), 5),
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "//", "%"), 7),
}
_LAST = 8


def _split(line: Line, first: int, pieces: list[Piece]) -> list[int]:
    """The numbers of pieces that begin new lines because this one is too long: the content of the outermost block, or
    each of its statements, or the rest of an expression."""
    if line.width() <= WIDTH:
        return []
    numbers = range(first, first + len(line.pieces))
    depth, opened = 0, []
    for number in numbers:
        piece = pieces[number]
        if piece.role is Role.BLOCK_OPEN and piece.partner in numbers:
            opened.append((depth, number))
        depth += (piece.role is Role.BLOCK_OPEN) - (piece.role is Role.BLOCK_CLOSE)
    if opened:
        _, start = min(opened)
        stop = pieces[start].partner
        inside = [number for number in range(start + 1, stop) if _begins(number, start, pieces)]
        return [*inside, stop] if stop > start + 1 else _expression(line, first)
    statements = [number for number in numbers[1:] if _begins(number, pieces[first].bracket, pieces)]
    return statements or _expression(line, first)


def _begins(number: int, bracket: int, pieces: list[Piece]) -> bool:
    """Whether a statement directly inside the bracket begins with this piece."""
    piece, before = pieces[number], pieces[number - 1]
    if piece.bracket != bracket or piece.role in (Role.COMMENT, Role.BLOCK_CLOSE) or piece.kind == "ELSE":
        return False
    return ends_statement(before, pieces)


def _expression(line: Line, first: int) -> list[int]:
    """The best place to break a long expression: in as few brackets as possible, at the operator that binds least, as
    far to the right as it fits."""
    ranges: list[tuple[int, int, int]] = []
    depth = 0
    for number, piece in enumerate(line.pieces):
        before = line.pieces[number - 1] if number else None
        if before is not None and piece.role is not Role.COMMENT:
            breaks = before.role in (Role.COMMA, Role.OPERATOR, Role.COLON)
            if breaks and line.width(number) <= WIDTH and line.width(number) > line.indent + INDENT:
                ranges.append((depth, _RANKS.get(before.text, _LAST), -number))
        depth += (piece.role in _OPENS) - (piece.role in _CLOSES)
    return [first - min(ranges)[2]] if ranges else []
