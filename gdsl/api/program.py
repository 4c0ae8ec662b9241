"""A compiled program, which is called with a graph."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from gdsl import deadline
from gdsl.api.advice import warnings_of
from gdsl.api.convergence import warn
from gdsl.api.dry_run import DryRun
from gdsl.api.given import called_with, named_values, rounded_names, taken_options, without_defaults
from gdsl.api.limits import NO_LIMITS, limits
from gdsl.api.pending import Pending, submitted
from gdsl.api.result import Result, Results
from gdsl.api.signature import OPTIONS, DocOfInstance, OfInstance, call_of, doc_of, signature_of
from gdsl.backends import registry
from gdsl.backends.interface import Bindings, Executable, Limits, Space
from gdsl.backends.registry import Choice
from gdsl.binding import Binder, declared_inputs, declared_params, needed_widths
from gdsl.diagnostics import Diagnostic, GdslError, shown
from gdsl.graph import Graph, as_graph
from gdsl.ir import nodes as ir
from gdsl.source import Source
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.api.batch import Batch
    from gdsl.api.tuned import Picker, Tuned
    from gdsl.backends.cuda.kernels import Kernels
    from gdsl.binding.type_parameters import Inference


_NONE: frozenset[str] = frozenset()


class _Settled(NamedTuple):
    """Where programs run, for graphs of some widths of ids."""

    widths: Widths
    choice: Choice
    executable: Executable


class Program:
    """A program that is ready to run: ``program(graph, source=0)``.

    Made by `gdsl.compile`. What a backend makes of it is kept, so that later calls only run. `help(program)` and
    `inspect.signature(program)` say what it takes and gives.
    """

    def __init__(
        self,
        program: ir.Program,
        source: Source,
        tune: tuple[str, ...] = (),
        compile_ms: float = 0.0,
        picker: Picker | None = None,
        chosen: Mapping[str, Type] | None = None,
        instances: dict[tuple[Type, ...], Program] | None = None,
    ) -> None:
        """Use `gdsl.compile` instead. `chosen` are types that calls do not infer; `instances` are those of the same
        text that there are."""
        self._chosen: Mapping[str, Type] = {} if chosen is None else chosen
        self._instances: dict[tuple[Type, ...], Program] = {} if instances is None else instances
        if program.types:
            self._instances.setdefault(tuple(each.type for each in program.types), self)
        self._tune = tune
        self._picker = picker
        self._warnings: tuple[Diagnostic, ...] | None = None
        self._program = program
        self._source = source
        self._binder, self._results = Binder(program, source), Results(program)
        self._executables: dict[tuple[str, Widths], Executable] = {}
        self._failed: dict[str, str] = {}
        self._settled: dict[str, _Settled] = {}
        """By the backend that was asked for."""
        self._inference: Inference | None = None
        self._ran: WeakKeyDictionary[Graph, Program] = WeakKeyDictionary()
        """Of a program with type parameters the instance that ran last on a graph."""
        self.compile_ms = compile_ms

    __name__ = OfInstance(lambda program: program.name)
    __signature__ = OfInstance(lambda program: signature_of(program._program))

    @property
    def name(self) -> str:
        """What the program calls itself."""
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
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the program says and probably does not mean (codes W0x), found when first asked for; nothing is raised
        or printed. `str(gdsl.GdslError(program.warnings, program.text))` is the text that `gdslc check` prints."""
        if self._warnings is None:
            from gdsl.api.compiling import types_of

            self._warnings = warnings_of(self._source, self._tune, types_of(self._program, {}))
        return self._warnings

    @property
    def ir(self) -> ir.Program:
        """The operator IR, as lowered and before any pass (`gdsl.ir.nodes`)."""
        return self._program

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
        """By name of the type parameter the type that this instance has there; nothing of a program without any."""
        return {each.name: each.type.name for each in self._program.types}

    def instance(
        self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        types: Mapping[str, Any] | None = None,
        *,
        varied: Collection[str] = (),
    ) -> Program:
        """The instance that a call with these arguments runs: the program with the types that `types` chooses, and else
        those that represent the inputs exactly. It is compiled where it has not been. `varied` are params of which
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
        found = self._inference.types(graph, {} if values is None else values, chosen, varied)
        instance = self._instances.get(found)
        return self._made_instance(found) if instance is None else instance

    def _made_instance(self, types: tuple[Type, ...]) -> Program:
        """The instance of these types. Two threads may make it at the same time; then one of the two stays."""
        from gdsl.api.compiling import load, types_of

        started = time.perf_counter()
        named = {parameter.name: type_ for parameter, type_ in zip(self._program.types, types, strict=True)}
        program = load(self._source, self._tune, types_of(self._program, named))
        compile_ms = (time.perf_counter() - started) * 1000
        picker = None if self._picker is None else copy(self._picker)
        made = Program(program, self._source, self._tune, compile_ms, picker, named, self._instances)
        return self._instances.setdefault(types, made)

    def __call__(self, graph: Graph, /, *others: object, **values: Any) -> Result:
        """Run on `graph` (or a graph of NetworkX or igraph, or a sparse matrix of SciPy, CuPy or PyTorch) with params
        and inputs by keyword.

        A vertex param takes an id or, of a graph with `names`, a name.
        The options of `run` are keywords too; where the program declares a param or input of that name (such as
        PageRank's `max_iterations`), the keyword is the program's, and the option is there in `run`.
        """
        if others:
            raise TypeError(f"behind the graph everything is given by name: {call_of(self._program)}")
        options = taken_options(OPTIONS, values, self._binder.known)
        return self._called(graph, values, **options)

    def run(
        self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        *,
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002 - what the command line calls it
    ) -> Result:
        """Run on `graph` with `values` for the params and inputs.

        `types` chooses the types of type parameters; the others represent the inputs exactly, by their dtypes.
        `backend` is auto, cuda, cpu or reference. `timeout` (seconds from the call to the result, checks of the inputs
        and compilation included) and `max_iterations` (passes of any loop) stop the run with an error. Several runs
        may go on at once, each in its own thread. `round` names the params and inputs whose values become the nearest
        ones of the declared type; others must be values of it. Raises `gdsl.GdslError`, TypeError or ValueError for
        options that are none; the program and the graph stay usable.
        """
        named = named_values(values)
        options: dict[str, Any] = {"timeout": timeout, "max_iterations": max_iterations, "types": types, "round": round}
        return self._called(graph, named, backend=backend, **options)

    def map(self, graph: Graph, values: Mapping[str, Any] | None = None, /, **named: Any) -> Batch:
        """Run once for each of many values: ``program.map(graph, source=range(1024)).distance`` is of shape (1024, V).

        Params take a list (range, array, Series) where they differ from run to run, all of one length, or one value for
        all; inputs are the same in all runs. Everything is checked before the first run; an error says which of the
        values it is about. Options are those of `run`, of which `timeout` is for all together, and

        batch: run so many at a time at most. memory: in so many bytes at most, results included; by itself it is what
        is free. progress: whether to show how many are done; None: on a terminal and in a notebook.

        Keywords are the program's where it has params of these names; with the mapping `values` all are options.
        """
        from gdsl.api.many import called, run_all

        return run_all(self, graph, *called(self, values, named))

    def imap(self, graph: Graph, values: Mapping[str, Any] | None = None, /, **named: Any) -> Iterator[Result]:
        """As `map`, of which it gives the results one after the other as they come, and keeps none of them."""
        from gdsl.api.many import called, run_each

        return run_each(self, graph, *called(self, values, named))

    def submit(self, graph: Graph, values: Mapping[str, Any] | None = None, /, **named: Any) -> Pending:
        """Ask for a run and do not wait for it: ``pending = program.submit(graph, source=0)``, later
        ``pending.result()``. On a GPU runs that are asked for one after the other leave it no time between them.

        Values and options are checked as in a call, and raise here; what goes wrong in the run itself is raised by
        `result`. `timeout` counts from here. Keywords are the program's where it has params of these names; with the
        mapping `values` all are options.
        """
        given, options = called_with(OPTIONS, self._binder.known, values, named)
        return submitted(self, as_graph(graph), given, **options)

    def _called(
        self,
        graph: Graph,
        values: Mapping[str, Any],
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002
    ) -> Result:
        """As `run`, with names that are known to be str."""
        graph = graph if type(graph) is Graph else as_graph(graph)
        stops = NO_LIMITS if timeout is None and max_iterations is None else limits(timeout, max_iterations)
        given = without_defaults(values)
        rounded = _NONE if round is None else self._rounded(round)
        if timeout is None:
            return self._run_instance(graph, given, backend, stops, types, rounded)
        with deadline.limited(timeout):
            return self._run_instance(graph, given, backend, stops, types, rounded)

    def _run_instance(
        self,
        graph: Graph,
        given: Mapping[str, Any],
        backend: str,
        stops: Limits,
        types: Mapping[str, Any] | None,
        rounded: frozenset[str],
    ) -> Result:
        """As `_run`, by the instance that the call decides, and by the knobs of the tune file."""
        program, known = self, len(self._instances)
        if self._program.types or types is not None:
            program = self._ran[graph] = self.instance(graph, given, types)
        run = program._run if program._picker is None or not isinstance(backend, str) else program._run_tuned
        result = run(graph, given, backend, stops, rounded)
        if len(self._instances) > known:
            result.compile_ms += program.compile_ms
        return result

    def _rounded(self, names: object) -> frozenset[str]:
        """What the option `round` names."""
        return rounded_names(names, self._program, self._binder.known)

    def _run_tuned(
        self, graph: Graph, given: Mapping[str, Any], backend: str, stops: Limits, rounded: frozenset[str]
    ) -> Result:
        """As `_run`, by the knobs that the tune file has for such graphs."""
        program, tuned = self._picked(graph, backend)
        result = program._run(graph, given, backend, stops, rounded)
        result.tuned = tuned
        return result

    def _picked(self, graph: Graph, backend: str) -> tuple[Program, Tuned | None]:
        """This program by the knobs that its tune file has for such graphs, and what to say of it."""
        if self._picker is None or not isinstance(backend, str):
            return self, None
        if graph._postponed is not None:  # of which kind it is is seen when it is in order
            registry.choose(backend).backend.place(graph)
        program, tuned = self._picker.pick(graph, backend, lambda: registry.choose(backend).backend.name, self._with)
        return program or self, tuned

    def _with(self, knobs: tuple[str, ...]) -> Program:
        """This program with `knobs`, over which its own words win."""
        from gdsl.api.compiling import load, types_of

        words = (*knobs, *self._tune)
        program = load(self._source, words, types_of(self._program, {}))
        return Program(program, self._source, words, chosen={each.name: each.type for each in program.types})

    def _run(
        self, graph: Graph, given: Mapping[str, Any], backend: str, stops: Limits, rounded: frozenset[str]
    ) -> Result:
        try:
            choice, executable, bindings, compile_ms = self._asked(graph, given, backend, rounded)
            if stops.timeout is not None:
                stops = replace(stops, spent=deadline.spent())
            outcome = executable.run(graph, bindings, stops)
        except GdslError as error:
            raise self._explained(error) from None
        watch = self._results.watch
        if not watch.is_idle:
            said = watch.found(outcome.arrays, outcome.scalars, outcome.iterations, bindings)
            if said is not None:
                warn(said)
        return Result(self._results, outcome, choice.backend.name, choice.line, compile_ms, bindings.params, graph)

    def _asked(
        self, graph: Graph, given: Mapping[str, Any], backend: str, rounded: frozenset[str]
    ) -> tuple[Choice, Executable, Bindings, float]:
        """Where a call runs, and what, with which values, that are checked; and milliseconds of compiling."""
        widths = needed_widths(self._program, graph)
        # Where the last run was, this one may be without asking for a compiler or a device: the program is ready in
        # machine code that can be used.
        settled = self._settled.get(backend) if isinstance(backend, str) else None
        found, choice, executable = settled or (None, None, None)
        if choice is None or not ((found is widths or found == widths) and choice.backend.stays()):
            choice, executable = registry.choose(backend), None
        if graph._postponed is not None:
            choice.backend.place(graph)
        bindings = self._bound(choice, graph, given, widths, rounded)
        compile_ms = 0.0
        if executable is None:
            executable = self._executables.get((choice.backend.name, widths))
            if executable is None:
                started = time.perf_counter()
                with deadline.doing("compiling the program"):
                    ready, executable = self._ready(choice, widths, backend)
                compile_ms = (time.perf_counter() - started) * 1000
                if ready is not choice:
                    choice, bindings = ready, self._bound(ready, graph, given, widths, rounded)
            self._settled[backend] = _Settled(widths, choice, executable)
        return choice, executable, bindings, compile_ms

    def dry_run(
        self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        *,
        backend: str = "auto",
        memory: int | None = None,
        types: Mapping[str, Any] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002
    ) -> DryRun:
        """Check `values` as `run` does, and tell what it would allocate; nothing is compiled or run.

        `memory`: as if so many bytes were free, on a machine that may be another one: cuda needs no GPU then. Raises
        what `run` raises for values that are not right.
        """
        graph, given = as_graph(graph), without_defaults(named_values(values))
        if memory is not None and (isinstance(memory, bool) or not isinstance(memory, int) or memory < 0):
            raise ValueError(f"memory must be a number of bytes, not {shown(memory)}")
        if self._program.types or types is not None:
            instance = self.instance(graph, given, types)
            if instance is not self:
                return instance.dry_run(graph, given, backend=backend, memory=memory, round=round)
        with self._explaining():
            elsewhere = backend == "cuda" and memory is not None
            choice = Choice(registry.get("cuda")) if elsewhere else registry.choose(backend)
            program = self
            if self._picker is not None and not elsewhere:
                program = self._picker.pick(graph, backend, lambda: choice.backend.name, self._with)[0] or self
            widths = needed_widths(program._program, graph)
            bindings = program._bound(choice, graph, given, widths, self._rounded(round))
            space = choice.backend.space() if memory is None else Space("as asked for", memory, memory)
            needs = choice.backend.needs(program._program, widths, graph, bindings, space.free)
        return DryRun(choice.backend.name, choice.line, widths, needs, space.name, space.total, space.free)

    def prepare(self, backend: str = "auto", *, ids: int | Widths = 32) -> Program:
        """Compile for `backend` and graphs whose ids have `ids` bits now rather than at the first call."""
        widths = ids if isinstance(ids, Widths) else Widths.both(self._program.tuning.ids or _id_bits(ids))
        choice = registry.choose(backend)
        with self._explaining():
            self._ready(choice, widths, backend)
        return self

    def ran(self, graph: Graph, backend: str = "auto") -> tuple[Program, Executable]:
        """What the last run on `graph` with this `backend` was made by: the program with its knobs, and what ran."""
        program = self._ran.get(graph, self)
        if program is not self:
            return program.ran(graph, backend)
        if self._picker is not None:
            picked = self._picker.pick(graph, backend, lambda: registry.choose(backend).backend.name, self._with)
            program = picked[0] or self
        return program, program._settled[backend].executable

    @property
    def knobs(self) -> tuple[str, ...]:
        """The words that it is tuned with."""
        return self._tune

    def source(self, language: str = "cuda", *, ids: int = 32) -> str:
        """The generated text in "cuda" or "cpp", for graphs whose ids have `ids` bits; of a program with type
        parameters that of this instance."""
        return self.source_for(language, Widths.both(self._program.tuning.ids or _id_bits(ids)))

    def source_for(self, language: str, widths: Widths) -> str:
        """The same where ids of vertices and of edges need not be equally wide."""
        with self._explaining():
            if isinstance(language, str) and language == "cuda":
                from gdsl.backends.cuda import source_text as cuda_text

                return cuda_text(self._program, widths)
            if isinstance(language, str) and language == "cpp":
                from gdsl.backends.cpu import source_text as cpp_text

                return cpp_text(self._program, widths)
        raise ValueError(f"language must be 'cuda' or 'cpp', not {shown(language)}")

    @property
    def kernels(self) -> Kernels:
        """The CUDA kernels with their text, machine code and what a launch asks for, to run them by hand; for the GPU
        that is there, or ``kernels(arch="sm_90")``."""
        from gdsl.backends.cuda.kernels import Kernels

        return Kernels(self._program, self._explaining)

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles are without what backends made, which belongs to this process; the cache has it."""
        own: dict[str, Any] = {"_binder": None, "_results": None, "_executables": {}, "_failed": {}, "_settled": {}}
        return {**self.__dict__, **own, "_instances": {}, "_ran": None, "_inference": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made = Binder(state["_program"], state["_source"]), Results(state["_program"])
        self.__dict__.update(state, _binder=made[0], _results=made[1], _ran=WeakKeyDictionary())
        if self._program.types:
            self._instances[tuple(each.type for each in self._program.types)] = self

    def __repr__(self) -> str:
        return f"<Program {self.name}({', '.join((*self.params, *self.inputs))})>"

    def _repr_html_(self) -> str | None:
        from gdsl.api.display import program_page

        return program_page(self)

    def _bound(
        self, choice: Choice, graph: Graph, values: Mapping[str, Any], widths: Widths, rounded: frozenset[str]
    ) -> Bindings:
        bind, device = self._binder.bind, choice.backend.name == "cuda"
        if deadline.current() is None:
            return bind(graph, values, widths=widths, device=device, rounded=rounded)
        with deadline.doing("checking the params and inputs"):
            return bind(graph, values, widths=widths, device=device, rounded=rounded)

    def _ready(self, choice: Choice, widths: Widths, asked: str) -> tuple[Choice, Executable]:
        """The program made ready by the chosen backend; where "auto" was asked for and this machine's compiler is of
        no use, by the next."""
        while True:
            if asked == "auto" and choice.backend.name in self._failed:
                choice = registry.choose(asked, self._failed)
            try:
                return choice, self._executable(choice.backend.name, widths)
            except GdslError as error:
                if asked != "auto" or not registry.is_fault_of_machine(error):
                    raise
                self._failed[choice.backend.name] = error.diagnostics[0].message

    def _executable(self, backend: str, widths: Widths) -> Executable:
        """Two threads may make it at the same time; then one of the two stays."""
        found = self._executables.get((backend, widths))
        if found is None:
            made = registry.get(backend).build_for(self._program, widths)
            found = self._executables.setdefault((backend, widths), made)
        return found

    def _explained(self, error: GdslError) -> GdslError:
        """An error that knows a place but not the text it is in, with this program's text."""
        if error.source is None and any(diagnostic.span is not None for diagnostic in error.diagnostics):
            return GdslError(error.diagnostics, self._source)
        return error

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """Explain the errors of what is done inside."""
        try:
            yield
        except GdslError as error:
            raise self._explained(error) from None


Program.__doc__ = DocOfInstance(  # type: ignore[assignment]
    Program.__doc__, lambda program: doc_of(program._program, program._source)
)


def _id_bits(ids: object) -> int:
    if isinstance(ids, int) and ids in (32, 64):
        return ids
    raise ValueError(f"ids must be 32 or 64, not {shown(ids)}")
