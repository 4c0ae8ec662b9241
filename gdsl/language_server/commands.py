"""The commands of code lenses: they run `gdslc` on the text as it is in the editor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gdsl.explanation.facts import Facts
from gdsl.ir import nodes as ir
from gdsl.language_server.documents import Document
from gdsl.language_server.hints import CUDA, PLAN, PROFILE, RUN
from gdsl.types import Type

SECONDS = 60
"""The time limit of a run."""
_SUFFIXES = {RUN: "run.txt", PROFILE: "profile.txt", PLAN: "plan.txt", CUDA: "cu"}


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, and the file name to show it under."""

    name: str
    text: str


def output(command: str, document: Document, facts: Facts | None) -> Output:
    """Run a command; messages are output, too."""
    name = next((each.name for each in document.outline.declarations if each.kind == "program"), "program")
    words = list(_words(command, facts))
    folder = os.path.dirname(document.path)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gdsl", *words],
            input=document.text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS + 30,
            cwd=folder if os.path.isdir(folder) else None,
            check=False,
        )
        text = done.stdout
    except subprocess.TimeoutExpired:
        text = f"gdslc did not end within {SECONDS + 30} seconds\n"
    shown = " ".join("PROGRAM" if word == "-" else word for word in words)
    comment = "//" if command == CUDA else "#"
    return Output(f"{name}.{_SUFFIXES[command]}", f"{comment} gdslc {shown}\n\n{text}")


def _words(command: str, facts: Facts | None) -> Iterator[str]:
    if command == PLAN:
        yield from ("compile", "-", "--emit", "plan")
    elif command == CUDA:
        yield from ("compile", "-")
    else:
        yield from ("profile" if command == PROFILE else "run", "-", "karate", "--timeout", str(SECONDS))
        if facts is not None:
            yield from _arguments(facts.program)


def _arguments(program: ir.Program) -> Iterator[str]:
    """A value for each param that must be given, and weights where the program has an input over edges."""
    for param in program.params:
        if param.default is None:
            yield from ("-p", f"{param.name}={_value(param.type)}")
    for array in program.arrays:
        if array.is_set:
            yield from ("-p", f"{array.name}=0")
    if any(array.is_input and array.name == "weight" for array in program.arrays):
        yield from ("--weights", "random:100")


def _value(type_: Type) -> str:
    return "true" if type_ is Type.BOOL else "0" if type_.is_id else "1"


def write(folder: Path, shown: Output) -> Path:
    """The file of an output, for the editor to open."""
    path = folder / shown.name
    path.write_text(shown.text, encoding="utf-8")
    return path
