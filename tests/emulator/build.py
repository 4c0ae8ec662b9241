"""Compiles the emulator, and generated CUDA for it, with g++; what was compiled is kept for the next run."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path

from tests.support.kept import kept_folder

NATIVE = Path(__file__).parent / "native"
_QUICK = [  # a sixth less time: a GPU has no exceptions, and g++ has no need to look for room in its memory
    *("-fno-exceptions", "-fno-asynchronous-unwind-tables"),
    *("--param=ggc-min-heapsize=400000", "--param=ggc-min-expand=1000"),
]
COMMON = ["-std=c++17", "-fPIC", "-ffp-contract=off", "-frounding-math", "-fno-strict-aliasing", "-fwrapv", "-w"]
SANITIZED = [  # without optimization, which takes longer than what it saves while small graphs run
    *("-O0", "-g1", "-fsanitize=thread", *_QUICK),
    "--param=tsan-distinguish-volatile=1",
    *("-fno-tree-loop-distribute-patterns", "-fno-thread-jumps"),
]
COVERED = ["-O0", "-g1", "--coverage"]

_PLATFORM = re.compile(r"^// ==== platform ====$.*?^// ==== end of platform ====$", re.MULTILINE | re.DOTALL)
_SHARED = re.compile(r"__shared__\s+([\w:]+)\s+(\w+)((?:\[[^\]]*\])*)\s*;")
_KERNEL = re.compile(r'extern "C" __global__ void\s*(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(')


class CompileError(Exception):
    """g++ refused the text."""


@cache
def compiler() -> str | None:
    """The path of g++, or None: then nothing here can run."""
    return shutil.which("g++")


@cache
def cache_folder() -> Path:
    """Where shared objects are kept: GDSL_EMULATOR_CACHE, or a folder of this user's in the system's temporary one."""
    named = os.environ.get("GDSL_EMULATOR_CACHE")
    if not named:
        return kept_folder("emulator")
    folder = Path(named)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def runtime_library() -> Path:
    """`native/*.cpp` as one shared object, compiled as one text, so that the check of an access is inlined."""
    sources = sorted(NATIVE.glob("*.cpp"))
    inputs = [*sources, *sorted(NATIVE.glob("*.h"))]
    flags = [*COMMON, "-O2", "-g1", "-fno-semantic-interposition", f"-I{NATIVE}"]
    key = _digest(*(path.read_text() for path in inputs), " ".join(flags))
    target = cache_folder() / f"emulator-{key}.so"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as place:
            whole = Path(place, "emulator.cpp")
            whole.write_text("".join(f'#include "{path.name}"\n' for path in sources))
            _run_compiler([*flags, "-shared", str(whole)], target)
    return target


def kernel_names(text: str) -> tuple[str, ...]:
    """The kernels of a CUDA text, in order."""
    return tuple(_KERNEL.findall(text))


_SCOPED = (
    "load_acquire",
    "arrive",
    "arrive_without_result",
    "arrive_with",
    "exchange_wide",
    "load_wide",
    "store_wide",
    "arrive_everywhere",
    "arrive_everywhere_without_result",
)
"""Functions of the platform with a scope, in the order of `SYSTEM_` in platform.h."""


def system_scopes(platform: str) -> int:
    """Which of `_SCOPED` reach other GPUs in the platform of a text, a bit each."""
    found = 0
    for bit, name in enumerate(_SCOPED):
        body = re.search(rf"\b{name}\(.*?^}}", platform, re.MULTILINE | re.DOTALL)
        found |= (body is not None and ".sys." in body[0] and ".gpu" not in body[0]) << bit
    return found


def translate(text: str, name: str) -> str:
    """CUDA C++ as the C++ that the emulator takes, with every line where it was; `name` is what lines are called by."""

    def platform(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.end()) + 2
        scopes = system_scopes(match[0])
        define = f"#define EMULATOR_SYSTEM {scopes}\n" if scopes else ""
        return f'{define}#include "platform.h"\n#line {line} "{name}"'

    def shared(match: re.Match[str]) -> str:
        number = len(declarations)
        declarations.append(match[2])
        kind = f"emulator_shared_type_{number}"
        place = f"::emulator::shared_storage({number}, sizeof({kind}))"
        return f"typedef {match[1]} {kind}{match[3]}; {kind}& {match[2]} = *static_cast<{kind}*>({place});"

    scope = "gdsl::" if "\nnamespace gdsl {\n" in text else ""
    declarations: list[str] = []
    body = _SHARED.sub(shared, _PLATFORM.sub(platform, text))
    calls = "\n".join(
        f'extern "C" __attribute__((no_sanitize("thread"))) void emulator_call_{kernel}(void** arguments) '
        f"{{ ::emulator::call({scope}{kernel}, arguments); }}"
        for kernel in kernel_names(text)
    )
    return f'#include "emulator.h"\n#line 1 "{name}"\n{body}\n{calls}\n'


def compile_module(text: str, name: str = "kernel.cu", coverage: bool = False) -> Path:
    """The shared object of a CUDA text; raises CompileError with g++'s words."""
    source = translate(text, name)
    if coverage:
        source += 'extern "C" void __gcov_dump(void);\nextern "C" void emulator_dump() { __gcov_dump(); }\n'
    flags = [*COMMON, *(COVERED if coverage else SANITIZED)]
    headers = [path.read_text() for path in sorted(NATIVE.glob("*.h"))]
    key = _digest(source, " ".join(flags), *headers)
    stem = re.sub(r"\W", "_", name)
    folder = cache_folder()
    target = folder / f"{stem}-{key}.so"
    if target.exists() and not coverage:
        return target
    if coverage:
        folder = Path(tempfile.mkdtemp(prefix="coverage-", dir=folder))
        target = folder / f"{stem}-{key}.so"
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = (folder if coverage else Path(place)) / Path(name).name
        path.write_text(source)
        if coverage:
            compiled = path.with_name(f"{stem}.o")  # which gives gcov's files their names
            _run_compiler([*flags, f"-I{NATIVE}", "-x", "c++", "-c", str(path)], compiled)
            _run_compiler(["-shared", "--coverage", str(compiled)], target)
        else:  # no library of the sanitizer, on purpose: the emulator answers its calls
            _run_compiler([*flags, f"-I{NATIVE}", "-shared", "-nostdlib", "-x", "c++", str(path), "-lgcc"], target)
    return target


def _run_compiler(arguments: list[str], target: Path) -> None:
    found = compiler()
    if found is None:
        raise CompileError("no g++ on this machine")
    partial = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}")
    done = subprocess.run([found, *arguments, "-o", str(partial)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr)
    os.replace(partial, target)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
