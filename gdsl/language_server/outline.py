"""Declarations, scopes and uses of names in any text.

The checker resolves names, too, but only of what it can parse. Editors ask at every keystroke, so this reading needs
nothing but tokens and brackets, some of which may be missing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gdsl.frontend.vocabulary import CONTEXTUAL_KEYWORDS, KEYWORDS
from gdsl.language_server.lexing import Token, TokenKind, tokens_of

_PAIRS = {")": "(", "]": "[", "}": "{"}
_DATA = ("param", "scalar", "vertex", "edge")
_VARIABLES = ("frontier", "graph", "history", "buckets")
_DEFINITIONS = ("function", "operator", "procedure")
_ROLES = {
    "vertex": ("vertex",),
    "edge": ("source", "destination", "edge"),
    "common": ("vertex", "vertex", "vertex", "edge", "edge", "edge"),
    "vote": ("vertex", "key", "total"),
}
_LAMBDAS = {1: ("vertex",), 3: _ROLES["edge"], 6: _ROLES["common"]}


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name that a text declares.

    `kind` is its first word (``param``, ``vertex``, ``edge``, ``scalar``, ``functor``, ``function``, ``let``, …, or the
    role of a parameter), `start` and `end` are the offsets of the name, `low` and `high` those between which it is
    known, and `whole` is where the declaration ends.
    """

    name: str
    kind: str
    start: int
    end: int
    low: int
    high: int
    begin: int
    whole: int

    @property
    def is_global(self) -> bool:
        """Whether it is known in the whole program."""
        return self.low == 0

    @property
    def is_data(self) -> bool:
        """Whether it is declared in `problem`."""
        return self.is_global and self.kind in _DATA


@dataclass(frozen=True, slots=True)
class Import:
    """A name that is imported, with the token of the path."""

    name: str
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CallAt:
    """The call around a place: the token of its function, the number of the argument, the keywords written so far."""

    function: Token
    argument: int
    keyword: str | None
    named: tuple[str, ...]


class Outline:
    """One text, read once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        hidden = (TokenKind.DOC, TokenKind.COMMENT)
        self.code = [token for token in self.tokens if token.kind not in hidden]
        self._starts = [token.start for token in self.code]
        self.partner = self._partners()
        self.around = self._surroundings()
        self.declarations: list[Declaration] = []
        self.labels: list[Declaration] = []
        self.imports: list[Import] = []
        for number in range(len(self.code)):
            self._declare(number)
        self._by_name: dict[str, list[Declaration]] = defaultdict(list)
        for declaration in self.declarations:
            self._by_name[declaration.name].append(declaration)
        self._labels = {label.name: label for label in reversed(self.labels)}

    # ------------------------------------------------------------ brackets

    def _partners(self) -> dict[int, int]:
        """By the number of an opening bracket that of the closing one, where there is one."""
        partners: dict[int, int] = {}
        stack: list[int] = []
        for number, token in enumerate(self.code):
            if token.text in _PAIRS.values():
                stack.append(number)
            elif token.text in _PAIRS:
                same = [at for at, opened in enumerate(stack) if self.code[opened].text == _PAIRS[token.text]]
                if same:  # brackets that were opened since then are not closed
                    partners[stack[same[-1]]] = number
                    del stack[same[-1] :]
        return partners

    def _surroundings(self) -> list[int]:
        """For each token the number of the innermost bracket around it; -1 outside of all."""
        closing = {close: opened for opened, close in self.partner.items()}
        around: list[int] = []
        stack: list[int] = []
        for number, token in enumerate(self.code):
            if number in closing and closing[number] in stack:
                del stack[stack.index(closing[number]) :]
            around.append(stack[-1] if stack else -1)
            if token.text in _PAIRS.values():
                stack.append(number)
        return around

    def _end(self, opened: int) -> int:
        """The offset of the end of a bracket; that of the text if it is not closed."""
        return self.code[self.partner[opened]].end if opened in self.partner else len(self.text)

    def _block(self, number: int) -> int:
        """The innermost brace around a token; -1 outside of all."""
        at = self.around[number]
        while at >= 0 and self.code[at].text != "{":
            at = self.around[at]
        return at

    def _word(self, number: int) -> str:
        return self.code[number].text if 0 <= number < len(self.code) else ""

    def _is_name(self, number: int) -> bool:
        return 0 <= number < len(self.code) and self.code[number].kind is TokenKind.NAME

    def _body(self, number: int) -> int:
        """The first brace from a token on that begins a block; -1 without one before the next part."""
        for at in range(number, min(number + 200, len(self.code))):
            word = self._word(at)
            if word == ";":
                return -1
            if word == "{" and self._word(at - 1) not in ("in", "=", "(", ",", "|", "&", "-"):
                return at
        return -1

    # ------------------------------------------------------------ declarations

    def _declare(self, number: int) -> None:
        word, before = self._word(number), self._word(number - 1)
        if word == "=>":
            self._lambda(number)
            return
        if self._word(number - 1) == "@" and self._is_name(number) and self._word(number - 2) == ")":
            token = self.code[number]
            self.labels.append(
                Declaration(token.text, "label", token.start, token.end, 0, len(self.text), token.start, token.end)
            )
            return
        if not self._is_name(number + 1):
            return
        begins = before in ("", ";", "{", "}")
        block = self._block(number)
        if block < 0:
            self._part(number, word, begins)
        elif word in ("let", "var"):
            self._add(number + 1, word, self.code[number + 1].start, self._end(block), number)
        elif word == "for":
            self._loop(number)
        elif word in _VARIABLES and (begins or before == "edge"):
            self._add(number + 1, word, self.code[number + 1].start, self._end(block), number)
        elif self._word(block - 1) == "problem":
            if word in _DATA and (begins or before in ("input", "local")):
                first = number - 1 if before in ("input", "local") else number
                self._add(number + 1, word, 0, len(self.text), first)
            elif word == "type" and begins:
                self._add(number + 1, word, 0, len(self.text), number)

    def _part(self, number: int, word: str, begins: bool) -> None:
        if word in ("program", "type") and begins:
            self._add(number + 1, word, 0, len(self.text), number)
        elif word == "functor" or (word in _DEFINITIONS and begins):
            first = number - 1 if word == "functor" and self._word(number - 1) in _ROLES else number
            self._add(number + 1, word, 0, len(self.text), first)
            if self._word(number + 2) == "(":
                self._parameters(number, number + 2)
        elif word == "import" and begins:
            self._import(number)

    def _parameters(self, number: int, opened: int) -> None:
        close = self.partner.get(opened, opened)
        body = self._body(close)
        if body < 0:
            return
        low, high = self.code[opened].start, self._end(body)
        roles = iter(_ROLES.get(self._word(number - 1), ()) if self._word(number) == "functor" else ())
        for at in range(opened + 1, close):
            if self._is_name(at) and self._word(at - 1) in ("(", ","):
                self._add(at, next(roles, "parameter"), low, high, at, self.code[at].end)

    def _loop(self, number: int) -> None:
        at = number + 1
        body = self._body(number)
        low, high = (self.code[at].start, self._end(body)) if body >= 0 else (self.code[at].start, self.code[at].end)
        while self._is_name(at) and self._word(at - 1) in ("for", ","):
            self._add(at, "for", low, high, number, self.code[at].end)
            at += 2

    def _lambda(self, number: int) -> None:
        if self._is_name(number - 1):
            names = [number - 1]
        else:
            opened = next((each for each, close in self.partner.items() if close == number - 1), None)
            if opened is None:
                return
            names = [at for at in range(opened + 1, number - 1) if self._is_name(at)]
        if self._word(number + 1) == "{":
            high = self._end(number + 1)
        else:
            at = number + 1
            while (
                at < len(self.code)
                and not (self.around[at] == self.around[number] and self._word(at) in (",", ";"))
                and self.partner.get(self.around[number]) != at
            ):
                at += 1
            high = self.code[at].start if at < len(self.code) else len(self.text)
        low = self.code[names[0]].start if names else 0
        roles = _LAMBDAS.get(len(names), ())
        for place, at in enumerate(names):
            role = roles[place] if place < len(roles) else "parameter"
            self._add(at, role, low, high, at, self.code[at].end)

    def _import(self, number: int) -> None:
        names, at = [], number + 1
        while self._is_name(at):
            names.append(at)
            at += 2 if self._word(at + 1) == "," else 1
            if self._word(at) == "from":
                break
        path = self.code[at + 1] if at + 1 < len(self.code) else None
        if self._word(at) == "from" and path is not None and path.kind is TokenKind.STRING:
            for each in names:
                self._add(each, "import", 0, len(self.text), number)
                self.imports.append(Import(self._word(each), path.text.strip('"'), path.start, path.end))

    def _add(self, at: int, kind: str, low: int, high: int, first: int, whole: int | None = None) -> None:
        token = self.code[at]
        if token.text in KEYWORDS:
            return
        if whole is None:
            whole = token.end
            for number in range(at, min(at + 400, len(self.code))):
                if self._word(number) == ";" or (kind in ("functor", *_DEFINITIONS) and self._word(number) == "{"):
                    whole = self._end(number) if self._word(number) == "{" else self.code[number].end
                    break
        begin = self.code[first].start
        self.declarations.append(Declaration(token.text, kind, token.start, token.end, low, high, begin, whole))

    # ------------------------------------------------------------ names

    def token_at(self, offset: int) -> int:
        """The number of the token at an offset, or that ends there; -1 without one."""
        number = bisect_right(self._starts, offset) - 1
        if number >= 0 and self.code[number].end >= offset:
            if self.code[number].start == offset and number and self.code[number - 1].end == offset:
                return number - 1 if self.code[number].kind is not TokenKind.NAME else number
            return number
        return -1

    def meaning(self, number: int) -> Declaration | None:
        """The declaration that a token refers to, or is."""
        if not self._is_name(number):
            return None
        token = self.code[number]
        if self._word(number - 1) == "@":
            return self._labels.get(token.text)
        if self._word(number - 1) == "." or self.is_keyword(number):
            return None
        meanings = [each for each in self._by_name.get(token.text, ()) if each.low <= token.start < each.high]
        if not meanings and self._word(number + 1) == ".":
            return self._labels.get(token.text)  # in `tune`
        return max(meanings, key=lambda each: (each.low, each.start), default=None)

    def is_keyword(self, number: int) -> bool:
        """Whether a name is that of an argument, such as `over` in `over=in_edges`."""
        inside = self.around[number] >= 0 and self._word(self.around[number]) == "("
        return inside and self._word(number + 1) == "=" and self._word(number - 1) in ("(", ",")

    @cached_property
    def uses(self) -> dict[tuple[str, int], list[Token]]:
        """By name and place of a declaration all tokens that mean it, itself among them."""
        uses: dict[tuple[str, int], list[Token]] = defaultdict(list)
        for number, token in enumerate(self.code):
            declaration = self.meaning(number)
            if declaration is not None:
                uses[declaration.name, declaration.start].append(token)
        return uses

    def uses_of(self, declaration: Declaration) -> list[Token]:
        """All tokens that mean a declaration."""
        return self.uses.get((declaration.name, declaration.start), [])

    def visible(self, offset: int) -> Iterator[Declaration]:
        """What may be named at an offset, each name once, the innermost declarations first."""
        seen: set[str] = set()
        known = [each for each in self.declarations if each.low <= offset <= each.high and each.kind != "program"]
        for declaration in sorted(known, key=lambda each: (-each.low, -each.start)):
            if declaration.name not in seen:
                seen.add(declaration.name)
                yield declaration

    def functor_kind(self, declaration: Declaration) -> str:
        """The word before `functor`."""
        number = bisect_right(self._starts, declaration.begin) - 1
        return self._word(number)

    def is_hidden(self, offset: int) -> bool:
        """Whether a place is inside a comment, a doc comment or a string."""
        return any(
            token.start < offset < token.end or (token.kind is TokenKind.COMMENT and offset == token.end)
            for token in self.tokens
            if token.kind in (TokenKind.COMMENT, TokenKind.DOC, TokenKind.STRING)
        )

    # ------------------------------------------------------------ places

    def context(self, offset: int) -> tuple[str, str]:
        """The part of the program around a place (``problem``, ``schedule``, ``functor``, ``tune``, …; empty outside of
        all), and the last word before the one that is being written there."""
        number = bisect_right(self._starts, offset) - 1
        while number >= 0 and self.code[number].end >= offset and self.code[number].kind is TokenKind.NAME:
            number -= 1
        if number >= 0 and self.code[number].start >= offset:
            number -= 1
        before = self._word(number)
        outermost = -1
        at = number
        if (at >= 0 and self.code[at].text not in _PAIRS.values()) or (at >= 0 and self.code[at].end > offset):
            at = self.around[at]
        while at >= 0:
            if self.code[at].text == "{":
                outermost = at
            at = self.around[at]
        return (self._part_of(outermost) if outermost >= 0 else ""), before

    def _part_of(self, brace: int) -> str:
        for at in range(brace - 1, -1, -1):
            word = self._word(at)
            if word in ("problem", "schedule", "tune", "functor", *_DEFINITIONS):
                return word
            if word in (";", "}"):
                return ""
        return ""

    def call_at(self, offset: int) -> CallAt | None:
        """The call whose arguments a place is among."""
        number = bisect_right(self._starts, offset - 1) - 1
        at = number if number >= 0 and self._word(number) == "(" else self.around[number] if number >= 0 else -1
        if number >= 0 and self.partner.get(at) is not None and self.code[self.partner[at]].end <= offset:
            at = self.around[at]
        while at >= 0 and not (self._word(at) == "(" and self._is_name(at - 1)):
            if self._word(at) == "{":
                return None
            at = self.around[at]
        if at < 0 or self._word(at - 1) in ("if", "while", "repeat", "in", "return", "accept", "cond", "value"):
            return None
        argument, keyword = 0, None
        named: list[str] = []
        for each in range(at + 1, len(self.code)):
            if self.code[each].start >= offset:
                break
            if self.around[each] == at and self._word(each) == ",":
                argument, keyword = argument + 1, None
            elif self.around[each] == at and self.is_keyword(each):
                keyword = self._word(each)
                named.append(keyword)
        return CallAt(self.code[at - 1], argument, keyword, tuple(named))


WORDS = KEYWORDS | CONTEXTUAL_KEYWORDS
"""Words that are keywords where they are not names."""
