"""gdsl: graph algorithms written in a small language, compiled to CUDA and C++.

import gdsl
graph = gdsl.Graph.read("samples/graphs/karate.mtx")
result = gdsl.samples.bfs(graph, source=0)          # or gdsl.compile("my_program.gdsl")(graph, …)
result.distance, result.iterations, result.time_ms
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gdsl.version import __version__

if TYPE_CHECKING:
    from gdsl import samples
    from gdsl.api.compiling import compile  # noqa: A004
    from gdsl.api.convergence import NotConvergedWarning
    from gdsl.api.pending import Pending
    from gdsl.api.program import Program
    from gdsl.api.result import Result
    from gdsl.binding import unchecked
    from gdsl.clusters.session import cluster
    from gdsl.diagnostics import Diagnostic, GdslError
    from gdsl.graph import Graph
    from gdsl.graph.messages import GraphNotice
    from gdsl.profiling import profile

__all__ = [
    "Diagnostic",
    "GdslError",
    "Graph",
    "GraphNotice",
    "NotConvergedWarning",
    "Pending",
    "Program",
    "Result",
    "__version__",
    "cluster",
    "compile",
    "profile",
    "samples",
    "unchecked",
]

_HOMES = {
    "cluster": "gdsl.clusters.session",
    "compile": "gdsl.api.compiling",
    "profile": "gdsl.profiling",
    "NotConvergedWarning": "gdsl.api.convergence",
    "Pending": "gdsl.api.pending",
    "Program": "gdsl.api.program",
    "Result": "gdsl.api.result",
    "unchecked": "gdsl.binding",
    "Diagnostic": "gdsl.diagnostics",
    "GdslError": "gdsl.diagnostics",
    "Graph": "gdsl.graph",
    "GraphNotice": "gdsl.graph.messages",
    "load_ipython_extension": "gdsl.integrations.notebook",
    "unload_ipython_extension": "gdsl.integrations.notebook",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import gdsl` is fast."""
    if name == "pyg":
        return importlib.import_module("gdsl.integrations.pyg")
    if name == "samples":
        return importlib.import_module("gdsl.samples")
    if name not in _HOMES:
        raise AttributeError(f"module 'gdsl' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
