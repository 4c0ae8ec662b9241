"""From text or a file to a `Program`, through the cache."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Mapping, Sequence

from gdsl import cache
from gdsl.api.program import Program
from gdsl.ir import nodes as ir
from gdsl.program_text import read_source
from gdsl.recursion import make_room
from gdsl.source import Source

TuneWords = Mapping[str, object] | Sequence[str]


def compile(path_or_text: str | os.PathLike[str], *, tune: TuneWords = (), fuse: bool | None = None) -> Program:  # noqa: A001
    """Compile a program, given as a path or as text (a string with a line end, a `;` or a `{`).

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
    make_room()
    key = (source.name, source.text, *words)
    kept = cache.get("front", key)
    if kept is not None:
        program = _unpickled(kept)
        if program is not None:
            return program
    from gdsl import pipeline

    program = pipeline.load(source, words)
    cache.put("front", key, pickle.dumps(program, protocol=5))
    return program


def _unpickled(kept: bytes) -> ir.Program | None:
    """The cache has made sure that only this user could have written `kept`."""
    try:
        program = pickle.loads(kept)
    except Exception:
        return None
    return program if isinstance(program, ir.Program) else None


def _knob_text(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
