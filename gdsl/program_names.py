"""Which file a word for a program means, and what to say where it means none."""

from __future__ import annotations

import difflib
import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gdsl.diagnostics import printable
from gdsl.resources import resource_directory

SUFFIX = ".gdsl"
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_FILES = 1000
"""Files of a directory that are looked at for a similar name."""
_MOST_NAMED = 8


def samples() -> dict[str, str]:
    """The paths of the programs that come with gdsl, by their names."""
    folder = resource_directory("samples")
    return {path.stem: str(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}


def meant_by(word: str) -> str:
    """The path that `word` means: a file of that name, else, for a bare name, NAME.gdsl here, else the sample."""
    if _BARE.fullmatch(word) is None or _is_taken(word):
        return word
    if _is_taken(word + SUFFIX):
        return word + SUFFIX
    return _samples_if_any().get(word, word)


def _is_taken(name: str) -> bool:
    """Whether there is anything of this name that could be meant as a program: all but directories."""
    return os.path.lexists(name) and not os.path.isdir(name)


@dataclass(slots=True)
class Missing:
    """What a message says of a program that there is not."""

    notes: list[str] = field(default_factory=list)
    fix: str | None = None


def missing(word: str) -> Missing:
    """Where `word` was looked for, what there is, and what was probably meant."""
    known = _samples_if_any()
    near = list(itertools.islice(_programs_near(word), _MOST_FILES))
    notes = []
    if _BARE.fullmatch(word) is not None and len(word) < 100:
        notes.append(f"looked for the files {word} and {word}{SUFFIX}, and for a sample called {word}")
    if near:
        notes.append(f"programs there: {_listed(near)}")
    if known:
        notes.append(f"samples, as `gdslc samples` lists them: {_listed(list(known))}")
    return Missing(notes, _meant(word, near, known))


def _samples_if_any() -> dict[str, str]:
    try:
        return samples()
    except OSError:  # of an installation that is incomplete
        return {}


def _meant(word: str, near: list[str], known: dict[str, str]) -> str | None:
    name = os.path.basename(word).removesuffix(SUFFIX).lower()
    stems = {os.path.basename(path).removesuffix(SUFFIX).lower(): path for path in near}
    candidates = {**{stem: stem for stem in known}, **stems}
    close = difflib.get_close_matches(name[:100], candidates, n=1)
    if not close:
        return None
    found = candidates[close[0]]
    return f"did you mean {printable(found)}{', a sample' if found in known else ''}?"


def _programs_near(word: str) -> Iterator[str]:
    """The programs in the directory in which `word` was looked for, as paths like it."""
    folder = os.path.dirname(word)
    try:
        names = sorted(itertools.islice(_names(folder or os.curdir), _MOST_FILES))
    except (OSError, ValueError):
        return
    yield from (os.path.join(folder, name) for name in names)


def _names(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        yield from (entry.name for entry in entries if entry.name.endswith(SUFFIX))


def _listed(names: list[str]) -> str:
    shown = ", ".join(printable(os.path.basename(name))[:60] for name in names[:_MOST_NAMED])
    return shown + (", …" if len(names) > _MOST_NAMED else "")


def missing_sample(word: str) -> str:
    """One line for a name that no sample has: what there is, and what was probably meant."""
    known = _samples_if_any()
    close = difflib.get_close_matches(word[:100], known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"there is no sample {printable(word[:100])!r}; there are {', '.join(known) or 'none'}{hint}"
