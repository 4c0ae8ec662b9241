"""What an editor shows about the word under the pointer."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from gdsl.api.description import GRADES
from gdsl.explanation.facts import Facts
from gdsl.language_server import words
from gdsl.language_server.documents import Document
from gdsl.language_server.lexing import Token, TokenKind
from gdsl.language_server.outline import Declaration

_WRITES = ("=", "any=", "min=", "max=", "+=", "-=", "*=", "&=", "|=", "^=", "/=", "//=", "%=", "<<=", ">>=")
_ROLES = {
    "source": "the source of the edge",
    "destination": "the destination of the edge",
    "edge": "the edge",
    "vertex": "the vertex",
    "key": "the key",
    "total": "the weight of the key",
    "parameter": "a parameter",
    "for": "a variable of the loop",
}


def hover(document: Document, facts: Facts | None, position: lsp.Position) -> lsp.Hover | None:
    """Markdown about what is at a position."""
    outline = document.outline
    offset = document.positions.offset(position)
    number = outline.token_at(offset)
    if number < 0 or outline.is_hidden(offset):
        return None
    token = outline.code[number]
    declaration = outline.meaning(number)
    if declaration is not None:
        text = "\n\n".join(part for part in _about(document, facts, declaration) if part)
    else:
        text = _about_word(document, number)
    if not text:
        return None
    content = lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.Hover(content, document.positions.range(token.start, token.end))


def _about_word(document: Document, number: int) -> str:
    outline = document.outline
    token = outline.code[number]
    if token.kind is not TokenKind.NAME:
        return ""
    part, before = outline.context(token.start)
    if part == "tune":
        return words.knob_help(token.text)
    if before == ".":
        return words.described(token.text, True) if token.text in ("push", "pop") else ""
    if outline.is_keyword(number):
        call = outline.call_at(token.end)
        known = words.signature(call.function.text, True) if call is not None else None
        keywords = [each for each in known.keywords if each.name == token.text] if known is not None else []
        return "".join(f"`{token.text}=`: {words.parameter_help(each)}" for each in keywords)
    return words.described(token.text, part in ("schedule", "procedure"))


def _about(document: Document, facts: Facts | None, declaration: Declaration) -> Iterator[str]:
    code = " ".join(document.text[declaration.begin : declaration.whole].rstrip(";{ \n").split())
    if declaration.kind in ("functor", "function", "operator", "procedure"):
        code = code.partition("{")[0].rstrip()
    if declaration.kind in _ROLES and not declaration.is_global:
        type_ = document.type_at(declaration.start)
        yield f"```gdsl\n{declaration.name}{f' : {type_}' if type_ else ''}\n```\n{_ROLES[declaration.kind]}"
        return
    if declaration.kind in ("let", "var"):
        type_ = document.type_at(declaration.start)
        code = f"{declaration.kind} {declaration.name}{f' : {type_}' if type_ else ''}"
    yield f"```gdsl\n{code}\n```"
    if declaration.is_data:
        yield _data(document, facts, declaration)
        yield from _access(document, facts, declaration)
    elif declaration.kind in ("functor", "label"):
        yield from _runs(facts, declaration)
    elif declaration.kind == "import":
        yield from (
            f'imported from "{each.path}"' for each in document.outline.imports if each.name == declaration.name
        )


def _data(document: Document, facts: Facts | None, declaration: Declaration) -> str:
    """The type, the extent, and the grade with its reason."""
    type_ = document.type_at(declaration.start)
    extent = {"vertex": "one value for each vertex", "edge": "one value for each edge", "scalar": "one value"}
    code = document.text[declaration.begin : declaration.whole]
    several = code.partition(":")[0].count("[") > 0
    parts = [extent.get(declaration.kind, "a value from the caller")]
    if several:
        parts = [parts[0].replace("one value", "several values")]
    if type_:
        parts.insert(0, type_)
    text = ", ".join(parts)
    grade = facts.grade(declaration.name) if facts is not None else None
    if grade is None:
        return text
    kind, reason = grade
    words_ = GRADES[kind.value] or "exact: the same in every run"
    return f"{text}\n\nResult: {kind.value + ': ' + reason if reason else words_}"


def _access(document: Document, facts: Facts | None, declaration: Declaration) -> Iterator[str]:
    """Who writes it and how, and where it is read."""
    written = [token for token in document.outline.uses_of(declaration) if is_written(document, token)]
    known = list(facts.writes.get(declaration.name, ())) if facts is not None else []
    lines = []
    told: set[tuple[int, str, str]] = set()
    for fact in known:
        where = f"line {fact.span.line}" if not fact.span.file else fact.span.words
        key = (fact.span.line, fact.functor, fact.how)
        if key not in told:
            told.add(key)
            lines.append(f"- {where}, `{fact.functor}`: `{fact.form}`, {fact.how}")
    for token in written:
        line, _ = document.positions.line_column(token.start)
        if not any(line == each.span.line for each in known):
            part, _ = document.outline.context(token.start)
            lines.append(f"- line {line}{', in the schedule' if part == 'schedule' else ''}")
    if lines:
        yield "Written by\n" + "\n".join(lines)
    read = [
        document.positions.line_column(token.start)[0]
        for token in document.outline.uses_of(declaration)
        if token.start != declaration.start and token not in written
    ]
    if read:
        yield f"Read in line{'s' if len(set(read)) > 1 else ''} {', '.join(map(str, dict.fromkeys(read)))}"


def is_written(document: Document, token: Token) -> bool:
    """Whether a use of a name is the target of a write."""
    outline = document.outline
    number = outline.token_at(token.start) + 1
    while number < len(outline.code) and outline.code[number].text == "[":
        number = outline.partner.get(number, len(outline.code)) + 1
    if number >= len(outline.code) or outline.code[number].text not in _WRITES:
        return False
    return not outline.is_keyword(number - 1)


def _runs(facts: Facts | None, declaration: Declaration) -> Iterator[str]:
    if facts is None:
        return
    name = declaration.name
    operators = [each for each in facts.operators if name in (each.functor, each.label)]
    if operators:
        rows = [
            f"- line {each.span.line}: `{each.call}`{', ' + ' or '.join(each.directions) if each.directions else ''}"
            for each in operators
        ]
        yield "Runs in\n" + "\n".join(rows)
    writes = [each for group in facts.writes.values() for each in group if name in (each.functor, each.label)]
    rows = list(dict.fromkeys(f"- `{each.name} {each.form}`: {each.how}" for each in writes))
    if rows:
        yield "Writes\n" + "\n".join(rows)
