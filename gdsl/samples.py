"""The programs that come with gdsl, ready to be called: ``gdsl.samples.bfs(graph, source=0)``.

``dir(gdsl.samples)`` lists them, ``help(gdsl.samples.bfs)`` describes the arguments and results of one. Each is a
`gdsl.Program`, compiled from its file when it is first accessed.
"""

from __future__ import annotations

from gdsl.api.compiling import compile_file
from gdsl.api.program import Program
from gdsl.program_files import missing_sample, samples


def __getattr__(name: str) -> Program:
    """The sample called `name`; AttributeError with the names of all if there is none."""
    path = None if name.startswith("_") else samples().get(name)
    if path is None:
        raise AttributeError(missing_sample(name))
    program = compile_file(path)
    globals()[name] = program
    return program


def __dir__() -> list[str]:
    return sorted(samples())
