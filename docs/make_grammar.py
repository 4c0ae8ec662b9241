"""Writes docs/grammar.md from grammar/gdsl.lark: `python docs/make_grammar.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """# Grammar

The rules of `grammar/gdsl.lark`, which the parser reads, by its parts; [The language](language.md) says what they mean.
This page is made by `python docs/make_grammar.py`.

`"word"` is a word of the text, `( )` a group, `[ ]` what may be missing, `|` one or the other; `*` stands behind what
comes any number of times, `+` at least once, `?` once or not at all. Between `/ /` stands a regular expression. Blanks,
ends of lines and comments from `#` on may stand between any two words."""
_SECTION = re.compile(r"^// -{10,} (.*)$", re.MULTILINE)
_TOKEN = re.compile(r'^([A-Z_]+): ((?:"[^"]*"(?: \| )?)+)$', re.MULTILINE)


def grammar_page() -> str:
    """The whole page."""
    text = (ROOT / "grammar" / "gdsl.lark").read_text(encoding="utf-8")
    words = dict(_TOKEN.findall(text))
    first, *rest = _SECTION.split(text)
    parts = [HEAD, _block(first, words)]
    for heading, rules in zip(rest[::2], rest[1::2], strict=True):
        block = _block(rules, words)
        if block:
            parts += [f"## {heading[0].upper()}{heading[1:]}", block]
    return "\n\n".join(parts) + "\n"


def _block(rules: str, words: dict[str, str]) -> str:
    """Rules as people read them: tokens that stand for words are these words, and nothing is left of the tree."""
    rules = re.sub(r"^//.*\n|^%ignore.*\n?", "", rules, flags=re.MULTILINE)
    rules = _TOKEN.sub("", rules)
    rules = re.sub(r" +-> \w+", "", rules)
    rules = re.sub(r"^\?", "", rules, flags=re.MULTILINE)
    rules = re.sub(r"\b[A-Z_]{2,}\b(?!:)", lambda found: _words(found[0], words), rules)
    rules = "\n".join(_aligned(re.sub(r"\n{2,}", "\n\n", rules).strip().split("\n")))
    return f"```text\n{rules}\n```" if rules else ""


def _aligned(lines: list[str]) -> Iterator[str]:
    """Lines, of which those that begin with `|` have it below the colon of their rule."""
    colon = 0
    for line in lines:
        colon = line.index(":") if re.match(r"\w+:", line) else colon
        yield " " * colon + line.strip() if line.lstrip().startswith("|") else line


def _words(token: str, words: dict[str, str]) -> str:
    """The words that a token stands for, or its name."""
    meant = words.get(token, token)
    return f"({meant})" if " | " in meant else meant


if __name__ == "__main__":
    (Path(__file__).parent / "grammar.md").write_text(grammar_page(), encoding="utf-8", newline="\n")
