"""A compiled program, which is called with a graph."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gdsl import deadline
from gdsl.api.result import Result
from gdsl.backends import registry
from gdsl.backends.interface import Executable, Limits
from gdsl.binding import bind, needed_id_bits, problem_data
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.source import Source

if TYPE_CHECKING:
    from gdsl.graph import Graph

_OPTIONS = ("backend", "timeout", "max_iterations")


class Program:
    """A program that is ready to run: ``program(graph, source=0)``.

    Made by `gdsl.compile`. What a backend makes of it is kept, so that later calls only run.
    """

    def __init__(self, program: ir.Program, source: Source, compile_ms: float = 0.0) -> None:
        """Use `gdsl.compile` instead."""
        self._program = program
        self._source = source
        self._executables: dict[tuple[str, int], Executable] = {}
        self.compile_ms = compile_ms

    @property
    def name(self) -> str:
        """What the program calls itself."""
        return self._program.name

    @property
    def doc(self) -> str:
        """The doc comment."""
        return self._program.doc

    @property
    def ir(self) -> ir.Program:
        """The operator IR, as lowered and before any pass (`gdsl.ir.nodes`)."""
        return self._program

    @property
    def params(self) -> tuple[str, ...]:
        """The names of the params."""
        return tuple(param.name for param in self._program.params)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs, arrays and scalars."""
        return tuple(d.name for d in problem_data(self._program) if d.is_input)

    def __call__(self, graph: Graph, /, **values: Any) -> Result:
        """Run on `graph` with params and inputs by keyword.

        The options of `run` are keywords too; where the program declares a param or input of that name (such as
        PageRank's `max_iterations`), the keyword is the program's, and the option is there in `run`.
        """
        own = {*self.params, *self.inputs}
        options = {name: values.pop(name) for name in _OPTIONS if name in values and name not in own}
        return self.run(graph, values, **options)

    def run(
        self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        *,
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
    ) -> Result:
        """Run on `graph` with `values` for the params and inputs.

        `backend` is auto, cuda, cpu or reference. `timeout` (seconds from the call to the result, checks of the inputs
        and compilation included) and `max_iterations` (passes of any loop) stop the run with an error. Raises
        `gdsl.GdslError`; the program and the graph stay usable.
        """
        _check_graph(graph)
        limits = _limits(timeout, max_iterations)
        with self._explained(), deadline.limited(timeout):
            choice = registry.choose(backend)
            name = choice.backend.name
            bits = needed_id_bits(self._program, graph)
            with deadline.doing("checking the params and inputs"):
                bindings = bind(self._program, graph, values or {}, self._source, id_bits=bits, device=name == "cuda")
            started = time.perf_counter()
            with deadline.doing("compiling the program"):
                executable = self._executable(name, bits)
            compile_ms = (time.perf_counter() - started) * 1000
            outcome = executable.run(graph, bindings, replace(limits, spent=deadline.spent()))
        return Result(self._program, outcome, name, choice.line, compile_ms)

    def prepare(self, backend: str = "auto", *, ids: int = 32) -> Program:
        """Compile for `backend` and graphs whose ids have `ids` bits now rather than at the first call."""
        choice = registry.choose(backend)
        with self._explained():
            self._executable(choice.backend.name, self._program.tuning.ids or ids)
        return self

    def source(self, language: str = "cuda", *, ids: int = 32) -> str:
        """The generated text in "cuda" or "cpp", for graphs whose ids have `ids` bits."""
        bits = self._program.tuning.ids or ids
        with self._explained():
            if language == "cuda":
                from gdsl.backends.cuda import source_text as cuda_text

                return cuda_text(self._program, bits)
            if language == "cpp":
                from gdsl.backends.cpu import source_text as cpp_text

                return cpp_text(self._program, bits)
        raise ValueError(f"language must be 'cuda' or 'cpp', not {language!r}")

    def __repr__(self) -> str:
        return f"<Program {self.name}({', '.join((*self.params, *self.inputs))})>"

    def _executable(self, backend: str, bits: int) -> Executable:
        if (backend, bits) not in self._executables:
            self._executables[backend, bits] = registry.get(backend).build(self._program, bits)
        return self._executables[backend, bits]

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Give errors that know a place but not the text it is in this program's text."""
        try:
            yield
        except GdslError as error:
            if error.source is None and any(diagnostic.span is not None for diagnostic in error.diagnostics):
                raise GdslError(error.diagnostics, self._source) from None
            raise


def _check_graph(graph: object) -> None:
    from gdsl.graph import Graph

    if not isinstance(graph, Graph):
        raise TypeError(
            f"the first argument must be a gdsl.Graph, not {type(graph).__name__}; "
            "see Graph.read, from_edges, from_scipy and from_networkx"
        )


def _limits(timeout: float | None, max_iterations: int | None) -> Limits:
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout must be a positive number of seconds, not {timeout!r}")
    if max_iterations is not None and max_iterations < 0:
        raise ValueError(f"max_iterations must not be negative, not {max_iterations!r}")
    return Limits(timeout, max_iterations)
