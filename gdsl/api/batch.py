"""What `Program.map` gives back: the results of many runs, each by itself and all as one array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gdsl.api.batch_tables import BatchTables
from gdsl.api.result import Result, Results
from gdsl.api.stacks import mapped
from gdsl.api.summary import on_host
from gdsl.backends.interface import Outcome, Pair, parts_of
from gdsl.backends.many import Part
from gdsl.binding import values_of
from gdsl.diagnostics import shown
from gdsl.types import Type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdsl.graph import Graph
    from gdsl.graph.csr import Csr


class Runs:
    """What every run of a batch has alike."""

    def __init__(
        self,
        results: Results,
        backend: tuple[str, str],
        compile_ms: float,
        params: Mapping[str, object],
        graph: Graph,
    ) -> None:
        """`backend`: its name, and why `auto` took it. `params` are those of the first run."""
        self.csr: Csr | None = graph._csr  # not the graph itself, with which memory of a GPU would stay
        self.names = graph.names
        self.results, self.compile_ms = results, compile_ms
        self.backend, self.backend_line = backend
        self.counts = {array.name: values_of(array, params) for array in results.arrays} if results.has_several else {}
        self.params = params

    def result(self, part: Part, row: int) -> Result:
        """One run of `part`."""
        arrays = {name: mapped(lambda values: values[row], stack) for name, stack in part.arrays.items()}
        scalars = {name: values[row] for name, values in part.scalars.items()}
        time_ms = part.time_ms / max(len(part.iterations), 1)
        outcome = Outcome(arrays, scalars, part.iterations[row], time_ms)
        made = Result(self.results, outcome, self.backend, self.backend_line, self.compile_ms, self.params)
        made._csr, made._names = self.csr, self.names
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have the names of the graph, as those of a `Result`."""
        return {**self.__dict__, "csr": None}


class Batch(BatchTables, Sequence[Result]):
    """The results of `Program.map`, in the order of the values: ``batch[3].distance``, ``for result in batch``.

    Each result is also there as one array for all, under its declared name (``batch.distance``, ``batch["distance"]``):
    an array over vertices as [N, V] (of n values an element [N, V, n]), one over edges as [N, E], a scalar as [N]; a
    pair is a `Pair` of two such. They are NumPy's or, from the cuda backend while they fit in its memory, CuPy's. A
    result whose name is also one of the attributes below is reached as an item only.

    values: by name the values of the params that differ, as they were given.
    results: all `Result`s, as a tuple; their `trace` is empty, and their `time_ms` an equal part of all.
    iterations: [N] int64, finished passes of the schedule's outermost loops.
    time_ms: milliseconds of all runs together; compile_ms, of compiling for this call.
    how: in a few words how they were run: how many at a time, and why no more.
    backend, backend_line, grade, unique: as those of a `Result`.
    """

    def __init__(self, runs: Runs, part: Part, values: Mapping[str, Sequence[Any]]) -> None:
        """All runs as one `part`; Program.map makes it."""
        self.values = dict(values)
        self.iterations: NDArray[np.int64] = np.asarray(part.iterations, dtype=np.int64)
        self.time_ms, self.compile_ms, self.how = part.time_ms, runs.compile_ms, part.how
        self.backend, self.backend_line = runs.backend, runs.backend_line
        self._runs, self._part = runs, part
        declared = runs.results.declared
        self.grade = {name: data.grade.value for name, data in declared.items()}
        self.unique = {name: data.unique for name, data in declared.items()}
        self._stacks = {array.name: self._stack(array.name) for array in runs.results.arrays}
        self._stacks.update(
            (name, _of_scalars(part.scalars[name], declared[name].type)) for name in runs.results.scalars
        )

    def _stack(self, name: str) -> Any:
        count = self._runs.counts.get(name)
        return mapped(lambda values: _several(values, count), self._part.arrays[name])

    @property
    def results(self) -> tuple[Result, ...]:
        """All of them."""
        return tuple(self)

    def __len__(self) -> int:
        return len(self._part.iterations)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...
    @overload
    def __getitem__(self, index: str) -> Any: ...
    def __getitem__(self, index: int | slice | str) -> Any:
        """The result of a run by its number, several by a slice, or the array of all runs by its name."""
        if isinstance(index, str):
            return self._stacks[index]
        if isinstance(index, slice):
            return tuple(self._runs.result(self._part, row) for row in range(*index.indices(len(self))))
        row = range(len(self))[index]  # with Python's own messages
        return self._runs.result(self._part, row)

    def __iter__(self) -> Iterator[Result]:
        return (self._runs.result(self._part, row) for row in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        """The array of all runs called `name`."""
        if not name.startswith("_") and name in self._stacks:
            return self._stacks[name]
        raise AttributeError(f"the batch has no {shown(name)}; it has {', '.join(self.__dict__.get('_stacks', {}))}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._stacks})

    def __repr__(self) -> str:
        names = ", ".join(self._stacks)
        return f"<Batch of {len(self)}: {names}; {self.time_ms:.3f} ms, {self.backend}, {self.how}>"

    def _repr_html_(self) -> str | None:
        from gdsl.api.display import batch_page

        return batch_page(self)

    def host_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays of all runs as NumPy arrays; a pair `best` as `best.0` and `best.1`."""
        return {name: on_host(values) for name, values in parts_of(self._stacks).items()}


def _several(values: Any, count: int | None) -> Any:
    return values if count is None else values.reshape(len(values), values.shape[1] // max(count, 1), count)


def _of_scalars(values: list[Any], kind: Type) -> Any:
    """A scalar of all runs; ids are int64, with `none` as -1."""
    if kind.is_pair:
        return Pair(*(_of_scalars([value[place] for value in values], part) for place, part in enumerate(kind.parts)))
    return np.asarray(values, dtype="int64" if kind.is_id else kind.name)
