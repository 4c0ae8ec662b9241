"""The results of many runs as one table: what `Batch` has of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gdsl.api.description import parts_of_data
from gdsl.api.result_tables import Tables, _called, _lacks_some, _parted
from gdsl.binding import declared_params
from gdsl.diagnostics import shown
from gdsl.extras import required
from gdsl.graph import as_graph
from gdsl.ir import nodes as ir
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.batch import Runs

_RUNS = "runs"


class BatchTables:
    """The way of a batch into pandas, which is not needed before it is used."""

    _runs: Runs
    values: dict[str, Sequence[Any]]
    iterations: np.ndarray[Any, Any]

    if TYPE_CHECKING:

        def __len__(self) -> int: ...

        def host_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
            """As `Batch` has it."""
            ...

    def to_pandas(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """A `pandas.DataFrame` of all runs: with a row for each run and vertex (`over="vertices"`, where there are such
        results), for each run and stored edge (`over="edges"`), or for each run (`over="runs"`), run by run.

        The column `run` counts the runs from 0, and a column for each param that differs has its values. Then come the
        columns of `Result.to_pandas`, with the same dtypes; with ``over="runs"`` a column for each scalar and the
        `iterations`. A column whose name is taken by a result is called `each.NAME`. `names` and `graph` are as in
        `Result.to_pandas`. Raises ValueError where there is no such table, GdslError E0907 without pandas.
        """
        pandas = required("pandas", "pandas", "to_pandas")
        if not isinstance(names, bool):
            raise TypeError(f"names must be True or False, not {shown(names)}")
        runs, count = self._runs, len(self)
        one = _OfOne(runs, names)
        if over is None and not any(isinstance(data, ir.Array) for data in one._declared.values()):
            over = _RUNS
        found: dict[str, Any]
        elements: dict[str, Any] = {}
        length = 1
        if over == _RUNS:
            found = {**self._scalar_columns(one), "iterations": self.iterations}
        else:
            domain = one._domain_or_runs(over)
            host = self.host_arrays()
            length = host[parts_of_data(one._over(domain)[0])[0].name].shape[1]
            elements = one._elements(domain, length, one._names, as_graph(graph) if graph is not None else one._graph)
            found = {}
            for array in one._over(domain):
                for part in parts_of_data(array):
                    values = host[part.name]
                    flat = values.reshape(count * length, *values.shape[2:])
                    found.update(_parted(part.name, flat, one._names if part.type is Type.VERTEX else None))
        taken = {*found, *elements}
        given = {"run": np.arange(count), **one.given(self.values)}
        repeated = np.repeat(np.arange(count), length)
        columns = {
            f"each.{name}" if name in taken else name: _series(pandas, of).take(repeated) for name, of in given.items()
        }
        tiled = np.tile(np.arange(length), count)
        columns |= {name: _series(pandas, of).take(tiled) for name, of in elements.items()}
        columns |= {name: _series(pandas, of) for name, of in found.items()}
        return pandas.DataFrame({name: of.reset_index(drop=True) for name, of in columns.items()}, copy=False)

    def _scalar_columns(self, one: _OfOne) -> dict[str, Any]:
        host, columns = self.host_arrays(), {}
        for data in one._declared.values():
            if isinstance(data, ir.Scalar):
                for part in parts_of_data(data):
                    columns[part.name] = _called(host[part.name], one._names if part.type is Type.VERTEX else None)
        return columns


class _OfOne(Tables):
    """What the tables of each run have alike; names only where they are wanted."""

    def __init__(self, runs: Runs, names: bool) -> None:
        self._declared, self._csr = runs.results.declared, runs.csr
        self._all_names = runs.names
        self._names = runs.names if names else None
        self._params = {param.name: param for param in declared_params(runs.results._program)}

    def _domain_or_runs(self, over: str | None) -> Any:
        """`_domain`, which names the table of runs as well where it refuses `over`."""
        try:
            return self._domain(over)
        except ValueError as error:
            raise ValueError(f"{error}; over='runs' has a row for each run") from None

    def given(self, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """A column of values for each param that differs, vertices as they are in other columns."""
        return {
            name: self._vertices(of) if self._params[name].type is Type.VERTEX else np.asarray(of)
            for name, of in values.items()
        }

    def _vertices(self, values: Sequence[Any]) -> Any:
        names = self._all_names
        found = [None if names is None else names.id_of(value) for value in values]
        ids = [int(value) if place is None else place for place, value in zip(found, values, strict=True)]
        return _called(np.array(ids, dtype=np.int64), self._names)


def _series(pandas: Any, column: Any) -> Any:
    """A column as a Series, in which names beside None do not become floats."""
    return pandas.Series(column, dtype=object) if _lacks_some(column) else pandas.Series(column)
