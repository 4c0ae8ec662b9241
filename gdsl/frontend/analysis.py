"""A text as an editor needs it: what it declares and everything that is wrong with it, whatever the text."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from gdsl.diagnostics import Diagnostic
from gdsl.frontend import syntax
from gdsl.frontend.check import CheckedProgram, check_all
from gdsl.frontend.check.type_parameters import Types, check_choice, instances
from gdsl.frontend.failures import without_comments
from gdsl.frontend.parser import merge_diagnostics, parse_all
from gdsl.source import Source


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of a text. `tree` is typed as far as it has no mistakes, None where nothing could be read; `symbols`
    are all its declarations with their places, those of the whole program first; `diagnostics` are all mistakes, and
    `checked` is the input of later stages: None where there are mistakes."""

    tree: syntax.Program | None
    symbols: tuple[syntax.Symbol, ...]
    diagnostics: tuple[Diagnostic, ...]
    checked: CheckedProgram | None


class Reading:
    """A parsed text with what it imports, to be checked once for each choice of its type parameters."""

    def __init__(self, source: Source) -> None:
        """Raises nothing, whatever the text."""
        parsed = parse_all(source)
        self._source, self._broken = source, parsed.broken
        self.tree, self.mistakes = parsed.tree, parsed.diagnostics
        if self.tree is not None and self.tree.imports:
            from gdsl.frontend.importing import with_definitions

            imported = with_definitions(self.tree, source)
            self.tree, self.mistakes = imported.tree, tuple(merge_diagnostics(self.mistakes, imported.diagnostics))
            self._broken = dataclasses.replace(self._broken, names=self._broken.names | imported.lost)
        self._found: dict[Types, Analysis] = {}

    def instances(self) -> tuple[Types, ...]:
        """Every choice of types that the program admits, that of the defaults first; nothing of a program without type
        parameters, or whose text cannot be read."""
        return () if self.tree is None or self.mistakes else tuple(instances(self.tree))

    def checked(self, types: Types = ()) -> Analysis:
        """The instance of these types; type parameters that are not among them have their defaults. Raises
        `GdslError` (E0621) for types that the program does not admit."""
        if self.tree is None:
            return Analysis(None, (), self.mistakes, None)
        if types and not self.mistakes:
            check_choice(self.tree, types)
        chosen = {**dict(next(instances(self.tree), ())), **dict(types)}
        key = tuple(chosen.items())
        if key not in self._found:
            result = check_all(self.tree, self._source, self._broken, chosen)
            diagnostics = tuple(merge_diagnostics(self.mistakes, result.diagnostics))
            checked = None if diagnostics else result.checked
            self._found[key] = Analysis(result.tree, result.symbols, diagnostics, checked)
        return self._found[key]


def analyze(source: Source, types: Types = ()) -> Analysis:
    """Syntax, names and types of any text, without the rules of writes and reads, which `gdsl.pipeline.analyze` adds.

    Raises nothing, whatever the text.
    """
    return Reading(source).checked(types)


_OF_PROGRAMS = re.compile(r"\b(?:problem|schedule)\s*\{")
_DEFINITION = re.compile(r"\b(?:function|procedure|functor)\s+\w")


def is_library(source: Source) -> bool:
    """Whether a text has functions, functors or procedures for other programs to import, and is no program itself."""
    plain = without_comments(source.text)
    return _DEFINITION.search(plain) is not None and _OF_PROGRAMS.search(plain) is None


def analyze_library(source: Source) -> Analysis:
    """The syntax of a file that others import from. Names and types are checked in the programs that import it, which
    declare the data. Raises nothing, whatever the text."""
    parsed = parse_all(source, "library")
    return Analysis(parsed.tree, (), parsed.diagnostics, None)
