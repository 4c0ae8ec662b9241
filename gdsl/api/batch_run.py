"""Runs a program with many values of its params: `Program.map` and `Program.imap`."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from gdsl import deadline
from gdsl.api.arguments import limits, split_call, with_gpus
from gdsl.api.batch import Batch, Runs, Stacks
from gdsl.api.compiled import CompiledProgram
from gdsl.api.convergence import warn
from gdsl.api.origin import Origin
from gdsl.api.result import Result
from gdsl.api.signature import OPTIONS as OPTIONS_OF_A_RUN
from gdsl.backends import registry
from gdsl.backends.batch import Bounds, FailedAtError, Part, run_batch
from gdsl.backends.interface import Bindings, Executable, Limits, Pair
from gdsl.backends.registry import Choice
from gdsl.binding import check_names, declared_params, needed_widths, values_of
from gdsl.codegen.structs import element_dtype
from gdsl.diagnostics import GdslError, shown
from gdsl.extents import of_graph
from gdsl.foreign_objects import attribute
from gdsl.graph import Graph, as_graph
from gdsl.ir import nodes as ir
from gdsl.memory_use import memory_use
from gdsl.numerals import is_whole
from gdsl.progress import Counting
from gdsl.types import Type

OPTIONS = ("batch", "progress", *OPTIONS_OF_A_RUN)
"""The options of a call, next to params and inputs."""
_MOST_READ = 1 << 24
"""The most values that are read from an iterator without a length."""


class Options(NamedTuple):
    """The options of a call; `batch` and `memory` as in `Bounds`."""

    batch: int | None = None
    memory: int | str | None = None
    progress: bool | None = None
    backend: str = "auto"
    timeout: float | None = None
    max_iterations: int | None = None
    types: Mapping[str, Any] | None = None
    round: str | Collection[str] | None = None


def arguments_of(
    program: CompiledProgram, values: Mapping[str, Any] | None, named: dict[str, Any]
) -> tuple[dict[str, Any], Options]:
    """The params and inputs of a call, and its options. Raises TypeError."""
    arguments, options = split_call(OPTIONS, program._binder.known, values, named)
    return arguments, Options(**with_gpus(options))


def run_all(program: CompiledProgram, graph: Any, arguments: dict[str, Any], options: Options) -> Batch:
    """`Program.map`."""
    run = _BatchRun(program, as_graph(graph), arguments, options)
    with deadline.limited(options.timeout):
        return run.batch()


def run_each(program: CompiledProgram, graph: Any, arguments: dict[str, Any], options: Options) -> Iterator[Result]:
    """`Program.imap`; invalid values are reported before the first result is requested."""
    run = _BatchRun(program, as_graph(graph), arguments, options)
    with deadline.limited(options.timeout):
        return run.results()


class _BatchRun:
    """One call of `map` or `imap`."""

    def __init__(self, program: CompiledProgram, graph: Graph, arguments: dict[str, Any], options: Options) -> None:
        self.graph, self.options = graph, options
        memory = memory_use(options.memory)
        limit = None if memory is None else memory.limit
        self.stops = limits(options.timeout, options.max_iterations, memory if limit is None else None)
        self.bounds = Bounds(_positive("batch", options.batch), _positive("memory", limit))
        self.varied, self.shared = _varied(program, graph, arguments)
        values = {**self.shared, **self.varied}
        instance = program.instance(graph, values, options.types, varied=self.varied)
        self.program, _ = instance._tuned_for(graph, options.backend)
        self.rounded = self.program._rounded(options.round)
        self.count = len(next(iter(self.varied.values())))
        self.first: Bindings | None = None
        """The arguments of the first run, which has the inputs of all runs."""

    def batch(self) -> Batch:
        """All results as a `Batch`."""
        self.bounds = replace(self.bounds, whole=True)
        runs, parts = self._begin()
        stacks, whole = Stacks(self.count), Part({}, {}, [], 0.0, "nothing to run")
        if not self.count:
            return Batch(runs, self._empty_part(), self.varied)
        for part in parts:
            arrays = {array.name: part.arrays[array.name] for array in self.program._results.arrays}
            try:
                stacks.put(arrays, len(part.iterations))
            except MemoryError:
                message = f"there is not enough free memory for the results of all {self.count:,} runs"
                raise GdslError.single("E0912", message, fix="imap yields them one after the other") from None
            scalars = {name: [*whole.scalars.get(name, ()), *values] for name, values in part.scalars.items()}
            iterations = [*whole.iterations, *part.iterations]
            how = whole.how if whole.iterations else part.how  # the last part may be smaller
            whole = Part({}, scalars, iterations, whole.time_ms + part.time_ms, how)
        watch = self.program._results.watch
        if self.first is not None and not watch.is_idle:
            warning = watch.check_all(stacks.arrays, whole.scalars, self.first, self.varied)
            if warning is not None:
                warn(warning)
        return Batch(runs, replace(whole, arrays=stacks.arrays), self.varied)

    def results(self) -> Iterator[Result]:
        """The results one after the other, as they are computed."""
        runs, parts = self._begin()

        def each() -> Iterator[Result]:
            watch, first = self.program._results.watch, self.first
            is_quiet = watch.is_idle
            number = 0
            for part in parts:
                for row in range(len(part.iterations)):
                    result = runs.result(part, row, number)
                    if not is_quiet and first is not None:
                        warning = watch.check(result.arrays, result.scalars, result.iterations, first)
                        if warning is not None:
                            is_quiet = True  # one warning for all runs
                            warn(warning)
                    yield result
                number += len(part.iterations)

        return each()

    def _begin(self) -> tuple[Runs, Iterator[Part]]:
        program = self.program
        try:
            widths = needed_widths(program._program, self.graph)
            choice = registry.choose(self.options.backend)
            if self.graph._lazy_csr is not None:
                choice.backend.place(self.graph)
            bound = self._bound(choice)
            started = time.perf_counter()
            with deadline.doing("compiling the program"):
                usable, executable = program._compile_for(choice, widths, self.options.backend)
            compile_ms = (time.perf_counter() - started) * 1000
            if usable is not choice:
                choice, bound = usable, self._bound(usable)
        except GdslError as error:
            raise program._explained(error) from None
        if bound:  # a limit of passes that differs between runs does not apply to all
            common = {name: value for name, value in bound[0].params.items() if name not in self.varied}
            self.first = replace(bound[0], params=common)
        params = bound[0].params if bound else self._params_of_no_run()
        named = choice.backend.name, choice.line
        runs = Runs(program._results, named, compile_ms, params, self.graph, self._origins(bound))
        return runs, self._parts(executable, bound, self._limits())

    def _origins(self, bound: Sequence[Bindings]) -> Callable[[int], Origin] | None:
        """The origin of each run by its number; None where each has sets of its own, which would have to be kept."""
        if any(array.is_set and array.name in self.varied for array in self.program._program.arrays):
            return None
        origins, identity, rounded = self.program._origins, self.graph._identity, self.rounded
        return lambda number: origins.of(bound[number], identity, rounded)

    def _parts(self, executable: Executable, bound: Sequence[Bindings], stops: Limits) -> Iterator[Part]:
        counting = Counting(f"running {self.program.name}", self.count, self.options.progress)
        try:
            with counting:
                bounds = replace(self.bounds, done=counting.add)
                yield from run_batch(executable, self.graph, bound, stops, bounds)
        except FailedAtError as failed:
            raise self._with_index(failed.error, failed.index) from None
        except GdslError as error:
            raise self.program._explained(error) from None

    def _limits(self) -> Limits:
        spent = deadline.spent()
        return replace(self.stops, spent=spent) if spent else self.stops

    def _bound(self, choice: Choice) -> Sequence[Bindings]:
        """The checked arguments of each run."""
        program, widths = self.program, needed_widths(self.program._program, self.graph)
        binder, bindings = program._binder, list[Bindings]()
        how: dict[str, Any] = {"widths": widths, "device": choice.backend.name == "cuda", "rounded": self.rounded}
        check_names(program._program, [*self.shared, *self.varied], program._source)
        with deadline.doing("checking the params and inputs"):
            try:
                together = binder.bind_all(self.graph, self.shared, self.varied, **how)
            except GdslError as error:
                raise self._with_index(error, 0) from None
            if together is not None:
                return together
            for index in range(self.count):
                values = {**self.shared, **{name: each[index] for name, each in self.varied.items()}}
                try:
                    former = bindings[0] if bindings else None
                    bindings.append(binder.bind(self.graph, values, previous=former, **how))
                except GdslError as error:
                    raise self._with_index(error, index) from None
                self._check_shapes(bindings, index)
        return bindings

    def _check_shapes(self, bindings: list[Bindings], index: int) -> None:
        """Raise ValueError where arrays would have other lengths than in the first run."""
        if not self.program._results.has_several:
            return
        for array in self.program._results.arrays:
            first, own = (values_of(array, bindings[number].params) for number in (0, index))
            if first != own:
                raise ValueError(
                    f"the runs differ in how many values an element of `{array.name}` has: {first} in run 0, {own} in "
                    f"run {index}; call the program once for each of these numbers"
                )

    def _with_index(self, error: GdslError, index: int) -> GdslError:
        """`error`, with a note about the values that caused it."""
        values = ", ".join(f"{name}={shown(values[index])}" for name, values in self.varied.items())
        which = f"number {index} of the {self.count:,} values, counted from 0" if self.count > 1 else "the only value"
        note = f"this is {which}: {values}"
        explained = self.program._explained(error)
        noted = [replace(each, notes=(*each.notes, note)) for each in explained.diagnostics]
        return GdslError(noted, explained.source)

    def _params_of_no_run(self) -> dict[str, int]:
        """Params that decide how many values an element has if there are no runs: the shared ones, and 0 for others."""
        program, binder = self.program._program, self.program._binder
        params = {param.name: 0 for param in program.params}
        params |= {name: int(value) for name, value in self.shared.items() if is_whole(value)}
        for param in program.params:
            if param.is_count and param.default is not None:
                params[param.name] = max(int(binder.default_of(param, param.default, self.graph, params)), 0)
        return params

    def _empty_part(self) -> Part:
        """The results of no runs."""
        widths = needed_widths(self.program._program, self.graph)
        sizes = of_graph(self.graph.num_vertices, self.graph.num_edges, self._params_of_no_run())

        def empty(kind: Type, length: int) -> Any:
            if kind.is_pair:
                return Pair(*(empty(part, length) for part in kind.parts))
            dtype = np.dtype(f"i{widths.of(kind) // 8}") if kind.is_id else element_dtype(kind, widths)
            return np.empty((0, length), np.bool_ if kind is Type.BOOL else dtype)

        arrays = {array.name: empty(array.type, array.extent.value(sizes)) for array in self.program._results.arrays}
        scalars: dict[str, list[Any]] = {name: [] for name in self.program._results.scalars}
        return Part(arrays, scalars, [], 0.0, "nothing to run")


def _positive(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if not is_whole(value):
        raise TypeError(f"{name} must be a whole number, not {shown(value)}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {shown(value)}")
    return int(value)


def _varied(
    program: CompiledProgram, graph: Graph, arguments: dict[str, Any]
) -> tuple[dict[str, Sequence[Any]], dict[str, Any]]:
    """The params with a list of values, and the arguments that all runs share. Raises TypeError if no param has a list,
    and ValueError if the lists differ in length."""
    params = {each.name: each for each in declared_params(program._program) if isinstance(each, ir.Param)}
    varied = {name: _listed(name, arguments[name], graph) for name in params if name in arguments}
    lists = {name: values for name, values in varied.items() if values is not None}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"lists of values must be equally long, and there are {counts}")
    if not lists:
        if not arguments.keys() <= program._binder.known:
            check_names(program._program, arguments, program._source)
        single = {name: arguments[name] for name in params if name in arguments}
        sets = [array.name for array in program._program.arrays if array.is_set and array.name in arguments]
        raise TypeError(_no_list(program, single, sets))
    return lists, {name: value for name, value in arguments.items() if name not in lists}


def _no_list(program: CompiledProgram, single: dict[str, Any], sets: Sequence[str]) -> str:
    names = [each.name for each in declared_params(program._program) if isinstance(each, ir.Param)]
    if not names:
        return f"{program.name} has no params with many values: sets and inputs are the same in all runs"
    lists = " or ".join(f"{name}=[…]" for name in names)
    note = "".join(f"; {name} is the one value {shown(value)}" for name, value in single.items())
    note += "".join(f"; {name} is a set, which is the same in all runs" for name in sets)
    return f"map takes a list of values for at least one param, such as {lists}{note}"


def _listed(name: str, value: Any, graph: Graph) -> Sequence[Any] | None:
    """The values of a param, None for a single one: a str is a name, and so is a tuple or frozenset that names one."""
    if isinstance(value, str | bytes) or attribute(value, "shape") == ():
        return None
    if isinstance(value, tuple | frozenset) and graph.names is not None and graph.names.id_of(value) is not None:
        return None
    if isinstance(value, range):
        return value
    if isinstance(value, list | tuple):  # a copy: the values must stay as they were checked
        return [*value]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        return None
    dimensions = attribute(value, "ndim", 1)
    if dimensions != 1:
        raise ValueError(f"values of {name} are a list of one dimension, not of {dimensions}")
    to_list = attribute(value, "tolist")
    values: list[Any] = _read(name, value) if to_list is None else to_list()
    return values


def _read(name: str, value: Iterable[Any]) -> list[Any]:
    """All values of an iterable, which may have no length."""
    if isinstance(value, Sized):
        return list(value)
    values = list(islice(value, _MOST_READ + 1))
    if len(values) > _MOST_READ:
        problem = f"an iterator gives more than {_MOST_READ:,} values of {name}, and may not end"
        raise ValueError(f"{problem}; pass so many as a range, a list or an array")
    return values
