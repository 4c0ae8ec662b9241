"""Where the code of a fix belongs that is given in words alone, such as ``write `count += 1;` ``.

The code replaces a run of tokens around the place of the message. Which run is not known, so the likely ones are
listed, the likeliest first; the caller tries them.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, Edit, Suggestion, is_whole
from gdsl.frontend.vocabulary import CONTEXTUAL_FORMS, CONTEXTUAL_FUNCTIONS, CONTEXTUAL_KEYWORDS, RESERVED
from gdsl.source import Span
from gdsl.suggestions.name_suggestions import declaration_suggestions, name_suggestions, typed_local
from gdsl.suggestions.text import Places, span_at, statements_around

_COMMENT = re.compile(r"#[^\n]*")
_QUOTED = re.compile(r'"[^"\n]*"')
_CODE = re.compile(r"`([^`\n]+)`")
_REPLACES = re.compile(r"(?:write|did you mean) `")
_STATEMENT_FIRST = re.compile(r"`[^`]*;`")
"""How the fixes of the rules begin that replace a statement."""
_TOKEN = re.compile(r"(?:any|min|max)=(?!=)|\w+|\s+|[<>=!+\-*/%&|^]+|.", re.DOTALL)
_KNOWN = (RESERVED | CONTEXTUAL_KEYWORDS | CONTEXTUAL_FUNCTIONS | CONTEXTUAL_FORMS.keys()) - {"functor"}
_OF_NAMES = ("E0201", "E0204", "E0205")
_LOSSY = re.compile(r"u?int\d+\(-?\d*\.\d*(?:[eE][-+]?\d+)?\)")
"""The cast of a number with a fraction, which would lose it."""
_MOST_TOKENS = 48
_MOST_RUNS = 8
_MOST_STOPS = 2
_STOPS = frozenset(";{}")
_NEGATIONS = frozenset(("!", "~", "-", "not"))
"""What no replacement may swallow: the rest would mean the opposite."""
_BRACKETS = {"(": "(", ")": "(", "[": "[", "]": "[", "{": "{", "}": "{"}


def replaces_text(diagnostic: Diagnostic, text: str) -> bool:
    """Whether the fix, in words, has code that is meant to replace text of the program `text`. Code with names that the
    program has not shows a form, in which these are placeholders."""
    words = diagnostic.fix
    first = _CODE.search(words) if words is not None else None
    if words is None or first is None or "…" in first[1]:
        return False
    names = set(re.findall(r"[A-Za-z_]\w*", first[1])) - _KNOWN
    if "functor" in names:
        return False
    if not words.startswith("did you mean") and any(not re.search(rf"\b{name}\b", text) for name in names):
        return False
    of_rules = diagnostic.code.startswith("E03") and _STATEMENT_FIRST.match(words) is not None
    return of_rules or _REPLACES.match(words) is not None


def candidates(diagnostic: Diagnostic, places: Places) -> Iterator[Suggestion]:
    """What `diagnostic` suggests, each as edits: its `suggestions` in their order, then those of its fix."""
    if diagnostic.span is not None and diagnostic.code in _OF_NAMES:
        yield from name_suggestions(diagnostic, places)
    if diagnostic.code == "E0205":
        yield from typed_local(diagnostic, places)
    for suggestion in diagnostic.suggestions:
        if suggestion.edits:
            yield suggestion
        else:
            yield from _placements(diagnostic, suggestion.words, places)
    if diagnostic.fix is not None and replaces_text(diagnostic, places.text):
        yield from _placements(diagnostic, diagnostic.fix, places)


def rewriting_suggestions(diagnostic: Diagnostic, places: Places) -> Iterator[Suggestion]:
    """What else may be meant by a text that cannot be read, or whose names or types do not fit."""
    if diagnostic.span is None or not diagnostic.code.startswith(("E01", "E02", "E04")):
        return
    from gdsl.suggestions.rewritings import rewritten  # many patterns, which only programs with mistakes need

    if diagnostic.code not in _OF_NAMES:
        yield from name_suggestions(diagnostic, places)
    start, end = places.range(diagnostic.span)
    for low, high in statements_around(places.plain, start, end):
        high = low + len(places.plain[low:high].rstrip())
        statement = places.text[low:high]
        comments = _COMMENT.findall(statement)
        quoted = _QUOTED.findall(statement)
        for new, what in rewritten(statement):
            if new and any(text not in new for text in quoted):  # the name of a file is not an expression
                continue
            if statement.startswith("return") and not new.startswith("value") and not _ends_functor(places, high):
                continue  # the statements after it would run
            if new and _COMMENT.findall(new) != comments:
                continue  # words, not code
            block = " { … }" if places.text[high:].lstrip().startswith("{") else ""
            shown = new.removesuffix(_closing(statement)) if new else ""
            words = f"write `{' '.join(shown.split())}{block}`" if new else "leave it out"
            yield Suggestion(words, (Edit(span_at(places.text, low, high), new),), message=what, guessed=True)
    yield from declaration_suggestions(diagnostic, places)


def _closing(statement: str) -> str:
    """What follows the last sign that ends a statement: brackets that were opened before it, as in `return x; });`."""
    found = re.search(r";([\s)}\]]*[)}\]][\s;]*)$", statement)
    return "" if found is None or is_whole(f"`{statement}`") else found[1]


_LAST = re.compile(
    r"\s*(?:\}\s*)+"
    r"(?:(?:vertex|edge|common|vote)\s+functor|(?:function|operator|procedure|schedule|tune)\b|$)"
)


def _ends_functor(places: Places, end: int) -> bool:
    """Whether nothing of a functor runs after the statement that ends there."""
    return _LAST.match(places.plain, end) is not None


def _placements(diagnostic: Diagnostic, words: str, places: Places) -> Iterator[Suggestion]:
    """The ways to type in the first code of `words`, which may be any other of its codes as well."""
    span = diagnostic.span
    if span is None:
        return
    for number, code in enumerate(_CODE.findall(words)):
        if "…" in code or _LOSSY.fullmatch(code):
            continue
        shown = words if number == 0 else f"write `{code}`"
        keyword = re.fullmatch(r"(\w+)=\w+", code)
        if keyword is not None:
            yield Suggestion(shown, (_argument(places, span, keyword[1], code),))
        for start, end in _runs(places, span, code):
            yield Suggestion(shown, (Edit(span_at(places.text, start, end), code),))


def _argument(places: Places, span: Span, keyword: str, code: str) -> Edit:
    """An argument such as `to=edges` in place of the one with that keyword, or after the others of a call."""
    start, end = places.range(span)
    present = re.search(rf"\b{keyword}\s*=\s*\w+", places.text[start:end])
    if present is not None:
        return Edit(span_at(places.text, start + present.start(), start + present.end()), code)
    close = places.text.rfind(")", start, end)
    close = close if close >= 0 else end
    return Edit(span_at(places.text, close, close), f", {code}")


def _runs(places: Places, span: Span, code: str) -> Iterator[tuple[int, int]]:
    """Runs of tokens that `code` may replace, by how much they have in common with it."""
    start, end = places.range(span)
    yield start, end
    tokens = _tokens(places.text, start, end)
    wanted = Counter(_words(code))
    depth = _depths(code)
    first = [place for place, (begin, _, _) in enumerate(tokens) if begin <= start]
    last = [place for place, (_, stop, _) in enumerate(tokens) if stop >= start]
    scored: list[tuple[float, int, int, int]] = []
    for low in first:
        counts: Counter[str] = Counter()
        open_brackets: Counter[str] = Counter()
        for high in range(low, last[-1] + 1 if last else 0):
            word = tokens[high][2]
            counts[word] += 1
            if word in _BRACKETS:
                open_brackets[_BRACKETS[word]] += 1 if word in "([{" else -1
            if high < last[0] or (tokens[low][0], tokens[high][1]) == (start, end) or counts.total() > _MOST_TOKENS:
                continue
            if tokens[low][2] == ";" and not code.startswith(";"):
                continue  # the end of the statement before
            unbalanced = any(open_brackets[kind] != depth[kind] for kind in "([{")
            if unbalanced or _joins_words(places.text, tokens[low][0], code):
                continue
            negates = any(word in _NEGATIONS and begin < start for begin, _, word in tokens[low : high + 1])
            if negates and "!" not in code:
                continue
            common = (counts & wanted).total()
            score = 2 * common / (counts.total() + wanted.total())
            scored.append((-score, tokens[high][1] - tokens[low][0], low, high))
    for _, _, low, high in sorted(scored)[:_MOST_RUNS]:
        yield tokens[low][0], tokens[high][1]
    if len(wanted) == 1:
        yield from _within(tokens, start, end, code)


def _within(tokens: list[tuple[int, int, str]], start: int, end: int, code: str) -> Iterator[tuple[int, int]]:
    """The tokens of the place itself that are of the kind of `code`, the most similar first."""
    inside = [
        (begin, stop, word)
        for begin, stop, word in tokens
        if start <= begin and stop <= end and word.isidentifier() is code.isidentifier() and word != code
    ]
    inside.sort(key=lambda token: -difflib.SequenceMatcher(None, token[2], code).ratio())
    for begin, stop, _ in inside[:_MOST_RUNS]:
        yield begin, stop


def _depths(code: str) -> Counter[str]:
    """How many brackets more of each kind a text opens than it closes."""
    depths: Counter[str] = Counter()
    for word in code:
        if word in _BRACKETS:
            depths[_BRACKETS[word]] += 1 if word in "([{" else -1
    return depths


def _joins_words(text: str, start: int, code: str) -> bool:
    """Whether `code` at `start` would become a part of the word before it."""
    return code[:1].isidentifier() and text[start - 1 : start].isidentifier()


def _words(text: str) -> list[str]:
    return [word for word in _TOKEN.findall(text) if not word.isspace()]


def _tokens(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """The tokens of the statement around a place: from after the last `;` or brace before it to the next one, which
    belongs to it, and a little more on either side."""
    low = max(text.rfind("\n", 0, max(text.rfind("\n", 0, start), 0)), 0, start - 400)
    high = text.find("\n", max(end, min(text.find("\n", end) + 1 or len(text), len(text))))
    high = min(len(text) if high < 0 else high, end + 400)
    tokens = [
        (match.start() + low, match.end() + low, match.group())
        for match in _TOKEN.finditer(text[low:high])
        if not match.group().isspace()
    ]
    before = [(place, word) for place, (_, stop, word) in enumerate(tokens) if stop <= start and word in _STOPS]
    behind = [(place, word) for place, (begin, _, word) in enumerate(tokens) if begin >= end and word in _STOPS]
    # Beyond a stop some more: the braces of a set end no statement, nor do those of a function in other languages.
    first = before[-_MOST_STOPS][0] + 1 if len(before) >= _MOST_STOPS else 0
    last = behind[_MOST_STOPS][0] if len(behind) > _MOST_STOPS else len(tokens) - 1
    middle = next((place for place, (_, stop, _) in enumerate(tokens) if stop > start), 0)
    first, last = max(first, middle - _MOST_TOKENS // 2), min(last, middle + _MOST_TOKENS // 2)
    return tokens[first : last + 1]
