"""Patterns over the text of a statement, and what their tables share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gdsl.frontend.vocabulary import FOREIGN_TYPES, TYPES

NAME = r"[A-Za-z_]\w*"
INSIDE = r"(?:[^()\[\]{};]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[(?:[^\[\]]|\[[^\[\]]*\])*\])"
ELEMENT = rf"{NAME}(?:\[{INSIDE}*?\])*"
UPDATE = r"(?:min=|max=|\+=|-=|\*=|&=|\|=|\^=)"
TYPE = "|".join(sorted({*FOREIGN_TYPES, *TYPES}, key=len, reverse=True))
LIMITS = (
    r"std::numeric_limits<\w+>::(?:max|infinity)\(\)|float\(\s*['\"]inf['\"]\s*\)|(?:math|np|numpy|torch)\.inf"
    r"|Float\.POSITIVE_INFINITY|(?:Integer|Long)\.MAX_VALUE|[iuf](?:32|64)::(?:MAX|INFINITY)"
    r"|\b(?:U?INT(?:32|64)?_MAX|LONG_MAX|FLT_MAX|DBL_MAX|MAX_INT|INFINITY|Infinity|INF|Inf|infinity|maxint)\b"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` is replaced by `new` in the text of a statement; `what` is said where the text could not be read."""

    pattern: re.Pattern[str]
    new: str | Callable[[re.Match[str]], str]
    what: str = ""


def rule(pattern: str, new: str | Callable[[re.Match[str]], str], what: str = "") -> Rule:
    """A rule of a pattern in words."""
    return Rule(re.compile(pattern), new, what)


def typed(found: re.Match[str]) -> str:
    """A local with its type after its name."""
    word = "let" if found["const"] else "var"
    kind = FOREIGN_TYPES.get(found["type"], found["type"])
    return f"{word} {found['name']} : {kind} = {found['value']};"


def cast(found: re.Match[str]) -> str:
    """A cast as a call."""
    return f"{FOREIGN_TYPES.get(found['type'], found['type'])}({found['value']})"


def included(found: re.Match[str]) -> str:
    """A range whose end belongs to it elsewhere."""
    last = str(int(found[3]) + 1) if found[3].isdigit() else f"{found[3]} + 1"
    return f"for {found[1]} in {found[2]}..{last}"


def power(found: re.Match[str]) -> str:
    """A power, a square as a product."""
    return f"{found[1]} * {found[1]}" if found[2] == "2" else f"pow({found[1]}, {found[2]})"


CHANGED = "an update has no value: `changed(…)` says whether it changed something"
METHOD = "sets have no methods"
DECLARED = "the type of a name is written after it"
GLOBAL = r"(?:std::|thrust::|cuda::|[Mm]ath\.|np\.|numpy\.|torch\.)"
