"""The standard headers of generated C++, read by g++ once for all tests: they take it longer than what is generated."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_PROGRAM = Path(__file__).parents[2] / "templates" / "cpu" / "program.cpp.j2"
_MEMORY = ("--param=ggc-min-heapsize=400000", "--param=ggc-min-expand=1000")
"""g++ does not look for room in its memory, where all that it has read of the headers lies: a little less time."""


@cache
def included(options: tuple[str, ...]) -> tuple[str, ...]:
    """The options by which C++ that is compiled with `options` finds its headers read, and takes less time; none where
    the compiler is not g++. Where others are used g++ reads the headers as they are."""
    compiler = shutil.which("c++")
    if compiler is None or "CXX" in os.environ:
        return ()
    told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    if "Free Software Foundation" not in told:
        return ()
    always = re.sub(r"{% if .*?{% endif %}", "", _PROGRAM.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = "".join(re.findall(r"^#include <.*>\n", always, re.MULTILINE))
    key = hashlib.sha256("\0".join((told, text, *options)).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir(), f"gdsl-headers-{os.getuid()}-{key}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():  # what lies there would be compiled into what this process loads
        return ()
    header = folder / "standard.h"
    if not header.with_suffix(".h.gch").exists():
        _read([compiler, *options], text, header)
    return (*_MEMORY, "-include", str(header))


def _read(command: Sequence[str], text: str, header: Path) -> None:
    """Write the header, and what `command` made of it; other processes see all of it or nothing."""
    with tempfile.TemporaryDirectory(dir=header.parent) as place:
        partial = Path(place, header.name)
        partial.write_text(text, encoding="utf-8")
        made = partial.with_suffix(".h.gch")
        subprocess.run([*command, "-x", "c++-header", str(partial), "-o", str(made)], check=True)
        os.replace(partial, header)
        os.replace(made, header.with_suffix(".h.gch"))
