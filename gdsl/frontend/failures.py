"""The parser's two kinds of exception as diagnostics."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gdsl.diagnostics import Diagnostic
from gdsl.frontend.vocabulary import closest
from gdsl.source import Source, Span

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

_IMPORT = re.compile(r"\s*import\b")
NO_STRINGS = 'the language has no strings; a doc comment is written in `"""` before `program`'
_LONGEST_RUN = 500
"""Characters without white space in which the word before a place is looked for."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Where the parser stopped: the token, the text before it, and the tokens it would have taken.

    `spellings` has the text of each expected token that is always written the same; `before` is the word or sign in
    front of the token with its place.
    """

    kind: str
    text: str
    span: Span
    expected: frozenset[str]
    spellings: dict[str, str]
    before: str
    before_span: Span
    line_before: str
    """The text of the same statement before the token."""
    source: Source

    @property
    def line(self) -> str:
        """The whole line of the token."""
        return self.source.line(self.span.line)

    @property
    def rest(self) -> str:
        """The line from the token on; nothing at the end of the text."""
        return self.line[self.span.column - 1 :] if self.kind != "$END" else ""

    @property
    def adjacent(self) -> bool:
        """Whether nothing separates the token from the one before it."""
        return (self.before_span.end_line, self.before_span.end_column) == (self.span.line, self.span.column)

    @property
    def joined(self) -> str:
        """The token, with the one before it where nothing separates the two."""
        return self.before + self.text if self.adjacent else self.text

    @property
    def with_before(self) -> Span:
        """The place of both tokens."""
        before, here = self.before_span, self.span
        return Span(before.line, before.column, here.end_line, here.end_column)

    def near_word(self) -> str | None:
        """The expected keyword that the token may be a misspelling of."""
        spellings = {self.spellings[kind] for kind in self.expected if kind in self.spellings}
        if self.kind != "NAME" or self.text in spellings:
            return None
        return closest(self.text, [word for word in spellings if word.isalpha()])


def shown_character(character: str) -> str:
    """A character as it is where everybody knows it, else with its number and name."""
    number = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    described = f"{number} {name}".rstrip()
    if not character.isprintable():
        return described
    return f"`{character}`" if character.isascii() else f"`{character}` ({described})"


def failure_offset(failure: UnexpectedToken, source: Source) -> int:
    """The offset of the token that the parser could not take; at the end of the text that of the last one."""
    if failure.token.type == "$END":
        return len(without_comments(source.text).rstrip())
    return failure.token.start_pos or 0


def unexpected_token(failure: UnexpectedToken, source: Source, spellings: dict[str, str]) -> Failure:
    """A token that the parser could not take; `spellings` has the text of the tokens that are always written alike."""
    token = failure.token
    position = failure_offset(failure, source)
    if token.type == "$END":
        line, column = line_and_column(source.text, max(position - 1, 0))
        span = Span(line, column, line, column + 1)
    else:
        span = Span(token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)
    expected = frozenset(failure.accepts or failure.expected)
    plain = without_comments(source.text)
    before, start, end = _word_before(plain, position)
    first, last = line_and_column(source.text, start), line_and_column(source.text, end)
    statement = plain[max(plain.rfind(sign, 0, position) for sign in ";{}") + 1 : position]
    return Failure(token.type, str(token), span, expected, spellings, before, Span(*first, *last), statement, source)


def _word_before(plain: str, position: int) -> tuple[str, int, int]:
    """The word or sign in front of `position` with its place. Text before the last white space need not be
    looked at: neither words nor signs have any in them."""
    end = position
    while end > 0 and plain[end - 1].isspace():
        end -= 1
    start = end
    while start > max(0, end - _LONGEST_RUN) and not plain[start - 1].isspace():
        start -= 1
    words = list(re.finditer(r"\w+(\.\d+)?|[-=<>!+*/&|]=|&&|\|\||<<|>>|//|->|\.\.|[^\w\s]", plain[start:position]))
    if not words:
        return "", 0, 0
    return words[-1].group(), start + words[-1].start(), start + words[-1].end()


def unexpected_character(failure: UnexpectedCharacters, source: Source) -> Diagnostic:
    """A character that begins no token."""
    character = source.text[failure.pos_in_stream] if failure.pos_in_stream is not None else "?"
    span = Span(failure.line, failure.column, failure.line, failure.column + 1)
    if source.text.startswith('"""', failure.pos_in_stream or 0):
        return Diagnostic("E0108", "this doc comment does not end", span, fix='end it with `"""`')
    fixes = {
        '"': NO_STRINGS,
        "'": "the language has no strings",
        "≤": "write `<=`",
        "≥": "write `>=`",
        "≠": "write `!=`",
        "→": "write `->`",
        "∞": "write `inf`",
        "−": "write `-`",
        "×": "write `*`",
        "∪": "write `|`",
        "∩": "write `&`",
        "∖": "write `-`",
        "…": "write `..` for a range",
    }
    fix = fixes.get(character)
    if character in "\"'" and _IMPORT.match(source.line(failure.line)):
        fix = 'the name of a file is written between two `"`, on one line: `import name from "file.gdsl";`'
    shown = f"`{character}`" if fix is not None else shown_character(character)
    if fix is None and character.isdigit() and unicodedata.decimal(character, None) is not None:
        fix = f"write {unicodedata.decimal(character)}"
    elif fix is None and character.isspace():
        fix = "write a plain space"
    elif fix is None and (character.isalpha() or character == "$"):
        fix = "names consist of the letters a to z and A to Z, digits and `_`"
    return Diagnostic("E0102", f"unknown character {shown}", span, fix=fix)


@lru_cache(maxsize=2)
def without_comments(text: str) -> str:
    """`text` with its comments and doc comments blanked out, everything else at its place."""
    pattern = re.compile(r'"""(?:.|\n)*?"""|#[^\n]*')
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


_DECLARED = re.compile(
    r"\b(?:let|var|frontier|functor|function|operator|for|graph|history|buckets|param|vertex|edge|scalar)\s+(\w+)"
    r"|\b(\w+)\s*:\s*\w+\s*[,)]"
)
_PARAMETERS = re.compile(r"\bfunctor\s+\w+\s*\(([^(){};]*)\)")


@lru_cache(maxsize=2)
def declared_names(text: str) -> frozenset[str]:
    """The names that a text seems to declare, whatever is wrong with it."""
    plain = without_comments(text)
    names = {name for match in _DECLARED.finditer(plain) for name in match.groups() if name}
    names.update(name for match in _PARAMETERS.finditer(plain) for name in re.findall(r"\w+", match[1]))
    return frozenset(names - {"functor", "frontier"})


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """The place of an offset, both numbers from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
