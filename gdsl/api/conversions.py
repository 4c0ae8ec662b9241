"""Conversions of results to tables and to graphs of other libraries; base class of `Result`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.description import Data, parts_of_data
from gdsl.backends.interface import Pair
from gdsl.diagnostics import shown
from gdsl.extras import required
from gdsl.graph import Graph, as_graph
from gdsl.graph.csr import csr_of
from gdsl.graph.edge_list import edges_from_arrays
from gdsl.graph.library_graphs import NAME, ends_of_igraph, is_igraph, node_numbers
from gdsl.ir import nodes as ir
from gdsl.operations import DOMAINS, Domain
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.backends.interface import Scalar
    from gdsl.graph.csr import Csr
    from gdsl.graph.updates import Delta
    from gdsl.graph.vertices import Names

_ENDS = (("source", "target"), ("src", "dst"), ("from", "to"), ("the source", "the target"))
"""Names for the columns of an edge's ends; the first pair without a name of a result is used."""
_SCALARS = b"gdsl.scalars"
_OTHER = "this is not the graph that the program ran on"

Values = dict[str, list[Any]]
"""Plain values of Python by the names of results, one for each node or edge."""


class Conversions:
    """Methods of `Result` that convert it; each library is imported when it is first needed."""

    _declared: Mapping[str, Data]
    _csr: Csr | Delta | None
    _names: Names | None

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> Any: ...

        def host_arrays(self) -> dict[str, NDArray[Any]]:
            """As `Result` has it."""
            ...

        def numbers(self) -> dict[str, Scalar]:
            """As `Result` has it."""
            ...

    def to_pandas(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """A `pandas.DataFrame` with a row for each vertex (`over="vertices"`, the default if there are such results) or
        each stored edge (`over="edges"`), by id.

        Its first column is `vertex`, the name or the id, or its first two are `source` and `target`. Then comes a
        column for each result, for each part of a pair (`best.0`, `best.1`), for each of several values (`a.0`, `a.1`,
        …). Vertices among the values are names, too, and None if there is none; without names, or with ``names=False``,
        they are ids and -1. Scalars are in `frame.attrs`, likewise. `graph`: what the program ran on, for the edges of
        a result that was pickled. Raises ValueError if there is no such table, GdslError E0907 without pandas.
        """
        pandas = required("pandas", "pandas", "to_pandas")
        columns = self._columns(over, names, graph)
        converted = {name: pandas.Series(of, dtype=object) if _has_gaps(of) else of for name, of in columns.items()}
        frame = pandas.DataFrame(converted, copy=False)
        frame.attrs = self._named_scalars(names)
        return frame

    def to_polars(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """A `polars.DataFrame`, which has no place for scalars, with the rows and columns of `to_pandas`. Raises what
        `to_pandas` does."""
        polars = required("polars", "polars", "to_polars")
        columns = self._columns(over, names, graph)
        whole = _are_int64(self._names)
        kind = polars.Int64 if whole else polars.String
        converted = {
            name: polars.Series(name, of if whole else _as_text(of), kind) if type(of) is list else of
            for name, of in columns.items()
        }
        return polars.DataFrame(converted)

    def to_arrow(self, over: str | None = None, *, names: bool = True, graph: Any = None) -> Any:
        """A `pyarrow.Table` with the rows and columns of `to_pandas`, and the scalars as JSON in the metadata
        `gdsl.scalars` of its schema. Raises what `to_pandas` does."""
        pyarrow = required("pyarrow", "gdsl[tables]", "to_arrow")
        columns = self._columns(over, names, graph)
        whole = _are_int64(self._names)
        kind = pyarrow.int64() if whole else pyarrow.string()
        converted = {
            name: pyarrow.array(of if whole else _as_text(of), kind) if type(of) is list else pyarrow.array(of)
            for name, of in columns.items()
        }
        table = pyarrow.table(converted)
        scalars = self._named_scalars(names)
        metadata = json.dumps(scalars, default=str).encode()
        return table.replace_schema_metadata({_SCALARS: metadata}) if scalars else table

    def to_networkx(self, graph: Any = None) -> Any:
        """A graph of NetworkX with the results as attributes of its nodes and edges, and scalars as its own: `graph`
        itself, which must be the one that the program ran on, or a new one that also has the graph's attributes.

        An undirected edge has one value. Raises ValueError if its two directions have different ones, and for another
        graph; GdslError E0907 without NetworkX.
        """
        return _into_networkx(self, graph)

    def to_igraph(self, graph: Any = None) -> Any:
        """A graph of igraph with the results as attributes, as `to_networkx` returns one of NetworkX."""
        return _into_igraph(self, graph)

    @property
    def _graph(self) -> Graph | None:
        """The graph of the run, without what backends keep for it."""
        return None if self._csr is None else Graph._of_csr(self._csr)

    def _over(self, domain: Domain) -> list[ir.Array]:
        """The results that have values for each vertex, or for each edge."""
        arrays = [data for data in self._declared.values() if isinstance(data, ir.Array)]
        return [array for array in arrays if array.domain is domain]

    def _columns(self, over: str | None, names: bool, graph: Any) -> dict[str, Any]:
        """The columns of a table by name: arrays, or lists of names."""
        domain = self._domain(over)
        if not isinstance(names, bool):
            raise TypeError(f"names must be True or False, not {shown(names)}")
        own = self._names if names else None
        host = self.host_arrays()
        length = len(host[parts_of_data(self._over(domain)[0])[0].name])
        columns = self._elements(domain, length, own, as_graph(graph) if graph is not None else self._graph)
        for array in self._over(domain):
            for part in parts_of_data(array):
                columns.update(columns_of(part.name, host[part.name], own if part.type is Type.VERTEX else None))
        return columns

    def _named_scalars(self, names: bool = True) -> dict[str, Any]:
        """The result scalars, with vertices as in columns."""
        own = self._names if names else None
        scalars = [data for data in self._declared.values() if isinstance(data, ir.Scalar)]
        kinds = {part.name: part.type for data in scalars for part in parts_of_data(data)}
        return {
            name: value if own is None or kinds[name] is not Type.VERTEX else own[int(value)] if value >= 0 else None
            for name, value in self.numbers().items()
        }

    def _domain(self, over: str | None) -> Domain:
        """The elements that the rows are for. Raises ValueError, TypeError."""
        if over is not None and not isinstance(over, str):
            raise TypeError(f"over must be 'vertices' or 'edges', not {shown(over)}")
        if over is not None and over not in DOMAINS:
            raise ValueError(f"over must be 'vertices' or 'edges', not {shown(over)}")
        requested = [DOMAINS[over]] if over is not None else list(DOMAINS.values())
        requested_domain = next((domain for domain in requested if self._over(domain)), None)
        if requested_domain is None:
            have = ", ".join(self._declared) or "none"
            of = f" over {over}" if over is not None else " over vertices or edges, only scalars"
            raise ValueError(f"the program has no results{of}; its results are {have}")
        return requested_domain

    def _elements(self, domain: Domain, length: int, names: Names | None, graph: Graph | None) -> dict[str, Any]:
        """The columns that identify the rows."""
        if domain is Domain.VERTEX:
            return {"vertex": np.arange(length) if names is None else list(names)}
        if graph is None:
            raise ValueError("this result was pickled without its graph; say graph=…, what the program ran on")
        if graph.num_edges != length:
            raise ValueError(f"the graph has {graph.num_edges:,} stored edges, and the result is of {length:,}")
        taken = {array.name for array in self._over(domain)}
        ends = next(pair for pair in _ENDS if taken.isdisjoint(pair))
        return {name: _named_ids(ids, names) for name, ids in zip(ends, graph.edges, strict=True)}


def columns_of(name: str, values: NDArray[Any], names: Names | None = None) -> dict[str, Any]:
    """The columns of one result: one for each value of an element."""
    if values.ndim == 1:
        return {name: _named_ids(values, names)}
    return {f"{name}.{place}": _named_ids(values[:, place], names) for place in range(values.shape[1])}


def _named_ids(ids: NDArray[Any], names: Names | None) -> Any:
    """Ids as names, if there are any; None for what is not a vertex."""
    return ids if names is None else [names[vertex] if vertex >= 0 else None for vertex in ids.tolist()]


def _are_int64(names: Names | None) -> bool:
    """Whether all names are integers of 64 bits; otherwise columns of names are text in libraries with one type per
    column."""
    return names is not None and all(type(name) is int and -(2**63) <= name < 2**63 for name in names)


def _as_text(names: list[Any]) -> list[str | None]:
    return [None if name is None else str(name) for name in names]


def _has_gaps(column: Any) -> bool:
    """Whether it has names and None, which pandas would turn into floats and NaN if all names are numbers."""
    return type(column) is list and None in column


# ------------------------------------------------------------ graphs of other libraries


def _into_networkx(result: Conversions, graph: Any) -> Any:
    """`graph`, or a new graph, with the results as attributes."""
    if graph is None:
        required("networkx", "gdsl[networkx]", "to_networkx")
        own = _graph_of(result)
        graph = own.to_networkx()
        places, kinds = _listed_ids(own), _reverse_ids(own)
    elif isinstance(graph, type) or not all(hasattr(graph, word) for word in ("nodes", "edges", "is_multigraph")):
        raise TypeError(f"graph must be one of NetworkX, not {type(graph).__name__}")
    else:
        number = node_numbers(graph)
        _check_names(result, list(number))
        ends = [(number[source], number[target]) for source, target in graph.edges()]
        pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        places, kinds = _places(result, pairs[:, 0], pairs[:, 1], len(number), graph.is_directed())
    of_nodes, of_edges = _of_vertices(result), _of_edges(result, places, kinds)
    for node, place in node_numbers(graph).items():
        graph.nodes[node].update((name, values[place]) for name, values in of_nodes.items())
    for place, (_, _, data) in enumerate(graph.edges(data=True)):
        data.update((name, values[place]) for name, values in of_edges.items())
    graph.graph.update(result._named_scalars())
    return graph


def _into_igraph(result: Conversions, graph: Any) -> Any:
    """The same for igraph."""
    if graph is None:
        own = _graph_of(result)
        graph = own.to_igraph()
        places, kinds = _listed_ids(own), _reverse_ids(own)
    elif not is_igraph(graph):
        raise TypeError(f"graph must be one of igraph, not {type(graph).__name__}")
    else:
        if NAME in graph.vs.attributes():
            _check_names(result, graph.vs[NAME])
        ends = ends_of_igraph(graph)
        places, kinds = _places(result, *ends, graph.vcount(), graph.is_directed())
    of_edges = _of_edges(result, places, kinds)
    for name, values in _of_vertices(result).items():
        graph.vs[name] = values
    for name, values in of_edges.items():
        graph.es[name] = values
    for name, value in result._named_scalars().items():
        graph[name] = value
    return graph


def _check_names(result: Conversions, names: list[Any]) -> None:
    """Raise ValueError if the vertices have other names than in the run, even if the edges are the same: the results
    would be assigned to other vertices. Without names this cannot be checked."""
    own = result._names
    if own is not None and names != list(range(len(names))) and list(own) != names:
        raise ValueError(f"{_OTHER}: its nodes have other names, or another order")


def _graph_of(result: Conversions) -> Graph:
    if result._graph is None:
        raise ValueError("this result was pickled without its graph; say graph=…, what the program ran on")
    return result._graph


def _listed_ids(graph: Graph) -> NDArray[Any]:
    """The ids of the edges as other libraries have them: undirected ones once, from the lower end."""
    if graph.directed:
        return np.arange(graph.num_edges)
    return np.flatnonzero(graph.edge_sources <= graph.columns)


def _reverse_ids(graph: Graph) -> NDArray[Any] | None:
    """The ids of the same undirected edges from the other end."""
    return None if graph.directed else graph.reverse_edges[_listed_ids(graph)]


def _places(
    result: Conversions, sources: NDArray[Any], targets: NDArray[Any], count: int, directed: bool
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The id of each edge of another library's graph, and, for an undirected one, the id of its other direction."""
    order = np.arange(len(sources))
    converted = csr_of(edges_from_arrays(sources, targets, count, {"place": order}, directed, {}))
    own = result._graph
    same = own is None or (own.directed == directed and own.num_vertices == count)
    if not same or (own is not None and not np.array_equal(own.columns, converted.columns)):
        raise ValueError(_OTHER)
    if own is not None and not np.array_equal(own.offsets, converted.offsets):
        raise ValueError(_OTHER)
    lengths = {Domain.VERTEX: count, Domain.EDGE: len(converted.columns)}
    for domain, length in lengths.items():
        for array in result._over(domain):
            values = result[array.name]
            if len(values.first if isinstance(values, Pair) else values) != length:
                raise ValueError(_OTHER)
    ids, first, last = np.arange(len(converted.columns)), order.copy(), order.copy()
    place = converted.attributes["place"]
    first[place[::-1]] = ids[::-1]
    last[place] = ids
    return first, None if directed else last


def _of_vertices(result: Conversions) -> Values:
    host = result.host_arrays()
    return {array.name: _plain(host, array, result._names) for array in result._over(Domain.VERTEX)}


def _of_edges(result: Conversions, places: NDArray[Any], reverse: NDArray[Any] | None) -> Values:
    columns: Values = {}
    host = result.host_arrays()
    for array in result._over(Domain.EDGE):
        columns[array.name] = _plain(host, array, result._names, places)
        if reverse is not None and not _equal(columns[array.name], _plain(host, array, result._names, reverse)):
            raise ValueError(
                f"the two directions of an undirected edge have different values of `{array.name}`, and here an edge "
                "has one; to_pandas('edges') has both"
            )
    return columns


def _equal(one: list[Any], other: list[Any]) -> bool:
    """NaN is equal to NaN here."""
    return all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))


def _plain(
    host: Mapping[str, NDArray[Any]], array: ir.Array, names: Names | None, chosen: NDArray[Any] | None = None
) -> list[Any]:
    """The values of a result as plain Python: a tuple for a pair, a list for several values, names for vertices."""
    columns = []
    for part in parts_of_data(array):
        values = host[part.name] if chosen is None else host[part.name][chosen]
        plain = values.tolist()
        columns.append([_with_names(value, names) for value in plain] if part.type is Type.VERTEX and names else plain)
    return list(zip(*columns, strict=True)) if array.type.is_pair else columns[0]


def _with_names(value: Any, names: Names) -> Any:
    if isinstance(value, list):
        return [_with_names(each, names) for each in value]
    return names[value] if value >= 0 else None
