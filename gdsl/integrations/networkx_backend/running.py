"""Running a program for a function of NetworkX, and what a call may say about how."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.info import default_config

if TYPE_CHECKING:
    from gdsl.api.program import Program

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Options:
    """How programs run: on which backend of gdsl, and for how many seconds at most."""

    backend: str
    timeout: float | None


def configured(name: str) -> Any:
    """What `networkx.config.backends.gdsl` says, which is what it began with where nobody has set it; and that where
    NetworkX does not know this backend."""
    import networkx

    found = getattr(getattr(getattr(networkx, "config", None), "backends", None), "gdsl", None)
    return getattr(found, name, default_config()[name])


def run(name: str, graph: BackendGraph, **values: Any) -> dict[str, Any]:
    """The results of the program `name` by name: NumPy arrays and Python numbers. Raises `gdsl.GdslError`."""
    options = graph.options or Options(configured("backend"), configured("timeout"))
    from gdsl.api.convergence import quiet

    with quiet():  # what does not converge is an error of NetworkX
        result = program(name).run(graph.vertices, values, backend=options.backend, timeout=options.timeout)
    return {**result.host_arrays(), **result.numbers()}


@cache
def program(name: str) -> Program:
    """The program of the backend's own called `name`, else the sample."""
    import gdsl

    path = PROGRAMS / f"{name}.gdsl"
    if not path.exists():
        sample: Program = getattr(gdsl.samples, name)
        return sample
    return gdsl.compile(path.read_text(encoding="utf-8"))


def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, with the keywords `gdsl_backend` and `timeout`, whose graph has them as its options.

    NotImplementedError says why it does not take its arguments: NetworkX 3.2 does not ask `can_run` where the backend
    is named in a call.
    """
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        from gdsl.integrations.networkx_backend.conversion import wrap
        from gdsl.integrations.networkx_backend.refusals import answer_of

        answer = answer_of(function.__name__, args, kwargs)
        if isinstance(answer, str):
            raise NotImplementedError(answer)
        graph, *others = args if args else (kwargs.pop(first),)
        graph = wrap(graph)
        if "gdsl_backend" in kwargs or "timeout" in kwargs:
            backend = kwargs.pop("gdsl_backend", None) or configured("backend")
            graph = graph.with_options(Options(backend, kwargs.pop("timeout", configured("timeout"))))
        return function(graph, *others, **kwargs)

    return wrapped
