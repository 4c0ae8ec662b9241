"""One program for many values of its params: `Program.map` and `Program.imap`."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gdsl import deadline
from gdsl.api.batch import Batch, Runs
from gdsl.api.convergence import warn
from gdsl.api.given import called_with
from gdsl.api.limits import limits
from gdsl.api.result import Result
from gdsl.api.signature import OPTIONS as OPTIONS_OF_A_RUN
from gdsl.api.stacks import Stacks
from gdsl.backends import registry
from gdsl.backends.interface import Bindings, Executable, Limits, Pair
from gdsl.backends.many import Bounds, FailedAtError, Part, run_many
from gdsl.backends.registry import Choice
from gdsl.binding import check_names, declared_params, needed_widths, values_of
from gdsl.codegen.structs import element_dtype
from gdsl.diagnostics import GdslError, shown
from gdsl.extents import of_graph
from gdsl.foreign_objects import attribute
from gdsl.graph import Graph, as_graph
from gdsl.ir import nodes as ir
from gdsl.numerals import is_whole
from gdsl.progress import Counting
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.program import Program

OPTIONS = ("batch", "memory", "progress", *OPTIONS_OF_A_RUN)
"""What calls take beside params and inputs."""
_MOST_READ = 1 << 24
"""Values of an iterator without a length."""


class Options(NamedTuple):
    """How values are run; `batch` and `memory` as `Bounds` has them."""

    batch: int | None = None
    memory: int | None = None
    progress: bool | None = None
    backend: str = "auto"
    timeout: float | None = None
    max_iterations: int | None = None
    types: Mapping[str, Any] | None = None
    round: str | Collection[str] | None = None


def called(program: Program, values: Mapping[str, Any] | None, named: dict[str, Any]) -> tuple[dict[str, Any], Options]:
    """What a call gives: params and inputs, and options. Raises TypeError."""
    given, chosen = called_with(OPTIONS, program._binder.known, values, named)
    return given, Options(**chosen)


def run_all(program: Program, graph: Any, given: dict[str, Any], options: Options) -> Batch:
    """`Program.map`."""
    many = _Many(program, as_graph(graph), given, options)
    with deadline.limited(options.timeout):
        return many.batch()


def run_each(program: Program, graph: Any, given: dict[str, Any], options: Options) -> Iterator[Result]:
    """`Program.imap`; what is wrong with the values is told before the first result is asked for."""
    many = _Many(program, as_graph(graph), given, options)
    with deadline.limited(options.timeout):
        return many.results()


class _Many:
    """One call."""

    def __init__(self, program: Program, graph: Graph, given: dict[str, Any], options: Options) -> None:
        self.graph, self.options = graph, options
        self.stops = limits(options.timeout, options.max_iterations)
        self.bounds = Bounds(_positive("batch", options.batch), _positive("memory", options.memory))
        self.varied, self.shared = _varied(program, graph, given)
        read = {**self.shared, **self.varied}
        instance = program.instance(graph, read, options.types, varied=self.varied)
        self.program = _suited(instance, graph, options.backend)
        self.rounded = self.program._rounded(options.round)
        self.count = len(next(iter(self.varied.values())))
        self.first: Bindings | None = None
        """What the first run is given, the inputs of all."""

    def batch(self) -> Batch:
        """All at once."""
        self.bounds = replace(self.bounds, whole=True)
        runs, parts = self._begin()
        stacks, whole = Stacks(self.count), Part({}, {}, [], 0.0, "nothing to run")
        if not self.count:
            return Batch(runs, self._nothing(), self.varied)
        for part in parts:
            arrays = {array.name: part.arrays[array.name] for array in self.program._results.arrays}
            try:
                stacks.put(arrays, len(part.iterations))
            except MemoryError:
                message = f"there is not enough free memory for the results of all {self.count:,} runs"
                raise GdslError.single("E0912", message, fix="imap gives them one after the other") from None
            scalars = {name: [*whole.scalars.get(name, ()), *found] for name, found in part.scalars.items()}
            iterations = [*whole.iterations, *part.iterations]
            how = whole.how if whole.iterations else part.how  # the last one may have fewer
            whole = Part({}, scalars, iterations, whole.time_ms + part.time_ms, how)
        watch = self.program._results.watch
        if self.first is not None and not watch.is_idle:
            said = watch.found_in_all(stacks.arrays, whole.scalars, self.first, self.varied)
            if said is not None:
                warn(said)
        return Batch(runs, replace(whole, arrays=stacks.arrays), self.varied)

    def results(self) -> Iterator[Result]:
        """One after the other, as they come."""
        runs, parts = self._begin()

        def each() -> Iterator[Result]:
            watch, first = self.program._results.watch, self.first
            quiet = watch.is_idle
            for part in parts:
                for row in range(len(part.iterations)):
                    result = runs.result(part, row)
                    if not quiet and first is not None:
                        said = watch.found(result.arrays, result.scalars, result.iterations, first)
                        if said is not None:
                            quiet = True  # one warning for all runs
                            warn(said)
                    yield result

        return each()

    def _begin(self) -> tuple[Runs, Iterator[Part]]:
        program = self.program
        try:
            widths = needed_widths(program._program, self.graph)
            choice = registry.choose(self.options.backend)
            if self.graph._postponed is not None:
                choice.backend.place(self.graph)
            bound = self._bound(choice)
            started = time.perf_counter()
            with deadline.doing("compiling the program"):
                ready, executable = program._ready(choice, widths, self.options.backend)
            compile_ms = (time.perf_counter() - started) * 1000
            if ready is not choice:
                choice, bound = ready, self._bound(ready)
        except GdslError as error:
            raise program._explained(error) from None
        if bound:  # a limit of passes that differs is that of no other run
            alike = {name: value for name, value in bound[0].params.items() if name not in self.varied}
            self.first = replace(bound[0], params=alike)
        params = bound[0].params if bound else self._of_none()
        runs = Runs(program._results, (choice.backend.name, choice.line), compile_ms, params, self.graph)
        return runs, self._parts(executable, bound, self._limits())

    def _parts(self, executable: Executable, bound: Sequence[Bindings], stops: Limits) -> Iterator[Part]:
        counting = Counting(f"running {self.program.name}", self.count, self.options.progress)
        try:
            with counting:
                bounds = replace(self.bounds, done=counting.add)
                yield from run_many(executable, self.graph, bound, stops, bounds)
        except FailedAtError as failed:
            raise self._told(failed.error, failed.index) from None
        except GdslError as error:
            raise self.program._explained(error) from None

    def _limits(self) -> Limits:
        spent = deadline.spent()
        return replace(self.stops, spent=spent) if spent else self.stops

    def _bound(self, choice: Choice) -> Sequence[Bindings]:
        """Everything checked, for each of the values."""
        program, widths = self.program, needed_widths(self.program._program, self.graph)
        binder, found = program._binder, list[Bindings]()
        how: dict[str, Any] = {"widths": widths, "device": choice.backend.name == "cuda", "rounded": self.rounded}
        check_names(program._program, [*self.shared, *self.varied], program._source)
        with deadline.doing("checking the params and inputs"):
            try:
                together = binder.bind_all(self.graph, self.shared, self.varied, **how)
            except GdslError as error:
                raise self._told(error, 0) from None
            if together is not None:
                return together
            for index in range(self.count):
                given = {**self.shared, **{name: values[index] for name, values in self.varied.items()}}
                try:
                    former = found[0] if found else None
                    found.append(binder.bind(self.graph, given, former=former, **how))
                except GdslError as error:
                    raise self._told(error, index) from None
                self._check_shapes(found, index)
        return found

    def _check_shapes(self, found: list[Bindings], index: int) -> None:
        """Raise ValueError where arrays would have other lengths than those of the first value."""
        if not self.program._results.has_several:
            return
        for array in self.program._results.arrays:
            first, own = (values_of(array, found[number].params) for number in (0, index))
            if first != own:
                raise ValueError(
                    f"an element of `{array.name}` would have {first} values with number 0 of the values and {own} "
                    f"with number {index}; call the program once for each number of values"
                )

    def _told(self, error: GdslError, index: int) -> GdslError:
        """`error`, with which of the values it is about."""
        values = ", ".join(f"{name}={shown(values[index])}" for name, values in self.varied.items())
        note = f"this is number {index} of the {self.count:,} values, counted from 0: {values}"
        found = self.program._explained(error)
        told = [replace(each, notes=(*each.notes, note)) for each in found.diagnostics]
        return GdslError(told, found.source)

    def _of_none(self) -> dict[str, int]:
        """How many values elements have where there are no runs: what the shared params say, with 0 for all others."""
        program, binder = self.program._program, self.program._binder
        params = {param.name: 0 for param in program.params}
        params |= {name: int(value) for name, value in self.shared.items() if is_whole(value)}
        for param in program.params:
            if param.is_count and param.default is not None:
                params[param.name] = max(int(binder.default_of(param, param.default, self.graph, params)), 0)
        return params

    def _nothing(self) -> Part:
        """The results of no runs."""
        widths = needed_widths(self.program._program, self.graph)
        sizes = of_graph(self.graph.num_vertices, self.graph.num_edges, self._of_none())

        def none(kind: Type, length: int) -> Any:
            if kind.is_pair:
                return Pair(*(none(part, length) for part in kind.parts))
            dtype = np.dtype(f"i{widths.of(kind) // 8}") if kind.is_id else element_dtype(kind, widths)
            return np.empty((0, length), np.bool_ if kind is Type.BOOL else dtype)

        arrays = {array.name: none(array.type, array.extent.value(sizes)) for array in self.program._results.arrays}
        scalars: dict[str, list[Any]] = {name: [] for name in self.program._results.scalars}
        return Part(arrays, scalars, [], 0.0, "nothing to run")


def _suited(program: Program, graph: Graph, backend: str) -> Program:
    """The program by the knobs that its tune file has for such graphs."""
    return program._picked(graph, backend)[0]


def _positive(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if not is_whole(value):
        raise TypeError(f"{name} must be a whole number, not {shown(value)}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {shown(value)}")
    return int(value)


def _varied(program: Program, graph: Graph, given: dict[str, Any]) -> tuple[dict[str, Sequence[Any]], dict[str, Any]]:
    """The params of which there are several values, and what all runs share. Raises TypeError where there is none, and
    ValueError where they are not equally many."""
    params = {each.name: each for each in declared_params(program._program) if isinstance(each, ir.Param)}
    varied = {name: _listed(name, given[name], graph) for name in params if name in given}
    found = {name: values for name, values in varied.items() if values is not None}
    lengths = {name: len(values) for name, values in found.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"lists of values must be equally long, and there are {told}")
    if not found:
        if not given.keys() <= program._binder.known:
            check_names(program._program, given, program._source)
        raise TypeError(_none_listed(program, {name: given[name] for name in params if name in given}))
    return found, {name: value for name, value in given.items() if name not in found}


def _none_listed(program: Program, single: dict[str, Any]) -> str:
    names = [each.name for each in declared_params(program._program) if isinstance(each, ir.Param)]
    if not names:
        return f"{program.name} has no params with many values: sets and inputs are the same in all runs"
    lists = " or ".join(f"{name}=[…]" for name in names)
    found = "".join(f"; {name} is the one value {shown(value)}" for name, value in single.items())
    return f"map takes a list of values for a param at least, such as {lists}{found}"


def _listed(name: str, value: Any, graph: Graph) -> Sequence[Any] | None:
    """The values of a param, None where it is a single one: a str is a name, and so is a tuple or a frozenset that
    names a vertex."""
    if isinstance(value, str | bytes) or attribute(value, "shape") == ():
        return None
    if isinstance(value, tuple | frozenset) and graph.names is not None and graph.names.id_of(value) is not None:
        return None
    if isinstance(value, range):
        return value
    if isinstance(value, list | tuple):  # what is checked before the runs stays so, whatever the caller does to his
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
    """All that an iterable gives, which may not know how many that are."""
    if isinstance(value, Sized):
        return list(value)
    values = list(islice(value, _MOST_READ + 1))
    if len(values) > _MOST_READ:
        told = f"an iterator gives more than {_MOST_READ:,} values of {name}, and may not end"
        raise ValueError(f"{told}; so many are given as a range, a list or an array")
    return values
