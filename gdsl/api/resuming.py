"""Going on from the result of a run after edges were inserted into its graph.

Not to be confused with the option `resume` of runs with workers, which goes on from a checkpoint of the same run on the
same graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdsl.api.batch import Batch
from gdsl.api.compiled import CompiledProgram
from gdsl.api.origin import Origin
from gdsl.api.result import Result
from gdsl.api.summary import on_host
from gdsl.backends import registry
from gdsl.binding.expressions import Evaluator
from gdsl.diagnostics import GdslError, shown
from gdsl.graph import Graph
from gdsl.graph.arrays import is_on_gpu
from gdsl.graph.updates import Delta
from gdsl.graph.vertices import WIDE_FROM
from gdsl.ir import nodes as ir
from gdsl.operations import Domain

if TYPE_CHECKING:
    from gdsl.passes.resuming_beside import BesideProgram

AnyProgram = TypeVar("AnyProgram", bound=CompiledProgram)
_OF_VALUES = ("E0604", "E0605", "E0606", "E0607", "E0608")
_AS_USUAL = "run the program on the graph as usual"


@dataclass(frozen=True)
class Continuation(Generic[AnyProgram]):
    """A run that goes on: the program for it, the graph that it reads, and its arguments. `rounded` are those that
    become the nearest values of their types; `is_last` says that no other run would do."""

    program: AnyProgram
    graph: Graph
    arguments: dict[str, Any]
    rounded: list[str] | None
    is_last: bool
    origin: Origin
    delta: Delta | None = None

    def gives_way(self, error: GdslError) -> bool:
        """Whether another run is to report `error`, which concerns a value of an inserted edge."""
        return not self.is_last and error.code in _OF_VALUES

    def finished(self, result: Result) -> Result:
        """The result of the run as that of a run on the updated graph."""
        result._origin = self.origin
        if self.delta is not None:
            result._csr = self.delta
        return result


def continuations(
    program: AnyProgram, result: Result, graph: Graph, types: Mapping[str, Any] | None, backend: str
) -> Iterator[Continuation[AnyProgram]]:
    """The runs that may give the result of `Program.resume`, which raises what this raises: the quickest first."""
    origin = _origin(program, result)
    values = _arguments(origin, graph)
    beside = _beside(program, result, graph, types, backend, origin, values)
    if beside is not None:
        yield beside
    resumed, on_merged, _ = _instance(program, origin, graph, values, types)._resumed_programs()
    ends: Any = _inserted_ends(origin, graph)
    if graph.names is not None:
        ends = _flags(ends, graph.num_vertices)  # numbers could be names
    former = _placed(result[resumed.merged.array], backend)
    arguments = {**values, resumed.merged.former: former, resumed.merged.ends: ends}
    later = replace(origin, graph=graph._identity)
    yield Continuation(on_merged, graph, arguments, sorted(origin.rounded) or None, True, later)


def _beside(
    program: AnyProgram,
    result: Result,
    graph: Graph,
    types: Mapping[str, Any] | None,
    backend: str,
    origin: Origin,
    values: Mapping[str, Any],
) -> Continuation[AnyProgram] | None:
    """The run on the base of an updated graph, if there is one, and it has all edges but the inserted ones."""
    base, delta, vertices = graph._base, graph._delta, len(graph)
    if base is None or delta is None or len(delta.deleted) or origin.rounded:
        return None
    if not 0 < len(delta.inserted) <= vertices < WIDE_FROM or _has_later_edges(base, origin):
        return None
    instance = _instance(program, origin, base, values, types)
    resumed, _, on_base = instance._resumed_programs()
    names = resumed.beside
    _inserted_ends(origin, graph)
    counts = {Domain.VERTEX: vertices, Domain.EDGE: graph.num_edges}
    if names is None or on_base is None or not _are_valid(instance.ir, delta, origin.params, counts):
        return None
    former = _placed(result[names.array], backend)
    arguments = {**values, names.former: former, **_inserted(names, delta, vertices)}
    later = replace(origin, graph=graph._identity)
    return Continuation(on_base, base, arguments, None, False, later, delta)


def _has_later_edges(base: Graph, origin: Origin) -> bool:
    """Whether edges that were inserted after the run have been merged into the base of the updated graph: what is
    beside it is then not all that the result lacks. A base that does not know the graph of the run is older than it."""
    changes = base._changes_since(origin.graph)
    return changes is not None and len(changes.inserted) > 0


def _instance(
    program: AnyProgram, origin: Origin, graph: Graph, values: Mapping[str, Any], types: Mapping[str, Any] | None
) -> AnyProgram:
    """The instance that runs on `graph`. Raises E0622 unless it is the one that gave the result."""
    instance = program.instance(graph, values, types)
    if instance.types != origin.types:
        _refuse(f"the result has other types ({_words(origin.types)}) than this run ({_words(instance.types)})")
    return instance


def _inserted(names: BesideProgram, delta: Delta, vertices: int) -> dict[str, Any]:
    """The inserted edges as inputs of vertices, of which the first elements are used."""
    edges = delta.inserted
    declared = {array.name: array.type.name for array in names.program.arrays if not array.type.is_id}

    def padded(values: NDArray[Any], name: str) -> NDArray[Any]:
        # What is not converted is not touched either, which saves a pass.
        is_converted = values.dtype.name != declared.get(name)
        result = (np.zeros if is_converted else np.empty)(vertices, values.dtype)
        result[: len(values)] = values
        return result

    attributes = {names.source: edges.sources, names.destination: edges.destinations}
    attributes |= {new: edges.attributes[old] for old, new in names.values.items() if old in edges.attributes}
    ends = _flags(np.concatenate([edges.sources, edges.destinations]), vertices)
    sets = {names.members: _flags(slice(len(edges)), vertices), names.ends: ends}
    return {**sets, **{name: padded(values, name) for name, values in attributes.items()}}


def _are_valid(program: ir.Program, delta: Delta, params: Mapping[str, Any], counts: Mapping[Domain, int]) -> bool:
    """Whether the values of inserted edges fulfill the `where` of their inputs."""
    for array in program.arrays:
        if array.domain is Domain.EDGE and array.where is not None and array.name in delta.inserted.attributes:
            inserted = delta.inserted.attributes[array.name]
            with np.errstate(all="ignore"):  # of what the type does not have, which is reported later
                values = inserted.astype("int64" if array.type.is_id else array.type.name)
            evaluator = Evaluator(np, {}, params, counts, {array.name: values}.__getitem__)
            if not evaluator.values(array.where, 0, len(values)).all():
                return False
    return True


def _placed(values: Any, backend: str) -> Any:
    """Values of a result where the backend reads them: on the host unless it runs on a GPU."""
    is_far = is_on_gpu(values) and registry.choose(backend).backend.name != "cuda"
    return on_host(values) if is_far else values


def _flags(members: Any, vertices: int) -> NDArray[np.bool_]:
    flags = np.zeros(vertices, np.bool_)
    flags[members] = True
    return flags


def _origin(program: CompiledProgram, result: Any) -> Origin:
    """Where a result of this program is from. Raises E0622 where that is unknown, TypeError for other objects."""
    if isinstance(result, Batch):
        message = "the first argument is one result, not those of map: [program.resume(each, graph) for each in batch]"
        raise TypeError(message)
    if not isinstance(result, Result):
        raise TypeError(f"the first argument is a result of {program.name}, not {shown(result)}")
    origin = result._origin
    if origin is None:
        note = "results on graphs that workers read, of map over sets, and pickled ones do not keep params and graph"
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
