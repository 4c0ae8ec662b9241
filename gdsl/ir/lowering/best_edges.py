"""Lowers `top(f, functor, k)`, the edge frontier of each vertex's k best edges.

In each round, each vertex finds the best of its edges after the one that it found last: the largest value, then the
smallest edge with that value. The k-th one is the bound by which the edges are collected at the end. Lists of at most k
edges are collected whole, without rounds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from gdsl.ir import nodes
from gdsl.ir.lowering.hidden import Code, Hidden, own_id
from gdsl.operations import BinaryOperation, Domain, NeighborOperation, Over
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Request:
    """One call: `of` are its vertices, `functor` is lowered already, and `result` is the resulting edge frontier."""

    span: Span
    label: str
    of: nodes.Elements
    functor: nodes.EdgeFunctor
    limit: nodes.Expression
    over: Over
    result: str


class BestEdges:
    """The steps of one call, and the data that they need."""

    def __init__(self, request: Request, hidden: Hidden, waiting: str, loop: int) -> None:
        """`waiting` is a new frontier of vertices, `loop` the number of a new loop."""
        value = request.functor.value
        assert value is not None
        self.request, self.hidden, self.waiting, self.loop = request, hidden, waiting, loop
        self.span, self.stem, self.value = request.span, request.functor.name, value
        self.code = Code(request.span)
        self.last_value, self.next_value = (self._array(word, value.type) for word in ("bound", "best"))
        self.last_edge, self.next_edge = (self._array(word, Type.EDGE) for word in ("bound_edge", "best_edge"))
        self.round, self.limit = (
            hidden.scalar(f"{self.stem}_{word}", Type.INT64, self.span).scalar for word in ("rounds", "limit")
        )

    def steps(self) -> tuple[nodes.Step, ...]:
        """All of them, in order."""
        span, request = self.span, self.request
        unbounded = self.code.store(self.last_edge[0], own_id(Domain.VERTEX, span), nodes.NoneId(span, Type.EDGE))
        begin = self.hidden.functor(f"{self.stem}_begin", Domain.VERTEX, span, (), (unbounded,))
        vertex = own_id(Domain.VERTEX, span)
        long = self.code.binary(BinaryOperation.LESS, self._scalar(self.limit), self._degree(vertex))
        chosen = self.hidden.functor(f"{self.stem}_long", Domain.VERTEX, span, (long,), ())
        goes_on = self.code.both(
            nodes.FrontierNotEmpty(span, Type.BOOL, self.waiting),
            self.code.binary(BinaryOperation.LESS, self._scalar(self.round), self._scalar(self.limit)),
        )
        return (
            nodes.StoreScalar(span, self.limit, request.limit),
            nodes.StoreScalar(span, self.round, nodes.Literal(span, Type.INT64, 0)),
            self.hidden.compute(span, request.of, begin),
            nodes.Filter(span, self.hidden.site(span, "filter"), chosen, request.of, chosen, self.waiting),
            nodes.While(span, self.loop, goes_on, self._round()),
            self._collect(),
        )

    # ------------------------------------------------------------ one round

    def _round(self) -> tuple[nodes.Step, ...]:
        span = self.span
        after_bound = self._is_after_bound()
        best = self.code.binary(BinaryOperation.EQUAL, self.value, self._element(self.next_value, self._near()))
        values = self._reduction("value", (after_bound,), self.value, NeighborOperation.MAX, self.next_value)
        edges = self._reduction("edge", (after_bound, best), self._edge(), NeighborOperation.MIN, self.next_edge)
        vertex = own_id(Domain.VERTEX, span)
        is_found = self.code.binary(
            BinaryOperation.NOT_EQUAL, self._element(self.next_edge, vertex), nodes.NoneId(span, Type.EDGE)
        )
        stores = (
            self.code.store(self.last_value[0], vertex, self._element(self.next_value, vertex)),
            self.code.store(self.last_edge[0], vertex, self._element(self.next_edge, vertex)),
        )
        keep = self.hidden.functor(f"{self.stem}_found", Domain.VERTEX, span, (is_found,), stores)
        waiting = nodes.Elements(span, Domain.VERTEX, self.waiting)
        more = self.code.binary(BinaryOperation.ADD, self._scalar(self.round), self.code.literal(Type.INT64, 1))
        return (
            values,
            edges,
            nodes.Filter(span, self.hidden.site(span, "filter"), keep, waiting, keep, self.waiting),
            nodes.StoreScalar(span, self.round, more),
        )

    def _is_after_bound(self) -> nodes.Expression:
        """Whether the edge comes after the bound; in the first round all do."""
        first = self.code.binary(BinaryOperation.EQUAL, self._scalar(self.round), self.code.literal(Type.INT64, 0))
        return self.code.either(first, self._compared_with_bound(BinaryOperation.LESS, BinaryOperation.GREATER))

    def _compared_with_bound(self, of_values: BinaryOperation, of_edges: BinaryOperation) -> nodes.Expression:
        bound, bound_edge = (self._element(name, self._near()) for name in (self.last_value, self.last_edge))
        equal = self.code.binary(BinaryOperation.EQUAL, self.value, bound)
        return self.code.either(
            self.code.binary(of_values, self.value, bound),
            self.code.both(equal, self.code.binary(of_edges, self._edge(), bound_edge)),
        )

    def _reduction(
        self,
        word: str,
        conditions: Iterable[nodes.Expression],
        value: nodes.Expression,
        operation: NeighborOperation,
        array: tuple[str, Type],
    ) -> nodes.Step:
        name = self._functor(f"best_{word}", conditions, value)
        waiting = nodes.Elements(self.span, Domain.VERTEX, self.waiting)
        return nodes.NeighborReduce(
            span=self.span,
            site=self.hidden.site(self.span, "neighbor_reduce"),
            label=name,
            frontier=waiting,
            functor=name,
            result=None,
            operation=operation,
            over=self.request.over,
            array=array[0],
            array_type=array[1],
        )

    # ------------------------------------------------------------ the end

    def _collect(self) -> nodes.Step:
        request, near = self.request, self._near()
        short = self.code.binary(BinaryOperation.LESS_EQUAL, self._degree(near), self._scalar(self.limit))
        if self.value.type.is_float:  # NaN never
            short = self.code.both(short, self.code.binary(BinaryOperation.EQUAL, self.value, self.value))
        bounded = self.code.binary(
            BinaryOperation.NOT_EQUAL, self._element(self.last_edge, near), nodes.NoneId(self.span, Type.EDGE)
        )
        within = self.code.both(bounded, self._compared_with_bound(BinaryOperation.GREATER, BinaryOperation.LESS_EQUAL))
        name = self._functor("kept", (self.code.either(short, within),), None)
        site = self.hidden.site(self.span, "advance")
        return nodes.Advance(
            self.span, site, request.label, request.of, name, request.result, request.over, None, Domain.EDGE
        )

    # ------------------------------------------------------------ parts

    def _array(self, word: str, type_: Type) -> tuple[str, Type]:
        return self.hidden.array(f"{self.stem}_{word}", Domain.VERTEX, type_, self.span), type_

    def _functor(self, word: str, conditions: Iterable[nodes.Expression], value: nodes.Expression | None) -> str:
        functor = self.request.functor
        name = self.hidden.name(f"{self.stem}_{word}")
        condition = (*functor.condition, *conditions)
        self.hidden.edge_functors.append(
            dataclasses.replace(functor, name=name, condition=condition, body=(), value=value)
        )
        return name

    def _near(self) -> nodes.Parameter:
        return nodes.Parameter(self.span, Type.VERTEX, nodes.Role.NEAR, "near")

    def _edge(self) -> nodes.Parameter:
        return nodes.Parameter(self.span, Type.EDGE, nodes.Role.EDGE, self.request.functor.edge)

    def _element(self, array: tuple[str, Type], at: nodes.Parameter) -> nodes.Element:
        return self.code.element(*array, at)

    def _scalar(self, name: str) -> nodes.ScalarValue:
        return self.code.scalar(name, Type.INT64)

    def _degree(self, at: nodes.Parameter) -> nodes.Expression:
        first, *others = (
            nodes.Convert(self.span, Type.INT64, nodes.DegreeOf(self.span, Type.INT32, degree, at, False))
            for degree in self.request.over.degrees
        )
        total: nodes.Expression = first
        for other in others:
            total = self.code.binary(BinaryOperation.ADD, total, other)
        return total
