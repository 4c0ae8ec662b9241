"""Campaigns whose generated C++ is checked by AddressSanitizer and UndefinedBehaviorSanitizer, which g++ has.

Their library must be the first that a process loads, so the campaigns run in a process of their own (`run_again`). Most
reports do not end it, and belong to the case that wrote them. After a wild access it ends; the case is the one whose
seed was noted last.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import TracebackType

from fuzz.campaign import Case, Finding
from gdsl.native import compiler as compilers

_FOLDER = "GDSL_FUZZ_SANITIZED"
"""The variable that names the folder of the reports, in the process with the sanitizers."""
_OPTIONS = (
    "-g1",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined",
    "-fsanitize-recover=address,undefined",
    "-D_GLIBCXX_ASSERTIONS",
)
_LIBRARIES = ("libasan.so", "libubsan.so", "libstdc++.so")
"""The last has what the first wants to find: how exceptions are thrown."""
_CASE, _REPORTS = "case", "reports"
_LONGEST = 6000
"""Letters of a report."""
_seen = 0
"""Letters of the reports that `check` has raised."""


class Reported(Exception):  # noqa: N818 (what the sanitizers say of generated text)
    """The words of a sanitizer."""


def is_on() -> bool:
    """Whether this process has the sanitizers."""
    return _FOLDER in os.environ


def begin() -> None:
    """Have generated C++ compiled with the sanitizers from now on; called before campaigns are imported."""
    if is_on():
        sys.excepthook = _print_exception
        compilers.OPTIONS = (*(option for option in compilers.OPTIONS if option != "-O3"), *_OPTIONS)


def _print_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print where the sanitizers do not write, so that it is seen."""
    traceback.print_exception(kind, error, trace, file=sys.stdout)


def check() -> None:
    """Raise `Reported` where the sanitizers have something to say since the last call."""
    global _seen
    if is_on():
        words = _reports(os.environ[_FOLDER])
        new, _seen = words[_seen:], len(words)
        if new:
            raise Reported(new[:_LONGEST])


def _reports(folder: str) -> str:
    return Path(folder, _REPORTS).read_text(encoding="utf-8", errors="replace")


def watched(case: Case) -> Case:
    """`case`, with a finding for what the sanitizers say of it."""

    def watch(random: Random) -> str | Counter[str]:
        answers = case(random)
        try:
            check()
        except Reported as report:
            raise Finding(str(report)) from None
        return answers

    return watch


def note(name: str, seed: int) -> None:
    """Note which case runs next, for the end of a process in the middle of it."""
    if is_on():
        Path(os.environ[_FOLDER], _CASE).write_text(f"--{name} --seed {seed}", encoding="utf-8")


def run_again(arguments: Sequence[str]) -> int:
    """Run the campaigns of a command line in a process with the sanitizers; gives its exit status. Raises ValueError
    where the compiler has none."""
    with tempfile.TemporaryDirectory(prefix="gdsl-fuzz-") as folder:
        status = run_command([str(Path(__file__).parent), *arguments], folder).returncode
        if status not in (0, 1):
            case = Path(folder, _CASE)
            if case.exists():
                print(f"\n--- python tests/fuzz {case.read_text(encoding='utf-8')} --count 1 --sanitize")
            print(f"ended with status {status}\n{_reports(folder)[-_LONGEST:]}")
        return int(status != 0)


def run_command(arguments: Sequence[str], folder: str, output: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python with the sanitizers, which report into a folder; `output` is the `stdout` of `subprocess.run`."""
    compiler = compilers.required_compiler()
    environment = {
        **os.environ,
        _FOLDER: folder,
        "LD_PRELOAD": " ".join(_library(compiler, name) for name in _LIBRARIES),
        "CXX": shlex.join(("env", "-u", "LD_PRELOAD", *compiler.command)),
        "ASAN_OPTIONS": "halt_on_error=0:detect_leaks=0:detect_odr_violation=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "GDSL_CACHE_DIR": f"{folder}/cache",
    }
    command = [sys.executable, "-W", "ignore", *arguments]
    with Path(folder, _REPORTS).open("ab") as reports:  # g++'s two together write to no other file
        return subprocess.run(command, env=environment, stdout=output, stderr=reports, text=True, check=False)


def _library(compiler: compilers.Compiler, name: str) -> str:
    command = [*compiler.command, f"-print-file-name={name}"]
    path = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    if not os.path.isabs(path):
        raise ValueError(f"{compiler} has no {name}: --sanitize needs g++ with its sanitizers")
    return os.path.realpath(path)
