"""One program for many values: what a backend gives for some of them at a time, and how it does so without a way of its
own, which is one after the other."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from gdsl.backends.failures import timeout_error
from gdsl.backends.interface import Bindings, Executable, Limits, Outcome, Pair, Scalar
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """What the caller allows: how many values at a time, and how many bytes for them; None: as many as fit."""

    at_once: int | None = None
    memory: int | None = None
    whole: bool = False
    """Whether all results are wanted at the end, and none before."""
    done: Callable[[int], None] = lambda more: None
    """Is told how many more values are done, now and then."""


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """What a backend gave for some of the values, which stand one after the other.

    arrays: by name [count, elements], as `Outcome` has each of them; of pairs a `Pair` of two such.
    scalars: by name a value for each. iterations: of each. time_ms: what all took together.
    how: in a few words how it was done.
    """

    arrays: dict[str, Any]
    scalars: dict[str, list[Scalar | Pair]]
    iterations: list[int]
    time_ms: float
    how: str


class FailedAtError(Exception):
    """The run with value number `index` was refused or failed, all before it did not."""

    def __init__(self, index: int, error: GdslError) -> None:
        super().__init__(index, error)
        self.index, self.error = index, error


@runtime_checkable
class RunsBatches(Protocol):
    """An executable with a way of its own."""

    def run_batch(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """Run with each of `bound`, in order, a `Part` at a time; None where one after the other is as good.

        Raises FailedAtError, and what `Executable.run` raises where that is no matter of one value."""
        ...


def run_batch(
    executable: Executable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
) -> Iterator[Part]:
    """The runs of `executable` with each of `bound`, in order."""
    if isinstance(executable, RunsBatches) and len(bound) > 1:
        found = executable.run_batch(graph, bound, limits, bounds)
        if found is not None:
            return found
    return one_after_the_other(executable, graph, bound, limits, bounds)


def one_after_the_other(
    executable: Executable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds, why: str = ""
) -> Iterator[Part]:
    """A call each."""
    how = f"one after the other{', ' if why else ''}{why}"
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


def check_time(limits: Limits, began: float, index: int) -> None:
    """Raise FailedAtError with E0802 where the time of all was over before value number `index`: runs may each be too
    short to look at the clock."""
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
