"""The barriers of the CUDA runtime: what its headers have, and what the contracts of its functions say."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

RUNTIME = Path(__file__).parents[2] / "templates" / "cuda" / "runtime"
DEFINING = ("barriers", "teams")
"""The files that define barriers."""
BARRIERS = ("synchronize", "synchronize_then", "synchronize_meanwhile", "synchronize_and_read", "synchronize_and_count")
BARRIERS += ("synchronize_and_tally", "meet", "synchronize_and_look")
CONTRACT = re.compile(
    r"// barriers: (?:(?P<least>\d+) to )?(?P<most>\d+|some)"
    r"(?: if (?P<when>[^,\n]+))?(?:, publishes (?P<publishes>.+))?$"
)
_HEAD = re.compile(r"^[ ]*__device__[^;{}=]*?\b(operator\(\)|\w+)\(", re.MULTILINE)
_COMMENTS = re.compile(r"//[^\n]*|^#[^\n]*", re.MULTILINE)
_TOKEN = re.compile(r"\b(?:if|else|for|while|return)\b|\b\w+(?=(?:<[^;(){}]*>)?\()|[(){};]")
Counts = frozenset[float]
"""How many barriers there may be; infinity for as many as the data need."""


@dataclass(frozen=True)
class Function:
    """A function of the runtime: its file, its body, and the line above it if that is a contract."""

    file: str
    name: str
    body: str
    contract: re.Match[str] | None


def functions() -> tuple[Function, ...]:
    """All functions of the runtime except for those that define barriers."""
    files = sorted(path for path in RUNTIME.glob("*.cuh") if path.stem not in DEFINING)
    found = (function for path in files for function in _functions_in(path))
    return tuple(function for function in found if function.name not in BARRIERS)


def _functions_in(path: Path) -> Iterator[Function]:
    text = path.read_text()
    code = _COMMENTS.sub(lambda found: " " * len(found[0]), text)
    for head in _HEAD.finditer(code):
        begin = _after_parameters(code, head.end() - 1)
        if code[begin] != "{":
            continue
        above = text[: head.start()].rstrip("\n").splitlines()
        while above and above[-1].lstrip().startswith("template"):
            above.pop()
        contract = CONTRACT.search(above[-1]) if above else None
        yield Function(path.stem, head[1], code[begin : _closing(code, begin, "{}") + 1], contract)


def _after_parameters(code: str, place: int) -> int:
    """Where the body begins, or the semicolon of a declaration is."""
    found = re.compile(r"[^;{]*").match(code, _closing(code, place, "()") + 1)
    assert found is not None
    return found.end()


def _closing(text: str, place: int, pair: str) -> int:
    depth = 0
    for at in range(place, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return at
    raise AssertionError(f"{pair} are not closed")


class _Paths:
    """Counts the barriers on each path through a function."""

    def __init__(self, body: str, known: Mapping[str, Counts]) -> None:
        self.tokens, self.known, self.at = _TOKEN.findall(body), known, 0
        self.returned: set[float] = set()

    def counts(self) -> Counts:
        return self._statement(frozenset({0.0})) | self.returned

    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _statement(self, before: Counts) -> Counts:
        """What is counted behind the next statement, on the paths that go on."""
        token = self._next()
        self.at += 1
        if token == "{":
            while self._next() != "}":
                before = self._statement(before)
            self.at += 1
            return before
        if token == "if":
            before = self._parentheses(before)
            then = self._statement(before)
            if self._next() != "else":
                return then | before
            self.at += 1
            return then | self._statement(before)
        if token in ("for", "while"):
            before = self._parentheses(before)
            within = self._statement(before)
            return before if within <= before else before | {math.inf}
        self.at -= token != "return"
        found = self._expression(before, ";")
        if token == "return":
            self.returned |= found
            return frozenset()
        return found

    def _parentheses(self, before: Counts) -> Counts:
        self.at += 1
        return self._expression(before, ")")

    def _expression(self, before: Counts, end: str) -> Counts:
        """The same behind the calls until `end`, those in functions without a name included."""
        depth = 0
        while self.at < len(self.tokens):
            token = self._next()
            if depth == 0 and token == "}":  # a lambda's last statement
                return before
            self.at += 1
            if depth == 0 and token == end:
                return before
            depth += (token in "({") - (token in ")}") if token in ("(", ")", "{", "}") else 0
            before = frozenset(one + other for one in before for other in self.known.get(token, (0.0,)))
        return before


def counts() -> list[tuple[Function, Counts]]:
    """Each function with how many barriers there may be on its paths, in functions that it calls included."""
    every = functions()
    found: list[Counts] = [frozenset({0.0})] * len(every)
    while True:
        known = {name: frozenset({1.0}) for name in BARRIERS}
        for function, own in zip(every, found, strict=True):
            if max(own) > 0:
                known[function.name] = known.get(function.name, frozenset()) | own
        new = [_Paths(each.body, {**known, each.name: frozenset({0.0})}).counts() for each in every]
        if new == found:
            return list(zip(every, found, strict=True))
        found = new
