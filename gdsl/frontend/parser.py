"""Text to syntax tree."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from gdsl import cache as tables
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.frontend import syntax
from gdsl.frontend.mistakes import Failure, describe
from gdsl.recursion import DEEPEST_NESTING, make_room
from gdsl.resources import resource_text
from gdsl.source import Source, Span

if TYPE_CHECKING:
    from lark import Lark
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    from gdsl.frontend.builder import TreeBuilder

_UNSEEN = re.compile("\r(?!\n)|[\v\x85\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Line ends of which only some programs know, signs that turn the direction of writing, halves of characters."""


def parse(source: Source) -> syntax.Program:
    """The syntax tree of a program. Raises `GdslError` (E01xx) at the first mistake."""
    program = _tree(source, "program")
    assert isinstance(program, syntax.Program)
    return program


def parse_tune_words(words: tuple[str, ...]) -> tuple[syntax.TuneEntry, ...]:
    """The syntax trees of tuning words as on the command line, such as ``visit.direction=pull`` or ``bounds=off``."""
    entries = []
    for word in words:
        source = Source("--tune", word)
        try:
            entry = _tree(source, "tune_entry")
        except GdslError as error:
            span = error.diagnostics[0].span
            fix = "write for example `visit.direction=pull`, `schedule.ids=64` or `bounds=off`"
            raise GdslError.single("E0412", "this is no tuning word", span, source, fix=fix) from None
        assert isinstance(entry, syntax.TuneEntry)
        entries.append(entry)
    return tuple(entries)


@cache
def _parser(start: str) -> Lark:
    """The parser for one of the grammar's start rules; its tables are kept in the cache, they take 0.2 s to make."""
    import lark

    key = (start, lark.__version__, sys.version)
    kept = tables.get("grammar", key)
    if kept is not None:
        with contextlib.suppress(Exception):  # whatever a broken table does: it is made anew
            return lark.Lark.load(io.BytesIO(kept))
    grammar = resource_text("grammar", "gdsl.lark")
    made = lark.Lark(grammar, parser="lalr", start=start, propagate_positions=True, maybe_placeholders=True)
    buffer = io.BytesIO()
    made.save(buffer)
    tables.put("grammar", key, buffer.getvalue())
    return made


def _tree(source: Source, start: str) -> syntax.Node:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    from gdsl.frontend.builder import TreeBuilder

    _check_text(source)
    try:
        tree = _parser(start).parse(source.text)
    except UnexpectedToken as failure:
        raise GdslError((_unexpected_token(failure, source, start),), source) from None
    except UnexpectedCharacters as failure:
        raise GdslError((_unexpected_character(failure, source),), source) from None
    make_room()
    builder = TreeBuilder()
    node = _built(builder, tree)
    if not builder.diagnostics and _too_deep(node) is not None:
        builder = TreeBuilder(longest_run=1)
        node = _built(builder, tree)
    if builder.diagnostics:
        raise GdslError(builder.diagnostics, source)
    deep = _too_deep(node)
    if deep is not None:
        message = f"the program is nested more than {DEEPEST_NESTING} levels deep here"
        fix = "name parts of the expression with `let`, or put inner blocks into functors or functions of their own"
        raise GdslError.single("E0105", message, deep.span, source, fix=fix)
    return node


def _check_text(source: Source) -> None:
    null = source.text.find("\0")
    if null >= 0:
        line, column = _line_and_column(source.text, null)
        message = "the program contains a NUL byte; is it a text file?"
        raise GdslError.single("E0104", message, Span(line, column, line, column + 1), source)
    unseen = _UNSEEN.search(source.text)
    if unseen is not None:
        raise GdslError((_unseen(unseen, source.text),), source)
    if not re.sub(r"#[^\n]*", "", source.text).strip():
        fix = "begin with `program name;`"
        raise GdslError.single("E0106", "the program is empty", source=source, fix=fix)


def _unseen(found: re.Match[str], text: str) -> Diagnostic:
    """What is refused in comments too: it makes a program look other than what it says."""
    character = found.group()
    line, column = _line_and_column(text, found.start())
    span = Span(line, column, line, column + 1)
    if character == "\r":
        message = "a carriage return without a line feed, which some editors take for the end of a line"
        return Diagnostic("E0102", message, span, fix="end the lines with LF or CR LF")
    if "\ud800" <= character <= "\udfff":
        return Diagnostic("E0104", f"half a character ({_shown(character)}), which no text file can hold", span)
    message = f"the character {_shown(character)}, which changes how the text is shown and cannot be seen"
    return Diagnostic("E0102", message, span, fix="delete it")


def _shown(character: str) -> str:
    """A character as it is where everybody knows it, else with its number and name."""
    number = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    described = f"{number} {name}".rstrip()
    if not character.isprintable():
        return described
    return f"`{character}`" if character.isascii() else f"`{character}` ({described})"


def _built(builder: TreeBuilder, tree: Any) -> syntax.Node:
    node: Any = builder.transform(tree)
    assert isinstance(node, syntax.Node)
    return node


def _too_deep(root: syntax.Node) -> syntax.Node | None:
    """A first node that lies too deep; what only holds other nodes together makes no level."""
    level = [root]
    for _ in range(DEEPEST_NESTING + 1):
        level = [child for node in level for child in _inside(node)]
        if not level:
            return None
    return level[0]


def _inside(node: syntax.Node) -> Iterator[syntax.Node]:
    for child in syntax.children(node):
        if isinstance(child, syntax.Argument | syntax.Link):
            yield from syntax.children(child)
        else:
            yield child


def _unexpected_token(failure: UnexpectedToken, source: Source, start: str) -> Diagnostic:
    token = failure.token
    text = source.text
    if token.type == "$END":
        trimmed = _without_comments(text).rstrip()
        position = len(trimmed)
        line, column = _line_and_column(text, max(position - 1, 0))
        span = Span(line, column, line, column + 1)
    else:
        position = token.start_pos if token.start_pos is not None else 0
        span = Span(token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)
    expected = frozenset(failure.accepts or failure.expected)
    return describe(_failure(token.type, str(token), span, position, expected, text, start), source)


def _failure(
    kind: str, text: str, span: Span, position: int, expected: frozenset[str], program: str, rule: str
) -> Failure:
    from lark.lexer import PatternStr

    plain = _without_comments(program[:position])
    words = list(re.finditer(r"\w+(\.\d+)?|[^\w\s]{1,2}(?=[\s\w]|$)|[^\w\s]", plain))
    before = words[-1] if words else None
    before_text = before.group() if before else ""
    start, end = (before.start(), before.end()) if before else (0, 0)
    first, last = _line_and_column(program, start), _line_and_column(program, end)
    statement = re.split(r"[;{}]", plain)[-1]
    spellings = {
        terminal.name: terminal.pattern.value
        for terminal in _parser(rule).terminals
        if isinstance(terminal.pattern, PatternStr)
    }
    return Failure(kind, text, span, expected, spellings, before_text, Span(*first, *last), statement)


def _unexpected_character(failure: UnexpectedCharacters, source: Source) -> Diagnostic:
    character = source.text[failure.pos_in_stream] if failure.pos_in_stream is not None else "?"
    span = Span(failure.line, failure.column, failure.line, failure.column + 1)
    if source.text.startswith('"""', failure.pos_in_stream or 0):
        return Diagnostic("E0108", "this doc comment does not end", span, fix='end it with `"""`')
    fixes = {
        '"': 'the language has no strings; a doc comment stands in `"""` before `program`',
        "'": "the language has no strings",
        "≤": "write `<=`",
        "≥": "write `>=`",
        "≠": "write `!=`",
        "→": "write `->`",
        "∞": "write `inf`",
        "−": "write `-`",
        "×": "write `*`",
        "…": "write `..` for a range",
    }
    fix = fixes.get(character)
    shown = f"`{character}`" if fix is not None else _shown(character)
    if fix is None and character.isdigit() and unicodedata.decimal(character, None) is not None:
        fix = f"write {unicodedata.decimal(character)}"
    elif fix is None and character.isspace():
        fix = "write a plain space"
    elif fix is None and character.isalpha():
        fix = "names are made of the letters a to z and A to Z, digits and `_`"
    return Diagnostic("E0102", f"unknown character {shown}", span, fix=fix)


def _without_comments(text: str) -> str:
    """`text` with its comments and doc comments blanked out, everything else at its place."""
    pattern = re.compile(r'"""(?:.|\n)*?"""|#[^\n]*')
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
