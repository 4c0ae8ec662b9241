"""Changes to texts: quick fixes, renaming, formatting."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

from gdsl.diagnostics import Diagnostic, GdslError, Suggestion
from gdsl.fixes import is_certain, with_line_ends
from gdsl.formatting import format_text
from gdsl.frontend.vocabulary import RESERVED
from gdsl.imports import file_meant, same_file
from gdsl.language_server.documents import Document
from gdsl.language_server.outline import Declaration
from gdsl.source import NOWHERE, Source

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_MOST_FILES = 500
FIX_ALL = lsp.CodeActionKind.SourceFixAll


def published(document: Document, diagnostics: Iterable[Diagnostic]) -> list[lsp.Diagnostic]:
    """Messages as the protocol has them. Those about imported files are at the import."""
    return [_published(document, each) for each in diagnostics]


def _published(document: Document, diagnostic: Diagnostic) -> lsp.Diagnostic:
    span, message = diagnostic.span, diagnostic.message
    if span is None or span == NOWHERE:
        where = document.positions.range(0, 0)
    elif span.file:
        where = _import_of(document, span.file)
        message = f"{os.path.basename(span.file)}, line {span.line}: {message}"
    else:
        where = document.positions.span_range(span)
    more = [
        *([diagnostic.hint] if diagnostic.hint else []),
        *diagnostic.notes,
        *([f"fix: {diagnostic.fix}"] if diagnostic.fix else []),
    ]
    related = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(_uri(document, each.span.file), _range_in(document, each.span.file, each)), each.text
        )
        for each in diagnostic.labels
        if each.span != NOWHERE
    ]
    warning = diagnostic.code.startswith("W")
    severity = lsp.DiagnosticSeverity.Warning if warning else lsp.DiagnosticSeverity.Error
    unused = warning and message.startswith(("nothing reads", "nothing calls", "no operator runs"))
    return lsp.Diagnostic(
        where,
        "\n".join([message, *more]),
        severity,
        code=diagnostic.code,
        source="gdsl",
        related_information=related or None,
        tags=[lsp.DiagnosticTag.Unnecessary] if unused else None,
    )


def _uri(document: Document, file: str) -> str:
    return (from_fs_path(os.path.abspath(file)) or document.uri) if file else document.uri


def _range_in(document: Document, file: str, label: object) -> lsp.Range:
    span = getattr(label, "span")  # noqa: B009 (a Label)
    if not file:
        return document.positions.span_range(span)
    start = lsp.Position(span.line - 1, span.column - 1)
    return lsp.Range(start, lsp.Position(span.end_line - 1, span.end_column - 1))


def _import_of(document: Document, file: str) -> lsp.Range:
    for each in document.outline.imports:
        if same_file(file_meant(document.source, document.source, each.path), file):
            return document.positions.range(each.start, each.end)
    return document.positions.range(0, 0)


# ------------------------------------------------------------ fixes


def code_actions(document: Document, reported: Iterable[Diagnostic], range_: lsp.Range) -> list[lsp.CodeAction]:
    """The fixes of the messages that a range touches, and one action for all that are certain."""
    diagnostics = [each for each in reported if each.suggestions and each.span is not None and not each.span.file]
    actions = []
    for each in diagnostics:
        where = document.positions.span_range(each.span) if each.span is not None else document.positions.whole
        if _touch(where, range_):
            actions += list(_fixes(document, each))
    certain = [each for each in diagnostics if is_certain(each, document.source)]
    if certain:
        edits = [edit for each in certain for edit in _edits(document, each.suggestions[0])]
        what = "the certain fix" if len(certain) == 1 else f"all {len(certain)} certain fixes"
        actions.append(
            lsp.CodeAction(
                f"apply {what} in this program",
                FIX_ALL,
                edit=lsp.WorkspaceEdit({document.uri: _disjoint(edits)}),
            )
        )
    return actions


def _fixes(document: Document, diagnostic: Diagnostic) -> Iterator[lsp.CodeAction]:
    for suggestion in diagnostic.suggestions:
        if suggestion.edits:
            yield lsp.CodeAction(
                suggestion.words.removeprefix("or "),
                lsp.CodeActionKind.QuickFix,
                [_published(document, diagnostic)],
                is_preferred=is_certain(diagnostic, document.source),
                edit=lsp.WorkspaceEdit({document.uri: _edits(document, suggestion)}),
            )


def _edits(document: Document, suggestion: Suggestion) -> list[lsp.TextEdit]:
    line_end = "\r\n" if "\r\n" in document.text else "\n"
    edits = with_line_ends(suggestion.edits, line_end)
    return [lsp.TextEdit(document.positions.span_range(edit.span), edit.text) for edit in edits]


def _disjoint(edits: list[lsp.TextEdit]) -> list[lsp.TextEdit]:
    disjoint: list[lsp.TextEdit] = []
    for edit in edits:
        if not any(_touch(edit.range, other.range) for other in disjoint):
            disjoint.append(edit)
    return disjoint


def _touch(first: lsp.Range, second: lsp.Range) -> bool:
    return first.start <= second.end and second.start <= first.end


# ------------------------------------------------------------ renaming


class RenameError(ValueError):
    """Why a name cannot be changed."""


def prepare_rename(document: Document, position: lsp.Position) -> lsp.Range | None:
    """The range of the name at a position, if it is one of the program's."""
    number = document.outline.token_at(document.positions.offset(position))
    if document.outline.meaning(number) is None:
        return None
    token = document.outline.code[number]
    return document.positions.range(token.start, token.end)


def rename(
    document: Document, position: lsp.Position, new: str, others: Callable[[], Iterable[Document]]
) -> lsp.WorkspaceEdit:
    """The changes that give a declaration another name, also in the files that import it or that it comes from.
    Raises `RenameError`."""
    outline = document.outline
    number = outline.token_at(document.positions.offset(position))
    declaration = outline.meaning(number)
    if declaration is None:
        raise RenameError("there is no name of the program here")
    if _NAME.fullmatch(new) is None:
        raise RenameError(f"`{new}` is not a name: letters, digits and `_`, not beginning with a digit")
    if new in RESERVED:
        raise RenameError(f"`{new}` is a word of the language")
    changes = {}
    for each, declared in _declared_in(document, declaration, others):
        taken = next((other for other in each.outline.declarations if _clash(other, declared, new)), None)
        if taken is not None:
            line, _ = each.positions.line_column(taken.start)
            raise RenameError(f"`{new}` is declared already, in line {line} of {os.path.basename(each.path)}")
        changes[each.uri] = [
            lsp.TextEdit(each.positions.range(token.start, token.end), new) for token in each.outline.uses_of(declared)
        ]
    return lsp.WorkspaceEdit(changes)


def _clash(other: Declaration, declared: Declaration, new: str) -> bool:
    if other.name != new or (other.kind == "label") != (declared.kind == "label"):
        return False
    return other.low < declared.high and declared.low < other.high


def _declared_in(
    document: Document, declaration: Declaration, others: Callable[[], Iterable[Document]]
) -> Iterator[tuple[Document, Declaration]]:
    """The document with the declaration, and all others in which the name means the same definition."""
    yield document, declaration
    if not declaration.is_global or declaration.kind not in ("functor", "function", "procedure", "import"):
        return
    home = _home(document, declaration)
    for other in others():
        if same_file(other.path, document.path):
            continue
        if same_file(other.path, home):
            yield from ((other, each) for each in other.outline.declarations if _defines(each, declaration.name))
            continue
        for each in other.outline.declarations:
            if each.kind == "import" and each.name == declaration.name and same_file(_home(other, each), home):
                yield other, each


def _defines(declaration: Declaration, name: str) -> bool:
    return declaration.name == name and declaration.kind in ("functor", "function", "procedure")


def _home(document: Document, declaration: Declaration) -> str:
    """The file of a definition."""
    for each in document.outline.imports:
        if declaration.kind == "import" and each.name == declaration.name:
            return file_meant(document.source, document.source, each.path)
    return document.path


def programs_beside(document: Document, open_: Iterable[Document]) -> Iterator[Document]:
    """The other programs of the folder, in their open versions where there are any."""
    opened = {os.path.realpath(each.path): each for each in open_}
    folder = os.path.dirname(document.path)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".gdsl"))[:_MOST_FILES] if folder else []
    except OSError:
        names = []
    for name in names:
        path = os.path.join(folder, name)
        known = opened.pop(os.path.realpath(path), None)
        if known is not None:
            yield known
            continue
        try:
            with open(path, encoding="utf-8") as file:
                yield Document(from_fs_path(path) or path, 0, file.read(1 << 20), document.encoding)
        except (OSError, ValueError):
            continue
    yield from opened.values()


# ------------------------------------------------------------ formatting


def formatting(document: Document) -> list[lsp.TextEdit] | None:
    """The lines that `gdslc fmt` would change; None for a text with mistakes of syntax."""
    try:
        new = format_text(Source(document.path, document.text))
    except GdslError:
        return None
    if new == document.text:
        return []
    old_lines, new_lines = document.text.splitlines(keepends=True), new.splitlines(keepends=True)
    first = 0
    while first < min(len(old_lines), len(new_lines)) and old_lines[first] == new_lines[first]:
        first += 1
    last = 0
    while last < min(len(old_lines), len(new_lines)) - first and old_lines[-1 - last] == new_lines[-1 - last]:
        last += 1
    start = sum(map(len, old_lines[:first]))
    end = len(document.text) - sum(map(len, old_lines[len(old_lines) - last :]))
    return [lsp.TextEdit(document.positions.range(start, end), "".join(new_lines[first : len(new_lines) - last]))]
