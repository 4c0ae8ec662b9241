"""Going on from the result of a run after edges were inserted into its graph.

Not to be confused with the option `resume` of runs with workers, which goes on from a checkpoint of the same run on the
same graph.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gdsl.api.summary import on_host
from gdsl.backends import registry
from gdsl.backends.interface import Bindings
from gdsl.diagnostics import GdslError, shown
from gdsl.graph import Graph, as_graph
from gdsl.ir import nodes as ir
from gdsl.records import dataclass
from gdsl.source import Source
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.api.program import Program
    from gdsl.api.result import Result

_AS_USUAL = "run the program on the graph as usual"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a result was computed from, as far as going on from it needs it: the program's text and types, the identity
    of the graph, the params and sets, and the names of inputs that the caller passed as arrays."""

    source: Source
    types: Mapping[str, str]
    graph: object
    params: Mapping[str, Any]
    vertices: frozenset[str]
    """The params that are vertices."""
    passed: tuple[str, ...]
    rounded: frozenset[str]


class Origins:
    """Makes the origins of the runs of one program: what depends only on the program is computed once."""

    def __init__(self, program: ir.Program, source: Source) -> None:
        self._source = source
        self._types = {each.name: each.type.name for each in program.types}
        self._params = [param.name for param in program.params if not param.is_count]
        sets = [array.name for array in program.arrays if array.is_set]
        self._inputs = [*sets, *(scalar.name for scalar in program.scalars if scalar.is_input)]
        self._arrays = [array.name for array in program.arrays if array.is_input and not array.is_set]
        of_one: tuple[ir.Param | ir.Scalar, ...] = (*program.params, *program.scalars)
        self._vertices = frozenset(each.name for each in of_one if each.type is Type.VERTEX)

    def of(self, bindings: Bindings, graph: Graph, rounded: frozenset[str]) -> Origin:
        """The origin of a run on `graph` with these arguments."""
        params, inputs = bindings.params, bindings.inputs
        values = {name: params[name] for name in self._params}
        for name in self._inputs:
            values[name] = inputs[name]
        passed = tuple([name for name in self._arrays if name not in bindings.own])
        return Origin(self._source, self._types, graph._identity, values, self._vertices, passed, rounded)


def resume(
    program: Program, result: Result, graph: Any, types: Mapping[str, Any] | None, options: dict[str, Any]
) -> Result:
    """`Program.resume`."""
    origin = _origin(program, result)
    graph = as_graph(graph)
    values = _arguments(origin, graph)
    instance = program.instance(graph, values, types)
    if instance.types != origin.types:
        _refuse(f"the result has other types ({_words(origin.types)}) than this run ({_words(instance.types)})")
    target, resumed = instance._resumed_program()
    ends = _inserted_ends(origin, graph)
    former = result[resumed.array]
    if registry.choose(options["backend"]).backend.name != "cuda":
        former = on_host(former)
    if graph.names is not None:
        ends = np.isin(np.arange(graph.num_vertices), ends)  # numbers could be names
    arguments = {**values, resumed.former: former, resumed.ends: ends}
    continued = target._call(graph, arguments, round=_rounded(origin.rounded), **options)
    continued._origin = Origin(
        origin.source, origin.types, graph._identity, origin.params, origin.vertices, (), origin.rounded
    )
    return continued


def _origin(program: Program, result: Any) -> Origin:
    """Where a result of this program is from. Raises E0622 where that is unknown, TypeError for other objects."""
    from gdsl.api.result import Result

    if not isinstance(result, Result):
        raise TypeError(f"the first argument is a result of {program.name}, not {shown(result)}")
    origin = result._origin
    if origin is None:
        note = "results of map, of workers, and those that were pickled do not keep their params and their graph"
        _refuse("the result does not know the run that it is from", note)
    if (origin.source.text, origin.source.imported) != (program.text.text, program.text.imported):
        _refuse(f"the result is not one of this text of program {program.name}")
    if origin.passed:
        fix = f"make `{origin.passed[0]}` an attribute of the graph, which never changes"
        _refuse(f"the input `{origin.passed[0]}` was passed in the call, and may have changed since", fix=fix)
    return origin


def _arguments(origin: Origin, graph: Graph) -> dict[str, Any]:
    """The params and sets of the first run."""
    if graph.names is None:
        return dict(origin.params)
    names, vertices = graph.names, origin.vertices
    return {
        name: names[value] if name in vertices and 0 <= value < len(names) else value
        for name, value in origin.params.items()
    }


def _inserted_ends(origin: Origin, graph: Graph) -> Any:
    """The ends of the edges that were inserted since. Raises E0622 where any were deleted, or that is unknown."""
    changes = graph._changes_since(origin.graph)
    if changes is None:
        note = "Graph.updated makes one from the other; it remembers the latest changes"
        _refuse("the graph is not known to be an update of the graph of the result", note)
    if changes.example is not None:
        ends = [graph.names[end] if graph.names is not None else end for end in changes.example]
        note = "what was derived from a deleted edge would stay; only insertions can be resumed"
        _refuse(f"the edge {ends[0]} -> {ends[1]} was deleted since", note)
    return changes.inserted


def _rounded(names: Collection[str]) -> list[str] | None:
    return sorted(names) or None


def _words(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={type_}" for name, type_ in types.items())


def _refuse(message: str, *notes: str, fix: str = _AS_USUAL) -> NoReturn:
    raise GdslError.single("E0622", f"this result cannot be resumed: {message}", notes=notes, fix=fix)
