"""Trying suggestions: the text is changed, the program analyzed again, and the messages compared."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from gdsl.diagnostics import Diagnostic, Label, Suggestion, is_whole
from gdsl.frontend.syntax import Symbol
from gdsl.source import Source
from gdsl.suggestions.placement import candidates, replaces_text, rewriting_suggestions
from gdsl.suggestions.text import EditedText, Places, apply, statements_around

MOST_TRIALS = 60
"""Analyzes for all the mistakes of one program; a suggestion that was not tried is not shown."""
MOST_MISTAKES = 20
"""Mistakes of one program whose suggestions are tried, in the order of the text."""
MOST_OF_ONE = 24
"""Analyzes for one mistake."""
_MOST_MESSAGES = 1_000
"""Messages that all trials of one program may have to find, estimated from the first analysis."""
_MOST_TEXT = 150_000
"""Characters that are analyzed again for one program, all trials together."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an analysis: its messages and the declarations with their types."""

    diagnostics: tuple[Diagnostic, ...]
    symbols: tuple[Symbol, ...]


_MOST_LABELS = 2
_RULES = 2
"""The stage of the rules of writes and reads."""
_NO_FILE = "E0241"
"""An import of a file that cannot be read, whatever the form of the import."""
_OF_THE_PARSER = ("unexpected `", "this `}` closes nothing", "a `)` that closes nothing", "a `;` that ends nothing")
"""How messages begin that often are consequences of another mistake."""
_WORDS = frozenset(("not", "and", "or", "is", "lambda", "if", "else", "then", "any", "all", "new", "auto"))
"""Words of other languages, which programs do not declare."""
Analyze = Callable[[Source], Outcome]


def verified(
    diagnostics: Sequence[Diagnostic], symbols: Sequence[Symbol], source: Source, analyze: Analyze, instances: int = 1
) -> tuple[Diagnostic, ...]:
    """`diagnostics` of `source`, each with the first of its suggestions that works as its fix, and without a fix that
    replaces text and does not. `symbols` are the declarations of `source`, `analyze` says what is wrong with another
    text, of so many instances. A fix in words without code remains as it is; one with a part of code is not shown."""
    if not any(_has_code(diagnostic, source.text) for diagnostic in diagnostics):
        return tuple(diagnostics)
    trials = _Trials(tuple(diagnostics), tuple(symbols), source, analyze, instances)
    tried: list[Diagnostic] = []
    covered: set[tuple[str, str]] = set()
    for diagnostic in diagnostics:
        if _key(diagnostic) not in covered:
            tried.append(trials.tried(diagnostic) if _has_code(diagnostic, source.text) else diagnostic)
            covered |= trials.removed_everywhere(diagnostic, tried[-1])
    return tuple(_names_once(map(trials.with_shared, trials.without_consequences(tried))))


def _names_once(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """All messages, but one for each name that is not declared, with the other places that have it as labels."""
    groups: dict[object, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        one = diagnostic.code == "E0201" and diagnostic.place is None
        groups.setdefault(_key(diagnostic) if one else id(diagnostic), []).append(diagnostic)
    for first, *others in groups.values():
        places = [each.span for each in others if each.span is not None]
        labels = tuple(Label(span, "and here") for span in places[:_MOST_LABELS])
        more = len(places) - len(labels)
        notes = (f"and in {more} more place{'s' * (more > 1)}",) if more else ()
        yield dataclasses.replace(first, labels=first.labels + labels, notes=first.notes + notes) if others else first


def _has_code(diagnostic: Diagnostic, text: str) -> bool:
    """Whether a fix of `diagnostic` can be typed into the program's own text."""
    if diagnostic.span is None or diagnostic.span.file or diagnostic.place is not None:
        return False
    if diagnostic.code.startswith(("E01", "E02", "E04")):
        return True
    return bool(diagnostic.suggestions) or replaces_text(diagnostic, text)


class _Trials:
    """The trials for one program."""

    def __init__(
        self,
        diagnostics: tuple[Diagnostic, ...],
        symbols: tuple[Symbol, ...],
        source: Source,
        analyze: Analyze,
        instances: int,
    ) -> None:
        self.before = Counter(map(_key, diagnostics))
        self.stage = min(map(_stage, diagnostics))
        self.types = _types(symbols)
        self.source = source
        self.places = Places(source.text)
        self.analyze = analyze
        self.left = min(
            MOST_TRIALS,
            _MOST_TEXT // max(len(source.text) * max(instances, 1), 1),
            _MOST_MESSAGES // len(diagnostics),
        )
        self.mistakes = 0
        self._known: dict[str, Outcome] = {}
        self._chosen: list[tuple[Suggestion, Counter[tuple[str, str]]]] = []

    def tried(self, diagnostic: Diagnostic) -> Diagnostic:
        """`diagnostic` with the first suggestion that works, and its alternatives; without one, words alone."""
        chosen: list[Suggestion] = []
        self.mistakes += 1
        if self.mistakes > MOST_MISTAKES:
            self.left = 0
        places = self.places
        suggestions = chain(candidates(diagnostic, places), rewriting_suggestions(diagnostic, places))
        for number, suggestion in enumerate(suggestions):
            if number >= MOST_OF_ONE or self.left <= 0:
                break
            if chosen and not suggestion.beside:
                break
            if not is_whole(suggestion.words):
                continue
            changed = apply(self.places, suggestion.edits)
            if (
                changed is not None
                and changed.text != self.source.text
                and self._works(diagnostic, changed, suggestion)
            ):
                chosen.append(suggestion)
                self._chosen.append((suggestion, Counter(map(_key, self._known[changed.text].diagnostics))))
        fix = diagnostic.fix
        if fix is not None and (replaces_text(diagnostic, self.source.text) or not is_whole(fix)):
            fix = None
        if chosen:
            fix = "; ".join(suggestion.words for suggestion in chosen)
            if chosen[0].message and diagnostic.message.startswith(("unexpected `", "unknown character")):
                diagnostic = dataclasses.replace(diagnostic, code="E0112", message=chosen[0].message, hint="")
        return dataclasses.replace(diagnostic, fix=fix, suggestions=tuple(chosen))

    def removed_everywhere(self, before: Diagnostic, diagnostic: Diagnostic) -> set[tuple[str, str]]:
        """The message itself, where its fix removes it from all the places that have it; names that are not declared
        and signs that are not expected without what it says."""
        after = self._after(diagnostic)
        if after is None:
            return set()
        own = {_key(before)} if not after[_key(before)] else set()
        others = {said for said in self.before if not after[said] and said != _key(before)}
        return own | {said for said in others if said[0] == "E0201" or said[1].startswith(_OF_THE_PARSER)}

    def without_consequences(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """All but those that the fix of another one removes by changing their place."""
        gone: set[int] = set()
        for number, one in enumerate(diagnostics):
            after = self._after(one)
            if after is None or number in gone or _stage(one) >= _RULES:
                continue
            taken = [self.places.range(edit.span) for edit in one.suggestions[0].edits]
            for place, other in enumerate(diagnostics):
                if other is one or other.span is None or other.span.file or _stage(other) >= _RULES:
                    continue
                here = any(_overlap(self.places.range(other.span), each) for each in taken)
                if here and after[_key(other)] < self.before[_key(other)]:
                    gone.add(place)
        return [one for number, one in enumerate(diagnostics) if number not in gone]

    def _after(self, diagnostic: Diagnostic) -> Counter[tuple[str, str]] | None:
        """What is left to report once the fix of `diagnostic` is applied; None without a fix that was tried, as for a
        mistake in an imported file, whose suggestions belong to another text."""
        fix = diagnostic.suggestions[0] if diagnostic.suggestions else None
        return next((after for one, after in self._chosen if one == fix), None)

    def with_shared(self, diagnostic: Diagnostic) -> Diagnostic:
        """A message of the rules that no suggestion of its own removes, with one of another message that does."""
        if diagnostic.suggestions or _stage(diagnostic) < _RULES:
            return diagnostic
        said = _key(diagnostic)
        shared = next((one for one, after in self._chosen if after[said] < self.before[said]), None)
        return (
            diagnostic if shared is None else dataclasses.replace(diagnostic, fix=shared.words, suggestions=(shared,))
        )

    def _works(self, diagnostic: Diagnostic, changed: EditedText, suggestion: Suggestion) -> bool:
        if changed.text not in self._known:
            self.left -= 1
            self._known[changed.text] = self.analyze(dataclasses.replace(self.source, text=changed.text))
        after = self._known[changed.text]
        counts = Counter(map(_key, after.diagnostics))
        said = _key(diagnostic)
        if counts[said] >= self.before[said]:
            return False
        places = Places(changed.text)
        spans = [self.places.range(edit.span) for edit in suggestion.edits]
        removed = "" if suggestion.guessed else " ".join(self.source.text[start:end] for start, end in spans)
        if any(
            self._is_new_mistake(other, counts[_key(other)], places, changed.ranges, removed)
            for other in after.diagnostics
        ):
            return False
        return self._preserves_types(after.symbols, places, changed.ranges)

    def _is_new_mistake(
        self, other: Diagnostic, count: int, places: Places, ranges: Iterable[tuple[int, int]], removed: str
    ) -> bool:
        """Whether a message is an objection to the change: a new one, unless a later stage reports it elsewhere, and
        one of the rules about what was written, new or not."""
        if other.code == _NO_FILE or (removed and self._was_hidden(other, removed)):
            return False
        spans = [span for span in (other.span, *(label.span for label in other.labels)) if span is not None]
        stage, new = _stage(other), count > self.before[_key(other)]
        if stage < _RULES:
            ranges = [*ranges, *(next(statements_around(places.plain, *taken), taken) for taken in ranges)]
        touches = any(_overlap(places.range(span), taken) for span in spans if not span.file for taken in ranges)
        return (touches and stage == _RULES) or (new and (touches or stage <= self.stage))

    def _was_hidden(self, other: Diagnostic, removed: str) -> bool:
        """Whether a name is not declared that was in the text before: another mistake, which was not seen."""
        named = re.match(r"`(\w+)` is not declared|there is no \w+ `(\w+)`", other.message)
        if named is None or (named[1] or named[2]) in _WORDS:
            return False
        name = named[1] or named[2]
        if re.search(rf"\b(?:let|var|auto|frontier|\w+\d+)\s+{name}\s*(?::[^=;]*)?=(?!=)", removed):
            return False  # the change has taken away what declares it
        return re.search(rf"\b{name}\b", removed) is not None

    def _preserves_types(self, symbols: Sequence[Symbol], places: Places, ranges: Iterable[tuple[int, int]]) -> bool:
        """Whether whatever is declared before and after has the same type, unless its declaration is what changed."""
        after = _types(symbols)
        others = {name for name, known in self.types.items() if after.get(name, known) != known}
        changed = [next(statements_around(places.plain, *taken), taken) for taken in ranges] if others else []
        return all(
            (symbol.kind.value, symbol.name) not in others
            or any(_overlap(places.range(symbol.span), each) for each in changed)
            for symbol in symbols
        )


def _types(symbols: Iterable[Symbol]) -> dict[tuple[str, str], str]:
    """The types of declarations whose name is declared once."""
    names = [(symbol.kind.value, symbol.name) for symbol in symbols]
    counts = Counter(names)
    return {
        name: symbol.type.name
        for name, symbol in zip(names, symbols, strict=True)
        if symbol.type is not None and counts[name] == 1
    }


def _key(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message


def _stage(diagnostic: Diagnostic) -> int:
    """The stage that reports a message, in order: syntax, names and types, rules, warnings."""
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
