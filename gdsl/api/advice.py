"""The warnings about a program, through the cache."""

from __future__ import annotations

from gdsl import cache
from gdsl.diagnostics import Diagnostic
from gdsl.garbage import uncollected
from gdsl.recursion import make_room
from gdsl.source import Source
from gdsl.types import Type


def warnings_of(
    source: Source, tune: tuple[str, ...], types: tuple[tuple[str, Type], ...] = ()
) -> tuple[Diagnostic, ...]:
    """See `gdsl.pipeline.warnings`. The cache is looked up before the compiler is imported."""
    imported = (part for each in source.imported or () for part in (each.name, each.text))
    chosen = (part for name, type_ in types for part in (name, type_.name))
    key = (source.name, source.text, *tune, "types", *chosen, "imports", *imported)
    cached = cache.load("warnings", key)
    if isinstance(cached, tuple):
        return cached
    from gdsl import pipeline

    make_room()
    with uncollected():
        found = pipeline.warnings(source, tune, types)
    cache.store("warnings", key, found)
    return found
