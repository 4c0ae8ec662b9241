"""Puts the fixes of messages into a program's text.

Every fix was compiled before it is seen here (`gdsl.suggestions`): it removes its message and brings no other to its
place. What remains to be decided is whether it is what the author meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gdsl.diagnostics import Diagnostic, Edit, GdslError, Suggestion
from gdsl.frontend import is_library
from gdsl.pipeline import analyze, library_mistakes, load_source, warnings
from gdsl.source import Source, Span
from gdsl.suggestions.text import Places, apply

MOST_FIXES = 500
"""Fixes of one text, after which it is left as it is."""

_OF_LANGUAGE = ("E0103", "E0402", "E0410", "E0412")
"""Misspelled words of the language. Other misspelled words may be names that are not declared yet."""
_OF_CHOICE = ("W", "E0201", "E0205", "E0207", "E03", "E042")
"""Warnings, names, conversions, quotients of integers, and what may be written: their fixes are decisions."""
_CAST = re.compile(r"\b(?:u?int\d+|float\d+)\(")
_PUNCTUATION = re.compile(r"[\s(){};]+")

Choose = Callable[[Diagnostic, Source], Suggestion | None]
"""Chooses one of the fixes of a message, or none; the text is the one that the fix would change."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that was put into the text, with the message that it removed."""

    diagnostic: Diagnostic
    suggestion: Suggestion


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its fixes, what was applied, and the messages that remain."""

    source: Source
    applied: tuple[Applied, ...]
    remaining: tuple[Diagnostic, ...]


def diagnose(source: Source, tune: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """All mistakes of a program; of one without any, its warnings; of a file that others import from, its mistakes of
    syntax. Raises `GdslError` for words of tuning that do not fit the program."""
    if is_library(source):
        return library_mistakes(source)
    diagnostics = analyze(source).diagnostics
    if diagnostics:
        return diagnostics
    if tune:
        load_source(source, tune)
    return warnings(source, tune)


def is_certain(diagnostic: Diagnostic, source: Source) -> bool:
    """Whether the fix of a message needs no decision: it is the only one, and it neither chooses a name or a type, nor
    which of several writers wins, nor converts a value, nor changes a program that is only warned of."""
    if len(diagnostic.suggestions) != 1 or diagnostic.code.startswith(_OF_CHOICE):
        return False
    [fix] = diagnostic.suggestions
    if diagnostic.code in _OF_LANGUAGE:
        return True
    if fix.words.startswith(("did you mean", "declare")) or " or " in f" {diagnostic.fix} ":
        return False
    places = Places(source.text)
    before = "".join(source.text[slice(*places.range(edit.span))] for edit in fix.edits)
    after = "".join(edit.text for edit in fix.edits)
    if fix.guessed:
        return _PUNCTUATION.sub("", before) == _PUNCTUATION.sub("", after)
    return len(_CAST.findall(after)) <= len(_CAST.findall(before))


def choose_certain(diagnostic: Diagnostic, source: Source) -> Suggestion | None:
    """The fix of a message if it is certain."""
    return diagnostic.suggestions[0] if is_certain(diagnostic, source) else None


def choose_first(diagnostic: Diagnostic, source: Source) -> Suggestion | None:
    """The first fix of a message."""
    return diagnostic.suggestions[0] if diagnostic.suggestions else None


def fix(source: Source, choose: Choose, *, together: bool = True, tune: Sequence[str] = ()) -> Fixed:
    """`source` with the fixes that `choose` gives, until it gives no more. With `together`, fixes of separate places
    are applied before the text is analyzed again; otherwise each is chosen from the text that the one before it left.
    Raises what `diagnose` raises."""
    line_end = "\r\n" if "\r\n" in source.text else "\n"
    applied: list[Applied] = []
    seen = {source.text}
    diagnostics = diagnose(source, tune)
    while len(applied) < MOST_FIXES:
        chosen = list(_chosen(diagnostics, source, choose, together))
        step = _step(source, chosen, diagnostics, line_end, seen, tune)
        if step is None and len(chosen) > 1:
            chosen = chosen[:1]
            step = _step(source, chosen, diagnostics, line_end, seen, tune)
        if step is None:
            break
        source, diagnostics = step
        seen.add(source.text)
        applied += chosen
    return Fixed(source, tuple(applied), diagnostics)


def with_line_ends(edits: Sequence[Edit], line_end: str) -> list[Edit]:
    """`edits` whose texts end their lines as the program does."""
    return [replace(edit, text=re.sub(r"\r?\n", line_end, edit.text)) for edit in edits]


def with_edits(source: Source, suggestion: Suggestion) -> str | None:
    """The text with one fix; None for a fix without edits."""
    line_end = "\r\n" if "\r\n" in source.text else "\n"
    changed = apply(Places(source.text), with_line_ends(suggestion.edits, line_end)) if suggestion.edits else None
    return None if changed is None else changed.text


def _chosen(diagnostics: Sequence[Diagnostic], source: Source, choose: Choose, together: bool) -> Iterator[Applied]:
    """What to apply next; of fixes that are shared, or touch the same place, the first."""
    taken: list[Span] = []
    for diagnostic in diagnostics:
        suggestion = choose(diagnostic, source) if diagnostic.suggestions else None
        if suggestion is None or any(_meet(edit.span, other) for edit in suggestion.edits for other in taken):
            continue
        taken += [edit.span for edit in suggestion.edits]
        yield Applied(diagnostic, suggestion)
        if not together:
            return


def _step(
    source: Source,
    chosen: Sequence[Applied],
    before: Sequence[Diagnostic],
    line_end: str,
    seen: set[str],
    tune: Sequence[str],
) -> tuple[Source, tuple[Diagnostic, ...]] | None:
    """The text with all of `chosen` and its messages; None where that does not remove the messages of all of them."""
    edits = [edit for each in chosen for edit in with_line_ends(each.suggestion.edits, line_end)]
    changed = apply(Places(source.text), edits) if edits else None
    if changed is None or changed.text in seen:
        return None
    source = replace(source, text=changed.text)
    try:
        after = diagnose(source, tune)
    except GdslError as error:
        after = error.diagnostics
    was, left = (Counter((each.code, each.message) for each in group) for group in (before, after))
    removed = Counter((each.diagnostic.code, each.diagnostic.message) for each in chosen)
    if any(left[said] > was[said] - count for said, count in removed.items()):
        return None
    return source, after


def _meet(first: Span, second: Span) -> bool:
    """Whether two places overlap or touch."""
    return (first.line, first.column) <= (second.end_line, second.end_column) and (second.line, second.column) <= (
        first.end_line,
        first.end_column,
    )
