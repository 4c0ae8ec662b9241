"""Continues after syntax errors, so that one run reports all independent mistakes.

After a failure the parser's stack is cut back to the innermost list that was being read (statements, declarations,
items of a functor, entries of `tune`, parts of the program), and reading continues after the next `;`, after the
closing `}` of what was begun, or at the next part. Where it is clear what is missing or misspelled, that is put in its
place instead, and nothing is passed over. Braces that do not match put the rest of a part in doubt: what seems wrong
there then may well be right, and is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

from gdsl.diagnostics import TOO_MANY, Diagnostic
from gdsl.frontend.failures import failure_offset
from gdsl.frontend.program_outline import ListKind, Outline
from gdsl.frontend.syntax import Broken
from gdsl.frontend.vocabulary import RESERVED, closest
from gdsl.source import Source

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    Unexpected = UnexpectedToken | UnexpectedCharacters
if TYPE_CHECKING:
    from lark.parsers.lalr_interactive_parser import InteractiveParser

_SURE = "E0103"
"""A word one letter away from a keyword is always a mistake."""
_CLOSING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_FEW = 3
_MOST_TRIES = 5
"""Failures in a row that get no further in the text: more than ever come of one place."""
MOST_MISTAKES = 1_000
"""Reading stops after this many: each takes as long as many correct lines, and nobody reads them all."""
# fmt: off
_DECLARED = re.compile(
    r"\b(?:let|var|frontier|for|graph|history|buckets|\w+(?=\s+\w+\s*[=:;]))\s+([A-Za-z_]\w*)|@\s*(\w+)"
    r"|\b(?:let|var)\s*\(\s*([A-Za-z_]\w*)\s*,\s*([A-Za-z_]\w*)\s*\)"
)
# fmt: on


class Recovery:
    """Recovery in one program; call `tree` once, then read `diagnostics` and `broken`."""

    def __init__(self, source: Source, describe: Callable[[Unexpected], Diagnostic], kinds: dict[str, str]) -> None:
        """`describe` gives the message for a failure; `kinds` has the kinds of tokens by how they are written."""
        self.source = source
        self.describe = describe
        self.kinds = kinds
        self.outline = Outline(source.text)
        self.diagnostics: list[Diagnostic] = []
        self._skipped: list[tuple[int, int]] = []
        self._names: set[str] = set()
        self._parts_skipped = False
        self._resumed_at = -1
        """Where reading went on after the last failure."""
        self._corrected_at = -1
        self._repaired_at = -1
        """Where the last token was put in."""
        self._doubtful_part = -1
        """The number of the part whose braces are in doubt."""

    def tree(self, failure: Any) -> Any:
        """The parse tree of what could be read, after a first failure; None if that is nothing, or not worth while."""
        from lark.exceptions import UnexpectedInput

        ended, tries, furthest = False, 0, -1
        while not ended and tries < _MOST_TRIES and len(self.diagnostics) < MOST_MISTAKES:
            ended = getattr(failure, "token", None) is not None and failure.token.type == "$END"
            position = failure.pos_in_stream or 0
            tries = tries + 1 if position <= furthest else 0
            furthest = max(furthest, position)
            self._resume(failure, Stack(failure.interactive_parser, self.kinds, self.outline))
            try:
                return failure.interactive_parser.resume_parse()
            except UnexpectedInput as another:
                failure = another
        if len(self.diagnostics) >= MOST_MISTAKES:
            message = f"more than {MOST_MISTAKES:,} mistakes of syntax: the text after this one was not read"
            self.diagnostics.append(Diagnostic(TOO_MANY, message, self.diagnostics[-1].span))
        return None

    @property
    def broken(self) -> Broken:
        """What was passed over."""
        spans: list[tuple[int, int]] = []
        for start, end in sorted(self._skipped):
            if spans and start <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((start, end))
        ranges = tuple(self.outline.span(start, end) for start, end in spans)
        return Broken(ranges, frozenset(self._names) - RESERVED, self._parts_skipped)

    def _resume(self, failure: Unexpected, stack: Stack) -> None:
        """Report `failure` unless it comes of an earlier one, and bring the parser to where it can read on."""
        token: Any = getattr(failure, "token", None)
        at_end = token is not None and token.type == "$END"
        position = failure.pos_in_stream or 0 if token is None else failure_offset(failure, self.source)  # type: ignore[arg-type]
        kind, states = stack.innermost()
        start = stack.start_behind(states, position)
        part = self.outline.part_of(start)
        diagnostic = self.describe(failure)
        first = not self.outline.plain[self._resumed_at : position].strip() if self._resumed_at >= 0 else False
        may_follow = first or at_end or kind is ListKind.PARTS
        doubtful = part == self._doubtful_part and may_follow and diagnostic.code != _SURE
        if not doubtful and position != self._repaired_at:
            self.diagnostics.append(diagnostic)
        if not at_end and not doubtful and self._repair(failure, stack, diagnostic, position, states):
            return
        if not at_end and self._head_replaced(stack, kind, states, start, position):
            return
        self._skip(failure, stack, kind, states, start, position)

    # ------------------------------------------------------------ what is clear

    def _repair(self, failure: Unexpected, stack: Stack, diagnostic: Diagnostic, position: int, states: int) -> bool:
        """Put in the one token that is missing, or take a misspelled word for what is meant."""
        token: Any = getattr(failure, "token", None)
        if token is None:
            return False
        if diagnostic.code == _SURE and diagnostic.span is not None:
            start = self.outline.offset(diagnostic.span)
            return start > self._corrected_at and self._correct_spelling(stack, diagnostic, start, position, states)
        missing = self._missing(failure, stack, diagnostic, states, position)
        if missing is None or position == self._repaired_at or not stack.takes([missing]):
            return False
        if self._braces_matter(failure, position):
            self._doubtful_part = self.outline.part_of(position)
        stack.feed(missing, position)
        stack.move(position)
        self._repaired_at = position
        return True

    def _missing(self, failure: Any, stack: Stack, diagnostic: Diagnostic, states: int, position: int) -> str | None:
        if diagnostic.code == "E0111":
            return "SEMICOLON"
        accepted = failure.accepts or failure.expected
        short = self.outline.balance(self.outline.part_of(position)) < 0
        if "LBRACE" in accepted and len(accepted) <= _FEW and short:
            return "LBRACE"
        if failure.token.type in ("SEMICOLON", "LBRACE"):
            opened = stack.unclosed(states)
            closed = opened == "LBRACE" and self.outline.closes_a_set(position + 1)
            if opened is not None and _CLOSING[opened] in accepted and not closed:
                return _CLOSING[opened]
        return None

    def _correct_spelling(self, stack: Stack, diagnostic: Diagnostic, start: int, position: int, states: int) -> bool:
        word = re.compile(r"\w+").match(self.outline.plain, start)
        if word is None:
            return False
        before = states if start < position else None
        if before is not None and stack.start_behind(states, position) != start:
            return False
        words = [text for text, kind in self.kinds.items() if text.isalpha() and stack.takes([kind], before)]
        meant = closest(word.group(), words)
        if meant is None or diagnostic.fix is None or f"`{meant}`" not in diagnostic.fix:
            return False
        if before is not None:
            stack.cut(before)
        self._corrected_at = start
        stack.feed(self.kinds[meant], start, meant)
        self._skipped.append((start, word.end()))
        stack.move(word.end())
        return True

    def _head_replaced(self, stack: Stack, kind: ListKind | None, states: int, start: int, position: int) -> bool:
        """Take another head of the same sort for the broken one of a block, so that the block is read."""
        brace = self.outline.block_behind(start, position)
        if brace is None or stack.unclosed_braces(states):
            return False
        head = self.outline.readable_head(start, brace, statement=kind is ListKind.STATEMENTS)
        if head is None:
            return False
        tokens = [(self.kinds.get(word, "INTEGER" if word.isdigit() else "NAME"), word) for word in head]
        if not stack.takes([token for token, _ in tokens] + ["LBRACE"], states):
            return False
        stack.cut(states)
        for token, word in tokens:
            stack.feed(token, start, word)
        self._skip_names(ListKind.STATEMENTS, start, brace)
        self._resumed_at = brace
        stack.move(brace)
        return True

    # ------------------------------------------------------------ what is not

    def _skip(
        self, failure: Unexpected, stack: Stack, kind: ListKind | None, states: int, start: int, position: int
    ) -> None:
        outline = self.outline
        depth = stack.unclosed_braces(states)
        end = outline.end_of_broken(start, position, depth, kind)
        at_part = end in outline.head_set or end >= len(outline.plain)
        if outline.unbalanced(start, end) or self._braces_matter(failure, start):
            self._doubtful_part = outline.part_of(start)
        stack.cut(states)
        if kind is None:
            stack.begin(position)
        if at_part:
            stack.close(end)
        self._skip_names(kind, start, end)
        self._resumed_at = end
        stack.move(end)

    def _braces_matter(self, failure: Any, start: int) -> bool:
        token = getattr(failure, "token", None)
        if token is None or not self.outline.balance(self.outline.part_of(start)):
            return False
        accepted = failure.accepts or failure.expected
        few = "LBRACE" in accepted and len(accepted) <= _FEW
        return few or "RBRACE" in accepted or token.type in ("LBRACE", "RBRACE")

    def _skip_names(self, kind: ListKind | None, start: int, end: int) -> None:
        self._skipped.append((self.outline.beginning(start), end))
        text = self.outline.plain[start:end]
        if kind in (ListKind.STATEMENTS, ListKind.ITEMS, ListKind.KNOBS):
            self._names.update(name for match in _DECLARED.finditer(text) for name in match.groups() if name)
        else:
            self._names.update(re.findall(r"[A-Za-z_]\w*", text))
            self._parts_skipped |= kind is not ListKind.DECLARATIONS


class Stack:
    """The stack of a parser that has met something it cannot take. `states` is a number of states that stay on it."""

    def __init__(self, parser: InteractiveParser, kinds: dict[str, str], places: Outline) -> None:
        self._parser = parser
        self._state = parser.parser_state
        self._kinds = kinds
        self._places = places
        self._silent = copy(self._state.parse_conf)
        self._silent.callbacks = {}

    def innermost(self) -> tuple[ListKind | None, int]:
        """The innermost list that is being read, and how many states stay without its last element."""
        table = self._state.parse_conf.states
        for states in range(len(self._state.state_stack), 0, -1):
            actions = table[self._state.state_stack[states - 1]]
            for kind in ListKind:
                ambiguous = kind is ListKind.KNOBS and ("RBRACE" not in actions or "PLUS" in actions)
                # `local` is behind the list that it begins an element of.
                ambiguous |= kind is ListKind.DECLARATIONS and "RBRACE" not in actions
                if kind.value in actions and not ambiguous and self.takes([kind.value], states):
                    return kind, states
        return None, 1

    def takes(self, kinds: Iterable[str], states: int | None = None) -> bool:
        """Whether tokens of these kinds could come next."""
        from lark import Token
        from lark.exceptions import UnexpectedToken

        stack = self._state.state_stack[:states]
        trial = type(self._state)(self._silent, self._state.lexer, stack, [None] * (len(stack) - 1))
        try:
            for kind in kinds:
                trial.feed_token(Token(kind, ""))
        except UnexpectedToken:
            return False
        return True

    def start_behind(self, states: int, position: int) -> int:
        """Where the text above `states` states begins; `position` if there is none."""
        for value in self._state.value_stack[states - 1 :]:
            start = getattr(value, "start_pos", None)
            if start is None:
                start = getattr(getattr(value, "meta", None), "start_pos", None)
            if start is not None:
                return min(int(start), position)
        return position

    def unclosed(self, states: int) -> str | None:
        """The kind of the innermost bracket that is open above `states` states."""
        kinds = (getattr(value, "type", "") for value in reversed(self._state.value_stack[states - 1 :]))
        return next((kind for kind in kinds if kind in ("LPAR", "LSQB", "LBRACE")), None)

    def unclosed_braces(self, states: int) -> int:
        """The number of braces that are open above `states` states."""
        return sum(getattr(value, "type", "") == "LBRACE" for value in self._state.value_stack[states - 1 :])

    def cut(self, states: int) -> None:
        """Forget all above `states` states."""
        del self._state.state_stack[states:], self._state.value_stack[states - 1 :]

    def feed(self, kind: str, position: int, text: str = "") -> None:
        """Feed the parser a token that is not in the text, as if it were at `position`."""
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
