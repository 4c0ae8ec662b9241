"""Inlay hints and code lenses: what the compiler inferred and decided, between the lines."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from gdsl.explanation.facts import Facts
from gdsl.language_server.documents import Document
from gdsl.language_server.times import markdown, time_hints

RUN, PROFILE, PLAN, CUDA = "gdsl.run", "gdsl.profile", "gdsl.plan", "gdsl.cuda"
LENSES = {"run on karate": RUN, "profile on karate": PROFILE, "show plan": PLAN, "show CUDA": CUDA}


def inlay_hints(document: Document, facts: Facts | None, range_: lsp.Range) -> list[lsp.InlayHint]:
    """The hints of a range: types of locals at once; directions, atomic writes and the times of the last profile where
    there are `facts` of this version."""
    hints = [*_types(document)]
    if facts is not None:
        hints += [*_decisions(document, facts), *time_hints(document, facts)]
    return [hint for hint in hints if range_.start.line <= hint.position.line <= range_.end.line]


def _types(document: Document) -> Iterator[lsp.InlayHint]:
    outline = document.outline
    for declaration in outline.declarations:
        if declaration.kind not in ("let", "var"):
            continue
        number = outline.token_at(declaration.start) + 1
        if number < len(outline.code) and outline.code[number].text == "=":
            type_ = document.type_at(declaration.start)
            if type_:
                yield lsp.InlayHint(document.positions.position(declaration.end), f" : {type_}", lsp.InlayHintKind.Type)


def _decisions(document: Document, facts: Facts) -> Iterator[lsp.InlayHint]:
    seen: set[tuple[int, str]] = set()
    for operator in facts.operators:
        if operator.directions and not operator.span.file:
            _, end = document.positions.offsets(operator.span)
            text = " | ".join(operator.directions)
            if (end, text) not in seen:
                seen.add((end, text))
                tooltip = f"`{operator.call}` runs as a {' or a '.join(operator.directions)}"
                yield lsp.InlayHint(
                    document.positions.position(end), text, padding_left=True, tooltip=markdown(tooltip)
                )
    for group in facts.writes.values():
        for write in group:
            if write.is_atomic and not write.span.file:
                start, _ = document.positions.offsets(write.span)
                if (start, "atomic") not in seen:
                    seen.add((start, "atomic"))
                    yield lsp.InlayHint(
                        document.positions.position(start),
                        "atomic",
                        padding_right=True,
                        tooltip=markdown(f"`{write.name}`: {write.how}"),
                    )


def code_lenses(document: Document) -> list[lsp.CodeLens]:
    """The commands above a program."""
    if document.is_library:
        return []
    program = next((each for each in document.outline.declarations if each.kind == "program"), None)
    if program is None:
        return []
    where = document.positions.range(program.begin, program.end)
    return [lsp.CodeLens(where, lsp.Command(title, name, arguments=[document.uri])) for title, name in LENSES.items()]
