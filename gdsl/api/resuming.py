"""Going on from the result of a run after edges were inserted into its graph.

Not to be confused with the option `resume` of runs with workers, which goes on from a checkpoint of the same run on the
same graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

import numpy as np

from gdsl.api.compiled import CompiledProgram
from gdsl.api.origin import Origin
from gdsl.api.result import Result
from gdsl.api.summary import on_host
from gdsl.backends import registry
from gdsl.diagnostics import GdslError, shown
from gdsl.graph import Graph

AnyProgram = TypeVar("AnyProgram", bound=CompiledProgram)
_AS_USUAL = "run the program on the graph as usual"


def continuation(
    program: AnyProgram, result: Result, graph: Graph, types: Mapping[str, Any] | None, backend: str
) -> tuple[AnyProgram, dict[str, Any], list[str] | None, Origin]:
    """A run that goes on: the program for it, its arguments and those that are rounded, and the origin of its result.
    `Program.resume` raises what this raises."""
    origin = _origin(program, result)
    values = _arguments(origin, graph)
    instance = program.instance(graph, values, types)
    if instance.types != origin.types:
        _refuse(f"the result has other types ({_words(origin.types)}) than this run ({_words(instance.types)})")
    target, resumed = instance._resumed_program()
    ends = _inserted_ends(origin, graph)
    former = result[resumed.array]
    if registry.choose(backend).backend.name != "cuda":
        former = on_host(former)
    if graph.names is not None:
        ends = np.isin(np.arange(graph.num_vertices), ends)  # numbers could be names
    arguments = {**values, resumed.former: former, resumed.ends: ends}
    rounded = sorted(origin.rounded) or None
    return target, arguments, rounded, replace(origin, graph=graph._identity)


def _origin(program: CompiledProgram, result: Any) -> Origin:
    """Where a result of this program is from. Raises E0622 where that is unknown, TypeError for other objects."""
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


def _words(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={type_}" for name, type_ in types.items())


def _refuse(message: str, *notes: str, fix: str = _AS_USUAL) -> NoReturn:
    raise GdslError.single("E0622", f"this result cannot be resumed: {message}", notes=notes, fix=fix)
