"""From a program's text to its IR and its warnings, through the cache: on a hit the compiler is not imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gdsl import cache
from gdsl.diagnostics import Diagnostic
from gdsl.imports import with_imports
from gdsl.interpreter import make_room, uncollected
from gdsl.ir import nodes as ir
from gdsl.source import Source

if TYPE_CHECKING:
    from gdsl.types import Type

Types = tuple[tuple[str, "Type"], ...]


def load(source: Source, words: tuple[str, ...] = (), types: Types = ()) -> ir.Program:
    """The IR of a program, of the instance with these `types` where it has type parameters. A program is checked once
    for all types that it admits."""
    make_room()
    source = with_imports(source)
    key = _key(source, words, types)
    with uncollected():
        cached = cache.load_program(key)
        if isinstance(cached, ir.Program):
            return cached
        from gdsl import pipeline

        every = (source.name, source.text, *_imports(source))
        is_sound = cache.get("checked", every) is not None
        program = pipeline.load_source(source, words, types, every=not is_sound)
        if program.types and not is_sound:
            cache.put("checked", every, b"for every type")
        cache.store_program(key, program)
    return program


def warnings_of(program: ir.Program, source: Source, words: tuple[str, ...]) -> tuple[Diagnostic, ...]:
    """What a loaded program says and probably does not mean; see `gdsl.pipeline.warnings`."""
    types = types_of(program, {})
    key = _key(source, words, types)
    cached = cache.load("warnings", key)
    if isinstance(cached, tuple):
        return cached
    from gdsl import pipeline

    make_room()
    with uncollected():
        warnings = pipeline.warnings(source, words, types, program)
    cache.store("warnings", key, warnings)
    return warnings


def types_of(program: ir.Program, chosen: Mapping[str, Type]) -> Types:
    """The types of an instance of a program: the chosen ones, and those of `program` for the others."""
    return tuple((each.name, chosen.get(each.name, each.type)) for each in program.types)


def _key(source: Source, words: tuple[str, ...], types: Types) -> tuple[str, ...]:
    chosen = [part for name, type_ in types for part in (name, type_.name)]
    return (source.name, source.text, *words, "types", *chosen, *_imports(source))


def _imports(source: Source) -> tuple[str, ...]:
    return ("imports", *(part for each in source.imported or () for part in (each.name, each.text)))
