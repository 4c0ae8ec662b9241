"""From text or a file to a `Program`, through the cache."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from gdsl import cache
from gdsl.api.program import Program
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.source import Source

LARGEST_PROGRAM = 1 << 20
"""Bytes of program text that are accepted; a longer file is something else, given by mistake."""

TuneWords = Mapping[str, object] | Sequence[str]


def compile(path_or_text: str | os.PathLike[str], *, tune: TuneWords = (), fuse: bool | None = None) -> Program:  # noqa: A001
    """Compile a program, given as a path or as text (a string of more than one line or with a `{`).

    `tune` is what `--tune` takes, as words (``["visit.direction=pull"]``) or as a mapping
    (``{"visit.direction": "pull"}``); `fuse` stands for ``schedule.fuse``. What depends on the graph's id width is
    compiled when the program is first called, or by `Program.prepare`. Raises `gdsl.GdslError` with every mistake.
    """
    started = time.perf_counter()
    source = read_source(path_or_text)
    words = tune_words(tune, fuse)
    program = load(source, words)
    return Program(program, source, compile_ms=(time.perf_counter() - started) * 1000)


def tune_words(tune: TuneWords, fuse: bool | None) -> tuple[str, ...]:
    """Tuning as words, as on the command line; of two for one knob the later one counts."""
    if isinstance(tune, str):
        words = [tune]
    elif isinstance(tune, Mapping):
        words = [f"{knob}={_knob_text(value)}" for knob, value in tune.items()]
    else:
        words = list(tune)
    if fuse is not None:
        words.append(f"schedule.fuse={'on' if fuse else 'off'}")
    return tuple(words)


def load(source: Source, words: tuple[str, ...] = ()) -> ir.Program:
    """The IR of a program. The cache is looked up before the parser is imported."""
    key = (source.name, source.text, *words)
    kept = cache.get("front", key)
    if kept is not None:
        program = _unpickled(kept)
        if program is not None:
            return program
    from gdsl.pipeline import load_source

    program = load_source(source, words)
    cache.put("front", key, pickle.dumps(program, protocol=5))
    return program


def read_source(path_or_text: str | os.PathLike[str]) -> Source:
    """The text and the name of a program. Raises E0910 for a file that cannot be read as text."""
    if isinstance(path_or_text, str) and ("\n" in path_or_text or "{" in path_or_text):
        return Source("<text>", path_or_text)
    name = os.fspath(path_or_text)
    try:
        with Path(name).open("rb") as file:
            content = file.read(LARGEST_PROGRAM + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(name, getattr(error, "strerror", None) or str(error)) from None
    if len(content) > LARGEST_PROGRAM:
        raise _unreadable(name, f"it is longer than {LARGEST_PROGRAM:,} bytes, which no program is")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(name, f"it is not UTF-8 text (byte {error.start})") from None
    if "\0" in text:
        raise _unreadable(name, f"it is not text (a zero byte at {text.index(chr(0))})")
    return Source(name, text)


def _unreadable(name: str, why: str) -> GdslError:
    fix = None
    if not name.endswith(".gdsl") and Path(f"{name}.gdsl").is_file():
        fix = f"did you mean {name}.gdsl?"
    return GdslError.single("E0910", f"cannot read the program {name}: {why}", fix=fix)


def _unpickled(kept: bytes) -> ir.Program | None:
    """The cache has made sure that only this user could have written `kept`."""
    try:
        program = pickle.loads(kept)
    except Exception:
        return None
    return program if isinstance(program, ir.Program) else None


def _knob_text(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
