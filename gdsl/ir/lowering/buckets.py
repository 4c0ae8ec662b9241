"""Lowers histories and buckets: to data and functors without a line of their own, and the steps that use them.

Buckets are a frontier of all vertices that wait in one, and `PushBuckets` and `PopBuckets` with their steps. With a
width, `b.push(f)` gives each vertex of `f` its level, and `b.pop()` finds the least level and splits the frontier by
it. With `width=auto`, a pop takes the vertices up to a bound that the run chooses from the values that it finds; no
result may depend on the choice (`gdsl.uniqueness.free_choices`).
"""

from __future__ import annotations

from gdsl.arithmetic.constants import integer_range
from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering
from gdsl.ir.lowering.hidden import Code, Hidden, own_id
from gdsl.operations import BinaryOperation, Builtin, Domain, ReduceOperation, SetOperation, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type

Steps = tuple[nodes.Step, ...]

_LEAST, _MOST = integer_range(Type.INT64)
_FLOAT = Type.FLOAT64
_INFINITY = float("inf")


class BucketsLowering:
    """The steps of all buckets of a schedule, by their unique names."""

    def __init__(self, hidden: Hidden, expressions: ExpressionLowering) -> None:
        self.hidden, self.expressions = hidden, expressions
        self._declared: dict[str, _LevelBuckets | _AutomaticBuckets] = {}

    def begin(
        self, name: str, shown: str, array: tuple[str, Type], width: nodes.Expression | None, waiting: str, span: Span
    ) -> Steps:
        """A declaration by `array`; the width is automatic without a `width`. `waiting` is a new frontier."""
        node = nodes.Buckets(span, name, array[0], waiting, width is None)
        self.expressions.buckets[name] = node
        if width is None:
            self._declared[name] = _AutomaticBuckets(self.hidden, node, array[1])
            return (_emptied(node, span),)
        buckets = self._declared[name] = _LevelBuckets(self.hidden, node, array[1])
        self.expressions.levels_popped[name] = buckets.popped
        return buckets.begin(shown, width)

    def push(self, name: str, members: nodes.Elements, span: Span) -> nodes.Step:
        """`name.push(members)`."""
        buckets = self._declared[name]
        return nodes.PushBuckets(span, buckets.node, members, buckets.push(members, span))

    def pop(self, name: str, result: str, span: Span) -> nodes.Step:
        """`result = name.pop()`."""
        buckets = self._declared[name]
        return nodes.PopBuckets(span, buckets.node, result, buckets.pop(result, span))


class _LevelBuckets:
    """Buckets with a width. The functor `place` gives a vertex its level, `find` finds the least one, `take` accepts
    the vertices of the level that is popped, and `keep` accepts all others."""

    def __init__(self, hidden: Hidden, node: nodes.Buckets, type_: Type) -> None:
        self.hidden, self.node, self.type, self.span = hidden, node, type_, node.span
        span, vertex, name = self.span, own_id(Domain.VERTEX, self.span), node.name
        self.code = Code(span)
        levels = hidden.array(f"{name}_levels", Domain.VERTEX, Type.INT64, span)
        self.width = hidden.scalar(f"{name}_width", type_, span).scalar
        popped, least = (hidden.scalar(f"{name}_{word}", Type.INT64, span) for word in ("popped", "least"))
        self.popped, self.least = popped.scalar, least.scalar
        level, last = self.code.element(levels, Type.INT64, vertex), self.code.scalar(self.popped, Type.INT64)
        joined = nodes.BuiltinCall(span, Type.INT64, Builtin.MAX, (last, self._level(vertex)))
        is_popped = self.code.binary(BinaryOperation.EQUAL, level, last)
        is_other = self.code.binary(BinaryOperation.NOT_EQUAL, level, last)
        self.place = _functor(hidden, node, "place", (), (self.code.store(levels, vertex, joined),))
        self.find = _functor(hidden, node, "find", (), (nodes.Update(span, least, ReduceOperation.MIN, level),))
        self.take = _functor(hidden, node, "take", (is_popped,))
        self.keep = _functor(hidden, node, "keep", (is_other,))

    def begin(self, shown: str, width: nodes.Expression) -> Steps:
        """The steps that leave the buckets empty, with levels of `width`; messages call the buckets `shown`."""
        return (
            nodes.StoreScalar(self.span, self.width, width),
            nodes.CheckWidth(width.span, shown, self.width, self.type),
            nodes.StoreScalar(self.span, self.popped, nodes.Literal(self.span, Type.INT64, _LEAST)),
            _emptied(self.node, self.span),
        )

    def push(self, members: nodes.Elements, span: Span) -> Steps:
        """The steps that put `members` into the buckets of their levels."""
        return self.hidden.compute(span, members, self.place), _united(self.node, members, span)

    def pop(self, result: str, span: Span) -> Steps:
        """Moves the vertices of the least level into `result`; without any, the level popped last stays."""
        waiting = nodes.Elements(span, Domain.VERTEX, self.node.waiting)
        some = nodes.FrontierNotEmpty(span, Type.BOOL, self.node.waiting)
        least, last = (nodes.ScalarValue(span, Type.INT64, name) for name in (self.least, self.popped))
        return (
            nodes.StoreScalar(span, self.least, nodes.Literal(span, Type.INT64, _MOST)),
            self.hidden.compute(span, waiting, self.find),
            nodes.StoreScalar(span, self.popped, nodes.Select(span, Type.INT64, some, least, last)),
            *_split(self.hidden, self.node, self.take, self.keep, result, span),
        )

    def _level(self, vertex: nodes.Expression) -> nodes.Expression:
        """floor(A[v] / width) as the nearest int64; the largest one for NaN."""
        span, type_, code = self.span, self.type, self.code
        value, width = code.element(self.node.array, type_, vertex), code.scalar(self.width, type_)
        if type_.is_float:
            ratio = code.binary(BinaryOperation.DIVIDE, value, width)
            floored = code.convert(Type.INT64, nodes.BuiltinCall(span, type_, Builtin.FLOOR, (ratio,)))
            is_number = code.binary(BinaryOperation.EQUAL, ratio, ratio)
            return code.select(is_number, floored, code.literal(Type.INT64, _MOST))
        ratio = code.binary(BinaryOperation.INTEGER_DIVIDE, value, width)
        if not type_.is_signed:
            most = code.literal(type_, _MOST) if type_.bits == 64 else None
            limited = ratio if most is None else nodes.BuiltinCall(span, type_, Builtin.MIN, (ratio, most))
            return code.convert(Type.INT64, limited)
        whole = code.convert(Type.INT64, ratio)
        rest = code.binary(BinaryOperation.MODULO, value, width)
        less = code.binary(BinaryOperation.SUBTRACT, whole, code.literal(Type.INT64, 1))
        return code.select(code.binary(BinaryOperation.LESS, rest, code.literal(type_, 0)), less, whole)


class _AutomaticBuckets:
    """Buckets of `width=auto`. The functor `measure` finds the least and the largest value of the vertices that wait,
    `take` accepts those up to the bound, and `keep` accepts all others."""

    def __init__(self, hidden: Hidden, node: nodes.Buckets, type_: Type) -> None:
        self.hidden, self.node = hidden, node
        span, vertex, code = node.span, own_id(Domain.VERTEX, node.span), Code(node.span)
        value = code.convert(_FLOAT, code.element(node.array, type_, vertex))
        nearest, farthest, bound = (
            hidden.scalar(f"{node.name}_{word}", _FLOAT, span) for word in ("nearest", "farthest", "bound")
        )
        self.nearest, self.farthest, self.bound = nearest.scalar, farthest.scalar, bound.scalar
        is_finite = code.binary(BinaryOperation.LESS, value, code.literal(_FLOAT, _INFINITY))
        measures = (
            nodes.Update(span, nearest, ReduceOperation.MIN, value),
            nodes.Update(
                span,
                farthest,
                ReduceOperation.MAX,
                code.select(is_finite, value, code.literal(_FLOAT, -_INFINITY)),
            ),
        )
        beyond = code.binary(BinaryOperation.GREATER, value, code.scalar(self.bound, _FLOAT))
        within = nodes.Unary(span, Type.BOOL, UnaryOperation.NOT, beyond)  # NaN too
        self.measure = _functor(hidden, node, "measure", (), measures)
        self.take = _functor(hidden, node, "take", (within,))
        self.keep = _functor(hidden, node, "keep", (beyond,))

    def push(self, members: nodes.Elements, span: Span) -> Steps:
        """The step that has `members` wait."""
        return (_united(self.node, members, span),)

    def pop(self, result: str, span: Span) -> Steps:
        """The steps that move some of the nearest vertices into `result`: at least one where any wait."""
        waiting = nodes.Elements(span, Domain.VERTEX, self.node.waiting)
        return (
            nodes.StoreScalar(span, self.nearest, nodes.Literal(span, _FLOAT, _INFINITY)),
            nodes.StoreScalar(span, self.farthest, nodes.Literal(span, _FLOAT, -_INFINITY)),
            self.hidden.compute(span, waiting, self.measure),
            nodes.ChooseBound(span, self.node.name, self.node.waiting, self.nearest, self.farthest, self.bound),
            *_split(self.hidden, self.node, self.take, self.keep, result, span),
        )


def _emptied(buckets: nodes.Buckets, span: Span) -> nodes.Step:
    return nodes.DefineFrontier(span, buckets.waiting, (), False, Domain.VERTEX)


def _united(buckets: nodes.Buckets, members: nodes.Elements, span: Span) -> nodes.Step:
    if members.everything:
        return nodes.DefineFrontier(span, buckets.waiting, (), True, Domain.VERTEX)
    waiting = nodes.Elements(span, Domain.VERTEX, buckets.waiting)
    return nodes.CombineFrontiers(span, buckets.waiting, SetOperation.UNION, waiting, members)


def _split(hidden: Hidden, buckets: nodes.Buckets, take: str, keep: str, result: str, span: Span) -> Steps:
    """Moves the vertices that `take` accepts into `result`. `keep` accepts all others, which still wait."""
    waiting = nodes.Elements(span, Domain.VERTEX, buckets.waiting)
    sites = [hidden.site(span, "filter") for _ in range(2)]
    return (
        nodes.Filter(span, sites[0], take, waiting, take, result),
        nodes.Filter(span, sites[1], keep, waiting, keep, buckets.waiting),
    )


def _functor(
    hidden: Hidden,
    buckets: nodes.Buckets,
    word: str,
    condition: tuple[nodes.Expression, ...],
    body: tuple[nodes.Statement, ...] = (),
) -> str:
    return hidden.functor(f"{buckets.name}_{word}", Domain.VERTEX, buckets.span, condition, body)


def new_history(hidden: Hidden, name: str, span: Span) -> nodes.History:
    """The data of a new history `name`."""
    members = hidden.array(f"{name}_members", Domain.VERTEX, Type.VERTEX, span)
    ends = hidden.array(f"{name}_ends", Domain.VERTEX, Type.INT64, span)
    return nodes.History(span, name, members, ends, hidden.scalar(f"{name}_levels", Type.INT64, span).scalar)


def emptied(history: nodes.History, span: Span) -> nodes.Step:
    """The step that leaves a history without levels."""
    return nodes.StoreScalar(span, history.levels, nodes.Literal(span, Type.INT64, 0))


def through_levels(
    statement: syntax.LevelLoop, loop: int, history: nodes.History, name: str, body: tuple[nodes.Step, ...]
) -> nodes.Step:
    """The loop over the levels of a history, whose frontier is `name`."""
    span = statement.over.span
    count = nodes.ScalarValue(span, Type.INT64, history.levels, False)
    taken = nodes.TakeLevel(statement.name_span, name, history, statement.backward)
    return nodes.Repeat(statement.span, loop, count, (taken, *body))
