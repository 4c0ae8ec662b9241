"""Lowers buckets of `width=auto`: to a frontier of all vertices that wait, of which a pop takes those up to a bound
that the run chooses by the values that it finds. Nobody may see which these are (`gdsl.uniqueness.free_choices`)."""

from __future__ import annotations

from gdsl.ir import nodes
from gdsl.ir.lowering.bucket_data import FreeBuckets
from gdsl.ir.lowering.hidden import Hidden, own_id
from gdsl.operations import BinaryOperation, Domain, ReduceOperation, SetOperation, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type

_FLOAT = Type.FLOAT64
_INFINITY = float("inf")


def new_free_buckets(hidden: Hidden, name: str, array: str, type_: Type, waiting: str, span: Span) -> FreeBuckets:
    """What the buckets `name` by `array` need; `waiting` is a new frontier."""
    value: nodes.Expression = nodes.Element(span, type_, array, Domain.VERTEX, own_id(Domain.VERTEX, span), False)
    value = value if type_ is _FLOAT else nodes.Convert(span, _FLOAT, value)
    nearest, farthest, bound = (
        hidden.scalar(f"{name}_{word}", _FLOAT, span) for word in ("nearest", "farthest", "bound")
    )
    is_finite = nodes.Binary(span, Type.BOOL, BinaryOperation.LESS, value, _number(span, _INFINITY))
    known = nodes.Select(span, _FLOAT, is_finite, value, _number(span, -_INFINITY))
    measures = (
        nodes.Update(span, nearest, ReduceOperation.MIN, value),
        nodes.Update(span, farthest, ReduceOperation.MAX, known),
    )
    behind = nodes.Binary(
        span, Type.BOOL, BinaryOperation.GREATER, value, nodes.ScalarValue(span, _FLOAT, bound.scalar)
    )
    within = nodes.Unary(span, Type.BOOL, UnaryOperation.NOT, behind)  # NaN too
    functors = (("measure", (), measures), ("take", (within,), ()), ("keep", (behind,), ()))
    made = [hidden.functor(f"{name}_{word}", Domain.VERTEX, span, *parts) for word, *parts in functors]
    return FreeBuckets(name, waiting, nearest.scalar, farthest.scalar, bound.scalar, *made)


def begun(buckets: FreeBuckets, span: Span) -> tuple[nodes.Step, ...]:
    """The step that leaves buckets empty."""
    return (nodes.DefineFrontier(span, buckets.waiting, (), False, Domain.VERTEX),)


def pushed(buckets: FreeBuckets, members: nodes.Elements, span: Span) -> tuple[nodes.Step, ...]:
    """The step that has `members` wait."""
    if members.everything:
        return (nodes.DefineFrontier(span, buckets.waiting, (), True, Domain.VERTEX),)
    waiting = nodes.Elements(span, Domain.VERTEX, buckets.waiting)
    return (nodes.CombineFrontiers(span, buckets.waiting, SetOperation.UNION, waiting, members),)


def popped(hidden: Hidden, buckets: FreeBuckets, result: str, span: Span) -> tuple[nodes.Step, ...]:
    """The steps that take some of the nearest out into the frontier `result`: one at least where any wait."""
    waiting = nodes.Elements(span, Domain.VERTEX, buckets.waiting)
    measure = hidden.compute(span, waiting, buckets.measure)
    take, keep = (hidden.site(span, "filter") for _ in range(2))
    return (
        nodes.StoreScalar(span, buckets.nearest, _number(span, _INFINITY)),
        nodes.StoreScalar(span, buckets.farthest, _number(span, -_INFINITY)),
        measure,
        nodes.ChooseBound(span, buckets.name, buckets.waiting, buckets.nearest, buckets.farthest, buckets.bound),
        nodes.Filter(span, take, buckets.take, waiting, buckets.take, result),
        nodes.Filter(span, keep, buckets.keep, waiting, buckets.keep, buckets.waiting),
    )


def _number(span: Span, value: float) -> nodes.Expression:
    return nodes.Literal(span, _FLOAT, value)
