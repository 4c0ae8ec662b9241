"""Finds the file that a word for a program means, and reads programs, before anything of the compiler is imported."""

from __future__ import annotations

import difflib
import errno
import itertools
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from gdsl import files, packages
from gdsl.diagnostics import GdslError, printable, shell_word
from gdsl.graph_names import COMPRESSED, SUFFIXES, come_along
from gdsl.resources import resource_directory
from gdsl.source import Source

SUFFIX = ".gdsl"
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_FILES = 1000
"""The most files of a directory that are compared with a misspelled name."""
_MOST_NAMED = 8
_PROGRAM_FIRST = "name the program before it: gdslc run bfs {}"
LARGEST_PROGRAM = 1 << 20
"""The most bytes of a program's text; a longer file is something else, passed by mistake."""

TEXT = "<text>"
"""The name of a program that was passed as text."""

STANDARD_INPUT = "<stdin>"
"""The name of a program from standard input."""

_DECLARES = re.compile(rb"\b(program|import|function|procedure|operator|functor)\b")
_TEXT_SIGNS = "\r\n;{"
_TOO_LONG = f"it is longer than {LARGEST_PROGRAM:,} bytes, which no program is"


def samples() -> dict[str, str]:
    """The paths of the programs that come with gdsl, by their names."""
    folder = resource_directory("samples")
    return {path.stem: str(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}


def meant_by(word: str) -> str:
    """The path that `word` means: a file of that name; for a bare name, NAME.gdsl here, or the sample; for
    PACKAGE:PROGRAM, the file of an installed package."""
    if _BARE.fullmatch(word) is None:
        return word if ":" not in word or _is_taken(word) else packages.path_of(word) or word
    if _is_taken(word):
        return word
    if _is_taken(word + SUFFIX):
        return word + SUFFIX
    return _samples_if_any().get(word, word)


def _is_taken(name: str) -> bool:
    """Whether anything but a directory has this name."""
    return os.path.lexists(name) and not os.path.isdir(name)


@dataclass(slots=True)
class Missing:
    """What a message says about a missing program."""

    notes: list[str] = field(default_factory=list)
    fix: str | None = None


def missing(word: str) -> Missing:
    """Where `word` was looked for, which programs there are, and which one was probably meant."""
    known = _samples_if_any()
    near = list(itertools.islice(_programs_near(word), _MOST_FILES))
    notes = []
    if _BARE.fullmatch(word) is not None and len(word) < 100:
        notes.append(f"looked for the files {word} and {word}{SUFFIX}, and for a sample called {word}")
    if word in come_along():
        return Missing([f"{word} is a graph that comes with gdsl"], _PROGRAM_FIRST.format(word))
    if _is_graph_name(word):
        return Missing(["its name is that of a graph file"], _PROGRAM_FIRST.format(shell_word(word)))
    if near:
        notes.append(f"programs there: {_listed(near)}")
    if known:
        notes.append(f"samples, as `gdslc samples` lists them: {_listed(list(known))}")
    return Missing(notes, _meant(word, near, known))


def _is_graph_name(word: str) -> bool:
    stem, suffix = os.path.splitext(word.lower())
    return (os.path.splitext(stem)[1] if suffix in COMPRESSED else suffix) in SUFFIXES


def _samples_if_any() -> dict[str, str]:
    try:
        return samples()
    except OSError:  # an incomplete installation
        return {}


def _meant(word: str, near: list[str], known: dict[str, str]) -> str | None:
    name = os.path.basename(word).removesuffix(SUFFIX).lower()
    stems = {os.path.basename(path).removesuffix(SUFFIX).lower(): path for path in near}
    candidates = {**{stem: stem for stem in known}, **stems}
    close = difflib.get_close_matches(name[:100], candidates, n=1)
    if not close:
        return None
    closest = candidates[close[0]]
    return f"did you mean {printable(closest)}{', a sample' if closest in known else ''}?"


def _programs_near(word: str) -> Iterator[str]:
    """The programs in the directory of `word`, as paths like it."""
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
    """One line for a name that no sample has: it is a graph, or these are the samples, and one was probably meant."""
    path = come_along().get(word)
    if path is not None:
        uses = f"gdslc run bfs {word}, or gdsl.Graph.read({word!r}) in Python"
        return f"{word} is a graph, not a program: {uses}; its file is {printable(path)}"
    known = _samples_if_any()
    close = difflib.get_close_matches(word[:100], known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"there is no sample {printable(word[:100])!r}; there are {', '.join(known) or 'none'}{hint}"


def read_source(path_or_text: str | os.PathLike[str]) -> Source:
    """The text and the name of a program, given as its path or as text.

    A path-like object is a path. A str is a path, or the name of a sample (`meant_by`), where a file has
    that name or where it has no line end, `;` or `{`, else it is the text. Raises TypeError for anything else, and what
    `read_file` raises.
    """
    if isinstance(path_or_text, str):
        if _is_text(path_or_text):
            if len(path_or_text.encode("utf-8", "surrogatepass")) > LARGEST_PROGRAM:
                raise _unreadable(TEXT, _TOO_LONG)
            return Source(TEXT, path_or_text.removeprefix("\ufeff"))
        note = "the str was taken for a path; a program's text has a `;` or a `{`"
        return read_file(meant_by(path_or_text), note)
    name = files.path_name(path_or_text, "a program is given as a str or a path-like object")
    return read_file(name)


def programs_meant(words: Iterable[str]) -> list[str]:
    """`words` with the programs in each directory, and in those below it, in place of its name; hidden directories and
    links to directories are passed over, and what is not a file. Raises E0113 for a directory without programs."""
    names: list[str] = []
    for word in words:
        if word == "-" or not os.path.isdir(word) or os.path.isfile(meant_by(word)):
            names.append(word)
            continue
        inside = sorted(_programs_below(word))
        if not inside:
            raise _unreadable(word, f"it is a directory, and no file in it ends in {SUFFIX}")
        names += inside
    return list(dict.fromkeys(names))


def _programs_below(folder: str) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (os.path.join(where, name) for name in names if name.endswith(SUFFIX))
        yield from (path for path in paths if not _is_special(path))


def _is_special(path: str) -> bool:
    """Whether this is a pipe, a socket or a device: reading one could wait forever. A dangling link is not one."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:  # reading it says what is wrong
        return False


def read_program(word: str) -> Source:
    """What the command line calls PROGRAM: a file, `-` for standard input, or the name of a sample. Raises as
    `read_file`."""
    if word != "-":
        return read_file(meant_by(word))
    try:
        with open(0, "rb", closefd=False) as file:
            return _decoded(STANDARD_INPUT, file)
    except OSError as error:
        closed = error.errno in (errno.EBADF, errno.EISDIR)  # `gdslc` puts a directory where nothing was open
        why = "standard input is closed" if closed else error.strerror or str(error)
        raise _unreadable(STANDARD_INPUT, why) from None


def read_file(name: str, note: str | None = None) -> Source:
    """The text of the program file `name`; a `note` says more where there is no such file.

    Raises E0113 for a file that cannot be read or is too long, E0104 for one that is not UTF-8 text.
    """
    if not name:
        raise _unreadable(name, "its name is empty", note)
    try:
        with open(name, "rb") as file:
            return _decoded(name, file)
    except ValueError:
        raise _unreadable(name, "a path has no NUL character", note) from None
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise _missing_file(name, error.strerror or str(error), note) from None
        raise _unreadable(name, error.strerror or str(error), note) from None


def _decoded(name: str, file: BinaryIO) -> Source:
    content = file.read(LARGEST_PROGRAM + 1)
    if _is_graph_name(name) and content.strip() and _DECLARES.search(content) is None:
        fix = _PROGRAM_FIRST.format(shell_word(name))
        raise GdslError.single("E0113", "this is a graph file by its name, not a program", fix=fix, place=name)
    if len(content) > LARGEST_PROGRAM:
        raise _unreadable(name, _TOO_LONG)
    try:
        return Source(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"the program is not UTF-8 text (byte {error.start}); is it a .gdsl file?"
        raise GdslError.single("E0104", message, place=name) from None


def _is_text(word: str) -> bool:
    if not any(sign in word for sign in _TEXT_SIGNS):
        return False
    try:
        os.lstat(word)  # a link to nowhere is meant as a path too
    except (OSError, ValueError):
        return True
    return False


def _unreadable(name: str, why: str, note: str | None = None) -> GdslError:
    notes = (note,) if note else ()
    return GdslError.single("E0113", f"cannot read the program: {why}", notes=notes, place=name or None)


def _missing_file(name: str, why: str, note: str | None) -> GdslError:
    if packages.is_word(name):
        what, package_notes, fix = packages.why_missing(name)
        return GdslError.single("E0113", f"cannot read the program: {what}", fix=fix, notes=package_notes, place=name)
    has_suffix = not name.endswith(SUFFIX) and os.path.isfile(name + SUFFIX)
    absent = missing(name)
    fix = f"did you mean {printable(name)}{SUFFIX}?" if has_suffix else absent.fix
    fix = files.not_as_url(name) or fix
    notes = (*((note,) if note else ()), *absent.notes)
    return GdslError.single("E0113", f"cannot read the program: {why}", fix=fix, notes=notes, place=name)
