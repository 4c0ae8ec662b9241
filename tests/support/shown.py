"""Pieces of a program, its IR, its plan and its CUDA on a page, which are what the compiler prints today.

Before each block stands which lines it shows: `<!-- cuda | first line | last line -->`, each by how the line begins. Of
which program they are, a page says by the block of gdsl above, or its test does. `pytest --update-golden` writes the
blocks anew.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from functools import cache

from gdsl.backends.cuda import plan_of, source_text
from gdsl.ir.printer import print_program
from gdsl.pipeline import load
from gdsl.plan.printer import print_plan
from gdsl.source import Source

SHOWN = re.compile(r"<!-- (program|ir|plan|cuda) \| (.*?) \| (.*?) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
LANGUAGES = {"program": "gdsl", "ir": "text", "plan": "text", "cuda": "cuda"}
_PROGRAM = re.compile(r"```gdsl\n((?:\"\"\"[^\n]*\n)?program (\w+);.*?)```\n", re.DOTALL)

Texts = dict[str, list[str]]


@cache
def texts_of(name: str, program: str, lines_of_program: bool = True) -> Texts:
    """The texts by lines. Of the `#line` directives none that leads back to the CUDA itself, and those that name
    the program only where `lines_of_program` says so."""
    ir = load(Source(f"{name}.gdsl", program))
    left_out = rf'#line \d+ "{name}\.cu"\n' if lines_of_program else r'#line \d+ "[^"\n]*"\n'
    cuda = re.sub(left_out, "", source_text(ir, 32))
    made = {"program": program, "ir": print_program(ir), "plan": print_plan(plan_of(ir)), "cuda": cuda}
    return {kind: text.split("\n") for kind, text in made.items()}


def texts_above(before: str) -> Texts:
    """Those of the last whole program on the page `before` a block."""
    program = _PROGRAM.findall(before)[-1]
    return texts_of(program[1], program[0], lines_of_program=False)


def part(texts: Texts, kind: str, first: str, last: str) -> list[int]:
    """The numbers of the lines from the first that begins with `first` to the next that begins with `last`; a closing
    brace stands below what it closes."""
    lines = texts[kind]
    start = next((at for at, line in enumerate(lines) if line.strip().startswith(first)), None)
    assert start is not None, f"no line of the {kind} begins with `{first}`"
    indent = len(lines[start]) - len(lines[start].lstrip())
    closes = last.startswith("}")
    ends = (at for at in range(start, len(lines)) if lines[at].strip().startswith(last))
    end = next((at for at in ends if not closes or len(lines[at]) - len(lines[at].lstrip()) == indent), None)
    assert end is not None, f"no line of the {kind} behind `{first}` begins with `{last}`"
    return list(range(start, end + 1))


def rendered(page: str, texts_at: Callable[[str], Texts]) -> str:
    """`page` with every block as it should be; `texts_at` gives the texts for what stands before a block."""

    def block(found: re.Match[str]) -> str:
        kind, first, last = found[1], found[2], found[3]
        texts = texts_at(page[: found.start()])
        lines = [texts[kind][at] for at in part(texts, kind, first, last)]
        code = textwrap.dedent("\n".join(lines)).rstrip()
        return f"<!-- {kind} | {first} | {last} -->\n```{LANGUAGES[kind]}\n{code}\n```\n"

    return SHOWN.sub(block, page)


def unknown_words(page: str, known: str) -> list[str]:
    """What the sentences of `page` name as code that is neither `known` nor a word of the command line."""
    words = re.sub(r"```.*?```", "", SHOWN.sub("", page), flags=re.DOTALL)
    named = set(re.findall(r"`([^`\n]+)`", words))
    return sorted(word for word in named if not word.startswith(("gdslc ", "--", "pytest ")) and word not in known)
