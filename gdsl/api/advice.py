"""The warnings about a program, through the cache."""

from __future__ import annotations

import json
from typing import Any

from gdsl import cache
from gdsl.diagnostics import Diagnostic, Label
from gdsl.garbage import uncollected
from gdsl.recursion import make_room
from gdsl.source import Origin, Source, Span
from gdsl.types import Type


def warnings_of(
    source: Source, tune: tuple[str, ...], types: tuple[tuple[str, Type], ...] = ()
) -> tuple[Diagnostic, ...]:
    """See `gdsl.pipeline.warnings`. The cache is looked up before the compiler is imported."""
    imported = (part for each in source.imported or () for part in (each.name, each.text))
    chosen = (part for name, type_ in types for part in (name, type_.name))
    key = (source.name, source.text, *tune, "types", *chosen, "imports", *imported)
    kept = cache.get("warnings", key)
    found = None if kept is None else _decoded(kept)
    if found is None:
        from gdsl import pipeline

        make_room()
        with uncollected():
            found = pipeline.warnings(source, tune, types)
        cache.put("warnings", key, _encoded(found))
    return found


def _encoded(found: tuple[Diagnostic, ...]) -> bytes:
    rows = [
        [one.code, one.message, _place(one.span), [[_place(label.span), label.text] for label in one.labels], one.fix]
        for one in found
    ]
    return json.dumps(rows).encode()


def _place(span: Span | None) -> list[Any] | None:
    """The last part is the file that a text was imported from."""
    return None if span is None else [span.line, span.column, span.end_line, span.end_column, span.file]


def _span(place: list[Any]) -> Span:
    line, column, end_line, end_column, file = place
    return Span(line, column, end_line, end_column, Origin(file) if file else None)


def _decoded(data: bytes) -> tuple[Diagnostic, ...] | None:
    """None for what is nothing of ours."""
    try:
        return tuple(
            Diagnostic(
                code,
                message,
                None if place is None else _span(place),
                tuple(Label(_span(where), text) for where, text in labels),
                fix=fix,
            )
            for code, message, place, labels, fix in json.loads(data)
        )
    except (ValueError, TypeError):
        return None
