"""Programs as functions of NetworkX graphs, with nodes instead of ids as arguments and results."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.result import Result
from gdsl.api.summary import begins_with_inf
from gdsl.arithmetic.constants import integer_range
from gdsl.binding import declared_inputs, declared_params
from gdsl.integrations.networkx_backend.conversion import wrap
from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.info import configured, configured_backend
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.program import Program


def function(program: Program | str | os.PathLike[str]) -> Callable[..., Any]:
    """The program (or what `gdsl.compile` makes one of) as ``call(G, **values)``, of a graph of NetworkX or of `wrap`.

    Values are the program's params and inputs: a node for a vertex, nodes for a set of vertices; for an input of edges
    the name of an edge attribute (else its own name; edges without it have 1), for one of vertices a dict by node.
    What comes back is the program's result, or where it has several a dict of them by name: of vertices a dict by node,
    of edges a dict by pair of nodes (of undirected graphs both ways round); a vertex is a node, an edge a pair of
    nodes, `none` None. `gdsl_backend` and `timeout` are keywords as for the functions of NetworkX, where the program
    has no value of that name. A graph that did not change since its last conversion is not converted again.
    Raises `gdsl.GdslError`, networkx.NodeNotFound, and NotImplementedError for multigraphs with edges that are parallel
    and for attributes that are no numbers.
    """
    from gdsl.api.compiling import compile as compiled
    from gdsl.api.program import Program

    compiled_program = program if isinstance(program, Program) else compiled(program)
    call = partial(_call, compiled_program)
    call.__doc__ = compiled_program.__doc__
    call.__name__ = compiled_program.name  # type: ignore[attr-defined]
    return call


def _call(program: Program, graph: Any, /, **values: Any) -> Any:
    own = {*program.params, *program.inputs}
    options = {name: values.pop(name) for name in ("gdsl_backend", "timeout") if name in values and name not in own}
    converted = wrap(graph)
    if converted.is_multigraph():
        raise NotImplementedError("the results of a program cannot name the parallel edges of a multigraph")
    if (unknown := values.keys() - own) and (name := min(unknown)):
        raise TypeError(f"{program.name} has no {name!r}; it takes {', '.join(sorted(own)) or 'nothing'}")
    result = program.run(
        converted.vertices,
        dict(_arguments(program, converted, values)),
        backend=options.get("gdsl_backend") or configured_backend(),
        timeout=options.get("timeout", configured("timeout")),
    )
    results = dict(_results(result, converted))
    return next(iter(results.values())) if len(results) == 1 else results


def _arguments(program: Program, graph: BackendGraph, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values as arguments of a run."""
    for param in declared_params(program.ir):
        if param.name not in values:
            continue
        value = values[param.name]
        if isinstance(param, ir.Array):
            yield param.name, [_vertex(graph, node) for node in value]
        else:
            yield param.name, _vertex(graph, value) if param.type is Type.VERTEX else value
    for data in declared_inputs(program.ir):
        value = values.get(data.name)
        if isinstance(data, ir.Scalar):
            if data.name in values:
                yield data.name, _vertex(graph, value) if data.type is Type.VERTEX else value
        elif data.domain is Domain.EDGE and (value is None or isinstance(value, str)):
            yield data.name, _column(graph, value or data.name, value is not None)
        elif isinstance(value, Mapping):
            yield data.name, _by_vertex(graph, value, data.type)
        elif value is not None:
            yield data.name, value


def _vertex(graph: BackendGraph, node: Any) -> int:
    import networkx

    if node not in graph:
        raise networkx.NodeNotFound(f"Node {node} is not in the graph")
    return graph.index[node]


def _column(graph: BackendGraph, attribute: Hashable, asked: bool) -> NDArray[Any]:
    """An edge attribute, 1 for edges without it; only `weight` may be missing from all edges if it is not named."""
    import networkx

    if attribute not in graph.columns and graph.number_of_edges() and (asked or attribute != "weight"):
        raise networkx.NetworkXError(f"no edge has the attribute {attribute!r}")
    return graph.weights(attribute)


def _by_vertex(graph: BackendGraph, values: Mapping[Any, Any], type_: Type) -> NDArray[Any]:
    import networkx

    missing = next((node for node in graph if node not in values), None)
    if missing is not None:
        raise networkx.NetworkXError(f"node {missing} has no value")
    in_order = [values[node] for node in graph]
    return np.array([_vertex(graph, node) for node in in_order] if type_ is Type.VERTEX else in_order)


def _results(result: Result, graph: BackendGraph) -> Iterator[tuple[str, Any]]:
    """The results by name, with nodes in place of ids."""
    for name, data in result._declared.items():
        parts = data.type.parts or (data.type,)
        if isinstance(data, ir.Scalar):
            values = result.scalars[name]
            named = [_named([part], type_, graph)[0] for part, type_ in zip(_parts(values, data), parts, strict=True)]
            yield name, tuple(named) if data.type.is_pair else named[0]
            continue
        columns = [
            _named(_with_inf(_on_host(part).tolist(), data), type_, graph)
            for part, type_ in zip(_parts(result.arrays[name], data), parts, strict=True)
        ]
        rows = list(zip(*columns, strict=True)) if data.type.is_pair else columns[0]
        yield name, dict(zip(_keys(data.domain, graph), rows, strict=True))


def _with_inf(values: list[Any], data: ir.Array) -> list[Any]:
    """The integers of an array whose initial value is `inf`, with Python's `inf` in its place, as in NetworkX's
    distances."""
    if not data.type.is_integer or data.count is not None or not begins_with_inf(data):
        return values
    largest = integer_range(data.type)[1]
    return [math.inf if value == largest else value for value in values]


def _parts(values: Any, data: ir.Array | ir.Scalar) -> tuple[Any, ...]:
    return tuple(values) if data.type.is_pair else (values,)


def _on_host(values: Any) -> NDArray[Any]:
    from gdsl.api.summary import on_host

    array: NDArray[Any] = on_host(values)
    return array


def _keys(domain: Domain, graph: BackendGraph) -> list[Any]:
    return list(graph.nodes) if domain is Domain.VERTEX else _edges(graph)


def _edges(graph: BackendGraph) -> list[tuple[Any, Any]]:
    sources, destinations = graph.vertices.edges
    return list(zip(graph.nodes_of(sources), graph.nodes_of(destinations), strict=True))


def _named(values: list[Any], type_: Type, graph: BackendGraph) -> list[Any]:
    """Ids as nodes and pairs of nodes, `none` as None; anything else unchanged."""
    if not type_.is_id:
        return values
    names = list(graph.nodes) if type_ is Type.VERTEX else _edges(graph)
    return [
        _named(value, type_, graph) if isinstance(value, list) else None if value < 0 else names[value]
        for value in values
    ]
