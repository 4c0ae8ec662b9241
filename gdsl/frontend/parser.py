"""Text to syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.frontend import syntax
from gdsl.frontend.failures import line_and_column, shown_character, unexpected_character, unexpected_token
from gdsl.frontend.tables import parser
from gdsl.interpreter import DEEPEST_NESTING, make_room
from gdsl.source import Source, Span

_UNSEEN = re.compile("\r(?!\n)|[\v\x85\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Line ends of which only some programs know, signs that turn the direction of writing, halves of characters."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What could be read of a text: its tree (None where that is nothing), all mistakes of syntax in the order of the
    text, and what was passed over because of them."""

    tree: syntax.Program | None
    diagnostics: tuple[Diagnostic, ...]
    broken: syntax.Broken


def parse(source: Source) -> syntax.Program:
    """The syntax tree of a program. Raises `GdslError` with all mistakes of syntax (E01xx)."""
    parsed = parse_all(source)
    if parsed.diagnostics or parsed.tree is None:
        raise GdslError(parsed.diagnostics, source)
    return parsed.tree


def parse_all(source: Source, start: str = "program") -> Parsed:
    """The syntax tree of what can be read of a text, whatever the text is; `start` is the grammar's rule for it."""
    wrong = _unreadable(source)
    if wrong is not None:
        return Parsed(None, (wrong,), syntax.Broken())
    source, comments = without_foreign_comments(source)
    tree, diagnostics, broken = _tree(source, start)
    diagnostics = merge_diagnostics(comments, diagnostics)
    if tree is None:
        return Parsed(None, tuple(diagnostics), broken)
    node, mistakes, deep = _build(tree, broken)
    assert isinstance(node, syntax.Program)
    diagnostics = merge_diagnostics(diagnostics, mistakes)
    if deep is not None:
        return Parsed(None, (*diagnostics, deep), broken)
    return Parsed(node, tuple(diagnostics), broken)


def merge_diagnostics(*groups: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics of several stages in the order of the text; those of a single one as it has ordered them."""
    nonempty = [group for group in map(list, groups) if group]
    return (
        nonempty[0]
        if len(nonempty) == 1
        else sort_diagnostics(diagnostic for group in nonempty for diagnostic in group)
    )


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In the order of the text, each once."""
    return sorted(dict.fromkeys(diagnostics), key=lambda d: d.span.order if d.span is not None else ("", 0, 0))


def parse_tune_words(words: tuple[str, ...]) -> tuple[syntax.TuneEntry, ...]:
    """The syntax trees of tuning words as on the command line, such as ``visit.direction=pull`` or ``bounds=off``."""
    from lark.exceptions import UnexpectedInput

    entries = []
    for word in words:
        source = Source("--tune", word)
        wrong = _unreadable(source)
        if wrong is None:
            try:
                tree = parser("tune_entry").parse(word)
            except UnexpectedInput as failure:
                wrong = _describe(failure, source, _spellings("tune_entry"))
        if wrong is not None:
            fix = "write for example `visit.direction=pull`, `schedule.ids=64` or `bounds=off`"
            raise GdslError.single("E0412", "this is not a tuning word", wrong.span, source, fix=fix)
        entry, *_ = _build(tree, syntax.Broken())
        assert isinstance(entry, syntax.TuneEntry)
        entries.append(entry)
    return tuple(entries)


def _tree(source: Source, start: str) -> tuple[Any, list[Diagnostic], syntax.Broken]:
    """Lark's tree of a text, or of what can be read of it, and the parser's diagnostics."""
    from lark.exceptions import UnexpectedInput

    try:
        return parser(start).parse(source.text), [], syntax.Broken()
    except UnexpectedInput as failure:
        from gdsl.frontend.recovery import Recovery

        spellings = _spellings(start)
        kinds = {text: kind for kind, text in spellings.items()}
        recovery = Recovery(source, lambda another: _describe(another, source, spellings), kinds)
        return recovery.tree(failure), recovery.diagnostics, recovery.broken


def _spellings(start: str) -> dict[str, str]:
    """By kind the text of all tokens that are always written alike."""
    from lark.lexer import PatternStr

    terminals = parser(start).terminals
    return {terminal.name: terminal.pattern.value for terminal in terminals if isinstance(terminal.pattern, PatternStr)}


def _describe(failure: Any, source: Source, spellings: dict[str, str]) -> Diagnostic:
    from lark.exceptions import UnexpectedToken

    from gdsl.frontend.failure_messages import describe  # many patterns, which only programs with mistakes need

    if isinstance(failure, UnexpectedToken):
        return describe(unexpected_token(failure, source, spellings), source)
    return unexpected_character(failure, source)


def _build(tree: Any, broken: syntax.Broken) -> tuple[syntax.Node, list[Diagnostic], Diagnostic | None]:
    """Our own tree, the mistakes that the grammar lets through, and a message if it is nested too deeply."""
    from gdsl.frontend.builder import TreeBuilder

    make_room()
    builder = TreeBuilder(broken=broken)
    node: Any = builder.transform(tree)
    deep = too_deep(node)
    if deep is not None:
        builder = TreeBuilder(longest_run=1, broken=broken)
        node = builder.transform(tree)
        deep = too_deep(node)
    assert isinstance(node, syntax.Node)
    return node, builder.diagnostics, deep


def too_deep(root: syntax.Node) -> Diagnostic | None:
    """Says so where a tree is nested too deeply."""
    deep = _too_deep(root)
    if deep is None:
        return None
    message = f"the program is nested more than {DEEPEST_NESTING} levels deep here"
    fix = "name parts of the expression with `let`, or move inner blocks into separate functors or functions"
    return Diagnostic("E0105", message, deep.span, fix=fix)


def _unreadable(source: Source) -> Diagnostic | None:
    """Why a text cannot be read at all."""
    null = source.text.find("\0")
    if null >= 0:
        line, column = line_and_column(source.text, null)
        message = "the program contains a NUL byte; is it a text file?"
        return Diagnostic("E0104", message, Span(line, column, line, column + 1))
    unseen = _UNSEEN.search(source.text)
    if unseen is not None:
        return _unseen(unseen, source.text)
    if not re.sub(r"#[^\n]*", "", source.text).strip():
        return Diagnostic("E0106", "the program is empty", fix="begin with `program name;`")
    return None


def _unseen(match: re.Match[str], text: str) -> Diagnostic:
    """Characters that are refused even in comments, because they make a program look different from its content."""
    character = match.group()
    line, column = line_and_column(text, match.start())
    span = Span(line, column, line, column + 1)
    if character == "\r":
        message = "a carriage return without a line feed, which some editors take for the end of a line"
        return Diagnostic("E0102", message, span, fix="end the lines with LF or CR LF")
    if "\ud800" <= character <= "\udfff":
        return Diagnostic(
            "E0104", f"half a character ({shown_character(character)}), which no text file can hold", span
        )
    message = f"the character {shown_character(character)}, which changes how the text is shown and cannot be seen"
    return Diagnostic("E0102", message, span, fix="delete it")


def _too_deep(root: syntax.Node) -> syntax.Node | None:
    """A node that is nested too deeply; arguments and links do not count as levels."""
    level = [root]
    for _ in range(DEEPEST_NESTING + 1):
        level = [child for node in level for child in _inside(node)]
        if not level:
            return None
    return level[0]


_ADD_NO_LEVEL = (syntax.Argument, syntax.Link)


def _inside(node: syntax.Node) -> Iterator[syntax.Node]:
    for child in syntax.children(node):
        if isinstance(child, _ADD_NO_LEVEL):
            yield from syntax.children(child)
        else:
            yield child


_PIECE = re.compile(
    r'(?P<own>"""(?:.|\n)*?"""|#[^\n]*)|(?P<space>\s+)|(?P<block>/\*(?:.|\n)*?\*/)|(?P<slashes>//)|(?P<text>[^\s#"/]+|.)'
)
_FIX = "a comment begins with `#` and ends with the line"


def without_foreign_comments(source: Source) -> tuple[Source, list[Diagnostic]]:
    """The text with `/* … */`, and `// …` where it cannot be a division, blanked out, and a message about
    the first of each kind."""
    text = source.text
    if "/*" not in text and "//" not in text:
        return source, []
    comments = _comments(text)
    if not comments:
        return source, []
    pieces, position = [], 0
    for start, end in comments:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start:end])]
        position = end
    blocks = [place for place in comments if text.startswith("/*", place[0])]
    lines = [place for place in comments if not text.startswith("/*", place[0])]
    messages = [_comment_message(text, kind) for kind in (blocks, lines) if kind]
    return replace(source, text="".join(pieces) + text[position:]), messages


def _comments(text: str) -> list[tuple[int, int]]:
    """Where they begin and end."""
    places: list[tuple[int, int]] = []
    position, divides = 0, False
    while (piece := _PIECE.match(text, position)) is not None:
        position = piece.end()
        if piece.lastgroup == "slashes" and not divides:
            line_end = text.find("\n", position)
            position = line_end if line_end >= 0 else len(text)
            places.append((piece.start(), position))
        elif piece.lastgroup == "block":
            places.append((piece.start(), position))
        elif piece.lastgroup in ("text", "slashes"):
            divides = text[position - 1] not in ";{}"
    return places


def _comment_message(text: str, places: list[tuple[int, int]]) -> Diagnostic:
    start, end = places[0]
    line, column = line_and_column(text, start)
    last, behind = line_and_column(text, end)
    more = (f"{len(places) - 1} more below",) if len(places) > 1 else ()
    block = text.startswith("/*", start)
    message = "`/* … */` is not a comment here" if block else "`//` divides, it does not begin a comment"
    span = Span(line, column, last, behind) if block else Span(line, column, line, column + 2)
    return Diagnostic("E0112", message, span, notes=more, fix=_FIX)
