"""The parts and blocks of a program's text, as they look without a parser."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from enum import Enum

from gdsl.frontend.failures import without_comments
from gdsl.source import Span

_HEAD = re.compile(
    r"\b(?:problem|schedule|tune)\s*\{|\b(?:vertex|edge|common|vote)\s+functor\b"
    r"|\b(?:function|operator|procedure)\s+\w+\s*\(|\brequires\s+\w"
    r"|\bimport\s+\w(?:(?!\bimport\b)[\w\s,])*\bfrom\b"
)
"""How a part of a program begins; none of these may be inside another part. The names of an import end at the next
`import`, so that no stretch of text is searched twice."""
_STRING = re.compile("\"[^\"\n]*\"|'[^'\n]*'|\u201c[^\u201d\n]*\u201d")
_SIGN = re.compile(r"[;{}(]")
_PARENTHESES = re.compile(r"\([^(){}\n]*(?:\([^(){}\n]*\)[^(){}\n]*)*\)")
_GOES_ON = re.compile(r"\s*(?:else\b|from\s*;|[-;|&^+*),@])")
"""What no statement begins with: after a `}` the same one continues, as after the members of a set, or the names in
braces of an import as other languages have them."""
_CLOSED = re.compile(r"[^;{}]*\}\s*[;,)|&^]")
_FUNCTOR = re.compile(r"(vertex|edge)\s+functor\s*(\w*)")
_RESULT = re.compile(r"->\s*(\w+)\s*$")
_PARAMETERS = {"vertex": ["v"], "edge": ["src", "dst", "e"]}
"""What most functors call their parameters."""
_STATEMENT_HEADS = {
    "if": ["if", "(", "", ")"],
    "while": ["while", "(", "", ")"],
    "repeat": ["repeat", "(", "0", ")"],
}


class ListKind(Enum):
    """The lists of a program that reading can go on in, each by the kind of a token that begins an element of it and
    occurs nowhere else."""

    STATEMENTS = "LET"
    DECLARATIONS = "PARAM"
    ITEMS = "COND"
    KNOBS = "AT"
    PARTS = "SCHEDULE"


class Outline:
    """A text with its comments and strings blanked out (`plain`) and the offsets at which parts begin (`heads`)."""

    def __init__(self, text: str) -> None:
        self.plain = _STRING.sub(lambda match: " " * len(match.group()), without_comments(text))
        self.heads = [match.start() for match in _HEAD.finditer(self.plain)]
        self.head_set = frozenset(self.heads)
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._balances: dict[int, int] = {}

    # ------------------------------------------------------------ places

    def line_start(self, position: int) -> tuple[int, int]:
        """The number of the line that `position` is on, from 1, and the offset where it begins."""
        line = bisect_right(self._lines, position)
        return line, self._lines[line - 1]

    def span(self, start: int, end: int) -> Span:
        """Offsets as lines and columns."""
        (line, first), (end_line, last) = self.line_start(start), self.line_start(end)
        return Span(line, start - first + 1, end_line, end - last + 1)

    def offset(self, span: Span) -> int:
        """Where `span` begins."""
        return self._lines[span.line - 1] + span.column - 1

    # ------------------------------------------------------------ parts

    def part_of(self, position: int) -> int:
        """The number of the part that `position` is in; 0 is the text before the first."""
        return bisect_right(self.heads, position)

    def balance(self, part: int) -> int:
        """How many braces more a part opens than it closes."""
        if part not in self._balances:
            start = self.heads[part - 1] if part else 0
            end = self.heads[part] if part < len(self.heads) else len(self.plain)
            self._balances[part] = self._opened(start, end)
        return self._balances[part]

    def unbalanced(self, start: int, end: int) -> bool:
        """Whether a stretch opens another number of braces than it closes."""
        return self._opened(start, end) != 0

    def _opened(self, start: int, end: int) -> int:
        return self.plain.count("{", start, end) - self.plain.count("}", start, end)

    # ------------------------------------------------------------ broken statements, declarations, parts

    def end_of_broken(self, start: int, position: int, depth: int, kind: ListKind | None) -> int:
        """Where to read on after what begins at `start`, could not be read from `position` on, and has opened `depth`
        braces before that."""
        among_parts = kind in (ListKind.PARTS, None)
        following = bisect_left(self.heads, start + 1 if kind is ListKind.PARTS else start)
        limit = self.heads[following] if following < len(self.heads) else len(self.plain)
        at = self._behind_foreign_comment(start, position)
        if at is not None:
            return min(at, limit)
        at = position
        while at < limit:
            bracket = _SIGN.search(self.plain, at, limit)
            if bracket is None:
                break
            sign, at = bracket.group(), bracket.end()
            if sign == "(":
                whole = _PARENTHESES.match(self.plain, at - 1, limit)
                at = whole.end() if whole is not None else at
            elif sign == "{":
                depth += 1
            elif sign == ";" and depth == 0:
                return at
            elif sign == "}":
                if depth == 0 and not among_parts:
                    return at - 1
                depth = max(depth - 1, 0)
                if depth == 0 and not _GOES_ON.match(self.plain, at):
                    return at
        return limit

    def _behind_foreign_comment(self, start: int, position: int) -> int | None:
        """The end of a comment of another language that begins here."""
        if self.plain.startswith("//", position) and start == position:
            end = self.plain.find("\n", position)
            return end if end >= 0 else len(self.plain)
        for begin in (position, position - 1):
            if self.plain.startswith("/*", max(begin, start)):
                end = self.plain.find("*/", begin)
                return end + 2 if end >= 0 else None
        return None

    def closes_a_set(self, position: int) -> bool:
        """Whether the next `}` after `position` closes a set: a block is never followed by what follows it."""
        return _CLOSED.match(self.plain, position) is not None

    def beginning(self, start: int) -> int:
        """Where a broken statement begins that continues with a word of another language at `start`."""
        if not re.compile(r"(?:elif|elseif)\b").match(self.plain, start):
            return start
        return max(self.plain.rfind("if", 0, start), 0)

    def block_behind(self, start: int, position: int) -> int | None:
        """The `{` of the block whose head begins at `start` and could not be read from `position` on."""
        part = self.part_of(start)
        limit = self.heads[part] if part < len(self.heads) else len(self.plain)
        at = position
        while True:
            sign = _SIGN.search(self.plain, at, limit)
            if sign is None or sign.group() in ";}":
                return None
            if sign.group() == "{":
                return sign.start()
            whole = _PARENTHESES.match(self.plain, sign.start(), limit)
            at = whole.end() if whole is not None else sign.end()

    def readable_head(self, start: int, brace: int, *, statement: bool) -> list[str] | None:
        """The words of a head that can be read in place of the one between `start` and `brace`; None if it is of no
        known sort. A name that is not known is empty, one that must differ from all others begins with a space."""
        word = re.compile(r"[a-z]*").match(self.plain, start)
        assert word is not None
        if statement:
            if word.group() == "for":
                loop = re.compile(r"for\s*\(?\s*(?:\w+\s+(?!in\b))?([A-Za-z_]\w*)").match(self.plain, start, brace)
                return ["for", loop.group(1) if loop is not None else " 0", "in", "0", "..", "0"]
            return _STATEMENT_HEADS.get(word.group())
        functor = _FUNCTOR.match(self.plain, start, brace)
        if functor is None:
            return None
        kind, name = functor.groups()
        text = self.plain[functor.end() : brace]
        result = _RESULT.search(text)
        usual = _PARAMETERS[kind]
        names = list(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text[: result.start()] if result else text)))
        names = names[: len(usual)]
        missing = len(usual) - len(names)
        names = (
            usual if missing and set(names) <= set(usual) else names + [w for w in usual if w not in names][:missing]
        )
        parts = [part for name in names for part in (name, ",")][:-1]
        arrow = ["->", result[1]] if result is not None and kind == "edge" else []
        return [kind, "functor", name or " functor", "(", *parts, ")", *arrow]
