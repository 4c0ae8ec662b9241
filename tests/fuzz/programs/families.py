"""Programs of the families in ``families.txt``, in which most choices are taken as they work."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NAME = re.compile(r"(\w+)(\[\w+\])? :")
_HEAD = re.compile(r"^=== (\w+)(?: (\d+))?\n", re.MULTILINE)
_PART = re.compile(r"\$<(\w+)>")
_FIRST = 0.4
"""How often the first form is taken without drawing."""
_ANY_IDS = 0.4
"""How often ids are no numbers, so that vertices may be numbered by degree."""
_NAMELESS = 0.5
"""How often a program declares only those values of edges that it uses: then kept graphs may have no edge ids."""
_OF_EDGES = re.compile(r"\bedge \w+(\[\w+\])? :")
_NUMBERS = (
    (r"\b(edge \w+ : .*)\bint32\(id\)", r"\1w[id]"),
    (r"\bint32\(id\)", "d0[id]"),
    (r"\bid == 0\b", "d0[id] == 0"),
    (r"\{ 0, 1(, 2)? \}", "{ v0, v1 }"),
    (r"\{ 0 \}", "{ v0 }"),
    (r"(?<!\])\[0\] = ", "[v0] = "),
)
"""Ids that are numbers, and what stands for them."""


@dataclass(frozen=True)
class _Section:
    text: str
    weight: int


@cache
def _sections() -> dict[str, _Section]:
    """The parts of the file by name; families are those with a weight."""
    pieces = _HEAD.split(Path(__file__).with_name("families.txt").read_text(encoding="utf-8"))[1:]
    found = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    return {name: _Section(text.strip("\n"), int(weight or 0)) for name, weight, text in found}


def shaped_text(random: random.Random) -> str:
    """A member of one family, before mutations; it may be ill typed where two choices do not fit."""
    sections = _sections()
    families = [section for section in sections.values() if section.weight]
    family = random.choices(families, [section.weight for section in families])[0]
    text = family.text
    while _PART.search(text):
        text = _PART.sub(lambda part: sections[part[1]].text, text)
    functors, _, schedule = text.partition("\n---\n")
    schedule = chosen(random, schedule or sections["loops"].text)
    body = chosen(random, f"{sections['tally'].text}\n{functors}\n")
    if re.search(r"\bd\[dst\] (== -1|< 0)|\(d\[dst\], -1", body) and random.random() < 0.5:
        schedule = f"d[0] = 0;\n{schedule}"
    spare = [line for line in sections["spare"].text.splitlines() if _is_said(line, body + schedule)]
    problem = chosen(random, "\n".join((sections["data"].text, *spare)))
    if random.random() < _NAMELESS:
        text = f"{body}{schedule}{problem}"
        lines = problem.splitlines()
        problem = "\n".join(
            line for line in lines if not _OF_EDGES.search(line) or _is_said(line, text.replace(line, ""))
        )
    lines = [line for line in f"{body}schedule {{\n{schedule}\n}}\n".splitlines() if line.strip()]
    text = "\n".join(("program shaped;", "problem {", problem, "}", *lines, ""))
    return _on_any_ids(text) if random.random() < _ANY_IDS else text


def _on_any_ids(text: str) -> str:
    """`text` with inputs and params for ids that are numbers, as far as its forms are known."""
    for number, given in _NUMBERS:
        text = re.sub(number, given, text)
    return text.replace("problem {", "problem {\n    param v0 : vertex;\n    param v1 : vertex;", 1)


def _is_said(declaration: str, text: str) -> bool:
    name = _NAME.search(declaration)
    return name is not None and re.search(rf"\b{name[1]}\b", text) is not None


def chosen(random: random.Random, text: str) -> str:
    """`text` with every choice made, the innermost first."""
    while "$[" in text:
        start = text.rindex("$[")
        end = text.index("$]", start)
        forms = [form.strip() for form in text[start + 2 : end].split("$|")]
        form = forms[0] if random.random() < _FIRST else random.choice(forms)
        text = f"{text[:start]}{form}{text[end + 2 :]}"
    return text
