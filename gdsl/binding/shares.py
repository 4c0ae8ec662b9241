"""The arguments of a run by several workers, each of which has a share of the graph.

All workers bind the same arguments. Params, sets and vertex arrays are checked alike on each of them. Arrays of edges
come from the shares or from the caller, and each worker checks those of its own edges; where a program names edges of
other workers, they send them to each other first.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu import plan_of
from gdsl.backends.interface import Bindings
from gdsl.backends.workers.outcomes import agreed
from gdsl.binding.bind import Binder, needed_widths
from gdsl.communicator import Communicator
from gdsl.graph.csr import loops_of, repeated_of
from gdsl.graph.shares import GraphShare
from gdsl.graph.vertices import Names
from gdsl.ir import nodes as ir
from gdsl.operations import Domain, ReduceOperation
from gdsl.plan.exchange_nodes import Held
from gdsl.source import Source
from gdsl.types import Widths

_NO_EDGE = np.iinfo(np.int64).max


def bind_share(
    program: ir.Program,
    share: GraphShare,
    arguments: Mapping[str, object],
    communicator: Communicator,
    source: Source | None = None,
    rounded: frozenset[str] = frozenset(),
) -> Bindings:
    """Check `arguments` (params and inputs by name), the same on all workers, against what `program` declares.

    An input of edges may have a value for each edge of the graph or for each edge of the share. Values of the names in
    `rounded` become the nearest ones of the declared type. Raises as `gdsl.binding.bind` on all workers, also for a
    mistake that only one of them can see.
    """
    edges = {array.name for array in program.arrays if array.is_input and array.domain is Domain.EDGE}
    own = frozenset(name for name in edges if name in _in_parts(program)) if edges else frozenset[str]()
    others = tuple(array for array in program.arrays if array.name not in own)
    graph = _WholeGraph(share, communicator)
    caller_arguments = {name: value for name, value in arguments.items() if name not in own}
    binder = Binder(replace(program, arrays=others), source)
    bound = binder.bind(graph, caller_arguments, rounded=rounded)  # type: ignore[arg-type]
    if not own:
        return bound
    widths = needed_widths(program, graph)  # type: ignore[arg-type]

    def of_own_edges() -> Bindings:
        return _bind_own(program, share, own, arguments, bound, widths, source, rounded)

    parts = agreed(communicator, of_own_edges)
    return Bindings(bound.params, {**bound.inputs, **parts.inputs}, bound.own | parts.own)


def _bind_own(
    program: ir.Program,
    share: GraphShare,
    own: frozenset[str],
    arguments: Mapping[str, object],
    bound: Bindings,
    widths: Widths,
    source: Source | None,
    rounded: frozenset[str],
) -> Bindings:
    """The inputs of a worker's own edges."""
    alone = replace(
        program,
        arrays=tuple(array for array in program.arrays if array.name in own),
        scalars=(),
        schedule=(),
        vertex_functors=(),
        edge_functors=(),
        vote_functors=(),
        requires=replace(program.requires, symmetric=False, simple=False),
    )
    params: dict[str, object] = {
        name: value
        for name, value in bound.params.items()
        if not any(param.is_count for param in program.params if param.name == name)
    }
    for name in own & arguments.keys():
        params[name] = _own_part(arguments[name], share)
    own_edges: Any = _OwnEdges(share)
    return Binder(alone, source).bind(own_edges, params, widths=widths, rounded=rounded)


def _own_part(values: Any, share: GraphShare) -> Any:
    """A caller's array of edges: of it, the part of the worker's own edges."""
    is_whole = hasattr(values, "__len__") and len(values) == share.num_edges != len(share.columns)
    return np.asarray(values)[share.first_edge : share.last_edge] if is_whole else values


def _in_parts(program: ir.Program) -> frozenset[str]:
    distribution = plan_of(program, verify=False, workers=True).distribution
    assert distribution is not None
    return frozenset(each.name for each in distribution.arrays if each.held is Held.OWN)


class _WholeGraph:
    """What binding asks of a graph, from the shares of all workers; all of them ask alike."""

    _new_edges = None  # updated graphs are those of one process

    def __init__(self, share: GraphShare, communicator: Communicator) -> None:
        self._share, self._communicator = share, communicator
        self._conditions: set[str] = set()
        self.num_vertices, self.num_edges, self.directed = share.num_vertices, share.num_edges, share.directed
        self.id_widths = share.id_widths
        self.id_bits = share.id_widths.edge
        self.attributes = _Gathered(share.attributes, communicator)
        self.vertex_attributes = _Gathered(share.vertex_attributes, communicator)
        self.names = _SharedNames(share, communicator) if share.names is not None else None

    @property
    def out_degrees(self) -> NDArray[np.int32]:
        return self._share.out_degrees(self._communicator)

    @property
    def in_degrees(self) -> NDArray[np.int32]:
        return self._share.in_degrees(self._communicator)

    def first_asymmetric_edge(self) -> int | None:
        """The lowest id of an edge that lacks its opposite."""
        if not self.directed:
            return None
        return self._first(self._share.reverse_edges(self._communicator) < 0)

    def first_duplicate_or_loop(self) -> int | None:
        """The lowest id of an edge that is a self-loop or repeats the edge before it."""
        return self._first(self._loops() | self._repeated())

    def has_loops(self) -> bool:
        """Whether an edge leads from a vertex to itself."""
        return self._first(self._loops()) is not None

    def has_parallel_edges(self) -> bool:
        """Whether two edges have the same ends."""
        return self._first(self._repeated()) is not None

    def ends(self, edge: int) -> tuple[int, int]:
        """Source and destination of an edge."""
        share = self._share
        here = share.first_edge <= edge < share.last_edge
        at = edge - share.first_edge
        own = [int(share.edge_sources[at]), int(share.columns[at])] if here else []
        source, destination = np.concatenate(self._communicator.all_gather(np.array(own, np.int64))).tolist()
        return source, destination

    def _loops(self) -> NDArray[np.bool_]:
        return loops_of(self._share.columns, self._share.edge_sources)

    def _repeated(self) -> NDArray[np.bool_]:
        return repeated_of(self._share.columns, self._share.edge_sources)

    def _first(self, flags: NDArray[np.bool_]) -> int | None:
        own = int(np.argmax(flags)) + self._share.first_edge if flags.any() else _NO_EDGE
        lowest = int(self._communicator.all_reduce(np.array([own], np.int64), ReduceOperation.MIN)[0])
        return lowest if lowest != _NO_EDGE else None


class _OwnEdges:
    """What binding asks of a graph about a worker's own edges."""

    _new_edges = None

    def __init__(self, share: GraphShare) -> None:
        self._share = share
        self._conditions: set[str] = set()
        self.num_vertices, self.num_edges, self.directed = share.num_vertices, len(share.columns), share.directed
        self.id_widths, self.id_bits, self.names = share.id_widths, share.id_widths.edge, None
        self.attributes: Mapping[str, Any] = share.attributes
        self.vertex_attributes: Mapping[str, Any] = {}
        self.edges = share.edge_sources, share.columns

    def ends(self, edge: int) -> tuple[int, int]:
        """Source and destination of an edge."""
        return int(self._share.edge_sources[edge]), int(self._share.columns[edge])


class _Gathered(Mapping[str, Any]):
    """Attributes of the whole graph, gathered when they are first asked for."""

    def __init__(self, own: Mapping[str, NDArray[Any]], communicator: Communicator) -> None:
        self._own, self._communicator = own, communicator
        self._found: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._found:
            self._found[name] = np.concatenate(self._communicator.all_gather(self._own[name]))
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

    def __contains__(self, name: object) -> bool:
        return name in self._own


class _SharedNames:
    """The names of all vertices, of which each worker has its own. The first few are known everywhere."""

    def __init__(self, share: GraphShare, communicator: Communicator) -> None:
        self._share, self._communicator = share, communicator
        self._few = self._of_all(lambda names: list(names[:5]))

    def _of_all(self, choose: Callable[[Names], list[Any]]) -> list[Any]:
        """What each worker chooses of its names, by rank."""
        assert self._share.names is not None
        packed = np.frombuffer(pickle.dumps(choose(self._share.names)), np.uint8)
        return [name for part in self._communicator.all_gather(packed) for name in pickle.loads(part.tobytes())]

    def id_of(self, name: object) -> int | None:
        """The vertex of that name."""
        try:
            return self._share.vertex(name, self._communicator)
        except KeyError:
            return None

    def like(self, name: object) -> list[str]:
        """Names similar to `name`."""
        return self._of_all(lambda names: names.like(name))[:1]

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self._few[place])
        own = self._share.first <= place < self._share.last
        return self._of_all(lambda names: [names[place - self._share.first]] if own else [])[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._few)

    def __len__(self) -> int:
        return self._share.num_vertices
