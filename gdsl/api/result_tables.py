"""Results as tables and as graphs of other libraries: what `Result` has of these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gdsl.api.description import Data, parts_of_data
from gdsl.diagnostics import shown
from gdsl.extras import required
from gdsl.graph import Graph, as_graph
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.backends.interface import Scalar
    from gdsl.graph.csr import Csr
    from gdsl.graph.vertices import Names

_OVER = {"vertices": Domain.VERTEX, "edges": Domain.EDGE}
_ENDS = (("source", "target"), ("src", "dst"), ("from", "to"), ("the source", "the target"))
"""What the columns of an edge's ends are called: the first that no result is called, too."""
_SCALARS = b"gdsl.scalars"


class Tables:
    """The ways of a result into other libraries, none of which is needed before it is used."""

    _declared: Mapping[str, Data]
    _csr: Csr | None
    _names: Names | None

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> Any: ...

        def host_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
            """As `Result` has it."""
            ...

        def numbers(self) -> dict[str, Scalar]:
            """As `Result` has it."""
            ...

    def to_pandas(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """A `pandas.DataFrame` with a row for each vertex (`over="vertices"`, where there are such results) or each
        stored edge (`over="edges"`), by id.

        Its first column is `vertex`, the name or else the id, or its first two are `source` and `target`. Then comes a
        column for each result, for each part of a pair (`best.0`, `best.1`), for each of several values (`a.0`, `a.1`,
        …). Vertices among the values are names, too, and None where there is none; without names, or with
        ``names=False``, they are ids and -1. Scalars are `frame.attrs`, in the same way. `graph`: what the program ran
        on, for the edges of a result that was pickled. Raises ValueError where there is no such table, GdslError E0907
        without pandas.
        """
        pandas = required("pandas", "pandas", "to_pandas")
        columns = self._columns(over, names, graph)
        made = {name: pandas.Series(of, dtype=object) if _lacks_some(of) else of for name, of in columns.items()}
        frame = pandas.DataFrame(made, copy=False)
        frame.attrs = self._scalars_called(names)
        return frame

    def to_polars(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """The same as a `polars.DataFrame`, which has no place for scalars. Raises what `to_pandas` does."""
        polars = required("polars", "polars", "to_polars")
        columns = self._columns(over, names, graph)
        whole = _are_whole(self._names)
        kind = polars.Int64 if whole else polars.String
        made = {
            name: polars.Series(name, of if whole else _words(of), kind) if type(of) is list else of
            for name, of in columns.items()
        }
        return polars.DataFrame(made)

    def to_arrow(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """The same as a `pyarrow.Table`, with the scalars as JSON in the metadata `gdsl.scalars` of its schema. Raises
        what `to_pandas` does."""
        pyarrow = required("pyarrow", "gdsl[tables]", "to_arrow")
        columns = self._columns(over, names, graph)
        whole = _are_whole(self._names)
        kind = pyarrow.int64() if whole else pyarrow.string()
        made = {
            name: pyarrow.array(of if whole else _words(of), kind) if type(of) is list else pyarrow.array(of)
            for name, of in columns.items()
        }
        table = pyarrow.table(made)
        scalars = self._scalars_called(names)
        said = json.dumps(scalars, default=str).encode()
        return table.replace_schema_metadata({_SCALARS: said}) if scalars else table

    def to_networkx(self, graph: Any = None) -> Any:
        """A graph of NetworkX with the results as attributes of its nodes and edges and scalars as its own: `graph`
        itself, which is the one that the program ran on, or a new one with the attributes of the graph as well.

        Of an undirected graph an edge has one value. Raises ValueError where its two directions have different ones,
        and for another graph; GdslError E0907 without NetworkX.
        """
        from gdsl.api.result_graphs import into_networkx

        return into_networkx(self, graph)

    def to_igraph(self, graph: Any = None) -> Any:
        """The same as a graph of igraph."""
        from gdsl.api.result_graphs import into_igraph

        return into_igraph(self, graph)

    @property
    def _graph(self) -> Graph | None:
        """The graph of the run, without what backends keep with it."""
        return None if self._csr is None else Graph._made(self._csr)

    def _over(self, domain: Domain) -> list[ir.Array]:
        """The results that have values for each vertex, or for each edge."""
        arrays = [data for data in self._declared.values() if isinstance(data, ir.Array)]
        return [array for array in arrays if array.domain is domain]

    def _columns(self, over: str | None, names: bool, graph: Any) -> dict[str, Any]:
        """The columns of a table by name: arrays, or lists of names."""
        domain = self._domain(over)
        if not isinstance(names, bool):
            raise TypeError(f"names must be True or False, not {shown(names)}")
        called = self._names if names else None
        host = self.host_arrays()
        length = len(host[parts_of_data(self._over(domain)[0])[0].name])
        columns = self._elements(domain, length, called, as_graph(graph) if graph is not None else self._graph)
        for array in self._over(domain):
            for part in parts_of_data(array):
                columns.update(_parted(part.name, host[part.name], called if part.type is Type.VERTEX else None))
        return columns

    def _scalars_called(self, names: bool = True) -> dict[str, Any]:
        """The result scalars, vertices among them as they are in a column."""
        called = self._names if names else None
        scalars = [data for data in self._declared.values() if isinstance(data, ir.Scalar)]
        kinds = {part.name: part.type for data in scalars for part in parts_of_data(data)}
        return {
            name: value
            if called is None or kinds[name] is not Type.VERTEX
            else called[int(value)]
            if value >= 0
            else None
            for name, value in self.numbers().items()
        }

    def _domain(self, over: str | None) -> Domain:
        """Which elements a table has a row for. Raises ValueError, TypeError."""
        if over is not None and not isinstance(over, str):
            raise TypeError(f"over must be 'vertices' or 'edges', not {shown(over)}")
        if over is not None and over not in _OVER:
            raise ValueError(f"over must be 'vertices' or 'edges', not {shown(over)}")
        asked = [_OVER[over]] if over is not None else list(_OVER.values())
        found = next((domain for domain in asked if self._over(domain)), None)
        if found is None:
            have = ", ".join(self._declared) or "none"
            of = f" over {over}" if over is not None else " over vertices or edges, only scalars"
            raise ValueError(f"the program has no results{of}; its results are {have}")
        return found

    def _elements(self, domain: Domain, length: int, names: Names | None, graph: Graph | None) -> dict[str, Any]:
        """The columns that say what a row is about."""
        if domain is Domain.VERTEX:
            return {"vertex": np.arange(length) if names is None else list(names)}
        if graph is None:
            raise ValueError("this result was pickled without its graph; say graph=…, what the program ran on")
        if graph.num_edges != length:
            raise ValueError(f"the graph has {graph.num_edges:,} stored edges, and the result is of {length:,}")
        taken = {array.name for array in self._over(domain)}
        ends = next(pair for pair in _ENDS if taken.isdisjoint(pair))
        return {name: _called(ids, names) for name, ids in zip(ends, graph.edges, strict=True)}


def _parted(name: str, values: np.ndarray[Any, Any], names: Names | None) -> dict[str, Any]:
    """The columns of one result, of several values an element one for each."""
    if values.ndim == 1:
        return {name: _called(values, names)}
    return {f"{name}.{place}": _called(values[:, place], names) for place in range(values.shape[1])}


def _called(ids: np.ndarray[Any, Any], names: Names | None) -> Any:
    """Ids as names, where there are any; what is no vertex is None."""
    return ids if names is None else [names[vertex] if vertex >= 0 else None for vertex in ids.tolist()]


def _are_whole(names: Names | None) -> bool:
    """Whether all names are integers of 64 bits: other columns of names are text where they have one type."""
    return names is not None and all(type(name) is int and -(2**63) <= name < 2**63 for name in names)


def _words(names: list[Any]) -> list[str | None]:
    return [None if name is None else str(name) for name in names]


def _lacks_some(column: Any) -> bool:
    """Whether it has names and None, of which pandas would make floats, NaN among them, where all names are numbers."""
    return type(column) is list and None in column
