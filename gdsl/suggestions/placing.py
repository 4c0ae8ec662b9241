"""Where the code of a fix belongs that is given in words alone, such as ``write `count += 1;` ``.

The code replaces a run of tokens around the place of the message. Which run is not known, so the likely ones are
listed, the likeliest first; the caller tries them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, Edit, Suggestion
from gdsl.source import Span
from gdsl.suggestions.edits import Places

_CODE = re.compile(r"`([^`\n]+)`")
_REPLACES = re.compile(r"(?:write|did you mean) `|`")
_TOKEN = re.compile(r"\w+|\s+|[<>=!+\-*/%&|^]+|.", re.DOTALL)
_MOST_TOKENS = 48
_MOST_RUNS = 8
_REMOVED = "leave it out"
_STOPS = frozenset(";{}")


def replaces_text(words: str) -> bool:
    """Whether a fix in words has code that is meant to replace text of the program."""
    first = _CODE.search(words)
    return _REPLACES.match(words) is not None and first is not None and "…" not in first[1]


def candidates(diagnostic: Diagnostic, places: Places) -> Iterator[Suggestion]:
    """What `diagnostic` suggests, each as edits: its `suggestions` in their order, then what its fix says."""
    for suggestion in diagnostic.suggestions:
        if suggestion.edits:
            yield suggestion
        else:
            yield from _placed(diagnostic, suggestion.words, places)
    if diagnostic.fix is not None and replaces_text(diagnostic.fix):
        yield from _placed(diagnostic, diagnostic.fix, places)


def _placed(diagnostic: Diagnostic, words: str, places: Places) -> Iterator[Suggestion]:
    """The ways to type in the first code of `words`, which may be any other of its codes as well."""
    span = diagnostic.span
    if span is None:
        return
    for number, code in enumerate(_CODE.findall(words)):
        if "…" in code:
            continue
        shown = words if number == 0 else f"write `{code}`"
        for start, end in _runs(places, span, code):
            yield Suggestion(shown, (Edit(_span(places.text, start, end), code),))


def _runs(places: Places, span: Span, code: str) -> Iterator[tuple[int, int]]:
    """Runs of tokens that `code` may replace, by how much they have in common with it."""
    start, end = places.range(span)
    yield start, end
    tokens = _tokens(places.text, start, end)
    wanted = Counter(_words(code))
    first = [place for place, (begin, _, _) in enumerate(tokens) if begin <= start]
    last = [place for place, (_, stop, _) in enumerate(tokens) if stop >= end]
    scored: list[tuple[float, int, int, int]] = []
    for low in first:
        for high in last:
            if high < low or (tokens[low][0], tokens[high][1]) == (start, end):
                continue
            found = Counter(word for _, _, word in tokens[low : high + 1])
            common = sum((found & wanted).values())
            score = 2 * common / (sum(found.values()) + sum(wanted.values()))
            scored.append((-score, tokens[high][1] - tokens[low][0], low, high))
    for _, _, low, high in sorted(scored)[:_MOST_RUNS]:
        yield tokens[low][0], tokens[high][1]


def _words(text: str) -> list[str]:
    return [word for word in _TOKEN.findall(text) if not word.isspace()]


def _tokens(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """The tokens of the statement around a place: from behind the last `;`, `{` or `}` before it to the next one, which
    belongs to it. What is between the members of a set counts as one."""
    low = max(text.rfind("\n", 0, max(text.rfind("\n", 0, start), 0)), 0, start - 400)
    high = text.find("\n", max(end, min(text.find("\n", end) + 1 or len(text), len(text))))
    high = min(len(text) if high < 0 else high, end + 400)
    listed = [
        (found.start() + low, found.end() + low, found.group())
        for found in _TOKEN.finditer(text[low:high])
        if not found.group().isspace()
    ]
    before = [place for place, (_, stop, word) in enumerate(listed) if stop <= start and word in _STOPS]
    behind = [place for place, (begin, _, word) in enumerate(listed) if begin >= end and word in _STOPS]
    # One more on each side: the braces of a set are no ends of a statement.
    first = before[-2] + 1 if len(before) > 1 else 0
    last = behind[1] if len(behind) > 1 else len(listed) - 1
    middle = next((place for place, (_, stop, _) in enumerate(listed) if stop > start), 0)
    first, last = max(first, middle - _MOST_TOKENS // 2), min(last, middle + _MOST_TOKENS // 2)
    return listed[first : last + 1]


def _span(text: str, start: int, end: int) -> Span:
    line, end_line = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    return Span(
        line, start - text.rfind("\n", 0, start), end_line, end - text.rfind("\n", 0, end)
    )
