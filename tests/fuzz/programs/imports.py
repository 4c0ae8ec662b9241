"""Programs whose definitions are moved into files that they import: they mean what they did, or are refused alike."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

from gdsl.diagnostics import GdslError
from gdsl.ir.printer import print_program
from gdsl.pipeline import load
from gdsl.source import Source

_FILE, _FURTHER = "common.gdsl", "further.gdsl"
_HEAD = re.compile(r"(?:vertex functor|edge functor|function|procedure) (\w+)\(")
_BEHIND = re.compile(r"\} (procedure \w+\()")
_PLACE = re.compile(r"\bline \d+| ?(?:of|in)? ?\b(?:common|further|program)\.gdsl(?::[\d:]+)?")


def split(random: Random, text: str) -> Source | None:
    """`text` with some of its definitions in a file of their own; None where it has none that are one line."""
    lines = _BEHIND.sub(r"}\n\1", text).splitlines()
    whole = {place: found[1] for place, line in enumerate(lines) if (found := _definition(line))}
    moved = [place for place in whole if random.random() < 0.6]
    if not moved:
        return None
    rest = [line for place, line in enumerate(lines) if place not in moved]
    head = next(place for place, line in enumerate(rest) if line.startswith("program "))
    second = [place for place in moved if random.random() < 0.4]
    first = [place for place in moved if place not in second]
    while back := [place for place in second if {whole[each] for each in first} & _words(lines[place])]:
        first, second = first + back, [place for place in second if place not in back]
    texts = [[lines[place] for place in places] for places in (first, second)]
    names = [[whole[place] for place in places] for places in (first, second)]
    texts[0].insert(0, _imported(random, names[1], _FURTHER, texts[0]))
    asked = [(names[0], _FILE), (names[1], _FURTHER)]
    rest[head + 1 : head + 1] = [_imported(random, each, file, rest) for each, file in asked]
    files = [Source(name, "\n".join(each), ()) for name, each in zip((_FILE, _FURTHER), texts, strict=True)]
    return Source("program.gdsl", "\n".join(rest), tuple(files))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _imported(random: Random, names: list[str], file: str, users: list[str]) -> str:
    """The import of those names that `users` have, now and then of the others too."""
    said = _words(" ".join(users))
    asked = [name for name in names if name in said or random.random() < 0.2]
    return f'import {", ".join(asked)} from "{file}";' if asked else ""


def _definition(line: str) -> re.Match[str] | None:
    """The head of a definition that is the whole line."""
    alone = line.count("{") == line.count("}") and line.rstrip().endswith("}")
    return _HEAD.match(line) if alone else None


def misread(random: Random, text: str) -> str | None:
    """What is wrong with a program that imports a part of `text`; None where all is well."""
    source = split(random, text)
    if source is None or source.imported is None:
        return None
    wanted, found = _said(Source("program.gdsl", text, ())), _said(source)
    if wanted == found:
        return None
    missing, more = wanted - found, found - wanted
    shown = "\n".join([*(f"- {line}" for line in missing), *(f"+ {line}" for line in more)])
    files = "\n".join(f"# {each.name}\n{each.text}" for each in source.imported)
    return f"not the same with imports:\n{shown}\n{source.text}\n\n{files}"


def _said(source: Source) -> Counter[str]:
    """The lines of the IR without places, or the codes of the mistakes."""
    try:
        return Counter(_PLACE.sub("", line) for line in print_program(load(source)).splitlines()[1:])
    except GdslError as error:
        return Counter({each.code for each in error.diagnostics})
