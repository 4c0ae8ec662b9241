"""A compiled program and what backends make of it: everything of `Program` but the calls that users write."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from gdsl import deadline
from gdsl.api.arguments import rounded_names
from gdsl.api.convergence import warn
from gdsl.api.loading import load, types_of
from gdsl.api.origin import Origin, Origins
from gdsl.api.result import Result, Results
from gdsl.backends import registry
from gdsl.backends.interface import Bindings, Executable, Limits, Outcome
from gdsl.backends.registry import Choice
from gdsl.binding import Binder, declared_inputs, declared_params, needed_widths
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, as_graph
from gdsl.ir import nodes as ir
from gdsl.memory_use import MemoryUse
from gdsl.source import Source
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.api.tuned import Picker, Tuned
    from gdsl.binding.type_parameters import Inference
    from gdsl.passes.resuming import Resumed

Self = TypeVar("Self", bound="CompiledProgram")


class _Route(NamedTuple):
    """Where a program runs, for graphs with ids of these widths."""

    widths: Widths
    choice: Choice
    executable: Executable


class PreparedRun(NamedTuple):
    """A run that can begin: the backend, the checked arguments, and the milliseconds spent on compiling."""

    choice: Choice
    executable: Executable
    bindings: Bindings
    compile_ms: float
    memory_line: str = ""
    """One line about an option `memory` that has no effect here."""
    origin: Origin | None = None

    def result(self, results: Results, outcome: Outcome, graph: Graph) -> Result:
        """What the caller gets."""
        backend, params = self.choice.backend.name, self.bindings.params
        result = Result(results, outcome, backend, self.choice.line, self.compile_ms, params, graph)
        if self.memory_line:
            result.memory_line = self.memory_line
        result._origin = self.origin
        return result


class CompiledProgram:
    """A program, the types of its parameters, and its executables by backend, which later calls reuse."""

    def __init__(
        self,
        program: ir.Program,
        source: Source,
        tune: tuple[str, ...] = (),
        compile_ms: float = 0.0,
        picker: Picker | None = None,
        chosen: Mapping[str, Type] | None = None,
        instances: dict[tuple[Type, ...], Any] | None = None,
    ) -> None:
        """Use `gdsl.compile` instead. `chosen` are types that calls do not infer; `instances` are the existing ones of
        the same text."""
        self._chosen: Mapping[str, Type] = {} if chosen is None else chosen
        self._instances: dict[tuple[Type, ...], Any] = {} if instances is None else instances
        if program.types:
            self._instances.setdefault(tuple(each.type for each in program.types), self)
        self._tune = tune
        self._picker = picker
        self._program = program
        self._source = source
        self._binder, self._results = Binder(program, source), Results(program)
        self._origins = Origins(program, source)
        self._executables: dict[tuple[str, Widths], Executable] = {}
        self._failed: dict[str, str] = {}
        """Why a backend cannot be used for this program, by its name."""
        self._routes: dict[str, _Route] = {}
        """The last one for each value of the option `backend`."""
        self._inference: Inference | None = None
        self._last_instances: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()
        """Of a program with type parameters, the instance that ran last on a graph."""
        self._resumed: tuple[Resumed, Any, Any] | None = None
        self.compile_ms = compile_ms

    @property
    def name(self) -> str:
        """The name in the program's text."""
        return self._program.name

    @property
    def doc(self) -> str:
        """The doc comment."""
        return self._program.doc

    @property
    def text(self) -> Source:
        """The program's text, with the name that messages give it."""
        return self._source

    @property
    def ir(self) -> ir.Program:
        """The operator IR (annotated, before `gdsl.passes`); see `gdsl.ir.nodes`."""
        return self._program

    @property
    def knobs(self) -> tuple[str, ...]:
        """The tuning words of the program."""
        return self._tune

    @property
    def params(self) -> tuple[str, ...]:
        """The names of the params."""
        return tuple(param.name for param in declared_params(self._program))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs, arrays and scalars."""
        return tuple(data.name for data in declared_inputs(self._program))

    @property
    def types(self) -> dict[str, str]:
        """The types of this instance by name of the type parameter; empty for a program without any."""
        return {each.name: each.type.name for each in self._program.types}

    def instance(
        self: Self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        types: Mapping[str, Any] | None = None,
        *,
        varied: Collection[str] = (),
    ) -> Self:
        """The instance that a call with these arguments runs: the program with the types that `types` chooses; the
        other types represent the inputs exactly. It is compiled when it is first needed. `varied` are params of which
        `values` has lists. Raises `gdsl.GdslError` (E0620, E0621)."""
        if not self._program.types and types is None:
            return self
        if types is None and len(self._chosen) == len(self._program.types):
            return self
        from gdsl.binding.type_parameters import Inference, chosen_types

        chosen = {**self._chosen, **chosen_types(self._program, types)} if types is not None else self._chosen
        if self._inference is None:
            self._inference = Inference(self._program, self._source)
        graph = graph if type(graph) is Graph else as_graph(graph)
        inferred = self._inference.types(graph, {} if values is None else values, chosen, varied)
        instance: Self | None = self._instances.get(inferred)
        return self._create_instance(inferred) if instance is None else instance

    def _create_instance(self: Self, types: tuple[Type, ...]) -> Self:
        """The instance with these types. If two threads create it at the same time, one of the two is kept."""
        started = time.perf_counter()
        named = {parameter.name: type_ for parameter, type_ in zip(self._program.types, types, strict=True)}
        program = load(self._source, self._tune, types_of(self._program, named))
        compile_ms = (time.perf_counter() - started) * 1000
        picker = None if self._picker is None else copy(self._picker)
        instance = type(self)(program, self._source, self._tune, compile_ms, picker, named, self._instances)
        cached: Self = self._instances.setdefault(types, instance)
        return cached

    def _resumed_programs(self: Self) -> tuple[Resumed, Self, Self | None]:
        """This instance as programs that go on from an old result: on an updated graph, and on its base. Raises
        GdslError E0430 where it may not go on."""
        if self._resumed is None:
            from gdsl.passes.resuming import resumed

            types = {each.name: each.type for each in self._program.types}
            programs = resumed(self._program, self._source)

            def compiled(program: ir.Program) -> Self:
                return type(self)(program, self._source, self._tune, chosen=types)

            beside = None if programs.beside is None else compiled(programs.beside.program)
            self._resumed = (programs, compiled(programs.merged.program), beside)
        return self._resumed

    def _rounded(self, names: object) -> frozenset[str]:
        """The names in the option `round`."""
        return rounded_names(names, self._program, self._binder.known)

    def _tuned_for(self: Self, graph: Graph, backend: str, chosen: str | None = None) -> tuple[Self, Tuned | None]:
        """This program with the knobs that its tune file has for such graphs, and what `Result.tuned` says of it.
        `chosen` is the backend's name where `backend` is a choice that has been made."""
        if self._picker is None or not isinstance(backend, str):
            return self, None
        if chosen is None and graph._lazy_csr is not None:  # its kind is known once it is built
            registry.choose(backend).backend.place(graph)
        program, tuned = self._picker.pick(
            graph, backend, lambda: chosen or registry.choose(backend).backend.name, self._with_knobs
        )
        return program or self, tuned

    def _with_knobs(self: Self, knobs: tuple[str, ...]) -> Self:
        """This program with `knobs`; its own tuning words take precedence."""
        words = (*knobs, *self._tune)
        program = load(self._source, words, types_of(self._program, {}))
        return type(self)(program, self._source, words, chosen={each.name: each.type for each in program.types})

    def _run(
        self, graph: Graph, arguments: Mapping[str, Any], backend: str, stops: Limits, rounded: frozenset[str]
    ) -> Result:
        try:
            run = self._prepare_run(graph, arguments, backend, rounded, stops.memory)
            if stops.timeout is not None:
                stops = replace(stops, spent=deadline.spent())
            outcome = run.executable.run(graph, run.bindings, stops)
        except GdslError as error:
            raise self._explained(error) from None
        watch = self._results.watch
        if not watch.is_idle:
            warning = watch.check(outcome.arrays, outcome.scalars, outcome.iterations, run.bindings)
            if warning is not None:
                warn(warning)
        return run.result(self._results, outcome, graph)

    def _prepare_run(
        self,
        graph: Graph,
        arguments: Mapping[str, Any],
        backend: str,
        rounded: frozenset[str],
        memory: MemoryUse | None = None,
    ) -> PreparedRun:
        """Choose the backend, check the arguments, and compile what is not compiled yet."""
        widths = needed_widths(self._program, graph)
        # The last choice holds without another look for compilers and devices: its machine code can be used.
        route = self._routes.get(backend) if isinstance(backend, str) else None
        former, choice, executable = route or (None, None, None)
        if choice is None or not ((former is widths or former == widths) and choice.backend.stays()):
            choice, executable = registry.choose(backend), None
        if graph._lazy_csr is not None and memory is None:  # otherwise the host sorts the edges
            choice.backend.place(graph)
        bindings = self._bound(choice, graph, arguments, widths, rounded)
        compile_ms = 0.0
        if executable is None:
            executable = self._executables.get((choice.key, widths))
            if executable is None:
                started = time.perf_counter()
                with deadline.doing("compiling the program"):
                    usable, executable = self._compile_for(choice, widths, backend)
                compile_ms = (time.perf_counter() - started) * 1000
                if usable is not choice:
                    choice, bindings = usable, self._bound(usable, graph, arguments, widths, rounded)
            self._routes[backend] = _Route(widths, choice, executable)
        line = ""
        if memory is not None and choice.backend.name != "cuda":
            line = self._check_memory(choice, graph, bindings, widths, memory)
        origin = self._origins.of(bindings, graph._identity, rounded)
        return PreparedRun(choice, executable, bindings, compile_ms, line, origin)

    def _check_memory(self, choice: Choice, graph: Graph, bindings: Bindings, widths: Widths, memory: MemoryUse) -> str:
        """A line about a choice of memory on a backend of the host. Raises E0914."""
        from gdsl.backends.placement import on_host

        backend = choice.backend
        return on_host(lambda: backend.needs(self._program, widths, graph, bindings, None), memory, backend.name)

    def _bound(
        self, choice: Choice, graph: Graph, values: Mapping[str, Any], widths: Widths, rounded: frozenset[str]
    ) -> Bindings:
        bind, device = self._binder.bind, choice.backend.keeps_arrays()
        if deadline.current() is None:
            return bind(graph, values, widths=widths, device=device, rounded=rounded)
        with deadline.doing("checking the params and inputs"):
            return bind(graph, values, widths=widths, device=device, rounded=rounded)

    def _compile_for(self, choice: Choice, widths: Widths, requested: str) -> tuple[Choice, Executable]:
        """The executable of the chosen backend. Where "auto" was requested and this machine's compiler does not work,
        that of the next backend."""
        while True:
            if requested == "auto" and choice.backend.name in self._failed:
                choice = registry.choose(requested, self._failed)
            try:
                return choice, self._executable(choice.key, widths)
            except GdslError as error:
                if requested != "auto" or not registry.is_fault_of_machine(error):
                    raise
                self._failed[choice.backend.name] = error.diagnostics[0].message

    def _executable(self, backend: str, widths: Widths) -> Executable:
        """If two threads build it at the same time, one of the two is kept."""
        executable = self._executables.get((backend, widths))
        if executable is None:
            built = registry.get(backend).build(self._program, widths)
            executable = self._executables.setdefault((backend, widths), built)
        return executable

    def _explained(self, error: GdslError) -> GdslError:
        """An error with a place but without a text gets this program's text."""
        if error.source is None and any(diagnostic.span is not None for diagnostic in error.diagnostics):
            return GdslError(error.diagnostics, self._source)
        return error

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """Explain errors that are raised inside."""
        try:
            yield
        except GdslError as error:
            raise self._explained(error) from None

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles leave out what backends built, which belongs to this process; the cache has it."""
        own: dict[str, Any] = {"_binder": None, "_results": None, "_executables": {}, "_failed": {}, "_routes": {}}
        own.update(_last_instances=None, _inference=None, _resumed=None)
        return {**self.__dict__, **own, "_instances": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        binder, results = Binder(state["_program"], state["_source"]), Results(state["_program"])
        self.__dict__.update(state, _binder=binder, _results=results, _last_instances=WeakKeyDictionary())
        if self._program.types:
            self._instances[tuple(each.type for each in self._program.types)] = self
