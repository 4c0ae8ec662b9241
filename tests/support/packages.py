"""Packages of programs in a folder from which Python imports, built with machine code that is none, or without any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gdsl
from gdsl import packages
from gdsl.backends.cuda import nvrtc
from gdsl.wheels.building import Options, build, content_of

HOPS = '''"""Hop distance from `source`. Not the only one."""
program hops;
problem { param source : vertex; vertex distance : int32 = -1; }
edge functor visit(src, dst, e) { cond distance[dst] == -1; apply { distance[dst] = iteration + 1; } }
schedule { distance[source] = 0; frontier f = { source }; while (f) { f = advance(f, visit); } }
'''


def no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let NVRTC be there, and what it compiles be the text itself."""
    monkeypatch.setattr(nvrtc, "version", lambda: (13, 0))
    monkeypatch.setattr(nvrtc, "compile_to_cubin", lambda text, arch, name: f"{arch}\n{text}".encode())


def installed(folder: Path, program: gdsl.Program, name: str = "graph_search", **changed: Any) -> Path:
    """Unpack the package of `program` into `folder`, and return the folder of its files."""
    options = {"version": "0.1.0", "architectures": (), "arguments": {}, **changed}
    for path, data in content_of(program, Options(name, **options)).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    packages._opened.pop(name, None)
    return folder / name


def wheel(target: Path, program: gdsl.Program, name: str = "graph_search", **changed: Any) -> Path:
    """Build the wheel of `program`."""
    options = {"version": "0.1.0", "architectures": (), "arguments": {}, **changed}
    build(program, Options(name, **options), target)
    return target
