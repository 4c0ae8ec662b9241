"""From a text, a file or the name of a sample to a `Program`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gdsl.api.loading import load, types_of
from gdsl.api.program import Program
from gdsl.diagnostics import GdslError, shown
from gdsl.files import path_name
from gdsl.imports import importing_from, with_imports
from gdsl.packages import settings
from gdsl.program_files import TEXT, read_program, read_source
from gdsl.source import Source

if TYPE_CHECKING:
    from gdsl.api.tuned import Picker

TuneWords = Mapping[str, object] | Sequence[str]


def compile(  # noqa: A001
    path_or_text: str | os.PathLike[str],
    *,
    tune: TuneWords = (),
    fuse: bool | None = None,
    tune_file: str | os.PathLike[str] | None = None,
    types: Mapping[str, object] | None = None,
    import_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> Program:
    """Compile a program, given as a path, as the name of a sample (``gdsl.compile("bfs")``) or as text.

    A path-like object is a path; a str is text if it has a line end, a `;` or a `{` and no file has that name. A bare
    name means the file of that name, or NAME.gdsl in the working directory, or the sample. `tune` is what `--tune`
    takes, as words (``["visit.direction=pull"]``) or as a mapping (``{"visit.direction": "pull"}``); `fuse` stands for
    ``schedule.fuse``. `tune_file` was written by `gdslc tune`: runs on graphs like those that it knows take their knobs
    from it (see `Result.tuned`); `tune` takes precedence. `types` chooses the types of type parameters
    (``{"weight_type": "int64"}``, or a dtype), which calls otherwise infer from their arguments. `import_path` are
    folders that the program may import files from besides its own, as with `--import-path`. Code that depends on the
    graph's id width is generated when the program is first called, or by `Program.prepare`; so are other instances of a
    program with type parameters, which is checked here for all types that it admits. Raises `gdsl.GdslError` with every
    mistake in the program, its path or its tuning, TypeError for arguments of a wrong kind.
    """
    started = time.perf_counter()
    words = tune_words(tune, fuse)
    source = read_source(path_or_text)
    file = None if tune_file is None else path_name(tune_file, "tune_file is a str or a path-like object")
    names = _folders(import_path)
    try:
        with importing_from(names):
            return _compiled(source, words, started, file, types)
    except GdslError as error:
        raise _with_what_it_was_taken_for(error, source) from None


def _folders(import_path: object) -> list[str]:
    """The folders of an import path. Raises TypeError."""
    wanted = "import_path is a folder or several, each a str or a path-like object"
    if isinstance(import_path, str | os.PathLike | bytes) or not isinstance(import_path, Iterable):
        return [path_name(import_path, wanted)]
    return [path_name(folder, wanted) for folder in import_path]


def compile_file(
    word: str,
    tune: Sequence[str] = (),
    tune_file: str | bool = False,
    types: Mapping[str, object] | None = None,
) -> Program:
    """Compile what the command line calls PROGRAM: a file, `-` for standard input, or the name of a sample; never text.
    `tune_file` is the name of one, or True for the one next to the program, if there is one; `types` as in `compile`.
    Raises `gdsl.GdslError`."""
    started = time.perf_counter()
    source = read_program(word)
    file = tune_file if isinstance(tune_file, str) else _beside(source) if tune_file else None
    return _compiled(source, tuple(tune), started, file, types)


def compile_source(
    source: Source,
    words: Sequence[str] = (),
    tune_file: str | None = None,
    types: Mapping[str, object] | None = None,
) -> Program:
    """Compile a text that has a name already, with the words of `--tune`. Raises `gdsl.GdslError`."""
    return _compiled(source, tuple(words), time.perf_counter(), tune_file, types)


def _compiled(
    source: Source,
    words: tuple[str, ...],
    started: float,
    tune_file: str | None,
    types: Mapping[str, object] | None = None,
) -> Program:
    packed_words, packed_types = settings(source.name)
    words = (*packed_words, *words)
    if packed_types and (types is None or isinstance(types, Mapping)):
        types = {**packed_types, **({} if types is None else types)}
    source = with_imports(source)
    program = load(source, words)
    chosen = {}
    if types is not None:
        from gdsl.binding.type_parameters import chosen_types

        chosen = chosen_types(program, types)
        program = load(source, words, types_of(program, chosen))
    picker = None if tune_file is None else _picker(tune_file, source, words)
    return Program(program, source, words, (time.perf_counter() - started) * 1000, picker, chosen)


def _beside(source: Source) -> str | None:
    from gdsl.api.tune_files import is_there, tune_path

    path = tune_path(source)
    return path if path is not None and is_there(path) else None


def _picker(path: str, source: Source, words: tuple[str, ...]) -> Picker:
    from gdsl.api.tune_files import read_file
    from gdsl.api.tuned import Picker

    return Picker(read_file(path, source), words)


def _with_what_it_was_taken_for(error: GdslError, source: Source) -> GdslError:
    """Add a note if a one-line str does not even parse: it may have been meant as a path."""
    first = error.diagnostics[0]
    looks_right = "\n" in source.text or source.text.lstrip().startswith(("program", "#", '"""'))
    if source.name != TEXT or looks_right or not first.code.startswith("E01"):
        return error
    note = "the str was taken for a program's text, as it has a `;` or a `{` and no file has this name"
    return GdslError((replace(first, notes=(*first.notes, note)), *error.diagnostics[1:]), error.source)


def tune_words(tune: TuneWords, fuse: bool | None) -> tuple[str, ...]:
    """Tuning as words, as on the command line; of two words for one knob the later one counts. Raises TypeError."""
    if fuse is not None and not isinstance(fuse, bool):
        raise TypeError(f"fuse must be True, False or None, not {shown(fuse)}")
    words: list[str] = []
    if (
        type(tune) is tuple and not tune
    ):  # the isinstance test for Mapping takes a tenth of a millisecond the first time
        pass
    elif isinstance(tune, str):
        words = [tune]
    elif isinstance(tune, Mapping):
        words = [f"{_word(knob)}={_knob_text(value)}" for knob, value in tune.items()]
    else:
        words = [_word(word) for word in _iterator(tune)]
    if fuse is not None:
        words.append(f"schedule.fuse={'on' if fuse else 'off'}")
    return tuple(words)


def _iterator(tune: object) -> Iterator[object]:
    try:
        if not isinstance(tune, bytes | bytearray):
            return iter(tune)  # type: ignore[call-overload,no-any-return]
    except TypeError:
        pass
    raise TypeError(f"tune must be words such as 'visit.direction=pull' or a mapping, not {shown(tune)}")


def _word(word: object) -> str:
    if not isinstance(word, str):
        raise TypeError(f"tune has words such as 'visit.direction=pull', not {shown(word)}")
    return word


def _knob_text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str) or (isinstance(value, int) and abs(value) < 2**63):
        return str(value)
    raise TypeError(f"a tuning knob is a str, a bool or an int, not {shown(value)}")
