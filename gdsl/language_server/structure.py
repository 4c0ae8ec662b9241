"""Definitions, references, the outline of a program, and what can be folded."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

from gdsl.imports import file_meant
from gdsl.language_server.documents import Document
from gdsl.language_server.hover import is_written
from gdsl.language_server.lexing import Token, TokenKind
from gdsl.language_server.outline import Declaration, Outline
from gdsl.program_files import LARGEST_PROGRAM

_SYMBOLS = {
    "program": lsp.SymbolKind.Module,
    "type": lsp.SymbolKind.TypeParameter,
    "param": lsp.SymbolKind.Constant,
    "vertex": lsp.SymbolKind.Array,
    "edge": lsp.SymbolKind.Array,
    "scalar": lsp.SymbolKind.Variable,
    "functor": lsp.SymbolKind.Method,
    "function": lsp.SymbolKind.Function,
    "operator": lsp.SymbolKind.Operator,
    "procedure": lsp.SymbolKind.Function,
}


def definition(document: Document, position: lsp.Position) -> lsp.Location | None:
    """Where the name at a position is declared; of an imported one, in the other file."""
    outline = document.outline
    offset = document.positions.offset(position)
    number = outline.token_at(offset)
    if number >= 0 and outline.code[number].kind is TokenKind.STRING:
        return _file(document, outline.code[number].text.strip('"'), "")
    declaration = outline.meaning(number)
    if declaration is None:
        return None
    if declaration.kind == "import":
        imported = next((each for each in outline.imports if each.name == declaration.name), None)
        location = _file(document, imported.path, declaration.name) if imported is not None else None
        if location is not None:
            return location
    return lsp.Location(document.uri, document.positions.range(declaration.start, declaration.end))


def _file(document: Document, path: str, name: str) -> lsp.Location | None:
    """A definition in an imported file; its beginning without a name."""
    file = file_meant(document.source, document.source, path)
    try:
        with open(file, encoding="utf-8") as opened:
            other = Document(from_fs_path(os.path.abspath(file)) or file, 0, opened.read(LARGEST_PROGRAM))
    except (OSError, ValueError):
        return None
    for each in other.outline.declarations:
        if each.name == name and each.is_global:
            return lsp.Location(other.uri, other.positions.range(each.start, each.end))
    return lsp.Location(other.uri, other.positions.range(0, 0))


def references(document: Document, position: lsp.Position, *, with_declaration: bool) -> list[lsp.Location]:
    """All uses of the name at a position."""
    declaration, uses = _uses(document, position)
    return [
        lsp.Location(document.uri, document.positions.range(token.start, token.end))
        for token in uses
        if with_declaration or declaration is None or token.start != declaration.start
    ]


def highlights(document: Document, position: lsp.Position) -> list[lsp.DocumentHighlight]:
    """The uses in this text of what is at `position`, each as a read or a write."""
    return [
        lsp.DocumentHighlight(
            document.positions.range(token.start, token.end),
            lsp.DocumentHighlightKind.Write if is_written(document, token) else lsp.DocumentHighlightKind.Read,
        )
        for token in _uses(document, position)[1]
    ]


def _uses(document: Document, position: lsp.Position) -> tuple[Declaration | None, list[Token]]:
    """What the name at a position means, and all tokens that mean it."""
    outline = document.outline
    declaration = outline.meaning(outline.token_at(document.positions.offset(position)))
    return declaration, [] if declaration is None else outline.uses_of(declaration)


def symbols(document: Document) -> list[lsp.DocumentSymbol]:
    """The declarations of the whole program, in the order of the text."""
    return [
        lsp.DocumentSymbol(
            each.name,
            _SYMBOLS[each.kind],
            document.positions.range(each.begin, max(each.whole, each.end)),
            document.positions.range(each.start, each.end),
            detail=_detail(document, each),
        )
        for each in document.outline.declarations
        if each.is_global and each.kind in _SYMBOLS and each.name
    ]


def _detail(document: Document, declaration: Declaration) -> str:
    if declaration.kind == "functor":
        return f"{document.outline.functor_kind(declaration)} functor"
    type_ = document.type_at(declaration.start)
    return f"{declaration.kind}{f' : {type_}' if type_ else ''}"


def folding(document: Document) -> list[lsp.FoldingRange]:
    """Blocks, doc comments, and runs of comments and imports."""
    outline = document.outline
    ranges = []
    for opened, close in outline.partner.items():
        if outline.code[opened].text == "{":
            first, last = (document.positions.position(outline.code[at].start).line for at in (opened, close))
            if last - 1 > first:
                ranges.append(lsp.FoldingRange(first, last - 1))
    for token in outline.tokens:
        if token.kind is TokenKind.DOC and "\n" in token.text:
            first, last = (document.positions.position(at).line for at in (token.start, token.end))
            ranges.append(lsp.FoldingRange(first, last, kind=lsp.FoldingRangeKind.Comment))
    ranges += _runs(list(_comment_lines(document)), lsp.FoldingRangeKind.Comment)
    ranges += _runs(list(_import_lines(document, outline)), lsp.FoldingRangeKind.Imports)
    return sorted(ranges, key=lambda each: (each.start_line, each.end_line))


def _comment_lines(document: Document) -> Iterator[int]:
    for token in document.outline.tokens:
        before = document.text[document.text.rfind("\n", 0, token.start) + 1 : token.start]
        if token.kind is TokenKind.COMMENT and not before.strip():
            yield document.positions.position(token.start).line


def _import_lines(document: Document, outline: Outline) -> Iterator[int]:
    for each in outline.declarations:
        if each.kind == "import":
            yield document.positions.position(each.begin).line


def _runs(lines: list[int], kind: lsp.FoldingRangeKind) -> list[lsp.FoldingRange]:
    ranges: list[lsp.FoldingRange] = []
    start = previous = None
    for line in [*lines, None]:
        if start is None or previous is None:
            start = line
        elif line is None or line > previous + 1:
            if previous > start:
                ranges.append(lsp.FoldingRange(start, previous, kind=kind))
            start = line
        previous = line
    return ranges
