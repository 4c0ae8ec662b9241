"""Mutated programs through the whole compiler: whatever the text, the answer is a program or a `GdslError`."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
import time
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fuzz.campaign import Finding
from gdsl.api.program import Program
from gdsl.deadline import interrupting, limited
from gdsl.diagnostics import Diagnostic, GdslError, is_whole
from gdsl.pipeline import load_source
from gdsl.resources import resource_directory
from gdsl.source import NOWHERE, Source, Span

SLOWEST = 5.0
"""Seconds of processor time in which every text must be answered."""
_GIVEN_UP = 60.0
_MOST_SHOWN = 4_000
_COMPILED, _RUN = 0.02, 0.2
"""How often the C++ of an accepted program is compiled, and how often the program is run."""
_ODD = (
    *"\0\t\v\f\r\x1b\x7f\x85\xa0\xad\u0661\u07c1\uff11\uff41\u0430\u0391\u0131\u017f\xb5\xe9\xb2\xbd",
    *"\u200b\u200d\u200e\u2028\u2029\u202e\u2066\ufeff\ufffd\ud800\udfff\U0001f600≤≠→∞−“”'\"`\\$@~#",
    *("/*", "*/", "//", "-->", '"""', "\r\n", "??/", "\\\n"),
)
_NUMBERS = (
    *("0", "00", "0777", "1_000", "1.", ".5", "1e", "1e400", "1e-400", "0x", "0xg", "0x7fffffff", "2147483647"),
    *("2147483648", "-2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "1.5", "1e38"),
    *("18446744073709551615", "18446744073709551616", "3.5e38", "1.0f", "0b1", "inf", "none", "-1", "true", "9" * 5000),
)
_BOMBS = (
    ("(", "1", ")"),
    ("!", "true", ""),
    ("-", "1", ""),
    ("~", "1", ""),
    ("min(1, ", "1", ")"),
    ("int32(", "1", ")"),
    ("1 + (", "1", ")"),
    ("true ? 1 : ", "0", ""),
    ("if (true) { ", "", "}"),
    ("if (true) { } else ", "{ }", ""),
    ("while (false) { ", "", "}"),
    ("for i in 0..2 { ", "", "}"),
    ("repeat (2) { ", "", "}"),
    ("{", "", "}"),
    ("[", "0", "]"),
    ("", "", " + 1"),
    ("", "true", " && true"),
    ("", "", "; "),
)
Mutation = Callable[[random.Random, str], str]
_TOKEN = re.compile(r'"""|\w+|[^\w\s]|\s+')


@cache
def _seeds() -> tuple[str, ...]:
    """The samples, and in a checkout the programs of the tests."""
    folders = [resource_directory("samples"), resource_directory("samples").parent / "tests" / "programs"]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.gdsl"))]
    return tuple(file.read_text(encoding="utf-8") for file in files)


@cache
def _vocabulary() -> tuple[str, ...]:
    return tuple(sorted({token for text in _seeds() for token in _TOKEN.findall(text)}))


def case(generator: random.Random) -> str:
    """One program, mutated."""
    return answer(mutated(generator.choice(_seeds()), generator), generator)


def mutated(text: str, generator: random.Random) -> str:
    """`text` with something deleted, doubled, swapped, replaced, spliced, nested or repeated in it."""
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        mutation: Mutation = generator.choice(_MUTATIONS)
        text = mutation(generator, text)
    return text


def answer(text: str, generator: random.Random) -> str:
    """What the compiler says to `text`: the code of its first message, or ``accepted``. Raises `Finding`."""
    source = Source("fuzz.gdsl", text)
    started = time.process_time()
    try:
        with limited(_GIVEN_UP), interrupting():
            program = Program(load_source(source), source)
            texts = [program.source(language) for language in ("cuda", "cpp")]
        said = "accepted"
    except GdslError as error:
        if error.code == "E0802":
            raise _finding(f"no answer after {_GIVEN_UP:g} s", text) from None
        said, program, texts = error.code, None, []
        _check_message(error, source)
    except Exception as error:
        raise _finding(f"{type(error).__name__}: {error}", text) from error
    taken = time.process_time() - started
    if taken > SLOWEST:
        raise _finding(f"{said} after {taken:.1f} s", text)
    if program is not None:
        if generator.random() < _COMPILED:
            _compile(texts[1], text)
        if generator.random() < _RUN:
            said = f"run: {_run(program, text)}"
    return said


def _check_message(error: GdslError, source: Source) -> None:
    """Every place of a message is one of the text, and the code of a fix is whole."""
    rendered = str(error)
    if "Traceback" in rendered or not rendered.strip():
        raise _finding(f"the message {rendered!r}", source.text)
    for diagnostic in error.diagnostics:
        if diagnostic.fix is not None and not is_whole(diagnostic.fix):
            raise _finding(f"{diagnostic.code} suggests a part of the code: {diagnostic.fix}", source.text)
        for span in _places(diagnostic):
            if not _is_inside(span, source.text):
                raise _finding(f"{diagnostic.code} at {span}, which is not in the text", source.text)


def _places(diagnostic: Diagnostic) -> list[Span]:
    own = [diagnostic.span] if diagnostic.span is not None else []
    return [span for span in (*own, *(label.span for label in diagnostic.labels)) if span != NOWHERE]


def _is_inside(span: Span, text: str) -> bool:
    lines = text.split("\n")
    starts_inside = 1 <= span.line <= len(lines) and 1 <= span.column <= len(lines[span.line - 1]) + 1
    ordered = (span.line, span.column) <= (span.end_line, span.end_column)
    return starts_inside and ordered and span.end_line <= len(lines) + 1


def _compile(text: str, program: str) -> None:
    """The C++ compiler, where there is one, has nothing to say about generated text."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        return
    with tempfile.TemporaryDirectory(prefix="gdsl-fuzz-") as folder:
        file = Path(folder, "program.cpp")
        file.write_text(text, encoding="utf-8")
        command = [compiler, "-std=c++17", "-fopenmp", "-fsyntax-only", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise _finding(f"the C++ compiler refuses the text of an accepted program:\n{done.stderr[:1500]}", program)


def _run(program: Program, text: str) -> str:
    """A run on a small graph, by interpretation: a result, or a `GdslError`."""
    from gdsl import Graph

    graph = Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 0, 2])
    values: dict[str, object] = {param.name: 0 for param in program.ir.params}
    values |= {
        array.name: [1] * (4 if array.domain.value == "vertex" else 5) for array in program.ir.arrays if array.is_input
    }
    values |= {scalar.name: 1 for scalar in program.ir.scalars if scalar.is_input}
    started = time.monotonic()
    try:
        program.run(graph, values, backend="reference", timeout=1.0, max_iterations=50)
        said = "a result"
    except GdslError as error:
        said = error.code
    except Exception as error:
        raise _finding(f"running it: {type(error).__name__}: {error}", text) from error
    if time.monotonic() - started > 3 * SLOWEST:
        raise _finding("a run of one second did not stop", text)
    return said


def _finding(what: str, text: str) -> Finding:
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}… ({len(text):,} characters)"
    visible = "".join(c if c == "\n" or unicodedata.category(c)[0] not in "CZ" or c == " " else ascii(c) for c in shown)
    return Finding(f"{what}\n{visible}")


# ---------------------------------------------------------------- mutations


def _tokens(generator: random.Random, text: str) -> tuple[list[str], int]:
    tokens = _TOKEN.findall(text) or [""]
    return tokens, generator.randrange(len(tokens))


def _delete(generator: random.Random, text: str) -> str:
    tokens, place = _tokens(generator, text)
    del tokens[place : place + generator.choice((1, 1, 1, 2, 10))]
    return "".join(tokens)


def _double(generator: random.Random, text: str) -> str:
    tokens, place = _tokens(generator, text)
    tokens[place] *= 2
    return "".join(tokens)


def _swap(generator: random.Random, text: str) -> str:
    tokens, place = _tokens(generator, text)
    other = generator.randrange(len(tokens))
    tokens[place], tokens[other] = tokens[other], tokens[place]
    return "".join(tokens)


def _replace(generator: random.Random, text: str) -> str:
    tokens, place = _tokens(generator, text)
    words: tuple[str, ...] = generator.choice((_vocabulary(), _vocabulary(), _NUMBERS, tuple(tokens)))
    tokens[place] = generator.choice(words)
    return "".join(tokens)


def _replace_alike(generator: random.Random, text: str) -> str:
    """A name by a name, a number by a number: what has a chance to be accepted."""
    tokens, place = _tokens(generator, text)
    alike = [other for other in tokens if other[:1].isalpha() == tokens[place][:1].isalpha() and not other.isspace()]
    candidates: list[str] = alike or tokens
    tokens[place] = generator.choice(candidates)
    return "".join(tokens)


def _odd(generator: random.Random, text: str) -> str:
    place = generator.randrange(len(text) + 1)
    odd: str = generator.choice(_ODD)
    return text[:place] + odd + text[place:]


def _splice(generator: random.Random, text: str) -> str:
    lines, others = text.split("\n"), generator.choice(_seeds()).split("\n")
    place, start = generator.randrange(len(lines)), generator.randrange(len(others))
    lines[place:place] = others[start : start + generator.randint(1, 12)]
    return "\n".join(lines)


def _cut(generator: random.Random, text: str) -> str:
    return text[: generator.randrange(len(text) + 1)]


def _bomb(generator: random.Random, text: str) -> str:
    """Something that opens often: an expression in the place of a number, statements in front of one."""
    opening, middle, closing = generator.choice(_BOMBS)
    count = generator.choice((2, 10, 60, 150, 250, 1_000))
    tokens = _TOKEN.findall(text) or [""]
    is_statement = "{" in opening and len(opening) > 1
    places = [i for i, token in enumerate(tokens) if (token == ";" if is_statement else token.isdigit())]
    place = generator.choice(places or range(len(tokens)))
    rest = tokens[place] if is_statement else ""
    tokens[place] = rest + opening * count + (middle or ("" if rest else tokens[place])) + closing * count
    return "".join(tokens)


def _repeat(generator: random.Random, text: str) -> str:
    lines = text.split("\n")
    place = generator.randrange(len(lines))
    lines[place : place + 1] = [lines[place]] * generator.choice((2, 20, 300))
    return "\n".join(lines)


def _soup(generator: random.Random, text: str) -> str:
    words = [generator.choice(_vocabulary()) for _ in range(generator.randint(1, 40))]
    return "program p; schedule { " + " ".join(words)


_MUTATIONS: tuple[Mutation, ...] = (
    *(_delete, _double, _swap, _replace, _odd, _splice, _cut, _repeat, _soup),
    *(_replace_alike, _replace_alike, _replace_alike, _replace_alike, _replace_alike, _replace_alike),
    *(_bomb, _bomb),
)
