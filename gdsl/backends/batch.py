"""Runs of one program with many values of its params: the interface of backends, and the default, one run after the
other."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, overload, runtime_checkable

from gdsl.backends.failures import timeout_error
from gdsl.backends.interface import Bindings, Executable, Limits, Outcome, Pair, Scalar
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """The caller's bounds: how many values at a time, and how many bytes for them; None: as many as fit."""

    at_once: int | None = None
    memory: int | None = None
    whole: bool = False
    """Whether all results are needed together at the end."""
    done: Callable[[int], None] = lambda more: None
    """Called now and then with how many more values are done."""


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """Results for some consecutive values.

    arrays: by name [count, elements], as in `Outcome`; for pairs a `Pair` of two such. scalars: by name a value for
    each. iterations: of each. time_ms: of all together. how: the way they were run, in a few words.
    """

    arrays: dict[str, Any]
    scalars: dict[str, list[Scalar | Pair]]
    iterations: list[int]
    time_ms: float
    how: str


class FailedAtError(Exception):
    """The run with value number `index` was refused or failed; all before it succeeded."""

    def __init__(self, index: int, error: GdslError) -> None:
        super().__init__(index, error)
        self.index, self.error = index, error


@runtime_checkable
class RunsBatches(Protocol):
    """An executable with its own implementation of batches."""

    def run_batch(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """Run with each of `bound`, in order, a `Part` at a time; None if one run after the other is as good.

        Raises FailedAtError, and what `Executable.run` raises if it does not concern one value.
        """
        ...


def run_batch(
    executable: Executable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
) -> Iterator[Part]:
    """The runs of `executable` with each of `bound`, in order."""
    began = time.monotonic()
    if isinstance(executable, RunsBatches) and len(bound) > 1:
        parts = executable.run_batch(graph, bound, limits, bounds)
        if parts is not None:
            return parts
    return one_after_the_other(executable, graph, bound, limits.since(began), bounds)


def one_after_the_other(
    executable: Executable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds, why: str = ""
) -> Iterator[Part]:
    """A call for each value."""
    how = f"one by one{', ' if why else ''}{why}"
    began = time.monotonic()
    for index, bindings in enumerate(bound):
        check_time(limits, began, index)
        spent = limits.spent + time.monotonic() - began if limits.timeout is not None else 0.0
        try:
            part = part_of(executable.run(graph, bindings, dataclasses.replace(limits, spent=spent)), how)
        except GdslError as error:
            raise FailedAtError(index, error) from None
        bounds.done(1)
        yield part


def differ(bound: Sequence[Bindings], name: str) -> bool:
    """Whether a param has several values."""
    values = param_values(bound, name)
    return any(value != values[0] for value in values)


def check_time(limits: Limits, began: float, index: int) -> None:
    """Raise FailedAtError with E0802 if the timeout of all runs passed before value number `index`: each run may be too
    short to check the clock."""
    if limits.timeout is not None and time.monotonic() - began > (limits.left or 0.0):
        raise FailedAtError(index, timeout_error(limits.timeout))


def part_of(outcome: Outcome, how: str) -> Part:
    """One run as a part."""
    arrays = {name: _row(values) for name, values in outcome.arrays.items()}
    scalars = {name: [value] for name, value in outcome.scalars.items()}
    return Part(arrays, scalars, [outcome.iterations], outcome.time_ms, how)


def _row(values: Any) -> Any:
    if isinstance(values, Pair):
        return Pair(_row(values.first), _row(values.second))
    return values.reshape(1, -1)


class VariedBindings(Sequence[Bindings]):
    """Bindings that differ in the values of some params; each is created when it is accessed."""

    def __init__(self, first: Bindings, varied: Mapping[str, Sequence[Any]]) -> None:
        """`varied`: the values of each param, all of the same length, at least one."""
        self._first, self._varied = first, varied

    def __len__(self) -> int:
        return len(next(iter(self._varied.values())))

    @overload
    def __getitem__(self, index: int) -> Bindings: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Bindings]: ...
    def __getitem__(self, index: int | slice) -> Bindings | Sequence[Bindings]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            varied = {name: values[index] for name, values in self._varied.items()}
            return VariedBindings(self[places[0]], varied) if places else ()
        if index == 0:
            return self._first
        own = {name: values[index] for name, values in self._varied.items()}
        return Bindings({**self._first.params, **own}, self._first.inputs, self._first.own)

    def values(self, name: str) -> Sequence[Any]:
        """All values of a param."""
        return self._varied.get(name) or [self._first.params[name]] * len(self)


def param_values(bound: Sequence[Bindings], name: str) -> Sequence[Any]:
    """The value of a param in each of `bound`."""
    return bound.values(name) if isinstance(bound, VariedBindings) else [bindings.params[name] for bindings in bound]


def finish_tests(bound: Sequence[Bindings]) -> None:
    """Wait for the tests of `Bindings.open`; of `VariedBindings` only the first has any."""
    for bindings in bound[:1] if isinstance(bound, VariedBindings) else bound:
        for test in bindings.open:
            test()
