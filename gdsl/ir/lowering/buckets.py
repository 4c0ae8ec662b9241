"""Lowers buckets: to a frontier of all vertices that are in one, the level of each, and operators over these.

`b.push(f)` gives each vertex of f its level and unites f with that frontier; `b.pop()` finds the least level in it and
splits it by that level. So a pop looks at what waits and at nothing else.
"""

from __future__ import annotations

from gdsl.arithmetic.constants import integer_range
from gdsl.ir import nodes
from gdsl.ir.lowering.bucket_data import Buckets
from gdsl.ir.lowering.hidden import Hidden, own_id
from gdsl.operations import BinaryOperation, Builtin, Domain, ReduceOperation, SetOperation, StoreRule
from gdsl.source import Span
from gdsl.types import Type

_LEAST, _MOST = integer_range(Type.INT64)


class _Making:
    """Makes the functors of buckets by the array `array`."""

    def __init__(self, hidden: Hidden, name: str, array: str, type_: Type, span: Span) -> None:
        self.hidden, self.name, self.array, self.type, self.span = hidden, name, array, type_, span
        self.levels = hidden.array(f"{name}_levels", Domain.VERTEX, Type.INT64, span)
        self.width = hidden.scalar(f"{name}_width", type_, span).scalar
        self.popped, self.least = (hidden.scalar(f"{name}_{word}", Type.INT64, span) for word in ("popped", "least"))

    def made(self, waiting: str) -> Buckets:
        """All of it; `waiting` is a new frontier."""
        span, vertex = self.span, own_id(Domain.VERTEX, self.span)
        level = nodes.Element(span, Type.INT64, self.levels, Domain.VERTEX, vertex, False)
        popped = nodes.ScalarValue(span, Type.INT64, self.popped.scalar)
        target = nodes.ElementTarget(span, self.levels, Domain.VERTEX, Type.INT64, vertex, False)
        joined = nodes.BuiltinCall(span, Type.INT64, Builtin.MAX, (popped, self._level(vertex)))
        place = nodes.Store(span, target, joined, StoreRule.SINGLE_WRITER)
        find = nodes.Update(span, self.least, ReduceOperation.MIN, level)
        is_popped, is_other = (
            nodes.Binary(span, Type.BOOL, operation, level, popped)
            for operation in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL)
        )
        return Buckets(
            self.array,
            self.type,
            waiting,
            self.levels,
            self.width,
            self.popped.scalar,
            self.least.scalar,
            self._functor("place", (), (place,)),
            self._functor("find", (), (find,)),
            self._functor("take", (is_popped,), ()),
            self._functor("keep", (is_other,), ()),
        )

    def _functor(self, word: str, condition: tuple[nodes.Expression, ...], body: tuple[nodes.Statement, ...]) -> str:
        return self.hidden.functor(f"{self.name}_{word}", Domain.VERTEX, self.span, condition, body)

    def _level(self, vertex: nodes.Expression) -> nodes.Expression:
        """floor(A[v] / width) as an int64, the nearest one where it is none; of NaN the largest."""
        span, type_ = self.span, self.type
        value = nodes.Element(span, type_, self.array, Domain.VERTEX, vertex, False)
        width = nodes.ScalarValue(span, type_, self.width)
        if type_.is_float:
            ratio = nodes.Binary(span, type_, BinaryOperation.DIVIDE, value, width)
            floored = nodes.Convert(span, Type.INT64, nodes.BuiltinCall(span, type_, Builtin.FLOOR, (ratio,)))
            is_number = nodes.Binary(span, Type.BOOL, BinaryOperation.EQUAL, ratio, ratio)
            return nodes.Select(span, Type.INT64, is_number, floored, nodes.Literal(span, Type.INT64, _MOST))
        ratio = nodes.Binary(span, type_, BinaryOperation.INTEGER_DIVIDE, value, width)
        if not type_.is_signed:
            if type_.bits == 64:
                most = nodes.Literal(span, type_, _MOST)
                return nodes.Convert(span, Type.INT64, nodes.BuiltinCall(span, type_, Builtin.MIN, (ratio, most)))
            return nodes.Convert(span, Type.INT64, ratio)
        whole: nodes.Expression = ratio if type_ is Type.INT64 else nodes.Convert(span, Type.INT64, ratio)
        rest = nodes.Binary(span, type_, BinaryOperation.MODULO, value, width)
        below = nodes.Binary(span, Type.BOOL, BinaryOperation.LESS, rest, nodes.Literal(span, type_, 0))
        one = nodes.Literal(span, Type.INT64, 1)
        less = nodes.Binary(span, Type.INT64, BinaryOperation.SUBTRACT, whole, one)
        return nodes.Select(span, Type.INT64, below, less, whole)


def new_buckets(hidden: Hidden, name: str, array: str, type_: Type, waiting: str, span: Span) -> Buckets:
    """What the buckets `name` need; `waiting` is a new frontier."""
    return _Making(hidden, name, array, type_, span).made(waiting)


def begun(buckets: Buckets, name: str, width: nodes.Expression, span: Span) -> tuple[nodes.Step, ...]:
    """The steps that leave buckets empty, with levels of `width`."""
    return (
        nodes.StoreScalar(span, buckets.width, width),
        nodes.CheckWidth(width.span, name, buckets.width, buckets.type),
        nodes.StoreScalar(span, buckets.popped, nodes.Literal(span, Type.INT64, _LEAST)),
        nodes.DefineFrontier(span, buckets.waiting, (), False, Domain.VERTEX),
    )


def pushed(hidden: Hidden, buckets: Buckets, members: nodes.Elements, span: Span) -> tuple[nodes.Step, ...]:
    """The steps that put `members` into the buckets of their level."""
    placed = nodes.Compute(span, hidden.site(span, "compute"), buckets.place, members, buckets.place, None, None)
    if members.everything:
        return placed, nodes.DefineFrontier(span, buckets.waiting, (), True, Domain.VERTEX)
    waiting = nodes.Elements(span, Domain.VERTEX, buckets.waiting)
    united = nodes.CombineFrontiers(span, buckets.waiting, SetOperation.UNION, waiting, members)
    return placed, united


def popped(hidden: Hidden, buckets: Buckets, result: str, span: Span) -> tuple[nodes.Step, ...]:
    """The steps that take the vertices of the least level out into the frontier `result`; without any, the level popped
    last stays what it was."""
    waiting = nodes.Elements(span, Domain.VERTEX, buckets.waiting)
    some = nodes.FrontierNotEmpty(span, Type.BOOL, buckets.waiting)
    least, last = (nodes.ScalarValue(span, Type.INT64, name) for name in (buckets.least, buckets.popped))
    find = hidden.compute(span, waiting, buckets.find)
    take, keep = (hidden.site(span, "filter") for _ in range(2))
    return (
        nodes.StoreScalar(span, buckets.least, nodes.Literal(span, Type.INT64, _MOST)),
        find,
        nodes.StoreScalar(span, buckets.popped, nodes.Select(span, Type.INT64, some, least, last)),
        nodes.Filter(span, take, buckets.take, waiting, buckets.take, result),
        nodes.Filter(span, keep, buckets.keep, waiting, buckets.keep, buckets.waiting),
    )
