"""A text as an editor asks for it: whatever it is, what it declares and all that is wrong with it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from gdsl.diagnostics import Diagnostic
from gdsl.frontend import syntax
from gdsl.frontend.check import CheckedProgram, check_all
from gdsl.frontend.parser import merged, parse_all
from gdsl.source import Source


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a text says. `tree` is typed as far as it has no mistakes, None where nothing could be read; `symbols` are
    all its declarations with their places, those of the whole program first; `diagnostics` are all mistakes, and
    `checked` is what later stages take: None where there are mistakes."""

    tree: syntax.Program | None
    symbols: tuple[syntax.Symbol, ...]
    diagnostics: tuple[Diagnostic, ...]
    checked: CheckedProgram | None


def analyse(source: Source) -> Analysis:
    """Syntax, names and types of any text, without the rules of writes and reads, which `gdsl.pipeline.analyse` adds.

    Raises nothing, whatever the text.
    """
    parsed = parse_all(source)
    if parsed.tree is None:
        return Analysis(None, (), parsed.diagnostics, None)
    tree, broken, mistakes = parsed.tree, parsed.broken, parsed.diagnostics
    if tree.imports:
        from gdsl.frontend.importing import with_definitions

        imported = with_definitions(tree, source)
        tree, mistakes = imported.tree, tuple(merged(mistakes, imported.diagnostics))
        broken = dataclasses.replace(broken, names=broken.names | imported.lost)
    found = check_all(tree, source, broken)
    diagnostics = tuple(merged(mistakes, found.diagnostics))
    return Analysis(found.tree, found.symbols, diagnostics, None if diagnostics else found.checked)
