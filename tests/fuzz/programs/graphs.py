"""Graphs of the shapes that break things, mostly of a few vertices, and values for what a program asks its caller."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from gdsl.binding import problem_data
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.types import Type

Edge = tuple[int, int]
Value = bool | int | float

_POOL = 13
"""Values of an input; its elements take them by turns, so that a smaller graph has the first of them."""


@dataclass(frozen=True)
class Shape:
    """A graph as its edges, which is what a finding prints."""

    vertices: int
    edges: tuple[Edge, ...]
    directed: bool = True

    @property
    def graph(self) -> Graph:
        """The same for gdsl."""
        sources = numpy.array([edge[0] for edge in self.edges], dtype=numpy.int64)
        destinations = numpy.array([edge[1] for edge in self.edges], dtype=numpy.int64)
        return Graph.from_edges(sources, destinations, num_vertices=self.vertices, directed=self.directed)


MIDDLE, LARGE = (40, 250), (300, 3000)
"""Vertices, at least and at most: so many that a set of a few takes less than a bitmap, and that there are hubs."""


def random_shape(random: random.Random, counts: tuple[int, int] | None = None) -> Shape:
    """Any shape: of up to 8 vertices, or of as many as `counts` says."""
    if counts is None and random.random() < 0.03:
        return Shape(random.choice((0, 1, 1, 5)), ())
    count = random.randint(*counts) if counts is not None else random.choice((2, 3, 4, 4, 5, 5, 6, 7, 8))
    edges = random.choice(_SHAPES)(random, count)
    if random.random() < 0.3:
        edges += [(vertex, vertex) for vertex in random.sample(range(count), max(1, count // 4))]
    if random.random() < 0.4 and edges:
        edges += random.choices(edges, k=max(1, len(edges) // 4))
    if random.random() < 0.2:
        edges = [(end, start) for start, end in edges]
    random.shuffle(edges)
    if random.random() < 0.5:  # other ids, so that small ones are not always early
        names = list(range(count))
        random.shuffle(names)
        edges = [(names[start], names[end]) for start, end in edges]
    return Shape(count, tuple(edges), directed=random.random() < 0.6)


def _path(random: random.Random, count: int) -> list[Edge]:
    return [(place, place + 1) for place in range(count - 1)]


def _cycle(random: random.Random, count: int) -> list[Edge]:
    return [(place, (place + 1) % count) for place in range(count)]


def _star(random: random.Random, count: int) -> list[Edge]:
    return [(0, leaf) for leaf in range(1, count)]


def _hubs(random: random.Random, count: int) -> list[Edge]:
    return [(hub, leaf) for hub in (0, 1) for leaf in range(2, count) if random.random() < 0.8]


def _clique(random: random.Random, count: int) -> list[Edge]:
    among = min(count, 40)
    return [(first, second) for first in range(among) for second in range(first + 1, among)]


def _grid(random: random.Random, count: int) -> list[Edge]:
    wide = max(2, int(count**0.5))
    right = [(place, place + 1) for place in range(count - 1) if (place + 1) % wide]
    return right + [(place, place + wide) for place in range(count - wide)]


def _any(random: random.Random, count: int) -> list[Edge]:
    return [(random.randrange(count), random.randrange(count)) for _ in range(random.randint(count, 3 * count))]


def _parts(random: random.Random, count: int) -> list[Edge]:
    half = max(1, count // 2)
    first = _any(random, half)
    return first + [(start + half, end + half) for start, end in _path(random, count - half)]


def _diamonds(random: random.Random, count: int) -> list[Edge]:
    """Many ways of the same length to one vertex."""
    return [(start, end) for start in range(count) for end in (start + 1, start + 2) if end < count]


_SHAPES: tuple[Callable[[random.Random, int], list[Edge]], ...] = (
    *(_path, _cycle, _star, _hubs, _clique, _grid, _parts, _diamonds),
    *(_any, _any, _any, _diamonds),
)


# ---------------------------------------------------------------- what the caller gives

Pools = Mapping[str, tuple[Value, ...]]
"""Values by the name of a param or input: a param takes the first, an input all by turns."""


def random_pools(random: random.Random, program: ir.Program) -> Pools:
    """Values for all that `program` declares without a default."""
    declared = [param for param in program.params if param.default is None]
    inputs = [data for data in problem_data(program) if data.is_input]
    kinds = {each.name: each.type for each in declared} | {each.name: each.type for each in inputs}
    return {name: tuple(_value(random, kind) for _ in range(_POOL)) for name, kind in kinds.items()}


def _value(random: random.Random, kind: Type) -> Value:
    if kind is Type.BOOL:
        return random.random() < 0.5
    if kind.is_id:
        return random.randrange(8)
    if kind.is_float:
        return random.choice((0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 0.1, 0.2, 0.3, 7.75))
    return random.choice((0, 0, 1, 1, 2, 3, 4, 5, 7))


def given_to(program: ir.Program, graph: Graph, pools: Pools) -> dict[str, Any]:
    """Params and inputs as a run on `graph` takes them; ids are wrapped so that the graph has them."""
    counts = {Type.VERTEX: graph.num_vertices, Type.EDGE: graph.num_edges}

    def taken(kind: Type, value: Value) -> Value:
        return int(value) % max(1, counts[kind]) if kind.is_id else value

    given: dict[str, Any] = {}
    for param in program.params:
        if param.name in pools:
            given[param.name] = taken(param.type, pools[param.name][0])
    for scalar in program.scalars:
        if scalar.is_input:
            given[scalar.name] = taken(scalar.type, pools[scalar.name][0])
    for array in program.arrays:
        if array.is_input:
            count = graph.num_vertices if array.domain is Domain.VERTEX else graph.num_edges
            values = [taken(array.type, value) for value in pools[array.name]]
            dtype = "int64" if array.type.is_id else array.type.name
            given[array.name] = numpy.resize(numpy.array(values, dtype=dtype), count)
    return given
