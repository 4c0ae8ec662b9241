"""Entries of the table of common mistakes: the conditions under which they fit, their messages and fixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gdsl.diagnostics import Diagnostic, is_whole
from gdsl.frontend.failures import Failure
from gdsl.frontend.vocabulary import FOREIGN_TYPES, TYPES
from gdsl.source import Span

Groups = dict[str, str]
Words = str | Callable[[Failure, Groups], str]
LONGEST_LINE = 1_000
"""Longer lines are not written by hand, and each of their mistakes would search all of them."""
SPELLINGS = FOREIGN_TYPES.keys() | TYPES.keys()
TYPE = "|".join(sorted(SPELLINGS))
INSIDE = r"(?:[^()\[\]]|\([^()]*\)|\[[^\[\]]*\])*"
VALUE = r"(?:[^()\[\]{},;]|\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+"
ELEMENT = r"\w+(?:\[[^\[\]]*\])?"
POSTFIX = rf"(?P<operand>(?:[\w.]+|\({INSIDE}\))(?:\({INSIDE}\)|\[{INSIDE}\])*)"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A message, and when it is shown.

    `message` and `fix` are words in which `$name` is a group of the patterns, `$text` the token, `$before` the one
    before it, and `$name|filter` a group through one of `_FILTERS`; or a function that gives such words.
    """

    code: str
    message: Words
    fix: Words
    at: str = "token"
    """The place: `token`, `before` it, `both`, `sign` (as `sign` is written), the `first` character, or `rest`: what
    the pattern matches."""
    kind: str = ""
    """Kinds that the token may have."""
    not_kind: str = ""
    text: Iterable[str] = ()
    """Texts that it may have."""
    before: Iterable[str] = ()
    """Texts that the token before it may have."""
    sign: str = ""
    """A sign of other languages, which the parser sees as one token or as two."""
    expects: str = ""
    """Kinds that are all expected."""
    expects_any: str = ""
    lacks: str = ""
    """Kinds none of which is expected."""
    only: tuple[str, ...] = ()
    """The sets of kinds that may be expected, and nothing else."""
    begun: re.Pattern[str] | None = None
    """Found in the text of the statement before the token."""
    rest: re.Pattern[str] | None = None
    """Matches the line from the token on."""
    after: re.Pattern[str] | None = None
    """Matches the line after the token."""
    line: re.Pattern[str] | None = None
    """Found in the line."""
    when: Callable[[Failure, Groups], bool] | None = None
    at_end: bool = False
    """Whether it may be at the end of the text."""

    def diagnostic(self, failure: Failure) -> Diagnostic | None:
        """The message for `failure`; None if it does not fit."""
        if not self._fits_tokens(failure):
            return None
        groups = {"text": failure.text, "before": failure.before}
        if (self.rest or self.line) and len(failure.line) > LONGEST_LINE:
            return None
        for pattern, text in ((self.begun, failure.line_before), (self.line, failure.line)):
            match = pattern.search(text) if pattern is not None else None
            if pattern is not None and match is None:
                return None
            groups |= _groups(match)
        whole = ""
        for pattern, text in ((self.rest, failure.rest), (self.after, failure.rest[len(failure.text) :])):
            match = pattern.match(text) if pattern is not None else None
            if pattern is not None and match is None:
                return None
            groups |= _groups(match)
            whole = match[0] if match is not None and pattern is self.rest else whole
        if self.when is not None and not self.when(failure, groups):
            return None
        words = [_fill(each, failure, groups) for each in (self.message, self.fix)]
        if not is_whole(words[1]):  # a pattern has taken more, or less, than the code that it is for
            return None
        return Diagnostic(self.code, words[0], self._place(failure, whole), fix=words[1])

    def _fits_tokens(self, failure: Failure) -> bool:
        expected = failure.expected
        return (
            (failure.kind != "$END" or self.at_end)
            and (not self.kind or failure.kind in self.kind.split())
            and failure.kind not in self.not_kind.split()
            and (not self.text or failure.text in self.text)
            and (not self.before or failure.before in self.before)
            and (not self.sign or failure.rest.startswith(self.sign) or failure.joined == self.sign)
            and expected.issuperset(self.expects.split())
            and (not self.expects_any or not expected.isdisjoint(self.expects_any.split()))
            and expected.isdisjoint(self.lacks.split())
            and (not self.only or expected in [set(kinds.split()) for kinds in self.only])
        )

    def _place(self, failure: Failure, rest: str) -> Span:
        here, before = failure.span, failure.before_span
        if self.at == "before":
            return before
        wide = {"rest": rest, "first": "1", "sign": self.sign}.get(self.at, "")
        if self.at == "both" or (self.at == "sign" and not failure.rest.startswith(self.sign)):
            return Span(before.line, before.column, here.end_line, here.end_column)
        return Span(here.line, here.column, here.line, here.column + len(wide)) if wide else here


def _groups(match: re.Match[str] | None) -> Groups:
    return {name: (text or "").strip() for name, text in match.groupdict().items()} if match is not None else {}


def _in_parentheses(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def type_named(word: str) -> str:
    """The type that `word` of this or another language means."""
    return FOREIGN_TYPES.get(word, word)


_FILTERS: dict[str, Callable[[str], str]] = {
    "type": type_named,
    "names": lambda text: _in_parentheses(re.findall(r"\w+", text)),
    "untyped": lambda text: ", ".join(part.partition(":")[0].strip() for part in text.split(",")),
    "last": lambda text: _in_parentheses([part.split()[-1].strip("&*") for part in text.split(",") if part.split()]),
    "parameters": lambda text: _in_parentheses([part.partition(":")[0].strip() for part in text.split(",")]),
    "or": lambda text: text or "…",
    "block": lambda text: text or "{ … }",
}


def _fill(words: Words, failure: Failure, groups: Groups) -> str:
    if not isinstance(words, str):
        return words(failure, groups)
    return re.sub(r"\$([a-z]+)(?:\|([a-z]+))?", lambda m: _FILTERS.get(m[2], str)(groups[m[1]]), words)


def mistake(code: str, message: Words, fix: Words, **conditions: Any) -> Mistake:
    """A `Mistake` with words in one string, the alternatives of `only` between `|`, and patterns as strings."""
    for name, value in conditions.items():
        if name in ("text", "before") and isinstance(value, str):
            conditions[name] = tuple(value.split())
        elif name == "only":
            conditions[name] = tuple(value.split("|"))
        elif name in ("begun", "rest", "after", "line"):
            conditions[name] = re.compile(value)
    return Mistake(code, message, fix, **conditions)


def foreign(message: Words, fix: Words, **conditions: Any) -> Mistake:
    """A form of another language."""
    return mistake("E0112", message, fix, **conditions)


def unexpected(message: Words, fix: Words, **conditions: Any) -> Mistake:
    """A form of gdsl with something missing, too much, or at the wrong place."""
    return mistake("E0101", message, fix, **conditions)
