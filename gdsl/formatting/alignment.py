"""Columns: what an author has aligned stays aligned, whatever the words between have become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gdsl.formatting.layout import Line
from gdsl.formatting.pieces import TAB, Piece, Role, gap

_NEAR = 16
"""Columns between comments that are probably meant to be aligned."""
_CLASSES = {Role.COLON: "colon", Role.WORD: "word", Role.BLOCK_OPEN: "brace"}


def aligned(lines: list[Line]) -> str:
    """The text of the lines."""
    pads = _pads(lines)
    codes = [_code(line, pads) for line in lines]
    columns = _comment_columns(lines, codes)
    parts: list[str] = []
    for line, code, column in zip(lines, codes, columns, strict=True):
        if line.blank:
            parts.append("\n")
        comment = line.pieces[-1]
        if comment.role is Role.COMMENT:
            code += " " * (column - _width(code)) + comment.text
        parts.append(f"{code}\n")
    return "".join(parts)


def _code(line: Line, pads: dict[int, int]) -> str:
    """The line without its comment."""
    text, before = " " * line.indent, None
    for piece in line.pieces:
        if piece.role is Role.COMMENT:
            break
        if before is not None:
            text += " " * (gap(before, piece) + pads.get(id(piece), 0))
        text += piece.text
        before = piece
    return text if text.strip() else ""


def _width(code: str) -> int:
    return len(code) - code.rfind("\n") - 1


# ------------------------------------------------------------ columns of code


def _pads(lines: list[Line]) -> dict[int, int]:
    """By the id of a piece the spaces to add before it. Pieces of one kind that begin in the same column of consecutive
    lines of the text, at least one of them after several spaces, share a column."""
    pads: dict[int, int] = {}
    for group in sorted(_groups(lines), key=lambda group: group[0][1].column):
        if len(group) < 2 or all(piece.spaces < 2 for _, piece in group):
            continue
        natural = [_natural(line, piece, pads) for line, piece in group]
        for (_, piece), column in zip(group, natural, strict=True):
            pads[id(piece)] = max(natural) - column
    return pads


def _groups(lines: list[Line]) -> Iterator[list[tuple[Line, Piece]]]:
    running: dict[tuple[str, int], list[tuple[Line, Piece]]] = {}
    for line in lines:
        following: dict[tuple[str, int], list[tuple[Line, Piece]]] = {}
        for key, piece in () if line.blank and not running else _candidates(line):
            group = [] if line.blank else running.pop(key, [])
            following[key] = [*group, (line, piece)]
        yield from running.values()
        running = following
    yield from running.values()


def _candidates(line: Line) -> Iterator[tuple[tuple[str, int], Piece]]:
    """The pieces of a line that may be aligned: outside of brackets, where columns of a table begin."""
    if line.pieces[0].breaks == 0 and line.pieces[0].column > 0:
        return  # it was in the middle of a line
    bracket = line.pieces[0].bracket
    for number, piece in enumerate(line.pieces):
        if number and piece.breaks:
            return  # it was on a line of its own
        if number == 0 or piece.bracket != bracket:
            continue
        kind = "equal" if piece.text == "=" else _CLASSES.get(piece.role)
        if kind is not None:
            yield (kind, piece.column), piece


def _natural(line: Line, piece: Piece, pads: dict[int, int]) -> int:
    """The column of a piece with the spaces that the pieces before it have."""
    column, before = line.indent, None
    for each in line.pieces:
        if before is not None:
            column += gap(before, each) + pads.get(id(each), 0)
        if each is piece:
            break
        column += len(each.text)
        before = each
    return column


# ------------------------------------------------------------ columns of comments


def _comment_columns(lines: list[Line], codes: list[str]) -> list[int]:
    """The column of the comment of each line, which means nothing for lines without one. Comments of neighboring lines
    share the column that most of them have, unless a line is too long for it."""
    columns = [line.indent for line in lines]
    for block in _blocks(lines):
        trailing = [number for number in block if _is_trailing(lines[number])]
        if not trailing:
            continue
        shared = _shared(lines, codes, trailing)
        for number in block:
            line = lines[number]
            if number in trailing:
                least, own = _width(codes[number]) + 2, line.pieces[-1].column
                columns[number] = shared if least <= shared else own if own >= least else _stop(least)
            elif number and _continues(lines[number - 1], line):
                columns[number] = columns[number - 1]
    return columns


def _blocks(lines: list[Line]) -> Iterator[list[int]]:
    """Runs of lines without a blank one."""
    block: list[int] = []
    for number, line in enumerate(lines):
        if line.blank:
            yield block
            block = []
        block.append(number)
    yield block


def _is_trailing(line: Line) -> bool:
    return len(line.pieces) > 1 and line.pieces[-1].role is Role.COMMENT


def _continues(before: Line, line: Line) -> bool:
    """Whether a comment on a line of its own belongs to the one that ends the line before."""
    first, last = line.pieces[0], before.pieces[-1]
    return first.role is Role.COMMENT and last.role is Role.COMMENT and first.column == last.column > line.indent


def _shared(lines: list[Line], codes: list[str], trailing: list[int]) -> int:
    counts: Counter[int] = Counter()
    for number in trailing:
        column = lines[number].pieces[-1].column
        if column >= _width(codes[number]) + 2:
            counts[column] += 1
    most = max(counts.values(), default=0)
    if most <= 1 < len(trailing) and max(counts, default=0) - min(counts, default=0) <= _NEAR:
        return _stop(max(_width(codes[number]) for number in trailing) + 2)
    if not counts:
        return _stop(_width(codes[trailing[0]]) + 2)
    return min(column for column, count in counts.items() if count == most)


def _stop(column: int) -> int:
    """The next tab stop."""
    return -(-column // TAB) * TAB
