"""Trying suggestions: the text is changed, the program analysed again, and the messages compared."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gdsl.diagnostics import Diagnostic, Suggestion
from gdsl.frontend.syntax import Symbol
from gdsl.source import Source
from gdsl.suggestions.edits import Applied, Places, apply
from gdsl.suggestions.placing import candidates, replaces_text

MOST_TRIALS = 60
"""Analyses for all the mistakes of one program; a suggestion that was not tried is not shown."""
MOST_OF_ONE = 24
"""Analyses for one mistake."""
_MOST_TEXT = 300_000
"""Characters that are analysed again for one program, all trials together."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an analysis says: its messages and the declarations with their types."""

    diagnostics: tuple[Diagnostic, ...]
    symbols: tuple[Symbol, ...]


_RULES = 2
"""The stage of the rules of writes and reads."""
_NO_FILE = "E0241"
"""An import of a file that cannot be read, whatever the form of the import."""
Analyse = Callable[[Source], Outcome]


def verified(
    diagnostics: Sequence[Diagnostic], symbols: Sequence[Symbol], source: Source, analyse: Analyse, instances: int = 1
) -> tuple[Diagnostic, ...]:
    """`diagnostics` of `source`, each with the first of its suggestions that works as its fix, and without a fix that
    replaces text and does not. `symbols` are the declarations of `source`, `analyse` says what is wrong with another
    text, of so many instances. A fix in words without code remains as it is."""
    if not any(_has_code(diagnostic, source.text) for diagnostic in diagnostics):
        return tuple(diagnostics)
    trials = _Trials(tuple(diagnostics), tuple(symbols), source, analyse, instances)
    tried = [
        trials.tried(diagnostic) if _has_code(diagnostic, source.text) else diagnostic for diagnostic in diagnostics
    ]
    return tuple(map(trials.with_shared, tried))


def _has_code(diagnostic: Diagnostic, text: str) -> bool:
    """Whether a fix of `diagnostic` can be typed into the program's own text."""
    if diagnostic.span is None or diagnostic.span.file or diagnostic.place is not None:
        return False
    return bool(diagnostic.suggestions) or replaces_text(diagnostic, text)


class _Trials:
    """The trials for one program."""

    def __init__(
        self,
        diagnostics: tuple[Diagnostic, ...],
        symbols: tuple[Symbol, ...],
        source: Source,
        analyse: Analyse,
        instances: int,
    ) -> None:
        self.before = Counter(map(_said, diagnostics))
        self.stage = min(map(_stage, diagnostics))
        self.types = _types(symbols)
        self.source = source
        self.places = Places(source.text)
        self.analyse = analyse
        self.left = min(MOST_TRIALS, _MOST_TEXT // max(len(source.text) * max(instances, 1), 1))
        self._known: dict[str, Outcome] = {}
        self._chosen: list[tuple[Suggestion, Counter[tuple[str, str]]]] = []

    def tried(self, diagnostic: Diagnostic) -> Diagnostic:
        """`diagnostic` with the first suggestion that works, and those beside it; without one, words alone."""
        chosen: list[Suggestion] = []
        for number, suggestion in enumerate(candidates(diagnostic, self.places)):
            if number >= MOST_OF_ONE or self.left <= 0:
                break
            if chosen and not suggestion.beside:
                break
            changed = apply(self.places, suggestion.edits)
            if (
                changed is not None
                and changed.text != self.source.text
                and self._helps(diagnostic, changed, suggestion)
            ):
                chosen.append(suggestion)
                self._chosen.append((suggestion, Counter(map(_said, self._known[changed.text].diagnostics))))
        fix = None if replaces_text(diagnostic, self.source.text) else diagnostic.fix
        if chosen:
            fix = "; ".join(suggestion.words for suggestion in chosen)
        return dataclasses.replace(diagnostic, fix=fix, suggestions=tuple(chosen))

    def with_shared(self, diagnostic: Diagnostic) -> Diagnostic:
        """A message of the rules that no suggestion of its own removes, with one of another message that does."""
        if diagnostic.suggestions or _stage(diagnostic) < _RULES:
            return diagnostic
        said = _said(diagnostic)
        shared = next((one for one, after in self._chosen if after[said] < self.before[said]), None)
        return (
            diagnostic if shared is None else dataclasses.replace(diagnostic, fix=shared.words, suggestions=(shared,))
        )

    def _helps(self, diagnostic: Diagnostic, changed: Applied, suggestion: Suggestion) -> bool:
        if changed.text not in self._known:
            self.left -= 1
            self._known[changed.text] = self.analyse(dataclasses.replace(self.source, text=changed.text))
        after = self._known[changed.text]
        found = Counter(map(_said, after.diagnostics))
        said = _said(diagnostic)
        if found[said] >= self.before[said]:
            return False
        places = Places(changed.text)
        spans = [self.places.range(edit.span) for edit in suggestion.edits]
        removed = " ".join(self.source.text[start:end] for start, end in spans)
        if any(
            self._blamed(other, found[_said(other)], places, changed.ranges, removed) for other in after.diagnostics
        ):
            return False
        return self._keeps_types(after.symbols)

    def _blamed(
        self, other: Diagnostic, count: int, places: Places, ranges: Iterable[tuple[int, int]], removed: str
    ) -> bool:
        """Whether a message speaks against the change: a new one, unless a later stage says it of another place, and
        one of the rules about what was written, new or not."""
        if other.code == _NO_FILE or self._was_there(other, removed):
            return False
        spans = [span for span in (other.span, *(label.span for label in other.labels)) if span is not None]
        touches = any(_overlap(places.range(span), taken) for span in spans if not span.file for taken in ranges)
        stage, new = _stage(other), count > self.before[_said(other)]
        return (touches and stage == _RULES) or (new and (touches or stage <= self.stage))

    def _was_there(self, other: Diagnostic, removed: str) -> bool:
        """Whether a name is not declared that was in the text before: another mistake, which was not seen."""
        named = re.match(r"`(\w+)` is not declared|there is no \w+ `(\w+)`", other.message)
        return named is not None and re.search(rf"\b{named[1] or named[2]}\b", removed) is not None

    def _keeps_types(self, symbols: Sequence[Symbol]) -> bool:
        """Whether whatever is declared before and after has the same type."""
        after = _types(symbols)
        return all(after[name] == known for name, known in self.types.items() if name in after)


def _types(symbols: Iterable[Symbol]) -> dict[tuple[str, str], str]:
    """The types of declarations whose name is declared once."""
    listed = [(symbol.kind.value, symbol.name) for symbol in symbols]
    counts = Counter(listed)
    return {
        name: symbol.type.name
        for name, symbol in zip(listed, symbols, strict=True)
        if symbol.type is not None and counts[name] == 1
    }


def _said(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message


def _stage(diagnostic: Diagnostic) -> int:
    """Which of the stages that run one after the other speaks: syntax, names and types, rules, warnings."""
    code = diagnostic.code
    return (
        3
        if code.startswith("W")
        else 0
        if code.startswith("E01")
        else _RULES
        if code.startswith(("E03", "E042"))
        else 1
    )


def _overlap(span: tuple[int, int], taken: tuple[int, int]) -> bool:
    return span[0] < max(taken[1], taken[0] + 1) and taken[0] < max(span[1], span[0] + 1)
