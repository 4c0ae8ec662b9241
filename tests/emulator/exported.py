"""Exported CUDA with its own host code, compiled for the emulator: a command that needs no GPU."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gdsl.api.program import Program
from gdsl.export import export

from . import build

_HOST = "// ---- the C interface ----"


def command(program: Program, directory: Path) -> Path:
    """The command of `program`, exported as CUDA into `directory`."""
    export(program.ir, program.text, "cuda", directory)
    (source,) = directory.glob("*.cu")
    kernels, _, host = source.read_text(encoding="utf-8").partition(_HOST)
    table = "".join(
        f"    {{reinterpret_cast<const void*>(&gdsl::{name}), emulator_call_{name}}},\n"
        for name in build.kernel_names(kernels)
    )
    headers = [line for line in kernels.splitlines() if line.startswith("#include")]  # before macros of the emulator
    text = "\n".join(
        [
            *headers,
            build.translate(kernels, source.name),
            f'#include "{build.NATIVE / "exported.inc"}"',
            f"const emulated_kernel emulated_kernels[] = {{\n{table}    {{nullptr, nullptr}}}};",
            host,
        ]
    )
    emulated = directory / "emulated.cpp"
    emulated.write_text(text, encoding="utf-8")
    runtime = build.runtime_library()
    steps = [
        ["-O0", *build.COMMON, "-fsanitize=thread", f"-I{build.NATIVE}", "-c", "emulated.cpp", "-o", "emulated.o"],
        ["-O0", *build.COMMON, "emulated.o", f"{source.stem}_checks.cpp", "main.cpp", str(runtime), "-o", "emulated"],
    ]
    for step in steps:
        done = subprocess.run(["g++", *step], cwd=directory, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
    return directory / "emulated"
