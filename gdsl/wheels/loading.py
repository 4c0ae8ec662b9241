"""What a package of programs calls: its programs, and the comparison of its test."""

from __future__ import annotations

import json
from pathlib import Path

from gdsl.api.compiling import compile_file
from gdsl.api.program import Program
from gdsl.api.schedules import differences
from gdsl.backends import registry
from gdsl.packages import find, why_missing
from gdsl.wheels import answers

ANSWERS = "answers"
"""The folder of the answers in a package."""


def program_of(package: str, name: str) -> Program:
    """The program `name` of a `package`, compiled as it was packed. AttributeError if it has none of that name."""
    package_ = find(package)
    if package_ is None or name not in package_.programs:
        what, notes, fix = why_missing(f"{package}:{name}")
        raise AttributeError("; ".join([what, *notes, *([fix] if fix else [])]))
    return compile_file(f"{package}:{name}")


def usable_backends(package: str) -> list[str]:
    """The backends that run on this machine; cuda without NVRTC too if the package has machine code for the GPU."""
    find(package)
    return [name for name in registry.NAMES if registry.availability(name).ok]


def differences_from_answer(package: str, name: str, backend: str = "auto") -> list[str]:
    """How the results of the program `name` differ from the answer that the package has; empty if they do not.

    Results that may differ from run to run are not compared, and float sums up to rounding. Raises as `Program.run`.
    """
    program, installed = program_of(package, name), find(package)
    assert installed is not None
    text = Path(installed.folder, ANSWERS, f"{name}.json").read_text(encoding="utf-8")
    graph, values, results = answers.read(json.loads(text))
    return list(differences(program.ir, results, program.run(graph, values, backend=backend)))
