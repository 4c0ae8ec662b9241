"""The result of `Program.map`: the results of many runs, each on its own and all as one array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gdsl.api.conversions import Conversions, _has_gaps, _named_ids, columns_of
from gdsl.api.description import parts_of_data
from gdsl.api.result import Result, Results
from gdsl.api.summary import on_host
from gdsl.backends.batch import Part
from gdsl.backends.interface import Outcome, Pair, parts_of
from gdsl.binding import declared_params, values_of
from gdsl.diagnostics import shown
from gdsl.extras import required
from gdsl.graph import as_graph
from gdsl.ir import nodes as ir
from gdsl.types import Type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdsl.api.origin import Origin
    from gdsl.graph import Graph
    from gdsl.graph.csr import Csr


class Runs:
    """What all runs of a batch have in common."""

    def __init__(
        self,
        results: Results,
        backend: tuple[str, str],
        compile_ms: float,
        params: Mapping[str, object],
        graph: Graph,
        origin_of: Callable[[int], Origin] | None = None,
    ) -> None:
        """`backend`: its name, and why `auto` chose it. `params` are those of the first run. `origin_of` gives the
        origin of a run by its number, where it is known."""
        self.origin_of = origin_of
        self.csr: Csr | None = graph._csr  # not the graph itself, which keeps memory of a GPU
        self.names = graph.names
        self.results, self.compile_ms = results, compile_ms
        self.backend, self.backend_line = backend
        self.counts = {array.name: values_of(array, params) for array in results.arrays} if results.has_several else {}
        self.params = params

    def result(self, part: Part, row: int, first: int = 0) -> Result:
        """One run of `part`, whose first run has the number `first`."""
        arrays = {name: mapped(lambda values: values[row], stack) for name, stack in part.arrays.items()}
        scalars = {name: values[row] for name, values in part.scalars.items()}
        time_ms = part.time_ms / max(len(part.iterations), 1)
        outcome = Outcome(arrays, scalars, part.iterations[row], time_ms)
        result = Result(self.results, outcome, self.backend, self.backend_line, self.compile_ms, self.params)
        result._csr, result._names = self.csr, self.names
        result._origin = None if self.origin_of is None else self.origin_of(first + row)
        return result

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles keep the names of the graph, as those of a `Result` do."""
        return {**self.__dict__, "csr": None, "origin_of": None}


class Batch(Sequence[Result]):
    """The results of `Program.map`, in the order of the values: ``batch[3].distance``, ``for result in batch``.

    The values of all runs are also available as one array under the declared name (``batch.distance``,
    ``batch["distance"]``): an array over vertices as [N, V] (with n values per element [N, V, n]), one over edges as
    [N, E], a scalar as [N]; a pair is a `Pair` of two such. They are NumPy's or, from the cuda backend while they fit
    in its memory, CuPy's. A result whose name is also one of the attributes below is only available as an item.

    values: by name the values of the params that differ, as they were passed.
    results: all `Result`s, as a tuple; their `trace` is empty, and their `time_ms` an equal share of the total.
    iterations: [N] int64, finished passes of the schedule's outermost loops.
    time_ms: milliseconds of all runs together; compile_ms, of compiling for this call.
    how: how they were run, in a few words: how many at a time, and why not more.
    backend, backend_line, grade, unique: as those of a `Result`.
    """

    def __init__(self, runs: Runs, part: Part, values: Mapping[str, Sequence[Any]]) -> None:
        """All runs as one `part`; created by Program.map."""
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
        return mapped(lambda values: _with_values(values, count), self._part.arrays[name])

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of all values, in their order; waits for those that are not there yet."""
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
        """The result of a run by its number, results by a slice, or the array of all runs by its name."""
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

        runs = f"{len(self):,} run{'' if len(self) == 1 else 's'}"
        facts = f"{runs} on {self.backend} in {self.time_ms:.3f} ms: {self.how}"
        return batch_page(facts, parts_of(self._stacks), self._runs.results.declared)

    def host_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays of all runs as NumPy arrays; a pair `best` as `best.0` and `best.1`."""
        return {name: on_host(values) for name, values in parts_of(self._stacks).items()}

    def to_pandas(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """A `pandas.DataFrame` of all runs: with a row for each run and vertex (`over="vertices"`, where there are such
        results), for each run and stored edge (`over="edges"`), or for each run (`over="runs"`), run by run.

        The column `run` counts the runs from 0, and a column for each param that differs has its values. Then come the
        columns of `Result.to_pandas`, with the same dtypes; with ``over="runs"`` a column for each scalar and the
        `iterations`. A column whose name is taken by a result is renamed `each.NAME`. `names` and `graph` are as in
        `Result.to_pandas`. Raises ValueError where there is no such table, GdslError E0907 without pandas.
        """
        pandas = required("pandas", "pandas", "to_pandas")
        if not isinstance(names, bool):
            raise TypeError(f"names must be True or False, not {shown(names)}")
        runs, count = self._runs, len(self)
        one = _RunColumns(runs, names)
        if over is None and not any(isinstance(data, ir.Array) for data in one._declared.values()):
            over = "runs"
        row: dict[str, Any]
        elements: dict[str, Any] = {}
        length = 1
        if over == "runs":
            row = {**self._scalar_columns(one), "iterations": self.iterations}
        else:
            domain = one._domain_or_runs(over)
            host = self.host_arrays()
            length = host[parts_of_data(one._over(domain)[0])[0].name].shape[1]
            elements = one._elements(domain, length, one._names, as_graph(graph) if graph is not None else one._graph)
            row = {}
            for array in one._over(domain):
                for part in parts_of_data(array):
                    values = host[part.name]
                    flat = values.reshape(count * length, *values.shape[2:])
                    row.update(columns_of(part.name, flat, one._names if part.type is Type.VERTEX else None))
        taken = {*row, *elements}
        run_columns = {"run": np.arange(count), **one.varied(self.values)}
        repeated = np.repeat(np.arange(count), length)
        columns = {
            f"each.{name}" if name in taken else name: _series(pandas, of).take(repeated)
            for name, of in run_columns.items()
        }
        tiled = np.tile(np.arange(length), count)
        columns |= {name: _series(pandas, of).take(tiled) for name, of in elements.items()}
        columns |= {name: _series(pandas, of) for name, of in row.items()}
        return pandas.DataFrame({name: of.reset_index(drop=True) for name, of in columns.items()}, copy=False)

    def _scalar_columns(self, one: _RunColumns) -> dict[str, Any]:
        host, columns = self.host_arrays(), {}
        for data in one._declared.values():
            if isinstance(data, ir.Scalar):
                for part in parts_of_data(data):
                    columns[part.name] = _named_ids(host[part.name], one._names if part.type is Type.VERTEX else None)
        return columns


class _RunColumns(Conversions):
    """The columns that the tables of all runs share."""

    def __init__(self, runs: Runs, names: bool) -> None:
        self._declared, self._csr = runs.results.declared, runs.csr
        self._all_names = runs.names
        self._names = runs.names if names else None
        self._params = {param.name: param for param in declared_params(runs.results._program)}

    def _domain_or_runs(self, over: str | None) -> Any:
        """As `_domain`, with an error that also mentions the table of runs."""
        try:
            return self._domain(over)
        except ValueError as error:
            raise ValueError(f"{error}; over='runs' has a row for each run") from None

    def varied(self, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """A column of values for each param that differs, with vertices as in other columns."""
        return {
            name: self._vertices(of) if self._params[name].type is Type.VERTEX else np.asarray(of)
            for name, of in values.items()
        }

    def _vertices(self, values: Sequence[Any]) -> Any:
        names = self._all_names
        id_values = [None if names is None else names.id_of(value) for value in values]
        ids = [int(value) if place is None else place for place, value in zip(id_values, values, strict=True)]
        return _named_ids(np.array(ids, dtype=np.int64), self._names)


def _series(pandas: Any, column: Any) -> Any:
    """A column as a Series, in which names next to None do not become floats."""
    return pandas.Series(column, dtype=object) if _has_gaps(column) else pandas.Series(column)


def _with_values(values: Any, count: int | None) -> Any:
    return values if count is None else values.reshape(len(values), values.shape[1] // max(count, 1), count)


def _of_scalars(values: list[Any], kind: Type) -> Any:
    """A scalar of all runs as an array; ids are int64, with `none` as -1."""
    if kind.is_pair:
        return Pair(*(_of_scalars([value[place] for value in values], part) for place, part in enumerate(kind.parts)))
    return np.asarray(values, dtype="int64" if kind.is_id else kind.name)


class Stacks:
    """Collects the rows of all runs in one array per name. Rows that arrive all together are kept as they are."""

    def __init__(self, count: int) -> None:
        self._count, self._at = count, 0
        self.arrays: dict[str, Any] = {}

    def put(self, rows: Mapping[str, Any], count: int) -> None:
        """Add the next `count` rows of every array. They are kept where the first rows are (NumPy or CuPy), or on the
        host if there is no room for all. Raises MemoryError."""
        if count == self._count:
            self.arrays = dict(rows)
        else:
            first, end = self._at, self._at + count
            for name, values in rows.items():
                if name not in self.arrays:
                    self.arrays[name] = mapped(lambda part: _allocate(part, self._count), values)
                _for_each_part(self.arrays[name], values, lambda whole, part: _fill(whole, part, first, end))
        self._at += count


def mapped(function: Callable[[Any], Any], values: Any) -> Any:
    """Apply a function to an array, or to both of a pair."""
    return Pair(*map(function, values)) if isinstance(values, Pair) else function(values)


def _for_each_part(whole: Any, values: Any, act: Callable[[Any, Any], None]) -> None:
    if isinstance(values, Pair):
        act(whole.first, values.first)
        act(whole.second, values.second)
    else:
        act(whole, values)


def _allocate(like: Any, count: int) -> Any:
    shape = (count, *like.shape[1:])
    if isinstance(like, np.ndarray):
        return np.empty(shape, like.dtype)
    try:
        return np.empty_like(like, shape=shape)  # CuPy's, through NumPy's protocol
    except MemoryError:  # the device has less than the host
        return np.empty(shape, like.dtype)


def _fill(whole: Any, part: Any, first: int, end: int) -> None:
    whole[first:end] = part.get() if isinstance(whole, np.ndarray) and hasattr(part, "get") else part
