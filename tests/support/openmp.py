"""C++ that does not compile with OpenMP, though the compiler has it: the cpu backend would run on one thread, with a
warning that no test looks at."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from gdsl.diagnostics.diagnostic import caution
from gdsl.native.compiler import find_compiler

_TEXT = "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n"


def openmp_works() -> bool:
    """Whether there is a C++ compiler, and one that has OpenMP."""
    compiler = find_compiler()
    if compiler is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "openmp.cpp")
        source.write_text(_TEXT, encoding="utf-8")
        command = [*compiler.command, "-fopenmp", str(source), "-o", str(Path(folder, "openmp"))]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def cautious(text: str) -> None:
    """`caution`, where the compiler has no OpenMP; AssertionError where it has."""
    assert not openmp_works(), f"C++ that does not compile with OpenMP: {text}"
    caution(text)
