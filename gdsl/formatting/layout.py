"""Where lines end, and how far they are indented."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

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

    def width(self) -> int:
        """Columns of all but a comment."""
        column, before = self.indent, None
        for piece in self.pieces:
            if before is not None:
                if piece.role is Role.COMMENT:
                    return column
                column += gap(before, piece)
            column = len(piece.text) - piece.text.rfind("\n") - 1 if "\n" in piece.text else column + len(piece.text)
            before = piece
        return column


def lines_of(pieces: list[Piece]) -> list[Line]:
    """The lines of a program."""
    breaks = _breaks(pieces)
    while True:
        before = sum(map(bool, breaks))
        lines = list(_lines(pieces, breaks))
        split = [_split(line, first, pieces) for first, line in lines]
        added = [place for places in split for place in places if not breaks[place]]
        if not added and before == sum(map(bool, breaks)):
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
    """The lines, each with the number of its first piece. A line that is nothing but a part of an expression, and too
    long, is broken into all its lines at once, which `breaks` notes."""
    indents: list[int] = []
    starts = [number for number in range(len(pieces)) if number == 0 or breaks[number]]
    ends = [(stop, _is_expression(pieces, start, stop)) for start, stop in pairwise((*starts, len(pieces)))]
    ends.reverse()
    last: Piece | None = None
    start = 0
    while ends:
        stop, is_expression = ends.pop()
        closed = next((at for at in range(start, stop) if pieces[at].role not in _CLOSES), stop) - start
        continues = last is not None and not ends_statement(last, pieces)
        if closed:
            indent = indents[-closed]
        elif indents:
            bracket = pieces[start].bracket
            inside = pieces[bracket].role if bracket >= 0 else Role.BLOCK_OPEN
            indent = indents[-1] + INDENT * (2 if continues and inside is Role.BLOCK_OPEN else 1)
        else:
            indent = INDENT if continues else 0
        if is_expression and (place := _expression(pieces, start, stop, indent)) is not None:
            ends.append((stop, True))
            stop = place
            breaks[place] = 1
        row = pieces[start:stop]
        for piece in row:
            if piece.role in _OPENS:
                indents.append(indent)
            elif piece.role in _CLOSES:
                indents.pop()
            if piece.role is not Role.COMMENT:
                last = piece
        yield start, Line(row, indent, breaks[start] > 1)
        start = stop


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
        if stop > start + 1:
            return [*inside, stop]
    else:
        statements = [number for number in numbers[1:] if _begins(number, pieces[first].bracket, pieces)]
        if statements:
            return statements
    place = _expression(pieces, first, numbers.stop, line.indent)
    return [] if place is None else [place]


def _begins(number: int, bracket: int, pieces: list[Piece]) -> bool:
    """Whether a statement directly inside the bracket begins with this piece."""
    piece, before = pieces[number], pieces[number - 1]
    if piece.bracket != bracket or piece.role in (Role.COMMENT, Role.BLOCK_CLOSE) or piece.kind == "ELSE":
        return False
    return ends_statement(before, pieces)


def _is_expression(pieces: list[Piece], start: int, stop: int) -> bool:
    """Whether the pieces are on one line and all of one statement, up to the block that may begin at its end."""
    return not any(
        piece.role is Role.DOC
        or (piece.role is Role.BLOCK_OPEN and number < stop - 1)
        or (number > start and _begins(number, pieces[start].bracket, pieces))
        for number, piece in enumerate(islice(pieces, start, stop), start)
    )


def _expression(pieces: list[Piece], start: int, stop: int, indent: int) -> int | None:
    """The best place to break a line that is too long: in as few brackets as possible, at the operator that binds
    least, as far to the right as it fits."""
    best: tuple[int, int, int] | None = None
    column, depth, is_long = indent, 0, False
    before: Piece | None = None
    for number in range(start, stop):
        piece = pieces[number]
        if before is not None:
            if piece.role is Role.COMMENT:
                break
            column += gap(before, piece)
            fits = indent + INDENT < column <= WIDTH
            if fits and before.role in (Role.COMMA, Role.OPERATOR, Role.COLON):
                rank = (depth, _RANKS.get(before.text, _LAST), -number)
                best = rank if best is None else min(best, rank)
        column = len(piece.text) - piece.text.rfind("\n") - 1 if "\n" in piece.text else column + len(piece.text)
        is_long = column > WIDTH
        if is_long and piece.role is not Role.DOC:
            break
        depth += (piece.role in _OPENS) - (piece.role in _CLOSES)
        before = piece
    return -best[2] if best is not None and is_long else None
