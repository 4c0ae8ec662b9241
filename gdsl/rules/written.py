"""The parts of statements as they are written, for fixes in the program's own words."""

from __future__ import annotations

import re

_UNKNOWN = "…"


def value_of_store(statement: str, target: str, sign: str = "=") -> str:
    """`y` of the text `x = y`, or of `x op= y` with another `sign`."""
    found = re.match(re.escape(target) + r"\s*" + re.escape(sign) + r"(?!=)\s*(.+)$", statement, re.DOTALL)
    return found[1].strip() if found else _UNKNOWN


def operand_of_update(statement: str, target: str, update: str) -> str:
    """`y` of a text such as `x = x + y`, `x = y + x` or `x = min(x, y)`, as what stands behind `x update`."""
    value, sign, name = value_of_store(statement, target), re.escape(update.removesuffix("=")), re.escape(target)
    signs = rf"(?:{sign}{sign}|{sign})" if sign in (r"\|", "&") else sign
    if update in ("min=", "max="):
        found = re.fullmatch(rf"{sign}\(\s*{name}\s*,\s*(.+)\)", value) or re.fullmatch(
            rf"{sign}\(\s*(.+?)\s*,\s*{name}\s*\)", value
        )
    else:
        found = re.fullmatch(rf"{name}\s*{signs}\s*(.+)", value)
        if found is None and update != "-=":
            found = re.fullmatch(rf"(.+?)\s*{signs}\s*{name}", value)
        if found is not None and update == "-=" and re.search(r"[-+]", _outside_brackets(found[1])):
            found = None
    if found is None or re.search(rf"(?<!\w){name}(?!\w)", found[1]) or not _closed(found[1]):
        return _UNKNOWN
    return found[1].strip()


def _outside_brackets(text: str) -> str:
    before = None
    while before != text:
        before, text = text, re.sub(r"\([^()\[\]]*\)|\[[^()\[\]]*\]", "", text)
    return text


def _closed(text: str) -> bool:
    """Whether all brackets are closed, and there are only these."""
    return not re.search(r"[()\[\]]", _outside_brackets(text))
