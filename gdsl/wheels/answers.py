"""The answer that a package's test compares with: the reference interpreter's, on a small graph, with arguments that
the program accepts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gdsl.api.convergence import quiet
from gdsl.api.program import Program
from gdsl.api.summary import on_host
from gdsl.backends.interface import parts_of
from gdsl.binding import Text, declared_inputs, declared_params
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.graph_names import come_along
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.types import Type

GRAPH = "karate"
"""The graph of the test, which comes with gdsl: undirected, simple, connected, 34 vertices."""
_SECONDS = 10
"""The limit of one try."""
_NUMBERS = (1, 2, 0, 10)
"""What numbers are tried as, one after the other; floats are half of that."""
_PERIOD = 5
_DTYPES = {Type.BOOL: np.bool_, Type.VERTEX: np.int64, Type.EDGE: np.int64}


def answer_of(program: Program, fixed_values: Mapping[str, Any]) -> dict[str, Any]:
    """What the file of the answer has: the graph, the arguments (`fixed_values` and others), and the results.

    Raises E0915 if the program accepts none of the arguments that are tried.
    """
    graph = graph_called(GRAPH)
    first: GdslError | None = None
    for of_params, of_inputs in itertools.product(_NUMBERS, _NUMBERS):
        chosen = (*_params(program.ir, of_params), *_inputs(program.ir, graph, of_inputs))
        values = {**fixed_values, **{name: value for name, value in chosen if name not in fixed_values}}
        try:
            with quiet():
                result = program.run(graph, values, backend="reference", timeout=_SECONDS)
        except GdslError as error:
            first = first or error
            if error.code == "E0802":  # it would take as long with others
                break
            continue
        results = {name: _written(on_host(each)) for name, each in parts_of(result).items()}
        return {"graph": GRAPH, "values": {name: _written(each) for name, each in values.items()}, "results": results}
    assert first is not None
    raise _no_arguments(program, first)


def graph_called(name: str) -> Graph:
    """The graph that comes with gdsl, even where there is a file of its name."""
    return Graph.read(come_along()[name])


def read(answer: Mapping[str, Any]) -> tuple[Graph, dict[str, Any], dict[str, Any]]:
    """The graph, the arguments and the results of an answer."""
    values, results = ({name: _read(each) for name, each in answer[part].items()} for part in ("values", "results"))
    return graph_called(answer["graph"]), values, results


def _params(program: ir.Program, number: int) -> Iterator[tuple[str, Any]]:
    """Those that have no default, as `number`."""
    for param in declared_params(program):
        if isinstance(param, ir.Array):
            yield param.name, list(range(max(2, param.least)))
        elif param.default is None:
            yield param.name, _scalar(param.type, number)


def _inputs(program: ir.Program, graph: Graph, number: int) -> Iterator[tuple[str, Any]]:
    """All inputs, with numbers from `number` on."""
    for data in declared_inputs(program):
        if isinstance(data, ir.Scalar):
            yield data.name, _scalar(data.type, number)
        elif data.count is None or isinstance(data.count, ir.Literal):
            yield data.name, _array(data, graph, number)


def _scalar(type_: Type, number: int) -> Any:
    if type_ is Type.BOOL:
        return number > 0
    if type_.is_id:
        return 0
    return number / 2 if type_.is_float else number


def _array(data: ir.Array, graph: Graph, number: int) -> np.ndarray[Any, Any]:
    """Values that vary from element to element, and are the same for both directions of an edge."""
    length = graph.num_vertices
    ids = np.arange(length)
    if data.domain is Domain.EDGE:
        sources, destinations = graph.edges
        ids, length = np.asarray(sources) + np.asarray(destinations), graph.num_edges
    several = int(data.count.value) if isinstance(data.count, ir.Literal) else 0
    values = ids if not several else ids[:, None] + np.arange(several)[None]
    if data.type is Type.BOOL:
        return np.asarray(values % 2 == 0)
    if data.type.is_id:
        return np.asarray(values % (graph.num_edges if data.type is Type.EDGE else graph.num_vertices), np.int64)
    values = number + values % _PERIOD if number else np.zeros_like(values)
    return np.asarray(values / 2 if data.type.is_float else values, _DTYPES.get(data.type, data.type.name))


def _written(value: Any) -> Any:
    """A value as JSON; arrays with their dtype, texts of the command line as such."""
    if isinstance(value, Text):
        return {"text": str(value)}
    if isinstance(value, np.ndarray | np.generic):
        return {"dtype": value.dtype.name, "values": value.tolist()}
    return value


def _read(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return Text(value["text"]) if "text" in value else np.array(value["values"], value["dtype"])


def _no_arguments(program: Program, error: GdslError) -> GdslError:
    first = error.diagnostics[0]
    return GdslError.single(
        "E0915",
        f"the package's test needs arguments with which {program.name} runs on {GRAPH}; those tried are not accepted",
        notes=(f"the first try ended with {first.code}: {first.message}",),
        fix="give them with -p NAME=VALUE, or -p NAME=@FILE for an array",
    )
