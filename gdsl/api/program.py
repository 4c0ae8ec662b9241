"""A compiled program, which is called with a graph."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from gdsl import deadline
from gdsl.api.arguments import NO_LIMITS, limits, named_values, split_call, take_options, with_gpus, without_defaults
from gdsl.api.compiled import CompiledProgram
from gdsl.api.dry_run import DryRun, target_of
from gdsl.api.loading import warnings_of
from gdsl.api.on_workers import OF_WORKERS, RunsPrograms, concerns_workers, resume_on_workers, run_on_workers
from gdsl.api.pending import Pending, submit
from gdsl.api.result import Result
from gdsl.api.signature import CALL_OPTIONS, OPTIONS, DocOfInstance, OfInstance, call_of, doc_of, signature_of
from gdsl.backends import registry
from gdsl.backends.interface import Executable, Limits
from gdsl.binding import needed_widths
from gdsl.diagnostics import Diagnostic, GdslError, shown
from gdsl.graph import Graph, as_graph
from gdsl.memory_use import memory_use
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.api.batch import Batch
    from gdsl.backends.cuda.kernels import Kernels
    from gdsl.plan.graph_class import GraphClass


_NONE: frozenset[str] = frozenset()


class Program(CompiledProgram):
    """A program that is ready to run: ``program(graph, source=0)``.

    Created by `gdsl.compile`. What a backend makes of it is kept, so that later calls only run. `help(program)` and
    `inspect.signature(program)` describe its arguments and results.
    """

    __name__ = OfInstance(lambda program: program.name)
    __signature__ = OfInstance(lambda program: signature_of(program.ir))

    _warnings: tuple[Diagnostic, ...] | None = None

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the program says and probably does not mean (codes W0x), found when first accessed; nothing is raised
        or printed. `str(gdsl.GdslError(program.warnings, program.text))` is the text that `gdslc check` prints."""
        if self._warnings is None:
            self._warnings = warnings_of(self._program, self._source, self._tune)
        return self._warnings

    def __call__(self, graph: Graph, /, *others: object, **values: Any) -> Result:
        """Run on `graph` (or a graph of NetworkX or igraph, or a sparse matrix of SciPy, CuPy or PyTorch) with params
        and inputs by keyword.

        A vertex param takes an id or, for a graph with `names`, a name.
        The options of `run` are keywords too; where the program declares a param or input of that name (such as
        PageRank's `max_iterations`), the keyword is the program's, and the option is available in `run`.
        """
        if others:
            raise TypeError(f"all arguments after the graph are passed by name: {call_of(self._program)}")
        options = take_options(CALL_OPTIONS, values, self._binder.known)
        if concerns_workers(options):
            return run_on_workers(self, graph, values, options)
        return self._call(graph, values, **{name: value for name, value in options.items() if name not in OF_WORKERS})

    def run(
        self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        *,
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        gpus: int | str | Sequence[int] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002 - the name on the command line
        memory: int | str | None = None,
        workers: RunsPrograms | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        every: int | None = None,
        resume: bool = False,
        parts: str | os.PathLike[str] | None = None,
        **named: NoReturn,
    ) -> Result:
        """Run on `graph` with `values` for the params and inputs.

        `types` chooses the types of type parameters; the others represent the inputs exactly, by their dtypes.
        `backend` is auto, cuda, cpu or reference. `timeout` (seconds from the call to the result, checks of the inputs
        and compilation included) and `max_iterations` (passes of any loop) stop the run with an error. Several runs
        may be in progress at the same time, each in its own thread. `gpus` runs on several GPUs of this machine
        together: a number of them, "all", or a list of their numbers; the arrays are spread over their memories, and
        results are on the first of them. `round` names the params and inputs whose values
        become the nearest ones of the declared type; others must be values of it. `memory` is what the run may use of
        the GPU's memory: a number of bytes, a size such as "2GB", "device", "host" (edge lists stay in the memory of
        the host, where the GPU reads them) or "auto" (there if they do not fit).

        `workers` (what `gdsl.cluster` returns) run the program together, each with its part of the graph, which may
        also be a path or the name of a generated graph. They write a `checkpoint` to this folder after `every` so many
        passes of a loop, and with `resume` continue with the one that is there. With `parts` each writes its part of
        the results to this folder, from which they are read when the result is asked for them.

        Raises `gdsl.GdslError`, and TypeError or ValueError for invalid options; the program and the graph stay usable.
        """
        if named:
            raise self._named_apart("run", named)
        options: dict[str, Any] = {"backend": backend, "timeout": timeout, "max_iterations": max_iterations}
        options.update(types=types, gpus=gpus, round=round, memory=memory)
        for_workers = {"workers": workers, "checkpoint": checkpoint, "every": every, "resume": resume, "parts": parts}
        if concerns_workers(for_workers):
            return run_on_workers(self, graph, named_values(values), {**options, **for_workers})
        return self._call(graph, named_values(values), **options)

    def _named_apart(self, method: str, named: Mapping[str, object]) -> TypeError:
        """The mistake of a call that gives params or inputs as keywords where one mapping holds them."""
        name = next(iter(named))
        message = f"{method} has no option {name!r}"
        if name not in self._binder.known:
            return TypeError(message)
        call = "" if method == "dry_run" else f", or {self.name}(graph, {name}=…)"
        return TypeError(f"{message}: write {self.name}.{method}(graph, {{{name!r}: …}}){call}")

    def resume(
        self,
        result: Result,
        graph: Graph,
        *,
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        gpus: int | str | Sequence[int] | None = None,
        memory: int | str | None = None,
        workers: RunsPrograms | None = None,
    ) -> Result:
        """The result of a run on `graph` with the params of the run that gave `result`, going on from its values.

        `graph` is the graph of that run after any number of `Graph.updated` with insertions only. All results are those
        of a full run; `iterations` and `trace` are those of the shorter one. The program must have a loop that works
        off a frontier by one `min=` or `max=`, or reaches vertices by one store, and that depends on edges only by
        their ends and their values; inputs must be attributes of the graph. The options are those of `run`.

        This has nothing to do with the option `resume` of `run`, which goes on from a checkpoint of workers. `workers`
        go on together, from a result of theirs or of one process, on a graph in the memory of this process. Results of
        `map` are resumed one by one, unless their sets differ.

        Raises `gdsl.GdslError`: E0430, with the reason and its line, if the program has no such loop; E0622 if the
        result is from elsewhere, or edges were deleted; and what `run` raises.
        """
        from gdsl.api.resuming import continuations

        options: dict[str, Any] = {"backend": backend, "timeout": timeout, "max_iterations": max_iterations}
        options.update(gpus=gpus, memory=memory)
        if workers is not None:
            return resume_on_workers(self, result, graph, workers, {**options, "types": types})
        for run in continuations(self, result, as_graph(graph), types, backend):
            try:
                return run.finished(run.program._call(run.graph, run.arguments, round=run.rounded, **options))
            except GdslError as error:
                if not run.gives_way(error):
                    raise
        raise AssertionError("the last run gives way to none")

    def map(self, graph: Graph, values: Mapping[str, Any] | None = None, /, **named: Any) -> Batch:
        """Run once for each of many values: ``program.map(graph, source=range(1024)).distance`` is of shape (1024, V).

        Params take a list (range, array, Series) where they differ from run to run, all of one length, or one value for
        all; inputs are the same in all runs. Everything is checked before the first run; an error says which of the
        values it is about. The options are those of `run`, with one `timeout` for all runs, and

        batch: the most runs at a time. memory: the most bytes, including results; by default what is free.
        progress: whether to show how many runs are done; None: on a terminal and in a notebook.

        Keywords belong to the program where it has params of these names; with the mapping `values` all are options.
        """
        from gdsl.api.batch_run import arguments_of, run_all

        return run_all(self, graph, *arguments_of(self, values, named))

    def imap(self, graph: Graph, values: Mapping[str, Any] | None = None, /, **named: Any) -> Iterator[Result]:
        """As `map`, but yields the results one after the other as they are computed, and keeps none of them."""
        from gdsl.api.batch_run import arguments_of, run_each

        return run_each(self, graph, *arguments_of(self, values, named))

    def submit(self, graph: Graph, values: Mapping[str, Any] | None = None, /, **named: Any) -> Pending:
        """Start a run without waiting for it: ``pending = program.submit(graph, source=0)``, later
        ``pending.result()``. A GPU runs submitted runs one after the other without idle time between them.

        Values and options are checked as in a call, and raise here; errors of the run itself are raised by `result`.
        `timeout` counts from this call. Keywords belong to the program where it has params of these names; with the
        mapping `values` all are options.
        """
        arguments, options = split_call(OPTIONS, self._binder.known, values, named)
        return submit(self, as_graph(graph), arguments, **with_gpus(options))

    def _call(
        self,
        graph: Graph,
        values: Mapping[str, Any],
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        gpus: int | str | Sequence[int] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002
        memory: int | str | None = None,
    ) -> Result:
        """As `run`, with names that are known to be str."""
        if gpus is not None:
            backend = registry.on_gpus(backend, gpus)
        graph = graph if type(graph) is Graph else as_graph(graph)
        is_free = timeout is None and max_iterations is None and memory is None
        stops = NO_LIMITS if is_free else limits(timeout, max_iterations, memory)
        arguments = without_defaults(values)
        rounded = _NONE if round is None else self._rounded(round)
        if timeout is None:
            return self._run_instance(graph, arguments, backend, stops, types, rounded)
        with deadline.limited(timeout):
            return self._run_instance(graph, arguments, backend, stops, types, rounded)

    def _run_instance(
        self,
        graph: Graph,
        arguments: Mapping[str, Any],
        backend: str,
        stops: Limits,
        types: Mapping[str, Any] | None,
        rounded: frozenset[str],
    ) -> Result:
        """Run the instance that the arguments require, with the knobs of the tune file."""
        program, known = self, len(self._instances)
        if self._program.types or types is not None:
            program = self._last_instances[graph] = self.instance(graph, arguments, types)
        if program._picker is None:
            result = program._run(graph, arguments, backend, stops, rounded)
        else:
            tuned_program, tuned = program._tuned_for(graph, backend)
            result = tuned_program._run(graph, arguments, backend, stops, rounded)
            result.tuned = tuned
        if len(self._instances) > known:
            result.compile_ms += program.compile_ms
        return result

    def dry_run(
        self,
        graph: Graph,
        values: Mapping[str, Any] | None = None,
        *,
        backend: str = "auto",
        memory: int | str | None = None,
        types: Mapping[str, Any] | None = None,
        gpus: int | str | Sequence[int] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002
        **named: NoReturn,
    ) -> DryRun:
        """Check `values` as `run` does, and report what a run would allocate; nothing is compiled or run.

        `memory` as in `run`; with a size, cuda needs no GPU: the run may be on another machine. `gpus` as in `run`; on
        another machine a number of GPUs, of which each has `memory` bytes. Raises what `run` raises for invalid values.
        """
        if named:
            raise self._named_apart("dry_run", named)
        graph, arguments, use = as_graph(graph), without_defaults(named_values(values)), memory_use(memory)
        if self._program.types or types is not None:
            instance = self.instance(graph, arguments, types)
            if instance is not self:
                return instance.dry_run(graph, arguments, backend=backend, memory=memory, gpus=gpus, round=round)
        with self._explaining():
            on = target_of(backend, use, gpus)
            program = self if on.is_elsewhere else self._tuned_for(graph, on.name, on.choice.backend.name)[0]
            widths = needed_widths(program._program, graph)
            bindings = program._bound(on.choice, graph, arguments, widths, self._rounded(round))
            space = on.space()
            needs = on.choice.backend.needs(program._program, widths, graph, bindings, space.free, on.use)
        return on.dry_run(widths, needs, space)

    def prepare(self, backend: str = "auto", *, ids: int | Widths = 32) -> Program:
        """Compile for `backend` and graphs whose ids have `ids` bits now rather than at the first call."""
        widths = ids if isinstance(ids, Widths) else Widths.both(self._program.tuning.ids or _id_bits(ids))
        choice = registry.choose(backend)
        with self._explaining():
            self._compile_for(choice, widths, backend)
        return self

    def last_run(self, graph: Graph, backend: str = "auto") -> tuple[Program, Executable]:
        """What the last run on `graph` with this `backend` used: the program with its knobs, and its executable."""
        program: Program = self._last_instances.get(graph, self)
        if program is not self:
            return program.last_run(graph, backend)
        program, _ = self._tuned_for(graph, backend)
        return program, program._routes[backend].executable

    def source(self, language: str = "cuda", *, ids: int = 32) -> str:
        """The generated text in "cuda" or "cpp", for graphs whose ids have `ids` bits; for a program with type
        parameters, that of this instance."""
        return self.source_for(language, Widths.both(self._program.tuning.ids or _id_bits(ids)))

    def source_for(self, language: str, widths: Widths, graph_class: GraphClass | None = None) -> str:
        """The generated text, as `source` returns it, for ids of vertices and of edges of possibly different widths.
        `graph_class`: the graphs that CUDA is for, by default any."""
        with self._explaining():
            if isinstance(language, str) and language == "cuda":
                from gdsl.backends.cuda import source_text as cuda_text

                return cuda_text(self._program, widths, graph_class)
            if isinstance(language, str) and language == "cpp":
                from gdsl.backends.cpu import source_text as cpp_text

                return cpp_text(self._program, widths)
        raise ValueError(f"language must be 'cuda' or 'cpp', not {shown(language)}")

    @property
    def kernels(self) -> Kernels:
        """The CUDA kernels with their text, machine code and launch parameters, to run them by hand; for the current
        GPU, or ``kernels(arch="sm_90")``."""
        from gdsl.backends.cuda.kernels import Kernels

        return Kernels(self._program, self._explaining)

    def __repr__(self) -> str:
        return f"<Program {self.name}({', '.join((*self.params, *self.inputs))})>"

    def _repr_html_(self) -> str | None:
        from gdsl.api.display import program_page

        arguments = (*self.params, *self.inputs)
        return program_page(self._program, arguments, self._source.text, self.source)


Program.__doc__ = DocOfInstance(  # type: ignore[assignment]
    Program.__doc__, lambda program: doc_of(program.ir, program.text)
)


def _id_bits(ids: object) -> int:
    if isinstance(ids, int) and ids in (32, 64):
        return ids
    raise ValueError(f"ids must be 32 or 64, not {shown(ids)}")
