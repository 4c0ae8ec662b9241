"""Deliberate mistakes in the templates, or in one program's generated text: each must turn something red.

They are listed by topic in `mistakes/*.diff`. Below a line that says what it is about, such a file has programs, each
up to an empty line, and then, below `@@ FILE`, the mistakes in that file of templates/cuda: `NAME | PROGRAM WORDS |
SHOWS`, and what becomes what, as in a diff without context. PROGRAM is one of this file, one that its test names, a
sample or one of tests/programs; WORDS tune it, or are `graph=FACT` or `stops`. Lines with # are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from support import bounds, local_rounds, near_far

GENERATED = "generated"
"""In place of a file: the change is made in the text of the program."""
_FOLDER = Path(__file__).parent / "mistakes"


@dataclass(frozen=True)
class Mutant:
    """`old` becomes `new` in a file under templates/cuda; a program then shows it as one of `shows`.

    `program` is a name or a text with a param `source`. `shows`: kinds of findings, "result" (a result or the trace
    differs from the reference) or "error" (the run itself ends with an error). `stops`: the host asks for a stop in the
    middle.
    """

    name: str
    file: str
    old: str
    new: str
    program: str
    shows: str
    words: tuple[str, ...] = ()
    stops: bool = False
    graph: tuple[str, ...] = ()
    """The facts about graphs that the plan is for."""


_MUTANT = re.compile(r"^([^-+].*) \| (.*) \| (.*)\n((?:-.*\n)+)((?:\+.*\n)*)", re.MULTILINE)


def mutants_in(topic: str, programs: Mapping[str, str] = MappingProxyType({})) -> Iterator[Mutant]:
    """The mistakes of one file, in which `programs` may have names beside its own."""
    programs = {**programs, **programs_in(topic)}
    for block in _blocks(topic, "@@ "):
        head, _, listed = block.partition("\n")
        assert not _MUTANT.sub("", listed).strip(), f"{topic}.diff: {_MUTANT.sub('', listed)}"
        for name, run, shows, *change in _MUTANT.findall(listed):
            old, new = ("\n".join(line[1:] for line in lines.splitlines()) for lines in change)
            program, *words = run.split()
            graph = tuple(word.removeprefix("graph=") for word in words if word.startswith("graph="))
            tune = tuple(word for word in words if word != "stops" and not word.startswith("graph="))
            yield Mutant(
                name,
                head.removeprefix("@@ "),
                old,
                new,
                programs.get(program, program),
                shows,
                tune,
                "stops" in words,
                graph,
            )


def programs_in(topic: str) -> dict[str, str]:
    """The texts of the programs of one file, by name."""
    blocks = _blocks(topic, "program ")
    return {block[len("program ") : block.index(";")]: block for block in blocks}


def _blocks(topic: str, beginning: str) -> list[str]:
    text = re.sub("^#.*\n", "", (_FOLDER / f"{topic}.diff").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [block + "\n" for block in text.split("\n\n") if block.startswith(beginning)]


_SHARED = {name: text for module in (bounds, local_rounds, near_far) for name, text in vars(module).items()}
ALL = [mutant for path in sorted(_FOLDER.glob("*.diff")) for mutant in mutants_in(path.stem, _SHARED)]
"""Those that programs show on one GPU."""
