"""A program on the same graph under other ids, by the reference: what has no ids in it must be the same, and ids must
be those of the same vertices and edges. It shares nothing with the backend that numbers vertices anew.

Few random programs leave ids alone, which are the easiest source of different numbers. So those that depend on them all
the same are tried with degrees in their place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from fuzz.programs.running import Answer, Place, Runner, answered, bits_of, checked
from fuzz.programs.tuning import without_knobs
from gdsl.annotate import annotate
from gdsl.backends.interface import Bindings, Outcome, Pair
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import problem_data
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.ir.ids import with_given_ids, without_ties
from gdsl.ir.lowering import lower
from gdsl.ir.traversal import rewrite
from gdsl.operations import Degree, Domain, GraphQuery
from gdsl.source import Source
from gdsl.types import Type
from gdsl.uniqueness.layout import inside


def without_numbers(text: str) -> ir.Program | None:
    """`text`, or if it depends on ids, with degrees where it makes numbers of them; None where it still does, or is no
    program any more."""
    text = without_knobs(text)
    lowered = lower(checked(text))
    program = lowered if not any(inside(lowered)) else rewrite(lowered, _degree_for)
    if any(inside(program)) or any(each.type.is_pair and _holds_id(each.type) for each in problem_data(program)):
        return None
    try:
        return annotate(program, Source("program.gdsl", text))
    except GdslError:
        return None


def _degree_for(node: ir.Node) -> ir.Node:
    """The degree of a vertex, or of the source of an edge, for its id as a number."""
    if not isinstance(node, ir.Convert) or node.type.is_id or not node.operand.type.is_id:
        return node
    vertex = node.operand
    if vertex.type is Type.EDGE:
        vertex = ir.GraphRead(node.span, Type.VERTEX, GraphQuery.SOURCE, (vertex,), True)
    degree = ir.DegreeOf(node.span, Type.INT32, Degree.OUT, vertex, True)
    return ir.Convert(node.span, node.type, degree)


def on_other_ids(program: ir.Program) -> Runner:
    """The reference on graphs whose vertices are renumbered at random, by the seed."""
    bits = bits_of(program)

    def run(place: Place, seed: int, patience: float) -> Answer:
        bindings = place.bindings(program, bits)
        ids = OtherIds.of(program, place.graph, Random(seed))
        given, own = ids.bindings(program, bindings), with_given_ids(program)
        found = answered(lambda limits: interpret(own, ids.graph, given, limits, id_bits=bits, seed=seed), patience)
        return ids.outcome(program, found) if isinstance(found, Outcome) else found

    return run


@dataclasses.dataclass(frozen=True)
class OtherIds:
    """A graph under other ids. `vertices` and `edges` have by given id the new one."""

    graph: Graph
    vertices: Any
    edges: Any

    @staticmethod
    def of(program: ir.Program, graph: Graph, random: Random) -> OtherIds:
        """Vertices at random, or by falling degree where the program decides ties; edges that are parallel keep their
        order."""
        order = list(range(graph.num_vertices))
        random.shuffle(order)
        if without_ties(program) is not program:
            order.sort(key=lambda vertex: (-int(graph.out_degrees[vertex]), vertex))
        vertices = np.argsort(np.array(order, np.int64))
        sources, columns = vertices[graph.edge_sources], vertices[graph.columns]
        sorted_edges = np.lexsort((columns, sources))
        offsets = np.zeros(graph.num_vertices + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=graph.num_vertices), out=offsets[1:])
        return OtherIds(
            Graph(offsets, columns[sorted_edges], directed=graph.directed), vertices, np.argsort(sorted_edges)
        )

    def bindings(self, program: ir.Program, given: Bindings) -> Bindings:
        """What the caller gave, in the new names and order."""
        ways = {Type.VERTEX: self.vertices, Type.EDGE: self.edges}
        of = {Domain.VERTEX: np.argsort(self.vertices), Domain.EDGE: np.argsort(self.edges)}
        params, inputs = dict(given.params), dict(given.inputs)
        for param in program.params:
            if param.name in params:
                params[param.name] = _name(param.type, params[param.name], ways)
        for scalar in program.scalars:
            if scalar.is_input:
                inputs[scalar.name] = _name(scalar.type, inputs[scalar.name], ways)
        for array in program.arrays:
            if array.is_input:
                inputs[array.name] = _names(array.type, _rows(inputs[array.name], of[array.domain]), ways)
        inputs[GIVEN_IDS] = of[Domain.VERTEX].astype(np.int32)
        return Bindings(params, inputs, given.own)

    def outcome(self, program: ir.Program, found: Outcome) -> Outcome:
        """What a run gave, in the names and the order of the caller."""
        ways = {Type.VERTEX: np.argsort(self.vertices), Type.EDGE: np.argsort(self.edges)}
        of = {Domain.VERTEX: self.vertices, Domain.EDGE: self.edges}
        arrays, scalars = dict(found.arrays), dict(found.scalars)
        for array in program.arrays:
            if array.name in arrays:
                arrays[array.name] = _moved(array.type, arrays[array.name], of[array.domain], ways)
        for scalar in program.scalars:
            if scalar.name in scalars:
                scalars[scalar.name] = _name(scalar.type, scalars[scalar.name], ways)
        return dataclasses.replace(found, arrays=arrays, scalars=scalars)


def _moved(kind: Type, values: Any, places: Any, ways: Mapping[Type, Any]) -> Any:
    if kind.is_pair:
        return Pair(*(_rows(part, places) for part in values))
    return _names(kind, _rows(values, places), ways)


def _rows(values: Any, places: Any) -> Any:
    """The values of each element, one or several, those of `places[x]` for x."""
    return values.reshape(len(places), -1)[places].reshape(values.shape) if len(places) else values


def _names(kind: Type, values: Any, ways: Mapping[Type, Any]) -> Any:
    if kind not in ways or not len(ways[kind]):
        return values
    return np.where(values < 0, values, ways[kind][np.maximum(values, 0)]).astype(values.dtype)


def _name(kind: Type, value: Any, ways: Mapping[Type, Any]) -> Any:
    return int(ways[kind][value]) if kind in ways and value >= 0 else value


def _holds_id(kind: Type) -> bool:
    return any(part.is_id for part in kind.parts)
