"""Results on the nodes and edges of graphs of NetworkX and igraph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.description import parts_of_data
from gdsl.backends.interface import Pair
from gdsl.extras import required
from gdsl.graph import Graph
from gdsl.graph.csr import csr_of
from gdsl.graph.edge_list import edges_from_arrays
from gdsl.graph.library_graphs import NAME, ends_of_igraph, is_igraph, node_numbers
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.result_tables import Tables
    from gdsl.graph.vertices import Names

Values = dict[str, list[Any]]
"""Plain values of Python by the names of results, one for each node or edge."""

_OTHER = "this is not the graph that the program ran on"


def into_networkx(result: Tables, graph: Any) -> Any:
    """`graph` with the results in it, or one made for them; `Result.to_networkx` says what is raised."""
    if graph is None:
        required("networkx", "gdsl[networkx]", "to_networkx")
        own = _own(result)
        graph = own.to_networkx()
        places, kinds = _once(own), _twins(own)
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
    graph.graph.update(result._scalars_called())
    return graph


def into_igraph(result: Tables, graph: Any) -> Any:
    """The same of igraph."""
    if graph is None:
        own = _own(result)
        graph = own.to_igraph()
        places, kinds = _once(own), _twins(own)
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
    for name, value in result._scalars_called().items():
        graph[name] = value
    return graph


def _check_names(result: Tables, names: list[Any]) -> None:
    """Raise ValueError where vertices have other names than those of the run, though the edges may be the same: results
    would be on others then. Of ids alone nothing is known."""
    own = result._names
    if own is not None and names != list(range(len(names))) and list(own) != names:
        raise ValueError(f"{_OTHER}: its nodes have other names, or another order")


def _own(result: Tables) -> Graph:
    if result._graph is None:
        raise ValueError("this result was pickled without its graph; say graph=…, what the program ran on")
    return result._graph


def _once(graph: Graph) -> NDArray[Any]:
    """The ids of the edges as other libraries have them: of undirected ones those from the lower end."""
    if graph.directed:
        return np.arange(graph.num_edges)
    return np.flatnonzero(graph.edge_sources <= graph.columns)


def _twins(graph: Graph) -> NDArray[Any] | None:
    """The ids of the same edges from the other end."""
    return None if graph.directed else graph.reverse_edges[_once(graph)]


def _places(
    result: Tables, sources: NDArray[Any], targets: NDArray[Any], count: int, directed: bool
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The id of each given edge of another library's graph, and, of an undirected one, from its other end."""
    order = np.arange(len(sources))
    made = csr_of(edges_from_arrays(sources, targets, count, {"place": order}, directed, {}))
    own = result._graph
    same = own is None or (own.directed == directed and own.num_vertices == count)
    if not same or (own is not None and not np.array_equal(own.columns, made.columns)):
        raise ValueError(_OTHER)
    if own is not None and not np.array_equal(own.offsets, made.offsets):
        raise ValueError(_OTHER)
    lengths = {Domain.VERTEX: count, Domain.EDGE: len(made.columns)}
    for domain, length in lengths.items():
        for array in result._over(domain):
            values = result[array.name]
            if len(values.first if isinstance(values, Pair) else values) != length:
                raise ValueError(_OTHER)
    ids, first, last = np.arange(len(made.columns)), order.copy(), order.copy()
    place = made.attributes["place"]
    first[place[::-1]] = ids[::-1]
    last[place] = ids
    return first, None if directed else last


def _of_vertices(result: Tables) -> Values:
    host = result.host_arrays()
    return {array.name: _plain(host, array, result._names) for array in result._over(Domain.VERTEX)}


def _of_edges(result: Tables, places: NDArray[Any], twins: NDArray[Any] | None) -> Values:
    found: Values = {}
    host = result.host_arrays()
    for array in result._over(Domain.EDGE):
        found[array.name] = _plain(host, array, result._names, places)
        if twins is not None and not _equal(found[array.name], _plain(host, array, result._names, twins)):
            raise ValueError(
                f"the two directions of an undirected edge have different values of `{array.name}`, and here an edge "
                "has one; to_pandas('edges') has both"
            )
    return found


def _equal(one: list[Any], other: list[Any]) -> bool:
    """NaN beside NaN is no difference."""
    return all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))


def _plain(
    host: Mapping[str, NDArray[Any]], array: ir.Array, names: Names | None, chosen: NDArray[Any] | None = None
) -> list[Any]:
    """The values of a result as Python has them: a tuple for a pair, a list for several, names for vertices."""
    columns = []
    for part in parts_of_data(array):
        values = host[part.name] if chosen is None else host[part.name][chosen]
        plain = values.tolist()
        columns.append([_named(value, names) for value in plain] if part.type is Type.VERTEX and names else plain)
    return list(zip(*columns, strict=True)) if array.type.is_pair else columns[0]


def _named(value: Any, names: Names) -> Any:
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    return names[value] if value >= 0 else None
