"""Lark's parser in the middle of its work: what it reads, what it would take, and how it is brought elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lark.parsers.lalr_interactive_parser import InteractiveParser


class ListKind(Enum):
    """The lists of a program that reading can go on in, each by the kind of a token that begins an element of it and
    stands nowhere else."""

    STATEMENTS = "LET"
    DECLARATIONS = "PARAM"
    ITEMS = "COND"
    KNOBS = "AT"
    PARTS = "SCHEDULE"


class Places(Protocol):
    """What the stack asks of the text."""

    def line_start(self, position: int) -> tuple[int, int]:
        """The number of the line that `position` is on, from 1, and the offset where it begins."""


class Stack:
    """The stack of a parser that has met something it cannot take. `kept` is a number of states that stay on it."""

    def __init__(self, parser: InteractiveParser, kinds: dict[str, str], places: Places) -> None:
        self._parser = parser
        self._state = parser.parser_state
        self._kinds = kinds
        self._places = places
        self._silent = copy(self._state.parse_conf)
        self._silent.callbacks = {}

    def innermost(self) -> tuple[ListKind | None, int]:
        """The innermost list that is being read, and how many states stay without its last element."""
        table = self._state.parse_conf.states
        for kept in range(len(self._state.state_stack), 0, -1):
            actions = table[self._state.state_stack[kept - 1]]
            for kind in ListKind:
                ambiguous = kind is ListKind.KNOBS and ("RBRACE" not in actions or "PLUS" in actions)
                if kind.value in actions and not ambiguous and self.takes([kind.value], kept):
                    return kind, kept
        return None, 1

    def takes(self, kinds: Iterable[str], kept: int | None = None) -> bool:
        """Whether tokens of these kinds could come next."""
        from lark import Token
        from lark.exceptions import UnexpectedToken

        states = self._state.state_stack[:kept]
        trial = type(self._state)(self._silent, self._state.lexer, states, [None] * (len(states) - 1))
        try:
            for kind in kinds:
                trial.feed_token(Token(kind, ""))
        except UnexpectedToken:
            return False
        return True

    def start_behind(self, kept: int, position: int) -> int:
        """Where what lies above `kept` states begins in the text; `position` if nothing does."""
        for value in self._state.value_stack[kept - 1 :]:
            start = getattr(value, "start_pos", None)
            if start is None:
                start = getattr(getattr(value, "meta", None), "start_pos", None)
            if start is not None:
                return min(int(start), position)
        return position

    def unclosed(self, kept: int) -> str | None:
        """The kind of the innermost bracket that is open above `kept` states."""
        kinds = (getattr(value, "type", "") for value in reversed(self._state.value_stack[kept - 1 :]))
        return next((kind for kind in kinds if kind in ("LPAR", "LSQB", "LBRACE")), None)

    def unclosed_braces(self, kept: int) -> int:
        """The number of braces that are open above `kept` states."""
        return sum(getattr(value, "type", "") == "LBRACE" for value in self._state.value_stack[kept - 1 :])

    def cut(self, kept: int) -> None:
        """Forget all above `kept` states."""
        del self._state.state_stack[kept:], self._state.value_stack[kept - 1 :]

    def feed(self, kind: str, position: int, text: str = "") -> None:
        """Have the parser take a token that does not stand in the text, as if it stood at `position`."""
        from lark import Token

        line, start = self._places.line_start(position)
        column = position - start + 1
        self._parser.feed_token(Token(kind, text, position, line, column, line, column, position))

    def begin(self, position: int) -> None:
        """Have the parser take the first line of a program."""
        self.feed("PROGRAM", position)
        self.feed("NAME", position)
        self.feed("SEMICOLON", position)

    def close(self, position: int) -> None:
        """Have the parser take the closing braces of all open blocks."""
        while not self.takes([ListKind.PARTS.value]) and self.takes(["RBRACE"]):
            self.feed("RBRACE", position)

    def move(self, position: int) -> None:
        """Have the parser read on at `position`."""
        lexer: Any = self._parser.lexer_thread
        counter = lexer.state.line_ctr
        counter.char_pos = position
        counter.line, counter.line_start_pos = self._places.line_start(position)
        counter.column = position - counter.line_start_pos + 1
